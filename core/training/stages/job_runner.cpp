// SPDX-License-Identifier: Apache-2.0
#include "training/stages/job_runner.h"

#include "base/beneath.h"
#include "project/files/run_files.h"
#include "training/work/run_stage.h"
#include "training/work/stage_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace sparserl {

namespace {

Result<RunDirectory> openOrCreate(const JobStage& stage, const Project& project)
{
    const std::filesystem::path path = project.runsPath() / stage.run;
    if (glance(path / runFile).exists) {
        return RunDirectory::open(path);
    }
    SPARSERL_TRY(const auto config, runConfigOf(stage, project));
    return RunDirectory::create(path, config);
}

/// In which parameters a run differs from what the job asks for, as one that was there may; empty: in none.
std::string otherParameters(const RunDirectory& run, const JobStage& stage, const Project& project)
{
    const auto wanted = runConfigOf(stage, project);
    if (!wanted)
        return {};
    std::vector<std::string> differences;
    for (const auto& [key, value] : wanted->parameters) {
        if (isDrawnAtStart(key, value))
            continue;
        const auto has = run.config().parameters.find(key);
        if (has != run.config().parameters.end() && has->second != value)
            differences.push_back(fmt::format("{} = {}, not {}", key, toText(has->second), toText(value)));
    }
    if (differences.empty())
        return {};
    return fmt::format(
        "the run {} has {}: a run keeps the parameters that it began with. Remove its folder, or give "
        "it another name, to begin it again",
        stage.run, fmt::join(differences, "; "));
}

/// The judge that the run's own parameters ask for; those of its final figures as `environment` has them.
Result<std::unique_ptr<Judge>> stageJudge(const RunDirectory& run, StageEnvironment& environment)
{
    SPARSERL_TRY(const auto stage, stageOf(run));
    environment.makeFinalJudge = finalJudges(stage.parameters);
    return makeStageJudge(stage.parameters);
}

} // namespace

Result<StageOutcome::End> runJob(Project& project, const Job& job, const JobEnvironment& environment)
{
    StageEnvironment stageEnvironment;
    stageEnvironment.cancel = environment.cancel;
    stageEnvironment.progress = environment.progress;
    stageEnvironment.onSaving = environment.onSaving;
    stageEnvironment.onLock = environment.onLock;

    bool doubles = false; // The matrices have theirs.
    for (std::size_t i = 0; i < job.stages.size(); ++i) {
        const JobStage& stage = job.stages[i];
        SPARSERL_TRY(auto run, openOrCreate(stage, project));
        if (environment.onOtherParameters) {
            if (const std::string sentence = otherParameters(run, stage, project); !sentence.empty())
                environment.onOtherParameters(i, sentence);
        }
        const auto state = run.lastState();
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
        const bool wanted = needsDoubles(run);
        if (stageEnvironment.matrices.empty() || (wanted && !doubles)) {
            SPARSERL_TRY(auto matrices,
                         loadStageTargets(project, environment.cancel, environment.progress, wanted));
            doubles = wanted;
            stageEnvironment.matrices = std::move(matrices);
        }
        SPARSERL_TRY(stageEnvironment.chosen, readSftSet(project.path())); // It may have changed meanwhile.
        stageEnvironment.runs = project.runsPath();
        stageEnvironment.parent =
            stage.parent.empty() ? std::filesystem::path() : project.runsPath() / stage.parent;
        stageEnvironment.onEntry = [&](const JournalEntry& entry) {
            if (environment.onEntry) {
                environment.onEntry(stage.run, entry);
            }
        };
        const auto judge = stageJudge(run, stageEnvironment);
        if (!judge) {
            noteFailedStart(run, judge.error());
            return fail(judge.error());
        }
        stageEnvironment.judge = judge->get();
        SPARSERL_TRY(const auto outcome, runStage(run, stageEnvironment));
        if (outcome.end != StageOutcome::End::Done) {
            return outcome.end;
        }
    }
    return StageOutcome::End::Done;
}

} // namespace sparserl
