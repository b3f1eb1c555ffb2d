// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cctype>
#include <chrono>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sparserl::tests {

/// How bytes are sent: so many at a time with a pause after each time; 0: all at once.
struct Pace
{
    std::size_t bytes = 0;
    int milliseconds = 0;
    bool hangs = false; ///< The connection stays open after the last byte.
};

/// A server on 127.0.0.1 that sends exactly the bytes that a test writes down, one connection after another.
class ScriptedServer
{
public:
    /// `answer` gets the whole request and returns all bytes to send before the connection is closed.
    explicit ScriptedServer(std::function<std::string(const std::string& request)> answer, Pace pace = {})
        : m_answer(std::move(answer))
        , m_pace(pace)
        , m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(m_socket, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
            ::listen(m_socket, 64) != 0 ||
            ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &length) != 0)
            throw std::runtime_error("no port for the scripted server");
        m_port = ntohs(address.sin_port);
        m_thread = std::thread([this] { serve(); });
    }
    ~ScriptedServer()
    {
        m_ending = true;
        ::shutdown(m_socket, SHUT_RDWR);
        m_thread.join();
        ::close(m_socket);
    }
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port) + "/v1"; }
    std::vector<std::string> requests() const
    {
        const std::lock_guard lock(m_mutex);
        return m_requests;
    }

    static std::string whole(int status, const std::string& type, const std::string& body,
                             const std::string& headers = {})
    {
        return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + type + "\r\n" + headers +
               "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
    }

private:
    static std::string read(int connection)
    {
        std::string request;
        std::size_t wanted = std::string::npos;
        char buffer[4096];
        while (request.size() < wanted) {
            const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
            if (got <= 0)
                break;
            request.append(buffer, static_cast<std::size_t>(got));
            const auto end = request.find("\r\n\r\n");
            if (wanted != std::string::npos || end == std::string::npos)
                continue;
            std::string head = request.substr(0, end);
            std::transform(head.begin(), head.end(), head.begin(),
                           [](unsigned char c) { return std::tolower(c); });
            const auto length = head.find("content-length: ");
            wanted = end + 4 + (length == std::string::npos ? 0 : std::stoul(head.substr(length + 16)));
        }
        return request;
    }
    void serve()
    {
        for (;;) {
            const int connection = ::accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC);
            if (connection < 0)
                return;
            const std::string request = read(connection);
            {
                const std::lock_guard lock(m_mutex);
                m_requests.push_back(request);
            }
            const std::string bytes = m_answer(request);
            for (std::size_t at = 0; at < bytes.size();) {
                const std::size_t count =
                    m_pace.bytes > 0 ? std::min(m_pace.bytes, bytes.size() - at) : bytes.size() - at;
                const ssize_t sent = ::send(connection, bytes.data() + at, count, MSG_NOSIGNAL);
                if (sent <= 0)
                    break;
                at += static_cast<std::size_t>(sent);
                std::this_thread::sleep_for(std::chrono::milliseconds(m_pace.milliseconds));
            }
            while (m_pace.hangs && !m_ending)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            ::shutdown(connection, SHUT_WR);
            ::close(connection);
        }
    }

    std::function<std::string(const std::string&)> m_answer;
    Pace m_pace;
    std::atomic<bool> m_ending = false;
    int m_socket, m_port = 0;
    std::thread m_thread;
    mutable std::mutex m_mutex;
    std::vector<std::string> m_requests;
};

} // namespace sparserl::tests
