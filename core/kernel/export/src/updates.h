// SPDX-License-Identifier: Apache-2.0
// Replaces the values of a matrix on the GPU whose pattern does not change.
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

    /// Enqueues work that fills the plan's arrays on the GPU from `values`, which are in CSR order. `buffers`
    /// are the addresses of the plan's buffers. Throws Failure.
    void fill(DevicePointer values, const std::vector<DevicePointer>& buffers, Stream stream) const;
    /// Bytes of GPU memory that the maps use.
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
