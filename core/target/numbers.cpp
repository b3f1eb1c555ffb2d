// SPDX-License-Identifier: Apache-2.0
#include "target/numbers.h"

#include "base/half.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace sparserl {

namespace {

constexpr NumberFormat single;
constexpr NumberFormat twice{ElementType::F64, 53, -1074, -1022, 1023, 480};

template <typename T>
T loaded(std::span<const std::byte> bytes, std::size_t index)
{
    T value{};
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

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

double NumberView::other(std::size_t i) const
{
    switch (m_type) {
    case ElementType::I32:
        return loaded<std::int32_t>(m_bytes, i);
    case ElementType::U32:
        return loaded<std::uint32_t>(m_bytes, i);
    case ElementType::I64:
        return static_cast<double>(loaded<std::int64_t>(m_bytes, i));
    case ElementType::U8:
    case ElementType::Bool:
        return loaded<std::uint8_t>(m_bytes, i);
    case ElementType::U16:
        return loaded<std::uint16_t>(m_bytes, i);
    case ElementType::F16:
        return fromHalfBits(loaded<std::uint16_t>(m_bytes, i));
    case ElementType::BF16:
        return fromBrainBits(loaded<std::uint16_t>(m_bytes, i));
    case ElementType::F32:
    case ElementType::F64:
        break; // operator[] reads them.
    }
    return 0;
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
