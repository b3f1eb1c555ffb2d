// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/scaled_calls.h"

#include "evaluation/cases/inputs.h"
#include "evaluation/cases/scaled_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sparserl {

namespace {

constexpr int roomForSums = 3; ///< Binary orders between the largest partial result and the type's end.

/// Any number around 1, of either sign.
double around1(const NumberFormat& format, Rng& rng)
{
    return std::ldexp(plainNumber(rng, format.digits), static_cast<int>(rng.between(-3, 3)));
}

/// 1 but for a part that is drawn, down to what shows beside the rounding of a short row.
double nearOne(const NumberFormat& format, Rng& rng)
{
    const int exponent = -static_cast<int>(rng.between(8, format.digits - 6));
    return format.rounded(1 + std::ldexp(plainNumber(rng, format.digits), exponent));
}

/// Of either sign, with an exponent of a range, or of its end where that is below it.
double ofExponents(const NumberFormat& format, int from, int to, Rng& rng)
{
    return std::ldexp(plainNumber(rng, format.digits), static_cast<int>(rng.between(std::min(from, to), to)));
}

/// Below the smallest normal number; half of the digits at least are left.
double subnormal(const NumberFormat& format, Rng& rng)
{
    const int digits = static_cast<int>(rng.between(format.digits / 2, format.digits - 2));
    return format.rounded(std::ldexp(plainNumber(rng, digits), format.lowest + digits));
}

/// The exponent of a power of two above a magnitude.
int exponentAbove(double magnitude)
{
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    return exponent;
}

double largestOf(NumberView numbers)
{
    double largest = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        largest = std::max(largest, std::abs(numbers[i]));
    return largest;
}

/// `mostOfAlpha`: the exponent of an alpha that leaves results in the type.
CallFactors drawFactors(FactorKind kind, const NumberFormat& format, int mostOfAlpha, Rng& rng)
{
    constexpr int small = 4;
    const int tiny = format.lowestNormal / 2;
    const double alpha = around1(format, rng), beta = around1(format, rng);
    switch (kind) {
    case FactorKind::Drawn:
        return {alpha, beta};
    case FactorKind::Negative:
        return {-std::abs(alpha), beta};
    case FactorKind::BetaAlone:
        return {1, beta};
    case FactorKind::AlphaAlone:
        return {alpha, 0};
    case FactorKind::Adds:
        return {alpha, 1};
    case FactorKind::Subtracts:
        return {alpha, -1};
    case FactorKind::Accumulate:
        return {1, 1};
    case FactorKind::Residual:
        return {-1, 1};
    case FactorKind::Difference:
        return {1, -1};
    case FactorKind::Minus:
        return {-1, rng.chance(0.5) ? beta : 0};
    case FactorKind::Alike:
        return {alpha, rng.chance(0.5) ? alpha : -alpha};
    case FactorKind::Convex: {
        const double part = format.rounded(std::abs(alpha) / 16);
        return {part, format.rounded(1 - part)};
    }
    case FactorKind::MinusZero:
        return {rng.chance(0.5) ? alpha : 1, -0.0};
    case FactorKind::NearOne:
        return {nearOne(format, rng), nearOne(format, rng)};
    case FactorKind::NearMinus:
        return {-nearOne(format, rng), -nearOne(format, rng)};
    case FactorKind::AlphaTiny:
        return {ofExponents(format, format.lowestNormal, tiny, rng), beta};
    case FactorKind::AlphaSmall:
        return {ofExponents(format, tiny, -small, rng), beta};
    case FactorKind::AlphaLarge:
        return {ofExponents(format, small, mostOfAlpha, rng), beta};
    case FactorKind::BetaTiny:
        return {alpha, ofExponents(format, format.lowestNormal, tiny, rng)};
    case FactorKind::BetaSmall:
        return {alpha, ofExponents(format, tiny, -small, rng)};
    case FactorKind::BetaLarge:
        return {alpha, ofExponents(format, small, format.highest / 2, rng)};
    case FactorKind::BetaHuge:
        return {alpha, ofExponents(format, format.highest / 2, format.highest - roomForSums, rng)};
    case FactorKind::BetaSubnormal: // y cannot be so large that it shows beside other products.
        return {std::ldexp(alpha, format.lowestNormal / 4), subnormal(format, rng)};
    case FactorKind::Keeps:
        return {0, 1};
    case FactorKind::OldAlone:
        return {0, beta};
    case FactorKind::Nothing:
        return {0, 0};
    case FactorKind::Huge:
        return {std::ldexp(plainNumber(rng, format.digits), mostOfAlpha), beta};
    case FactorKind::Subnormal:
        return {subnormal(format, rng), 0};
    case FactorKind::OldTiny:
        return {subnormal(format, rng), beta};
    }
    return {};
}

/// Old elements of y that are about as large as alpha A x / beta, and not below 2^least.
Numbers comparable(const NumberFormat& format, const std::vector<double>& magnitudes, const CallFactors& by,
                   int least, Rng& rng)
{
    Numbers before(format.type, magnitudes.size());
    const double ratio = std::abs(by.alpha / by.beta);
    const int mostOfOld = format.highest - roomForSums - std::max(0, exponentAbove(by.beta));
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double alike = ratio * magnitudes[i];
        const int exponent = (alike > 0 && std::isfinite(alike) ? exponentAbove(alike) : 0) +
                             static_cast<int>(rng.between(-3, 3));
        before.set(i, std::ldexp(plainNumber(rng, format.digits), std::clamp(exponent, least, mostOfOld)));
    }
    return before;
}

