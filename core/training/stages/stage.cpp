// SPDX-License-Identifier: Apache-2.0
#include "training/work/stage.h"

#include "base/beneath.h"
#include "base/failure.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/rng.h"
#include "machine/sandbox_probe.h"
#include "matrix/reorder.h"
#include "project/run/checkpoint_files.h"
#include "project/run/default_policy.h"
#include "training/parameters/parameter_keys.h"
#include "training/sampling/repeatable.h"
#include "training/stages/join_processes.h"
#include "training/stages/placement.h"
#include "training/stages/stages.h"
#include "training/work/named_targets.h"
#include "training/work/policy_task.h"
#include "training/work/process_place.h"
#include "training/work/run_stage.h"
#include "training/work/run_targets.h"
#include "training/work/trained_on.h"

#include <fmt/format.h>
#include <map>
#include <system_error>

namespace sparserl {

namespace {

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
    {StageKind::Evaluate, makeEvaluateStage}, {StageKind::Search, makeSearchStage},
};

/// Puts the processes of a run to work on their GPUs, and tells of them.
Status meetProcesses(StageContext& context, const Compute& compute)
{
    auto& processes = context.processes();
    const auto step = context.checkpoint() ? context.checkpoint()->step : 0;
    const int gpu = compute.device.is_cpu() ? -1 : static_cast<int>(compute.device.index());
    for (const auto& sentence : {processesSentence(processes), useGpu(processes, gpu)}) {
        if (!sentence.empty()) {
            SPARSERL_CHECK(context.log(step, "info", sentence));
        }
    }
    return {};
}

/// LibTorch throws, most of all where memory runs out; that must end in a sentence too.
Status runKind(StageKind kind, StageContext& context, const Compute& compute, StageOutcome& outcome)
{
    try {
        SPARSERL_CHECK(meetProcesses(context, compute));
        SPARSERL_TRY(auto stage, makers.at(kind)(context));
        return runStageLoop(context, *stage, outcome);
    } catch (const ProcessFault& fault) {
        return fail(
            fault.what(),
            "Start the run again: it continues from its last checkpoint, with any number of processes");
    } catch (const Failure& failure) {
        return fail(failure.error());
    } catch (const c10::AcceleratorError& error) { // a GPU that is lost, or an error that no call clears
        const std::string what =
            error.what_without_backtrace(); // behind the first line: how to debug LibTorch
        const auto last = context.run().latestCheckpoint();
        return fail(
            "the GPU failed: " + what.substr(0, what.find('\n')),
            "Check with `nvidia-smi` and in the system log whether the GPU is still there, then resume: " +
                (last ? "the run continues from " + last->name
                      : std::string("the stage begins again, because it has no checkpoint yet")));
    } catch (const c10::OutOfMemoryError& error) {
        return fail("memory of the GPU ran out: " + std::string(error.what_without_backtrace()),
                    "Lower the micro-batch size, or free the GPU for this run; then resume");
    } catch (const c10::Error& error) {
        return fail("the tensor library failed: " + std::string(error.what_without_backtrace()) + limited(),
                    "If memory ran out, lower the micro-batch size; then resume");
    } catch (const std::bad_alloc&) {
        return fail("memory ran out" + limited(),
                    "Lower the micro-batch size or the number of samples, then resume");
    } catch (const std::system_error& error) { // no thread could be started
        return fail(std::string("the system refused something: ") + error.what() + limited(),
                    "See the limits of this shell with `ulimit -a`, then resume");
    }
}

/// What `evaluate.order` asks for, and a sentence that says so, or nothing. The same seed gives the same
/// matrices, so that a run can be resumed.
std::string reorderMatrices(StageKind kind, const ParameterSet& parameters,
                            std::vector<StageTarget>& matrices)
{
    if (kind != StageKind::Evaluate)
        return {};
    const auto order = matrixOrderFromName(parameters[param::evaluate::order]);
    if (!order || *order == MatrixOrder::AsIs)
        return {};
    Rng root = Rng(static_cast<std::uint64_t>(parameters[param::seed])).derive("order");
    if (const auto which = parameters[param::evaluate::orderSeed]; which > 0)
        root = root.derive(fmt::format("{}", which));
    for (StageTarget& matrix : matrices) {
        auto changed = inOrder(*matrix.target.matrix, *order, root.derive(matrix.target.id.contents).next());
        matrix.target.id.contents = digest(changed);
        if (matrix.target.id.variant.type != ElementType::F32)
            matrix.target.id.values = doublesDigest(changed);
        matrix.target.matrix = std::make_shared<const Csr>(std::move(changed));
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
        if (const auto newest = newestCheckpoint(run.path()); !newest) // then an older one is named
            environment.onEvent(outcome.step, LogEvent{"warning", newest.error().sentence()});
        environment.onEvent(outcome.step,
                            LogEvent{"info", "The run is finished already; nothing was done to it."});
    }
    return outcome;
}

/// During its lifetime, the environment knows the lock that this process holds; nullptr: none.
class LockNotice
{
public:
    LockNotice(const StageEnvironment& environment, const FileLock* lock)
        : m_environment(environment)
        , m_isGiven(lock != nullptr && environment.onLock)
    {
        if (m_isGiven)
            m_environment.onLock(lock);
    }
    ~LockNotice()
    {
        if (m_isGiven)
            m_environment.onLock(nullptr);
    }
    LockNotice(const LockNotice&) = delete;
    LockNotice& operator=(const LockNotice&) = delete;

private:
    const StageEnvironment& m_environment;
    bool m_isGiven;
};

/// How process 0 begins, for the others: the checkpoint that it has chosen, or that there is nothing to do.
struct Beginning
{
    std::optional<RunSession> session;
    std::optional<CheckpointInfo> checkpoint;
    std::optional<StageOutcome> finished;
};

Result<Beginning> beginAlone(RunDirectory& run, const StageEnvironment& environment, const Status& ready)
{
    Beginning begin;
    // Going back to the last checkpoint would take away what came after it.
    if (const auto state = run.lastState(); state && state->state == RunState::Done && !run.hasWorker()) {
        begin.finished = finishedOutcome(run, environment, state->totalSteps);
        return begin;
    }
    SPARSERL_CHECK(ready);
    SPARSERL_TRY(auto session, run.beginWork());
    begin.checkpoint = session.checkpoint();
    begin.session.emplace(std::move(session));
    return begin;
}

/// Process 0 takes the run unless it is not `ready`; the others hear what it found.
Result<Beginning> beginTogether(RunDirectory& run, const StageEnvironment& environment, const Status& ready)
{
    auto& processes = *environment.processes;
    if (processes.leads()) {
        auto begin = beginAlone(run, environment, ready);
        nlohmann::json message;
        if (begin) {
            message["finished"] = begin->finished.has_value();
            message["checkpoint"] = begin->checkpoint ? begin->checkpoint->name : std::string();
        } else {
            message["error"] = begin.error().sentence();
        }
        processes.broadcast(dumpJson(message));
        return begin;
    }
    SPARSERL_TRY(const auto message, parseJson(processes.broadcast(std::string())));
    if (const auto error = jsonValue<std::string>(message, "error", {}); !error.empty())
        return fail(error);
    SPARSERL_CHECK(ready);
    Beginning begin;
    if (jsonValue(message, "finished", false))
        begin.finished.emplace();
    if (const auto name = jsonValue<std::string>(message, "checkpoint", {}); !name.empty()) {
        SPARSERL_TRY(begin.checkpoint, run.checkpoint(name));
    }
    return begin;
}

} // namespace

