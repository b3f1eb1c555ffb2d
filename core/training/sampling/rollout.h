// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "reward/reward.h"
#include "training/data/refine_prompt.h"
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

/// Encoder inputs of the stage's targets: a fixed number of views (samples of non-zeros) each, created once,
/// with the prompt of the target's task if the policy reads one.
class MatrixViews
{
public:
    MatrixViews(const Policy& policy, const std::vector<StageTarget>& matrices, int views);
    /// By TargetId::key(), or by contents alone, which names the first target of a matrix in files from
    /// earlier versions. Evaluation uses view 0.
    ModelInput input(const std::string& key, std::int64_t view = 0) const;
    /// The prompt of such an input with other words.
    std::vector<std::int32_t> prompt(const Policy& policy, const std::string& key, std::int64_t view,
                                     const std::string& words) const;

private:
    struct Views
    {
        std::shared_ptr<const Csr> matrix;
        std::vector<std::uint64_t> seeds;
        std::vector<ModelInput> inputs; ///< One per seed.
    };
    std::vector<Views> m_views;
    std::map<std::string, std::size_t> m_names; ///< Index into m_views.
};

/// A sampled program with its results.
struct RolloutItem
{
    const StageTarget* target = nullptr;
    int input = 0; ///< Index into Rollout::inputs.
    Sample sample;
    std::string text;
    std::string family; ///< As identified by the corpus, or empty.
    VerdictRecord record;
    RewardParts reward;
    double shownMicroseconds = 0; ///< Time of the program in the prompt; 0: it shows none.
    double greedyReward = 0;      ///< Reward of the greedy program for the same input, if requested.
};

struct Rollout
{
    std::vector<ModelInput> inputs;
    std::vector<RolloutItem> items; ///< Ordered by input; several items may share one.
    /// Whether samples come from the policy in training. Otherwise, its losses are corrected for the sampling
    /// distribution (rl.behaviour_cap).
    bool onPolicy = true;
    double samplingSeconds = 0, judgingSeconds = 0;

    std::vector<double> rewards() const;
    std::vector<std::int64_t> groups() const; ///< The input of each item.
};

class EndpointSampler;

struct RolloutRequest
{
    std::vector<const StageTarget*> matrices;
    std::vector<std::int64_t> views; ///< One per matrix.
    /// One per matrix: the program that the prompt shows and asks to improve on, or nullptr. Empty: none.
    std::vector<const ProgramToRefine*> shown;
    std::int64_t samples = 1;
    std::uint64_t seed = 0;                   ///< Determines the draws together with a sample's position.
    SamplingOptions sampling{.maxTokens = 0}; ///< maxTokens 0: the policy's own.
    int beam = 0;                             ///< Beams of a beam search; 0: sampling.
    bool verifier = true;
    double truncatedPenalty = 0; ///< Added to the reward of a truncated program.
    std::int64_t overlongBuffer = 0;
    double overlongPenalty = 1; ///< For overlongPenalty() in reward/reward.h.
    /// Reference programs by task key for presets that compare. May be null.
    const ReferencePrograms* references = nullptr;
    std::string phase;                  ///< For progress: "sampling", "evaluating".
    bool served = false;                ///< A server draws the samples, which process 0 asks.
    EndpointSampler* sampler = nullptr; ///< That of process 0.
};

/// Appends a second rollout to a first one; its inputs form new groups.
void append(Rollout& rollout, Rollout more);

/// Samples before their verdicts.
struct DrawnRollout
{
    Rollout rollout;                            ///< Without records, families and rewards.
    std::vector<CachedJudge::Request> requests; ///< One per item.
    RolloutRequest request;
};

/// Samples. Several processes share the work, and all get the whole result.
Result<DrawnRollout> drawRollout(StageContext& context, const Policy& policy, const MatrixViews& views,
                                 RolloutRequest request);
class KeptAnswers;
class ProgramWriter;

/// Programs of the model of an endpoint in place of samples of a policy. Samples have their number of tokens,
/// but neither the tokens nor probabilities. What `kept` has is not asked for again, and it gets each answer
/// when it comes.
Result<DrawnRollout> writtenRollout(StageContext& context, const ProgramWriter& writer, KeptAnswers& kept,
                                    RolloutRequest request);
/// The inputs of a reward model besides a program's verdict. `key`: TargetId::key() of the program's target.
/// `references` may be null.
RewardExtras rewardExtras(const RewardModel& model, const ReferencePrograms* references,
                          const std::string& key, const std::string& text, std::size_t tokens,
                          bool truncated);
/// Adds the records, in the order of the requests, and their rewards.
Rollout rewarded(DrawnRollout drawn, std::vector<VerdictRecord> records, const RewardModel& model,
                 const RewardTimes& times);

/// Reports the progress of a judge with `all` requests.
std::function<void(std::size_t done)> judgingPulse(StageContext& context, std::size_t all);

/// Samples, judges and computes rewards. Several processes share the samples, and all get the whole result.
/// Fails on a failure of the machinery; returns an interruption() if `context.cancel()` was set.
Result<Rollout> rollOut(StageContext& context, const Policy& policy, const MatrixViews& views,
                        const RewardModel& model, const RewardTimes& times, const RolloutRequest& request);

/// The same with writtenRollout().
Result<Rollout> rollOut(StageContext& context, const ProgramWriter& writer, KeptAnswers& kept,
                        const RewardModel& model, const RewardTimes& times, const RolloutRequest& request);

/// Writes the program, sample and verdict events of a rollout. A sample's split is that of its matrix.
Status journalRollout(StageContext& context, std::int64_t step, const Rollout& rollout,
                      const std::string& origin);

/// Statistics of rewards, verdicts and lengths.
Metrics rolloutMetrics(const Rollout& rollout);

} // namespace sparserl
