// SPDX-License-Identifier: Apache-2.0
#include "app/training/http_server.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sparserl::cli {

namespace {

constexpr std::size_t mostConnections = 256; ///< More wait until one of these ends.
constexpr int mostRequests = 100;            ///< Of a connection.
constexpr int backlog = 128;

/// Carried by a request: the library hands its handlers nothing else of the connection.
struct ClientOf
{
    ClientStream* stream;
    bool operator()(std::uint64_t, std::uint64_t) const { return stream->isThere(); }
};

/// A thread for each connection. Slow clients hold theirs, so there are many; most connections are idle.
class ConnectionThreads : public httplib::TaskQueue
{
public:
    void enqueue(std::function<void()> connection) override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_waiting.push_back(std::move(connection));
            if (m_waiting.size() > m_idle && m_threads.size() < mostConnections)
                addThread();
        }
        m_changed.notify_one();
    }
    void shutdown() override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ending = true;
        }
        m_changed.notify_all();
        for (std::thread& thread : m_threads)
            thread.join();
    }

private:
    void addThread()
    {
        try {
            m_threads.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            if (m_threads.empty())
                throw;
            // The system gives no more threads: the connection waits for one of these.
        }
    }
    void work()
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            ++m_idle;
            m_changed.wait(lock, [&] { return m_ending || !m_waiting.empty(); });
            --m_idle;
            if (m_waiting.empty())
                return;
            const auto connection = std::move(m_waiting.front());
            m_waiting.pop_front();
            lock.unlock();
            connection();
            lock.lock();
        }
    }

    std::mutex m_mutex; // of all that follows
    std::condition_variable m_changed;
    std::vector<std::thread> m_threads;
    std::deque<std::function<void()>> m_waiting;
    std::size_t m_idle = 0;
    bool m_ending = false;
};

} // namespace

HttpServer::HttpServer(const ClientLimits& limits, CancelToken ending)
    : m_limits(limits)
    , m_ending(std::move(ending))
{
    new_task_queue = [] { return new ConnectionThreads; };
    set_logger([](const httplib::Request& request, const httplib::Response& response) {
        if (response.status >= 400 && request.progress) // The rest of the request may be on its way.
            clientOf(request).endAfterAnswer();
    });
}

void HttpServer::letWait()
{
    ::listen(svr_sock_, backlog);
}

ClientStream& HttpServer::clientOf(const httplib::Request& request)
{
    return *request.progress.target<ClientOf>()->stream;
}

bool HttpServer::process_and_close_socket(socket_t socket)
{
    ClientStream client(socket, m_limits, m_ending);
    try {
        return answerRequests(client);
    } catch (...) { // The library catches what handlers throw, but not what it throws itself.
        return false;
    }
}

bool HttpServer::answerRequests(ClientStream& client)
{
    bool good = true, closed = false;
    for (int left = mostRequests; good && !closed && left > 0 && client.awaitRequest(); --left) {
        bool readable = false; // The first lines are those of a request.
        good = process_request(client, left == 1, closed, [&](httplib::Request& request) {
            request.progress = ClientOf{&client};
            request.ranges.clear(); // Thousands of them would multiply an answer.
            client.awaitBody();
            readable = true;
        });
        good = client.drain() && good && readable;
    }
    return good;
}

} // namespace sparserl::cli
