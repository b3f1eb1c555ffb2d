// SPDX-License-Identifier: Apache-2.0
#include "training/learning/rl_settings.h"

#include "training/parameters/parameter_keys.h"

#include <algorithm>

namespace sparserl {

namespace {

/// Without a critic. A name that the parameter allows and this does not know is a programming error, told as
/// a sentence.
Result<GroupBaseline> baselineOf(const std::string& algorithm)
{
    if (algorithm == "grpo")
        return GroupBaseline::Grpo;
    if (algorithm == "dr-grpo" || algorithm == "ppo") // ppo has a critic and looks at no group
        return GroupBaseline::DrGrpo;
    if (algorithm == "rloo")
        return GroupBaseline::Rloo;
    if (algorithm == "reinforce++")
        return GroupBaseline::ReinforcePlusPlus;
    if (algorithm == "reinforce++-baseline")
        return GroupBaseline::ReinforceBaseline;
    if (algorithm == "max-at-k")
        return GroupBaseline::MaxAtK;
    if (algorithm == "self-critical")
        return GroupBaseline::SelfCritical;
    return fail("there is no algorithm \"" + algorithm + "\"", "Choose another rl.algorithm");
}

/// From `start` at the first iteration to `end` at the last one, linearly; `end` 0: constant.
double annealed(double start, double end, std::int64_t iteration, std::int64_t total)
{
    if (end <= 0 || total < 2)
        return start;
    const double part = static_cast<double>(std::clamp<std::int64_t>(iteration, 0, total - 1)) /
                        static_cast<double>(total - 1);
    return start + (end - start) * part;
}

} // namespace

Result<RlSettings> RlSettings::from(const ParameterSet& parameters, std::int64_t iteration,
                                    std::int64_t total, std::int64_t maxTokens)
{
    RlSettings s;
    const auto& algorithm = parameters[param::rl::algorithm];
    s.critic = algorithm == "ppo";
    SPARSERL_TRY(s.baseline, baselineOf(algorithm));
    s.temperature =
        annealed(parameters[param::rl::temperature], parameters[param::rl::temperatureEnd], iteration, total);
    s.gamma = parameters[param::rl::gamma];
    s.lambda = parameters[param::rl::lambda];
    s.clip = {parameters[param::rl::clipLow], parameters[param::rl::clipHigh],
              parameters[param::rl::dualClip]};
    SPARSERL_TRY(s.clip.ratio, ratioLevelFromName(parameters[param::rl::ratio]));
    SPARSERL_TRY(s.clip.objective, policyObjectiveFromName(parameters[param::rl::policyLoss]));
    s.maxK = parameters[param::rl::maxK];
    s.valueClip = parameters[param::rl::valueClip];
    s.entropyCoef = parameters[param::rl::entropyCoef];
    s.klLossCoef = parameters[param::rl::klLossCoef];
    s.whiten = parameters[param::rl::whiten];
    s.whitenByMatrix = parameters[param::rl::whitenOver] == "matrix";
    s.tokenClasses = parameters[param::rl::tokenClasses];
    s.planWeight = parameters[param::rl::planWeight];
    s.behaviourCap = parameters[param::rl::behaviourCap];
    SPARSERL_TRY(s.behaviour, behaviourCorrectionFromName(parameters[param::rl::behaviourCorrection]));
    const bool ofGroups =
        !s.critic && (s.baseline == GroupBaseline::Grpo || s.baseline == GroupBaseline::DrGrpo ||
                      s.baseline == GroupBaseline::Rloo);
    if (s.tokenClasses && !ofGroups)
        return fail("rl.token_classes needs a group baseline for each class, which the algorithm \"" +
                        algorithm + "\" does not have",
                    "Use rl.algorithm=dr-grpo (TritonRL's), grpo or rloo, or switch rl.token_classes off");
    s.fixedLength = static_cast<double>(maxTokens);
    s.filterGroups = parameters[param::rl::filterGroups];
    s.epochs = parameters[param::rl::epochs];
    s.valueEpochs = parameters[param::rl::valueEpochs];
    s.minibatch = parameters[param::rl::minibatch];
    s.microBatch = parameters[param::rl::microBatch];
    s.adam.epsilon = parameters[param::rl::adamEps];
    s.adam.weightDecay = parameters[param::rl::weightDecay];
    s.gradClip = parameters[param::rl::gradClip];
    s.klStop = parameters[param::rl::klStop];

    auto rewardKl = klEstimatorFromName(parameters[param::rl::klEstimator]);
    auto lossKl = klEstimatorFromName(parameters[param::rl::klLossEstimator]);
    auto aggregation = aggregationModeFromName(parameters[param::rl::aggregation]);
    auto schedule = scheduleFromName(parameters[param::rl::schedule]);
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
        return learningRateAt(*schedule, peak, iteration, parameters[param::rl::warmup], total,
                              parameters[param::rl::lrFloor]);
    };
    s.learningRate = rate(parameters[param::rl::lr]);
    s.criticLearningRate = rate(parameters[param::rl::criticLr]);
    return s;
}

} // namespace sparserl
