// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// That a run works on another machine, and how far its follower has come: file remote.json of the run
/// directory here. The holder of follower.lock writes it. It lies in a project, which may come from anybody:
/// a run that it names is this machine's only where remote/sent_runs.h has it on record.
struct RemoteMark
{
    std::string host, folder; ///< As RemoteHost (remote/remote_host.h) has them; which program runs there is
                              ///< no affair of a project (confirmedHost()).
    std::string run;          ///< Its directory there.
    std::string identity;     ///< What that directory says in run.identity; empty in older marks.
    bool wantsStart = false;  ///< A worker was asked for and is not known to have been started.
    bool connected = false;
    bool worker = false;           ///< One lived there when it was last reached.
    bool ended = false;            ///< No worker, and everything there is has come over.
    double reached = 0;            ///< When the other side last said something; Unix seconds, 0: never.
    double since = 0;              ///< Since when it is not reached.
    std::string problem, remedy;   ///< Why not.
    bool answered = false;         ///< The other side itself said `problem`: waiting does not mend it.
    std::string notice;            ///< What became otherwise there than it was here, and where the rest is.
    std::int64_t controlBegin = 0; ///< Pauses and stops before here in control.jsonl are not for this worker.
    std::int64_t controlSent = 0;  ///< The other side has all of control.jsonl up to here.
    bool operator==(const RemoteMark&) const = default;
};

Status writeRemoteMark(const std::filesystem::path& runDirectory, const RemoteMark& mark);
/// Nothing where the run is of this machine. One that is damaged, or of a newer version, is there, with its
/// problem and no host.
std::optional<RemoteMark> readRemoteMark(const std::filesystem::path& runDirectory);
/// The mark of a run that works on another machine, or an Error that says why it does not, or what is wrong
/// with its mark.
Result<RemoteMark> requireRemoteMark(const std::filesystem::path& runDirectory);

/// Whether the mark tells of now: a follower lives and has heard of the other side within half a minute.
bool isReached(const std::filesystem::path& runDirectory, const RemoteMark& mark);
/// "HOST has not been reached since 12:30: CAUSE. REMEDY"
std::string unreachedSentence(const RemoteMark& mark);
/// "HOST says: REASON", for what a worker there wrote into journal or log: its paths and its advice are of
/// that machine. Empty where the reason is.
std::string saidThere(const RemoteMark& mark, const std::string& reason);

} // namespace sparserl
