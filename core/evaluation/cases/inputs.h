// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// A multiple of 2^(1 - digits) in [0.5, 1.5), from the upper bits of a draw. `digits`: as in NumberFormat.
constexpr double plainMagnitude(std::uint64_t bits, int digits = 24)
{
    return 0.5 +
           static_cast<double>(bits >> (65 - digits)) / static_cast<double>(std::uint64_t(1) << (digits - 1));
}
/// A magnitude of this kind and a random sign, from one draw.
inline double plainNumber(Rng& rng, int digits = 24)
{
    const std::uint64_t bits = rng.next();
    return bits & 1 ? -plainMagnitude(bits, digits) : plainMagnitude(bits, digits);
}

/// Rounds to the nearest number with `digits` binary digits.
double roundedTo(double value, int digits);

/// `count` numbers of random sign and magnitude in [0.5, 1.5): finite, never 0, never all alike.
std::vector<float> randomVector(std::int64_t count, Rng& rng);

/// The same numbers with as many bits as the type has.
Numbers plainVector(ElementType type, std::int64_t count, Rng& rng);

/// The same pattern with random values.
Csr withRandomValues(const Csr& matrix, Rng& rng);

/// A small matrix and its special property.
struct BatteryShape
{
    std::string name;   ///< "empty-rows", "one-dense-row", ...
    Csr matrix;         ///< With random values.
    bool exact = false; ///< Judged with exact values; otherwise with wide values.
};

/// The seven fixed shapes of docs/design.md 5: empty rows, one dense row, 1xN, Nx1, no entries, odd sizes,
/// skew. Sizes, patterns and values derive from the seed. Some row counts are odd, one is even, one a
/// multiple of 32 and one of 128.
std::vector<BatteryShape> batteryShapes(std::uint64_t seed);

} // namespace sparserl
