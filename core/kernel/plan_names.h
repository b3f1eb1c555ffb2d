// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sparserl {

// Names that a plan has without defining them (docs/formats.md 1).

inline constexpr std::array<std::string_view, 7> scalarNames = {
    "rows", "cols", "nnz", "max_length", "mean_length", "sm_count", "dense_cols"};

inline bool isScalar(std::string_view name)
{
    return std::find(scalarNames.begin(), scalarNames.end(), name) != scalarNames.end();
}

inline bool isFunction(std::string_view name)
{
    return name == "min" || name == "max" || name == "ceil_div" || name == "pow2_ceil";
}

inline bool isVector(std::string_view name)
{
    return name == "x" || name == "y" || name == "B" || name == "C";
}

} // namespace sparserl
