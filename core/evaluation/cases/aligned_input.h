// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "evaluation/cases/input_kinds.h"

#include <cstdint>

namespace sparserl {

/// Has the matrix of the range a row in which alignedInput tells directions of rounding apart? In shorter
/// ones no direction leaves the bound; in much longer ones single products are so small beside the sum that
/// rounding to nearest, too, errs to one side.
bool canBeAligned(const InputRange& range);

/// x (or B), cols x columns elements, whose products with the longest row of the range's matrix are all
/// positive and, as far as the range allows, in [0.5, 3) times one power of two, with random digits
/// (Signs::Same). A serial sum then grows steadily, so what rounds in one direction errs by n/3 times the
/// unit roundoff, and what rounds to nearest by a small multiple of its square root.
Input alignedInput(const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
