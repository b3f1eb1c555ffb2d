// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// Detects runs that may have new entries, from the times of their folder and journal. Runs that have been
/// silent for half a minute are examined rarely, so a thousand completed runs cost almost nothing.
class RunWatch
{
public:
    using Clock = std::chrono::steady_clock;

    /// Starts a round over the runs. `everyRun`: skips none.
    void begin(bool everyRun, Clock::time_point now = Clock::now());
    /// False if the run is unchanged since it was last read, or skipped in this round because of its silence.
    bool mayHaveNews(const std::filesystem::path& run);
    /// Call after reading it without errors. `changed`: it had new entries.
    void wasRead(const std::filesystem::path& run, bool changed);
    void forget() { m_runs.clear(); }
    /// Forces the run to be read again.
    void forget(const std::filesystem::path& run) { m_runs.erase(run.native()); }

private:
    /// A resume renames a new generation.json into the folder; all other changes lengthen the journal.
    struct Look
    {
        std::int64_t folder = 0, journal = 0; ///< Modification times in ns; 0 if missing.
        std::int64_t size = 0;
        bool operator==(const Look&) const = default;
    };
    struct Known
    {
        Look look;
        bool settled = false; ///< The look is old enough that any later change has another time.
        Clock::time_point changed = Clock::time_point::min();
    };
    static Look lookAt(const std::filesystem::path& run);

    std::map<std::string, Known> m_runs; ///< By path.
    Look m_look;                         ///< State of the run last asked about, before it was read.
    Clock::time_point m_now;
    bool m_everyRun = true;
};

} // namespace sparserl
