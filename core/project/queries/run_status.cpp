// SPDX-License-Identifier: Apache-2.0
#include "project/queries/run_status.h"

#include <array>

namespace sparserl {

namespace {

constexpr std::array<RunStatusWord, 8> statuses{
    {{RunStatus::Queued, "queued", "no worker has begun yet"},
     {RunStatus::Running, "running", "a worker is working on it"},
     {RunStatus::Silent, "silent", "its worker exists, but has reported nothing for more than 30 s"},
     {RunStatus::Paused, "paused", "its worker waits to be resumed"},
     {RunStatus::Stopped, "stopped", "it ended on request or by a signal, and can be resumed"},
     {RunStatus::Unreached, "unreached",
      "the machine that it runs on cannot be reached; it may still be running"},
     {RunStatus::Done, "done", "it has reached its end"},
     {RunStatus::Failed, "failed",
      "it ended with an error, or its worker was killed; the reason or the worker's last line is shown, "
      "and the run can be resumed"}}};

} // namespace

std::span<const RunStatusWord> runStatuses()
{
    return statuses;
}

std::string_view nameOf(RunStatus status)
{
    return statuses[static_cast<std::size_t>(status)].word;
}

std::string runStatusWords()
{
    std::string words;
    for (const RunStatusWord& one : statuses) {
        if (!words.empty())
            words += one.status == statuses.back().status ? " or " : ", ";
        words += one.word;
    }
    return words;
}

} // namespace sparserl
