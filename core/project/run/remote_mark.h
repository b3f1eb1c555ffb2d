// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// The mark of a run on another machine: the state of the run and of its follower, which is the local process
/// that fetches the run's data. The mark is stored in remote.json in the local run directory. The holder of
/// follower.lock writes it. Like the rest of a project, the mark may come from anyone, so this machine acts
/// on the mark only if the machine has a record of sending the run (remote/sent_runs.h).
struct RemoteMark
{
    std::string host, folder; ///< RemoteHost::name and RemoteHost::folder. The program to execute on the host
                              ///< never comes from a project (confirmedHost()).
    std::string run;          ///< Directory of the run on the host.
    std::string identity;     ///< Contents of run.identity on the host; empty in older marks.
    bool wantsStart = false;  ///< A worker was requested, but may not have been started yet.
    bool connected = false;
    bool worker = false;         ///< A worker was alive at the last contact.
    bool ended = false;          ///< There is no worker any more, and all data have been transferred.
    double reached = 0;          ///< Time of the last message from the host, in Unix seconds; 0: never.
    double since = 0;            ///< Time since which the host has been unreachable, in Unix seconds.
    std::string problem, remedy; ///< Why the host is unreachable, and what to do.
    bool answered = false;       ///< The host itself has reported `problem`, so waiting does not help.
    std::string notice;          ///< Differences between the two machines, and where the other data are.
    /// Pauses and stops before this position in control.jsonl are not meant for the present worker.
    std::int64_t controlBegin = 0;
    std::int64_t controlSent = 0; ///< The host has control.jsonl up to this position.
    bool operator==(const RemoteMark&) const = default;
};

Status writeRemoteMark(const std::filesystem::path& runDirectory, const RemoteMark& mark);
/// Reads the mark of a run. Returns nullopt for a run on this machine. If the mark is damaged or from a newer
/// version, returns a mark with a problem and without a host.
std::optional<RemoteMark> readRemoteMark(const std::filesystem::path& runDirectory);
/// Reads the mark of a run on another machine. Fails if the run is on this machine or its mark is invalid.
Result<RemoteMark> requireRemoteMark(const std::filesystem::path& runDirectory);

/// Returns whether a mark is up to date: a follower is alive and has heard from the host within the last half
/// minute.
bool isReached(const std::filesystem::path& runDirectory, const RemoteMark& mark);
/// Returns "HOST has not been reached since 12:30: CAUSE. REMEDY".
std::string unreachedSentence(const RemoteMark& mark);
/// Returns "HOST says: REASON" for a reason that a remote worker has written to the journal or the log. The
/// name of the host shows to which machine the paths and the advice in the reason refer. Returns an empty
/// string if the reason is empty.
std::string saidThere(const RemoteMark& mark, const std::string& reason);

} // namespace sparserl
