// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_state.h"
#include "evaluation/make_judge.h"
#include "evaluation/runner_pool.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace sparserl {

/// Compiles programs through the pool, each text once, and assembles those that get so far.
class ProgramStage
{
public:
    /// `breakDown` is told when our machinery fails; whoever waits is not called then.
    ProgramStage(RunnerPool& pool, const JudgeOptions& options, bool wantCubin,
                 std::function<void(Error)> breakDown);

    /// The program with this text, being compiled or done.
    std::shared_ptr<ProgramEntry> entry(const std::string& hash, const std::string& text);
    /// Calls `next` when the program has its resources, or its value has become a failure.
    void assemble(const std::shared_ptr<ProgramEntry>& entry, std::function<void()> next);

    void forgetUnfinished();
    /// Forgets everything where there are more programs than that.
    void trim(std::size_t most);

private:
    void compile(const std::shared_ptr<ProgramEntry>& entry, const std::string& text);
    void compiled(const std::shared_ptr<ProgramEntry>& entry, ProgramState state, JobOutcome outcome);
    void assembled(const std::shared_ptr<ProgramEntry>& entry, JobOutcome outcome);

    RunnerPool& m_pool;
    const JudgeOptions& m_options;
    bool m_wantCubin;
    std::function<void(Error)> m_breakDown;
    std::unordered_map<std::string, std::shared_ptr<ProgramEntry>> m_programs;
};

} // namespace sparserl
