// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// What a run is now, from lock, heartbeat and journal.
enum class RunStatus
{
    Queued,    ///< No worker yet.
    Running,   ///< A worker holds the lock and its heartbeat is fresh, or it was started just now.
    Silent,    ///< A worker holds the lock but its heartbeat is older than 30 s.
    Paused,    ///< A worker waits to be resumed.
    Stopped,   ///< Ended on request or by a signal, and can be resumed.
    Unreached, ///< Works on another machine that nobody here hears of now (RunSummary::remote).
    Done,
    Failed ///< Ended with an error, or without a word: it crashed or was killed. Can be resumed.
};

/// A status with its word, which is the same in the window, in filters, in a terminal and in the documents,
/// and what it means, in words that follow a colon.
struct RunStatusWord
{
    RunStatus status;
    std::string_view word, meaning;
};
/// All of them, in the order of RunStatus.
std::span<const RunStatusWord> runStatuses();

std::string_view nameOf(RunStatus status); ///< "queued", "running", "stopped", ... Ends with a 0.
/// All words, for sentences: "queued, running, ... or failed".
std::string runStatusWords();

} // namespace sparserl
