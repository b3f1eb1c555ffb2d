// SPDX-License-Identifier: Apache-2.0
#include "evaluation/protocol/channel.h"

#include "base/json.h"
#include "base/system_remedy.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr std::size_t headerBytes = 8;

void appendU32(std::string& out, std::uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        out += static_cast<char>((value >> (8 * i)) & 0xff);
}

std::uint32_t readU32(const std::string& in, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(in[at + i])) << (8 * i);
    return value;
}

Error systemError(const char* what)
{
    const int error = errno;
    return Error{
        std::string(what) + ": " + std::strerror(error), {}, 0, systemRemedy(error, Subject::Stream)};
}

} // namespace

void FileDescriptor::reset(int fd)
{
    if (m_fd >= 0)
        ::close(m_fd);
    m_fd = fd;
}

Result<std::pair<FileDescriptor, FileDescriptor>> Channel::socketPair()
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        return fail(systemError("cannot open a socket to a runner"));
    return std::pair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Channel::Channel(FileDescriptor socket)
    : m_socket(std::move(socket))
{
}

Status Channel::queue(const nlohmann::json& body, std::span<const int> files)
{
    std::string text = dumpJson(body);
    if (text.size() > maxMessageBytes || files.size() > maxFiles)
        return fail("a message to a runner is too long (" + std::to_string(text.size()) + " bytes, " +
                    std::to_string(files.size()) + " files)");
    Outgoing out;
    out.bytes.reserve(headerBytes + text.size());
    appendU32(out.bytes, static_cast<std::uint32_t>(text.size()));
    appendU32(out.bytes, static_cast<std::uint32_t>(files.size()));
    out.bytes += text;
    out.files.assign(files.begin(), files.end());
    m_out.push_back(std::move(out));
    return {};
}

Result<bool> Channel::flush()
{
    while (!m_out.empty()) {
        Outgoing& out = m_out.front();
        iovec part{out.bytes.data() + out.sent, out.bytes.size() - out.sent};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * maxFiles)> control{};
        if (out.sent == 0 && !out.files.empty()) {
            const std::size_t size = sizeof(int) * out.files.size();
            header.msg_control = control.data();
            header.msg_controllen = CMSG_SPACE(size);
            cmsghdr* rights = CMSG_FIRSTHDR(&header);
            rights->cmsg_level = SOL_SOCKET;
            rights->cmsg_type = SCM_RIGHTS;
            rights->cmsg_len = CMSG_LEN(size);
            std::memcpy(CMSG_DATA(rights), out.files.data(), size);
        }
        const ssize_t n = ::sendmsg(m_socket.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN || errno == EWOULDBLOCK)
                return false;
            return fail(systemError("cannot send to a runner"));
        }
        out.sent += static_cast<std::size_t>(n);
        if (out.sent == out.bytes.size())
            m_out.pop_front();
    }
    return true;
}

Result<bool> Channel::readAvailable()
{
    std::array<char, 65536> buffer;
    for (;;) {
        iovec part{buffer.data(), buffer.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * maxFiles)> control{};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        const ssize_t n = ::recvmsg(m_socket.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN || errno == EWOULDBLOCK)
                return true;
            if (errno == ECONNRESET)
                return false;
            return fail(systemError("cannot read from a runner"));
        }
        for (cmsghdr* c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c))
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
                for (std::size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
                    int fd = -1;
                    std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
                    m_files.emplace_back(fd);
                }
        // Files that no message speaks of would pile up until none can be opened any more.
        if (header.msg_flags & MSG_CTRUNC || m_files.size() > 2 * maxFiles)
            return fail("a message came with more files than allowed");
        if (n == 0)
            return false;
        m_in.append(buffer.data(), static_cast<std::size_t>(n));
        if (m_in.size() >= headerBytes && readU32(m_in, 0) > maxMessageBytes)
            return fail("a message is longer than the protocol allows");
    }
}

Result<std::optional<Message>> Channel::next()
{
    if (m_in.size() < headerBytes)
        return std::optional<Message>{};
    const std::size_t size = readU32(m_in, 0), files = readU32(m_in, 4);
    if (size > maxMessageBytes || files > maxFiles)
        return fail("a message is longer than the protocol allows");
    if (m_in.size() < headerBytes + size)
        return std::optional<Message>{};
    if (m_files.size() < files)
        return fail("a message came without the files it speaks of");
    auto body = parseJson(std::string_view(m_in).substr(headerBytes, size));
    if (!body || !body->is_object() || !body->contains("type") || !(*body)["type"].is_string())
        return fail("a message is not a JSON object with a type");
    Message message{std::move(*body), {}};
    for (std::size_t i = 0; i < files; ++i) {
        message.files.push_back(std::move(m_files.front()));
        m_files.pop_front();
    }
    m_in.erase(0, headerBytes + size);
    return std::optional<Message>(std::move(message));
}

Status Channel::send(const nlohmann::json& body, std::span<const int> files)
{
    SPARSERL_CHECK(queue(body, files));
    for (;;) {
        SPARSERL_TRY(const auto done, flush());
        if (done)
            return {};
        pollfd wait{m_socket.get(), POLLOUT, 0};
        ::poll(&wait, 1, -1);
    }
}

Result<std::optional<Message>> Channel::receive()
{
    for (;;) {
        auto message = next();
        if (!message || *message)
            return message;
        SPARSERL_TRY(const auto open, readAvailable());
        message = next();
        if (!message || *message || !open)
            return message;
        pollfd wait{m_socket.get(), POLLIN, 0};
        ::poll(&wait, 1, -1);
    }
}

} // namespace sparserl
