// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/execute/launch.h"
#include "device/simulator/plan_memory.h"

#include <map>

namespace sparserl::sim {

/// One execution of a request: decodes and prepares its kernels and launches them for every input.
class Execution
{
public:
    Execution(const ExecutionRequest& request, const DeviceModel& model)
        : m_request(request)
        , m_plan(*request.plan)
        , m_model(model)
        , m_steps(request.stepBudget)
        , m_memory(request, model)
    {
    }
    /// An impossible request of the program is its fault (ExecutionResult::fault); an Error is ours.
    Result<ExecutionResult> run();

private:
    Status decodeKernels();
    Status setUpMemory();
    // These return false after a fault.
    Result<bool> prepare();
    Result<bool> runCall(std::size_t call);
    Result<bool> launch(const BoundCall& call, bool prepare, int input);
    /// The same for a launch that is not skipped.
    Result<bool> launchKernel(const BoundCall& call, bool prepare, int input);

    LaunchReport reportOf(const BoundCall& call, const KernelCode& code, bool prepare,
                          const Occupancy& occupancy, int registers) const;
    /// Whether to collect counters and times.
    bool counts() const
    {
        return m_request.checks == Checks::Counters ||
               (m_request.checks == Checks::All && m_request.counters);
    }
    void countLines(const LaunchStatistics& statistics, const KernelCode& code, LineCounters& total);
    /// `blocksPerSm`: for the time estimate.
    void account(LaunchReport report, LaunchStatistics statistics, const KernelCode& code, int blocksPerSm);
    /// Reports a launch-error, or an out-of-memory fault if `why` is of kind OutOfMemory.
    void fault(const BoundCall& call, Error why);
    /// Computes times of the call and its launches from the profile.
    void estimate();
    ExecutionResult finish();

    const ExecutionRequest& m_request;
    const BoundPlan& m_plan;
    const DeviceModel& m_model;
    std::uint64_t m_steps;
    std::map<std::string, KernelCode> m_kernels;
    PlanMemory m_memory;
    std::uint32_t m_launchNumber = 0;
    std::size_t m_prepareReports = 0; ///< Launches before the first call.
    std::map<int, LineCounters> m_lines, m_ptxLines;
    ExecutionResult m_result;
};

} // namespace sparserl::sim
