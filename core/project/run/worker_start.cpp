// SPDX-License-Identifier: Apache-2.0
#include "project/run/worker_start.h"

#include "base/beneath.h"
#include "base/boot_id.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/time.h"
#include "machine/process_usage.h"
#include "project/files/run_files.h"

#include <fmt/format.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

constexpr double startLasts = 120; ///< Seconds.

fs::path markOf(const fs::path& run)
{
    return run / "worker.started";
}

/// When a process began, in the kernel's count; 0 where there is none, or it has ended.
std::int64_t beginOf(std::int64_t process)
{
    const auto stat =
        parseProcessStat(readFile(fmt::format("/proc/{}/stat", process)).value_or(std::string()));
    return stat && !stat->ended ? stat->startTicks : 0;
}

} // namespace

Status markWorkerStart(const fs::path& run, std::int64_t process)
{
    SPARSERL_CHECK(writeFileAtomic(markOf(run), fmt::format("{} {} {} {:.0f}\n", process, beginOf(process),
                                                            bootId(), monotonicSeconds())));
    if (FileLock::isLocked(run / workerLock))
        clearWorkerStart(run);
    return {};
}

void clearWorkerStart(const fs::path& run)
{
    std::error_code code;
    removeEntry(markOf(run), code);
}

std::int64_t startedWorker(const fs::path& run)
{
    std::istringstream mark(readFile(markOf(run), 4096).value_or(std::string()));
    std::int64_t process = 0, begin = 0;
    std::string boot;
    double written =
        0; // by the clock that only runs: days may be set, and a file server has a time of its own
    const bool known = (mark >> process >> begin >> boot >> written) && begin > 0; // 0: it had ended by then
    if (!known || boot != bootId() || monotonicSeconds() - written > startLasts || process == ::getpid() ||
        beginOf(process) != begin)
        return 0;
    return process;
}

bool diedAtStart(const fs::path& run)
{
    // Who gets the lock removes the mark. One that has worked and ended before the mark was written leaves
    // it, but has made the journal longer.
    const Entry mark = glance(markOf(run));
    return mark.exists && glance(run / journalFile).modified <= mark.modified && !hasWorker(run);
}

bool hasWorker(const fs::path& run)
{
    return FileLock::isLocked(run / workerLock) || startedWorker(run) > 0;
}

} // namespace sparserl
