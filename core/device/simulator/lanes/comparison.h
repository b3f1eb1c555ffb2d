// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcodes.h"

#include <type_traits>

namespace sparserl::sim {

namespace {

/// Returns the result of a comparison. For NaN, it depends on the comparison. Each source file has its own
/// copy of this function, because the files are compiled for different instruction sets.
template <ptx::Cmp C, class V>
inline bool compare(V a, V b)
{
    using ptx::Cmp;
    const bool unordered = std::is_floating_point_v<V> && (a != a || b != b);
    switch (C) {
    case Cmp::Eq:
        return a == b;
    case Cmp::Ne:
        return !unordered && a != b;
    case Cmp::Lt:
        return a < b;
    case Cmp::Le:
        return a <= b;
    case Cmp::Gt:
        return a > b;
    case Cmp::Ge:
        return a >= b;
    case Cmp::Equ:
        return unordered || a == b;
    case Cmp::Neu:
        return unordered || a != b;
    case Cmp::Ltu:
        return unordered || a < b;
    case Cmp::Leu:
        return unordered || a <= b;
    case Cmp::Gtu:
        return unordered || a > b;
    case Cmp::Geu:
        return unordered || a >= b;
    case Cmp::Num:
        return !unordered;
    case Cmp::Nan:
        return unordered;
    case Cmp::None:
        break;
    }
    return false;
}

} // namespace

} // namespace sparserl::sim
