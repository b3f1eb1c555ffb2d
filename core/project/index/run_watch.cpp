// SPDX-License-Identifier: Apache-2.0
#include "project/index/run_watch.h"

#include <algorithm>
#include <sys/stat.h>
#include <time.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds silence(30);
/// File systems stamp with the time of the last tick of the clock, some with whole seconds.
constexpr std::int64_t stampStep = 2'000'000'000;

std::int64_t nanoseconds(const timespec& time)
{
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

} // namespace

RunWatch::Look RunWatch::lookAt(const fs::path& run)
{
    Look look;
    struct stat status = {};
    if (::stat(run.c_str(), &status) == 0)
        look.folder = nanoseconds(status.st_mtim);
    if (::stat((run.native() + "/journal.jsonl").c_str(), &status) == 0) {
        look.journal = nanoseconds(status.st_mtim);
        look.size = status.st_size;
    }
    return look;
}

void RunWatch::begin(bool everyRun, Clock::time_point now)
{
    m_everyRun = everyRun;
    m_now = now;
}

bool RunWatch::mayHaveNews(const fs::path& run)
{
    const auto found = m_runs.find(run.native());
    if (found != m_runs.end()) {
        const Known& known = found->second;
        const bool silent = known.changed == Clock::time_point::min() || m_now - known.changed > silence;
        if (known.settled && silent && !m_everyRun)
            return false;
    }
    m_look = lookAt(run);
    return found == m_runs.end() || !found->second.settled || !(found->second.look == m_look);
}

void RunWatch::wasRead(const fs::path& run, bool changed)
{
    Known& known = m_runs[run.native()];
    known.look = m_look;
    if (changed)
        known.changed = m_now;
    timespec wall = {};
    clock_gettime(CLOCK_REALTIME, &wall);
    known.settled = !changed && nanoseconds(wall) - std::max(m_look.folder, m_look.journal) > stampStep;
}

} // namespace sparserl
