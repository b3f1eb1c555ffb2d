// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "evaluation/cases/input_kinds.h"

#include <cstdint>

namespace sparserl {

/// Returns whether the range's matrix has a row in which alignedInput() reveals directed rounding. In shorter
/// rows, no rounding direction violates the bound. In much longer rows, single products are so small relative
/// to the sum that even rounding to nearest is biased.
bool canBeAligned(const InputRange& range);

/// Creates x (or B) with cols x columns elements. Its products with the longest row of the range's matrix are
/// all positive and, as far as the range allows, in [0.5, 3) times one power of two, with random digits
/// (Signs::Same). A serial sum then grows steadily. Directed rounding errs by n/3 times the unit roundoff,
/// rounding to nearest errs by a small multiple of sqrt(n) times the unit roundoff.
Input alignedInput(const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
