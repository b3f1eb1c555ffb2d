// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_file.h"

namespace sparserl_bundle {

/// Measures a product and what comes before it, and prints how many products pay for `create`: against
/// `against` microseconds a product, or where that is 0 against the baseline of the verdict, if it was
/// measured on this kind of GPU. Returns a status of the C interface. Throws Failure.
int benchmark(const Matrix& matrix, double against);

/// Median microseconds of 100 calls of `enqueue`, which enqueues on the default stream. Throws Failure.
double median_microseconds(int (*enqueue)(void*), void* argument);

} // namespace sparserl_bundle
