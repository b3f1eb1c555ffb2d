// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/similarity.h"

namespace sparserl {

/// From this similarity of two shapes of code (CodeTraits::shape) on, a program counts as a copy
/// (docs/evaluation.md 3 #31). What runs is compared: other names, another order, comments and functions that
/// nothing calls change nothing: the same loop in other words stays above 0.76, and no other family of the
/// corpus comes above 0.62.
constexpr double copiedSimilarity = 0.75;

} // namespace sparserl
