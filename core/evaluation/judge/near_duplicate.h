// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/similarity.h"
#include "compile/code_traits.h"

#include <string>
#include <vector>

namespace sparserl {

/// Whether the shape of a program's code (CodeTraits::shape) makes it a copy of the reference program
/// (docs/evaluation.md 3 #31). What may run is compared: other names, another order, comments and functions
/// that nothing calls change nothing, and what stands beside a copy, whether it ever runs or not, does not
/// hide it. The same loop in other words stays above 0.76; no other family of the corpus but sub-warps of 32
/// comes above 0.62, and no program with a loop of its own has more than 0.87 of the reference in it.
constexpr double copiedSimilarity = 0.75, copiedContainment = 0.92;

inline bool isCopy(const std::vector<std::uint32_t>& shape, const std::vector<std::uint32_t>& reference)
{
    return similarity(shape, reference) >= copiedSimilarity ||
           contained(reference, shape, CodeTraits::mostChains) >= copiedContainment;
}

/// A program whose first loop, the one over a row, stays as it is written: a compiler unrolls it by how it
/// likes its body, so that a copy with another statement in it, or with a pragma, has other code.
inline std::string withLoopKept(std::string text)
{
    if (const std::size_t at = text.find("for ("); at != std::string::npos)
        text.insert(at, "\n#pragma unroll 1\n");
    return text;
}

} // namespace sparserl
