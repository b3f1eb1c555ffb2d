// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/matrix_information.h"
#include "training/evaluated/evaluated_matrix.h"
#include "training/sampling/rollout.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl {

/// A sampled program with the number of its encoder input.
struct WrittenProgram
{
    int input = 0;
    std::vector<std::int32_t> tokens;
};

/// Computes the log-probability of each program under every input. Returns nullopt on interruption.
std::optional<ProgramScores> scorePrograms(const Policy& policy, const std::vector<ModelInput>& inputs,
                                           const std::vector<WrittenProgram>& programs, double temperature,
                                           const CancelToken& interrupt);

/// Maximum number of matrices whose programs are scored under all of them; the work grows quadratically.
inline constexpr std::size_t mostScoredMatrices = 32;
/// Returns the indices of all `count` items or, if there are more, of `most` evenly spaced items.
std::vector<std::size_t> evenlySpread(std::size_t count, std::size_t most);

/// Returns familyMetrics() and readingMetrics() of a rollout. Scores one program for each of at most 16
/// matrices. Returns nullopt on interruption.
std::optional<Metrics> rolloutReading(const Policy& policy, const Rollout& rollout, const RewardTimes& times,
                                      double temperature, std::uint64_t seed, const CancelToken& interrupt);

} // namespace sparserl
