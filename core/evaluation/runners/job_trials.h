// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/flow.h"
#include "evaluation/runners/machinery.h"
#include "evaluation/runners/runner_pool.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace sparserl {

/// Work of our own that succeeds wherever a role works: it tells a program that breaks its runner from a
/// runner that is broken. Run on demand, once for everybody who asks before it begins.
class Control
{
public:
    /// `run` does the work in a process that has served nothing before.
    explicit Control(std::function<Flow<Status>()> run);

    /// The outcome of a run that began after this call.
    Flow<Status> ask();
    /// Gives up the run at work. Nobody may be waiting for it.
    void abandon();

private:
    Flow<> serve();

    std::function<Flow<Status>()> m_run;
    std::shared_ptr<Awaited<Status>> m_next; ///< Of those who asked since the run at work began.
    Flow<> m_work;
};

/// A job that a candidate has a hand in.
struct TrialJob
{
    PoolJob job; ///< `done` is not used.
    std::shared_ptr<Control> control;
    std::string task; ///< What was to be done, for sentences: "compile a program".
};

/// What became of such a job.
template <typename T>
struct Tried
{
    std::optional<T> answer;
    /// Without an answer the candidate is to blame: nobody could serve this job, also not a fresh process,
    /// though the control was served. The last attempt's: Crashed, Hung or Failed.
    JobOutcome blamed;
};

/// Serves jobs of candidates through a pool so that each ends, whatever the candidate does to its runner. A
/// job that fails in any way (crash, no answer in time, refusal, an answer that makes no sense) is tried
/// again in a fresh process; if that fails too, the control decides: where it succeeds the candidate is to
/// blame, and only where it fails as well has our machinery broken down. Others go on meanwhile.
class JobTrials
{
public:
    /// Both outlive this.
    JobTrials(RunnerPool& pool, Machinery& machinery);

    /// Does not come back after a failure of our machinery. `read` makes a Result of an answer (JSON) and
    /// fails where it is none to this job.
    template <typename Read>
    auto run(TrialJob job, Read read)
        -> Flow<Tried<typename std::invoke_result_t<Read&, const nlohmann::json&>::value_type>>
    {
        for (int attempt = 1;; ++attempt) {
            JobOutcome outcome = co_await m_pool.run(jobOf(job, attempt));
            if (outcome.kind == JobOutcome::Kind::Answered) {
                auto answer = read(outcome.answer);
                if (answer)
                    co_return {std::move(*answer), {}};
                outcome = {JobOutcome::Kind::Failed, {}, 0, answer.error().sentence()};
            }
            const bool blamed = co_await isToBlame(job, outcome, attempt);
            if (blamed)
                co_return {std::nullopt, std::move(outcome)};
        }
    }
    std::int64_t blamed() const { return m_blamed; } ///< Jobs that ended as their candidate's fault.

private:
    static PoolJob jobOf(const TrialJob& trial, int attempt);
    /// False: it is to be tried again.
    Flow<bool> isToBlame(const TrialJob& trial, const JobOutcome& outcome, int attempt);

    RunnerPool& m_pool;
    Machinery& m_machinery;
    std::int64_t m_blamed = 0;
};

} // namespace sparserl
