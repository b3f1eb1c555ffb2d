// SPDX-License-Identifier: Apache-2.0
#include "app/training/client_stream.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace sparserl::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t readAtOnce = 64 * 1024;
constexpr Milliseconds lookEvery(100); ///< Between two looks at whether the server ends.
constexpr Milliseconds farewell(500);  ///< For a client that is still sending when its request is refused.

Clock::duration seconds(double count)
{
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

void readAddress(int result, const sockaddr_storage& address, std::string& ip, int& port)
{
    char text[INET6_ADDRSTRLEN] = "";
    port = -1;
    if (result == 0 && address.ss_family == AF_INET) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(address);
        ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
        port = ntohs(four.sin_port);
    } else if (result == 0 && address.ss_family == AF_INET6) {
        const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
        ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
        port = ntohs(six.sin6_port);
    }
    ip = text;
}

} // namespace

ClientStream::ClientStream(socket_t socket, const ClientLimits& limits, CancelToken ending)
    : m_socket(socket)
    , m_limits(limits)
    , m_ending(std::move(ending))
    , m_begun(Clock::now())
    , m_answering(m_begun)
{
}

ClientStream::~ClientStream()
{
    ::shutdown(m_socket, SHUT_WR);
    // Closing a socket with unread bytes resets the connection, and the client may lose the answer.
    const auto end = Clock::now() + farewell;
    char unread[4096];
    while (m_last && !m_broken && Clock::now() < end && !m_ending.cancelled() && wait(POLLIN, end) &&
           ::recv(m_socket, unread, sizeof unread, MSG_DONTWAIT) > 0) {
    }
    ::close(m_socket);
}

/// Whether one of the events came before the end of the server and of the time.
bool ClientStream::wait(short events, Clock::time_point end) const
{
    for (;;) {
        const auto left = std::chrono::ceil<Milliseconds>(end - Clock::now());
        pollfd waited{m_socket, events, 0};
        const int found =
            ::poll(&waited, 1, static_cast<int>(std::clamp(left, Milliseconds(0), lookEvery).count()));
        if (found > 0)
            return true;
        if ((found < 0 && errno != EINTR) || left <= Milliseconds(0) || m_ending.cancelled())
            return false;
    }
}

Clock::time_point ClientStream::limitAfter(Clock::time_point begin, std::size_t bytes) const
{
    return begin + seconds(m_limits.seconds + static_cast<double>(bytes) / m_limits.bytesPerSecond);
}

/// Reads what is there, at least a byte.
bool ClientStream::fill(Clock::time_point end)
{
    m_input.resize(readAtOnce);
    m_taken = 0;
    for (;;) {
        // Also a client that always sends something must not hold up the end of the server.
        const bool ending = m_ending.cancelled();
        const ssize_t got = ending ? 0 : ::recv(m_socket, m_input.data(), m_input.size(), MSG_DONTWAIT);
        if (got > 0) {
            m_input.resize(static_cast<std::size_t>(got));
            return true;
        }
        const bool again = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
        if (!again || !wait(POLLIN, end)) {
            m_broken = true;
            m_input.clear();
            return false;
        }
    }
}

bool ClientStream::awaitRequest()
{
    if (m_broken || m_last || m_ending.cancelled())
        return false;
    if (m_taken == m_input.size() && !fill(Clock::now() + seconds(m_limits.seconds)))
        return false;
    m_begun = Clock::now();
    m_received = 0;
    m_most = m_limits.mostHead;
    return true;
}

bool ClientStream::isThere() const
{
    pollfd looked{m_socket, POLLRDHUP, 0};
    return !m_broken && ::poll(&looked, 1, 0) == 0;
}

bool ClientStream::is_readable() const
{
    return m_taken < m_input.size() || (!m_broken && wait(POLLIN, limitAfter(m_begun, m_received)));
}

bool ClientStream::is_writable() const
{
    return !m_broken && waiting() <= m_limits.mostWaiting;
}

ssize_t ClientStream::read(char* to, size_t size)
{
    m_broken = m_broken || m_received >= m_most;
    if (m_broken || (m_taken == m_input.size() && !fill(limitAfter(m_begun, m_received))))
        return -1;
    const std::size_t count = std::min({size, m_input.size() - m_taken, m_most - m_received});
    std::copy_n(m_input.data() + m_taken, count, to);
    m_taken += count;
    m_received += count;
    return static_cast<ssize_t>(count);
}

/// Sends what the system accepts. False if the client is gone.
bool ClientStream::sendWaiting()
{
    while (waiting() > 0) {
        const ssize_t count =
            ::send(m_socket, m_output.data() + m_accepted, waiting(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            m_broken = m_broken || (errno != EAGAIN && errno != EWOULDBLOCK);
            break;
        }
        m_accepted += static_cast<std::size_t>(count);
        m_sent += static_cast<std::size_t>(count);
    }
    if (m_accepted > m_output.size() / 2) {
        m_output.erase(0, m_accepted);
        m_accepted = 0;
    }
    return !m_broken;
}

bool ClientStream::takeDownTo(std::size_t bytes)
{
    while (sendWaiting() && waiting() > bytes)
        if (!wait(POLLOUT, limitAfter(m_answering, m_sent)))
            m_broken = true;
    return !m_broken;
}

ssize_t ClientStream::write(const char* from, size_t size)
{
    if (m_broken)
        return -1;
    if (waiting() == 0) { // The client has what was written before.
        m_answering = Clock::now();
        m_sent = 0;
    }
    m_output.append(from, size);
    const bool taken = waiting() > m_limits.mostWaiting ? takeDownTo(m_limits.mostWaiting) : sendWaiting();
    return taken ? static_cast<ssize_t>(size) : -1;
}

bool ClientStream::drain()
{
    return takeDownTo(0);
}

void ClientStream::get_remote_ip_and_port(std::string& ip, int& port) const
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    readAddress(::getpeername(m_socket, reinterpret_cast<sockaddr*>(&address), &length), address, ip, port);
}

void ClientStream::get_local_ip_and_port(std::string& ip, int& port) const
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    readAddress(::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &length), address, ip, port);
}

} // namespace sparserl::cli
