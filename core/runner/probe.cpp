// SPDX-License-Identifier: Apache-2.0
#include "runner/probe.h"

#include "base/json.h"
#include "base/subprocess.h"
#include "runner/gpu_sandbox.h"
#include "runner/sandbox_parts.h"
#include "runner/tool_sandbox.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace sparserl {

namespace {

using Lock = std::function<Result<SandboxReport>(int keep)>;

/// In a process that ends then. What it says comes through a pipe.
nlohmann::json lockedReport(const std::string& role, const Lock& lock)
{
    nlohmann::json body{{"role", role}, {"level", nameOf(SandboxLevel::None)}};
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return body;
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        if (const auto report = lock(ends[1])) {
            body["level"] = nameOf(report->level());
            body["lacks"] = report->lacks();
            body["active"] = report->active;
            body["missing"] = report->missing;
        } else {
            body["missing"] = {report.error().sentence()};
        }
        const std::string text = dumpJson(body);
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t more = ::write(ends[1], text.data() + sent, text.size() - sent);
            if (more <= 0)
                break;
            sent += static_cast<std::size_t>(more);
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    auto said = parseJson(text);
    return said && said->is_object() ? std::move(*said) : body;
}

} // namespace

nlohmann::json probeLocks(const SandboxMeans& means)
{
    const auto work = [&](int keep) { return lockDown({std::uint64_t(1) << 30, 60, keep}, means); };
    auto roles = nlohmann::json::array();
    roles.push_back(lockedReport("compile", work));
    roles.push_back(lockedReport("sim", work));
    roles.push_back(
        lockedReport("nvdisasm", [&](int) { return lockDownForTool(ToolLock{executablePath()}, means); }));
    roles.push_back(lockedReport("cuda", [&](int) -> Result<SandboxReport> {
        SandboxReport report;
        encloseGpu(strictestGpuLock, report, means);
        SPARSERL_CHECK(lockDownGpu(strictestGpuLock, report, means));
        return report;
    }));
    return {{"roles", std::move(roles)}};
}

} // namespace sparserl
