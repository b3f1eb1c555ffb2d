// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge.h"
#include "training/work/job.h"
#include "training/work/stage.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

// This header does not use LibTorch; only the stages of the job do.

namespace sparserl {

struct SpecialiseOptions
{
    std::filesystem::path policy;   ///< Absolute: a policy directory, a checkpoint or a run.
    std::string preset = "dr-grpo"; ///< For stage rl.
    std::int64_t iterations = 20;
    std::int64_t samples = 16; ///< Programs per matrix in each iteration and in the final evaluation.
    std::int64_t matrices = 1; ///< Number of matrices in the project.
    std::int64_t seed = 1;
    std::int64_t columns = 0;             ///< Dense columns of SpMM; 0: SpMV.
    ElementType type = ElementType::F32;  ///< Element type of the programs.
    std::string device = "auto";          ///< judge.device
    std::vector<std::string> assignments; ///< KEY=VALUE for the stages with that key.
};
/// A job of two runs. "rl" trains the policy for a short time on all matrices of a project. "kernels" samples
/// programs for each matrix from the trained policy. Fails for a preset of another stage and for invalid
/// values.
Result<Job> specialiseJob(const SpecialiseOptions& options);

/// A program found correct on a matrix in a run.
struct FoundProgram
{
    std::filesystem::path run;
    std::string text, family;
    VerdictRecord record;
};
/// The correct programs in the journals of the runs, by TargetId::key(), the fastest first. Contains one
/// program per PTX, at most `most` per target, and no program with a doubtful time or result.
Result<std::map<std::string, std::vector<FoundProgram>>>
fastestPrograms(const std::vector<std::filesystem::path>& runs, std::size_t most);

/// A found program with the verdict of a second judgement on new inputs.
struct VerifiedProgram
{
    FoundProgram found;
    VerdictRecord record;
};
/// Judges again and ranks: first the correct programs by their new time, then the others.
Result<std::vector<VerifiedProgram>> verifyPrograms(Judge& judge, const StageTarget& matrix,
                                                    const std::vector<FoundProgram>& programs,
                                                    std::uint64_t seed, const CancelToken& cancel,
                                                    const Progress& progress);

/// Calls after which a correct program's savings over the baseline exceed its conversion and prepare kernels;
/// nullopt if it is not faster.
std::optional<double> callsToBreakEven(const VerdictRecord& record);

} // namespace sparserl
