// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Median and quartiles of `n` repeated timings, in microseconds.
struct Timing
{
    double median = 0, q25 = 0, q75 = 0;
    int n = 0;
};

} // namespace sparserl
