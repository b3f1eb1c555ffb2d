// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/oracle.h"
#include "target/factors.h"

namespace sparserl {

/// Computes y = alpha A x + beta y and its error bound. beta y is one more summand. Programs add it first,
/// last or in between, and multiply by alpha before, during or after the sum. Let p be the products alpha a_i
/// x_i and beta y. The bound is bound(p) of oracle.h plus the rounding of the two products and of their sum:
///
///     bound(p) + u (|alpha A x| + |beta y| + |alpha A x + beta y|)
///
/// If alpha is subnormal or tiny, then alpha a, alpha x and a x may lose up to half of the smallest number,
/// and the remaining factors multiply this loss. If alpha is large, it multiplies the loss from flushing
/// atomics. If partial results of an element may overflow in some order, the element is not judged.
///
/// `before` has rows x columns elements. If beta is 0, `before` is not read and may be empty.
Reference scaledReference(const Csr& matrix, NumberView x, std::int64_t columns, Signs signs,
                          const CallFactors& factors, NumberView before);

/// Returns the sum of |a||x| for every element, row-major.
std::vector<double> magnitudesOf(const Csr& matrix, NumberView x, std::int64_t columns);

} // namespace sparserl
