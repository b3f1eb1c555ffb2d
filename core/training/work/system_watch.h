// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/system_monitor.h"
#include "training/work/statistics.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Metrics system/* of the observed use; unavailable values are left out. `others` is the current use of the
/// run's other processes and `othersBefore` their use at the beginning of `use`: they count in the run's
/// cores, memory and transfers. GPUs, free memory and free disk are those of this machine.
Metrics systemMetrics(const SystemUse& use, const ProcessUsage& others = {},
                      const ProcessUsage& othersBefore = {});

/// Decides when a run reports its use of the machine: at most every `every` seconds, between two steps, and
/// at its end. Its numbers depend on a clock, so nothing else may depend on them.
class SystemWatch
{
public:
    /// `leads`: this process writes the journal. The others only report their use.
    SystemWatch(SystemSources sources, bool leads);

    /// Starts monitoring if `every` is above 0, otherwise stops. `step`: the last step with a journal entry
    /// (-1: none).
    void begin(std::int64_t step, double every);
    /// Discards observations since the last entry, because the run was paused.
    void skip();
    /// The metrics to journal at a step, or nullopt if none are due or known.
    std::optional<Metrics> due(std::int64_t step, double every, bool end);

    /// The use of this process as bytes for the leader; empty in the leader itself, or if `every` is 0.
    /// Sampled at most once a second.
    std::string tell(double every);
    /// Receives the reports of the others, by rank. Ignores invalid bytes.
    void hear(std::span<const std::string> told);

private:
    SystemSources m_sources;
    bool m_leads = true;
    std::unique_ptr<SystemMonitor> m_monitor;
    std::int64_t m_step = -1;
    double m_since = 0;                    ///< monotonicSeconds() of the last journal entry.
    ProcessUsage m_others, m_othersBefore; ///< Sums over the other processes; memory is the maximum since
                                           ///< then.
    bool m_heard = false;                  ///< Whether the others have ever reported.
    double m_toldAt = 0;
    std::string m_told;
};

} // namespace sparserl
