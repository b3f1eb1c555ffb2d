// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/sft_data.h"
#include "training/work/statistics.h"
#include "verdict/names.h"
#include "verdict/record.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// The result of one sampled program in an evaluation.
struct EvaluatedSample
{
    bool compiled = false, correct = false;
    bool verbatim = false; ///< Identical to a text of supervised fine-tuning.
    std::string family;    ///< "S3"; "other" if no rule matches; empty unless it compiled.
    std::string kernel;    ///< Canonical hash of its PTX; empty unless it compiled.
    double reward = 0;
    double microseconds = 0; ///< 0 unless correct.
};

/// The results of an evaluation for a matrix. Checkpoints contain them, so an interrupted evaluation can
/// continue.
struct EvaluatedMatrix
{
    std::string target; ///< TargetId::key(); files from earlier versions have only the contents.
    std::string name;
    std::string split = split::heldOut;
    std::int64_t nnz = 0;
    double baselineMicroseconds = 0;
    std::string baseline;   ///< Name, or "" if there is none.
    std::string bestFamily; ///< Family of the fastest corpus program measured on it; empty if unknown.
    std::int64_t samples = 0, compiled = 0, correct = 0, faster = 0;
    double rewardSum = 0, bestSpeedup = 0;
    std::vector<EvaluatedSample> each; ///< Empty in checkpoints from earlier versions, like the texts above.
    std::vector<std::vector<std::int32_t>>
        programs; ///< Tokens of the first samples, to be scored at the end.

    /// Adds a sample to the counts.
    void add(const EvaluatedSample& sample);
    double speedup(const EvaluatedSample& sample) const; ///< 0 unless it is correct and there is a baseline.
};
nlohmann::json toJson(const EvaluatedMatrix& matrix);
EvaluatedMatrix evaluatedMatrixFromJson(const nlohmann::json& json);

/// A row without samples for a matrix.
EvaluatedMatrix evaluatedMatrix(const StageTarget& matrix, const RewardTimes& times);
/// `family` as identified by the corpus, or empty.
EvaluatedSample evaluatedSample(const VerdictRecord& record, const std::string& family, double reward,
                                const RewardTimes& times);

/// pass@k, rates, speed-ups over all samples of all matrices.
Metrics totalsOf(std::span<const EvaluatedMatrix> matrices, std::span<const std::int64_t> ks);
/// Statistics of families: which are written for which matrix, whether they are the best, and how many
/// correct programs are new or distinct. `seed` is for permutations and bootstrap draws.
Metrics familyMetrics(std::span<const EvaluatedMatrix> matrices, std::uint64_t seed);

} // namespace sparserl
