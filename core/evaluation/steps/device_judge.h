// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/target_cases.h"
#include "evaluation/judge.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/steps/judge_state.h"

#include <memory>
#include <string>

namespace sparserl {

/// A program that passed the battery, and the target it was asked for.
struct TargetTask
{
    JudgeRequest request;
    std::shared_ptr<TargetCases> cases;
    std::shared_ptr<const ProgramState> program;
    bool isReference = false; ///< The reference program: its time is the baseline of others.
    bool checked = false;     ///< Found correct on the target before: only its time is missing.

    const TargetId& target() const { return request.target.id; }
    const ProgramState& state() const { return *program; }
    /// What its cases are asked for.
    CaseRequest asked() const
    {
        return {target().variant, factorsOf(program->program.plan),
                request.seed,     checked,
                request.measured, request.lineCounters};
    }
};

/// What was found on the target itself.
struct TargetFindings
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false;
    double boundShare = 0;               ///< Largest error over its bound.
    std::optional<CaseAnswer> timed;     ///< Of the simulated device.
    std::optional<GpuMeasured> measured; ///< Of a GPU.
    std::vector<LaunchReport> launches;  ///< What each launch takes; times are in `timed`.
    /// Of a GPU's judge: counted by the simulated device, by line of the program and of the PTX.
    std::vector<LineCounters> lines, ptxLines;
    std::int64_t setupBytes = 0; ///< Of a GPU.
    double floorMicroseconds = 0;
    std::string suspicion; ///< Why the time is not believed; empty: it is.

    bool hasTime() const { return timed || measured; }
};

/// What differs by device: everything that happens on the target itself once a program has passed the
/// battery. After a failure of our machinery no flow comes back.
class DeviceJudge
{
public:
    virtual ~DeviceJudge() = default;
    virtual std::string deviceName() const = 0;
    virtual bool simulated() const = 0;
    /// Correctness on the target unless it is `checked`, and the time where that is asked for.
    virtual Flow<TargetFindings> run(TargetTask task) = 0;
    /// A judgement with the same string here may use the findings of another.
    virtual std::string epoch(const TargetTask& task) const = 0;
    /// What programs are compared with on this target.
    virtual Flow<Baseline> baseline(TargetTask task) = 0;
    /// Fills in resources, and times and flags where those were asked for.
    virtual void apply(VerdictRecord& record, const TargetTask& task,
                       const TargetFindings& findings) const = 0;
    /// Gives up what was not finished when the pool was abandoned. Nobody may be waiting for it.
    virtual void abandon() = 0;
};

} // namespace sparserl
