// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"

#include <chrono>
#include <cstddef>
#include <httplib.h>
#include <string>
#include <sys/types.h>

namespace sparserl::cli {

/// How long the server waits for a client.
struct ClientLimits
{
    /// Time to wait for the next request of a connection. Also the time that a client may take for a request,
    /// or for accepting an answer, in addition to the time that `bytesPerSecond` allows.
    double seconds = 10;
    double bytesPerSecond = 32 * 1024;
    std::size_t mostWaiting = std::size_t(16) << 20; ///< Maximum bytes of an answer that wait for the client.
    std::size_t mostHead = std::size_t(64) << 10;    ///< Maximum bytes of a request before its body.
    std::size_t mostBody = std::size_t(256) << 20;   ///< Maximum bytes of a body, including chunk lengths.
};

/// A client's connection in the form that cpp-httplib reads and writes. A client that is slower than the
/// limits, or sends more than they allow, counts as disconnected. Writing waits only for a client that has
/// fallen far behind, so that a slow client does not delay the computation of its answer; drain() waits for
/// all bytes. Use it on one thread.
class ClientStream : public httplib::Stream
{
public:
    /// The destructor closes the socket. After `ending` is cancelled, the stream no longer waits for the
    /// client.
    ClientStream(socket_t socket, const ClientLimits& limits, CancelToken ending);
    ~ClientStream() override;
    ClientStream(const ClientStream&) = delete;
    ClientStream& operator=(const ClientStream&) = delete;

    /// Waits for the first byte of the next request, with which the time for the request begins.
    bool awaitRequest();
    /// Call it after a request has been read up to its body. From then on, the limit for bodies applies.
    void awaitBody() { m_most = m_received + m_limits.mostBody; }
    /// Whether the client's side of the connection is open.
    bool isThere() const;
    /// Waits until the client has taken the whole answer.
    bool drain();
    /// Ends the connection after the current answer. Bytes that follow may be the rest of a refused request,
    /// so they are not read as a request.
    void endAfterAnswer() { m_last = true; }
    bool isLast() const { return m_last; }

    bool is_readable() const override;
    /// Whether more of an answer can be written without waiting.
    bool is_writable() const override;
    ssize_t read(char* to, size_t size) override;
    ssize_t write(const char* from, size_t size) override;
    void get_remote_ip_and_port(std::string& ip, int& port) const override;
    void get_local_ip_and_port(std::string& ip, int& port) const override;
    socket_t socket() const override { return m_socket; }

private:
    using Clock = std::chrono::steady_clock;

    bool wait(short events, Clock::time_point end) const;
    Clock::time_point limitAfter(Clock::time_point begin, std::size_t bytes) const;
    bool fill(Clock::time_point end);
    std::size_t waiting() const { return m_output.size() - m_accepted; }
    bool sendWaiting();
    bool takeDownTo(std::size_t bytes);

    socket_t m_socket;
    ClientLimits m_limits;
    CancelToken m_ending;
    std::string m_input;
    std::size_t m_taken = 0; ///< Bytes of m_input that have been read.
    std::string m_output;
    std::size_t m_accepted = 0; ///< Bytes of m_output that the system has accepted.
    std::size_t m_received = 0, m_sent = 0;
    /// Maximum of m_received. It is necessary because the library reads lines of any length.
    std::size_t m_most = 0;
    Clock::time_point m_begun, m_answering;
    bool m_broken = false, m_last = false;
};

} // namespace sparserl::cli
