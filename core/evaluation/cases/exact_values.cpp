// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/exact_values.h"

#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr int lowestExponent = -149;               ///< Of the smallest subnormal number.
constexpr int significandBits = 24;                ///< Of a float, with the hidden one.
constexpr int highestUnit = 127 - significandBits; ///< 2^24 times 2^this is finite.
constexpr std::int64_t exactBudget = std::int64_t(1) << significandBits;
/// What small products of a row may add up to; the long one takes three quarters of the budget at most.
constexpr std::int64_t smallBudget = exactBudget / 4;
/// A row keeps at most so many entries that are not zero.
constexpr std::int64_t mostSmallEntries = std::int64_t(1) << 19;
constexpr std::int64_t mostInteger = 4095;

float signOf(std::uint64_t bits, float magnitude)
{
    return bits & 1 ? -magnitude : magnitude;
}

float scaled(double value, int exponent)
{
    return static_cast<float>(std::ldexp(value, exponent));
}

float smallInteger(std::int64_t limit, Rng& rng)
{
    const std::uint64_t bits = rng.next();
    return signOf(bits, static_cast<float>(
                            1 + (bits >> 8) % static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 1))));
}

/// Odd, of exactly `bits` bits, in the lower half of them so that small products fit above.
float longInteger(int bits, Rng& rng)
{
    const std::uint64_t low = std::uint64_t(1) << (bits - 1), draw = rng.next();
    const std::uint64_t odd = low + (draw >> 8) % (low / 2) / 2 * 2 + 1;
    return signOf(draw, static_cast<float>(odd));
}

} // namespace

Scaling Scaling::make(const Csr& pattern, Rng& rng)
{
    Scaling scaling;
    scaling.row.resize(static_cast<std::size_t>(pattern.rows));
    scaling.column.resize(static_cast<std::size_t>(pattern.cols));
    for (auto& exponent : scaling.row)
        exponent = static_cast<std::int16_t>(rng.between(-75, 30));
    for (auto& exponent : scaling.column) {
        const std::uint64_t kind = rng.below(16);
        exponent = static_cast<std::int16_t>(kind == 0   ? rng.between(lowestExponent, -142)
                                             : kind == 1 ? rng.between(60, 69)
                                                         : rng.between(-30, 30));
    }
    return scaling;
}

ExactValues ExactValues::make(const Csr& pattern, Rng& rng, Kind kind)
{
    ExactValues made;
    made.m_kind = kind;
    const Scaling scaling = Scaling::make(pattern, rng);
    made.m_exponents = scaling.column;
    const int longBits = kind == Kind::Linear ? significandBits - 1 : significandBits;
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
    const std::int64_t budget = kind == Kind::Linear ? smallBudget / 5 : smallBudget;
    std::int64_t longest = 1;
    for (std::int32_t row = 0; row < pattern.rows; ++row)
        longest = std::max<std::int64_t>(longest, pattern.rowLength(row));
    const auto root = static_cast<std::int64_t>(
        std::sqrt(static_cast<double>(budget) / static_cast<double>(std::min(longest, mostSmallEntries))));
    made.m_vectorLimit = static_cast<int>(std::clamp<std::int64_t>(root, 1, mostInteger));

    Csr& matrix = made.m_matrix;
    matrix = pattern;
    std::array<std::vector<std::size_t>, 2> longs; // Where x is long, where a may be.
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const auto from = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
        const auto to = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]);
        const auto length = static_cast<std::int64_t>(to - from);
        const std::int64_t stride = 1 + (length - 1) / mostSmallEntries;
        const std::int64_t kept = std::max<std::int64_t>(1, (length + stride - 1) / stride);
        const std::int64_t limit =
            std::clamp<std::int64_t>(budget / kept / made.m_vectorLimit, 1, mostInteger);
        const auto unit = [&](std::size_t at) {
            return scaling.row[static_cast<std::size_t>(row)] -
                   made.m_exponents[static_cast<std::size_t>(matrix.col[at])];
        };
        for (auto& places : longs)
            places.clear();
        for (std::size_t at = from; at < to; ++at) {
            const Role role = made.m_roles[static_cast<std::size_t>(matrix.col[at])];
            const int exponent = unit(at);
            const float zero = signOf(rng.next(), 0.0f);
            const bool holds = exponent >= lowestExponent && exponent <= highestUnit;
            if (role == Role::Zero) {
                matrix.val[at] = scaled(plainNumber(rng), static_cast<int>(rng.between(-140, 120)));
            } else if (!holds) {
                matrix.val[at] = zero;
            } else if (role == Role::LongX) {
                matrix.val[at] = zero;
                longs[0].push_back(at);
            } else {
                const bool counts = static_cast<std::int64_t>(at - from) % stride == 0;
                matrix.val[at] = counts ? scaled(smallInteger(limit, rng), exponent) : zero;
                if (role == Role::LongA)
                    longs[1].push_back(at);
            }
        }
        if (longs[0].empty() && longs[1].empty())
            continue;
        const bool longA = longs[0].empty() || (!longs[1].empty() && rng.chance(0.5));
        const auto& places = longs[longA ? 1 : 0];
        const std::size_t at = places[rng.below(places.size())];
        matrix.val[at] = scaled(longA ? longInteger(longBits, rng) : smallInteger(1, rng), unit(at));
    }
    return made;
}

