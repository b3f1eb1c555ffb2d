// SPDX-License-Identifier: Apache-2.0
#include "evaluation/runners/job_trials.h"

#include <csignal>
#include <utility>

namespace sparserl {

namespace {

constexpr int maxAttempts = 2; ///< The second in a fresh process.

/// The limit on CPU time is many times what honest programs need, whatever else the machine does: a process
/// that ran past it did so by itself.
bool outOfCpuTime(const JobOutcome& outcome)
{
    return outcome.kind == JobOutcome::Kind::Crashed && outcome.signal == SIGXCPU;
}

} // namespace

Control::Control(std::function<void(Finished)> run)
    : m_run(std::move(run))
{
}

void Control::ask(Finished then)
{
    m_state->waiting.push_back(std::move(then));
    if (!m_state->running)
        start();
}

void Control::start()
{
    m_state->running = true;
    const auto round = ++m_state->round;
    m_run([this, state = m_state, round, asked = std::exchange(m_state->waiting, {})](const Status& status) {
        if (state->round != round)
            return;
        state->running = false;
        for (const auto& then : asked)
            then(status);
        if (!state->running && !state->waiting.empty())
            start();
    });
}

void Control::abandon()
{
    ++m_state->round;
    m_state->running = false;
    m_state->waiting.clear();
}

JobTrials::JobTrials(RunnerPool& pool, std::function<void(Error)> breakDown,
                     std::function<void(const std::string&)> log)
    : m_pool(pool)
    , m_breakDown(std::move(breakDown))
    , m_log(std::move(log))
{
}

void JobTrials::submit(TrialJob job)
{
    auto trial = std::make_shared<Trial>();
    trial->job = std::move(job);
    attempt(trial);
}

void JobTrials::attempt(const std::shared_ptr<Trial>& trial)
{
    PoolJob job = trial->job.job;
    if (++trial->attempts > 1)
        job.fresh = job.urgent = true;
    job.done = [this, trial](JobOutcome outcome) { answered(trial, std::move(outcome)); };
    m_pool.submit(std::move(job));
}

void JobTrials::answered(const std::shared_ptr<Trial>& trial, JobOutcome outcome)
{
    if (outcome.kind == JobOutcome::Kind::Answered) {
        const auto taken = trial->job.take(outcome.answer);
        if (taken)
            return;
        outcome = {JobOutcome::Kind::Failed, {}, 0, taken.error().sentence()};
    }
    if (outcome.unsent) {
        m_breakDown(Error{"could not " + trial->job.task + " (" + outcome.reason + ")", {}, 0, "report it"});
        return;
    }
    if (outOfCpuTime(outcome)) {
        ++m_blamed;
        trial->job.blame(outcome);
        return;
    }
    // Of crashes and hangs the pool has tried the second in a fresh process itself.
    if (outcome.kind == JobOutcome::Kind::Failed && trial->attempts < maxAttempts) {
        if (m_log)
            m_log("could not " + trial->job.task + " (" + outcome.reason +
                  "): it is tried again in a fresh process");
        attempt(trial);
        return;
    }
    trial->job.control->ask([this, trial, outcome = std::move(outcome)](const Status& status) {
        if (status) {
            ++m_blamed;
            trial->job.blame(outcome);
            return;
        }
        m_breakDown(Error{"could not " + trial->job.task + " (" + outcome.reason + "), nor one of our own (" +
                              status.error().sentence() + ")",
                          {},
                          0,
                          "run `sparserl doctor`"});
    });
}

} // namespace sparserl
