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

Control::Control(std::function<Flow<Status>()> run)
    : m_run(std::move(run))
{
}

Flow<Status> Control::ask()
{
    if (!m_next)
        m_next = std::make_shared<Awaited<Status>>();
    const auto mine = m_next;
    if (!m_work.exists() || m_work.ended()) {
        m_work = serve();
        m_work.start();
    }
    Status status = co_await *mine;
    co_return status;
}

Flow<> Control::serve()
{
    while (m_next) {
        const auto asked = std::exchange(m_next, nullptr);
        Status status = co_await m_run();
        asked->set(std::move(status));
    }
}

void Control::abandon()
{
    m_work = {};
    m_next = nullptr;
}

JobTrials::JobTrials(RunnerPool& pool, Machinery& machinery)
    : m_pool(pool)
    , m_machinery(machinery)
{
}

PoolJob JobTrials::jobOf(const TrialJob& trial, int attempt)
{
    PoolJob job = trial.job;
    if (attempt > 1)
        job.fresh = job.urgent = true;
    return job;
}

Flow<bool> JobTrials::isToBlame(const TrialJob& trial, const JobOutcome& outcome, int attempt)
{
    Error error{"could not " + trial.task + " (" + outcome.reason + ")", {}, 0, "report it"};
    if (outcome.unsent)
        co_await m_machinery.broken(error);
    // Of crashes and hangs the pool has tried the second in a fresh process itself.
    if (outcome.kind == JobOutcome::Kind::Failed && attempt < maxAttempts) {
        m_machinery.log(error.what + ": it is tried again in a fresh process");
        co_return false;
    }
    if (!outOfCpuTime(outcome)) {
        const Status status = co_await trial.control->ask();
        if (!status) {
            error.what += ", nor one of our own (" + status.error().sentence() + ")";
            error.remedy = "run `sparserl doctor`";
            co_await m_machinery.broken(error);
        }
    }
    ++m_blamed;
    co_return true;
}

} // namespace sparserl
