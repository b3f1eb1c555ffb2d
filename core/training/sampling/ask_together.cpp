// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/ask_together.h"

#include "base/interruption.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

/// What the threads share.
class Asking
{
public:
    Asking(const Questions& questions, const CancelToken& cancel)
        : m_questions(questions)
        , m_cancel(cancel)
    {
        const std::size_t threads =
            std::min(questions.count, static_cast<std::size_t>(std::max(questions.concurrent, 1)));
        m_threads.reserve(threads);
        const std::lock_guard lock(m_mutex);
        for (; m_working < threads; ++m_working)
            try {
                m_threads.emplace_back([this] { work(); });
            } catch (const std::system_error&) { // The system gives no more threads.
                if (m_threads.empty())
                    throw;
                break;
            }
    }
    ~Asking()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_next = m_questions.count; // the caller's callbacks have thrown
        }
        for (std::thread& thread : m_threads)
            thread.join();
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

    Status hear();

private:
    void work();
    Status asked(std::size_t i) const;

    const Questions& m_questions;
    const CancelToken& m_cancel;
    std::mutex m_mutex; // of what follows
    std::condition_variable m_changed;
    std::vector<std::size_t> m_answered; ///< Not yet told to the caller.
    std::optional<Error> m_failure;
    std::size_t m_next = 0, m_working = 0;
    std::vector<std::thread> m_threads; ///< Last: they use the others.
};

Status Asking::asked(std::size_t i) const
{
    try {
        return m_questions.ask(i);
    } catch (const std::exception& error) {
        return fail(std::string("an answer cannot be read: ") + error.what());
    }
}

void Asking::work()
{
    std::unique_lock lock(m_mutex);
    while (m_next < m_questions.count && !m_failure && !m_cancel.cancelled()) {
        const std::size_t i = m_next++;
        lock.unlock();
        auto ok = asked(i);
        lock.lock();
        if (ok)
            m_answered.push_back(i);
        else if (!m_failure || isInterruption(*m_failure))
            m_failure = std::move(ok.error());
        m_changed.notify_one();
    }
    --m_working;
    m_changed.notify_one();
}

Status Asking::hear()
{
    std::size_t all = 0;
    for (bool ended = false; !ended;) {
        std::vector<std::size_t> answered;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait_for(lock, std::chrono::milliseconds(10),
                               [&] { return !m_answered.empty() || m_working == 0; });
            answered.swap(m_answered);
            ended = m_working == 0;
        }
        all += answered.size();
        for (const std::size_t i : answered)
            if (m_questions.answered)
                m_questions.answered(i);
        if (m_questions.meanwhile)
            m_questions.meanwhile();
    }
    const std::lock_guard lock(m_mutex);
    if (m_failure)
        return fail(*m_failure);
    return all == m_questions.count ? Status() : fail(interruption());
}

} // namespace

Status askTogether(const Questions& questions, const CancelToken& cancel)
{
    return Asking(questions, cancel).hear();
}

} // namespace sparserl
