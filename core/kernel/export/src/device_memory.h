// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver.h"

#include <utility>

namespace sparserl_bundle {

/// Memory on the GPU of the current context. The destructor frees it. For a size of 0, allocates nothing and
/// has the address 0.
class DeviceMemory
{
public:
    explicit DeviceMemory(std::size_t bytes)
    {
        if (bytes > 0)
            driver().check(driver().mem_alloc(&m_address, bytes), "allocating memory of the GPU");
    }
    DeviceMemory(DeviceMemory&& other) noexcept
        : m_address(std::exchange(other.m_address, 0))
    {
    }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    DeviceMemory& operator=(DeviceMemory&&) = delete;
    ~DeviceMemory()
    {
        if (m_address)
            driver().mem_free(m_address);
    }
    DevicePointer address() const { return m_address; }

private:
    DevicePointer m_address = 0;
};

/// A stream that does not synchronize with the default stream.
class OwnStream
{
public:
    OwnStream() { driver().check(driver().stream_create(&m_stream, 1), "creating a stream"); }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    ~OwnStream() { driver().stream_destroy(m_stream); }
    operator Stream() const { return m_stream; }

private:
    Stream m_stream = nullptr;
};

} // namespace sparserl_bundle
