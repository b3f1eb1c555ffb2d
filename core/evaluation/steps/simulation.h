// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/target_cases.h"
#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/judge_state.h"

#include <memory>
#include <mutex>

namespace sparserl {

/// Runs programs on the simulated device through the pool. Judges on every device use it, because only the
/// simulator has every check.
class Simulation
{
public:
    /// `control`: of the role sim. The others must outlive this object.
    Simulation(JobTrials& trials, Background& background, Machinery& machinery,
               std::shared_ptr<Control> control, const JudgeOptions& options)
        : m_trials(trials)
        , m_background(background)
        , m_machinery(machinery)
        , m_control(std::move(control))
        , m_options(options)
    {
    }

    /// Runs the battery of a kind of target. `lineCounters`: a failure includes those of its case.
    Flow<CaseFindings> battery(const ProgramState& state, KindCases& kind, TargetVariant variant,
                               bool lineCounters);
    /// Sends cases to a sim runner. `state` must stay valid meanwhile. If no runner can complete them, the
    /// program fails. `lineCounters`: for all cases, not only for those that request them.
    Flow<CaseFindings> run(const ProgramState& state, CasePlan cases, TargetVariant variant,
                           bool lineCounters = false);

private:
    JobTrials& m_trials;
    Background& m_background;
    Machinery& m_machinery;
    std::shared_ptr<Control> m_control;
    const JudgeOptions& m_options;
    std::mutex m_telling; ///< An observer hears of one program at a time.
};

} // namespace sparserl
