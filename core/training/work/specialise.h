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

// This header does not use LibTorch; only the stages of the job use it.

namespace sparserl {

struct SpecialiseOptions
{
    std::filesystem::path policy;   ///< Absolute path of a policy directory, a checkpoint or a run.
    std::string preset = "dr-grpo"; ///< The preset for stage rl.
    std::int64_t iterations = 20;
    std::int64_t samples = 16; ///< Programs per matrix in each iteration and in the final evaluation.
    std::int64_t matrices = 1; ///< Number of matrices in the project.
    std::int64_t seed = 1;
    std::int64_t columns = 0;             ///< Columns of B in SpMM; 0: SpMV.
    ElementType type = ElementType::F32;  ///< Element type of the programs.
    std::string device = "auto";          ///< judge.device
    std::vector<std::string> assignments; ///< KEY=VALUE, for each stage that has the key.
};
/// Returns a job of two runs. The run "rl" trains the policy for a short time on all matrices of a project.
/// The run "kernels" samples programs for each matrix from the trained policy. Fails if the preset is for
/// another stage, and for invalid values.
Result<Job> specialiseJob(const SpecialiseOptions& options);

/// A program that was correct for a matrix in a run.
struct FoundProgram
{
    std::filesystem::path run;
    std::string text, family;
    VerdictRecord record;
};
/// Returns the correct programs in the journals of the runs by TargetId::key(), the fastest first: one
/// program per PTX and at most `most` per target. Leaves out programs with a doubtful time or result.
Result<std::map<std::string, std::vector<FoundProgram>>>
fastestPrograms(const std::vector<std::filesystem::path>& runs, std::size_t most);

/// A found program with the verdict of a second judging on new inputs.
struct VerifiedProgram
{
    FoundProgram found;
    VerdictRecord record;
};
/// Judges the programs again and ranks them: first the correct ones by their new times, then the others.
Result<std::vector<VerifiedProgram>> verifyPrograms(Judge& judge, const StageTarget& matrix,
                                                    const std::vector<FoundProgram>& programs,
                                                    std::uint64_t seed, const CancelToken& cancel,
                                                    const Progress& progress);

/// Returns the number of calls after which a correct program has saved more time over the baseline than its
/// conversion and prepare kernels take; nullopt if the program is not faster.
std::optional<double> callsToBreakEven(const VerdictRecord& record);

} // namespace sparserl
