// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/matrix_information.h"
#include "training/evaluated/evaluated_matrix.h"
#include "training/sampling/rollout.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl {

/// A sampled program and the encoder input that it was written for.
struct WrittenProgram
{
    int input = 0;
    std::vector<std::int32_t> tokens;
};

/// Log-probabilities of the programs under every input. Nothing where it was interrupted.
std::optional<ProgramScores> scorePrograms(const Policy& policy, const std::vector<ModelInput>& inputs,
                                           const std::vector<WrittenProgram>& programs, double temperature,
                                           const CancelToken& interrupt);

/// How many matrices are scored against each other at most: the work grows with the square.
inline constexpr std::size_t mostScoredMatrices = 32;
/// Which of `count` items: all, or `most` of them evenly spread.
std::vector<std::size_t> evenlySpread(std::size_t count, std::size_t most);

/// familyMetrics and readingMetrics of a rollout; scores one program of each of at most 16 matrices. Nothing
/// where it was interrupted.
std::optional<Metrics> rolloutReading(const Policy& policy, const Rollout& rollout, const RewardTimes& times,
                                      double temperature, std::uint64_t seed, const CancelToken& interrupt);

} // namespace sparserl
