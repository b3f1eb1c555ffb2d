// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/value_kinds.h"

#include "evaluation/cases/inputs.h"
#include "evaluation/cases/value_recipes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

namespace sparserl {

namespace {

/// Exponents of AllBits within a row. With more of them, small terms vanish below the error bound of a sum
/// and a program may drop them; with fewer, values fit into less.
std::uint64_t powersWithinRow(const NumberFormat& format)
{
    return static_cast<std::uint64_t>(format.digits / 3);
}

/// What draws one value after another.
std::function<double()> drawing(ValueKind kind, const NumberFormat& format, Rng& rng)
{
    const auto magnitude = [digits = format.digits](Rng& from) {
        return plainMagnitude(from.next(), digits);
    };
    const auto plain = [magnitude](Rng& from) {
        return from.next() & 1 ? -magnitude(from) : magnitude(from);
    };
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
        return [&rng, magnitude] { return magnitude(rng); };
    case ValueKind::FewDistinct: {
        std::vector<double> values;
        for (std::int64_t i = rng.between(2, 6); i > 0; --i)
            values.push_back(4 * plain(rng));
        return [values, &rng] { return values[rng.below(values.size())]; };
    }
    case ValueKind::Decaying:
        return [&rng, plain] { return plain(rng) * std::exp2(rng.uniform(-33, 0)); };
    case ValueKind::TwoSizes:
        return [&rng, plain] { return plain(rng) * (rng.next() & 1 ? 1.0 : 1e-9); };
    case ValueKind::Tiny:
        return [&rng, plain,
                about = static_cast<double>(rng.between(format.lowest + 9, format.lowestNormal + 46))] {
            return plain(rng) * std::exp2(about + rng.uniform(0, 4));
        };
    case ValueKind::Large:
        return
            [&rng, plain, about = static_cast<double>(rng.between(format.highest - 67, format.highest - 4))] {
                return plain(rng) * std::exp2(about + rng.uniform(0, 4));
            };
    case ValueKind::Negative:
        return [&rng, magnitude] { return -magnitude(rng); };
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
        return [&rng, plain, size = std::exp2(rng.uniform(7, 19))] { return plain(rng) * size; };
    case ValueKind::ScaledDown:
        return [&rng, plain, size = std::exp2(rng.uniform(-38, -14))] { return plain(rng) * size; };
    case ValueKind::MostlyPositive:
        return [&rng, magnitude] { return rng.below(100) == 0 ? -magnitude(rng) : magnitude(rng); };
    case ValueKind::AllBits:
        return [&rng, plain, most = powersWithinRow(format)] {
            return std::ldexp(plain(rng), -static_cast<int>(rng.below(most)));
        };
    case ValueKind::SomeZeros:
        return [&rng, plain] { return rng.below(5) == 0 ? 0.0 : plain(rng); };
    case ValueKind::FirstsLarge:
    case ValueKind::DiagonalDominant:
    case ValueKind::OverLength:
    case ValueKind::ZeroSums:
    case ValueKind::OfRows:
    case ValueKind::OfColumns:
    case ValueKind::Ascending:
        break; // Random ones, changed by row or column.
    }
    return [&rng, plain] { return plain(rng); };
}

/// Negative, but for one that makes up for them.
template <typename T>
void zeroSum(std::span<T> row, Rng& rng)
{
    const std::size_t one = rng.below(row.size());
    double others = 0;
    for (std::size_t at = 0; at < row.size(); ++at) {
        row[at] = -std::abs(row[at]);
        others -= at == one ? 0 : static_cast<double>(row[at]);
    }
    row[one] = static_cast<T>(others);
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
        others += std::abs(matrix.value(at));
    }
    matrix.setValue(largest, others + 1);
}

/// Is there no run of three bits alike among the last ones? That is what is near a shorter number.
bool isFarFromShorter(std::uint64_t bits, int last)
{
    const std::uint64_t same = ~(bits ^ bits >> 1) & ((std::uint64_t(1) << last) - 1);
    return (same & same >> 1) == 0;
}

/// A number that is far from all numbers with fewer bits, however many: rounding it always shows.
float farFromShorterFloat(Rng& rng)
{
    for (;;) {
        const auto value = static_cast<float>(plainNumber(rng));
        if (isFarFromShorter(std::bit_cast<std::uint32_t>(value), 16))
            return value;
    }
}

