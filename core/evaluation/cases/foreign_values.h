// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "evaluation/cases/input_kinds.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Numbers that a program with a narrower value format may mistake for representable ones: at the limits of
/// bytes, integers, halves, bfloats and floats, one beyond these limits, and with all digits. Each number
/// occurs alone among other values, which reveals what a check of all values missed.
std::vector<double> foreignNumbers(ElementType type, Rng& rng);

/// Places the number in the matrix: at random, or in half of the cases near the first or last entries, where
/// loops begin and end. Returns its position. The matrix must have at least one value.
std::size_t placeForeign(Csr& matrix, double number, Rng& rng);

/// A vector (cols x columns elements) with a power of two in this column and zeros elsewhere. The products of
/// the column are alone in their rows, and exact.
Input unitInput(std::int32_t column, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
