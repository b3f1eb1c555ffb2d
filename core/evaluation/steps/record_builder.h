// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/runners/runner_pool.h"
#include "verdict/record.h"

#include <cstdint>

namespace sparserl {

/// A verdict on a program that was not run.
struct ProgramFailure
{
    Verdict verdict = Verdict::PlanError;
    int line = 0;
    std::string message, log;
    bool outOfMemory = false; ///< The work needed more memory than is available.
};

ProgramFailure programFailure(const CompileFailure& failure);
/// Returns the failure of a program that the compiler cannot process. `outcome` is from a TrialJob whose
/// candidate is to blame.
ProgramFailure compilerFailure(const JobOutcome& outcome);
/// The same for the simulator. The program cannot be examined, so it counts as not launchable or, if it used
/// up all its time, as endless.
Fault simulatorFailure(const JobOutcome& outcome);

/// Returns the time for the simulated device to convert formats of so many bytes on the host and to copy
/// them. A model gives it, so that the device has the same times on every machine.
double modelledSetupMicroseconds(std::int64_t bytes);

Verdict verdictOf(FaultKind kind);
Verdict verdictOf(BindFailure::Kind kind);

void applyFailure(VerdictRecord& record, const ProgramFailure& failure);
void applyFailure(VerdictRecord& record, const CaseFailure& failure);
/// Sets the resources to the largest requirements of all kernels. applyTiming() refines them with the actual
/// launches.
void applyResources(VerdictRecord& record, const std::vector<KernelResources>& resources);
/// Sets the shared memory to that of the launch with the largest requirement, for launches that were not
/// timed.
void applyShared(VerdictRecord& record, const std::vector<LaunchReport>& launches);
/// Sets the times, the occupancy of the longest launch, the shared memory of the launch with the largest
/// requirement, the counters, and the share of the floor.
void applyTiming(VerdictRecord& record, const CaseAnswer& answer, double floorMicroseconds);
/// The same as applyShared() for a GPU, whose launches may not report the resources of their kernels.
void applyGpuShared(VerdictRecord& record, const std::vector<LaunchReport>& launches);
/// The same as applyTiming() for a GPU's measurement. `launches` are those that the device reported.
void applyMeasured(VerdictRecord& record, const GpuMeasured& measured,
                   const std::vector<LaunchReport>& launches, std::int64_t setupBytes,
                   double floorMicroseconds);
void applyBaseline(VerdictRecord& record, const std::string& name, const std::string& algorithm,
                   double microseconds);

} // namespace sparserl
