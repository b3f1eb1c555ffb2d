// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/runners/runner_pool.h"

#include <chrono>
#include <map>

namespace sparserl {

/// A job with its failed attempts.
struct RunnerPool::Running
{
    PoolJob job;
    std::uint64_t id = 0; ///< Id of the current attempt.
    int failures = 0;     ///< Crashes and timeouts.
    int kills = 0;
};

/// A runner process with its jobs. `state` says whether it is down, starting or up.
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
    std::deque<std::unique_ptr<Running>> jobs; ///< The first one is being served.
    Clock::time_point started;
    Clock::time_point
        deadline; ///< Deadline for the start of the process or for the job that is being served.
    bool sending = false;
    std::int64_t answered = 0;            ///< Number of answers of the current process.
    std::uint64_t generation = 0;         ///< Counts the processes of this slot.
    std::map<std::string, Held> matrices; ///< Matrices held by the process.
    int sandbox = 0;                      ///< Sandbox step with which the current process was started.
    std::string lockedBy;                 ///< For a GPU: the latest log entry about its sandbox.

    bool idle() const { return state == State::Up && jobs.empty(); }
    bool waits() const { return state == State::Starting || !jobs.empty(); }
    void setDeadline(double seconds)
    {
        deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
    }
};

} // namespace sparserl
