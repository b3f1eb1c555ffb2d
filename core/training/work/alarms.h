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

/// Monitors the metrics of a run against the bounds in its parameters (alarm.*). A collapse is then reported,
/// or pauses or ends the run, which would otherwise finish as done. Checkpoints contain the first value of
/// each split and how long a metric has been out of bounds.
class Alarms
{
public:
    /// Reads bounds and actions at each observation, because they can change during the run.
    explicit Alarms(const ParameterSet& parameters)
        : m_p(parameters)
    {
    }

    struct Report
    {
        std::vector<std::string> warnings; ///< Sentences about metrics that have just left their bounds.
        std::optional<std::string> pause;  ///< Why the run should pause.
        std::optional<std::string> stop;   ///< Why it should end as failed.
    };
    /// Checks the metrics of a split at a step. `last`: no later observation can confirm an alarm, so one is
    /// enough.
    Report observe(const std::string& split, std::int64_t step, const Metrics& metrics, bool last);

    /// False while a metric that would pause or stop the run is out of bounds.
    bool sound() const;
    /// The first step of the current excursion.
    std::optional<std::int64_t> since() const;

    nlohmann::json state() const;
    void restore(const nlohmann::json& state);

private:
    struct Watch
    {
        std::optional<double> first;
        std::deque<double> recent; ///< For medians; at most 20.
        std::int64_t streak = 0, since = 0;
        bool grave = false; ///< The alarm pauses or stops the run.
    };
    /// Consecutive iterations without a training signal.
    void observeSignal(std::int64_t step, const Metrics& metrics, Report& report);

    const ParameterSet& m_p;
    std::map<std::string, Watch> m_watches; ///< By split and metric.
};

} // namespace sparserl
