// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/value_kinds.h"

#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

namespace sparserl {

namespace {

double magnitude(Rng& rng)
{
    return plainMagnitude(rng.next());
}

double plain(Rng& rng)
{
    return rng.next() & 1 ? -magnitude(rng) : magnitude(rng);
}

/// What draws one value after another.
std::function<double()> drawing(ValueKind kind, Rng& rng)
{
    switch (kind) {
    case ValueKind::Random:
        break;
    case ValueKind::Ones:
        return [] { return 1.0; };
    case ValueKind::Constant:
        return [value = plain(rng)] { return value; };
    case ValueKind::SmallIntegers:
        return [&rng] {
            const auto value = static_cast<double>(rng.between(1, 9));
            return rng.next() & 1 ? -value : value;
        };
    case ValueKind::Positive:
        return [&rng] { return magnitude(rng); };
    case ValueKind::FewDistinct: {
        std::vector<double> values;
        for (std::int64_t i = rng.between(2, 6); i > 0; --i)
            values.push_back(4 * plain(rng));
        return [values, &rng] { return values[rng.below(values.size())]; };
    }
    case ValueKind::Decaying:
        return [&rng] { return plain(rng) * std::exp2(rng.uniform(-33, 0)); };
    case ValueKind::TwoSizes:
        return [&rng] { return plain(rng) * (rng.next() & 1 ? 1.0 : 1e-9); };
    case ValueKind::Tiny:
        return [&rng, about = static_cast<double>(rng.between(-140, -80))] {
            return plain(rng) * std::exp2(about + rng.uniform(0, 4));
        };
    case ValueKind::Large:
        return [&rng, about = static_cast<double>(rng.between(60, 123))] {
            return plain(rng) * std::exp2(about + rng.uniform(0, 4));
        };
    case ValueKind::Negative:
        return [&rng] { return -magnitude(rng); };
    case ValueKind::Signs:
        return [&rng] { return rng.next() & 1 ? -1.0 : 1.0; };
    case ValueKind::Zeros:
    case ValueKind::Selection:
    case ValueKind::Lone:
        return [&rng] { return rng.next() & 1 ? -0.0 : 0.0; };
    case ValueKind::FewBits:
        return [&rng] {
            return std::ldexp(static_cast<double>(rng.between(-255, 255)),
                              static_cast<int>(rng.between(-12, -4)));
        };
    case ValueKind::Uniform:
        return [&rng] { return rng.uniform(0, 1); };
    case ValueKind::Normal:
        return [&rng] { return rng.normal(); };
    case ValueKind::Bytes:
        return [&rng] { return static_cast<double>(rng.between(0, 255)); };
    case ValueKind::Brain:
        return [&rng] {
            return std::ldexp(static_cast<double>(rng.between(128, 255)),
                              static_cast<int>(rng.between(-10, -7))) *
                   (rng.next() & 1 ? -1.0 : 1.0);
        };
    case ValueKind::ScaledUp:
        return [&rng, size = std::exp2(rng.uniform(7, 19))] { return plain(rng) * size; };
    case ValueKind::ScaledDown:
        return [&rng, size = std::exp2(rng.uniform(-38, -14))] { return plain(rng) * size; };
    case ValueKind::MostlyPositive:
        return [&rng] { return rng.below(100) == 0 ? -magnitude(rng) : magnitude(rng); };
    case ValueKind::SomeZeros:
        return [&rng] { return rng.below(5) == 0 ? 0.0 : plain(rng); };
    case ValueKind::FirstsLarge:
    case ValueKind::DiagonalDominant:
    case ValueKind::OverLength:
    case ValueKind::ZeroSums:
    case ValueKind::OfRows:
    case ValueKind::OfColumns:
    case ValueKind::Ascending:
        break; // Random ones, changed by row or column.
    }
    return [&rng] { return plain(rng); };
}

/// Negative, but for one that makes up for them.
void zeroSum(std::span<float> row, Rng& rng)
{
    const std::size_t one = rng.below(row.size());
    double others = 0;
    for (std::size_t at = 0; at < row.size(); ++at) {
        row[at] = -std::abs(row[at]);
        others -= at == one ? 0 : static_cast<double>(row[at]);
    }
    row[one] = static_cast<float>(others);
}

/// The diagonal, or the first value of a row without one, is larger than all others of the row together.
void dominate(Csr& matrix, std::int32_t row)
{
    const auto from = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
    const auto to = from + static_cast<std::size_t>(matrix.rowLength(row));
    std::size_t largest = from;
    double others = 0;
    for (std::size_t at = from; at < to; ++at) {
        largest = matrix.col[at] == row ? at : largest;
        others += std::abs(static_cast<double>(matrix.val[at]));
    }
    matrix.val[largest] = static_cast<float>(others + 1);
}

/// A number that is far from all numbers with fewer bits, however many: rounding it always shows.
float farFromShorter(Rng& rng)
{
    constexpr std::uint32_t low = 0xffff;
    for (;;) {
        const auto value = static_cast<float>(plainNumber(rng));
        const auto bits = std::bit_cast<std::uint32_t>(value);
        // Three bits alike are what is near a shorter number.
        const std::uint32_t same = ~(bits ^ bits >> 1) & low;
        if ((same & same >> 1) == 0)
            return value;
    }
}

/// The values of a row with one at least.
void arrangeRow(Csr& matrix, std::int32_t row, ValueKind kind, Rng& rng)
{
    const auto from = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
    const auto values = std::span(matrix.val).subspan(from, static_cast<std::size_t>(matrix.rowLength(row)));
    switch (kind) {
    case ValueKind::OfRows:
        std::fill(values.begin(), values.end(), values.front());
        break;
    case ValueKind::OverLength:
        std::fill(values.begin(), values.end(), 1.0f / static_cast<float>(values.size()));
        break;
    case ValueKind::FirstsLarge:
        values.front() *= 1000;
        break;
    case ValueKind::DiagonalDominant:
        dominate(matrix, row);
        break;
    case ValueKind::ZeroSums:
        zeroSum(values, rng);
        break;
    case ValueKind::Lone:
        values[rng.below(values.size())] = farFromShorter(rng);
        break;
    case ValueKind::Selection:
        values[rng.below(values.size())] =
            static_cast<float>(std::ldexp(rng.next() & 1 ? -1.0 : 1.0, static_cast<int>(rng.between(-9, 9))));
        break;
    default:
        break;
    }
}

/// What one value after another does not give.
void arrange(Csr& matrix, ValueKind kind, Rng& rng)
{
    if (kind == ValueKind::Ascending)
        std::sort(matrix.val.begin(), matrix.val.end());
    if (kind == ValueKind::OfColumns) {
        const auto ofColumns = randomVector(matrix.cols, rng);
        for (std::size_t at = 0; at < matrix.val.size(); ++at)
            matrix.val[at] = ofColumns[static_cast<std::size_t>(matrix.col[at])];
    }
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        if (matrix.rowLength(row) > 0)
            arrangeRow(matrix, row, kind, rng);
}

} // namespace

std::string_view nameOf(ValueKind kind)
{
    constexpr std::array<std::string_view, valueKindCount> names{"random",
                                                                 "ones",
                                                                 "constant",
                                                                 "small integers",
                                                                 "positive",
                                                                 "few distinct",
                                                                 "decaying",
                                                                 "two sizes",
                                                                 "tiny",
                                                                 "large",
                                                                 "negative",
                                                                 "signs",
                                                                 "zeros",
                                                                 "of rows",
                                                                 "of columns",
                                                                 "few bits",
                                                                 "ascending",
                                                                 "selection",
                                                                 "uniform",
                                                                 "normal",
                                                                 "over length",
                                                                 "zero sums",
                                                                 "bytes",
                                                                 "brain",
                                                                 "scaled up",
                                                                 "scaled down",
                                                                 "mostly positive",
                                                                 "some zeros",
                                                                 "firsts large",
                                                                 "diagonal dominant",
                                                                 "lone"};
    return names[static_cast<std::size_t>(kind)];
}

Csr withValues(const Csr& pattern, ValueKind kind, Rng& rng)
{
    Csr matrix = pattern;
    const auto draw = drawing(kind, rng);
    for (float& value : matrix.val)
        value = static_cast<float>(draw());
    arrange(matrix, kind, rng);
    return matrix;
}

Csr withDrawnValues(const Csr& pattern, Rng& rng)
{
    ValueKind kind = ValueKind::Zeros;
    while (isSparser(kind))
        kind = static_cast<ValueKind>(rng.below(valueKindCount));
    return withValues(pattern, kind, rng);
}

} // namespace sparserl
