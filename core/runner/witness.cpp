// SPDX-License-Identifier: Apache-2.0
#include "runner/witness.h"

#include "runner/call_filter.h"
#include "runner/sandbox_parts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <linux/seccomp.h>
#include <optional>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace sparserl {

namespace {

/// Numbers beyond are counted as the last.
constexpr std::size_t countedCalls = 1024;
using Counts = std::array<std::int64_t, countedCalls>;

constexpr char takeListener = 'L', tellCounts = 'C';

/// A letter, and the descriptor that came with it.
struct Letter
{
    char what = 0;
    FileDescriptor file;
};

std::optional<Letter> receiveLetter(int socket)
{
    Letter letter;
    iovec part{&letter.what, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    ssize_t got = 0;
    while ((got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    if (got != 1)
        return std::nullopt;
    if (const cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
        int file = -1;
        std::memcpy(&file, CMSG_DATA(rights), sizeof file);
        letter.file.reset(file);
    }
    return letter;
}

bool sendLetter(int socket, char what, int file = -1)
{
    iovec part{&what, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (file >= 0) {
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof file);
        std::memcpy(CMSG_DATA(rights), &file, sizeof file);
    }
    ssize_t sent = 0;
    while ((sent = ::sendmsg(socket, &header, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return sent == 1;
}

/// One refused call. False where there will be no more.
bool answerOne(int listener, LockedRole role, Counts& counts)
{
    seccomp_notif call{};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        return errno == EINTR || errno == ENOENT; // Who asked may be gone.
    const auto number = static_cast<std::size_t>(std::max(call.data.nr, 0));
    ++counts[std::min(number, countedCalls - 1)];
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.error = -refusedWith(role, call.data.nr);
    return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 || errno == ENOENT;
}

void serve(int socket, LockedRole role)
{
    Counts counts{};
    FileDescriptor listener;
    for (;;) {
        std::array<pollfd, 2> waits{pollfd{socket, POLLIN, 0}, pollfd{listener.get(), POLLIN, 0}};
        if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR)
            return;
        if (waits[1].revents & POLLIN && !answerOne(listener.get(), role, counts))
            listener.reset();
        if (waits[1].revents & POLLHUP)
            listener.reset();
        if (!(waits[0].revents & (POLLIN | POLLHUP | POLLERR)))
            continue;
        auto letter = receiveLetter(socket);
        if (!letter)
            return; // The locked process is gone.
        if (letter->what == takeListener && !listener.valid())
            listener = std::move(letter->file);
        else if (letter->what == tellCounts &&
                 ::send(socket, counts.data(), sizeof counts, MSG_NOSIGNAL) != sizeof counts)
            return;
    }
}

} // namespace

Result<Witness> Witness::start(LockedRole role)
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return fail(because("a witness of refused calls cannot be started"));
    FileDescriptor own(ends[0]), other(ends[1]);
    const pid_t child = ::fork();
    if (child < 0)
        return fail(because("a witness of refused calls cannot be started"));
    if (child == 0) {
        ::prctl(PR_SET_DUMPABLE, 0);
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        // The job channel is not its business; the end of it must be seen by who waits there.
        const auto kept = static_cast<unsigned>(other.get());
        if (kept > 3)
            ::close_range(3, kept - 1, 0);
        ::close_range(kept + 1, ~0u, 0);
        serve(other.get(), role);
        ::_exit(0);
    }
    return Witness(std::move(own));
}

Status Witness::watch(int listener)
{
    const bool sent = sendLetter(m_socket.get(), takeListener, listener);
    ::close(listener);
    return sent ? Status() : fail("the witness of refused calls is gone");
}

std::map<std::string, std::int64_t> Witness::refused()
{
    std::map<std::string, std::int64_t> named;
    Counts counts{};
    if (!sendLetter(m_socket.get(), tellCounts))
        return named;
    for (std::size_t got = 0; got < sizeof counts;) {
        const ssize_t more =
            ::read(m_socket.get(), reinterpret_cast<char*>(counts.data()) + got, sizeof counts - got);
        if (more == 0 || (more < 0 && errno != EINTR))
            return named;
        got += more > 0 ? static_cast<std::size_t>(more) : 0;
    }
    for (std::size_t call = 0; call < counts.size(); ++call)
        if (counts[call] > 0)
            named[callName(static_cast<int>(call))] = counts[call];
    return named;
}

} // namespace sparserl
