// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "training/work/statistics.h"

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// Compares the metrics of a run with the bounds in its parameters (alarm.*). A collapse is reported, or
/// pauses or ends the run; otherwise, the run would go on and end as done. Checkpoints contain the first
/// value of each metric and how long it has been out of bounds.
class Alarms
{
public:
    /// Reads bounds and actions at each observation, because they may change during the run.
    explicit Alarms(const ParameterSet& parameters)
        : m_p(parameters)
    {
    }

    struct Report
    {
        std::vector<std::string> warnings; ///< One sentence per metric that has just left its bounds.
        std::optional<std::string> pause;  ///< Why the run should pause.
        std::optional<std::string> stop;   ///< Why the run should end as failed.
    };
    /// Checks the metrics of a split at a step. `last` means that no later observation can confirm an alarm,
    /// so that one observation is enough.
    Report observe(const std::string& split, std::int64_t step, const Metrics& metrics, bool last);

    /// Returns false while a metric that may pause or stop the run is out of bounds.
    bool sound() const;
    /// Returns the step at which the first of these metrics left its bounds; nullopt if sound().
    std::optional<std::int64_t> since() const;

    nlohmann::json state() const;
    void restore(const nlohmann::json& state);

private:
    struct Watch
    {
        std::optional<double> first;
        std::deque<double> recent; ///< At most 20 values, for the median.
        std::int64_t streak = 0, since = 0;
        bool grave = false; ///< Whether the alarm pauses or stops the run.
    };
    /// Counts consecutive iterations without a training signal.
    void observeSignal(std::int64_t step, const Metrics& metrics, Report& report);

    const ParameterSet& m_p;
    std::map<std::string, Watch> m_watches; ///< By split and metric.
};

} // namespace sparserl
