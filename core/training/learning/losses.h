// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/learning/tensors.h"

#include <string_view>

namespace sparserl {

/// How the losses of tokens are combined into one number (verl's names).
enum class AggregationMode
{
    TokenMean,          ///< "token-mean": sum over all tokens / number of tokens (DAPO)
    SeqMeanTokenSum,    ///< "seq-mean-token-sum"
    SeqMeanTokenMean,   ///< "seq-mean-token-mean": the original GRPO
    SeqMeanTokenSumNorm ///< "seq-mean-token-sum-norm": sum / (responses * constant length) (Dr.GRPO)
};
std::string_view nameOf(AggregationMode mode);
Result<AggregationMode> aggregationModeFromName(std::string_view name);

/// The mode and its denominators. These are counted over the whole batch of an optimizer step, not over a
/// micro-batch, so splitting a batch does not change its gradient.
struct Aggregation
{
    AggregationMode mode = AggregationMode::TokenMean;
    double tokens = 1;      ///< Sum of the mask over the whole batch.
    double sequences = 1;   ///< Responses with at least one token.
    double fixedLength = 1; ///< For SeqMeanTokenSumNorm: the maximum response length.
    /// [B, T] for the current rows. If defined, it replaces the mode: the loss is then sum(weights * loss) /
    /// sequences (for token classes, see classWeights).
    torch::Tensor weights = {};

    static Aggregation over(const Mask& wholeBatch, AggregationMode mode, double fixedLength);
};
torch::Tensor aggregate(const torch::Tensor& perToken, const Mask& mask, const Aggregation& aggregation);

/// Returns the mean over the tokens of the mask; 0 for an empty mask.
torch::Tensor maskedMean(const torch::Tensor& x, const Mask& mask);

/// The unit in which a response is compared with the sampling policy.
enum class RatioLevel
{
    Token,   ///< "token": each token has its own ratio exp(logp - old) (PPO, GRPO).
    Sequence ///< "sequence": all tokens share exp(mean of logp - old over the response) (GSPO, 4.1).
             ///< A token's gradient flows only through its own probability (GSPO-token, 4.3).
};
std::string_view nameOf(RatioLevel level);
Result<RatioLevel> ratioLevelFromName(std::string_view name);

enum class PolicyObjective
{
    Clipped, ///< "clipped": max(-A ratio, -A clip(ratio)) with the dual clip; no gradient if clipped
    Cispo    ///< "cispo": -A sg(clip(ratio)) logp; clipped tokens still contribute (MiniMax-M1, eq. 4, 5)
};
std::string_view nameOf(PolicyObjective objective);
Result<PolicyObjective> policyObjectiveFromName(std::string_view name);

struct PolicyLossOptions
{
    double clipLow = 0.2;   ///< The ratio is clipped to at least 1 - clipLow.
    double clipHigh = 0.28; ///< The ratio is clipped to at most 1 + clipHigh (DAPO's clip-higher).
    double dualClip = 3.0;  ///< If A < 0, the loss is at most -dualClip * A; 0: no limit (Ye et al.
                            ///< 2020). Used only by Clipped.
    RatioLevel ratio = RatioLevel::Token;
    PolicyObjective objective = PolicyObjective::Clipped;
};

struct PolicyLoss
{
    torch::Tensor loss;           ///< Scalar with gradient.
    double clipFraction = 0;      ///< actor/pg_clipfrac: share of tokens whose clipped loss is larger (in
                                  ///< Cispo: whose weight is clipped).
    double clipFractionLower = 0; ///< actor/pg_clipfrac_lower: share of tokens with an active dual clip.
    double clipFractionHigh =
        0;               ///< The part of clipFraction with a positive advantage (ratio above the bound).
    double ppoKl = 0;    ///< actor/ppo_kl: mean of old - logp (k1), not clamped.
    double approxKl = 0; ///< policy/approxkl_avg: 0.5 mean of (logp - old)^2 (k2).
    double ratioMean = 1, ratioMin = 1, ratioMax = 1, ratioVariance = 0;
    double maxRatioError = 0; ///< max |ratio - 1|
};
/// `correction` [B, T] holds weights for the tokens' losses (behaviourWeights()); if undefined, all are 1.
PolicyLoss policyLoss(const LogProb& logp, const OldLogProb& old, const Advantage& advantages,
                      const Mask& mask, const PolicyLossOptions& options, const Aggregation& aggregation,
                      const torch::Tensor& correction = {});

enum class BehaviourCorrection
{
    TokenTruncate, ///< "token-truncate": min(w, cap), where w = exp(old - behaviour) for each token
    SequenceMask   ///< "sequence-mask": all tokens get the product of w over the response; 0 above the cap
};
std::string_view nameOf(BehaviourCorrection correction);
Result<BehaviourCorrection> behaviourCorrectionFromName(std::string_view name);

/// Computes importance weights for tokens that were sampled from a distribution other than the policy's. With
/// these weights, the loss is an expectation under the policy again, up to the cap. 0 outside the mask.
torch::Tensor behaviourWeights(const OldLogProb& old, const torch::Tensor& behaviour, const Mask& mask,
                               double cap,
                               BehaviourCorrection correction = BehaviourCorrection::TokenTruncate);

struct ValueLoss
{
    torch::Tensor loss; ///< 0.5 * aggregate(max((V - R)^2, (clip(V, V_old +- eps) - R)^2)), with gradient.
    double clipFraction = 0;
};
/// If `clip` is 0, values are not clipped.
ValueLoss valueLoss(const Value& values, const OldValue& old, const Return& returns, const Mask& mask,
                    double clip, const Aggregation& aggregation);

/// Returns 1 - var(R - V) / (var(R) + 1e-5) over the tokens of the mask (critic/vf_explained_var).
double explainedVariance(const torch::Tensor& values, const Return& returns, const Mask& mask);

} // namespace sparserl
