// SPDX-License-Identifier: Apache-2.0
#include "ask_compiler.h"

#include "evaluation/protocol/jobs.h"
#include "evaluation/runners/find_runner.h"
#include "evaluation/runners/runner_pool.h"
#include "kernel/plan.h"

namespace sparserl {

Result<std::vector<CompilerSays>> askCompiler(const std::vector<std::string>& programs)
{
    PoolOptions options;
    SPARSERL_TRY(options.runnerPath, findRunner({}));
    options.runners = {2, 0};
    SPARSERL_TRY(auto pool, RunnerPool::start(std::move(options)));
    std::vector<CompilerSays> answers(programs.size());
    std::optional<Error> failed;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto program = parseProgram(programs[i]);
        if (!program)
            return fail("the plan of a program cannot be read: " + program.error().reason,
                        "mend the program");
        CompileRequest request;
        request.code = program->code;
        request.assemble = false;
        PoolJob job;
        job.role = RunnerRole::Compile;
        job.body = toJson(request);
        job.done = [&failed, &says = answers[i]](JobOutcome outcome) {
            if (outcome.kind != JobOutcome::Kind::Answered)
                return; // NVRTC crashed: it has accepted nothing, and named no line.
            const auto answer = compileAnswerFromJson(outcome.answer);
            if (!answer)
                failed = answer.error();
            else if (!*answer && answer->error().kind == CompileFailure::Kind::CompileError)
                says = {true, answer->error().line, answer->error().message};
        };
        pool->submit(std::move(job));
    }
    while (pool->pending() && !failed) {
        SPARSERL_CHECK(pool->pump(100));
    }
    if (failed)
        return tl::unexpected(*failed);
    return answers;
}

} // namespace sparserl
