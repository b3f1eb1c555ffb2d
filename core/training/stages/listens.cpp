// SPDX-License-Identifier: Apache-2.0
#include "training/stages/listens.h"

#include <cerrno>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sparserl {

bool listens(const std::string& address, int port)
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0)
        return false;
    bool answered = false;
    for (const addrinfo* one = found; one && !answered; one = one->ai_next) {
        const int peer = ::socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (peer < 0)
            continue;
        answered = ::connect(peer, one->ai_addr, one->ai_addrlen) == 0;
        pollfd ready{peer, POLLOUT, 0};
        int problem = 0;
        socklen_t size = sizeof problem;
        if (!answered && errno == EINPROGRESS && ::poll(&ready, 1, 1000) > 0)
            answered = ::getsockopt(peer, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 && problem == 0;
        ::close(peer);
    }
    ::freeaddrinfo(found);
    return answered;
}

} // namespace sparserl
