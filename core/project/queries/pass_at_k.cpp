// SPDX-License-Identifier: Apache-2.0
#include "project/queries/queries.h"

#include <limits>

namespace sparserl {

double passAtK(std::int64_t n, std::int64_t c, std::int64_t k)
{
    if (n <= 0 || k <= 0 || k > n || c < 0 || c > n)
        return std::numeric_limits<double>::quiet_NaN();
    if (n - c < k)
        return 1.0;
    double miss = 1; // prod (1 - k / i), i = n-c+1 .. n: the form that does not overflow
    for (std::int64_t i = n - c + 1; i <= n; ++i)
        miss *= 1.0 - static_cast<double>(k) / static_cast<double>(i);
    return 1.0 - miss;
}

} // namespace sparserl
