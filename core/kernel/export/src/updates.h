// SPDX-License-Identifier: Apache-2.0
// New values for a matrix on the GPU whose pattern stays.
#pragma once

#include "device_memory.h"
#include "value_map.h"

namespace sparserl_bundle {

/// The maps of a plan on the GPU, and the kernel that follows them. A context must be current in all calls.
class Updates
{
public:
    /// Uploads the maps; waits. Throws Failure.
    Updates(const std::vector<ValueMap>& maps, Stream stream);
    ~Updates();
    Updates(const Updates&) = delete;
    Updates& operator=(const Updates&) = delete;

    /// Enqueues the filling of the arrays of the plan from `values`, in the order of CSR, on the GPU.
    /// `buffers`: addresses of the plan's buffers. Throws Failure.
    void fill(DevicePointer values, const std::vector<DevicePointer>& buffers, Stream stream) const;
    /// Memory of the GPU that the maps take.
    std::size_t bytes() const { return m_bytes; }

private:
    struct Map
    {
        std::size_t buffer, count;
        DeviceMemory source; ///< Nothing where the values are copied as they are.
    };
    const Driver& m_driver;
    Module m_module = nullptr;
    Function m_kernel = nullptr;
    std::vector<Map> m_maps;
    std::size_t m_bytes = 0;
};

} // namespace sparserl_bundle
