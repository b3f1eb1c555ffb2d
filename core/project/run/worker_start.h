// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

// A worker that was started needs a moment, of seconds on a busy machine, until it holds the lock that says
// that it lives. Until then `worker.started` in the run's folder says so.

/// Says that `process` was started as the worker of a run, unless that holds the lock already.
Status markWorkerStart(const std::filesystem::path& run, std::int64_t process);
/// For who holds the lock: from now on that alone counts. A worker that has given it back is none, though its
/// process takes a moment to end.
void clearWorkerStart(const std::filesystem::path& run);
/// The process that was started as the worker of a run within the last two minutes and has not ended; 0:
/// none, or this process itself.
std::int64_t startedWorker(const std::filesystem::path& run);
/// The worker that was started last has ended without ever having held the lock: whatever the run's journal
/// says is older.
bool diedAtStart(const std::filesystem::path& run);
/// A worker holds the lock of the run, or was started and will.
bool hasWorker(const std::filesystem::path& run);

} // namespace sparserl
