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

/// Returns numbers that a program may store in a narrower format that cannot represent them: the limits of
/// bytes, integers, halves, bfloats and floats, numbers one beyond these limits, and numbers with all digits.
/// A test puts a single such number among other values, which reveals a program that does not check every
/// value.
std::vector<double> foreignNumbers(ElementType type, Rng& rng);

/// Replaces one value of the matrix by the number and returns its position. In half of the cases the position
/// is random. In the other half it is the first entry, the last entry or near the last, where loops begin and
/// end. The matrix must have at least one value.
std::size_t placeForeign(Csr& matrix, double number, Rng& rng);

/// Returns a vector (cols x columns elements) with powers of two for this column of the matrix and zeros
/// elsewhere. Rows then have at most one non-zero product, which is exact.
Input unitInput(std::int32_t column, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
