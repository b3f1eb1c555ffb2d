// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/target_cases.h"
#include "evaluation/judge.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/steps/judge_state.h"

#include <memory>
#include <string>

namespace sparserl {

/// A program that passed the battery, and the target of its request.
struct TargetTask
{
    JudgeRequest request;
    std::shared_ptr<TargetCases> cases;
    std::shared_ptr<const ProgramState> program;
    bool isReference = false; ///< This is the reference program, whose time is a baseline.
    bool checked = false; ///< The program was found correct on the target before; only its time is missing.

    const TargetId& target() const { return request.target.id; }
    const ProgramState& state() const { return *program; }
    /// Returns the request for the task's cases.
    CaseRequest asked() const
    {
        return {target().variant, factorsOf(program->program.plan),
                request.seed,     checked,
                request.measured, request.lineCounters};
    }
};

/// What was found about a program on the target itself.
struct TargetFindings
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false;
    double boundShare = 0;               ///< Largest ratio of error to bound.
    std::optional<CaseAnswer> timed;     ///< The timed call, if on the simulated device.
    std::optional<GpuMeasured> measured; ///< The measurement, if on a GPU.
    std::vector<LaunchReport> launches;  ///< Resources of each launch; times are in `timed`.
    /// Counters per line of the program and of the PTX. In a judge with a GPU, they are also from the
    /// simulated device.
    std::vector<LineCounters> lines, ptxLines;
    std::int64_t setupBytes = 0; ///< Set if on a GPU.
    double floorMicroseconds = 0;
    std::string suspicion; ///< Why the time is not trusted; empty if it is trusted.

    bool hasTime() const { return timed || measured; }
};

/// The device-specific part of a judge. It does everything on the target itself after a program has passed
/// the battery. After a failure of our machinery, no flow resumes.
class DeviceJudge
{
public:
    virtual ~DeviceJudge() = default;
    virtual std::string deviceName() const = 0;
    virtual bool simulated() const = 0;
    /// Judges correctness on the target unless it is `checked`, and the time if requested.
    virtual Flow<TargetFindings> run(TargetTask task) = 0;
    /// Returns a text. Judgements with the same text may share their findings.
    virtual std::string epoch(const TargetTask& task) const = 0;
    /// Returns the baseline for this target.
    virtual Flow<Baseline> baseline(TargetTask task) = 0;
    /// Adds the resources to the record and, if requested, times and flags.
    virtual void apply(VerdictRecord& record, const TargetTask& task,
                       const TargetFindings& findings) const = 0;
    /// Drops unfinished work after the pool was abandoned. No flow may be waiting for this work.
    virtual void abandon() = 0;
};

} // namespace sparserl
