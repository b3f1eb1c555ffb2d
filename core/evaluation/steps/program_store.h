// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/judge_state.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace sparserl {

/// Compiles programs in the pool, each text once, and assembles them when needed.
class ProgramStore
{
public:
    /// After a failure of our machinery, waiting flows never resume. `control` is the control of the role
    /// compile.
    ProgramStore(JobTrials& trials, std::shared_ptr<Control> control, const JudgeOptions& options,
                 bool wantCubin);

    /// Returns the entry of the program with this text, which may still be compiling. With `urgent`, the
    /// program is compiled before waiting programs, because all of them need it.
    std::shared_ptr<ProgramEntry> entry(const ProgramText& text, bool urgent = false);
    /// Resumes when the program is assembled and has its resources, or has become a failure.
    Flow<> assemble(std::shared_ptr<ProgramEntry> entry);
    /// Returns one of our own programs, which is compiled and assembled before other programs.
    Flow<std::shared_ptr<const ProgramState>> own(ProgramText text);

    void forgetUnfinished();
    /// Drops everything if there are more than `most` programs.
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
