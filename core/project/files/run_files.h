// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

// The files of a run's folder (docs/projects-and-runs.md), by name.

/// What was asked: every parameter with its value.
inline constexpr const char* runFile = "run.toml";
/// What happened, a line each.
inline constexpr const char* journalFile = "journal.jsonl";
/// Of a run that was sent here by another machine: which run of which machine it is.
inline constexpr const char* identityFile = "run.identity";
/// The same from the first byte on that was sent: the folder is for no other run.
inline constexpr const char* claimFile = "run.claim";
/// What whoever steers the run has asked of it.
inline constexpr const char* controlFile = "control.jsonl";
/// What the worker does just now.
inline constexpr const char* heartbeatFile = "heartbeat.json";
/// What worker and follower printed.
inline constexpr const char* workerLogFile = "worker.log";
inline constexpr const char* followerLogFile = "follower.log";

/// In the state of the checkpoint that a fork was given: the values that the other run had there.
inline constexpr const char* parametersOfParent = "parameters_of_parent";

// Held (FileLock) for as long as somebody lives.

/// By the worker of the run.
inline constexpr const char* workerLock = "worker.lock";
/// By what follows a run that works on another machine.
inline constexpr const char* followerLock = "follower.lock";

} // namespace sparserl
