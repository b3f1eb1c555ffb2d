// SPDX-License-Identifier: Apache-2.0
#include "evaluation/program_stage.h"

#include "base/hash.h"

#include <algorithm>

namespace sparserl {

namespace {

constexpr double compileWallSeconds = 60;

/// The plan lines of a text, without what spaces stand before them.
std::string planLines(const std::string& text)
{
    std::string plan;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = std::min(text.find('\n', at), text.size());
        const auto line = std::string_view(text).substr(at, end - at);
        if (const auto first = line.find_first_not_of(" \t");
            first != std::string_view::npos && line.substr(first).starts_with("//!"))
            plan += std::string(line.substr(first)) + "\n";
    }
    return plan;
}

} // namespace

ProgramStage::ProgramStage(RunnerPool& pool, const JudgeOptions& options, bool wantCubin,
                           std::function<void(Error)> breakDown)
    : m_pool(pool)
    , m_options(options)
    , m_wantCubin(wantCubin)
    , m_breakDown(std::move(breakDown))
{
}

std::shared_ptr<ProgramEntry> ProgramStage::entry(const std::string& hash, const std::string& text)
{
    auto& place = m_programs[hash];
    if (!place)
        place = std::make_shared<ProgramEntry>();
    const auto kept = place; // Compiling may end at once, and what follows may add programs.
    if (!kept->started) {
        kept->started = true;
        compile(kept, text);
    }
    return kept;
}

void ProgramStage::compile(const std::shared_ptr<ProgramEntry>& entry, const std::string& text)
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
    state.program = std::move(*program);
    PoolJob job;
    job.role = RunnerRole::Compile;
    job.body = toJson(request);
    job.wallSeconds = compileWallSeconds;
    job.done = [this, entry, state = std::move(state)](JobOutcome outcome) mutable {
        compiled(entry, std::move(state), std::move(outcome));
    };
    m_pool.submit(std::move(job));
}

void ProgramStage::compiled(const std::shared_ptr<ProgramEntry>& entry, ProgramState state,
                            JobOutcome outcome)
{
    ++m_options.metrics->compiled;
    if (outcome.kind == JobOutcome::Kind::Failed || outcome.kind == JobOutcome::Kind::Hung) {
        m_breakDown(
            Error{"a program could not be compiled: " + outcome.reason, {}, 0, "run `sparserl doctor`"});
        return;
    }
    if (outcome.kind == JobOutcome::Kind::Crashed) {
        state.failure = compilerCrash(outcome);
        entry->set(std::move(state));
        return;
    }
    auto answer = compileAnswerFromJson(outcome.answer);
    if (!answer) {
        m_breakDown(answer.error());
        return;
    }
    if (!*answer) {
        state.failure = programFailure(answer->error());
    } else {
        state.compiled = std::move(**answer);
        // The plan lines and the PTX are all that runs: names and comments make no difference.
        state.sameKey = sha256Hex(planLines(state.program.text)) + state.compiled.ptxHash;
    }
    entry->set(std::move(state));
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
    PoolJob job;
    job.role = RunnerRole::Compile;
    job.body = toJson(request);
    job.body["want_cubin"] = m_wantCubin;
    job.wallSeconds = compileWallSeconds;
    job.urgent = true;
    job.done = [this, entry](JobOutcome outcome) { assembled(entry, std::move(outcome)); };
    m_pool.submit(std::move(job));
}

void ProgramStage::assembled(const std::shared_ptr<ProgramEntry>& entry, JobOutcome outcome)
{
    ProgramState& state = *entry->value;
    if (outcome.kind == JobOutcome::Kind::Crashed) {
        state.failure = compilerCrash(outcome);
        state.failure->verdict = Verdict::AssembleError;
        return entry->assembled.set(true);
    }
    auto answer = outcome.kind == JobOutcome::Kind::Answered ? compileAnswerFromJson(outcome.answer)
                                                             : fail(outcome.reason);
    if (!answer)
        return m_breakDown(Error{"a program could not be assembled: " + answer.error().sentence(),
                                 {},
                                 0,
                                 "run `sparserl doctor`"});
    if (*answer) {
        state.compiled.cubin = std::move((*answer)->cubin);
        state.compiled.resources = std::move((*answer)->resources);
    } else {
        state.failure = programFailure(answer->error());
    }
    entry->assembled.set(true);
}

void ProgramStage::forgetUnfinished()
{
    std::erase_if(m_programs, [](const auto& one) { return !one.second->finished(); });
}

void ProgramStage::trim(std::size_t most)
{
    if (m_programs.size() > most)
        m_programs.clear();
}

} // namespace sparserl
