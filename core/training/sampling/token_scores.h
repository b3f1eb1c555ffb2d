// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/target.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a policy makes of a token of a program.
struct ScoredToken
{
    std::int32_t id = 0;
    std::string text; ///< Its bytes, which need not be whole characters; that of the end is empty.
    double logProb = 0, entropy = 0;
    bool plan = false; ///< Whether it is in a plan line.
};

struct ScoredProgram
{
    std::vector<ScoredToken> tokens; ///< The last one is the end.
    double temperature = 1;
    std::size_t promptTokens = 0;
    /// Where the verifier stops the program, and why; none: it does not.
    std::optional<std::size_t> stoppedAt;
    std::string stopReason;
};

struct TokenScoring
{
    double temperature = 0; ///< 0: the policy's own.
    std::uint64_t seed = 1; ///< Of the entries that the policy reads, as in GenerationOptions.
    bool forTask = false;   ///< As in ProgramRange.
    std::string device = "auto", precision = "fp32"; ///< As in GenerationOptions.
};

/// Reads a program, whoever wrote it, as if the policy of a policy directory (findPolicy()) had written it
/// for the target. Fails for one of more than 16,384 tokens, which no policy writes.
Result<ScoredProgram> scoreTokens(const std::filesystem::path& folder, const Target& target,
                                  std::string_view program, const TokenScoring& how);

} // namespace sparserl
