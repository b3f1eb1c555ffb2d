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
    /// For the next request of a connection, and for a request or the acceptance of an answer beyond the time
    /// that `bytesPerSecond` allows.
    double seconds = 10;
    double bytesPerSecond = 32 * 1024;
    std::size_t mostWaiting = std::size_t(16) << 20; ///< Bytes of an answer that may wait for the client.
    std::size_t mostHead = std::size_t(64) << 10;    ///< Bytes of a request up to its body.
    std::size_t mostBody = std::size_t(256) << 20;   ///< As it is sent, with the lengths of its chunks.
};

/// A client's connection as cpp-httplib reads and writes it. A client that is slower than the limits, or
/// sends more than they allow, counts as gone. Writing does not wait for the client unless it has fallen far
/// behind, so a slow client does not hold up the computation of its answer; drain() waits. For one thread.
class ClientStream : public httplib::Stream
{
public:
    /// Closes the socket at the end. After `ending`, nothing more is awaited from the client.
    ClientStream(socket_t socket, const ClientLimits& limits, CancelToken ending);
    ~ClientStream() override;
    ClientStream(const ClientStream&) = delete;
    ClientStream& operator=(const ClientStream&) = delete;

    /// Waits for the first byte of the next request; the time for a request begins with it.
    bool awaitRequest();
    /// The request has been read up to its body: the limit for that holds from here.
    void awaitBody() { m_most = m_received + m_limits.mostBody; }
    /// Whether the client has its side of the connection open.
    bool isThere() const;
    /// Waits until the client has taken the whole answer.
    bool drain();
    /// No further request is read from this connection: what follows may be the rest of one that was refused.
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
    std::size_t m_taken = 0; ///< Of m_input.
    std::string m_output;
    std::size_t m_accepted = 0; ///< Of m_output: accepted by the system.
    std::size_t m_received = 0, m_sent = 0;
    std::size_t m_most = 0; ///< Of m_received. The library itself reads lines of any length.
    Clock::time_point m_begun, m_answering;
    bool m_broken = false, m_last = false;
};

} // namespace sparserl::cli
