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

/// The encoder inputs for a stage's targets. Each target has a fixed number of views (samples of non-zeros),
/// created once, with the prompt for the target's task if the policy reads a prompt.
class MatrixViews
{
public:
    MatrixViews(const Policy& policy, const std::vector<StageTarget>& matrices, int views);
    /// Returns a view of a target; evaluation uses view 0. `key` is TargetId::key(), or the contents alone
    /// (as in files from earlier versions), which select the first target of the matrix.
    ModelInput input(const std::string& key, std::int64_t view = 0) const;
    /// Returns the prompt of this input, with other words.
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

/// A sampled program, its verdict and its reward.
struct RolloutItem
{
    const StageTarget* target = nullptr;
    int input = 0; ///< Index into Rollout::inputs.
    Sample sample;
    std::string text;
    std::string family; ///< As identified by the corpus, or empty.
    VerdictRecord record;
    RewardParts reward;
    double shownMicroseconds = 0; ///< Time of the program that the prompt shows; 0: none.
    double greedyReward = 0;      ///< Reward of the greedy program for the same input, if requested.
};

struct Rollout
{
    std::vector<ModelInput> inputs;
    std::vector<RolloutItem> items; ///< Ordered by input; several items may share an input.
    /// Whether the samples come from the policy in training. If not, the losses are corrected for the
    /// sampling distribution (rl.behaviour_cap).
    bool onPolicy = true;
    double samplingSeconds = 0, judgingSeconds = 0;

    std::vector<double> rewards() const;
    std::vector<std::int64_t> groups() const; ///< The number of each item's input.
};

class EndpointSampler;

struct RolloutRequest
{
    std::vector<const StageTarget*> matrices;
    std::vector<std::int64_t> views; ///< One per matrix.
    /// For each matrix: the program that the prompt shows and asks to improve on, or nullptr. Empty: none.
    std::vector<const ProgramToRefine*> shown;
    std::int64_t samples = 1;
    std::uint64_t seed = 0;                   ///< Determines each draw, together with the sample's position.
    SamplingOptions sampling{.maxTokens = 0}; ///< maxTokens 0 means the policy's own setting.
    int beam = 0;                             ///< Number of beams of a beam search; 0: sampling.
    bool verifier = true;
    double truncatedPenalty = 0; ///< Added to the reward of a truncated program.
    std::int64_t overlongBuffer = 0;
    double overlongPenalty = 1; ///< See overlongPenalty() in reward/reward.h.
    /// The reference program by task key, for presets that compare programs. May be nullptr.
    const ReferencePrograms* references = nullptr;
    std::string phase;                  ///< For progress reports: "sampling", "evaluating".
    bool served = false;                ///< Whether process 0 gets the samples from a server.
    EndpointSampler* sampler = nullptr; ///< Set only in process 0, if `served`.
};

/// Appends a second rollout to a first one. The inputs of the second one form new groups.
void append(Rollout& rollout, Rollout more);

/// The samples of a rollout before they are judged.
struct DrawnRollout
{
    Rollout rollout;                            ///< Without records, families and rewards.
    std::vector<CachedJudge::Request> requests; ///< One per item.
    RolloutRequest request;
};

/// Draws samples. Several processes share the work, and each of them gets all samples.
Result<DrawnRollout> drawRollout(StageContext& context, const Policy& policy, const MatrixViews& views,
                                 RolloutRequest request);
class KeptAnswers;
class ProgramWriter;

/// Lets the model of an endpoint write programs, in place of samples from a policy. Such samples have a
/// number of tokens, but neither tokens nor probabilities. Answers in `kept` are not requested again, and
/// each new answer is added to it at once.
Result<DrawnRollout> writtenRollout(StageContext& context, const ProgramWriter& writer, KeptAnswers& kept,
                                    RolloutRequest request);
/// Returns the inputs of a reward model other than the verdict on a program. `key` is the TargetId::key() of
/// the program's target. `references` may be nullptr.
RewardExtras rewardExtras(const RewardModel& model, const ReferencePrograms* references,
                          const std::string& key, const std::string& text, std::size_t tokens,
                          bool truncated);
/// Adds the records, which are in the order of the requests, and the rewards.
Rollout rewarded(DrawnRollout drawn, std::vector<VerdictRecord> records, const RewardModel& model,
                 const RewardTimes& times);

/// Returns a callback that reports the progress of a judge with `all` requests.
std::function<void(std::size_t done)> judgingPulse(StageContext& context, std::size_t all);

/// Draws samples, judges them, and computes rewards. Several processes share the work, and each gets the
/// whole result. Fails if the machinery fails; returns an interruption() if `context.cancel()` is set.
Result<Rollout> rollOut(StageContext& context, const Policy& policy, const MatrixViews& views,
                        const RewardModel& model, const RewardTimes& times, const RolloutRequest& request);

/// The same, but with the programs of writtenRollout().
Result<Rollout> rollOut(StageContext& context, const ProgramWriter& writer, KeptAnswers& kept,
                        const RewardModel& model, const RewardTimes& times, const RolloutRequest& request);

/// Writes the program, sample and verdict events of a rollout. The split of a sample is its matrix's split.
/// `advantages` has an entry for each item (SampleEvent::advantages), or is empty.
Status journalRollout(StageContext& context, std::int64_t step, const Rollout& rollout,
                      const std::string& origin,
                      const std::vector<std::vector<AdvantageRun>>& advantages = {});

/// Returns statistics of rewards, verdicts and lengths.
Metrics rolloutMetrics(const Rollout& rollout);

} // namespace sparserl
