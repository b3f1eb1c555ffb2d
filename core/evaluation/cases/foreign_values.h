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

/// Numbers of the type that a program which keeps values in less may take for ones that fit: at the ends of
/// bytes, of integers, halves, bfloats and floats, one beyond them, and of all digits. Each of them alone
/// among other values shows what a question about all values left out.
std::vector<double> foreignNumbers(ElementType type, Rng& rng);

/// Puts the number at a place of the matrix: anywhere, or in half of the cases among the first or the last
/// ones, where loops begin and end. Returns the place. The matrix has a value at least.
std::size_t placeForeign(Csr& matrix, double number, Rng& rng);

/// A power of two in this column, else zeros: cols x columns elements, so that the products of the column are
/// alone in their rows, and exact.
Input unitInput(std::int32_t column, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
