// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// Returns a multiple of 2^(1 - digits) in [0.5, 1.5), made from the upper bits of a random number. `digits`
/// is as in NumberFormat.
constexpr double plainMagnitude(std::uint64_t bits, int digits = 24)
{
    return 0.5 +
           static_cast<double>(bits >> (65 - digits)) / static_cast<double>(std::uint64_t(1) << (digits - 1));
}
/// Returns a number with a magnitude from plainMagnitude() and a random sign, from one draw.
inline double plainNumber(Rng& rng, int digits = 24)
{
    const std::uint64_t bits = rng.next();
    return bits & 1 ? -plainMagnitude(bits, digits) : plainMagnitude(bits, digits);
}

/// Rounds to the nearest number with `digits` binary digits.
double roundedTo(double value, int digits);

/// Returns `count` numbers with random signs and magnitudes in [0.5, 1.5).
std::vector<float> randomVector(std::int64_t count, Rng& rng);

/// The same, with as many bits as the type has.
Numbers plainVector(ElementType type, std::int64_t count, Rng& rng);

/// Returns the same pattern with random values.
Csr withRandomValues(const Csr& matrix, Rng& rng);

/// A small matrix with a special property.
struct BatteryShape
{
    std::string name;   ///< "empty-rows", "one-dense-row", ...
    Csr matrix;         ///< The matrix, with random values.
    bool exact = false; ///< The test uses exact values; otherwise wide values.
};

/// Creates the seven fixed shapes of docs/design.md 5: empty rows, one dense row, 1xN, Nx1, no entries, odd
/// sizes, skew. Sizes, patterns and values derive from the seed. Some row counts are odd, one is even, one is
/// a multiple of 32, and one is a multiple of 128.
std::vector<BatteryShape> batteryShapes(std::uint64_t seed);

} // namespace sparserl