/// Old elements of y that nobody may read.
Numbers unreadable(const NumberFormat& format, std::size_t count, Rng& rng)
{
    using Limits = std::numeric_limits<double>;
    Numbers before(format.type, count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t lot = rng.below(4);
        before.set(i, lot == 0   ? Limits::quiet_NaN()
                      : lot == 1 ? std::copysign(Limits::infinity(), plainNumber(rng))
                                 : plainNumber(rng, format.digits));
    }
    return before;
}

ScaledInput withExpected(ScaledInput one, const Csr& matrix, std::int64_t columns)
{
    one.expected = std::make_shared<const Reference>(
        scaledReference(matrix, one.input.x, columns, one.input.signs, one.by, one.before));
    return one;
}

} // namespace

std::vector<FactorKind> factorKinds(FactorUse use)
{
    using enum FactorKind;
    // Those near 1 twice: how near is drawn, and a program may be wrong in a part of that alone.
    if (use.alpha && use.beta)
        return {Drawn,         Negative,  BetaAlone,  AlphaAlone, Adds,      Subtracts, Accumulate, Residual,
                Difference,    Minus,     Alike,      Convex,     MinusZero, NearOne,   NearOne,    NearMinus,
                NearMinus,     AlphaTiny, AlphaSmall, AlphaLarge, BetaTiny,  BetaSmall, BetaLarge,  BetaHuge,
                BetaSubnormal, Keeps,     OldAlone,   Nothing,    Huge,      Subnormal, OldTiny};
    if (use.alpha)
        return {AlphaAlone, Negative,   Minus,      NearOne, NearOne, NearMinus, NearMinus,
                AlphaTiny,  AlphaSmall, AlphaLarge, Nothing, Huge,    Subnormal};
    if (use.beta)
        return {BetaAlone, Adds,     Subtracts, MinusZero, NearOne,  NearOne,      NearMinus,
                NearMinus, BetaTiny, BetaSmall, BetaLarge, BetaHuge, BetaSubnormal};
    return {};
}

ScaledInput scaledInput(FactorKind kind, FactorUse use, const Csr& matrix, Input input, std::int64_t columns,
                        Rng& rng)
{
    const NumberFormat& format = NumberFormat::of(matrix.type);
    const std::vector<double> magnitudes = magnitudesOf(matrix, input.x, columns);
    double largest = largestOf(input.x);
    for (const double magnitude : magnitudes)
        largest = std::max(largest, magnitude);
    for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.nnz()); ++i)
        largest = std::max(largest, std::abs(matrix.value(i)));
    // Alpha multiplies elements of A and x and sums of a row, whatever a program begins with.
    const int mostOfAlpha = format.highest - roomForSums - exponentAbove(std::max(1.0, largest));
    ScaledInput one{std::move(input), use.of(drawFactors(kind, format, mostOfAlpha, rng)), {}, {}};
    // Values at the end of the type leave little room for alpha.
    if (const int size = exponentAbove(one.by.alpha); use.alpha && size > mostOfAlpha)
        one.by.alpha = std::ldexp(one.by.alpha, mostOfAlpha - size);
    const int least = kind == FactorKind::OldTiny ? format.lowest : format.lowestNormal + 8;
    one.before = one.by.beta != 0 ? comparable(format, magnitudes, one.by, least, rng)
                                  : unreadable(format, magnitudes.size(), rng);
    return withExpected(std::move(one), matrix, columns);
}

