// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/stage_parameters.h"

#include "training/parameters/dense_columns.h"
#include "training/parameters/parameter_groups.h"
#include "training/parameters/parameter_keys.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace sparserl {

namespace {

ParameterDeclarations sftParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    addPolicy(all, true);
    addSftData(all);
    addSftOptimisation(all);
    addAlarms(all, false);
    all.add(checkpointParameters(100, 100));
    return all;
}

ParameterDeclarations rlParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    addViews(all, "Rollout");
    addRollout(all);
    addAlgorithm(all);
    addUpdate(all);
    addCritic(all);
    addAlarms(all, true);
    all.add(checkpointParameters(5, 5));
    return all;
}

ParameterDeclarations pretrainParameters()
{
    ParameterDeclarations all = commonParameters();
    addPolicy(all, false);
    addPretraining(all);
    addAlarms(all, false);
    all.add(checkpointParameters(100, 100, false));
    return all;
}

ParameterDeclarations rftParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    addViews(all, "Rejection fine-tuning");
    addRejectionFineTuning(all);
    addRewards(all, "Rejection fine-tuning", 2, false);
    addAlarms(all, false);
    all.add(checkpointParameters(50, 50));
    return all;
}

ParameterDeclarations evaluateParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    addEvaluation(all);
    return all;
}

ParameterDeclarations searchParameters()
{
    ParameterDeclarations all = commonParameters(false);
    addTask(all);
    addSearch(all);
    return all;
}

} // namespace

const std::vector<StageDescription>& stageDescriptions()
{
    static const std::vector<StageDescription> all{
        {StageKind::Pretrain,
         "pretrain",
         "pretraining",
         StageCharts::Texts,
         {},
         StageKind::Sft,
         param::pretrain::steps.key},
        {StageKind::Sft,
         "sft",
         "supervised fine-tuning",
         StageCharts::Supervised,
         {},
         StageKind::Rl,
         param::sft::steps.key},
        {StageKind::Rft, "rft", "rejection fine-tuning", StageCharts::Supervised,
         "Rejection fine-tuning learns from what a policy writes: choose the checkpoint it starts from. If "
         "there "
         "is none yet, run supervised fine-tuning first.",
         StageKind::Rl, param::rft::steps.key},
        {StageKind::Rl, "rl", "reinforcement learning", StageCharts::Reinforcement,
         "Reinforcement learning starts from a policy: choose a checkpoint. If there is none yet, run "
         "supervised fine-tuning first.",
         StageKind::Evaluate, param::rl::iterations.key},
        {StageKind::Evaluate,
         "evaluate",
         "evaluation",
         StageCharts::Totals,
         "An evaluation needs a policy: choose the checkpoint to evaluate.",
         StageKind::Rl,
         {}},
        {StageKind::Search, "search", "search", StageCharts::Search, {}, {}, {}},
    };
    return all;
}

const StageDescription& describe(StageKind kind)
{
    const auto& all = stageDescriptions();
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const auto& stage) { return stage.kind == kind; });
    assert(at != all.end());
    return *at;
}

std::string_view needsParent(StageKind kind, const ParameterSet& parameters)
{
    const bool asksServer = kind == StageKind::Evaluate && !parameters[param::evaluate::endpoint].empty();
    return asksServer ? std::string_view() : describe(kind).needsParent;
}

const StageDescription* findStage(std::string_view name)
{
    for (const auto& stage : stageDescriptions()) {
        if (stage.name == name)
            return &stage;
    }
    return nullptr;
}

std::string_view nameOf(StageKind kind)
{
    return describe(kind).name;
}

std::vector<StageKind> stageKinds()
{
    std::vector<StageKind> kinds;
    for (const auto& stage : stageDescriptions())
        kinds.push_back(stage.kind);
    return kinds;
}

