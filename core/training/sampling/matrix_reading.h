// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/matrix_information.h"
#include "training/evaluated/evaluated_matrix.h"
#include "training/sampling/rollout.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl {

/// A sampled program and its encoder input.
struct WrittenProgram
{
    int input = 0;
    std::vector<std::int32_t> tokens;
};

/// Log-probabilities of the programs under every input. nullopt on interruption.
std::optional<ProgramScores> scorePrograms(const Policy& policy, const std::vector<ModelInput>& inputs,
                                           const std::vector<WrittenProgram>& programs, double temperature,
                                           const CancelToken& interrupt);

/// The maximum number of matrices scored against each other; the work is quadratic.
inline constexpr std::size_t mostScoredMatrices = 32;
/// Indices of all `count` items, or of `most` evenly spaced ones.
std::vector<std::size_t> evenlySpread(std::size_t count, std::size_t most);

/// familyMetrics and readingMetrics of a rollout. Scores one program for each of at most 16 matrices. nullopt
/// on interruption.
std::optional<Metrics> rolloutReading(const Policy& policy, const Rollout& rollout, const RewardTimes& times,
                                      double temperature, std::uint64_t seed, const CancelToken& interrupt);

} // namespace sparserl
