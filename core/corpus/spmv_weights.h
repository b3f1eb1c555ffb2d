// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

#include <array>
#include <string_view>

namespace sparserl {

/// Weights of SpmvEstimate::terms for a family; "S15/2" for the tickets of S15.
using SpmvWeights = std::array<double, 15>;
const SpmvWeights& spmvWeights(std::string_view family);
/// What the sum of weighted terms is multiplied by for the values of parameters.
double spmvFactor(std::string_view family, const FamilyParameters& parameters);
/// What SpmvEstimate::tail does to a family's logarithm of time.
double spmvTail(std::string_view family);

} // namespace sparserl
