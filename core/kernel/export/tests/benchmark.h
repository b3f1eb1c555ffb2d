// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_file.h"

namespace sparserl_bundle {

/// Measures a product and its set-up, and prints how many products amortize `create`. Compares with `against`
/// microseconds per product, or, if `against` is 0, with the verdict's baseline if it was measured on this
/// kind of GPU. Returns a status of the C interface. Throws Failure.
int benchmark(const Matrix& matrix, double against);

/// Returns the median time in microseconds of 100 calls to `enqueue`, which must enqueue on the default
/// stream. Throws Failure.
double median_microseconds(int (*enqueue)(void*), void* argument);

} // namespace sparserl_bundle
