// SPDX-License-Identifier: Apache-2.0
#include "base/read_at.h"

#include <cerrno>
#include <sys/types.h>
#include <unistd.h>

namespace sparserl {

std::optional<std::size_t> readAt(int file, std::uint64_t offset, char* into, std::size_t bytes)
{
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = ::pread(file, into + done, bytes - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return std::nullopt;
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

} // namespace sparserl
