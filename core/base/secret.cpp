// SPDX-License-Identifier: Apache-2.0
#include "base/secret.h"

#include <chrono>
#include <sys/random.h>
#include <unistd.h>

namespace sparserl {

std::uint64_t drawSecret()
{
    std::uint64_t bits = 0;
    if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
        // No kernel that we run on refuses eight bytes; better a poor secret than a known one.
        bits = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) *
                   0x9e3779b97f4a7c15ULL ^
               static_cast<std::uint64_t>(::getpid()) << 40;
    }
    return bits >> 11 | 1;
}

} // namespace sparserl