std::vector<FactorKind> drawnFactorKinds(FactorUse use, std::size_t others, Rng& rng)
{
    const std::vector<FactorKind> all = factorKinds(use);
    if (all.empty())
        return {};
    std::vector<FactorKind> kinds(all.begin() + 1, all.end());
    rng.shuffle(kinds);
    kinds.resize(std::min(others, kinds.size()));
    kinds.insert(kinds.begin(), all.front());
    return kinds;
}

std::vector<ScaledInput> scaledInputs(const std::vector<FactorKind>& kinds, FactorUse use, const Csr& matrix,
                                      const InputRange& range, std::int64_t columns, Rng& rng)
{
    std::vector<ScaledInput> inputs;
    for (const FactorKind kind : kinds) {
        Input input = rng.chance(0.5) ? timedInput(range, columns, rng)
                                      : std::move(specialInputs(1, range, columns, rng).front());
        inputs.push_back(scaledInput(kind, use, matrix, std::move(input), columns, rng));
    }
    rng.shuffle(inputs);
    return inputs;
}

ScaledInput perhapsScaled(FactorUse use, const Csr& matrix, Input input,
                          std::shared_ptr<const Reference> plain, std::int64_t columns, Rng& rng)
{
    if (rng.chance(0.5)) {
        const std::vector<FactorKind> kinds = factorKinds(use);
        return scaledInput(kinds[rng.below(kinds.size())], use, matrix, std::move(input), columns, rng);
    }
    Numbers before = unreadable(NumberFormat::of(matrix.type), plain->values.size(), rng);
    return {std::move(input), {}, std::move(before), std::move(plain)};
}

namespace {

constexpr std::int64_t mostInteger = 7, mostOld = 64;

/// Integers whose sums of products over a row stay below a quarter of 2^digits.
std::int64_t integerLimit(const Csr& matrix)
{
    std::int64_t longest = 1;
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        longest = std::max<std::int64_t>(longest, matrix.rowLength(row));
    const double room = std::ldexp(1.0, NumberFormat::of(matrix.type).digits - 2);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::sqrt(room / static_cast<double>(longest))),
                                    1, mostInteger);
}

} // namespace

Csr withSmallIntegers(const Csr& pattern, Rng& rng)
{
    Csr matrix = pattern;
    const std::int64_t limit = integerLimit(pattern);
    for (std::size_t at = 0; at < static_cast<std::size_t>(matrix.nnz()); ++at)
        matrix.setValue(at, static_cast<double>(rng.between(-limit, limit)));
    return matrix;
}

ScaledInput exactScaledInput(FactorUse use, const Csr& integers, std::int64_t columns, Rng& rng)
{
    const std::int64_t limit = integerLimit(integers);
    const auto n = static_cast<std::size_t>(columns);
    ScaledInput one;
    one.input = {InputKind::Random, Numbers(integers.type, static_cast<std::size_t>(integers.cols) * n),
                 Signs::Any};
    for (std::size_t i = 0; i < one.input.x.size(); ++i)
        one.input.x.set(i, static_cast<double>(rng.between(-limit, limit)));
    const int ofAlpha = use.alpha ? static_cast<int>(rng.between(-10, 10)) : 0,
              ofBeta = static_cast<int>(rng.between(-10, 10));
    const double odd = static_cast<double>(2 * rng.between(-4, 3) + 1);
    one.by = use.of({std::ldexp(rng.chance(0.5) ? 1.0 : -1.0, ofAlpha), std::ldexp(odd, ofBeta)});
    const std::size_t count = static_cast<std::size_t>(integers.rows) * n;
    if (one.by.beta != 0) {
        one.before = Numbers(integers.type, count);
        for (std::size_t i = 0; i < count; ++i)
            one.before.set(i,
                           std::ldexp(static_cast<double>(rng.between(-mostOld, mostOld)), ofAlpha - ofBeta));
    } else {
        one.before = unreadable(NumberFormat::of(integers.type), count, rng);
    }
    return withExpected(std::move(one), integers, columns);
}

} // namespace sparserl
