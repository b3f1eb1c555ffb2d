// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/similarity.h"
#include "compile/code_traits.h"

#include <string>
#include <vector>

namespace sparserl {

/// From these thresholds on, a program's shape (CodeTraits::shape) marks it as a copy of the reference
/// program (docs/evaluation.md 3 #31). The comparison covers code that may run. Other names, another order,
/// comments and functions that are never called change nothing, and additional code does not hide a copy,
/// whether it runs or not. If the loop of the reference is written differently, the similarity stays above
/// 0.76. In the other families of the corpus, only sub-warps of 32 exceed 0.62. No program with a different
/// loop contains more than 0.87 of the reference.
constexpr double copiedSimilarity = 0.75, copiedContainment = 0.92;

inline bool isCopy(const std::vector<std::uint32_t>& shape, const std::vector<std::uint32_t>& reference)
{
    return similarity(shape, reference) >= copiedSimilarity ||
           contained(reference, shape, CodeTraits::mostChains) >= copiedContainment;
}

/// Returns the program with a pragma that keeps the compiler from unrolling the first loop, the loop over a
/// row. Whether the compiler unrolls a loop depends on its body, so a copy with an additional statement or
/// pragma would otherwise have different code.
inline std::string withLoopKept(std::string text)
{
    if (const std::size_t at = text.find("for ("); at != std::string::npos)
        text.insert(at, "\n#pragma unroll 1\n");
    return text;
}

} // namespace sparserl
