// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// Which runs may have something new for the index: a look at the folder and the journal of each, and for
/// runs that have been silent for half a minute only now and then, so that a thousand runs that have ended
/// cost nothing.
class RunWatch
{
public:
    using Clock = std::chrono::steady_clock;

    /// Begins a round over the runs; with `everyRun` none is passed over for its silence.
    void begin(bool everyRun, Clock::time_point now = Clock::now());
    /// False: since it was last read it is as it was, or it was silent so long that this round passes it
    /// over.
    bool mayHaveNews(const std::filesystem::path& run);
    /// After it was read without a fault; `changed`: something new was in it.
    void wasRead(const std::filesystem::path& run, bool changed);
    void forget() { m_runs.clear(); }
    /// It has to be read once more, whatever happens to it.
    void forget(const std::filesystem::path& run) { m_runs.erase(run.native()); }

private:
    /// A resume renames a new generation.json into the folder; everything else makes the journal longer.
    struct Look
    {
        std::int64_t folder = 0, journal = 0; ///< Times of change, ns; 0 where there is nothing.
        std::int64_t size = 0;
        bool operator==(const Look&) const = default;
    };
    struct Known
    {
        Look look;
        bool settled = false; ///< The look is so old that what comes after it has another time.
        Clock::time_point changed = Clock::time_point::min();
    };
    static Look lookAt(const std::filesystem::path& run);

    std::map<std::string, Known> m_runs; ///< By path.
    Look m_look;                         ///< Of the run that was asked about last, before it was read.
    Clock::time_point m_now;
    bool m_everyRun = true;
};

} // namespace sparserl
