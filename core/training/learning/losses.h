// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/learning/tensors.h"

#include <string_view>

namespace sparserl {

/// The aggregation of per-token losses (verl's names).
enum class AggregationMode
{
    TokenMean,          ///< "token-mean": sum over tokens / all tokens (DAPO)
    SeqMeanTokenSum,    ///< "seq-mean-token-sum"
    SeqMeanTokenMean,   ///< "seq-mean-token-mean": the original GRPO
    SeqMeanTokenSumNorm ///< "seq-mean-token-sum-norm": Dr.GRPO, sum / (responses * constant length)
};
std::string_view nameOf(AggregationMode mode);
Result<AggregationMode> aggregationModeFromName(std::string_view name);

/// The denominators are those of the whole batch of one optimizer step, not of a micro-batch, so splitting a
/// batch does not change its gradient.
struct Aggregation
{
    AggregationMode mode = AggregationMode::TokenMean;
    double tokens = 1;      ///< Sum of the mask over the whole batch.
    double sequences = 1;   ///< Responses with at least one token.
    double fixedLength = 1; ///< For SeqMeanTokenSumNorm: the maximum response length.
    /// [B, T] for the current rows. If defined, replaces the mode: the loss is sum(weights * loss) /
    /// sequences (token classes, see classWeights).
    torch::Tensor weights = {};

    static Aggregation over(const Mask& wholeBatch, AggregationMode mode, double fixedLength);
};
torch::Tensor aggregate(const torch::Tensor& perToken, const Mask& mask, const Aggregation& aggregation);

/// Mean over the mask; 0 for an empty mask.
torch::Tensor maskedMean(const torch::Tensor& x, const Mask& mask);

/// The unit for comparing a response with the sampling policy.
enum class RatioLevel
{
    Token,   ///< "token": exp(logp - old) of each token (PPO, GRPO)
    Sequence ///< "sequence": exp of the mean of logp - old over the response, for all its tokens (GSPO, 4.1).
             ///< A token's gradient flows only through its own probability (GSPO-token, 4.3)
};
std::string_view nameOf(RatioLevel level);
Result<RatioLevel> ratioLevelFromName(std::string_view name);

enum class PolicyObjective
{
    Clipped, ///< "clipped": max(-A ratio, -A clip(ratio)) with the dual clip; no gradient if clipped
    Cispo    ///< "cispo": -A sg(clip(ratio)) logp: clipped tokens still contribute (MiniMax-M1, eq. 4 and 5)
};
std::string_view nameOf(PolicyObjective objective);
Result<PolicyObjective> policyObjectiveFromName(std::string_view name);

struct PolicyLossOptions
{
    double clipLow = 0.2;   ///< Ratio at least 1 - clipLow.
    double clipHigh = 0.28; ///< Ratio at most 1 + clipHigh (DAPO's clip-higher).
    double dualClip = 3.0;  ///< For negative advantages the loss is at most -dualClip * A; 0: off (Ye et al.
                            ///< 2020). Only for Clipped.
    RatioLevel ratio = RatioLevel::Token;
    PolicyObjective objective = PolicyObjective::Clipped;
};

struct PolicyLoss
{
    torch::Tensor loss;           ///< Scalar with gradient.
    double clipFraction = 0;      ///< actor/pg_clipfrac: tokens with the clipped branch larger; in Cispo,
                                  ///< with a clipped weight.
    double clipFractionLower = 0; ///< actor/pg_clipfrac_lower: tokens with an active dual clip.
    double clipFractionHigh =
        0;               ///< The part of clipFraction with a ratio above the bound and a positive advantage.
    double ppoKl = 0;    ///< actor/ppo_kl: mean of old - logp (k1), not clamped.
    double approxKl = 0; ///< policy/approxkl_avg: 0.5 mean of (logp - old)^2 (k2).
    double ratioMean = 1, ratioMin = 1, ratioMax = 1, ratioVariance = 0;
    double maxRatioError = 0; ///< max |ratio - 1|
};
/// `correction` [B, T] weights each token's loss (behaviourWeights); undefined: 1.
PolicyLoss policyLoss(const LogProb& logp, const OldLogProb& old, const Advantage& advantages,
                      const Mask& mask, const PolicyLossOptions& options, const Aggregation& aggregation,
                      const torch::Tensor& correction = {});

enum class BehaviourCorrection
{
    TokenTruncate, ///< "token-truncate": min(w, cap) of each token's w = exp(old - behaviour)
    SequenceMask   ///< "sequence-mask": the product of w over a response for all its tokens, 0 above the cap
};
std::string_view nameOf(BehaviourCorrection correction);
Result<BehaviourCorrection> behaviourCorrectionFromName(std::string_view name);

/// Importance weights of tokens sampled from another distribution than the policy's. With them, the loss is
/// again an expectation under the policy, up to the cap. 0 outside the mask.
torch::Tensor behaviourWeights(const OldLogProb& old, const torch::Tensor& behaviour, const Mask& mask,
                               double cap,
                               BehaviourCorrection correction = BehaviourCorrection::TokenTruncate);

struct ValueLoss
{
    torch::Tensor loss; ///< 0.5 * aggregate(max((V - R)^2, (clip(V, V_old +- eps) - R)^2)), with gradient.
    double clipFraction = 0;
};
/// `clip` 0: no clipping.
ValueLoss valueLoss(const Value& values, const OldValue& old, const Return& returns, const Mask& mask,
                    double clip, const Aggregation& aggregation);

/// 1 - var(R - V) / (var(R) + 1e-5) over the mask (critic/vf_explained_var).
double explainedVariance(const torch::Tensor& values, const Return& returns, const Mask& mask);

} // namespace sparserl
