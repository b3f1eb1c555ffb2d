// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace sparserl {

/// The range and precision of F32 or F64, the types of a target's tensors.
struct NumberFormat
{
    ElementType type = ElementType::F32;
    int digits = 24;         ///< Number of binary digits, including the hidden one.
    int lowest = -149;       ///< Exponent of the smallest subnormal number.
    int lowestNormal = -126; ///< Exponent of the smallest normal number.
    int highest = 127;       ///< 2^highest is finite, but twice that number is not.
    int comfortable = 60; ///< Products of numbers within 2^+-comfortable are far from overflow and underflow.

    static const NumberFormat& of(ElementType type);
    double unitRoundoff() const; ///< Returns 2^-digits.
    double largest() const;
    double rounded(double value) const; ///< Returns the nearest number of the format.
    /// Returns how many decimal digits distinguish any two numbers of the format.
    int textDigits() const { return type == ElementType::F64 ? 17 : 9; }

    bool operator==(const NumberFormat&) const = default;
};

/// A non-owning view of numbers. Sparse matrices have only F32 and F64; operators also have other types.
class NumberView
{
public:
    NumberView() = default;
    /// `bytes` holds whole elements of `type`, and is aligned for it.
    NumberView(ElementType type, std::span<const std::byte> bytes)
        : m_type(type)
        , m_bytes(bytes)
    {
    }
    NumberView(std::span<const float> numbers) // NOLINT(google-explicit-constructor): it is a look at them
        : NumberView(ElementType::F32, std::as_bytes(numbers))
    {
    }
    NumberView(std::span<const double> numbers) // NOLINT(google-explicit-constructor): the same
        : NumberView(ElementType::F64, std::as_bytes(numbers))
    {
    }
    NumberView(const std::vector<float>& numbers) // NOLINT(google-explicit-constructor): the same
        : NumberView(std::span<const float>(numbers))
    {
    }
    NumberView(const std::vector<double>& numbers) // NOLINT(google-explicit-constructor): the same
        : NumberView(std::span<const double>(numbers))
    {
    }

    /// Calls `use` with a std::span<const float> or a std::span<const double>, which is empty for other
    /// types.
    template <typename Use>
    auto visit(const Use& use) const
    {
        if (m_type == ElementType::F32)
            return use(numbers<float>());
        return use(m_type == ElementType::F64 ? numbers<double>() : std::span<const double>());
    }
    ElementType type() const { return m_type; }
    std::size_t size() const { return m_bytes.size() / sizeOf(m_type); }
    bool empty() const { return m_bytes.empty(); }
    /// Returns number `i` as a double. Whole numbers above 2^53 are rounded.
    double operator[](std::size_t i) const
    {
        if (m_type == ElementType::F32)
            return static_cast<double>(numbers<float>()[i]);
        return m_type == ElementType::F64 ? numbers<double>()[i] : other(i);
    }
    std::span<const std::byte> bytes() const { return m_bytes; }

private:
    template <typename T>
    std::span<const T> numbers() const
    {
        return {reinterpret_cast<const T*>(m_bytes.data()), m_bytes.size() / sizeof(T)};
    }
    double other(std::size_t i) const; ///< Element `i` of a type that is neither F32 nor F64.

    ElementType m_type = ElementType::F32;
    std::span<const std::byte> m_bytes;
};

/// Returns the index of the first number that differs in its bits, or nullopt. Both views must have the same
/// type and size.
std::optional<std::size_t> firstDifference(NumberView a, NumberView b);

/// An owning array of numbers.
class Numbers
{
public:
    Numbers() = default;
    Numbers(std::vector<float> numbers) // NOLINT(google-explicit-constructor): the same numbers
        : m_numbers(std::move(numbers))
    {
    }
    Numbers(std::vector<double> numbers) // NOLINT(google-explicit-constructor): the same
        : m_numbers(std::move(numbers))
    {
    }
    /// Takes numbers of a type that is neither F32 nor F64.
    Numbers(ElementType type, std::vector<std::byte> bytes)
        : m_numbers(Other{type, std::move(bytes)})
    {
    }
    /// Creates `count` zeros of type F32 or F64.
    Numbers(ElementType type, std::size_t count);

    ElementType type() const { return view().type(); }
    std::size_t size() const { return view().size(); }
    bool empty() const { return view().empty(); }
    double operator[](std::size_t i) const
    {
        const auto* floats = std::get_if<0>(&m_numbers);
        return floats ? static_cast<double>((*floats)[i]) : view()[i];
    }
    /// Sets number `i` to `value`, rounded to the type, which is F32 or F64.
    void set(std::size_t i, double value)
    {
        if (auto* floats = std::get_if<0>(&m_numbers))
            (*floats)[i] = static_cast<float>(value);
        else
            std::get<1>(m_numbers)[i] = value;
    }
    /// floats() returns the numbers of type F32, doubles() those of type F64. Each throws for the other type.
    const std::vector<float>& floats() const { return std::get<0>(m_numbers); }
    const std::vector<double>& doubles() const { return std::get<1>(m_numbers); }

    NumberView view() const
    {
        if (const auto* floats = std::get_if<0>(&m_numbers))
            return *floats;
        if (const auto* doubles = std::get_if<1>(&m_numbers))
            return *doubles;
        const Other& other = *std::get_if<2>(&m_numbers);
        return {other.type, other.bytes};
    }
    operator NumberView() const { return view(); } // NOLINT(google-explicit-constructor): a look at them
    bool operator==(const Numbers&) const = default;

private:
    struct Other
    {
        ElementType type = ElementType::F32;
        std::vector<std::byte> bytes;
        bool operator==(const Other&) const = default;
    };
    std::variant<std::vector<float>, std::vector<double>, Other> m_numbers;
};

} // namespace sparserl
