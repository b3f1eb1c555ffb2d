// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>
#include <string>

namespace sparserl {

/// The relation between the seeded values of (i, j) and (j, i).
enum class ValueSymmetry
{
    General,
    Symmetric
};

/// The value at (row, column) for a seed: uniform in [0.5, 1.5) with a random sign, never 0. Depends on
/// nothing else.
float seededValue(std::uint64_t seed, std::int32_t row, std::int32_t column);

/// Adds values to a pattern. The seed is the pattern's digest, so the name, order and compression of a file
/// do not matter.
void fillSeededValues(Csr& matrix, ValueSymmetry symmetry = ValueSymmetry::General);

/// SHA-256 in hex over dimensions and pattern only.
std::string patternDigest(const Csr& matrix);

} // namespace sparserl
