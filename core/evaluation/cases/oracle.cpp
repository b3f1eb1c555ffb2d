// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/oracle.h"

#include "evaluation/cases/row_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace sparserl {

namespace {

template <typename T>
Reference referenceOf(const Csr& matrix, std::span<const T> val, std::span<const T> x, std::int64_t columns,
                      Signs signs)
{
    constexpr auto smallest = static_cast<double>(std::numeric_limits<T>::denorm_min());
    const auto n = static_cast<std::size_t>(columns);
    const std::size_t count = static_cast<std::size_t>(matrix.rows) * n;
    Reference out;
    out.columns = columns;
    out.values.reserve(count);
    out.bounds.reserve(count);
    if constexpr (std::is_same_v<T, double>)
        out.rests.reserve(count);
    out.lengths.reserve(static_cast<std::size_t>(matrix.rows));
    std::vector<Sums<T>> sums(n);
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        sums.assign(n, {});
        const auto begin = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]),
                   end = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]);
        if (n == 1) { // In registers: a judgement of SpMV asks for several of these.
            Sums<T> only;
            for (std::size_t at = begin; at < end; ++at)
                only.add(val[at], x[static_cast<std::size_t>(matrix.col[at])]);
            sums.front() = only;
        }
        for (std::size_t at = begin; n > 1 && at < end; ++at) {
            const T a = val[at];
            const T* b = x.data() + static_cast<std::size_t>(matrix.col[at]) * n;
            for (std::size_t j = 0; j < n; ++j)
                sums[j].add(a, b[j]);
        }
        const std::int32_t length = matrix.rowLength(row);
        out.lengths.push_back(length);
        for (const Sums<T>& sum : sums) {
            const auto value = static_cast<double>(sum.value);
            out.values.push_back(value);
            if constexpr (std::is_same_v<T, double>)
                out.rests.push_back(std::isfinite(value) ? static_cast<double>(sum.value - value) : 0);
            out.bounds.push_back(sum.exact() ? 0
                                             : boundOf<T>(signs, sum.products, sum.squares, sum.magnitudes) +
                                                   static_cast<double>(sum.products) * smallest);
        }
    }
    return out;
}

} // namespace

Reference reference(const Csr& matrix, NumberView x, std::int64_t columns, Signs signs)
{
    return x.visit([&]<typename T>(std::span<const T> numbers) {
        if constexpr (std::is_same_v<T, double>)
            return referenceOf<double>(matrix, matrix.val64, numbers, columns, signs);
        else
            return referenceOf<float>(matrix, matrix.val, numbers, columns, signs);
    });
}

Comparison compare(NumberView got, const Reference& reference, Tolerance tolerance)
{
    const bool flushes = tolerance == Tolerance::Flushed && got.type() == ElementType::F32;
    constexpr auto smallestNormal = static_cast<double>(std::numeric_limits<float>::min());
    Comparison result;
    for (std::size_t i = 0; i < reference.values.size(); ++i) {
        const double expected = reference.values[i];
        const auto at = static_cast<std::int64_t>(i);
        double bound = tolerance == Tolerance::Exact ? 0 : reference.bounds[i];
        if (flushes)
            bound += smallestNormal *
                     static_cast<double>(reference.lengths[static_cast<std::size_t>(at / reference.columns)]);
        const double rest = reference.rests.empty() ? 0 : reference.rests[i];
        const double error = i < got.size() ? std::abs(got[i] - expected - rest) : NAN;
        if (std::isinf(bound) && i < got.size())
            continue;
        // Written so that NaN is wrong.
        if (error <= bound) {
            if (bound > 0)
                result.boundShare = std::max(result.boundShare, error / bound);
            continue;
        }
        result.wrong = WrongElement{at / reference.columns, at % reference.columns, expected,
                                    i < got.size() ? got[i] : NAN, bound};
        break;
    }
    return result;
}

Comparison Reference::compare(std::span<const NumberView> outputs, Tolerance tolerance) const
{
    return sparserl::compare(outputs.front(), *this, tolerance);
}

std::optional<WrongElement> firstWrong(NumberView got, const Reference& reference, Tolerance tolerance)
{
    return compare(got, reference, tolerance).wrong;
}

} // namespace sparserl
