// SPDX-License-Identifier: Apache-2.0
#include "training/job_runner.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

Result<std::vector<StageMatrix>> loadMatrices(Project& project, const CancelToken& cancel,
                                              const Progress& progress)
{
    std::vector<StageMatrix> matrices;
    for (const MatrixEntry& entry : project.matrices()) {
        auto loaded = project.load(entry, cancel, progress);
        if (!loaded) {
            return fail(loaded.error());
        }
        matrices.push_back({loaded->name, loaded->digest, entry.split == "held-out", loaded->matrix});
    }
    if (matrices.empty()) {
        return fail("The project has no matrices", "Add some with `sparserl import FILE --project DIR`");
    }
    return matrices;
}

Result<RunDirectory> openOrCreate(const JobStage& stage, const Project& project)
{
    const std::filesystem::path path = project.runsPath() / stage.run;
    if (std::filesystem::exists(path / "run.toml")) {
        return RunDirectory::open(path);
    }
    const auto config = runConfigOf(stage, project);
    if (!config) {
        return fail(config.error());
    }
    return RunDirectory::create(path, *config);
}

} // namespace

Result<StageOutcome::End> runJob(Project& project, const Job& job, const JobEnvironment& environment)
{
    StageEnvironment stageEnvironment;
    stageEnvironment.judge = environment.judge;
    stageEnvironment.cancel = environment.cancel;
    stageEnvironment.progress = environment.progress;

    for (std::size_t i = 0; i < job.stages.size(); ++i) {
        const JobStage& stage = job.stages[i];
        auto run = openOrCreate(stage, project);
        if (!run) {
            return fail(run.error());
        }
        const auto state = run->lastState();
        const bool done = state && state->state == RunState::Done;
        if (environment.onStage) {
            const bool began = state && state->state != RunState::Queued;
            environment.onStage(i, done    ? JobEnvironment::Begin::Skip
                                   : began ? JobEnvironment::Begin::Resume
                                           : JobEnvironment::Begin::Start);
        }
        if (done) {
            continue;
        }
        if (stageEnvironment.matrices.empty()) {
            auto matrices = loadMatrices(project, environment.cancel, environment.progress);
            if (!matrices) {
                return fail(matrices.error());
            }
            stageEnvironment.matrices = std::move(*matrices);
        }
        stageEnvironment.parent =
            stage.parent.empty() ? std::filesystem::path() : project.runsPath() / stage.parent;
        stageEnvironment.onEvent = [&](std::int64_t step, const Event& event) {
            if (environment.onEvent) {
                environment.onEvent(stage.run, step, event);
            }
        };
        const auto outcome = runStage(*run, stageEnvironment);
        if (!outcome) {
            return fail(outcome.error());
        }
        if (outcome->end != StageOutcome::End::Done) {
            return outcome->end;
        }
    }
    return StageOutcome::End::Done;
}

} // namespace sparserl
