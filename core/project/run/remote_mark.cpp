// SPDX-License-Identifier: Apache-2.0
#include "project/run/remote_mark.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/format_number.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/time.h"
#include "project/files/run_files.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

/// The other side says something every second.
constexpr double silentSeconds = 30;
/// Until a follower that was just started holds its lock.
constexpr double startSeconds = 5;

} // namespace

Status writeRemoteMark(const std::filesystem::path& runDirectory, const RemoteMark& mark)
{
    return writeJson(runDirectory / "remote.json", {{"format", 1},
                                                    {"host", mark.host},
                                                    {"folder", mark.folder},
                                                    {"run", mark.run},
                                                    {"identity", mark.identity},
                                                    {"wants_start", mark.wantsStart},
                                                    {"connected", mark.connected},
                                                    {"worker", mark.worker},
                                                    {"ended", mark.ended},
                                                    {"reached", mark.reached},
                                                    {"since", mark.since},
                                                    {"problem", mark.problem},
                                                    {"remedy", mark.remedy},
                                                    {"answered", mark.answered},
                                                    {"notice", mark.notice},
                                                    {"control_begin", mark.controlBegin},
                                                    {"control_sent", mark.controlSent}});
}

std::optional<RemoteMark> readRemoteMark(const std::filesystem::path& runDirectory)
{
    const auto file = runDirectory / "remote.json";
    if (!glance(file).exists)
        return std::nullopt;
    RemoteMark mark;
    const auto json = readControlJson(file);
    if (!json || !json->is_object()) {
        mark.problem = "remote.json is damaged";
        mark.remedy = "Remove it to make this a run of this machine";
        return mark;
    }
    if (const auto format = checkFormat(*json, 1, "the record of where this run works", file.string());
        !format) {
        mark.problem = format.error().what;
        mark.remedy = format.error().remedy;
        return mark;
    }
    mark.host = jsonValue<std::string>(*json, "host", {});
    mark.folder = jsonValue<std::string>(*json, "folder", {});
    if (mark.host.empty()) {
        mark.problem = "remote.json names no machine";
        mark.remedy = "Remove it to make this a run of this machine";
        return mark;
    }
    mark.run = jsonValue<std::string>(*json, "run", {});
    mark.identity = jsonValue<std::string>(*json, "identity", {});
    mark.wantsStart = jsonValue(*json, "wants_start", false);
    mark.connected = jsonValue(*json, "connected", false);
    mark.worker = jsonValue(*json, "worker", false);
    mark.ended = jsonValue(*json, "ended", false);
    mark.reached = jsonValue(*json, "reached", 0.0);
    mark.since = jsonValue(*json, "since", 0.0);
    mark.problem = jsonValue<std::string>(*json, "problem", {});
    mark.remedy = jsonValue<std::string>(*json, "remedy", {});
    mark.answered = jsonValue(*json, "answered", false);
    mark.notice = jsonValue<std::string>(*json, "notice", {});
    mark.controlBegin = jsonValue<std::int64_t>(*json, "control_begin", 0);
    mark.controlSent = jsonValue<std::int64_t>(*json, "control_sent", 0);
    return mark;
}

Result<RemoteMark> requireRemoteMark(const std::filesystem::path& runDirectory)
{
    auto mark = readRemoteMark(runDirectory);
    if (mark && !mark->host.empty())
        return std::move(*mark);
    if (mark && !mark->problem.empty())
        return failAt((runDirectory / "remote.json").string(), 0, mark->problem, mark->remedy);
    return failAt(runDirectory.string(), 0, "this run does not work on another machine",
                  "Start one there with `sparserl train PRESET --host HOST`");
}

bool isReached(const std::filesystem::path& runDirectory, const RemoteMark& mark)
{
    const double silent = unixSeconds() - mark.reached;
    // Beyond the present: the clock was set back, and nobody has told anything since.
    if (!mark.connected || silent > silentSeconds || silent < -startSeconds)
        return false;
    return silent < startSeconds || FileLock::isLocked(runDirectory / followerLock);
}

std::string saidThere(const RemoteMark& mark, const std::string& reason)
{
    return reason.empty()
               ? reason
               : fmt::format("{} says: {}", mark.host.empty() ? "the other machine" : mark.host, reason);
}

std::string unreachedSentence(const RemoteMark& mark)
{
    const double since = mark.since > 0 ? mark.since : mark.reached;
    const std::string host = mark.host.empty() ? std::string("the other machine") : mark.host;
    std::string sentence = since > 0 ? fmt::format("{} has not been reached since {}", host, isoTime(since))
                                     : fmt::format("{} was never reached", host);
    if (!mark.problem.empty())
        sentence += ": " + mark.problem;
    else if (!mark.connected || mark.reached > 0)
        sentence += ": nothing follows the run here at the moment";
    if (!mark.remedy.empty())
        sentence += ". " + mark.remedy;
    return sentence;
}

} // namespace sparserl
