// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/judging.h"
#include "training/work/statistics.h"
#include "training/work/time_model.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// Which of the correct programs of an iteration are measured, and which are thought to take some time
/// (SparseRL A.16.1).
struct MeasuringOptions
{
    /// Of those that nothing is known of: measured, at least; a model predicts the time of the others. 1:
    /// all.
    double share = 1;
    std::int64_t clusters = 0; ///< Of similar matrices, which share speed-ups; 0: none do.
    double clusterShare = 0.6; ///< Measured all the same where a similar matrix has a speed-up.
    std::uint64_t seed = 0;
    DeviceModel device;

    bool all() const { return share >= 1 && clusters == 0; }
};

/// A correct program that may be measured.
struct MeasuringCandidate
{
    std::size_t group = 0; ///< Programs for the same matrix compete.
    TimeModel::Prediction prediction;
    double draw = 0; ///< Uniform in [0, 1).
};
enum class MeasuringReason
{
    None,     ///< Its prediction will do.
    Best,     ///< Predicted to be the fastest of its group.
    Unsure,   ///< Of those that the model is least sure of.
    AtRandom, ///< Drawn among those that are left: what tells how wrong predictions are.
};
/// At least `share` of the candidates and one at random, where any are left; more where the model is too
/// unsure of many.
std::vector<MeasuringReason> chooseMeasured(const std::vector<MeasuringCandidate>& candidates, double share);

/// Judges the programs of an iteration: each is compiled and checked on its own matrix, but only some are
/// measured. The records of the others have no time, a flag that says so, and what is thought of it in
/// `predictedMicroseconds`, for rewards alone. Learns from every measurement. What it does depends on what it
/// was asked since its state was made, never on what the judge remembers, so that a resumed run does the
/// same.
class MeasuringJudge
{
public:
    /// `matrices`: those it will be asked about. Both outlive it.
    MeasuringJudge(CachedJudge& judge, const std::vector<const StageTarget*>& matrices,
                   MeasuringOptions options);

    /// As CachedJudge::judge.
    Result<std::vector<VerdictRecord>> judge(const std::vector<CachedJudge::Request>& requests,
                                             const CancelToken& cancel,
                                             const std::function<void(std::size_t done)>& done = {});
    /// Of the calls since the last time: measure/*.
    Metrics takeMetrics();

    nlohmann::json state() const;
    Status restore(const nlohmann::json& state);

private:
    struct Matrix
    {
        MatrixFeatures features;
        std::vector<double> place;
        std::int64_t cluster = 0;
    };
    struct Program; ///< One that is open: correct and never measured.
    struct Speeds
    {
        double sum = 0; ///< Of ln(time / baseline).
        std::int64_t count = 0;
    };
    struct Errors
    {
        double sum = 0;
        std::int64_t count = 0;
    };
    using Records = std::vector<VerdictRecord>;

    std::vector<Program> openPrograms(const std::vector<CachedJudge::Request>& requests,
                                      const Records& records) const;
    void decide(std::vector<Program>& open) const;
    void agree(std::vector<Program>& open) const;
    void learn(const Program& program, const VerdictRecord& record);
    std::string clusterKey(const Program& program) const;

    CachedJudge& m_judge;
    MeasuringOptions m_options;
    std::map<std::string, Matrix> m_matrices; ///< By TargetId::key().
    TimeModel m_model;
    std::set<std::string> m_known; ///< Measured, by beginnings of hashes.
    std::map<std::string, Speeds> m_speeds;
    std::int64_t m_calls = 0;
    // Since the last metrics.
    std::int64_t m_correct = 0, m_measured = 0;
    Errors m_error, m_similarError;
};

} // namespace sparserl
