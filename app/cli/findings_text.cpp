// SPDX-License-Identifier: Apache-2.0
#include "app/cli/findings_text.h"

#include "base/format.h"

#include <array>
#include <fmt/format.h>

namespace sparserl::cli {
namespace {

std::string limiterSentence(const Finding& finding)
{
    const double share = 100 * finding.value;
    switch (finding.limit) {
    case TimeLimit::Launch:
        return fmt::format("limited by the launch: starting the kernels takes {:.0f} % of the time", share);
    case TimeLimit::Dram:
        return fmt::format("limited by DRAM: its bytes alone need {:.0f} % of the time", share);
    case TimeLimit::L2:
        return fmt::format("limited by L2: the sectors that miss L1 take {:.0f} % of the time", share);
    case TimeLimit::L1:
        return fmt::format("limited by L1: the requested sectors take {:.0f} % of the time", share);
    case TimeLimit::Issue:
        return fmt::format("limited by the instruction rate: issuing needs {:.0f} % of the time", share);
    default:
        return fmt::format("limited by latency: no unit is busy for more than {:.0f} % of the time",
                           100 - share);
    }
}

} // namespace

std::string_view nameOf(FindingKind kind)
{
    constexpr std::array names{"limiter",        "uncoalesced",   "divergence", "divergent-branch",
                               "bank-conflicts", "atomics",       "spills",     "low-occupancy",
                               "more-bytes",     "never-pays-off"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string findingSentence(const Finding& f, const VerdictRecord& record)
{
    const std::string where = f.line > 0 ? fmt::format(", most of it at line {}", f.line) : std::string();
    switch (f.kind) {
    case FindingKind::Limiter:
        return limiterSentence(f) + where;
    case FindingKind::Uncoalesced:
        return fmt::format("line {}: scattered access, {:.3g} sectors for each instruction of a warp", f.line,
                           f.value);
    case FindingKind::Divergence:
        return fmt::format("{:.0f} % of the lanes are masked off on average", 100 * f.value) + where;
    case FindingKind::DivergentBranch:
        return fmt::format("line {}: {} branches split a warp", f.line, formatCount(f.value));
    case FindingKind::BankConflicts:
        return fmt::format("bank conflicts cost {} extra passes over shared memory", formatCount(f.value)) +
               where;
    case FindingKind::Atomics:
        return fmt::format("{} atomic operations", formatCount(f.value)) + where;
    case FindingKind::Spills:
        return fmt::format("{} of local memory per thread", formatBytes(f.value));
    case FindingKind::LowOccupancy:
        return fmt::format("occupancy is {:.0f} %, limited by: {}", 100 * f.value,
                           record.occupancyLimiter.empty() ? "unknown" : record.occupancyLimiter);
    case FindingKind::MoreBytes:
        return fmt::format("DRAM traffic is {:.3g} times the minimum that any program needs", f.value) +
               where;
    case FindingKind::NeverPaysOff:
        return fmt::format("set-up of {:.1f} us never pays off: it is no faster than the baseline", f.value);
    }
    return {};
}

} // namespace sparserl::cli
