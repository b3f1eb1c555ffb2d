// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

// The names of the files in a run's folder (docs/projects-and-runs.md).

/// The configuration: every parameter with its value.
inline constexpr const char* runFile = "run.toml";
/// The journal, one event per line.
inline constexpr const char* journalFile = "journal.jsonl";
/// For a run received from another machine: identifies the machine and the run.
inline constexpr const char* identityFile = "run.identity";
/// The same identity, written before the first byte is received. It reserves the folder for this run.
inline constexpr const char* claimFile = "run.claim";
/// Commands to the run.
inline constexpr const char* controlFile = "control.jsonl";
/// Current activity of the worker.
inline constexpr const char* heartbeatFile = "heartbeat.json";
/// Output of worker and follower.
inline constexpr const char* workerLogFile = "worker.log";
inline constexpr const char* followerLogFile = "follower.log";

/// In the state of the checkpoint given to a fork: the other run's parameter values at that point.
inline constexpr const char* parametersOfParent = "parameters_of_parent";

// Locks (FileLock) held during the lifetime of a process.

/// Held by the worker of the run.
inline constexpr const char* workerLock = "worker.lock";
/// Held by the follower of a run on another machine.
inline constexpr const char* followerLock = "follower.lock";

} // namespace sparserl
