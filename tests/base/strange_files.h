// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace sparserl::test {

/// Makes folders in `folder`, one in the other, until one has too long a path to be listed, for root, too.
inline bool makeUnlistableFolder(const std::filesystem::path& folder)
{
    const std::string name(200, 'd');
    int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (std::size_t length = 0; at >= 0 && length <= PATH_MAX; length += name.size()) {
        const int next =
            ::mkdirat(at, name.c_str(), 0700) == 0 ? ::openat(at, name.c_str(), O_RDONLY | O_CLOEXEC) : -1;
        ::close(at);
        at = next;
    }
    return at >= 0 && ::close(at) == 0;
}

/// A socket with this name; nobody listens. The name may be longer than an address can be.
inline bool makeSocket(const std::filesystem::path& path)
{
    const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int folder = ::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "/proc/self/fd/" + std::to_string(folder) + "/" + path.filename().string();
    const bool made = name.size() < sizeof address.sun_path &&
                      (std::memcpy(address.sun_path, name.c_str(), name.size() + 1),
                       ::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(folder);
    ::close(file);
    return made;
}

} // namespace sparserl::test
