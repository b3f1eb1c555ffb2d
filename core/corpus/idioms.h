// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Idioms of CUDA programs, whatever they compute: maps, gathers, reductions, scans, histograms, tiles in
/// shared memory, searches, atomics, warp votes ("I1" .. "I17"). They use the productions and styles of the
/// kernel families, but have no plan and multiply no sparse matrix. A policy learns the language from them.
/// All of them compile.
const std::vector<Family>& idioms();

/// Like derive() for kernel families.
Result<DerivedProgram> deriveIdiom(std::string_view idiom, const FamilyParameters& parameters,
                                   const Style& style);

/// Draws idiom, parameters and style; `variety` as in SampleOptions.
DerivedProgram sampleIdiom(double variety, Rng& rng);

} // namespace sparserl
