// SPDX-License-Identifier: Apache-2.0
#include "training/learning/experience_metrics.h"

#include "project/run/metrics.h"
#include "training/learning/kl.h"
#include "training/learning/losses.h"

#include <cmath>
#include <vector>

namespace sparserl {

namespace {

double meanOf(const torch::Tensor& x, const Mask& mask)
{
    return maskedMean(x, mask).item<double>();
}

void addMaskedMeanMaxMin(Metrics& metrics, MetricId name, const torch::Tensor& x, const Mask& mask)
{
    const auto valid = x.masked_select(mask.tensor > 0);
    if (valid.numel() == 0)
        return;
    metrics[name.part("mean")] = valid.mean().item<double>();
    metrics[name.part("max")] = valid.max().item<double>();
    metrics[name.part("min")] = valid.min().item<double>();
}

/// How far the sampler's probabilities are from the training forward's: training/* and rollout_corr/* of
/// verl.
void addMismatch(Metrics& metrics, const Experience& experience, const OldLogProb& old, const Mask& mask)
{
    const auto sampler = padded(experience.samplerLogProbs, mask.tensor.size(1));
    const auto on = mask.tensor > 0;
    const auto s = sampler.masked_select(on).to(torch::kFloat64);
    const auto o = old.tensor.masked_select(on).to(torch::kFloat64);
    if (s.numel() < 2)
        return;
    const auto difference = (s.exp() - o.exp()).abs();
    metrics[metric::probabilityDifference.part("_mean")] = difference.mean().item<double>();
    metrics[metric::probabilityDifference.part("_max")] = difference.max().item<double>();
    metrics[metric::probabilityDifference.part("_std")] = difference.std().item<double>();
    const auto sc = s.exp() - s.exp().mean(), oc = o.exp() - o.exp().mean();
    const double scale = std::sqrt((sc * sc).sum().item<double>() * (oc * oc).sum().item<double>());
    metrics[metric::probabilityCorrelation] = scale > 0 ? (sc * oc).sum().item<double>() / scale : 1;
    metrics[metric::logProbDifference.part("mean")] = (s - o).abs().mean().item<double>();
    metrics[metric::logProbDifference.part("max")] = (s - o).abs().max().item<double>();
    const auto d = o - s; // policy against sampler
    metrics[metric::rolloutKl] = (-d).mean().item<double>();
    metrics[metric::rolloutK3] = (d.exp() - 1 - d).mean().item<double>();
    metrics[metric::trainingPerplexity] = std::exp(-o.mean().item<double>());
    metrics[metric::rolloutPerplexity] = std::exp(-s.mean().item<double>());
    metrics[metric::chiSquare] = (2 * d).exp().mean().item<double>() - 1;
    const auto weight = d.clamp(-20, 20).exp();
    metrics[metric::rolloutWeight.part("_mean")] = weight.mean().item<double>();
    metrics[metric::rolloutWeight.part("_max")] = weight.max().item<double>();
    metrics[metric::rolloutWeight.part("_min")] = weight.min().item<double>();
    const double sum = weight.sum().item<double>();
    metrics[metric::rolloutWeight.part("_eff_sample_size")] =
        sum * sum / (weight * weight).sum().item<double>() / static_cast<double>(weight.numel());
}

} // namespace

void addExperienceMetrics(Metrics& metrics, const Experience& experience, const LearningTargets& targets,
                          const PenalisedRewards& rewards, const TokenStatistics& now, double klCoefficient)
{
    addMaskedMeanMaxMin(metrics, metric::behaviourWeight,
                        targets.correction.defined() ? targets.correction
                                                     : torch::ones_like(targets.mask.tensor),
                        targets.mask);

    // TRL sums over a response's tokens and averages over responses; verl averages over tokens.
    const auto k1 = klPerToken(LogProb(now.logProbs), targets.ref, targets.mask, KlEstimator::K1);
    const auto k3 = klPerToken(LogProb(now.logProbs), targets.ref, targets.mask, KlEstimator::K3);
    metrics[metric::klToReference] = k1.sum(1).mean().item<double>();
    metrics[metric::klCoefficient] = klCoefficient;
    metrics[metric::rewardKlPenalty] = meanOf(rewards.kl, targets.mask);
    metrics[metric::klSftK1] = meanOf(k1, targets.mask);
    metrics[metric::klSftK3] = meanOf(k3, targets.mask);
    metrics[metric::entropySum] = (now.entropy * targets.mask.tensor).sum(1).mean().item<double>();
    metrics[metric::entropy] = meanOf(now.entropy, targets.mask);
    metrics[metric::nonScoreReward] = (-klCoefficient * rewards.kl.sum(1)).mean().item<double>();
    std::vector<double> totals;
    for (std::int64_t i = 0; i < rewards.perToken.tensor.size(0); ++i)
        totals.push_back(rewards.perToken.tensor[i].sum().item<double>());
    addMeanMaxMin(metrics, metric::penalisedReward, totals);
    addMaskedMeanMaxMin(metrics, metric::advantages, targets.advantages.tensor, targets.mask);
    addMaskedMeanMaxMin(metrics, metric::returns, targets.returns.tensor, targets.mask);
    if (targets.values.tensor.defined()) {
        addMaskedMeanMaxMin(metrics, metric::values, targets.values.tensor, targets.mask);
        metrics[metric::explainedVariance] =
            explainedVariance(targets.values.tensor, targets.returns, targets.mask);
    }
    metrics[metric::totalTokens] = targets.mask.tensor.sum().item<double>();
    addMismatch(metrics, experience, targets.old, targets.mask);
    addAliases(metrics);
}

} // namespace sparserl
