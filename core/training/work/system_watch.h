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

/// Returns the metrics system/* of an observation, without values that are unavailable. `others` is the
/// current use by the run's other processes, and `othersBefore` their use when `use` began; they are added to
/// the run's cores, memory and transfers. GPUs, free memory and free disk are those of this machine.
Metrics systemMetrics(const SystemUse& use, const ProcessUsage& others = {},
                      const ProcessUsage& othersBefore = {});

/// Decides when a run reports its use of the machine: between two steps, at most once in `every` seconds, and
/// at its end. The numbers depend on a clock, so nothing else may depend on them.
class SystemWatch
{
public:
    /// `leads` says whether this process writes the journal. The other processes only report their use.
    SystemWatch(SystemSources sources, bool leads);

    /// Starts to monitor if `every` is above 0; otherwise stops. `step` is the last step with system/*
    /// metrics in the journal; -1 if there is none.
    void begin(std::int64_t step, double every);
    /// Drops what was observed since the last journal entry, because the run was paused.
    void skip();
    /// Returns the metrics for the journal at a step, or nullopt if they are not due or not known.
    std::optional<Metrics> due(std::int64_t step, double every, bool end);

    /// Returns the use by this process as bytes for the leader; empty in the leader itself, or if `every` is
    /// 0. Reads the use at most once a second.
    std::string tell(double every);
    /// Takes the reports of the other processes, by rank. Ignores invalid bytes.
    void hear(std::span<const std::string> told);

private:
    SystemSources m_sources;
    bool m_leads = true;
    std::unique_ptr<SystemMonitor> m_monitor;
    std::int64_t m_step = -1;
    double m_since = 0;                    ///< monotonicSeconds() of the last journal entry.
    ProcessUsage m_others, m_othersBefore; ///< Sums over the other processes. Memory is the maximum
                                           ///< since the last entry.
    bool m_heard = false;                  ///< Whether other processes have ever reported.
    double m_toldAt = 0;
    std::string m_told;
};

} // namespace sparserl
