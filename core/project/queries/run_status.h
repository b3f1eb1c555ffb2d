// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// The current state of a run, from lock, heartbeat and journal.
enum class RunStatus
{
    Queued,    ///< No worker yet.
    Running,   ///< A worker holds the lock and its heartbeat is fresh, or it was just started.
    Silent,    ///< A worker holds the lock but its heartbeat is older than 30 s.
    Paused,    ///< A worker waits for a resume command.
    Stopped,   ///< Ended on request or by a signal; resumable.
    Unreached, ///< On another machine that is currently unreachable (RunSummary::remote).
    Done,
    Failed ///< Ended with an error, crashed or was killed; resumable.
};

/// A status with its word (the same in the window, in filters, in a terminal and in the documents) and its
/// meaning, as text to follow a colon.
struct RunStatusWord
{
    RunStatus status;
    std::string_view word, meaning;
};
/// All statuses, in the order of RunStatus.
std::span<const RunStatusWord> runStatuses();

std::string_view nameOf(RunStatus status); ///< "queued", "running", "stopped", ... Null-terminated.
/// All words, for messages: "queued, running, ... or failed".
std::string runStatusWords();

} // namespace sparserl
