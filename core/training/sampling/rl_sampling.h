// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/rl_settings.h"
#include "training/sampling/judge_ahead.h"
#include "training/sampling/rollout.h"
#include "training/work/measuring.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl {

/// Draws of an iteration depend on the seed and the iteration only: nothing to save, nothing to restore.
Rng rlStream(const ParameterSet& parameters, const char* purpose, std::int64_t iteration);

/// What rl.measured_share and its neighbours say.
Result<MeasuringOptions> measuringOptions(const ParameterSet& parameters);

/// The samples that an iteration of the rl stage learns from: its round, the further ones of dynamic
/// sampling, the greedy programs to compare with, and with rl.judge_ahead what was drawn one iteration
/// before.
class RlSampling
{
public:
    /// All outlive it. Its judge must be nobody else's between drawAhead() and waitForJudge() or sample().
    RlSampling(StageContext& context, const StageRewards& rewards, const MatrixViews& views,
               const MeasuringOptions& measuring);

    /// What training and evaluation ask for alike.
    RolloutRequest request(const RlSettings& current) const;
    /// The samples of an iteration. With dynamic sampling (DAPO) further rounds are sampled until as many
    /// groups have rewards that differ as there are matrices in a round.
    Result<Rollout> sample(std::int64_t iteration, const RlSettings& current, const Policy& policy);
    /// With rl.judge_ahead: draws the samples of an iteration by the policy as it is, before it learns, and
    /// lets the judge begin.
    Status drawAhead(std::int64_t iteration, const RlSettings& then, const Policy& policy);
    /// The policy has learned from the samples of the iteration that came last.
    void learned();
    void waitForJudge();
    /// Of the samples of the iteration that comes now, where it is not the policy itself.
    const std::optional<Policy>& writer() const { return m_writer; }
    void setWriter(Policy writer) { m_writer.emplace(std::move(writer)); }
    /// Of the judge's memory, when it was free last.
    std::int64_t judgeHits() const { return m_judgeHits; }
    bool isSelfCritical() const;
    /// Of what was measured since the last time.
    Metrics takeMetrics() { return std::exchange(m_metrics, {}); }

    /// What was measured for the iterations that the policy has learned from, where not all is.
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
    std::optional<MeasuringJudge> m_measuring; ///< Where not all is measured.
    nlohmann::json m_learned;                  ///< Its state for the iteration that comes now.
    nlohmann::json m_drawnFrom;                ///< For m_drawn.
    Metrics m_metrics;
    // rl.judge_ahead: what was drawn while the judge works on it, and by whom.
    std::vector<DrawnRollout> m_drawn;
    std::optional<Policy> m_writer;
    std::optional<Policy>
        m_nextWriter; ///< Of those of the one behind it, until this one has been learned from.
    std::int64_t m_judgeHits = 0;
    std::optional<JudgeAhead> m_ahead; ///< Last: it uses others.
};

} // namespace sparserl
