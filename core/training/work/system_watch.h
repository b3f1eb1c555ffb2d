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

/// Metrics system/* of what was seen; what the machine does not tell is left out. `others` is what the other
/// processes of the run use now and `othersBefore` what they had used when `use` began: they count in the
/// run's cores, memory and transfers. GPUs, free memory and free disk are of the machine that `use` is of.
Metrics systemMetrics(const SystemUse& use, const ProcessUsage& others = {},
                      const ProcessUsage& othersBefore = {});

/// When a run says what it takes of its machine: at most every `every` seconds, between two steps, and at its
/// end. Its numbers come from a clock, so nothing else may depend on them.
class SystemWatch
{
public:
    /// `leads`: this process journals. The others only tell what they use.
    SystemWatch(SystemSources sources, bool leads);

    /// Watches from now on where `every` is above 0, else no more. `step`: the last one of which the journal
    /// has said it (-1: none).
    void begin(std::int64_t step, double every);
    /// Forgets what was seen since the last time: the run was paused.
    void skip();
    /// What there is to journal at a step; nothing where it is not yet time, or nothing is known.
    std::optional<Metrics> due(std::int64_t step, double every, bool end);

    /// What this process uses, as bytes for the one that leads (empty where that needs none: it leads, or
    /// `every` is 0). Looked up once a second at most.
    std::string tell(double every);
    /// What the others told, by rank. Bytes that are none are left out.
    void hear(std::span<const std::string> told);

private:
    SystemSources m_sources;
    bool m_leads = true;
    std::unique_ptr<SystemMonitor> m_monitor;
    std::int64_t m_step = -1;
    double m_since = 0;                    ///< monotonicSeconds() of what was journalled last.
    ProcessUsage m_others, m_othersBefore; ///< Sums over the other processes; memory is the most since then.
    bool m_heard = false;                  ///< Of the others, ever.
    double m_toldAt = 0;
    std::string m_told;
};

} // namespace sparserl
