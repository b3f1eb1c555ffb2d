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

/// Judges programs while its owner does other work. From begin() until wait() or take() returns, nothing else
/// may use the underlying judge. One thread does all the judging, because runners end with the thread that
/// started them; the destructor waits for this thread.
class JudgeAhead
{
public:
    using Records = Result<std::vector<VerdictRecord>>;
    using Judging =
        std::function<Records(const std::vector<CachedJudge::Request>& requests, const CancelToken& cancel,
                              const std::function<void(std::size_t done)>& done)>;
    /// Called repeatedly during a wait, with the number of requests that are done.
    using Pulse = std::function<void(std::size_t done)>;

    explicit JudgeAhead(Judging judging);
    ~JudgeAhead();
    JudgeAhead(const JudgeAhead&) = delete;
    JudgeAhead& operator=(const JudgeAhead&) = delete;

    /// Starts to judge a batch. Drops the results of an earlier batch that were not taken.
    void begin(std::vector<CachedJudge::Request> requests, CancelToken cancel);
    /// Waits until the judge is free.
    void wait(const Pulse& pulse = {});
    /// Waits for the records of the latest batch and returns them in the order of the requests. Returns an
    /// interruption() if the batch was cancelled or none was started.
    Records take(const Pulse& pulse = {});
    /// Returns the duration of the latest batch; valid once the batch is done.
    double seconds() const { return m_seconds; }

private:
    void work(const std::stop_token& stop);

    Judging m_judging;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::optional<std::vector<CachedJudge::Request>> m_asked; ///< The batch being judged, if any.
    CancelToken m_cancel;
    std::optional<Records> m_records;
    std::atomic<std::size_t> m_done = 0;
    std::atomic<double> m_seconds = 0;
    std::jthread m_thread; ///< Last member, because the thread uses all others.
};

} // namespace sparserl
