// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sparserl {

// Building blocks of the references in oracle.h and scaled_reference.h.

static_assert(std::numeric_limits<long double>::digits >= 64,
              "the float64 oracle needs a type with more bits than float64 (x87's 80 bits)");

/// The type for sums of products of numbers of type T.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, long double, double>;

/// If a sum of magnitudes is larger, the sum may overflow in some order.
template <typename T>
constexpr Wide<T> largestSum = Wide<T>(std::numeric_limits<T>::max()) / 2;

/// Returns the error bound of a row with more than one non-zero product. `squares` is the sum of the squared
/// products, `sum` the sum of their magnitudes.
template <typename T>
double boundOf(Signs signs, std::int64_t products, Wide<T> squares, Wide<T> sum)
{
    constexpr double c = 6, ofSame = 2, k = 2, scalings = 4;
    constexpr double u = std::numeric_limits<T>::epsilon() / 2;
    const auto n = static_cast<double>(products);
    if (sum > largestSum<T>)
        return std::numeric_limits<double>::infinity();
    const double worst = u * (n + scalings) * static_cast<double>(sum);
    switch (signs) {
    case Signs::Random:
        return std::min(worst, c * u * (std::sqrt(n) + k) * static_cast<double>(std::sqrt(squares)));
    case Signs::Same:
        return std::min(worst, ofSame * u * (std::sqrt(n) + k) * static_cast<double>(sum));
    case Signs::Any:
        break;
    }
    return worst;
}

/// The sums that are collected for one element of y.
template <typename T>
struct Sums
{
    Wide<T> value = 0, squares = 0, magnitudes = 0;
    std::int64_t products = 0;

    /// Returns whether nothing is rounded: there is at most one product, and the type can represent it.
    bool exact() const
    {
        return products <= 1 && magnitudes <= largestSum<T> &&
               static_cast<Wide<T>>(static_cast<T>(value)) == value;
    }

    void add(T a, T x)
    {
        const Wide<T> product = static_cast<Wide<T>>(a) * static_cast<Wide<T>>(x);
        value += product;
        squares += product * product;
        magnitudes += std::abs(product);
        products += product != 0;
    }
};

} // namespace sparserl
