// SPDX-License-Identifier: Apache-2.0
#include "base/background.h"

#include <algorithm>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace sparserl {

Background::Background(int threads)
    : m_event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    try {
        for (int i = 0; i < std::max(1, threads); ++i)
            m_threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) { // The system has no more; some are enough.
        if (m_threads.empty()) {
            if (m_event >= 0)
                ::close(m_event);
            throw;
        }
    }
}

Background::~Background()
{
    stop();
    if (m_event >= 0)
        ::close(m_event);
}

void Background::submit(std::shared_ptr<Task> task)
{
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back(std::move(task));
    }
    m_changed.notify_one();
}

void Background::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_stopped || !m_queue.empty(); });
        if (m_stopped)
            return;
        const auto task = std::move(m_queue.front());
        m_queue.pop_front();
        ++m_running;
        lock.unlock();
        try {
            task->call();
        } catch (...) {
            task->thrown = std::current_exception();
        }
        task->call = {}; // What it owns goes here, not while everybody waits.
        lock.lock();
        --m_running;
        m_ended.push_back(task);
        if (m_event >= 0) {
            const std::uint64_t one = 1;
            [[maybe_unused]] const auto written = ::write(m_event, &one, sizeof one);
        }
        m_changed.notify_all(); // drain() waits for it.
    }
}

void Background::deliver()
{
    std::deque<std::shared_ptr<Task>> ended;
    {
        const std::lock_guard lock(m_mutex);
        if (m_event >= 0) {
            std::uint64_t count = 0;
            [[maybe_unused]] const auto got = ::read(m_event, &count, sizeof count);
        }
        ended.swap(m_ended);
    }
    // One flow may destroy others: each is asked for when its turn comes.
    for (const auto& task : ended)
        if (const auto waiting = std::exchange(task->waiting, {}))
            waiting.resume();
}

void Background::drain()
{
    std::unique_lock lock(m_mutex);
    m_queue.clear();
    m_changed.wait(lock, [this] { return m_running == 0; });
    m_ended.clear();
}

void Background::stop()
{
    drain();
    {
        const std::lock_guard lock(m_mutex);
        m_stopped = true;
    }
    m_changed.notify_all();
    for (std::thread& thread : m_threads)
        if (thread.joinable())
            thread.join();
}

} // namespace sparserl
