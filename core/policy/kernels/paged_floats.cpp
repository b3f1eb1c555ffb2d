// SPDX-License-Identifier: Apache-2.0
#include "policy/kernels/paged_floats.h"

#include <new>
#include <sys/mman.h>

namespace sparserl {

PagedFloats::PagedFloats(std::size_t count)
{
    const std::size_t bytes = count * sizeof(float);
    if (bytes == 0)
        return;
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        throw std::bad_alloc();
    ::madvise(data, bytes, MADV_HUGEPAGE); // advice only
    m_data.reset(static_cast<float*>(data), [bytes](float* p) { ::munmap(p, bytes); });
}

} // namespace sparserl
