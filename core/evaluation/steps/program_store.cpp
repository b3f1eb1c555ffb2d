// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/program_store.h"

#include "base/hash.h"
#include "kernel/plan_key.h"

#include <algorithm>
#include <vector>

namespace sparserl {

namespace {

/// The limit on CPU time is 10 s (compile_role.cpp); beyond this the machine is stuck.
constexpr double compileWallSeconds = 120;

/// The kernels that a plan calls, each once.
std::vector<std::string> kernelsOf(const Plan& plan)
{
    std::vector<std::string> kernels;
    for (const auto& call : plan.calls)
        if (std::find(kernels.begin(), kernels.end(), call.kernel) == kernels.end())
            kernels.push_back(call.kernel);
    return kernels;
}

} // namespace

ProgramStore::ProgramStore(JobTrials& trials, std::shared_ptr<Control> control, const JudgeOptions& options,
                           bool wantCubin)
    : m_trials(trials)
    , m_control(std::move(control))
    , m_options(options)
    , m_wantCubin(wantCubin)
{
}

std::shared_ptr<ProgramEntry> ProgramStore::entry(const ProgramText& text, bool urgent)
{
    auto kept = sharedAt(m_programs, text.hash());
    if (!kept->compiled.started())
        kept->compiled.start(compile(text, urgent));
    return kept;
}

Flow<ProgramState> ProgramStore::compile(ProgramText text, bool urgent)
{
    ProgramState state;
    auto program = parseProgram(text);
    if (!program) {
        state.failure = ProgramFailure{Verdict::PlanError, program.error().line, program.error().reason, {}};
        co_return std::move(state);
    }
    state.program = std::move(*program);
    CompileRequest request;
    request.code = state.program.code;
    request.kernels = kernelsOf(state.program.plan);
    request.assemble = false;
    TrialJob trial;
    trial.job.role = RunnerRole::Compile;
    trial.job.body = toJson(request);
    trial.job.wallSeconds = compileWallSeconds;
    trial.job.urgent = urgent;
    trial.control = m_control;
    trial.task = "compile a program";
    auto tried = co_await m_trials.run(std::move(trial), &compileAnswerFromJson);
    ++m_options.metrics->compiled;
    if (!tried.answer) {
        state.failure = compilerFailure(tried.blamed);
    } else if (auto& answer = *tried.answer; !answer) {
        state.failure = programFailure(answer.error());
    } else {
        state.compiled = std::move(*answer);
        // The plan and the PTX are all that runs: layout and comments make no difference.
        state.sameKey = sha256Hex(planKey(state.program.plan)) + state.compiled.ptxHash;
    }
    co_return std::move(state);
}

Flow<> ProgramStore::assemble(std::shared_ptr<ProgramEntry> entry)
{
    ProgramState& state = *entry->compiled.value;
    if (state.failure)
        co_return;
    if (!entry->assembled.started())
        entry->assembled.start(assembleIt(state));
    co_await entry->assembled;
}

Flow<bool> ProgramStore::assembleIt(ProgramState& state)
{
    AssembleRequest request;
    request.ptx = state.compiled.ptx;
    request.architecture = m_options.architecture; // A GPU's own, where there is one.
    request.kernels = kernelsOf(state.program.plan);
    TrialJob trial;
    trial.job.role = RunnerRole::Compile;
    trial.job.body = toJson(request);
    trial.job.body["want_cubin"] = m_wantCubin;
    trial.job.wallSeconds = compileWallSeconds;
    trial.job.urgent = true;
    trial.control = m_control;
    trial.task = "assemble a program";
    auto tried = co_await m_trials.run(std::move(trial), &compileAnswerFromJson);
    if (!tried.answer) {
        state.failure = compilerFailure(tried.blamed);
        state.failure->verdict = Verdict::AssembleError;
    } else if (auto& answer = *tried.answer; !answer) {
        state.failure = programFailure(answer.error());
    } else {
        state.compiled.cubin = std::move(answer->cubin);
        state.compiled.resources = std::move(answer->resources);
    }
    co_return true;
}

Flow<std::shared_ptr<const ProgramState>> ProgramStore::own(ProgramText text)
{
    const auto program = entry(text, true);
    ProgramState& state = co_await program->compiled;
    co_await assemble(program);
    co_return std::shared_ptr<const ProgramState>(program, &state);
}

void ProgramStore::forgetUnfinished()
{
    std::erase_if(m_programs, [](const auto& one) { return !one.second->finished(); });
}

void ProgramStore::trim(std::size_t most)
{
    if (m_programs.size() > most)
        m_programs.clear();
}

} // namespace sparserl
