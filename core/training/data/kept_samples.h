// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program that a policy wrote for a matrix, with its reward.
struct RatedSample
{
    TargetId target;
    std::string text;
    std::vector<std::int32_t> tokens; ///< Includes </s> if the policy ended the program.
    bool finished = false;
    double reward = 0;
    VerdictRecord record;
};

/// The filters of rejection sampling (CUDA Agent 3.3).
struct RejectionRules
{
    double above = 0;             ///< Outcome filter: keeps only samples with a higher reward.
    std::int64_t repeatLimit = 3; ///< Pattern filter: maximum number of identical lines in a row; 0: none.
    std::int64_t perMatrix = 0;   ///< Maximum number of samples per matrix, the best first; 0: all.
};

/// Returns in a few words why a sample is not used for training, or nullopt if it is used. Besides a low
/// reward, the reasons are: the policy did not end the program, its time or result is doubtful, or it repeats
/// a line too often.
std::optional<std::string> rejected(const RatedSample& sample, const RejectionRules& rules);

/// Returns the length of the longest run of identical lines, ignoring empty lines.
std::int64_t longestRepeat(std::string_view text);

/// Returns the samples that pass the rules, in their original order. Keeps each text once per matrix, and
/// only the `perMatrix` samples of each matrix with the highest rewards.
std::vector<RatedSample> keepSamples(const std::vector<RatedSample>& samples, const RejectionRules& rules);

} // namespace sparserl
