// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/judging.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace sparserl {

/// Judges programs while its owner does something else. Nobody else may use the judge behind it between
/// begin() and the end of wait() or take(). One thread for its whole life, as runners end with the thread
/// that has started them; the destructor waits for it.
class JudgeAhead
{
public:
    using Records = Result<std::vector<VerdictRecord>>;
    using Judging =
        std::function<Records(const std::vector<CachedJudge::Request>& requests, const CancelToken& cancel,
                              const std::function<void(std::size_t done)>& done)>;
    /// Called every now and then while somebody waits: how many requests are done.
    using Pulse = std::function<void(std::size_t done)>;

    explicit JudgeAhead(Judging judging);
    ~JudgeAhead();
    JudgeAhead(const JudgeAhead&) = delete;
    JudgeAhead& operator=(const JudgeAhead&) = delete;

    /// Begins to judge. What was begun before must have been taken, or is dropped once it is done.
    void begin(std::vector<CachedJudge::Request> requests, CancelToken cancel);
    /// Until the judge is free.
    void wait(const Pulse& pulse = {});
    /// Waits for the records of what was begun last, in the order of its requests. An interruption() where it
    /// was cancelled, or nothing was begun.
    Records take(const Pulse& pulse = {});
    /// How long the judge took for what was begun last; once it is done.
    double seconds() const { return m_seconds; }

private:
    void work(const std::stop_token& stop);

    Judging m_judging;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::optional<std::vector<CachedJudge::Request>> m_asked; ///< Until its verdicts are there.
    CancelToken m_cancel;
    std::optional<Records> m_records;
    std::atomic<std::size_t> m_done = 0;
    std::atomic<double> m_seconds = 0;
    std::jthread m_thread; ///< Last: it uses all others.
};

} // namespace sparserl
