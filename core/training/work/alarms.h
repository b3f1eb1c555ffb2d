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

/// Watches the metrics of a run against the bounds that its parameters declare (alarm.*), so that a collapse
/// is told, holds the run or ends it, instead of ending as done. What "the first" value of a split was and
/// how long something has been out of bounds travels in checkpoints.
class Alarms
{
public:
    /// Bounds and actions are read at each observation: they can be changed while the run goes on.
    explicit Alarms(const ParameterSet& parameters)
        : m_p(parameters)
    {
    }

    struct Report
    {
        std::vector<std::string> warnings; ///< Sentences about what has left its bounds just now.
        std::optional<std::string> pause;  ///< Why the run should wait.
        std::optional<std::string> stop;   ///< Why it should end as failed.
    };
    /// What the metrics of a split say at a step. `last`: no later observation can confirm an alarm, so that
    /// one is enough.
    Report observe(const std::string& split, std::int64_t step, const Metrics& metrics, bool last);

    /// False while something that would pause or stop the run is out of bounds.
    bool sound() const;
    /// The first step of what is out of bounds now.
    std::optional<std::int64_t> since() const;

    nlohmann::json state() const;
    void restore(const nlohmann::json& state);

private:
    struct Watch
    {
        std::optional<double> first;
        std::deque<double> recent; ///< For medians; at most 20.
        std::int64_t streak = 0, since = 0;
        bool grave = false; ///< Pauses or stops.
    };
    /// Iterations that have nothing to learn from, one after the other.
    void observeSignal(std::int64_t step, const Metrics& metrics, Report& report);

    const ParameterSet& m_p;
    std::map<std::string, Watch> m_watches; ///< By split and metric.
};

} // namespace sparserl
