// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace sparserl {

/// Zeros in memory of their own, in pages of 2 MiB where the system has them: of what is read once a step and
/// is far larger than any cache, small pages cost as much as the reading. Pages that nobody writes take no
/// memory.
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
