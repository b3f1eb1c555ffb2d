// SPDX-License-Identifier: Apache-2.0
#include "training/stage.h"

#include "base/limits.h"
#include "base/rng.h"
#include "matrix/reorder.h"
#include "project/checkpoint_files.h"
#include "training/parameter_keys.h"
#include "training/placement.h"
#include "training/stages.h"

#include <fmt/format.h>
#include <map>
#include <system_error>
#include <thread>

namespace sparserl {

namespace {

/// Repeatable results on a CPU: one number of threads for the whole stage, deterministic algorithms only. On
/// a GPU two runs differ by roundings: its fused attention has no such algorithm.
void prepareTorch(const ParameterSet& parameters, const Compute& compute)
{
    const auto asked = static_cast<int>(parameters[param::threads]);
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    torch::set_num_threads(asked > 0 ? asked : cores);
    at::globalContext().setDeterministicAlgorithms(compute.device.is_cpu(), /*warn_only=*/true);
    at::globalContext().setDeterministicFillUninitializedMemory(false);
}

bool isPolicyFolder(const std::filesystem::path& path)
{
    std::error_code ignored;
    return std::filesystem::exists(path / "config.json", ignored) &&
           std::filesystem::exists(path / "model.safetensors", ignored);
}

/// A policy in a checkpoint is used only if the checkpoint is whole.
Result<std::filesystem::path> verified(const std::filesystem::path& folder)
{
    std::error_code ignored;
    if (std::filesystem::exists(folder / "checkpoint.json", ignored)) {
        if (auto status = verifyCheckpoint(folder); !status) {
            auto error = status.error();
            error.remedy = "Use another checkpoint of the run; this one is damaged";
            return fail(std::move(error));
        }
    }
    return folder;
}

/// What limits this process's memory, to be added to a sentence.
std::string limited()
{
    const std::string limit = addressSpaceSentence();
    return limit.empty() ? limit : "; " + limit;
}

/// A new stage: its line here, its description in stage_parameters.cpp.
const std::map<StageKind, Result<std::unique_ptr<Stage>> (*)(StageContext&)> makers{
    {StageKind::Pretrain, makePretrainStage}, {StageKind::Sft, makeSftStage},
    {StageKind::Rft, makeRftStage},           {StageKind::Rl, makeRlStage},
    {StageKind::Evaluate, makeEvaluateStage},
};

/// LibTorch throws, most of all where memory runs out; that must end in a sentence too.
Status runKind(StageKind kind, StageContext& context, StageOutcome& outcome)
{
    try {
        SPARSERL_TRY(auto stage, makers.at(kind)(context));
        return runStageLoop(context, *stage, outcome);
    } catch (const c10::Error& error) {
        return fail("The tensor library failed: " + std::string(error.what_without_backtrace()) + limited(),
                    "If memory ran out, lower the micro-batch size; then resume");
    } catch (const std::bad_alloc&) {
        return fail("Memory ran out" + limited(),
                    "Lower the micro-batch size or the number of samples, then resume");
    } catch (const std::system_error& error) { // no thread could be started
        return fail(std::string("The system refused something: ") + error.what() + limited(),
                    "See the limits of this shell with `ulimit -a`, then resume");
    }
}

/// What `evaluate.order` asks for, and a sentence that says so, or nothing. The same seed gives the same
/// matrices, so that a run can be resumed.
std::string reorderMatrices(StageKind kind, const ParameterSet& parameters,
                            std::vector<StageMatrix>& matrices)
{
    if (kind != StageKind::Evaluate)
        return {};
    const auto order = matrixOrderFromName(parameters[param::evaluate::order]);
    if (!order || *order == MatrixOrder::AsIs)
        return {};
    const Rng root = Rng(static_cast<std::uint64_t>(parameters[param::seed])).derive("order");
    for (StageMatrix& matrix : matrices) {
        auto changed = inOrder(*matrix.matrix, *order, root.derive(matrix.digest).next());
        matrix.digest = digest(changed);
        matrix.matrix = std::make_shared<const Csr>(std::move(changed));
    }
    return fmt::format("Rows and columns of all matrices are put in another order: {}.", nameOf(*order));
}

/// A run that is done stays as it is.
StageOutcome finishedOutcome(const RunDirectory& run, const StageEnvironment& environment, std::int64_t steps)
{
    StageOutcome outcome;
    outcome.step = steps;
    if (const auto checkpoint = run.latestCheckpoint()) {
        outcome.step = checkpoint->step;
        outcome.checkpoint = checkpoint->path;
    }
    if (environment.onEvent) {
        if (const std::string doubt = run.journalDoubt(); !doubt.empty())
            environment.onEvent(outcome.step, LogEvent{"warning", doubt + ". It says that the run is done."});
        environment.onEvent(outcome.step,
                            LogEvent{"info", "The run is finished already; nothing was done to it."});
    }
    return outcome;
}

} // namespace

Result<std::filesystem::path> findPolicy(const std::filesystem::path& path)
{
    if (isPolicyFolder(path))
        return verified(path);
    const auto checkpoints = listCheckpoints(path);
    for (auto at = checkpoints.rbegin(); at != checkpoints.rend(); ++at) {
        if (isPolicyFolder(at->path))
            return verified(at->path);
    }
    return failAt(path.string(), 0, "There is no policy here",
                  "Give a policy directory, a checkpoint, or a run that trains");
}

RunConfig stageRunConfig(StageKind kind, const ParameterSet& parameters)
{
    RunConfig config;
    config.stage = std::string(nameOf(kind));
    config.parameters = runValues(parameters);
    return config;
}

Result<StageOutcome> runStage(RunDirectory& run, const StageEnvironment& environment)
{
    SPARSERL_TRY(const auto kind, stageKindFromName(run.config().stage));
    auto parameters = parametersFromRun(kind, run.config().parameters);
    if (!parameters)
        return failAt((run.path() / "run.toml").string(), 0, parameters.error().what,
                      parameters.error().remedy);
    if (environment.judge == nullptr)
        return fail("The stage has no judge to run programs with");
    StageEnvironment resolved = environment;
    if (!environment.parent.empty()) {
        SPARSERL_TRY(auto policy, findPolicy(environment.parent));
        resolved.parent = policy;
    }
    // Going back to the last checkpoint would take away what came after it.
    if (const auto state = run.lastState(); state && state->state == RunState::Done && !run.hasWorker())
        return finishedOutcome(run, environment, state->totalSteps);
    SPARSERL_TRY(const auto compute, computeOf(*parameters));
    prepareTorch(*parameters, compute);
    const std::string order = reorderMatrices(kind, *parameters, resolved.matrices);
    SPARSERL_TRY(auto session, run.beginWork());
    auto notices = session.notices();
    const std::int64_t begin = session.checkpoint() ? session.checkpoint()->step : 0;
    for (const auto& matrix : resolved.matrices) {
        if (begin == 0)
            notices.insert(notices.end(), matrix.warnings.begin(), matrix.warnings.end());
    }

    StageContext context(run, std::move(session), resolved, std::move(*parameters));
    for (const auto& notice : notices) {
        SPARSERL_CHECK(context.log(begin, "warning", notice));
    }
    if (!order.empty()) {
        SPARSERL_CHECK(context.log(begin, "info", order));
    }
    if (const auto sentence = placementSentence(context.parameters(), compute); !sentence.empty()) {
        SPARSERL_CHECK(context.log(begin, "info", sentence));
    }
    StageOutcome outcome;
    const auto status = runKind(kind, context, outcome);
    if (!status) {
        // The reason must reach the journal even where it is the journal's disk that is the reason: best
        // effort.
        static_cast<void>(
            context.emit(outcome.step, StateEvent{RunState::Failed, status.error().sentence(), 0}));
        return fail(status.error());
    }
    outcome.end = context.howEnded();
    StateEvent last;
    last.state = outcome.end == StageOutcome::End::Done ? RunState::Done : RunState::Paused;
    if (outcome.end == StageOutcome::End::Stopped)
        last.reason = run.latestCheckpoint()
                          ? "Stopped on request; resume goes on from the last checkpoint"
                          : "Stopped on request before the first checkpoint; resume begins the stage again";
    else if (outcome.end == StageOutcome::End::Interrupted)
        last.reason = run.latestCheckpoint()
                          ? "Interrupted; resume goes on from the last checkpoint"
                          : "Interrupted before the first checkpoint; resume begins the stage again";
    SPARSERL_CHECK(context.emit(outcome.step, last));
    SPARSERL_CHECK(context.session().journal().sync());
    if (const auto checkpoint = run.latestCheckpoint())
        outcome.checkpoint = checkpoint->path;
    return outcome;
}

} // namespace sparserl
