// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/aligned_input.h"

#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sparserl {

namespace {

/// |value| is in [1, 2) times 2 to this.
int sizeOf(double value)
{
    return std::ilogb(value);
}

} // namespace

bool canBeAligned(const InputRange& range)
{
    constexpr std::int32_t shortest = 100, longest = 65'536;
    return range.longest() >= shortest && range.longest() <= longest;
}

Input alignedInput(const InputRange& range, std::int64_t columns, Rng& rng)
{
    const NumberFormat& format = range.format();
    const auto cols = static_cast<std::size_t>(range.columns()), n = static_cast<std::size_t>(columns);
    std::vector<double> values(cols, 0); // Of the longest row.
    int exponent = 0;                    // Of its products.
    if (!range.rows().empty())
        for (const auto& [column, value] : range.rows().back())
            if (value != 0) {
                const auto at = static_cast<std::size_t>(column);
                values[at] = value;
                exponent = std::min(exponent, range.highest(at) - 1 + sizeOf(value));
            }
    Input input;
    input.kind = InputKind::Patterned;
    input.signs = Signs::Same;
    input.x = Numbers(format.type, cols * n);
    for (std::size_t column = 0; column < cols; ++column) {
        const double value = values[column];
        const int scale = std::clamp(value != 0 ? exponent - sizeOf(value) : 0, format.lowestNormal + 1,
                                     std::min(range.mostExponent(), range.highest(column) - 1));
        for (std::size_t j = 0; j < n; ++j) {
            const double magnitude = std::ldexp(plainMagnitude(rng.next(), format.digits), scale);
            input.x.set(column * n + j, std::signbit(value) ? -magnitude : magnitude);
        }
    }
    return input;
}

} // namespace sparserl
