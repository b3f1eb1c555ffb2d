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

// No LibTorch here: the stages that it is made of need it.

namespace sparserl {

struct SpecialiseOptions
{
    std::filesystem::path policy;   ///< Absolute: a policy directory, a checkpoint or a run.
    std::string preset = "dr-grpo"; ///< Of the stage rl.
    std::int64_t iterations = 20;
    std::int64_t samples = 16; ///< Programs for each matrix in an iteration, and at the end.
    std::int64_t matrices = 1; ///< How many the project has.
    std::int64_t seed = 1;
    std::int64_t columns = 0;             ///< Dense columns of SpMM; 0: SpMV.
    ElementType type = ElementType::F32;  ///< Of the programs.
    std::string device = "auto";          ///< judge.device
    std::vector<std::string> assignments; ///< KEY=VALUE for the stages that have the key.
};
/// A short `rl` from the policy on all matrices of a project, then programs of the result for each of them:
/// the runs "rl" and "kernels". Fails for a preset of another stage and for values that there are not.
Result<Job> specialiseJob(const SpecialiseOptions& options);

/// A program that a run found correct on a matrix.
struct FoundProgram
{
    std::filesystem::path run;
    std::string text, family;
    VerdictRecord record;
};
/// By TargetId::key(), the fastest first: of those with the same PTX the fastest only, at most `most` a
/// target, none whose time or result is doubtful. Reads the journals of the runs.
Result<std::map<std::string, std::vector<FoundProgram>>>
fastestPrograms(const std::vector<std::filesystem::path>& runs, std::size_t most);

/// A found program with the verdict that it had when it was judged once more, with inputs it had not seen.
struct VerifiedProgram
{
    FoundProgram found;
    VerdictRecord record;
};
/// Judges again, and ranks: those that are correct by their new time, then the others.
Result<std::vector<VerifiedProgram>> verifyPrograms(Judge& judge, const StageTarget& matrix,
                                                    const std::vector<FoundProgram>& programs,
                                                    std::uint64_t seed, const CancelToken& cancel,
                                                    const Progress& progress);

/// Calls after which a correct program has paid for its conversion and prepare kernels, against the baseline;
/// nothing where it is not faster.
std::optional<double> callsToBreakEven(const VerdictRecord& record);

} // namespace sparserl
