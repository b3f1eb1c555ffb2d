// SPDX-License-Identifier: Apache-2.0
#include "project/worker_start.h"

#include "base/files.h"
#include "base/lock.h"

#include <chrono>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

constexpr auto startTime = std::chrono::minutes(2);

fs::path markOf(const fs::path& run)
{
    return run / "worker.started";
}

/// When a process began, in the kernel's count, which tells it from a later one of the same number; empty
/// where there is none, or it has ended and waits for its parent to ask how.
std::string beginOf(std::int64_t process)
{
    const auto text = readFile(fmt::format("/proc/{}/stat", process));
    const auto name = text ? text->rfind(") ") : std::string::npos; // a name may hold anything
    if (name == std::string::npos)
        return {};
    std::istringstream fields(text->substr(name + 2));
    std::string field;
    for (int number = 3; fields >> field; ++number) { // proc(5): state is field 3, starttime 22
        if (number == 3 && (field == "Z" || field == "X"))
            return {};
        if (number == 22)
            return field;
    }
    return {};
}

} // namespace

Status markWorkerStart(const fs::path& run, std::int64_t process)
{
    SPARSERL_CHECK(writeFileAtomic(markOf(run), fmt::format("{} {}\n", process, beginOf(process))));
    if (FileLock::isLocked(run / "worker.lock"))
        clearWorkerStart(run);
    return {};
}

void clearWorkerStart(const fs::path& run)
{
    std::error_code code;
    fs::remove(markOf(run), code);
}

std::int64_t startedWorker(const fs::path& run)
{
    std::error_code code;
    const auto written = fs::last_write_time(markOf(run), code);
    if (code || fs::file_time_type::clock::now() - written > startTime)
        return 0;
    std::istringstream mark(readFile(markOf(run)).value_or(std::string()));
    std::int64_t process = 0;
    std::string begin;
    if (!(mark >> process >> begin) || process == ::getpid() || beginOf(process) != begin)
        return 0;
    return process;
}

bool hasWorker(const fs::path& run)
{
    return FileLock::isLocked(run / "worker.lock") || startedWorker(run) > 0;
}

} // namespace sparserl