Result<StageKind> stageKindFromName(std::string_view name)
{
    if (const auto* stage = findStage(name))
        return stage->kind;
    std::string known;
    for (const auto& stage : stageDescriptions()) {
        const bool last = &stage == &stageDescriptions().back();
        known += (known.empty() ? "" : last ? " or " : ", ") + std::string(stage.name);
    }
    return fail("there is no stage \"" + std::string(name) + "\"", "Use " + known);
}

Status checkDeviceName(std::string_view device)
{
    constexpr std::string_view numbered = "cuda:";
    const std::string_view number =
        device.starts_with(numbered) ? device.substr(numbered.size()) : std::string_view();
    const bool isNumber = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
    if (device == "auto" || device == "cpu" || device == "cuda" || isNumber)
        return {};
    return fail("there is no device \"" + std::string(device) + "\"",
                "Use auto, cpu, cuda or cuda:N, such as cuda:1");
}

Status checkTogether(const ParameterSet& parameters)
{
    if (parameters.has(param::device.key))
        SPARSERL_CHECK(checkDeviceName(parameters[param::device]));
    if (parameters.has(param::task.key) && parameters.has(param::denseColumns.key))
        SPARSERL_CHECK(denseColumnsOf(parameters));
    if (parameters.has(param::rl::klTarget.key) && parameters[param::rl::klTarget] > 0 &&
        parameters[param::rl::klCoef] <= 0)
        return fail("rl.kl_target multiplies rl.kl_coef, which is 0 and stays so",
                    "Set rl.kl_coef above 0, or rl.kl_target = 0");
    if (parameters.has(param::reward::preset.key))
        SPARSERL_CHECK(rewardModel(parameters));
    return {};
}

Result<RewardModel> rewardModel(const ParameterSet& parameters)
{
    return RewardModel::preset(parameters[param::reward::preset],
                               {parameters[param::reward::rEff], parameters[param::reward::rPenalty],
                                parameters[param::reward::alpha]},
                               parameters[param::reward::expression]);
}

const ParameterDeclarations& stageParameters(StageKind kind)
{
    static const ParameterDeclarations sft = sftParameters();
    static const ParameterDeclarations rl = rlParameters();
    static const ParameterDeclarations evaluate = evaluateParameters();
    static const ParameterDeclarations rft = rftParameters();
    static const ParameterDeclarations pretrain = pretrainParameters();
    static const ParameterDeclarations search = searchParameters();
    switch (kind) {
    case StageKind::Pretrain:
        return pretrain;
    case StageKind::Sft:
        return sft;
    case StageKind::Rl:
        return rl;
    case StageKind::Evaluate:
        return evaluate;
    case StageKind::Rft:
        return rft;
    case StageKind::Search:
        return search;
    }
    return sft;
}

std::set<std::string> declaredParameters()
{
    std::set<std::string> keys;
    for (const StageKind kind : stageKinds()) {
        for (const ParameterSpec& spec : stageParameters(kind).specs())
            keys.insert(spec.key);
    }
    return keys;
}

std::string missingMatrices(StageKind kind, const ParameterSet& parameters, std::size_t training,
                            std::size_t heldOut)
{
    if (training + heldOut == 0)
        return "The project has no matrices";
    if (kind == StageKind::Pretrain || kind == StageKind::Search)
        return {};
    if (kind != StageKind::Evaluate)
        return training == 0 ? "The project has no training matrices" : std::string();
    const std::string& split = parameters[param::evaluate::split];
    if ((split == "train" && training == 0) || (split == "held-out" && heldOut == 0))
        return "The project has no matrices of the split \"" + split + "\", which evaluate.split asks for";
    if (training == 0 && !std::string(parameters[param::evaluate::temperatures]).empty())
        return "The project has no training matrices, on which evaluate.temperatures are compared";
    return {};
}

