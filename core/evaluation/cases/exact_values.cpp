// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/exact_values.h"

#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

/// Sizes of exact values, by the digits of the format.
struct ExactSizes
{
    int highestUnit; ///< 2^digits times 2^this is finite.
    /// What small products of a row may add up to; the long one takes three quarters of 2^digits at most.
    std::int64_t smallBudget;
    std::int64_t mostSmallEntries; ///< A row keeps at most so many entries that are not zero.
    std::int64_t mostInteger;

    explicit ExactSizes(const NumberFormat& format)
        : highestUnit(format.highest - format.digits)
        , smallBudget(std::int64_t(1) << (format.digits - 2))
        , mostSmallEntries(std::int64_t(1) << (format.digits - 5))
        , mostInteger((std::int64_t(1) << (format.digits / 2)) - 1)
    {
    }
};

/// Exponents of rows and columns that Scaling draws, from and to.
struct ScalingRange
{
    std::array<int, 2> row, subnormal, large, usual;
};
/// A row by a large column is a subnormal number, and no less than the smallest; by a subnormal column it is
/// finite for some rows.
constexpr ScalingRange singleScaling{{-75, 30}, {-149, -142}, {60, 69}, {-30, 30}};
constexpr ScalingRange doubleScaling{{-600, 240}, {-1074, -1050}, {430, 470}, {-240, 240}};

double signOf(std::uint64_t bits, double magnitude)
{
    return bits & 1 ? -magnitude : magnitude;
}

double smallInteger(std::int64_t limit, Rng& rng)
{
    const std::uint64_t bits = rng.next();
    return signOf(bits, static_cast<double>(
                            1 + (bits >> 8) % static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 1))));
}

/// Odd, of exactly `bits` bits, in the lower half of them so that small products fit above.
double longInteger(int bits, Rng& rng)
{
    const std::uint64_t low = std::uint64_t(1) << (bits - 1), draw = rng.next();
    const std::uint64_t odd = low + (draw >> 8) % (low / 2) / 2 * 2 + 1;
    return signOf(draw, static_cast<double>(odd));
}

} // namespace

Scaling Scaling::make(const Csr& pattern, Rng& rng)
{
    Scaling scaling;
    scaling.format = NumberFormat::of(pattern.type);
    const ScalingRange& range = pattern.type == ElementType::F64 ? doubleScaling : singleScaling;
    const auto drawn = [&](const std::array<int, 2>& ends) {
        return static_cast<std::int16_t>(rng.between(ends[0], ends[1]));
    };
    scaling.row.resize(static_cast<std::size_t>(pattern.rows));
    scaling.column.resize(static_cast<std::size_t>(pattern.cols));
    for (auto& exponent : scaling.row)
        exponent = drawn(range.row);
    for (auto& exponent : scaling.column) {
        const std::uint64_t kind = rng.below(16);
        exponent = drawn(kind == 0 ? range.subnormal : kind == 1 ? range.large : range.usual);
    }
    return scaling;
}

