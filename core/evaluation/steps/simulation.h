// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/target_cases.h"
#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/judge_state.h"

#include <memory>
#include <mutex>

namespace sparserl {

/// Runs programs on the simulated device, in the pool's runners. Judges for all devices use this class,
/// because only the simulator has every check.
class Simulation
{
public:
    /// `control` is the control of the role sim. The other arguments must outlive this object.
    Simulation(JobTrials& trials, Background& background, Machinery& machinery,
               std::shared_ptr<Control> control, const JudgeOptions& options)
        : m_trials(trials)
        , m_background(background)
        , m_machinery(machinery)
        , m_control(std::move(control))
        , m_options(options)
    {
    }

    /// Runs the battery of a kind of target. With `lineCounters`, a failure includes the line counters of its
    /// case.
    Flow<CaseFindings> battery(const ProgramState& state, KindCases& kind, TargetVariant variant,
                               bool lineCounters);
    /// Sends cases to a sim runner. `state` must stay valid until the flow ends. If no runner can complete
    /// the cases, the program fails. With `lineCounters`, all cases have line counters, not only those that
    /// request them.
    Flow<CaseFindings> run(const ProgramState& state, CasePlan cases, TargetVariant variant,
                           bool lineCounters = false);

private:
    JobTrials& m_trials;
    Background& m_background;
    Machinery& m_machinery;
    std::shared_ptr<Control> m_control;
    const JudgeOptions& m_options;
    std::mutex m_telling; ///< Held while an observer is told about a program.
};

} // namespace sparserl
