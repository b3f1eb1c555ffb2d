// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/judge_state.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace sparserl {

/// Compiles programs through the pool, each text once, and assembles those that get so far.
class ProgramStore
{
public:
    /// Where our machinery fails, those that wait never go on. `control`: of the role compile.
    ProgramStore(JobTrials& trials, std::shared_ptr<Control> control, const JudgeOptions& options,
                 bool wantCubin);

    /// The program with this text, being compiled or done. `urgent`: before programs that wait already,
    /// because all of them need it.
    std::shared_ptr<ProgramEntry> entry(const ProgramText& text, bool urgent = false);
    /// Comes back when the program has its resources, or its value has become a failure.
    Flow<> assemble(std::shared_ptr<ProgramEntry> entry);
    /// A program of our own, compiled and assembled, before others.
    Flow<std::shared_ptr<const ProgramState>> own(ProgramText text);

    void forgetUnfinished();
    /// Forgets everything where there are more programs than that.
    void trim(std::size_t most);

private:
    Flow<ProgramState> compile(ProgramText text, bool urgent);
    Flow<bool> assembleIt(ProgramState& state);

    JobTrials& m_trials;
    std::shared_ptr<Control> m_control;
    const JudgeOptions& m_options;
    bool m_wantCubin;
    std::unordered_map<std::string, std::shared_ptr<ProgramEntry>> m_programs;
};

} // namespace sparserl
