// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/scaled_reference.h"

#include "evaluation/cases/row_sums.h"

namespace sparserl {

namespace {

template <typename T>
struct ScaledSums
{
    using W = Wide<T>;
    static constexpr W smallestNormal = W(std::numeric_limits<T>::min());

    Sums<T> sums;
    W lost = 0;         ///< What the smallest number is multiplied by, where factors of a product lose bits.
    W largest = 0;      ///< Of alpha a and alpha x.
    bool normal = true; ///< No product of two of alpha, a and x is below the normal numbers.

    void add(T a, T x, W alpha)
    {
        sums.add(a, x);
        if (a == 0 || x == 0 || alpha == 0)
            return;
        const W wa = std::abs(W(a)), wx = std::abs(W(x)), factor = std::abs(alpha);
        const auto losesBits = [&](W product, W times) {
            largest = std::max(largest, product);
            if (product < smallestNormal) {
                normal = false;
                lost += times;
            }
        };
        losesBits(factor * wa, wx);
        losesBits(factor * wx, wa);
        losesBits(wa * wx, factor);
    }

    W valueOf(W alpha, W by) const { return alpha * sums.value + by; }

    /// `by`: beta times the old element.
    double bound(Signs signs, W alpha, W by) const
    {
        constexpr double u = std::numeric_limits<T>::epsilon() / 2;
        constexpr auto smallest = static_cast<double>(std::numeric_limits<T>::denorm_min());
        const W factor = std::abs(alpha), value = valueOf(alpha, by);
        Sums<T> all;
        all.value = value;
        all.squares = factor * factor * sums.squares + by * by;
        all.magnitudes = factor * sums.magnitudes + std::abs(by);
        all.products = (alpha != 0 ? sums.products : 0) + (by != 0);
        if (std::max(largest, sums.magnitudes) > largestSum<T>)
            return std::numeric_limits<double>::infinity();
        if (normal && all.exact())
            return 0;
        double bound =
            boundOf<T>(signs, all.products, all.squares, all.magnitudes) +
            u * static_cast<double>(factor * std::abs(sums.value) + std::abs(by) + std::abs(value)) +
            smallest * (static_cast<double>(all.products) + static_cast<double>(lost) + 2);
        if constexpr (std::is_same_v<T, float>) // What atomics flush, and alpha multiplies.
            bound += factor > 1
                         ? static_cast<double>(factor * smallestNormal) * static_cast<double>(all.products)
                         : 0;
        return bound;
    }
};

template <typename T, typename Use>
void forElements(const Csr& matrix, std::span<const T> val, std::span<const T> x, std::int64_t columns,
                 Wide<T> alpha, const Use& use)
{
    const auto n = static_cast<std::size_t>(columns);
    std::vector<ScaledSums<T>> sums(n);
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        sums.assign(n, {});
        const auto begin = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]),
                   end = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]);
        for (std::size_t at = begin; at < end; ++at) {
            const T* b = x.data() + static_cast<std::size_t>(matrix.col[at]) * n;
            for (std::size_t j = 0; j < n; ++j)
                sums[j].add(val[at], b[j], alpha);
        }
        for (std::size_t j = 0; j < n; ++j)
            use(static_cast<std::size_t>(row) * n + j, sums[j]);
    }
}

template <typename T>
std::span<const T> valuesOf(const Csr& matrix)
{
    if constexpr (std::is_same_v<T, double>)
        return matrix.val64;
    else
        return matrix.val;
}

} // namespace

Reference scaledReference(const Csr& matrix, NumberView x, std::int64_t columns, Signs signs,
                          const CallFactors& factors, NumberView before)
{
    Reference out;
    out.columns = columns;
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        out.lengths.push_back(matrix.rowLength(row) + (factors.beta != 0 ? 1 : 0));
    x.visit([&]<typename T>(std::span<const T> numbers) {
        using W = Wide<T>;
        const W alpha = factors.alpha, beta = factors.beta;
        forElements<T>(matrix, valuesOf<T>(matrix), numbers, columns, alpha,
                       [&](std::size_t i, const ScaledSums<T>& sums) {
                           const W by = beta == 0 ? W(0) : beta * W(before[i]);
                           const W exact = sums.valueOf(alpha, by);
                           const auto value = static_cast<double>(exact);
                           out.values.push_back(value);
                           if constexpr (std::is_same_v<T, double>)
                               out.rests.push_back(std::isfinite(value) ? static_cast<double>(exact - value)
                                                                        : 0);
                           out.bounds.push_back(sums.bound(signs, alpha, by));
                       });
    });
    return out;
}

std::vector<double> magnitudesOf(const Csr& matrix, NumberView x, std::int64_t columns)
{
    std::vector<double> magnitudes;
    x.visit([&]<typename T>(std::span<const T> numbers) {
        forElements<T>(matrix, valuesOf<T>(matrix), numbers, columns, 0,
                       [&](std::size_t, const ScaledSums<T>& sums) {
                           magnitudes.push_back(static_cast<double>(sums.sums.magnitudes));
                       });
    });
    return magnitudes;
}

} // namespace sparserl
