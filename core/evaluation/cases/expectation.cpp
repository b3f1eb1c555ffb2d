// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/expectation.h"

namespace sparserl {

std::optional<WrongElement> firstNonLinear(NumberView y1, NumberView y2, NumberView y3, double a, double b,
                                           std::int64_t columns)
{
    for (std::size_t i = 0; i < y1.size() && i < y2.size() && i < y3.size(); ++i) {
        // More bits than a double: products of one need them.
        const long double expected =
            static_cast<long double>(a) * y1[i] + static_cast<long double>(b) * y2[i];
        if (static_cast<long double>(y3[i]) == expected)
            continue;
        const auto at = static_cast<std::int64_t>(i);
        return WrongElement{at / columns, at % columns, static_cast<double>(expected), y3[i], 0};
    }
    return std::nullopt;
}

} // namespace sparserl
