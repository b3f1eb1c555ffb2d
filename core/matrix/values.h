// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>
#include <string>

namespace sparserl {

/// How the seeded values at (i, j) and (j, i) are related.
enum class ValueSymmetry
{
    General,
    Symmetric
};

/// Returns the value at (row, column) for a seed: uniform in [0.5, 1.5) with a random sign, so never 0. It
/// depends only on the arguments.
float seededValue(std::uint64_t seed, std::int32_t row, std::int32_t column);

/// Sets the values of a pattern. The seed is the pattern's digest, so the name, order and compression of a
/// file do not matter.
void fillSeededValues(Csr& matrix, ValueSymmetry symmetry = ValueSymmetry::General);

/// Returns the SHA-256 of the dimensions and the pattern, in hex. Values do not contribute.
std::string patternDigest(const Csr& matrix);

} // namespace sparserl