ExactValues ExactValues::make(const Csr& pattern, Rng& rng, Kind kind)
{
    ExactValues made;
    made.m_kind = kind;
    const Scaling scaling = Scaling::make(pattern, rng);
    made.m_exponents = scaling.column;
    made.m_format = scaling.format;
    const NumberFormat& format = made.m_format;
    const ExactSizes sizes(format);
    const int longBits = made.longBits();
    // Who looks at the first elements of x, the last ones or both sees numbers in [0.5, 0.75) with all their
    // bits.
    const auto plainColumns = static_cast<std::int32_t>(rng.between(pattern.cols / 16, pattern.cols / 4));
    const auto where = rng.below(3);
    const auto isPlain = [&](std::int32_t column) {
        const std::int32_t part = where == 2 ? (plainColumns + 1) / 2 : plainColumns;
        const bool first = column < part, last = column >= pattern.cols - part;
        return where == 0 ? first : where == 1 ? last : first || last;
    };
    for (std::int32_t column = 0; column < pattern.cols; ++column) {
        const std::uint64_t draw = rng.below(20);
        made.m_roles.push_back(isPlain(column) || draw < 4 ? Role::LongX
                               : draw < 8                  ? Role::LongA
                               : draw == 8                 ? Role::Zero
                                                           : Role::Small);
        if (isPlain(column))
            made.m_exponents[static_cast<std::size_t>(column)] = static_cast<std::int16_t>(-longBits);
    }
    // |2 x1 - 3 x2| <= 5 |x|.
    const std::int64_t budget = kind == Kind::Linear ? sizes.smallBudget / 5 : sizes.smallBudget;
    std::int64_t longest = 1;
    for (std::int32_t row = 0; row < pattern.rows; ++row)
        longest = std::max<std::int64_t>(longest, pattern.rowLength(row));
    const auto root = static_cast<std::int64_t>(std::sqrt(
        static_cast<double>(budget) / static_cast<double>(std::min(longest, sizes.mostSmallEntries))));
    made.m_vectorLimit = static_cast<int>(std::clamp<std::int64_t>(root, 1, sizes.mostInteger));

    Csr& matrix = made.m_matrix;
    matrix = pattern;
    std::array<std::vector<std::size_t>, 2> longs; // Where x is long, where a may be.
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const auto from = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
        const auto to = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]);
        const auto length = static_cast<std::int64_t>(to - from);
        const std::int64_t stride = 1 + (length - 1) / sizes.mostSmallEntries;
        const std::int64_t kept = std::max<std::int64_t>(1, (length + stride - 1) / stride);
        const std::int64_t limit =
            std::clamp<std::int64_t>(budget / kept / made.m_vectorLimit, 1, sizes.mostInteger);
        const auto unit = [&](std::size_t at) {
            return scaling.row[static_cast<std::size_t>(row)] -
                   made.m_exponents[static_cast<std::size_t>(matrix.col[at])];
        };
        for (auto& places : longs)
            places.clear();
        for (std::size_t at = from; at < to; ++at) {
            const Role role = made.m_roles[static_cast<std::size_t>(matrix.col[at])];
            const int exponent = unit(at);
            const double zero = signOf(rng.next(), 0.0);
            const bool holds = exponent >= format.lowest && exponent <= sizes.highestUnit;
            if (role == Role::Zero) {
                matrix.setValue(
                    at, std::ldexp(plainNumber(rng, format.digits),
                                   static_cast<int>(rng.between(format.lowest + 9, format.highest - 7))));
            } else if (!holds) {
                matrix.setValue(at, zero);
            } else if (role == Role::LongX) {
                matrix.setValue(at, zero);
                longs[0].push_back(at);
            } else {
                const bool counts = static_cast<std::int64_t>(at - from) % stride == 0;
                matrix.setValue(at, counts ? std::ldexp(smallInteger(limit, rng), exponent) : zero);
                if (role == Role::LongA)
                    longs[1].push_back(at);
            }
        }
        if (longs[0].empty() && longs[1].empty())
            continue;
        const bool longA = longs[0].empty() || (!longs[1].empty() && rng.chance(0.5));
        const auto& places = longs[longA ? 1 : 0];
        const std::size_t at = places[rng.below(places.size())];
        matrix.setValue(at, std::ldexp(longA ? longInteger(longBits, rng) : smallInteger(1, rng), unit(at)));
    }
    return made;
}

double ExactValues::element(std::size_t column, Rng& rng) const
{
    const int exponent = m_exponents[column];
    const double zero = signOf(rng.next(), 0.0);
    const bool none = rng.below(10) == 0;
    switch (m_roles[column]) {
    case Role::Zero:
        return zero;
    case Role::LongX:
        return std::ldexp(longInteger(longBits(), rng), exponent);
    case Role::LongA:
        return std::ldexp(smallInteger(1, rng), exponent);
    case Role::Small:
        break;
    }
    return none ? zero : std::ldexp(smallInteger(m_vectorLimit, rng), exponent);
}

Numbers ExactValues::vector(std::int64_t columns, Rng& rng) const
{
    const auto n = static_cast<std::size_t>(columns);
    Numbers x(m_format.type, m_roles.size() * n);
    for (std::size_t i = 0; i < x.size(); ++i)
        x.set(i, element(i / n, rng));
    return x;
}

std::array<Numbers, 3> ExactValues::linearVectors(std::int64_t columns, Rng& rng) const
{
    std::array<Numbers, 3> out{vector(columns, rng), vector(columns, rng), {}};
    auto& [x1, x2, x3] = out;
    x3 = Numbers(m_format.type, x1.size());
    const auto n = static_cast<std::size_t>(columns);
    for (std::size_t i = 0; i < x1.size(); ++i) {
        // Long numbers fill the budget: one vector has them.
        if (m_roles[i / n] == Role::LongX || m_roles[i / n] == Role::LongA)
            x2.set(i, signOf(rng.next(), 0.0));
        x3.set(i, 2.0 * x1[i] - 3.0 * x2[i]);
    }
    return out;
}

Csr withWideValues(const Csr& pattern, const Scaling& scaling, Rng& rng)
{
    Csr matrix = pattern;
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        for (auto at = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]); ++at) {
            const int exponent = scaling.row[static_cast<std::size_t>(row)] -
                                 scaling.column[static_cast<std::size_t>(matrix.col[at])];
            const double value = plainNumber(rng, scaling.format.digits);
            matrix.setValue(at, exponent < scaling.format.highest ? std::ldexp(value, exponent)
                                                                  : signOf(rng.next(), 0.0));
        }
    return matrix;
}

Numbers wideVector(const Scaling& scaling, std::int64_t columns, Rng& rng)
{
    const auto n = static_cast<std::size_t>(columns);
    Numbers x(scaling.format.type, scaling.column.size() * n);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double value = std::ldexp(plainNumber(rng, scaling.format.digits), scaling.column[i / n]);
        x.set(i, rng.below(20) == 0 ? signOf(rng.next(), 0.0) : value);
    }
    return x;
}

} // namespace sparserl
