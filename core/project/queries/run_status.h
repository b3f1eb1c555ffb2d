// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// The current state of a run, as its lock, its heartbeat and its journal show it.
enum class RunStatus
{
    Queued,  ///< No worker has been started yet.
    Running, ///< A worker holds the lock and its heartbeat is at most 30 s old, or it has just been started.
    Silent,  ///< A worker holds the lock, but its heartbeat is older than 30 s.
    Paused,  ///< A worker waits for a resume command.
    Stopped, ///< Ended on request or by a signal; can be resumed.
    Unreached, ///< Runs on another machine that cannot be reached at the moment (RunSummary::remote).
    Done,
    Failed ///< Ended with an error, crashed or was killed; can be resumed.
};

/// A status with its word and its meaning. The word is the same in the window, in filters, in a terminal and
/// in the documents. The meaning is a text that can follow a colon.
struct RunStatusWord
{
    RunStatus status;
    std::string_view word, meaning;
};
/// Returns all statuses, in the order of RunStatus.
std::span<const RunStatusWord> runStatuses();

std::string_view nameOf(RunStatus status); ///< Returns "queued", "running", "stopped", ...; null-terminated.
/// Returns all words for messages: "queued, running, ... or failed".
std::string runStatusWords();

} // namespace sparserl
