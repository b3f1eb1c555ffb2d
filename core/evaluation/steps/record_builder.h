// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/runners/runner_pool.h"
#include "verdict/record.h"

#include <cstdint>

namespace sparserl {

/// A verdict that needs no run.
struct ProgramFailure
{
    Verdict verdict = Verdict::PlanError;
    int line = 0;
    std::string message, log;
    bool outOfMemory = false; ///< More memory was asked for than there is.
};

ProgramFailure programFailure(const CompileFailure& failure);
/// The compiler does not get through with this program: `outcome` of a TrialJob whose candidate is to blame.
ProgramFailure compilerFailure(const JobOutcome& outcome);
/// The same for the simulator: whatever the program does, it cannot be looked at, so it counts as not
/// launchable, or as endless where it took all its time.
Fault simulatorFailure(const JobOutcome& outcome);

/// What converting so many bytes of formats on the host takes on the simulated device, copied there: it is
/// modelled, so that the device gives the same numbers anywhere.
double modelledSetupMicroseconds(std::int64_t bytes);

Verdict verdictOf(FaultKind kind);
Verdict verdictOf(BindFailure::Kind kind);

void applyFailure(VerdictRecord& record, const ProgramFailure& failure);
void applyFailure(VerdictRecord& record, const CaseFailure& failure);
/// The largest need over the kernels; refined by applyTiming with the launches that took place.
void applyResources(VerdictRecord& record, const std::vector<KernelResources>& resources);
/// Shared memory of the launch that needs most: all that is known of launches that were not timed.
void applyShared(VerdictRecord& record, const std::vector<LaunchReport>& launches);
/// Times, occupancy of the launch that takes longest, shared memory of the one that needs most, counters,
/// share of the floor.
void applyTiming(VerdictRecord& record, const CaseAnswer& answer, double floorMicroseconds);
/// The same of a GPU, whose launches may not tell what their kernels have.
void applyGpuShared(VerdictRecord& record, const std::vector<LaunchReport>& launches);
/// The same as applyTiming from a GPU's measurement: `launches` as far as the device told them.
void applyMeasured(VerdictRecord& record, const GpuMeasured& measured,
                   const std::vector<LaunchReport>& launches, std::int64_t setupBytes,
                   double floorMicroseconds);
void applyBaseline(VerdictRecord& record, const std::string& name, const std::string& algorithm,
                   double microseconds);

} // namespace sparserl
