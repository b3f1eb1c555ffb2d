// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

// The names of the files in a run's folder (docs/projects-and-runs.md).

/// The configuration: every parameter with its value.
inline constexpr const char* runFile = "run.toml";
/// The journal, one event per line.
inline constexpr const char* journalFile = "journal.jsonl";
/// In a run that another machine has sent: the random number that identifies the run.
inline constexpr const char* identityFile = "run.identity";
/// The same number, written before anything is received. It reserves the folder for the run.
inline constexpr const char* claimFile = "run.claim";
/// Commands to the run.
inline constexpr const char* controlFile = "control.jsonl";
/// The current activity of the worker.
inline constexpr const char* heartbeatFile = "heartbeat.json";
/// The output of the worker and of the follower.
inline constexpr const char* workerLogFile = "worker.log";
inline constexpr const char* followerLogFile = "follower.log";

/// A key in the state of the checkpoint that a fork starts from. Its value holds the parameters that the
/// other run had at that checkpoint.
inline constexpr const char* parametersOfParent = "parameters_of_parent";

// Locks (FileLock) that a process holds until it ends.

/// Held by the worker of the run.
inline constexpr const char* workerLock = "worker.lock";
/// Held by the follower of a run on another machine.
inline constexpr const char* followerLock = "follower.lock";

} // namespace sparserl
