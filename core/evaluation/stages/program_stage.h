// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/stages/judge_state.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace sparserl {

/// Compiles programs through the pool, each text once, and assembles those that get so far.
class ProgramStage
{
public:
    /// Where our machinery fails, the waiting caller is not called. `control`: of the role compile.
    ProgramStage(JobTrials& trials, std::shared_ptr<Control> control, const JudgeOptions& options,
                 bool wantCubin);

    /// The program with this text, being compiled or done. `urgent`: before programs that wait already,
    /// because all of them need it.
    std::shared_ptr<ProgramEntry> entry(const std::string& text, bool urgent = false);
    /// Calls `next` when the program has its resources, or its value has become a failure.
    void assemble(const std::shared_ptr<ProgramEntry>& entry, std::function<void()> next);

    void forgetUnfinished();
    /// Forgets everything where there are more programs than that.
    void trim(std::size_t most);

private:
    void compile(const std::shared_ptr<ProgramEntry>& entry, const std::string& text, bool urgent);
    Status compiled(const std::shared_ptr<ProgramEntry>& entry, ProgramState& state,
                    const nlohmann::json& answer);
    Status assembled(const std::shared_ptr<ProgramEntry>& entry, const nlohmann::json& answer);

    JobTrials& m_trials;
    std::shared_ptr<Control> m_control;
    const JudgeOptions& m_options;
    bool m_wantCubin;
    std::unordered_map<std::string, std::shared_ptr<ProgramEntry>> m_programs;
};

} // namespace sparserl
