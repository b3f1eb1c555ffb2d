// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "reward/reward.h"
#include "training/data/sft_data.h"
#include "training/data/stage_rewards.h"
#include "training/work/stage_context.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Encoder inputs of the stage's targets: a fixed number of views (samples of non-zeros) each, made once,
/// with the prompt of the target's task where the policy reads one.
class MatrixViews
{
public:
    MatrixViews(const Policy& policy, const std::vector<StageTarget>& matrices, int views);
    /// By TargetId::key(), or the contents alone: as files of earlier versions name the first target of a
    /// matrix. View 0 is what evaluation sees.
    ModelInput input(const std::string& key, std::int64_t view = 0) const;

private:
    std::vector<std::vector<ModelInput>> m_views;
    std::map<std::string, std::size_t> m_names; ///< Into m_views.
};

/// One sampled program with what became of it.
struct RolloutItem
{
    const StageTarget* target = nullptr;
    int input = 0; ///< Into Rollout::inputs.
    Sample sample;
    std::string text;
    std::string family; ///< As the corpus identifies it, or empty.
    VerdictRecord record;
    RewardParts reward;
    double greedyReward = 0; ///< Of the greedy program for the same input, where that was asked for.
};

struct Rollout
{
    std::vector<ModelInput> inputs;
    std::vector<RolloutItem> items; ///< Ordered by input; several items may share one.
    /// Drawn from the distribution of the policy that learns; else its losses are corrected for what they
    /// were drawn from (rl.behaviour_cap).
    bool onPolicy = true;
    double samplingSeconds = 0, judgingSeconds = 0;

    std::vector<double> rewards() const;
    std::vector<std::int64_t> groups() const; ///< The input of each item.
};

struct RolloutRequest
{
    std::vector<const StageTarget*> matrices;
    std::vector<std::int64_t> views; ///< One a matrix.
    std::int64_t samples = 1;
    std::uint64_t seed = 0;                   ///< With the position of a sample it decides the draws.
    SamplingOptions sampling{.maxTokens = 0}; ///< maxTokens 0: the policy's own.
    int beam = 0;                             ///< Beams of a search in place of sampling; 0: sampling.
    bool verifier = true;
    double truncatedPenalty = 0; ///< Added to the reward of a truncated program.
    std::int64_t overlongBuffer = 0;
    double overlongPenalty = 1; ///< Of overlongPenalty() in reward/reward.h.
    /// Programs to compare with by task key, for presets that do. May be null.
    const ReferencePrograms* references = nullptr;
    std::string phase; ///< For progress: "sampling", "evaluating".
};

/// Puts a second rollout behind a first one; its inputs become groups of their own.
void append(Rollout& rollout, Rollout more);

/// Samples before their verdicts.
struct DrawnRollout
{
    Rollout rollout;                            ///< Without records, families and rewards.
    std::vector<CachedJudge::Request> requests; ///< One an item.
    RolloutRequest request;
};

/// Samples; several processes share them, and all get the whole.
Result<DrawnRollout> drawRollout(StageContext& context, const Policy& policy, const MatrixViews& views,
                                 RolloutRequest request);
/// What a reward model asks of a program besides its verdict. `key`: TargetId::key() of the target that it is
/// judged on; `references` may be null.
RewardExtras rewardExtras(const RewardModel& model, const ReferencePrograms* references,
                          const std::string& key, const std::string& text, std::size_t tokens,
                          bool truncated);
/// With their records, in the order of the requests, and what those are worth.
Rollout rewarded(DrawnRollout drawn, std::vector<VerdictRecord> records, const RewardModel& model,
                 const RewardTimes& times);

/// Says how far a judge of `all` requests is.
std::function<void(std::size_t done)> judgingPulse(StageContext& context, std::size_t all);

/// Samples, judges, rewards; several processes share the samples, and all get the whole. Fails where the
/// machinery does; an interruption() where `context.cancel()` ended it.
Result<Rollout> rollOut(StageContext& context, const Policy& policy, const MatrixViews& views,
                        const RewardModel& model, const RewardTimes& times, const RolloutRequest& request);

/// Writes the program, sample and verdict events of a rollout; a sample's split is its matrix's.
Status journalRollout(StageContext& context, std::int64_t step, const Rollout& rollout,
                      const std::string& origin);

/// Statistics of rewards, verdicts and lengths.
Metrics rolloutMetrics(const Rollout& rollout);

} // namespace sparserl
