// SPDX-License-Identifier: Apache-2.0
#include "matrix/values.h"

#include "base/hash.h"
#include "base/rng.h"

#include <algorithm>

namespace sparserl {

float seededValue(std::uint64_t seed, std::int32_t row, std::int32_t column)
{
    std::uint64_t state = seed ^ (static_cast<std::uint64_t>(static_cast<std::uint32_t>(row)) << 32 |
                                  static_cast<std::uint32_t>(column));
    const std::uint64_t bits = splitMix64(state);
    // 23 bits of magnitude in [0.5, 1.5) are exact in single precision.
    const float magnitude = 0.5f + static_cast<float>(bits >> 41) * 0x1p-23f;
    return (bits & 1) != 0 ? -magnitude : magnitude;
}

std::string patternDigest(const Csr& matrix)
{
    Hasher hasher;
    hasher.update("sparserl-pattern-1\n");
    hasher.updateValue(matrix.rows);
    hasher.updateValue(matrix.cols);
    hasher.updateValue(matrix.nnz());
    hasher.update(matrix.rowPtr.data(), matrix.rowPtr.size() * sizeof(std::int32_t));
    hasher.update(matrix.col.data(), matrix.col.size() * sizeof(std::int32_t));
    return hasher.hex();
}

void fillSeededValues(Csr& matrix, ValueSymmetry symmetry)
{
    const std::uint64_t seed = std::stoull(patternDigest(matrix).substr(0, 16), nullptr, 16);
    matrix.val.resize(matrix.col.size());
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (std::int32_t k = matrix.rowPtr[row]; k < matrix.rowPtr[row + 1]; ++k) {
            const std::int32_t col = matrix.col[k];
            matrix.val[k] = symmetry == ValueSymmetry::Symmetric
                                ? seededValue(seed, std::max(row, col), std::min(row, col))
                                : seededValue(seed, row, col);
        }
    }
}

} // namespace sparserl
