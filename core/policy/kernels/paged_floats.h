// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace sparserl {

/// Memory that is initialised with zeros, in pages of 2 MiB if the system has them. It is meant for data that
/// are much larger than any cache and are read once per step; with small pages, address translation would
/// take as long as the reading. Pages that are never written use no memory.
class PagedFloats
{
public:
    PagedFloats() = default;
    /// May throw std::bad_alloc.
    explicit PagedFloats(std::size_t count);
    float* data() { return m_data.get(); }

private:
    std::shared_ptr<float> m_data;
};

} // namespace sparserl
