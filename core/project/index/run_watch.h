// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// Finds the runs that may have new entries, from the modification times of their folders and journals. Runs
/// that have been silent for half a minute are examined rarely, so that a thousand completed runs take almost
/// no time.
class RunWatch
{
public:
    using Clock = std::chrono::steady_clock;

    /// Starts a round over all runs. With `everyRun`, the round skips none of them.
    void begin(bool everyRun, Clock::time_point now = Clock::now());
    /// Returns false if a run has not changed since it was last read, or if this round skips it because it
    /// has been silent.
    bool mayHaveNews(const std::filesystem::path& run);
    /// Records that a run was read without errors. `changed` says whether it had new entries.
    void wasRead(const std::filesystem::path& run, bool changed);
    void forget() { m_runs.clear(); }
    /// Forgets a run, so that it will be read again.
    void forget(const std::filesystem::path& run) { m_runs.erase(run.native()); }

private:
    /// The state of the files by which changes are recognised. A resume renames a new generation.json into
    /// the folder; all other changes make the journal longer.
    struct Look
    {
        std::int64_t folder = 0, journal = 0; ///< In nanoseconds; 0 if missing.
        std::int64_t size = 0;
        bool operator==(const Look&) const = default;
    };
    struct Known
    {
        Look look;
        bool settled = false; ///< The look is so old that every later change has a different time.
        Clock::time_point changed = Clock::time_point::min();
    };
    static Look lookAt(const std::filesystem::path& run);

    std::map<std::string, Known> m_runs; ///< By path.
    Look m_look; ///< State of the run that mayHaveNews() was last called for, before the run was read.
    Clock::time_point m_now;
    bool m_everyRun = true;
};

} // namespace sparserl