RunConfig stageRunConfig(StageKind kind, const ParameterSet& parameters)
{
    RunConfig config;
    config.stage = std::string(nameOf(kind));
    config.parameters = runValues(parameters);
    return config;
}

namespace {

/// What a run has to say if the default policy that it was made for is not the one that is installed now;
/// empty if it is. An Error where half of the figures would be another policy's.
Result<std::string> otherDefaultPolicy(const RunConfig& config, const std::filesystem::path& parent,
                                       StageKind kind, std::int64_t begin)
{
    if (config.parentCheckpoint != defaultPolicyName || config.parentDigest.empty())
        return std::string();
    SPARSERL_TRY(const auto digest, digestOfPolicy(parent));
    if (digest == config.parentDigest)
        return std::string();
    if (begin == 0)
        return std::string("The default policy that this run was made for is not installed any more. The run "
                           "starts from the one that is installed now.");
    if (kind == StageKind::Evaluate)
        return failAt(
            parent.string(), 0,
            "this evaluation has begun with a default policy that is not installed any more",
            "Start a new evaluation, or let SPARSERL_DEFAULT_POLICY name the folder of that policy");
    return std::string(
        "The default policy that this run started from is not installed any more. The run goes "
        "on from its checkpoint; where it needs its parent again, as for the KL of "
        "reinforcement learning, it takes the one that is installed now.");
}

Result<StageOutcome> runStageTogether(RunDirectory& run, const StageEnvironment& environment)
{
    SPARSERL_TRY(auto stage, stageOf(run));
    const StageKind kind = stage.kind;
    ParameterSet& parameters = stage.parameters;
    if (environment.judge == nullptr)
        return fail("the stage has no judge to run programs with");
    StageEnvironment resolved = environment;
    if (!environment.parent.empty()) {
        SPARSERL_TRY(auto policy, findPolicy(environment.parent));
        resolved.parent = policy;
    }
    std::string seen;
    // A search may have a policy, and what that was trained on is searched like anything else.
    const bool searches = kind == StageKind::Search;
    if (!resolved.parent.empty() && !searches) {
        SPARSERL_TRY(const auto trainedOn, readTrainedOn(resolved.parent));
        seen = holdToTrainedOn(kind, trainedOn, resolved.matrices);
    }
    const bool computes = !searches || !resolved.parent.empty();
    const auto placed = computes ? computeOf(parameters, *environment.processes) : computeFor("cpu", "fp32");
    SPARSERL_TRY(auto beginning, beginTogether(run, resolved, placed ? Status() : fail(placed.error())));
    if (beginning.finished)
        return *beginning.finished;
    SPARSERL_TRY(const auto compute, placed);
    computeRepeatably(static_cast<int>(parameters[param::threads]), environment.processes->localSize(),
                      compute);
    SPARSERL_TRY(resolved.matrices, targetsOfRun(parameters, resolved.matrices));
    SPARSERL_CHECK(keepNamedTargets(kind, parameters, resolved.matrices));
    const std::string order = reorderMatrices(kind, parameters, resolved.matrices);
    const auto notices = beginning.session ? beginning.session->notices() : std::vector<std::string>();
    const std::int64_t begin = beginning.checkpoint ? beginning.checkpoint->step : 0;
    const FileLock* const lock = beginning.session ? &beginning.session->lock() : nullptr;
    SPARSERL_TRY(const auto otherParent, otherDefaultPolicy(run.config(), resolved.parent, kind, begin));

    StageContext context(run, std::move(beginning.session), std::move(beginning.checkpoint), resolved,
                         std::move(parameters));
    const LockNotice lockNotice(environment, lock); // after `context`, which holds the lock
    for (const auto& notice : notices) {
        SPARSERL_CHECK(context.log(begin, "warning", notice));
    }
    if (!otherParent.empty()) {
        SPARSERL_CHECK(context.log(begin, "warning", otherParent));
    }
    if (!order.empty()) {
        SPARSERL_CHECK(context.log(begin, "info", order));
    }
    const bool samplesFirst =
        kind == StageKind::Evaluate || kind == StageKind::Rl || kind == StageKind::Rft || searches;
    if (samplesFirst && !resolved.parent.empty()) {
        const auto sentence = otherTaskSentence(resolved.parent, context.parameters()[param::task],
                                                elementTypeOf(context.parameters()));
        if (!sentence.empty()) {
            SPARSERL_CHECK(context.log(begin, "warning", sentence));
        }
    }
    if (begin == 0 && !seen.empty()) {
        SPARSERL_CHECK(context.log(begin, "warning", seen));
    }
    for (const auto& matrix : resolved.matrices) {
        for (const auto& warning : begin == 0 ? matrix.warnings : std::vector<std::string>()) {
            SPARSERL_CHECK(context.log(begin, "warning", warning));
        }
    }
    if (const auto sentence = computes ? placementSentence(context.parameters(), compute) : std::string();
        !sentence.empty()) {
        SPARSERL_CHECK(context.log(begin, "info", sentence));
    }
    if (const auto sandboxes = resolved.judge ? resolved.judge->sandboxes() : std::vector<RoleSandbox>();
        !sandboxes.empty()) {
        SPARSERL_CHECK(
            context.log(begin, "info", "Programs run in locked processes: " + sandboxWords(sandboxes) + "."));
    }
    StageOutcome outcome;
    const auto status = runKind(kind, context, compute, outcome);
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
                          ? "Stopped on request; a resume continues from the last checkpoint"
                          : "Stopped on request before the first checkpoint; resume begins the stage again";
    else if (outcome.end == StageOutcome::End::Interrupted)
        last.reason = run.latestCheckpoint()
                          ? "Interrupted; a resume continues from the last checkpoint"
                          : "Interrupted before the first checkpoint; resume begins the stage again";
    SPARSERL_CHECK(context.emit(outcome.step, last));
    if (context.leads()) {
        SPARSERL_CHECK(context.journal().sync());
    }
    if (const auto checkpoint = run.latestCheckpoint())
        outcome.checkpoint = checkpoint->path;
    return outcome;
}

} // namespace

void noteFailedStart(RunDirectory& run, const Error& error)
{
    const auto last = run.lastState();
    if (isInterruption(error) || !last || last->state != RunState::Queued)
        return;
    auto session = run.beginWork();
    if (!session || !session->journal().append(0, StateEvent{RunState::Failed, error.sentence(), 0}))
        return; // the error itself is printed in any case
    static_cast<void>(session->journal().sync());
}

Result<StageOutcome> runStage(RunDirectory& run, const StageEnvironment& environment)
{
    auto& processes = *environment.processes;
    const auto ended = [&]() -> Result<StageOutcome> {
        try {
            return runStageTogether(run, environment);
        } catch (const ProcessFault& fault) { // before the stage began
            return fail(fault.what());
        }
    };
    auto outcome = ended();
    if (!outcome && processes.leads())
        noteFailedStart(run, outcome.error());
    if (!outcome)
        processes.reportFailure("Process " + std::to_string(processes.rank()) +
                                " has failed: " + outcome.error().sentence());
    return outcome;
}

} // namespace sparserl
