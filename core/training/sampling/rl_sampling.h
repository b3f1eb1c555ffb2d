// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/best_programs.h"
#include "training/learning/rl_settings.h"
#include "training/sampling/judge_ahead.h"
#include "training/sampling/rollout.h"
#include "training/work/measuring.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl {

/// The random stream of an iteration. Depends only on the seed and the iteration, so there is no state to
/// save.
Rng rlStream(const ParameterSet& parameters, const char* purpose, std::int64_t iteration);

/// The options in rl.measured_share and related parameters.
Result<MeasuringOptions> measuringOptions(const ParameterSet& parameters);

/// The samples for an iteration of stage rl: its round, further rounds of dynamic sampling, the greedy
/// programs for comparison, and with rl.judge_ahead the samples drawn one iteration earlier.
class RlSampling
{
public:
    /// All arguments must outlive this object. Nothing else may use the judge between drawAhead() and
    /// waitForJudge() or sample().
    RlSampling(StageContext& context, const StageRewards& rewards, const MatrixViews& views,
               const MeasuringOptions& measuring, BestPrograms best);

    /// From now on, a server draws the samples for training. `sampler` must outlive this object.
    void sampleWith(EndpointSampler* sampler) { m_sampler = sampler; }
    /// The common part of training and evaluation requests.
    RolloutRequest request(const RlSettings& current) const;
    /// The samples of an iteration. Dynamic sampling (DAPO) samples further rounds until the number of groups
    /// with different rewards reaches the number of matrices in a round.
    Result<Rollout> sample(std::int64_t iteration, const RlSettings& current, const Policy& policy);
    /// With rl.judge_ahead: draws the samples of an iteration with the current policy before its update, and
    /// starts the judge.
    Status drawAhead(std::int64_t iteration, const RlSettings& then, const Policy& policy);
    /// Reports that the policy was trained on the latest samples. An interrupted iteration is repeated, and
    /// its samples must not have left anything behind.
    void learned(const Rollout& rollout);
    void waitForJudge();
    /// The policy that generated the current samples, if it is not the policy itself.
    const std::optional<Policy>& writer() const { return m_writer; }
    void setWriter(Policy writer) { m_writer.emplace(std::move(writer)); }
    /// Cache hits of the judge when it was last free.
    std::int64_t judgeHits() const { return m_judgeHits; }
    bool isSelfCritical() const;
    /// The fastest programs so far, which prompts show (rl.refine).
    const BestPrograms& best() const { return m_best; }
    /// Metrics since the previous call.
    Metrics takeMetrics() { return std::exchange(m_metrics, {}); }

    /// If only some programs are measured: saves the measurements of the iterations used for training.
    Status saveMeasurements(const std::filesystem::path& folder) const;
    Status loadMeasurements(const std::filesystem::path& folder);

private:
    JudgeAhead::Records judge(const std::vector<CachedJudge::Request>& requests, const CancelToken& cancel,
                              const std::function<void(std::size_t)>& done);
    RolloutRequest trainRequest(std::int64_t iteration, std::int64_t round, const RlSettings& current) const;
    Result<std::vector<DrawnRollout>> draw(std::int64_t iteration, std::int64_t round,
                                           const RlSettings& current, const Policy& policy);
    Result<Rollout> roll(std::int64_t iteration, std::int64_t round, const RlSettings& current,
                         const Policy& policy);
    Rollout rewardedRound(std::vector<DrawnRollout> drawn, std::vector<VerdictRecord> records) const;
    Result<Rollout> firstRound(std::int64_t iteration, const RlSettings& current, const Policy& policy);

    StageContext& m_context;
    const ParameterSet& m_p;
    const StageRewards& m_rewards;
    const MatrixViews& m_views;
    EndpointSampler* m_sampler = nullptr;
    BestPrograms m_best;
    std::optional<MeasuringJudge> m_measuring; ///< Set if only some programs are measured.
    nlohmann::json m_learned;                  ///< State of m_measuring for the current iteration.
    nlohmann::json m_drawnFrom;                ///< State of m_measuring for m_drawn.
    Metrics m_metrics;
    // rl.judge_ahead: the samples being judged, and the policy that generated them.
    std::vector<DrawnRollout> m_drawn;
    std::optional<Policy> m_writer;
    std::optional<Policy>
        m_nextWriter; ///< For the following iteration, until the current one has been used for training.
    std::int64_t m_judgeHits = 0;
    std::optional<JudgeAhead> m_ahead; ///< Last member, because it uses others.
};

} // namespace sparserl
