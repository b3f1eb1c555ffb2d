// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/runners/runner_pool.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Work of our own that succeeds wherever a role works: it tells a program that breaks its runner from a
/// runner that is broken. Run on demand, once for everybody who asks before it begins.
class Control
{
public:
    using Finished = std::function<void(Status)>;
    /// `run` does the work in a process that has served nothing before and calls `finished` once.
    explicit Control(std::function<void(Finished finished)> run);

    /// Calls `then` with the outcome of a run that began after this call.
    void ask(Finished then);
    /// Forgets everybody who asked; a run at work is not listened to any more.
    void abandon();

private:
    void start();

    struct State
    {
        std::uint64_t round = 0; ///< Counts runs: an abandoned one is of the past.
        bool running = false;
        std::vector<Finished> waiting;
    };
    std::function<void(Finished)> m_run;
    std::shared_ptr<State> m_state = std::make_shared<State>();
};

/// A job that a candidate has a hand in.
struct TrialJob
{
    PoolJob job; ///< `done` is not used.
    std::shared_ptr<Control> control;
    std::string task; ///< What was to be done, for sentences: "compile a program".
    /// Reads and uses an answer. Fails, without having used anything, where it is none to this job.
    std::function<Status(const nlohmann::json& answer)> take;
    /// The candidate is to blame: nobody could serve this job, also not a fresh process, though the control
    /// was served. `outcome` is the last attempt's: Crashed, Hung or Failed.
    std::function<void(const JobOutcome& outcome)> blame;
};

/// Serves jobs of candidates through a pool so that each ends, whatever the candidate does to its runner. A
/// job that fails in any way (crash, no answer in time, refusal, an answer that makes no sense) is tried
/// again in a fresh process; if that fails too, the control decides: where it succeeds the candidate is to
/// blame, and only where it fails as well has our machinery broken down. Others go on meanwhile.
class JobTrials
{
public:
    /// `breakDown` is told when our machinery fails; neither `take` nor `blame` is called then. The pool
    /// outlives this.
    JobTrials(RunnerPool& pool, std::function<void(Error)> breakDown,
              std::function<void(const std::string&)> log = {});

    void submit(TrialJob job);
    std::int64_t blamed() const { return m_blamed; } ///< Jobs that ended as their candidate's fault.

private:
    struct Trial
    {
        TrialJob job;
        int attempts = 0;
    };
    void attempt(const std::shared_ptr<Trial>& trial);
    void answered(const std::shared_ptr<Trial>& trial, JobOutcome outcome);

    RunnerPool& m_pool;
    std::function<void(Error)> m_breakDown;
    std::function<void(const std::string&)> m_log;
    std::int64_t m_blamed = 0;
};

} // namespace sparserl
