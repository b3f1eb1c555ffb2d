// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/runners/runner_pool.h"
#include "verdict/record.h"

#include <cstdint>

namespace sparserl {

/// A verdict without a run.
struct ProgramFailure
{
    Verdict verdict = Verdict::PlanError;
    int line = 0;
    std::string message, log;
    bool outOfMemory = false; ///< The work needed more memory than is available.
};

ProgramFailure programFailure(const CompileFailure& failure);
/// The compiler cannot process this program: `outcome` of a TrialJob whose candidate is to blame.
ProgramFailure compilerFailure(const JobOutcome& outcome);
/// The same for the simulator. The program cannot be examined, so it counts as not launchable, or as endless
/// if it used up all its time.
Fault simulatorFailure(const JobOutcome& outcome);

/// What converting so many bytes of formats on the host takes on the simulated device, copied there: it is
/// modelled, so that the device gives the same numbers anywhere.
double modelledSetupMicroseconds(std::int64_t bytes);

Verdict verdictOf(FaultKind kind);
Verdict verdictOf(BindFailure::Kind kind);

void applyFailure(VerdictRecord& record, const ProgramFailure& failure);
void applyFailure(VerdictRecord& record, const CaseFailure& failure);
/// The largest requirement over the kernels; applyTiming refines it with the actual launches.
void applyResources(VerdictRecord& record, const std::vector<KernelResources>& resources);
/// Shared memory of the launch with the largest requirement, for launches that were not timed.
void applyShared(VerdictRecord& record, const std::vector<LaunchReport>& launches);
/// Times, occupancy of the longest launch, shared memory of the launch with the largest requirement,
/// counters, share of the floor.
void applyTiming(VerdictRecord& record, const CaseAnswer& answer, double floorMicroseconds);
/// The same for a GPU, whose launches may not report the resources of their kernels.
void applyGpuShared(VerdictRecord& record, const std::vector<LaunchReport>& launches);
/// The same as applyTiming from a GPU's measurement. `launches`: as far as the device reported them.
void applyMeasured(VerdictRecord& record, const GpuMeasured& measured,
                   const std::vector<LaunchReport>& launches, std::int64_t setupBytes,
                   double floorMicroseconds);
void applyBaseline(VerdictRecord& record, const std::string& name, const std::string& algorithm,
                   double microseconds);

} // namespace sparserl