namespace {

/// Whether a checkpoint's state stays right under another value of a parameter that is fixed during a run:
/// those of the machine, of the judge, of the schedule, which follows from the step, the views of matrices,
/// which each process makes for itself, and the choice of the sampler.
bool survivesChange(std::string_view key)
{
    constexpr std::string_view any[] = {"threads",
                                        "device",
                                        "precision",
                                        "recompute_activations",
                                        param::policy::views.key,
                                        param::rl::sampler.key,
                                        param::rl::endpoint.key};
    if (key.starts_with("judge.") || std::find(std::begin(any), std::end(any), key) != std::end(any))
        return true;
    constexpr std::string_view ends[] = {".schedule",  ".warmup",     ".lr_floor",   ".adam_eps",
                                         ".kl_target", ".kl_horizon", ".micro_batch"};
    return std::any_of(std::begin(ends), std::end(ends),
                       [&](std::string_view end) { return key.ends_with(end); });
}

} // namespace

std::string forkFromWeights()
{
    return "Optimizer, schedule, random numbers and alarms start new, and in reinforcement learning the "
           "policy of the checkpoint becomes the reference of the KL.";
}

Result<ForkPlan> planFork(StageKind kind, const ParameterSet& before, const ParameterSet& after,
                          std::int64_t step)
{
    const std::string_view length = describe(kind).length;
    ForkPlan plan;
    if (length.empty()) {
        plan.sentence = "Starts again at the beginning: this stage does not train.";
        return plan;
    }
    std::string fixed;
    for (const std::string& key : after.differences(before)) {
        if ((key.starts_with("policy.") || key.starts_with("tokenizer.")) && !survivesChange(key))
            return fail(key + " says what a new policy is like, and a fork goes on from the checkpoint's",
                        "Leave it as it is, or train a new policy with `sparserl train`");
        const auto* spec = after.declarations().find(key);
        if (key != length && spec != nullptr && spec->effect == ParameterEffect::Restart &&
            !survivesChange(key))
            fixed += (fixed.empty() ? "" : ", ") + key;
    }
    if (!fixed.empty()) {
        plan.sentence =
            "Starts again at step 0 from the weights of the checkpoint, because its state does not fit "
            "another " +
            fixed + ". " + forkFromWeights();
        return plan;
    }
    const auto steps = std::get<std::int64_t>(after.value(length));
    if (steps <= step)
        return fail("the checkpoint is at step " + std::to_string(step) + ", and " + std::string(length) +
                        " = " + std::to_string(steps) + " leaves nothing to do after it",
                    "Raise " + std::string(length) + ", or choose an earlier checkpoint");
    plan.continues = true;
    plan.sentence = "Continues at step " + std::to_string(step) +
                    (kind == StageKind::Rl
                         ? " with the optimizer state, the random numbers and the KL reference of the run."
                         : " with the optimizer state and the random numbers of the run.");
    return plan;
}

std::map<std::string, ParameterValue> runValues(const ParameterSet& parameters)
{
    std::map<std::string, ParameterValue> values;
    for (const auto& spec : parameters.declarations().specs())
        values[spec.key] = parameters.value(spec.key);
    return values;
}

namespace {

/// What a run does whose run.toml is older than a parameter, where that is not the parameter's default: runs
/// write down every parameter that they know.
std::map<std::string, ParameterValue> earlierBehaviour(StageKind kind)
{
    if (kind == StageKind::Rl)
        return {{std::string(param::rl::critic.key), std::string("new")}};
    if (kind != StageKind::Sft)
        return {};
    return {{std::string(param::sft::draw.key), std::string("by-score")},
            {std::string(param::sft::useChosen.key), false},
            {std::string(param::sft::weighting.key), std::string("z-score")},
            {std::string(param::sft::recommended.key), 0.5},
            {std::string(param::sft::speedWeight.key), 0.5},
            {std::string(param::sft::contrast.key), 0.0}};
}

} // namespace

Result<ParameterSet> parametersFromRun(StageKind kind, const std::map<std::string, ParameterValue>& values)
{
    ParameterSet parameters(stageParameters(kind));
    for (const auto& [key, value] : earlierBehaviour(kind)) {
        SPARSERL_CHECK(parameters.set(key, value));
    }
    for (const auto& [key, value] : values) {
        SPARSERL_CHECK(parameters.set(key, value));
    }
    return parameters;
}

} // namespace sparserl
