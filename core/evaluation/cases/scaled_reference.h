// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/oracle.h"
#include "target/factors.h"

namespace sparserl {

/// What y = alpha A x + beta y is, and how far a program may be from it. beta y is one more summand: programs
/// add it first, last or in between, and multiply by alpha before, in or after the sum. So with p the
/// products alpha a_i x_i and beta y, the bound is that of oracle.h for p, and beside it what the two
/// products and the sum round:
///
///     bound(p) + u (|alpha A x| + |beta y| + |alpha A x + beta y|)
///
/// Where alpha is subnormal or tiny, alpha a, alpha x and a x may lose up to half of the smallest number, and
/// what is left of the factors multiplies that; where alpha is large, it multiplies what atomics flush. An
/// element whose partial results may leave the type, in whatever order, is not judged.
///
/// `before` has rows x columns elements. With beta = 0 it is not read and may be empty.
Reference scaledReference(const Csr& matrix, NumberView x, std::int64_t columns, Signs signs,
                          const CallFactors& factors, NumberView before);

/// Sums of |a||x| of every element, row-major.
std::vector<double> magnitudesOf(const Csr& matrix, NumberView x, std::int64_t columns);

} // namespace sparserl
