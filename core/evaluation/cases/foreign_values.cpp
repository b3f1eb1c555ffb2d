// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/foreign_values.h"

#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

std::vector<double> foreignNumbers(ElementType type, Rng& rng)
{
    const NumberFormat& format = NumberFormat::of(type);
    std::vector<double> numbers;
    const auto add = [&](double number) {
        const double rounded = format.rounded(number);
        // Twice as much is a number as well: programs multiply by small constants.
        if (std::abs(rounded) < std::ldexp(1.0, format.highest - 1) && rounded != 0)
            numbers.push_back(rounded);
    };
    // Ends of 8, 9, 12, 16, 24, 25, 32 and 53 bits, with and without a sign, and digits of bfloat, half and
    // float.
    for (const int bits : {7, 8, 9, 11, 12, 15, 16, 17, 24, 25, 31, 32, 53})
        for (const double beside : {-1.0, 0.0, 1.0}) {
            add(std::ldexp(1.0, bits) + beside);
            add(-std::ldexp(1.0, bits) - beside);
        }
    // The least and largest numbers of half, bfloat and float, and what lies beyond.
    for (const int exponent :
         {-14, -15, -20, -24, -25, -30, -45, -126, -130, -133, -140, -149, -160, -300, -1022, -1074})
        for (const double digits : {1.0, 1 + 0x1p-7, 1 + 0x1p-10, roundedTo(plainMagnitude(rng.next()), 24),
                                    plainMagnitude(rng.next(), format.digits)})
            add(std::ldexp(digits, exponent));
    for (const int exponent : {17, 40, 100, 125, 127, 128, 200, 1021})
        add(std::ldexp(1.0, exponent));
    for (const double number : {65504.0, 65519.0, 65520.0, 131008.0, 0x1.fep125, 0x1.fffffep127})
        add(number);
    for (int i = 0; i < 6; ++i)
        add(plainNumber(rng, format.digits));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::size_t placeForeign(Csr& matrix, double number, Rng& rng)
{
    const std::size_t count = matrix.col.size();
    constexpr std::size_t nearEnd = 255; // What blocks of 256 leave.
    std::size_t place = rng.below(count);
    switch (rng.below(8)) {
    case 0:
        place = 0;
        break;
    case 1:
        place = count - 1;
        break;
    case 2:
        place = count - 1 - rng.below(std::min<std::size_t>(count, 4));
        break;
    case 3:
        place = count - 1 - rng.below(std::min(count, nearEnd));
        break;
    default:
        break;
    }
    matrix.setValue(place, number);
    return place;
}

Input unitInput(std::int32_t column, const InputRange& range, std::int64_t columns, Rng& rng)
{
    const auto at = static_cast<std::size_t>(column), n = static_cast<std::size_t>(columns);
    Input input;
    input.kind = InputKind::Unit;
    input.signs = Signs::Any;
    input.x = Numbers(range.format().type, static_cast<std::size_t>(range.columns()) * n);
    for (std::size_t j = 0; j < n;
         ++j) { // Not below 1 where that is possible: subnormal values keep all bits.
        const int exponent =
            std::min({static_cast<int>(rng.between(0, 3)), range.mostExponent(), range.highest(at) - 1});
        input.x.set(at * n + j, std::ldexp(rng.next() & 1 ? -1.0 : 1.0, exponent));
    }
    return input;
}

} // namespace sparserl
