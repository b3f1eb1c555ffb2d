// SPDX-License-Identifier: Apache-2.0
// A runner of the roles compile and sim that does what its jobs say: {"do": "crash", "until": "fresh"}.
#include "base/json.h"
#include "evaluation/protocol/channel.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace sparserl;

namespace {

[[noreturn]] void waitForEver()
{
    for (;;)
        ::pause();
}

/// Recursion that no compiler sees the end of.
int deeper(int depth)
{
    std::array<char, 4096> room{};
    volatile const char* const kept = room.data();
    return depth < 0 ? 0 : deeper(depth + 1) + kept[depth % 4096];
}

void sendRaw(int fd, const std::string& bytes)
{
    for (std::size_t at = 0; at < bytes.size();) {
        const auto n = ::write(fd, bytes.data() + at, bytes.size() - at);
        if (n > 0)
            at += static_cast<std::size_t>(n);
    }
}

std::string header(std::uint32_t bytes, std::uint32_t files)
{
    std::string out(8, '\0');
    std::memcpy(out.data(), &bytes, 4);
    std::memcpy(out.data() + 4, &files, 4);
    return out;
}

/// A byte of a message that never ends, with files that no message speaks of.
void sendFiles(int fd)
{
    std::array<char, 1> byte{' '};
    iovec part{byte.data(), byte.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * Channel::maxFiles)> control{};
    const std::array<int, Channel::maxFiles> files{}; // All of them the standard input.
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof files);
    std::memcpy(CMSG_DATA(rights), files.data(), sizeof files);
    if (::sendmsg(fd, &message, MSG_NOSIGNAL) < 0)
        std::exit(3);
}

/// Every way in which a runner can fail to serve a job. Returns where it answers something.
nlohmann::json misbehave(const std::string& what, const nlohmann::json& id, int fd)
{
    // A sanitizer's handler would print a finding of what is meant.
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT})
        std::signal(signal, SIG_DFL);
    if (what == "crash")
        ::raise(SIGSEGV);
    if (what == "abort")
        std::abort();
    if (what == "deep")
        std::exit(deeper(0));
    if (what == "memory")
        throw std::bad_alloc();
    if (what == "leave")
        std::exit(0);
    if (what == "fail")
        std::exit(3);
    if (what == "hang")
        waitForEver();
    if (what == "cpu") {
        const rlimit limit{0, 1};
        ::setrlimit(RLIMIT_CPU, &limit);
        for (;;)
            if (std::getenv("a name that nobody sets"))
                break;
    }
    if (what == "killed")
        ::raise(SIGKILL);
    if (what == "rubbish") {
        sendRaw(fd, header(5, 0) + "{{{{{");
        waitForEver();
    }
    if (what == "half") {
        sendRaw(fd, header(1000, 0) + "{\"type\":");
        std::exit(0);
    }
    if (what == "endless") {
        sendRaw(fd, header(0xfffffff0u, 0));
        waitForEver();
    }
    if (what == "files") {
        sendRaw(fd, header(20, 3) + "{\"type\":\"answer\"   }");
        waitForEver();
    }
    if (what == "flood") {
        sendRaw(fd, header(1'000'000, 0));
        for (;;)
            sendFiles(fd);
    }
    if (what == "other") // The answer to a job nobody gave.
        return {{"type", "good"}, {"id", 1000000}};
    if (what == "refuse")
        return {{"type", "failed"}, {"what", "this cannot be done"}, {"id", id}, {"last", true}};
    if (what == "nonsense")
        return {{"type", "poem"}, {"id", id}};
    return {{"type", "good"}, {"id", id}};
}

} // namespace

int main(int argc, char** argv)
{
    int socket = -1;
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--socket") == 0)
            socket = std::atoi(argv[i + 1]);
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    Channel channel{FileDescriptor(socket)};
    if (!channel.send({{"type", "ready"}}))
        return 3;
    for (int served = 0;; ++served) {
        auto message = channel.receive();
        if (!message || !*message)
            return 0;
        const auto& body = (*message)->body;
        std::string what = jsonValue<std::string>(body, "do", "");
        if (jsonValue<std::string>(body, "until", "") == "fresh" && served == 0)
            what.clear();
        const int flags = ::fcntl(socket, F_GETFL);
        ::fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
        const auto answer = misbehave(what, body["id"], socket);
        ::fcntl(socket, F_SETFL, flags);
        if (!channel.send(answer))
            return 3;
        if (jsonValue<bool>(answer, "last", false))
            return 0;
    }
}
