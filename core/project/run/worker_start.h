// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

// A worker that was started needs a moment, or seconds on a busy machine, until it holds the lock that shows
// that it is alive. Until then, the file worker.started in the run's folder is its mark.

/// Marks `process` as the worker that was started for a run, unless it already holds the lock.
Status markWorkerStart(const std::filesystem::path& run, std::int64_t process);
/// Removes the mark, so that only the lock counts; the holder of the lock calls it. A process that has
/// released the lock is then no longer a worker, even if it has not ended yet.
void clearWorkerStart(const std::filesystem::path& run);
/// Returns the id of a living process that was started as the worker of a run within the last two minutes.
/// Returns 0 if there is none, or if it is this process.
std::int64_t startedWorker(const std::filesystem::path& run);
/// Returns whether the worker that was started last has ended without ever holding the lock. Everything in
/// the journal is then from an earlier time.
bool diedAtStart(const std::filesystem::path& run);
/// Returns whether a worker holds the lock of a run or has just been started.
bool hasWorker(const std::filesystem::path& run);

} // namespace sparserl
