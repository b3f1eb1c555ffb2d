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

/// A token of a program, with its probability under a policy.
struct ScoredToken
{
    std::int32_t id = 0;
    std::string text; ///< The token's bytes, which may be parts of characters; empty for the end token.
    std::int64_t offset = 0; ///< Offset in the program of the first byte that the token writes.
    double logProb = 0, entropy = 0;
    bool plan = false; ///< Whether the token is in a plan line.
};

struct ScoredProgram
{
    std::vector<ScoredToken> tokens; ///< The last one is the end token.
    double temperature = 1;
    std::size_t promptTokens = 0;
    /// Number of the token at which the verifier stops the program; nullopt if it does not stop it.
    std::optional<std::size_t> stoppedAt;
    std::string stopReason;
};

struct TokenScoring
{
    double temperature = 0; ///< 0: the policy's temperature.
    std::uint64_t seed = 1; ///< Seed of the matrix entries that the policy reads, as in GenerationOptions.
    bool forTask = false;   ///< As in ProgramRange.
    std::string device = "auto", precision = "fp32"; ///< As in GenerationOptions.
};

/// Scores a program from any source as if the policy in a policy directory (findPolicy()) had written it for
/// the target. Fails for a program of more than 16,384 tokens, which no policy writes.
Result<ScoredProgram> scoreTokens(const std::filesystem::path& folder, const Target& target,
                                  std::string_view program, const TokenScoring& how);

} // namespace sparserl
