// SPDX-License-Identifier: Apache-2.0
#include "export/compile_job.h"

#include "evaluation/protocol/jobs.h"
#include "evaluation/runners/find_runner.h"
#include "evaluation/runners/runner_pool.h"

#include <algorithm>
#include <optional>

namespace sparserl {

std::vector<std::string> kernelNames(const Plan& plan)
{
    std::vector<std::string> names;
    for (const PlanCall& call : plan.calls) {
        if (std::find(names.begin(), names.end(), call.kernel) == names.end())
            names.push_back(call.kernel);
    }
    return names;
}

Result<tl::expected<CompiledProgram, CompileFailure>> runCompileJob(const std::filesystem::path& runner,
                                                                    nlohmann::json body)
{
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    constexpr double wallSeconds = 60;
    SPARSERL_TRY(const auto path, findRunner(runner));
    PoolOptions options;
    options.runnerPath = path;
    options.runners = {1, 0};
    SPARSERL_TRY(auto pool, RunnerPool::start(std::move(options)));
    std::optional<JobOutcome> outcome;
    PoolJob job;
    job.role = RunnerRole::Compile;
    job.body = std::move(body);
    job.wallSeconds = wallSeconds;
    job.done = [&outcome](JobOutcome done) { outcome = std::move(done); };
    pool->submit(std::move(job));
    while (!outcome) {
        SPARSERL_CHECK(pool->pump(100));
    }
    if (outcome->kind != JobOutcome::Kind::Answered) {
        CompileFailure failure;
        failure.message = outcome->reason;
        return Answer(tl::unexpected(std::move(failure)));
    }
    SPARSERL_TRY(auto answer, compileAnswerFromJson(outcome->answer));
    return Answer(std::move(answer));
}

} // namespace sparserl
