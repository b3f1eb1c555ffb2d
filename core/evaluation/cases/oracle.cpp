// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

/// Of a row with so many products that are not 0: `squares` and `sum` of their magnitudes.
double boundOf(Signs signs, std::int64_t products, double squares, double sum)
{
    constexpr double u = unitRoundoff, c = 6, k = 2, scalings = 4;
    const auto n = static_cast<double>(products);
    if (sum > largestSum)
        return std::numeric_limits<double>::infinity();
    const double worst = u * (n + scalings) * sum;
    return signs == Signs::Random ? std::min(worst, c * u * (std::sqrt(n) + k) * std::sqrt(squares)) : worst;
}

/// What is gathered of one element of y.
struct Sums
{
    double value = 0, squares = 0, magnitudes = 0;
    std::int64_t products = 0;

    void add(double product)
    {
        value += product;
        squares += product * product;
        magnitudes += std::abs(product);
        products += product != 0;
    }
};

} // namespace

Reference reference(const Csr& matrix, std::span<const float> x, std::int64_t columns, Signs signs)
{
    constexpr double smallest = underflowOf(false);
    const auto n = static_cast<std::size_t>(columns);
    Reference out;
    out.columns = columns;
    out.values.reserve(static_cast<std::size_t>(matrix.rows) * n);
    out.bounds.reserve(static_cast<std::size_t>(matrix.rows) * n);
    out.lengths.reserve(static_cast<std::size_t>(matrix.rows));
    std::vector<Sums> sums(n);
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        sums.assign(n, {});
        const auto begin = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]),
                   end = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]);
        if (n == 1) { // In registers: a judgement of SpMV asks for several of these.
            Sums only;
            for (std::size_t at = begin; at < end; ++at)
                only.add(double(matrix.val[at]) *
                         static_cast<double>(x[static_cast<std::size_t>(matrix.col[at])]));
            sums.front() = only;
        }
        for (std::size_t at = begin; n > 1 && at < end; ++at) {
            const double a = matrix.val[at];
            const float* b = x.data() + static_cast<std::size_t>(matrix.col[at]) * n;
            for (std::size_t j = 0; j < n; ++j)
                sums[j].add(a * static_cast<double>(b[j]));
        }
        const std::int32_t length = matrix.rowLength(row);
        out.lengths.push_back(length);
        for (const Sums& sum : sums) {
            out.values.push_back(sum.value);
            out.bounds.push_back(boundOf(signs, sum.products, sum.squares, sum.magnitudes) +
                                 static_cast<double>(sum.products) * smallest);
        }
    }
    return out;
}

Comparison compare(std::span<const float> got, const Reference& reference, Tolerance tolerance)
{
    constexpr double smallestNormal = underflowOf(true);
    Comparison result;
    for (std::size_t i = 0; i < reference.values.size(); ++i) {
        const double expected = reference.values[i];
        const auto at = static_cast<std::int64_t>(i);
        double bound = tolerance == Tolerance::Exact ? 0 : reference.bounds[i];
        if (tolerance == Tolerance::Flushed)
            bound += smallestNormal *
                     static_cast<double>(reference.lengths[static_cast<std::size_t>(at / reference.columns)]);
        const double error = i < got.size() ? std::abs(static_cast<double>(got[i]) - expected) : NAN;
        if (std::isinf(bound) && i < got.size())
            continue;
        // Written so that NaN is wrong.
        if (error <= bound) {
            if (bound > 0)
                result.boundShare = std::max(result.boundShare, error / bound);
            continue;
        }
        result.wrong = WrongElement{at / reference.columns, at % reference.columns, expected,
                                    i < got.size() ? static_cast<double>(got[i]) : NAN, bound};
        break;
    }
    return result;
}

std::optional<WrongElement> firstWrong(std::span<const float> got, const Reference& reference,
                                       Tolerance tolerance)
{
    return compare(got, reference, tolerance).wrong;
}

std::optional<WrongElement> firstNonLinear(std::span<const float> y1, std::span<const float> y2,
                                           std::span<const float> y3, double a, double b,
                                           std::int64_t columns)
{
    for (std::size_t i = 0; i < y1.size() && i < y2.size() && i < y3.size(); ++i) {
        const double expected = a * static_cast<double>(y1[i]) + b * static_cast<double>(y2[i]);
        if (static_cast<double>(y3[i]) == expected)
            continue;
        const auto at = static_cast<std::int64_t>(i);
        return WrongElement{at / columns, at % columns, expected, static_cast<double>(y3[i]), 0};
    }
    return std::nullopt;
}

} // namespace sparserl
