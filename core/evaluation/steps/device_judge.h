// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/target_cases.h"
#include "evaluation/judge.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/steps/judge_state.h"

#include <memory>
#include <string>

namespace sparserl {

/// A program that passed the battery, and its requested target.
struct TargetTask
{
    JudgeRequest request;
    std::shared_ptr<TargetCases> cases;
    std::shared_ptr<const ProgramState> program;
    bool isReference = false; ///< The reference program; its time is a baseline.
    bool checked = false;     ///< Already found correct on the target: only its time is missing.

    const TargetId& target() const { return request.target.id; }
    const ProgramState& state() const { return *program; }
    /// The request for its cases.
    CaseRequest asked() const
    {
        return {target().variant, factorsOf(program->program.plan),
                request.seed,     checked,
                request.measured, request.lineCounters};
    }
};

/// The findings on the target itself.
struct TargetFindings
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false;
    double boundShare = 0;               ///< Largest ratio of error to bound.
    std::optional<CaseAnswer> timed;     ///< From the simulated device.
    std::optional<GpuMeasured> measured; ///< From a GPU.
    std::vector<LaunchReport> launches;  ///< Resources of each launch; times are in `timed`.
    /// From the simulated device, also in a GPU's judge: counters per line of the program and of the PTX.
    std::vector<LineCounters> lines, ptxLines;
    std::int64_t setupBytes = 0; ///< From a GPU.
    double floorMicroseconds = 0;
    std::string suspicion; ///< Why the time is not trusted; empty if it is.

    bool hasTime() const { return timed || measured; }
};

/// The device-specific part of a judge: everything on the target itself after a program has passed the
/// battery. After a failure of our machinery no flow resumes.
class DeviceJudge
{
public:
    virtual ~DeviceJudge() = default;
    virtual std::string deviceName() const = 0;
    virtual bool simulated() const = 0;
    /// Judges correctness on the target unless it is `checked`, and the time if requested.
    virtual Flow<TargetFindings> run(TargetTask task) = 0;
    /// Judgements with the same string may share their findings.
    virtual std::string epoch(const TargetTask& task) const = 0;
    /// The baseline for this target.
    virtual Flow<Baseline> baseline(TargetTask task) = 0;
    /// Fills in resources, and times and flags if requested.
    virtual void apply(VerdictRecord& record, const TargetTask& task,
                       const TargetFindings& findings) const = 0;
    /// Drops unfinished work after the pool was abandoned. No caller may be waiting for it.
    virtual void abandon() = 0;
};

} // namespace sparserl
