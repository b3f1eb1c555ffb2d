// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

// Files in a run's folder that are held (FileLock) for as long as somebody lives.

/// By the worker of the run.
inline constexpr const char* workerLock = "worker.lock";
/// By what follows a run that works on another machine.
inline constexpr const char* followerLock = "follower.lock";

} // namespace sparserl
