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

/// What an evaluation keeps of one sampled program.
struct EvaluatedSample
{
    bool compiled = false, correct = false;
    bool verbatim = false; ///< Letter for letter a text of supervised fine-tuning.
    std::string family;    ///< "S3"; "other" where no rule fits; empty unless it compiled.
    std::string kernel;    ///< Canonical hash of its PTX; empty unless it compiled.
    double reward = 0;
    double microseconds = 0; ///< 0 unless it is correct.
};

/// What an evaluation keeps of a matrix; travels in its checkpoints so that an interrupted one goes on.
struct EvaluatedMatrix
{
    std::string target; ///< TargetId::key(); files of earlier versions have the contents alone.
    std::string name;
    std::string split = split::heldOut;
    std::int64_t nnz = 0;
    double baselineMicroseconds = 0;
    std::string baseline;   ///< Its name, "" where there is none.
    std::string bestFamily; ///< Of the fastest corpus program measured on it; empty where none was.
    std::int64_t samples = 0, compiled = 0, correct = 0, faster = 0;
    double rewardSum = 0, bestSpeedup = 0;
    std::vector<EvaluatedSample> each; ///< Empty in checkpoints of earlier versions, as are the texts above.
    std::vector<std::vector<std::int32_t>>
        programs; ///< Tokens of the first samples, to be scored at the end.

    /// Counts a sample in.
    void add(const EvaluatedSample& sample);
    double speedup(const EvaluatedSample& sample) const; ///< 0 unless it is correct and there is a baseline.
};
nlohmann::json toJson(const EvaluatedMatrix& matrix);
EvaluatedMatrix evaluatedMatrixFromJson(const nlohmann::json& json);

/// A row without samples for a matrix.
EvaluatedMatrix evaluatedMatrix(const StageTarget& matrix, const RewardTimes& times);
/// `family` as the corpus identifies it, or empty.
EvaluatedSample evaluatedSample(const VerdictRecord& record, const std::string& family, double reward,
                                const RewardTimes& times);

/// pass@k, rates, speed-ups over all samples of all matrices.
Metrics totalsOf(std::span<const EvaluatedMatrix> matrices, std::span<const std::int64_t> ks);
/// What families were written for which matrix, whether they are the best ones, how many of the correct
/// programs are new or differ from each other. `seed` is of permutations and bootstrap draws.
Metrics familyMetrics(std::span<const EvaluatedMatrix> matrices, std::uint64_t seed);

} // namespace sparserl
