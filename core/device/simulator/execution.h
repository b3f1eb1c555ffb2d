// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/execute/launch.h"
#include "device/simulator/plan_memory.h"

#include <map>

namespace sparserl::sim {

/// Executes one request: decodes and prepares its kernels, and launches them for every input.
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
    /// Runs the request. If the program asks for something impossible, this is its fault
    /// (ExecutionResult::fault). An Error is a failure of our machinery.
    Result<ExecutionResult> run();

private:
    Status decodeKernels();
    Status setUpMemory();
    // The next functions return false after a fault.
    Result<bool> prepare();
    Result<bool> runCall(std::size_t call);
    Result<bool> launch(const BoundCall& call, bool prepare, int input);
    /// Runs a launch that is not skipped. Returns false after a fault.
    Result<bool> launchKernel(const BoundCall& call, bool prepare, int input);

    LaunchReport reportOf(const BoundCall& call, const KernelCode& code, bool prepare,
                          const Occupancy& occupancy, int registers) const;
    /// Returns true if the run keeps counters and computes times.
    bool counts() const
    {
        return m_request.checks == Checks::Counters ||
               (m_request.checks == Checks::All && m_request.counters);
    }
    void countLines(const LaunchStatistics& statistics, const KernelCode& code, LineCounters& total);
    /// Adds the counts of a launch to the result. `blocksPerSm` is needed to estimate the time.
    void account(LaunchReport report, LaunchStatistics statistics, const KernelCode& code, int blocksPerSm);
    /// Reports a fault of kind LaunchError, or an out-of-memory fault if the kind of `why` is OutOfMemory.
    void fault(const BoundCall& call, Error why);
    /// Computes the times of the call and of its launches from the profile.
    void estimate();
    ExecutionResult finish();

    const ExecutionRequest& m_request;
    const BoundPlan& m_plan;
    const DeviceModel& m_model;
    std::uint64_t m_steps;
    std::map<std::string, KernelCode> m_kernels;
    PlanMemory m_memory;
    std::uint32_t m_launchNumber = 0;
    std::size_t m_prepareReports = 0; ///< Number of launches before the first call.
    std::map<int, LineCounters> m_lines, m_ptxLines;
    ExecutionResult m_result;
};

} // namespace sparserl::sim
