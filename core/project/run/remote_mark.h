// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// The state of a run on another machine and of its follower: file remote.json in the local run directory.
/// The holder of follower.lock writes it. It is part of a project, which may come from anyone: the run
/// belongs to this machine only if remote/sent_runs.h has a record of it.
struct RemoteMark
{
    std::string host, folder; ///< As in RemoteHost (remote/remote_host.h). The program to execute there never
                              ///< comes from a project (confirmedHost()).
    std::string run;          ///< Its directory there.
    std::string identity;     ///< Contents of run.identity there; empty in older marks.
    bool wantsStart = false;  ///< A worker was requested but is not known to have started.
    bool connected = false;
    bool worker = false;           ///< A worker was alive at the last contact.
    bool ended = false;            ///< No worker, and all data have been transferred.
    double reached = 0;            ///< Last message from the other side in Unix seconds; 0: never.
    double since = 0;              ///< Time since which the machine has been unreachable.
    std::string problem, remedy;   ///< The reason.
    bool answered = false;         ///< The other side itself reported `problem`: waiting does not help.
    std::string notice;            ///< Differences between the two sides, and where the rest is.
    std::int64_t controlBegin = 0; ///< Pauses and stops before this position in control.jsonl are not for
                                   ///< this worker.
    std::int64_t controlSent = 0;  ///< The other side has control.jsonl up to this position.
    bool operator==(const RemoteMark&) const = default;
};

Status writeRemoteMark(const std::filesystem::path& runDirectory, const RemoteMark& mark);
/// nullopt for a run of this machine. A damaged mark, or one from a newer version, yields a mark with a
/// problem and no host.
std::optional<RemoteMark> readRemoteMark(const std::filesystem::path& runDirectory);
/// The mark of a run on another machine, or an Error if it is local or its mark is invalid.
Result<RemoteMark> requireRemoteMark(const std::filesystem::path& runDirectory);

/// Whether the mark is current: a follower is alive and has had contact within half a minute.
bool isReached(const std::filesystem::path& runDirectory, const RemoteMark& mark);
/// "HOST has not been reached since 12:30: CAUSE. REMEDY"
std::string unreachedSentence(const RemoteMark& mark);
/// "HOST says: REASON" for text from a remote worker in journal or log: its paths and advice refer to that
/// machine. Empty if the reason is empty.
std::string saidThere(const RemoteMark& mark, const std::string& reason);

} // namespace sparserl
