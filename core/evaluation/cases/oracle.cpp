// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/oracle.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

Reference reference(const Csr& matrix, std::span<const float> x, std::int64_t columns)
{
    constexpr double c = 6, k = 2, u = 0x1p-24, smallestNormal = 0x1p-126;
    const auto n = static_cast<std::size_t>(columns);
    Reference out;
    out.columns = columns;
    out.values.resize(static_cast<std::size_t>(matrix.rows) * n);
    out.bounds.resize(out.values.size());
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        double* y = out.values.data() + static_cast<std::size_t>(row) * n;
        double* bound = out.bounds.data() + static_cast<std::size_t>(row) * n;
        for (auto at = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]); ++at) {
            const double a = matrix.val[at];
            const float* b = x.data() + static_cast<std::size_t>(matrix.col[at]) * n;
            for (std::size_t j = 0; j < n; ++j) {
                const double product = a * static_cast<double>(b[j]);
                y[j] += product;
                bound[j] += product * product;
            }
        }
        const double length = matrix.rowLength(row);
        for (std::size_t j = 0; j < n; ++j)
            bound[j] = c * u * (std::sqrt(length) + k) * std::sqrt(bound[j]) + length * smallestNormal;
    }
    return out;
}

Comparison compare(std::span<const float> got, const Reference& reference, bool exact)
{
    Comparison result;
    for (std::size_t i = 0; i < reference.values.size(); ++i) {
        const double expected = reference.values[i];
        const double bound = exact ? 0 : reference.bounds[i];
        const double error = i < got.size() ? std::abs(static_cast<double>(got[i]) - expected) : NAN;
        // Written so that NaN is wrong.
        if (error <= bound) {
            if (bound > 0)
                result.boundShare = std::max(result.boundShare, error / bound);
            continue;
        }
        const auto at = static_cast<std::int64_t>(i);
        result.wrong = WrongElement{at / reference.columns, at % reference.columns, expected,
                                    i < got.size() ? static_cast<double>(got[i]) : NAN, bound};
        break;
    }
    return result;
}

std::optional<WrongElement> firstWrong(std::span<const float> got, const Reference& reference, bool exact)
{
    return compare(got, reference, exact).wrong;
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
