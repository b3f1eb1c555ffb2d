// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "evaluation/verdict.h"
#include "reward/reward.h"
#include "training/judging.h"
#include "training/stage.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// A corpus program that was judged on a matrix.
struct SftExample
{
    std::string matrixDigest;
    std::string matrixName;
    bool heldOut = false;
    std::string text;
    std::string family;
    FamilyParameters parameters;
    VerdictRecord record;
};

struct SftDataOptions
{
    std::int64_t programsPerMatrix = 16;
    std::int64_t heldOutPrograms = 4;
    std::vector<std::string> families; ///< Empty: all.
    double variety = 0.2;
    std::int64_t maxBytes = 0; ///< Longer programs are not drawn; 0: no limit.
    double recommended = 0.5;
    std::uint64_t seed = 1;
};

/// Draws corpus programs for every matrix and judges them. Judged programs are appended to `file` (JSON
/// Lines) as they come, so that an interrupted build goes on where it was. Deterministic: which programs a
/// matrix gets depends on the seed and its digest only. All records are returned, also those that are not
/// correct.
Result<std::vector<SftExample>> buildSftData(const std::filesystem::path& file,
                                             const std::vector<StageMatrix>& matrices,
                                             const SftDataOptions& options, CachedJudge& judge,
                                             const CancelToken& cancel,
                                             const std::function<void(double fraction)>& progress);

/// One corpus program for a matrix: with probability `recommended` of a family that suits it.
Result<DerivedProgram> drawProgram(const Csr& matrix, const SftDataOptions& options, Rng& rng);

/// Weight of each example within its matrix: exp(speedWeight * z), z the z-score of ln(speed-up) among the
/// correct examples of that matrix; 0 for those that are not correct. The weights of a matrix sum to 1.
std::vector<double> sftWeights(const std::vector<SftExample>& examples, double speedWeight);

/// Times of correct programs by matrix: what a reward preset's statistics are made from. Travels with every
/// checkpoint as reward_times.json, so that rewards stay comparable along a chain of stages.
class RewardTimes
{
public:
    void add(const VerdictRecord& record);
    bool has(const std::string& digest) const { return m_times.contains(digest); }
    /// Statistics of a preset; n = 0 for a matrix that nothing is known of.
    MatrixRewardStats statistics(const RewardModel& model, const std::string& digest) const;
    bool empty() const { return m_times.empty(); }

    Status save(const std::filesystem::path& file) const;
    /// An empty table where the file does not exist.
    static Result<RewardTimes> load(const std::filesystem::path& file);

private:
    struct Times
    {
        double baseline = 0;
        std::vector<double> microseconds;
        std::vector<std::int64_t> sharedBytes;
    };
    std::map<std::string, Times> m_times;
};

} // namespace sparserl
