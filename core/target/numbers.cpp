// SPDX-License-Identifier: Apache-2.0
#include "target/numbers.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr NumberFormat single;
constexpr NumberFormat twice{ElementType::F64, 53, -1074, -1022, 1023, 480};

} // namespace

const NumberFormat& NumberFormat::of(ElementType type)
{
    return type == ElementType::F64 ? twice : single;
}

double NumberFormat::unitRoundoff() const
{
    return std::ldexp(1.0, -digits);
}

double NumberFormat::largest() const
{
    return std::ldexp(2 - std::ldexp(1.0, 1 - digits), highest);
}

double NumberFormat::rounded(double value) const
{
    return type == ElementType::F64 ? value : static_cast<double>(static_cast<float>(value));
}

std::optional<std::size_t> firstDifference(NumberView a, NumberView b)
{
    const auto left = a.bytes(), right = b.bytes();
    const auto [at, other] = std::ranges::mismatch(left, right);
    if (at == left.end() && other == right.end())
        return std::nullopt;
    return static_cast<std::size_t>(at - left.begin()) / sizeOf(a.type());
}

Numbers::Numbers(ElementType type, std::size_t count)
{
    if (type == ElementType::F64)
        m_numbers = std::vector<double>(count);
    else
        m_numbers = std::vector<float>(count);
}

} // namespace sparserl