double farFromShorter(ElementType type, Rng& rng)
{
    const double start = static_cast<double>(farFromShorterFloat(rng));
    if (type != ElementType::F64)
        return start;
    // The 29 bits that a double has more, in two parts: few draws fit.
    std::uint64_t bits = std::bit_cast<std::uint64_t>(start);
    for (const auto& [from, count] : {std::pair{15, 14}, {0, 15}}) {
        const std::uint64_t mask = (std::uint64_t(1) << count) - 1;
        std::uint64_t drawn = 0;
        do {
            drawn = (bits >> from & ~mask) | (rng.next() >> 8 & mask);
        } while (!isFarFromShorter(drawn, count + 1));
        bits |= (drawn & mask) << from;
    }
    return std::bit_cast<double>(bits);
}

/// The values of a row with one at least.
template <typename T>
void arrangeRow(Csr& matrix, std::vector<T>& all, std::int32_t row, ValueKind kind, Rng& rng)
{
    const auto from = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
    const auto values = std::span(all).subspan(from, static_cast<std::size_t>(matrix.rowLength(row)));
    switch (kind) {
    case ValueKind::OfRows:
        std::fill(values.begin(), values.end(), values.front());
        break;
    case ValueKind::OverLength:
        std::fill(values.begin(), values.end(), T(1) / static_cast<T>(values.size()));
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
        values[rng.below(values.size())] = static_cast<T>(farFromShorter(matrix.type, rng));
        break;
    case ValueKind::AllBits: {
        const int most = NumberFormat::of(matrix.type).comfortable / 2;
        const auto scale = static_cast<T>(std::ldexp(1.0, static_cast<int>(rng.between(-most, most))));
        for (T& value : values)
            value *= scale;
        break;
    }
    case ValueKind::Selection:
        values[rng.below(values.size())] =
            static_cast<T>(std::ldexp(rng.next() & 1 ? -1.0 : 1.0, static_cast<int>(rng.between(-9, 9))));
        break;
    default:
        break;
    }
}

/// What one value after another does not give.
template <typename T>
void arrange(Csr& matrix, std::vector<T>& values, ValueKind kind, Rng& rng)
{
    if (kind == ValueKind::Ascending)
        std::sort(values.begin(), values.end());
    if (kind == ValueKind::OfColumns) {
        std::vector<T> ofColumns(static_cast<std::size_t>(matrix.cols));
        for (T& value : ofColumns)
            value = static_cast<T>(plainNumber(rng, NumberFormat::of(matrix.type).digits));
        for (std::size_t at = 0; at < values.size(); ++at)
            values[at] = ofColumns[static_cast<std::size_t>(matrix.col[at])];
    }
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        if (matrix.rowLength(row) > 0)
            arrangeRow(matrix, values, row, kind, rng);
}

} // namespace

std::string_view nameOf(ValueKind kind)
{
    constexpr std::array<std::string_view, valueKindCount> names{
        "random",         "ones",         "constant",
        "small integers", "positive",     "few distinct",
        "decaying",       "two sizes",    "tiny",
        "large",          "negative",     "signs",
        "zeros",          "of rows",      "of columns",
        "few bits",       "ascending",    "selection",
        "uniform",        "normal",       "over length",
        "zero sums",      "bytes",        "brain",
        "scaled up",      "scaled down",  "mostly positive",
        "some zeros",     "firsts large", "diagonal dominant",
        "lone",           "all bits"};
    return names[static_cast<std::size_t>(kind)];
}

Csr withValues(const Csr& pattern, ValueKind kind, Rng& rng)
{
    Csr matrix = pattern;
    const auto draw = drawing(kind, NumberFormat::of(matrix.type), rng);
    visitValues(matrix, [&](auto& values) {
        for (auto& value : values)
            value = static_cast<std::remove_reference_t<decltype(value)>>(draw());
        arrange(matrix, values, kind, rng);
    });
    return matrix;
}

Csr withTimedValues(const Csr& matrix, Rng& rng)
{
    Csr timed = withValues(matrix, ValueKind::AllBits, rng);
    for (std::size_t at = 0; at < static_cast<std::size_t>(matrix.nnz()); ++at)
        if (matrix.value(at) == 0)
            timed.setValue(at, matrix.value(at));
    return timed;
}

Csr withDrawnValues(const Csr& pattern, Rng& rng)
{
    if (rng.next() & 1) {
        ValueRecipe recipe = drawValueRecipe(rng);
        while (recipe.isSparser())
            recipe = drawValueRecipe(rng);
        return withRecipe(pattern, recipe, rng);
    }
    ValueKind kind = ValueKind::Zeros;
    while (isSparser(kind))
        kind = static_cast<ValueKind>(rng.below(valueKindCount));
    return withValues(pattern, kind, rng);
}

} // namespace sparserl
