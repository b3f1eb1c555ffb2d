// SPDX-License-Identifier: Apache-2.0
// New values for a matrix on the GPU whose pattern stays.
#pragma once

#include "device_memory.h"
#include "value_map.h"

namespace sparserl_bundle {

/// The value maps of a plan on the GPU, and the kernel that applies them. All calls need a current context.
class Updates
{
public:
    /// Uploads the maps and waits. Throws Failure.
    Updates(const std::vector<ValueMap>& maps, Stream stream);
    ~Updates();
    Updates(const Updates&) = delete;
    Updates& operator=(const Updates&) = delete;

    /// Enqueues filling the plan's arrays on the GPU from `values` in CSR order. `buffers`: addresses of the
    /// plan's buffers. Throws Failure.
    void fill(DevicePointer values, const std::vector<DevicePointer>& buffers, Stream stream) const;
    /// GPU memory used by the maps.
    std::size_t bytes() const { return m_bytes; }

private:
    struct Map
    {
        std::size_t buffer, count;
        DeviceMemory source; ///< Empty if the values are copied unchanged.
    };
    const Driver& m_driver;
    Module m_module = nullptr;
    Function m_kernel = nullptr;
    std::vector<Map> m_maps;
    std::size_t m_bytes = 0;
};

} // namespace sparserl_bundle
