// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace sparserl {

/// Zero-initialised memory in pages of 2 MiB if the system has them. For data that are much larger than any
/// cache and read once per step, small pages cost as much as the reading itself. Pages that are never written
/// use no memory.
class PagedFloats
{
public:
    PagedFloats() = default;
    /// Throws std::bad_alloc.
    explicit PagedFloats(std::size_t count);
    float* data() { return m_data.get(); }

private:
    std::shared_ptr<float> m_data;
};

} // namespace sparserl
