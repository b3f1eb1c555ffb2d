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
    bool verbatim = false; ///< Identical to a text used in supervised fine-tuning.
    std::string family;    ///< For example "S3"; "other" if no rule matches; empty if not compiled.
    std::string kernel;    ///< Canonical hash of the PTX; empty if not compiled.
    double reward = 0;
    double microseconds = 0; ///< 0 if not correct.
};

/// The results of an evaluation for one matrix. Checkpoints contain these results, so that an interrupted
/// evaluation can continue.
struct EvaluatedMatrix
{
    std::string target; ///< TargetId::key(); only the contents in files from earlier versions.
    std::string name;
    std::string split = split::heldOut;
    std::int64_t nnz = 0;
    double baselineMicroseconds = 0;
    std::string baseline;   ///< Name of the baseline, or empty if there is none.
    std::string bestFamily; ///< Family of the fastest corpus program for the matrix; empty if unknown.
    std::int64_t samples = 0, compiled = 0, correct = 0, faster = 0;
    double rewardSum = 0, bestSpeedup = 0;
    std::vector<EvaluatedSample> each; ///< The samples; empty in checkpoints from earlier versions.
    std::vector<std::vector<std::int32_t>>
        programs; ///< Tokens of the first samples; they are scored at the end of the evaluation.

    /// Appends a sample and counts it.
    void add(const EvaluatedSample& sample);
    double speedup(const EvaluatedSample& sample) const; ///< 0 without a correct result or a baseline.
};
nlohmann::json toJson(const EvaluatedMatrix& matrix);
EvaluatedMatrix evaluatedMatrixFromJson(const nlohmann::json& json);

/// Returns the row of a matrix before any sample.
EvaluatedMatrix evaluatedMatrix(const StageTarget& matrix, const RewardTimes& times);
/// Makes a result from the verdict on a sample. `family` is as identified by the corpus, or empty.
EvaluatedSample evaluatedSample(const VerdictRecord& record, const std::string& family, double reward,
                                const RewardTimes& times);

/// Returns pass@k, the rates, and the speed-ups over all samples of all matrices.
Metrics totalsOf(std::span<const EvaluatedMatrix> matrices, std::span<const std::int64_t> ks);
/// Returns statistics about families: which families are written for which matrix, whether they are the best
/// ones, and how many correct programs are new or distinct. `seed` is for permutations and the bootstrap.
Metrics familyMetrics(std::span<const EvaluatedMatrix> matrices, std::uint64_t seed);

} // namespace sparserl
