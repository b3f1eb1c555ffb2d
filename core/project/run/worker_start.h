// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

// A started worker needs a moment, seconds on a busy machine, to take the lock that shows its liveness. Until
// then, `worker.started` in the run's folder marks it.

/// Marks `process` as the started worker of a run, unless it already holds the lock.
Status markWorkerStart(const std::filesystem::path& run, std::int64_t process);
/// For the lock's holder: removes the mark, so only the lock counts. A process that has released the lock is
/// no longer a worker, even before it ends.
void clearWorkerStart(const std::filesystem::path& run);
/// The live process started as the worker of a run within the last two minutes; 0: none, or this process
/// itself.
std::int64_t startedWorker(const std::filesystem::path& run);
/// Whether the last started worker ended without ever holding the lock: the run's journal is then older.
bool diedAtStart(const std::filesystem::path& run);
/// Whether a worker holds the lock of the run, or was just started.
bool hasWorker(const std::filesystem::path& run);

} // namespace sparserl
