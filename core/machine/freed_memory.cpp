// SPDX-License-Identifier: Apache-2.0
#include "machine/freed_memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace sparserl {

void keepFreedMemory()
{
#ifdef __GLIBC__
    // Blocks of 32 MB and more are mapped one by one, whatever their threshold is set to (mallopt(3)), and
    // unmapped when they are freed: a training step clears gigabytes of pages anew. So none are mapped.
    ::mallopt(M_MMAP_MAX, 0);
    ::mallopt(M_TRIM_THRESHOLD, -1); // never, however much is free
    ::mallopt(M_TOP_PAD, 64 << 20);  // grow in few steps
#endif
}

} // namespace sparserl
