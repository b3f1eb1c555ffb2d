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

/// A non-owning view of numbers of type F32 or F64.
class NumberView
{
public:
    NumberView() = default;
    NumberView(std::span<const float> numbers) // NOLINT(google-explicit-constructor): it is a look at them
        : m_numbers(numbers)
    {
    }
    NumberView(std::span<const double> numbers) // NOLINT(google-explicit-constructor): the same
        : m_numbers(numbers)
    {
    }
    NumberView(const std::vector<float>& numbers) // NOLINT(google-explicit-constructor): the same
        : m_numbers(std::span<const float>(numbers))
    {
    }
    NumberView(const std::vector<double>& numbers) // NOLINT(google-explicit-constructor): the same
        : m_numbers(std::span<const double>(numbers))
    {
    }

    /// Calls `use` with a std::span<const float> or a std::span<const double>.
    template <typename Use>
    auto visit(const Use& use) const
    {
        if (const auto* floats = std::get_if<0>(&m_numbers))
            return use(*floats);
        return use(*std::get_if<1>(&m_numbers));
    }
    ElementType type() const { return m_numbers.index() == 0 ? ElementType::F32 : ElementType::F64; }
    std::size_t size() const
    {
        return visit([](auto numbers) { return numbers.size(); });
    }
    bool empty() const { return size() == 0; }
    double operator[](std::size_t i) const
    {
        return visit([i](auto numbers) { return static_cast<double>(numbers[i]); });
    }
    std::span<const std::byte> bytes() const
    {
        return visit([](auto numbers) { return std::as_bytes(numbers); });
    }

private:
    std::variant<std::span<const float>, std::span<const double>> m_numbers;
};

/// Returns the index of the first number that differs in its bits, or nullopt. Both views must have the same
/// type and size.
std::optional<std::size_t> firstDifference(NumberView a, NumberView b);

/// An owning array of numbers of type F32 or F64.
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
    /// Creates `count` zeros.
    Numbers(ElementType type, std::size_t count);

    ElementType type() const { return m_numbers.index() == 0 ? ElementType::F32 : ElementType::F64; }
    std::size_t size() const { return view().size(); }
    bool empty() const { return view().empty(); }
    double operator[](std::size_t i) const
    {
        const auto* floats = std::get_if<0>(&m_numbers);
        return floats ? static_cast<double>((*floats)[i]) : (*std::get_if<1>(&m_numbers))[i];
    }
    /// Sets number `i` to `value`, rounded to the type.
    void set(std::size_t i, double value)
    {
        if (auto* floats = std::get_if<0>(&m_numbers))
            (*floats)[i] = static_cast<float>(value);
        else
            (*std::get_if<1>(&m_numbers))[i] = value;
    }
    /// floats() returns the numbers of type F32, doubles() those of type F64. Each throws for the other type.
    const std::vector<float>& floats() const { return std::get<0>(m_numbers); }
    const std::vector<double>& doubles() const { return std::get<1>(m_numbers); }

    NumberView view() const
    {
        if (const auto* floats = std::get_if<0>(&m_numbers))
            return *floats;
        return *std::get_if<1>(&m_numbers);
    }
    operator NumberView() const { return view(); } // NOLINT(google-explicit-constructor): a look at them
    bool operator==(const Numbers&) const = default;

private:
    std::variant<std::vector<float>, std::vector<double>> m_numbers;
};

} // namespace sparserl
