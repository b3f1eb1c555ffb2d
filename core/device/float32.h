// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <limits>

namespace sparserl {

inline constexpr double unitRoundoff = 0x1p-24; ///< Of float32.

/// Products of a row whose magnitudes add up to more may leave float32 in some order of summation.
inline constexpr double largestSum = 0.5 * static_cast<double>(std::numeric_limits<float>::max());

/// What a product may lose below the normal range: atomics of float32 flush there, all else rounds to the
/// nearest subnormal number.
constexpr double underflowOf(bool atomics, ElementType type = ElementType::F32)
{
    if (type == ElementType::F64)
        return 0x1p-1074;
    return atomics ? 0x1p-126 : 0x1p-149;
}

} // namespace sparserl
