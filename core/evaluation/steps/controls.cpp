// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/controls.h"

#include "corpus/corpus.h"
#include "evaluation/cases/control_case.h"
#include "evaluation/protocol/jobs.h"

namespace sparserl {

namespace {

constexpr double wallSeconds = 300; ///< Of work that takes a second on an idle machine.

Status compiledWell(const JobOutcome& outcome)
{
    if (outcome.kind != JobOutcome::Kind::Answered)
        return fail(outcome.reason);
    SPARSERL_TRY(const auto answer, compileAnswerFromJson(outcome.answer));
    if (!answer)
        return fail(answer.error().message);
    return {};
}

Flow<Status> compileReference(RunnerPool& pool, const JudgeOptions& options)
{
    const auto program = parseProgram(referenceProgram(Task::SpMV).text);
    if (!program)
        co_return fail(program.error().reason);
    CompileRequest request;
    request.code = program->code;
    request.architecture = options.architecture;
    for (const auto& call : program->plan.calls)
        request.kernels.push_back(call.kernel);
    PoolJob work;
    work.role = RunnerRole::Compile;
    work.body = toJson(request);
    work.wallSeconds = wallSeconds;
    work.urgent = work.fresh = true;
    const JobOutcome outcome = co_await pool.run(std::move(work));
    co_return compiledWell(outcome);
}

Flow<Status> simulateReference(RunnerPool& pool, const JudgeOptions& options, ProgramStore& programs)
{
    const auto program = co_await programs.own(referenceProgram(Task::SpMV).text);
    if (program->failure)
        co_return fail(program->failure->message);
    auto cases = controlCase();
    if (!cases)
        co_return fail(cases.error());
    SimulationJob job;
    job.program = program->program.text;
    job.ptx = program->compiled.ptx;
    job.resources = program->compiled.resources;
    job.model = options.deviceModel;
    const auto memory = cases->fill(job, {});
    if (!memory)
        co_return fail(memory.error());
    PoolJob work;
    work.role = RunnerRole::Sim;
    work.body = toJson(job);
    work.memory = *memory;
    work.matrices = cases->files();
    work.wallSeconds = wallSeconds;
    work.urgent = work.fresh = true;
    const JobOutcome outcome = co_await pool.run(std::move(work));
    if (outcome.kind != JobOutcome::Kind::Answered)
        co_return fail(outcome.reason);
    const auto answers = caseAnswersFromJson(outcome.answer);
    const auto findings = answers ? cases->judge(*answers, **memory, false) : fail(answers.error());
    if (!findings)
        co_return fail(findings.error());
    if (findings->failure)
        co_return fail("the simulator finds fault with the reference program");
    co_return Status();
}

} // namespace

std::shared_ptr<Control> compileControl(RunnerPool& pool, const JudgeOptions& options)
{
    return std::make_shared<Control>([&pool, &options] { return compileReference(pool, options); });
}

std::shared_ptr<Control> simulatorControl(RunnerPool& pool, const JudgeOptions& options,
                                          ProgramStore& programs)
{
    return std::make_shared<Control>(
        [&pool, &options, &programs] { return simulateReference(pool, options, programs); });
}

} // namespace sparserl
