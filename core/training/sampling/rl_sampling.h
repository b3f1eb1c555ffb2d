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

/// Returns the random stream of an iteration for a purpose. The stream depends only on the seed, the purpose
/// and the iteration, so no state has to be saved.
Rng rlStream(const ParameterSet& parameters, const char* purpose, std::int64_t iteration);

/// Reads the options in rl.measured_share and related parameters.
Result<MeasuringOptions> measuringOptions(const ParameterSet& parameters);

/// Draws and judges the samples for the iterations of stage rl: the round of an iteration, further rounds of
/// dynamic sampling, greedy programs for comparison, and with rl.judge_ahead the next iteration's samples.
class RlSampling
{
public:
    /// All arguments must outlive this object. From drawAhead() until waitForJudge() or sample() returns,
    /// nothing else may use the judge.
    RlSampling(StageContext& context, const StageRewards& rewards, const MatrixViews& views,
               const MeasuringOptions& measuring, BestPrograms best);

    /// Makes a server draw the samples for training from now on. `sampler` must outlive this object.
    void sampleWith(EndpointSampler* sampler) { m_sampler = sampler; }
    /// Returns the part that the requests of training and evaluation have in common.
    RolloutRequest request(const RlSettings& current) const;
    /// Returns the samples of an iteration. Dynamic sampling (DAPO) adds rounds until as many groups have
    /// different rewards as a round has matrices.
    Result<Rollout> sample(std::int64_t iteration, const RlSettings& current, const Policy& policy);
    /// For rl.judge_ahead: draws the samples of iteration `iteration` with the current policy, before the
    /// update of that policy, and starts to judge them.
    Status drawAhead(std::int64_t iteration, const RlSettings& then, const Policy& policy);
    /// Tells this object that the policy was trained on the latest samples. Until then, the samples do not
    /// change its state: an interrupted iteration is repeated and must not leave anything behind.
    void learned(const Rollout& rollout);
    void waitForJudge();
    /// Returns the policy that wrote the current samples, if it is not the policy in training.
    const std::optional<Policy>& writer() const { return m_writer; }
    void setWriter(Policy writer) { m_writer.emplace(std::move(writer)); }
    /// Returns the number of cache hits of the judge when it was last free.
    std::int64_t judgeHits() const { return m_judgeHits; }
    bool isSelfCritical() const;
    /// Returns the fastest programs so far, which prompts show (rl.refine).
    const BestPrograms& best() const { return m_best; }
    /// Returns the metrics since the previous call.
    Metrics takeMetrics() { return std::exchange(m_metrics, {}); }

    /// Saves the measurements of the iterations used for training. Does nothing if all programs are measured.
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
    std::optional<MeasuringJudge> m_measuring; ///< Exists if only some programs are measured.
    nlohmann::json m_learned;                  ///< State of m_measuring for the current iteration.
    nlohmann::json m_drawnFrom;                ///< State of m_measuring for m_drawn.
    Metrics m_metrics;
    // For rl.judge_ahead: the samples that are being judged, and the policy that wrote them.
    std::vector<DrawnRollout> m_drawn;
    std::optional<Policy> m_writer;
    std::optional<Policy> m_nextWriter; ///< For the next iteration; becomes m_writer in learned().
    std::int64_t m_judgeHits = 0;
    std::optional<JudgeAhead> m_ahead; ///< Last member, because it uses the others.
};

} // namespace sparserl
