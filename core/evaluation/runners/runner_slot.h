// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/runners/runner_pool.h"

#include <chrono>
#include <map>

namespace sparserl {

/// A job with its history.
struct RunnerPool::Running
{
    PoolJob job;
    std::uint64_t id = 0; ///< Of the present attempt.
    int failures = 0;     ///< Crashes, and answers that did not come.
    int kills = 0;
};

/// A runner process, at any stage of its life.
struct RunnerPool::Slot
{
    using Clock = std::chrono::steady_clock;
    enum class State
    {
        Down,
        Starting,
        Up
    };
    struct Held
    {
        std::uint64_t bytes = 0, lastUse = 0;
    };

    RunnerRole role = RunnerRole::Compile;
    int gpu = -1;
    State state = State::Down;
    std::optional<Subprocess> process;
    std::optional<Channel> channel;
    std::deque<std::unique_ptr<Running>> jobs; ///< The first is at work.
    Clock::time_point started;
    Clock::time_point deadline; ///< Of the start or of the first job.
    bool sending = false;
    std::int64_t answered = 0;            ///< By the present process.
    std::uint64_t generation = 0;         ///< Counts the processes of this slot.
    std::map<std::string, Held> matrices; ///< What the process holds.
    int sandbox = 0;                      ///< Step of the lock that the present process began with.
    std::string lockedBy;                 ///< Of a GPU: what the log said of it last.

    bool idle() const { return state == State::Up && jobs.empty(); }
    bool waits() const { return state == State::Starting || !jobs.empty(); }
    void setDeadline(double seconds)
    {
        deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
    }
};

} // namespace sparserl
