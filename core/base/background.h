// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparserl {

/// Threads that run calls on behalf of flows (base/flow.h). `co_await background.run(call)` suspends the flow
/// while another thread runs the call, and yields the result. The flow resumes in deliver(), so flows
/// themselves stay on one thread. Call all functions on that thread.
///
/// A call may refer to objects of its flow if stop() or drain() precedes the destruction of the flow.
class Background
{
    struct Task
    {
        std::function<void()> call;
        std::exception_ptr thrown;
        std::coroutine_handle<> waiting; ///< Null if the flow was destroyed.
    };

public:
    /// Starts `threads` threads, at least one.
    explicit Background(int threads);
    ~Background(); ///< Calls stop().
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    template <typename T>
    class [[nodiscard]] Awaiting
    {
    public:
        template <typename Call>
        Awaiting(Background& background, Call call)
            : m_background(background)
            , m_result(std::make_shared<std::optional<T>>())
            , m_task(std::make_shared<Task>())
        {
            // std::function copies its call, and a call may own objects that cannot be copied.
            auto shared = std::make_shared<Call>(std::move(call));
            m_task->call = [shared, result = m_result] { result->emplace((*shared)()); };
        }
        Awaiting(const Awaiting&) = delete;
        Awaiting& operator=(const Awaiting&) = delete;
        ~Awaiting() { m_task->waiting = {}; }
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiting)
        {
            m_task->waiting = waiting;
            m_background.submit(m_task);
        }
        /// Returns the result of the call, or throws the exception that the call threw.
        T await_resume()
        {
            if (m_task->thrown)
                std::rethrow_exception(m_task->thrown);
            return std::move(**m_result);
        }

    private:
        Background& m_background;
        std::shared_ptr<std::optional<T>> m_result;
        std::shared_ptr<Task> m_task;
    };

    /// Runs a call on another thread. Calls begin in the order in which run() received them. (Pass a named
    /// call with std::move: GCC 12 may destroy temporaries of a co_await twice.)
    template <typename Call>
    Awaiting<std::invoke_result_t<Call&>> run(Call call)
    {
        return {*this, std::move(call)};
    }

    /// A file descriptor that is readable while flows wait for deliver() to resume them.
    int fd() const { return m_event; }
    /// Resumes the flows whose calls have ended.
    void deliver();
    /// Drops all calls that have not begun, and waits for the others. Their flows are not resumed.
    void drain();
    /// Calls drain() and ends the threads. Do not call run() afterwards.
    void stop();

private:
    void submit(std::shared_ptr<Task> task);
    void work();

    int m_event = -1;   ///< An eventfd; -1 if the system has none left. Then call deliver() regularly.
    std::mutex m_mutex; ///< Guards the members below.
    std::condition_variable m_changed;
    std::deque<std::shared_ptr<Task>> m_queue, m_ended;
    std::size_t m_running = 0;
    bool m_stopped = false;
    std::vector<std::thread> m_threads; ///< The last member, because the threads use the others.
};

} // namespace sparserl
