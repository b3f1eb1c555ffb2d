// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A policy's program with what it earned on a matrix.
struct RatedSample
{
    TargetId target;
    std::string text;
    std::vector<std::int32_t> tokens; ///< </s> included where it ended by itself.
    bool finished = false;
    double reward = 0;
    VerdictRecord record;
};

/// What rejection sampling keeps (CUDA Agent 3.3).
struct RejectionRules
{
    double above = 0;             ///< Outcome filter: rewards above this only.
    std::int64_t repeatLimit = 3; ///< Pattern filter: at most so many equal lines in a row; 0: any number.
    std::int64_t perMatrix = 0;   ///< The best so many of each matrix; 0: all.
};

/// Why a sample is not learned from, in a few words; nothing where it is. Patterns: it did not end by itself,
/// its time or result is not to be trusted, it repeats a line.
std::optional<std::string> rejected(const RatedSample& sample, const RejectionRules& rules);

/// Most equal lines in a row; empty ones do not count.
std::int64_t longestRepeat(std::string_view text);

/// Those that the rules keep, each text once for a matrix, in their order; of each matrix the perMatrix ones
/// of highest reward.
std::vector<RatedSample> keepSamples(const std::vector<RatedSample>& samples, const RejectionRules& rules);

} // namespace sparserl
