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

/// Options for measuring only some of the correct programs of an iteration, and predicting the times of the
/// others (SparseRL A.16.1).
struct MeasuringOptions
{
    /// Minimum fraction of unknown programs to measure; a model predicts the other times. 1: measures all.
    double share = 1;
    std::int64_t clusters = 0; ///< Number of clusters of matrices that share speed-ups; 0: none.
    double clusterShare = 0.6; ///< Fraction that is measured even if the cluster has a speed-up.
    std::uint64_t seed = 0;
    DeviceModel device;

    bool all() const { return share >= 1 && clusters == 0; }
};

/// A correct program that may be measured.
struct MeasuringCandidate
{
    std::size_t group = 0; ///< Number of the group: the programs for one matrix.
    TimeModel::Prediction prediction;
    double draw = 0; ///< Random number, uniform in [0, 1).
};
enum class MeasuringReason
{
    None,     ///< The prediction suffices.
    Best,     ///< The program is predicted to be the fastest of its group.
    Unsure,   ///< The prediction is one of the most uncertain.
    AtRandom, ///< The program was drawn from the rest, to estimate the error of predictions.
};
/// Chooses which candidates are measured: at least the fraction `share`, and more if many predictions are too
/// uncertain. If any are left, adds one at random.
std::vector<MeasuringReason> chooseMeasured(const std::vector<MeasuringCandidate>& candidates, double share);

/// Judges the programs of an iteration. Each program is compiled and checked on its own matrix, but only some
/// are measured. The records of the others have a flag instead of a time, and a prediction in
/// `predictedMicroseconds`, which is only for rewards. The class learns from every measurement. Its decisions
/// depend only on the requests since its state was created, never on the judge's cache, so a resumed run
/// repeats them.
class MeasuringJudge
{
public:
    /// `matrices` lists all matrices of later requests. `judge` and these matrices must outlive this object.
    MeasuringJudge(CachedJudge& judge, const std::vector<const StageTarget*>& matrices,
                   MeasuringOptions options);

    /// See CachedJudge::judge.
    Result<std::vector<VerdictRecord>> judge(const std::vector<CachedJudge::Request>& requests,
                                             const CancelToken& cancel,
                                             const std::function<void(std::size_t done)>& done = {});
    /// Returns the metrics measure/* for the calls since the previous takeMetrics().
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
    struct Program; ///< An open program: it is correct and has never been measured.
    struct Speeds
    {
        double sum = 0; ///< Sum of ln(time / baseline).
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
    std::set<std::string> m_known; ///< Hash prefixes of the measured programs.
    std::map<std::string, Speeds> m_speeds;
    std::int64_t m_calls = 0;
    // Counts since the last takeMetrics().
    std::int64_t m_correct = 0, m_measured = 0;
    Errors m_error, m_similarError;
};

} // namespace sparserl
