// SPDX-License-Identifier: Apache-2.0
#include "evaluation/stages/program_stage.h"

#include "base/hash.h"
#include "kernel/plan_key.h"

#include <algorithm>

namespace sparserl {

namespace {

/// The limit on CPU time is 10 s (compile_role.cpp); beyond this the machine is stuck.
constexpr double compileWallSeconds = 120;

} // namespace

ProgramStage::ProgramStage(JobTrials& trials, std::shared_ptr<Control> control, const JudgeOptions& options,
                           bool wantCubin)
    : m_trials(trials)
    , m_control(std::move(control))
    , m_options(options)
    , m_wantCubin(wantCubin)
{
}

std::shared_ptr<ProgramEntry> ProgramStage::entry(const std::string& text, bool urgent)
{
    auto& place = m_programs[sha256Hex(text)];
    if (!place)
        place = std::make_shared<ProgramEntry>();
    auto kept = place; // Compiling may end at once, and what follows may add programs.
    if (!kept->started) {
        kept->started = true;
        compile(kept, text, urgent);
    }
    return kept;
}

void ProgramStage::compile(const std::shared_ptr<ProgramEntry>& entry, const std::string& text, bool urgent)
{
    ProgramState state;
    auto program = parseProgram(text);
    if (!program) {
        state.failure = ProgramFailure{Verdict::PlanError, program.error().line, program.error().reason, {}};
        entry->set(std::move(state));
        return;
    }
    CompileRequest request;
    request.code = program->code;
    for (const auto& call : program->plan.calls)
        if (std::find(request.kernels.begin(), request.kernels.end(), call.kernel) == request.kernels.end())
            request.kernels.push_back(call.kernel);
    request.assemble = false;
    auto kept = std::make_shared<ProgramState>();
    kept->program = std::move(*program);
    TrialJob trial;
    trial.job.role = RunnerRole::Compile;
    trial.job.body = toJson(request);
    trial.job.wallSeconds = compileWallSeconds;
    trial.job.urgent = urgent;
    trial.control = m_control;
    trial.task = "compile a program";
    trial.take = [this, entry, kept](const nlohmann::json& answer) { return compiled(entry, *kept, answer); };
    trial.blame = [this, entry, kept](const JobOutcome& outcome) {
        ++m_options.metrics->compiled;
        kept->failure = compilerFailure(outcome);
        entry->set(std::move(*kept));
    };
    m_trials.submit(std::move(trial));
}

Status ProgramStage::compiled(const std::shared_ptr<ProgramEntry>& entry, ProgramState& state,
                              const nlohmann::json& answer)
{
    SPARSERL_TRY(auto read, compileAnswerFromJson(answer));
    ++m_options.metrics->compiled;
    if (!read) {
        state.failure = programFailure(read.error());
    } else {
        state.compiled = std::move(*read);
        // The plan and the PTX are all that runs: layout and comments make no difference.
        state.sameKey = sha256Hex(planKey(state.program.plan)) + state.compiled.ptxHash;
    }
    entry->set(std::move(state));
    return {};
}

void ProgramStage::assemble(const std::shared_ptr<ProgramEntry>& entry, std::function<void()> next)
{
    if (entry->value->failure)
        return next();
    entry->assembled.then(std::move(next));
    if (entry->assembled.started)
        return;
    entry->assembled.started = true;
    AssembleRequest request;
    request.ptx = entry->value->compiled.ptx;
    request.architecture = m_options.architecture; // A GPU's own, where there is one.
    for (const auto& call : entry->value->program.plan.calls)
        if (std::find(request.kernels.begin(), request.kernels.end(), call.kernel) == request.kernels.end())
            request.kernels.push_back(call.kernel);
    TrialJob trial;
    trial.job.role = RunnerRole::Compile;
    trial.job.body = toJson(request);
    trial.job.body["want_cubin"] = m_wantCubin;
    trial.job.wallSeconds = compileWallSeconds;
    trial.job.urgent = true;
    trial.control = m_control;
    trial.task = "assemble a program";
    trial.take = [this, entry](const nlohmann::json& answer) { return assembled(entry, answer); };
    trial.blame = [entry](const JobOutcome& outcome) {
        ProgramState& state = *entry->value;
        state.failure = compilerFailure(outcome);
        state.failure->verdict = Verdict::AssembleError;
        entry->assembled.set(true);
    };
    m_trials.submit(std::move(trial));
}

Status ProgramStage::assembled(const std::shared_ptr<ProgramEntry>& entry, const nlohmann::json& answer)
{
    SPARSERL_TRY(auto read, compileAnswerFromJson(answer));
    ProgramState& state = *entry->value;
    if (read) {
        state.compiled.cubin = std::move(read->cubin);
        state.compiled.resources = std::move(read->resources);
    } else {
        state.failure = programFailure(read.error());
    }
    entry->assembled.set(true);
    return {};
}

void ProgramStage::forgetUnfinished()
{
    std::erase_if(m_programs, [](const auto& one) {
        one.second->abandon();
        return !one.second->finished();
    });
}

void ProgramStage::trim(std::size_t most)
{
    if (m_programs.size() > most)
        m_programs.clear();
}

} // namespace sparserl
