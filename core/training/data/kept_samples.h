// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program from a policy with its reward on a matrix.
struct RatedSample
{
    TargetId target;
    std::string text;
    std::vector<std::int32_t> tokens; ///< Including </s> if it ended by itself.
    bool finished = false;
    double reward = 0;
    VerdictRecord record;
};

/// The filters of rejection sampling (CUDA Agent 3.3).
struct RejectionRules
{
    double above = 0;             ///< Outcome filter: keeps only rewards above this.
    std::int64_t repeatLimit = 3; ///< Pattern filter: maximum number of equal consecutive lines; 0: no limit.
    std::int64_t perMatrix = 0;   ///< Keeps the best of each matrix, up to this number; 0: all.
};

/// Why a sample is not used for training, in a few words, or nullopt. Pattern faults: it did not end by
/// itself, its time or result is doubtful, or it repeats a line.
std::optional<std::string> rejected(const RatedSample& sample, const RejectionRules& rules);

/// The maximum number of equal consecutive lines, ignoring empty ones.
std::int64_t longestRepeat(std::string_view text);

/// The samples that pass the rules, in their order, each text once per matrix; of each matrix, the perMatrix
/// samples with the highest reward.
std::vector<RatedSample> keepSamples(const std::vector<RatedSample>& samples, const RejectionRules& rules);

} // namespace sparserl
