// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/background.h"
#include "base/flow.h"
#include "evaluation/runners/machinery.h"
#include "evaluation/runners/runner_pool.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace sparserl {

/// A job of our own that succeeds if a role works. It distinguishes a program that breaks its runner from a
/// runner that is broken. It runs on demand, once for all callers that ask before it starts.
class Control
{
public:
    /// `run` must do the job in a fresh process.
    explicit Control(std::function<Flow<Status>()> run);

    /// Returns the outcome of a run that begins after this call.
    Flow<Status> ask();
    /// Cancels the current run. No flow may be waiting for it.
    void abandon();

private:
    Flow<> serve();

    std::function<Flow<Status>()> m_run;
    /// The outcome for callers that asked after the current run started.
    std::shared_ptr<Awaited<Status>> m_next;
    Flow<> m_work;
};

/// A job that contains a candidate's program.
struct TrialJob
{
    PoolJob job; ///< `done` is not used.
    std::shared_ptr<Control> control;
    std::string task; ///< What the job does, for messages: "compile a program".
    /// Reads the answer on other threads, because comparing large results takes time. nullptr: reads it on
    /// the thread where it arrives.
    Background* readOn = nullptr;
};

/// The outcome of a TrialJob.
template <typename T>
struct Tried
{
    std::optional<T> answer;
    /// The outcome of the last attempt if there is no answer: Crashed, Hung or Failed. The candidate is then
    /// to blame, because no process, not even a fresh one, could serve the job, although the control
    /// succeeded.
    JobOutcome blamed;
};

/// Runs jobs of candidates in a pool. Each job ends, whatever the candidate does to its runner. A job that
/// fails in any way (crash, timeout, refusal, invalid answer) is retried in a fresh process. If the retry
/// fails, too, the control runs. If the control succeeds, the candidate is to blame. If the control fails,
/// our machinery has broken down. Other jobs continue meanwhile.
class JobTrials
{
public:
    /// Both must outlive this object.
    JobTrials(RunnerPool& pool, Machinery& machinery);

    /// Runs a job. The flow does not resume after a failure of our machinery. `read` converts an answer
    /// (JSON) to a Result and fails if the answer does not fit the job.
    template <typename Read>
    auto run(TrialJob job, Read read)
        -> Flow<Tried<typename std::invoke_result_t<Read&, const nlohmann::json&>::value_type>>
    {
        for (int attempt = 1;; ++attempt) {
            JobOutcome outcome = co_await m_pool.run(jobOf(job, attempt));
            if (outcome.kind == JobOutcome::Kind::Answered) {
                std::optional<std::invoke_result_t<Read&, const nlohmann::json&>> answer;
                if (job.readOn) {
                    auto reading = [&read, &outcome] { return read(outcome.answer); };
                    answer.emplace(co_await job.readOn->run(std::move(reading)));
                } else {
                    answer.emplace(read(outcome.answer));
                }
                if (*answer)
                    co_return {std::move(**answer), {}};
                outcome = {JobOutcome::Kind::Failed, {}, 0, answer->error().sentence()};
            }
            const bool blamed = co_await isToBlame(job, outcome, attempt);
            if (blamed)
                co_return {std::nullopt, std::move(outcome)};
        }
    }
    /// Returns how many jobs failed through their candidate's fault.
    std::int64_t blamed() const { return m_blamed; }

private:
    static PoolJob jobOf(const TrialJob& trial, int attempt);
    /// Returns whether the candidate is to blame. If not, the job must be retried.
    Flow<bool> isToBlame(const TrialJob& trial, const JobOutcome& outcome, int attempt);

    RunnerPool& m_pool;
    Machinery& m_machinery;
    std::int64_t m_blamed = 0;
};

} // namespace sparserl
