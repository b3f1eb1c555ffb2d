// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/target_context.h"
#include "evaluation/judge.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/stages/judge_state.h"

#include <functional>
#include <memory>
#include <string>

namespace sparserl {

/// A program that passed the battery, and the target it was asked for.
struct TargetTask
{
    JudgeRequest request;
    std::shared_ptr<TargetContext> context;
    std::shared_ptr<const Awaited<ProgramState>> program; ///< With a value.
    bool isReference = false; ///< The reference program: its time is the baseline of others.
    bool checked = false;     ///< Found correct on the target before: only its time is missing.

    const TargetId& target() const { return request.target.id; }
    std::int64_t columns() const { return target().variant.columns; }
    const ProgramState& state() const { return *program->value; }
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
/// battery. Callbacks come from the pool's pump(), or at once; after a failure of our machinery they do not
/// come.
class TargetStage
{
public:
    virtual ~TargetStage() = default;
    virtual std::string deviceName() const = 0;
    virtual bool simulated() const = 0;
    /// Correctness on the target unless it is `checked`, and the time where that is asked for.
    virtual void run(const TargetTask& task, std::function<void(TargetFindings)> found) = 0;
    /// A stage with the same string here may use the findings of another.
    virtual std::string epoch(const TargetTask& task) const = 0;
    /// What programs are compared with on this target.
    virtual void baseline(const TargetTask& task, std::function<void(Baseline)> found) = 0;
    /// Fills in resources, and times and flags where those were asked for.
    virtual void apply(VerdictRecord& record, const TargetTask& task,
                       const TargetFindings& findings) const = 0;
    /// Forgets what was not finished when the pool was abandoned.
    virtual void abandon() = 0;
};

} // namespace sparserl
