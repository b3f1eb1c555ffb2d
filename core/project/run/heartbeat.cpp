// SPDX-License-Identifier: Apache-2.0
#include "project/run/heartbeat.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/json.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"

#include <array>
#include <cerrno>
#include <unistd.h>

namespace sparserl {

Status writeHeartbeat(const std::filesystem::path& runDirectory, Heartbeat heartbeat)
{
    if (heartbeat.t == 0)
        heartbeat.t = unixSeconds();
    if (heartbeat.pid == 0)
        heartbeat.pid = ::getpid();
    if (heartbeat.host.empty()) {
        std::array<char, 256> host{};
        if (::gethostname(host.data(), host.size() - 1) == 0)
            heartbeat.host = host.data();
    }
    const nlohmann::json json = {{"t", heartbeat.t},
                                 {"pid", heartbeat.pid},
                                 {"host", heartbeat.host},
                                 {"phase", heartbeat.phase},
                                 {"phase_fraction", heartbeat.phaseFraction},
                                 {"step", heartbeat.step},
                                 {"total_steps", heartbeat.totalSteps},
                                 {"seconds_left", heartbeat.secondsLeft}};
    // For display only, so no fsync: it is written often and may be lost.
    const auto path = runDirectory / heartbeatFile;
    const auto temporary = runDirectory / ".heartbeat.tmp";
    {
        SPARSERL_TRY(auto file, FileHandle::openAppend(temporary));
        SPARSERL_CHECK(file.truncate(0));
        SPARSERL_CHECK(file.write(dumpJson(json)));
    }
    std::error_code code;
    renameEntry(temporary, path, code);
    if (code)
        return fail(systemError("replace", path, code.value()));
    return {};
}

std::optional<Heartbeat> readHeartbeat(const std::filesystem::path& runDirectory)
{
    const auto json = readControlJson(runDirectory / heartbeatFile);
    if (!json || !json->is_object())
        return std::nullopt;
    Heartbeat heartbeat;
    heartbeat.t = jsonValue(*json, "t", 0.0);
    heartbeat.pid = jsonValue<std::int64_t>(*json, "pid", 0);
    heartbeat.host = jsonValue<std::string>(*json, "host", {});
    heartbeat.phase = jsonValue<std::string>(*json, "phase", {});
    heartbeat.phaseFraction = jsonValue(*json, "phase_fraction", -1.0);
    heartbeat.step = jsonValue<std::int64_t>(*json, "step", 0);
    heartbeat.totalSteps = jsonValue<std::int64_t>(*json, "total_steps", 0);
    heartbeat.secondsLeft = jsonValue(*json, "seconds_left", -1.0);
    return heartbeat;
}

} // namespace sparserl
