// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What CUDA programs have in common whatever they compute: maps, gathers, reductions, scans, histograms,
/// tiles in shared memory, searches, atomics, warp votes. Each is written by the same productions and in the
/// same styles as the kernel families ("I1" .. "I17"), but it has no plan and multiplies no sparse matrix:
/// text to learn the language from. All of them compile.
const std::vector<Family>& idioms();

/// As derive() for kernel families.
Result<DerivedProgram> deriveIdiom(std::string_view idiom, const FamilyParameters& parameters,
                                   const Style& style);

/// Draws idiom, parameters and style; `variety` as in SampleOptions.
DerivedProgram sampleIdiom(double variety, Rng& rng);

} // namespace sparserl
