// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Idioms of CUDA programs of any kind: maps, gathers, reductions, scans, histograms, tiles in shared memory,
/// searches, atomics, warp votes ("I1" .. "I17"). They use the productions and styles of the kernel families,
/// but have no plan and multiply no sparse matrix. A policy learns the language from them. Every idiom
/// compiles.
const std::vector<Family>& idioms();

/// Derives a program of an idiom, as derive() does for kernel families.
Result<DerivedProgram> deriveIdiom(std::string_view idiom, const FamilyParameters& parameters,
                                   const Style& style);

/// Draws an idiom, its parameters and a style. `variety` is as in SampleOptions.
DerivedProgram sampleIdiom(double variety, Rng& rng);

} // namespace sparserl