float ExactValues::element(std::size_t column, Rng& rng) const
{
    const int exponent = m_exponents[column];
    const float zero = signOf(rng.next(), 0.0f);
    const bool none = rng.below(10) == 0;
    switch (m_roles[column]) {
    case Role::Zero:
        return zero;
    case Role::LongX:
        return scaled(longInteger(m_kind == Kind::Linear ? significandBits - 1 : significandBits, rng),
                      exponent);
    case Role::LongA:
        return scaled(smallInteger(1, rng), exponent);
    case Role::Small:
        break;
    }
    return none ? zero : scaled(smallInteger(m_vectorLimit, rng), exponent);
}

std::vector<float> ExactValues::vector(std::int64_t columns, Rng& rng) const
{
    std::vector<float> x;
    x.reserve(m_roles.size() * static_cast<std::size_t>(columns));
    for (std::size_t column = 0; column < m_roles.size(); ++column)
        for (std::int64_t j = 0; j < columns; ++j)
            x.push_back(element(column, rng));
    return x;
}

std::array<std::vector<float>, 3> ExactValues::linearVectors(std::int64_t columns, Rng& rng) const
{
    std::array<std::vector<float>, 3> out{vector(columns, rng), vector(columns, rng), {}};
    auto& [x1, x2, x3] = out;
    const auto n = static_cast<std::size_t>(columns);
    for (std::size_t i = 0; i < x1.size(); ++i) {
        // Long numbers fill the budget: one vector has them.
        if (m_roles[i / n] == Role::LongX || m_roles[i / n] == Role::LongA)
            x2[i] = signOf(rng.next(), 0.0f);
        x3.push_back(static_cast<float>(2.0 * static_cast<double>(x1[i]) - 3.0 * static_cast<double>(x2[i])));
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
            const double value = plainNumber(rng);
            matrix.val[at] = exponent < 127 ? scaled(value, exponent) : signOf(rng.next(), 0.0f);
        }
    return matrix;
}

std::vector<float> wideVector(const Scaling& scaling, std::int64_t columns, Rng& rng)
{
    std::vector<float> x;
    x.reserve(scaling.column.size() * static_cast<std::size_t>(columns));
    for (const std::int16_t exponent : scaling.column)
        for (std::int64_t j = 0; j < columns; ++j) {
            const float value = scaled(plainNumber(rng), exponent);
            x.push_back(rng.below(20) == 0 ? signOf(rng.next(), 0.0f) : value);
        }
    return x;
}

} // namespace sparserl
