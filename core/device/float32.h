// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <limits>

namespace sparserl {

inline constexpr double unitRoundoff = 0x1p-24; ///< Unit roundoff of float32.

/// If the magnitudes of a row's products have a larger sum, some order of summation may overflow float32.
inline constexpr double largestSum = 0.5 * static_cast<double>(std::numeric_limits<float>::max());

/// Returns the largest loss of a product by underflow. Float32 atomics flush subnormal numbers to zero; all
/// other operations round to the nearest subnormal number.
constexpr double underflowOf(bool atomics, ElementType type = ElementType::F32)
{
    if (type == ElementType::F64)
        return 0x1p-1074;
    return atomics ? 0x1p-126 : 0x1p-149;
}

} // namespace sparserl
