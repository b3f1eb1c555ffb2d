// SPDX-License-Identifier: Apache-2.0
#include "training/learning/losses.h"

#include "training/parameters/enum_names.h"

namespace sparserl {

std::string_view nameOf(RatioLevel level)
{
    return level == RatioLevel::Sequence ? "sequence" : "token";
}

Result<RatioLevel> ratioLevelFromName(std::string_view name)
{
    return enumNamed(name, {RatioLevel::Token, RatioLevel::Sequence}, "ratio");
}

std::string_view nameOf(PolicyObjective objective)
{
    return objective == PolicyObjective::Cispo ? "cispo" : "clipped";
}

Result<PolicyObjective> policyObjectiveFromName(std::string_view name)
{
    return enumNamed(name, {PolicyObjective::Clipped, PolicyObjective::Cispo}, "policy loss");
}

std::string_view nameOf(BehaviourCorrection correction)
{
    return correction == BehaviourCorrection::SequenceMask ? "sequence-mask" : "token-truncate";
}

Result<BehaviourCorrection> behaviourCorrectionFromName(std::string_view name)
{
    return enumNamed(name, {BehaviourCorrection::TokenTruncate, BehaviourCorrection::SequenceMask},
                     "correction");
}

std::string_view nameOf(AggregationMode mode)
{
    switch (mode) {
    case AggregationMode::TokenMean:
        return "token-mean";
    case AggregationMode::SeqMeanTokenSum:
        return "seq-mean-token-sum";
    case AggregationMode::SeqMeanTokenMean:
        return "seq-mean-token-mean";
    case AggregationMode::SeqMeanTokenSumNorm:
        return "seq-mean-token-sum-norm";
    }
    return "token-mean";
}

Result<AggregationMode> aggregationModeFromName(std::string_view name)
{
    return enumNamed(name,
                     {AggregationMode::TokenMean, AggregationMode::SeqMeanTokenSum,
                      AggregationMode::SeqMeanTokenMean, AggregationMode::SeqMeanTokenSumNorm},
                     "loss aggregation");
}

Aggregation Aggregation::over(const Mask& wholeBatch, AggregationMode mode, double fixedLength)
{
    const auto lengths = wholeBatch.tensor.to(torch::kFloat64).sum(1);
    Aggregation aggregation;
    aggregation.mode = mode;
    aggregation.tokens = std::max(1.0, lengths.sum().item<double>());
    aggregation.sequences = std::max(1.0, (lengths > 0).sum().item<double>());
    aggregation.fixedLength = fixedLength;
    return aggregation;
}

torch::Tensor aggregate(const torch::Tensor& perToken, const Mask& mask, const Aggregation& aggregation)
{
    const auto x = masked(perToken, mask);
    if (aggregation.weights.defined())
        return (x * aggregation.weights).sum() / aggregation.sequences;
    switch (aggregation.mode) {
    case AggregationMode::TokenMean:
        return x.sum() / aggregation.tokens;
    case AggregationMode::SeqMeanTokenSum:
        return x.sum() / aggregation.sequences;
    case AggregationMode::SeqMeanTokenMean:
        return (x.sum(1) / mask.tensor.sum(1).clamp_min(1)).sum() / aggregation.sequences;
    case AggregationMode::SeqMeanTokenSumNorm:
        return x.sum() / (aggregation.sequences * aggregation.fixedLength);
    }
    return x.sum() / aggregation.tokens;
}

torch::Tensor maskedMean(const torch::Tensor& x, const Mask& mask)
{
    return masked(x, mask).sum() / mask.tensor.sum().clamp_min(1);
}

namespace {

/// exp(logp - old), of tokens or of whole responses (0 outside the mask is 1 here). The exponent is clamped.
torch::Tensor ratioOf(const torch::Tensor& difference, const LogProb& logp, const Mask& mask,
                      RatioLevel level)
{
    if (level == RatioLevel::Token)
        return torch::exp(difference.clamp(-20, 20));
    const auto mean = difference.detach().sum(1, true) / mask.tensor.sum(1, true).clamp_min(1);
    const auto own = masked(logp.tensor - logp.tensor.detach(), mask); // 0, with the token's gradient
    return torch::exp(mean.clamp(-20, 20)) * torch::exp(own);
}

struct TokenLoss
{
    torch::Tensor loss, clipped, dual; ///< [B, T]; the latter two say of each token whether.
};

TokenLoss clippedLoss(const torch::Tensor& ratio, const torch::Tensor& a, const PolicyLossOptions& options)
{
    const auto free = -a * ratio;
    const auto clipped = -a * ratio.clamp(1 - options.clipLow, 1 + options.clipHigh);
    const auto upper = torch::maximum(free, clipped);
    TokenLoss result{upper, clipped > free, torch::zeros_like(upper, torch::kBool)};
    if (options.dualClip > 0) {
        const auto bound = -options.dualClip * a;
        result.dual = (upper > bound).logical_and(a < 0);
        result.loss = torch::where(a < 0, torch::minimum(upper, bound), upper);
    }
    return result;
}

TokenLoss cispoLoss(const LogProb& logp, const Mask& mask, const torch::Tensor& ratio, const torch::Tensor& a,
                    const PolicyLossOptions& options)
{
    const auto free = ratio.detach();
    const auto weight = free.clamp(1 - options.clipLow, 1 + options.clipHigh);
    return {-a * weight * masked(logp.tensor, mask), (weight != free).logical_and(a != 0),
            torch::zeros_like(free, torch::kBool)};
}

} // namespace

PolicyLoss policyLoss(const LogProb& logp, const OldLogProb& old, const Advantage& advantages,
                      const Mask& mask, const PolicyLossOptions& options, const Aggregation& aggregation,
                      const torch::Tensor& correction)
{
    const auto difference = masked(logp.tensor - old.tensor.detach(), mask);
    const auto ratio = ratioOf(difference, logp, mask, options.ratio);
    const auto a = masked(advantages.tensor, mask).detach();
    const auto [loss, clipped, dual] = options.objective == PolicyObjective::Cispo
                                           ? cispoLoss(logp, mask, ratio, a, options)
                                           : clippedLoss(ratio, a, options);

    PolicyLoss result;
    result.loss = aggregate(correction.defined() ? loss * correction : loss, mask, aggregation);
    const torch::NoGradGuard guard;
    const auto type = ratio.scalar_type();
    result.clipFraction = maskedMean(clipped.to(type), mask).item<double>();
    result.clipFractionHigh = maskedMean(clipped.logical_and(a > 0).to(type), mask).item<double>();
    result.clipFractionLower = maskedMean(dual.to(type), mask).item<double>();
    result.ppoKl = maskedMean(-difference, mask).item<double>();
    result.approxKl = 0.5 * maskedMean(difference * difference, mask).item<double>();
    const auto valid = ratio.detach().masked_select(mask.tensor > 0);
    if (valid.numel() > 0) {
        result.ratioMean = valid.mean().item<double>();
        result.ratioMin = valid.min().item<double>();
        result.ratioMax = valid.max().item<double>();
        result.ratioVariance = valid.numel() > 1 ? valid.var().item<double>() : 0;
        result.maxRatioError = (valid - 1).abs().max().item<double>();
    }
    return result;
}

torch::Tensor behaviourWeights(const OldLogProb& old, const torch::Tensor& behaviour, const Mask& mask,
                               double cap, BehaviourCorrection correction)
{
    const auto difference = masked(old.tensor.detach() - behaviour, mask);
    if (correction == BehaviourCorrection::TokenTruncate)
        return masked(torch::exp(difference.clamp(-20, 20)).clamp_max(cap), mask);
    const auto whole = torch::exp(difference.sum(1, true).clamp(-20, 20));
    return masked(torch::where(whole > cap, torch::zeros_like(whole), whole).expand_as(difference), mask);
}

ValueLoss valueLoss(const Value& values, const OldValue& old, const Return& returns, const Mask& mask,
                    double clip, const Aggregation& aggregation)
{
    const auto v = masked(values.tensor, mask);
    const auto r = masked(returns.tensor, mask).detach();
    const auto free = (v - r).square();
    ValueLoss result;
    if (clip <= 0) {
        result.loss = 0.5 * aggregate(free, mask, aggregation);
        return result;
    }
    const auto o = masked(old.tensor, mask).detach();
    const auto clipped = (torch::maximum(torch::minimum(v, o + clip), o - clip) - r).square();
    result.loss = 0.5 * aggregate(torch::maximum(free, clipped), mask, aggregation);
    const torch::NoGradGuard guard;
    result.clipFraction = maskedMean((clipped > free).to(v.scalar_type()), mask).item<double>();
    return result;
}

double explainedVariance(const torch::Tensor& values, const Return& returns, const Mask& mask)
{
    const torch::NoGradGuard guard;
    const auto on = mask.tensor > 0;
    const auto r = returns.tensor.to(torch::kFloat64).masked_select(on);
    if (r.numel() < 2)
        return 0;
    const auto residual = r - values.to(torch::kFloat64).masked_select(on);
    return 1 - residual.var().item<double>() / (r.var().item<double>() + 1e-5);
}

} // namespace sparserl
