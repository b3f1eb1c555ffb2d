// SPDX-License-Identifier: Apache-2.0
#include "training/rl_settings.h"

namespace sparserl {

namespace {

GroupBaseline baselineOf(const std::string& algorithm)
{
    if (algorithm == "grpo")
        return GroupBaseline::Grpo;
    if (algorithm == "rloo")
        return GroupBaseline::Rloo;
    if (algorithm == "reinforce++")
        return GroupBaseline::ReinforcePlusPlus;
    if (algorithm == "reinforce++-baseline")
        return GroupBaseline::ReinforceBaseline;
    return GroupBaseline::DrGrpo;
}

} // namespace

Result<RlSettings> RlSettings::from(const ParameterSet& parameters, std::int64_t iteration,
                                    std::int64_t total, std::int64_t maxTokens)
{
    RlSettings s;
    const auto& algorithm = parameters.text("rl.algorithm");
    s.critic = algorithm == "ppo";
    s.baseline = baselineOf(algorithm);
    s.temperature = parameters.real("rl.temperature");
    s.gamma = parameters.real("rl.gamma");
    s.lambda = parameters.real("rl.lambda");
    s.clip = {parameters.real("rl.clip_low"), parameters.real("rl.clip_high"),
              parameters.real("rl.dual_clip")};
    s.valueClip = parameters.real("rl.value_clip");
    s.entropyCoef = parameters.real("rl.entropy_coef");
    s.klLossCoef = parameters.real("rl.kl_loss_coef");
    s.whiten = parameters.boolean("rl.whiten");
    s.fixedLength = static_cast<double>(maxTokens);
    s.filterGroups = parameters.boolean("rl.filter_groups");
    s.epochs = parameters.integer("rl.epochs");
    s.valueEpochs = parameters.integer("rl.value_epochs");
    s.minibatch = parameters.integer("rl.minibatch");
    s.microBatch = parameters.integer("rl.micro_batch");
    s.adam.epsilon = parameters.real("rl.adam_eps");
    s.adam.weightDecay = parameters.real("rl.weight_decay");
    s.gradClip = parameters.real("rl.grad_clip");
    s.klStop = parameters.real("rl.kl_stop");

    auto rewardKl = klEstimatorFromName(parameters.text("rl.kl_estimator"));
    auto lossKl = klEstimatorFromName(parameters.text("rl.kl_loss_estimator"));
    auto aggregation = aggregationModeFromName(parameters.text("rl.aggregation"));
    auto schedule = scheduleFromName(parameters.text("rl.schedule"));
    for (const auto* failure :
         {rewardKl ? nullptr : &rewardKl.error(), lossKl ? nullptr : &lossKl.error(),
          aggregation ? nullptr : &aggregation.error(), schedule ? nullptr : &schedule.error()}) {
        if (failure != nullptr)
            return fail(*failure);
    }
    s.rewardKl = *rewardKl;
    s.lossKl = *lossKl;
    s.aggregation = *aggregation;
    const auto rate = [&](double peak) {
        return learningRateAt(*schedule, peak, iteration, parameters.integer("rl.warmup"), total, 0.1);
    };
    s.learningRate = rate(parameters.real("rl.lr"));
    s.criticLearningRate = rate(parameters.real("rl.critic_lr"));
    return s;
}

} // namespace sparserl
