// SPDX-License-Identifier: Apache-2.0
// Rounding towards zero and both infinities.
#include "device/testing/reference_parts.h"

namespace sparserl::testing {

using ptx::Op;
using ptx::Rounding;

/// Sum, product or fused product and sum of single precision in a direction. A double holds a product of two
/// floats exactly; sums are put together from parts that a long double holds, and the rest decides.
float directedSingle(Op op, float a, float b, float c, Rounding rounding)
{
    double product = op == Op::Fma || op == Op::Mul ? double(a) * double(b) : double(a);
    double addend = op == Op::Fma ? double(c) : op == Op::Mul ? 0.0 : op == Op::Sub ? -double(b) : double(b);
    if (op == Op::Mul) {
        if (!std::isfinite(product))
            return static_cast<float>(product);
        return directed<float>(static_cast<long double>(product), rounding, std::signbit(product));
    }
    const double sum = product + addend;
    if (!std::isfinite(sum))
        return static_cast<float>(sum);
    if (product == 0 && addend == 0) {
        const bool same = std::signbit(product) == std::signbit(addend);
        return same ? static_cast<float>(product) : rounding == Rounding::Rm ? -0.0f : 0.0f;
    }
    // Knuth's exact sum: sum + error == product + addend.
    const double other = sum - product;
    const double error = (product - (sum - other)) + (addend - other);
    if (sum == 0 && error == 0)
        return rounding == Rounding::Rm ? -0.0f : 0.0f;
    // A float is far coarser than a double: where sum itself is a float, the error decides; elsewhere sum
    // lies strictly between two floats and tells the same as sum + error unless they cancel to a boundary.
    float nearest = directed<float>(static_cast<long double>(sum), rounding, sum < 0);
    if (static_cast<double>(static_cast<float>(sum)) == sum && error != 0) {
        const float infinity = std::numeric_limits<float>::infinity();
        nearest = static_cast<float>(sum);
        const bool down = rounding == Rounding::Rm || (rounding == Rounding::Rz && sum > 0);
        const bool up = rounding == Rounding::Rp || (rounding == Rounding::Rz && sum < 0);
        if (error < 0 && down)
            nearest = std::nextafter(nearest, -infinity);
        if (error > 0 && up)
            nearest = std::nextafter(nearest, infinity);
    }
    return nearest;
}

namespace {

__extension__ typedef __float128 Quad;

/// A double result in a direction: from the nearest one and the exact error (exact value less nearest).
double directedDouble(double nearest, Quad error, Rounding rounding, bool finiteInputs)
{
    const double infinity = std::numeric_limits<double>::infinity();
    if (std::isnan(nearest))
        return nearest;
    if (std::isinf(nearest)) {
        const bool away = nearest > 0 ? rounding == Rounding::Rp : rounding == Rounding::Rm;
        return !finiteInputs || away ? nearest : std::copysign(std::numeric_limits<double>::max(), nearest);
    }
    const bool positive = nearest > 0 || (nearest == 0 && error > 0);
    const bool down = rounding == Rounding::Rm || (rounding == Rounding::Rz && positive);
    if (error < 0 && down)
        return std::nextafter(nearest, -infinity);
    if (error > 0 && !down)
        return std::nextafter(nearest, infinity);
    return nearest;
}

} // namespace

U64 ofDirectedDouble(Op op, double x, double y, double z, Rounding rounding)
{
    const bool finite = std::isfinite(x) && (op == Op::Rcp || op == Op::Sqrt || std::isfinite(y)) &&
                        (op != Op::Fma || std::isfinite(z));
    double nearest = 0;
    Quad error = 0;
    const auto sumError = [](Quad a, Quad b, double r) { // a + b - r, exactly enough for its sign
        const Quad s = a + b, t = s - a;
        return (s - static_cast<Quad>(r)) + ((a - (s - t)) + (b - t));
    };
    switch (op) {
    case Op::Add:
    case Op::Sub: {
        const double other = op == Op::Sub ? -y : y;
        nearest = x + other;
        error = sumError(x, other, nearest);
        // Zeros of different signs, and x - x, are +0 but for rounding down.
        if (nearest == 0 && error == 0 && (x != 0 || std::signbit(x) != std::signbit(other)))
            return of(rounding == Rounding::Rm ? -0.0 : 0.0);
        break;
    }
    case Op::Mul:
        nearest = x * y;
        error = static_cast<Quad>(x) * static_cast<Quad>(y) - static_cast<Quad>(nearest);
        break;
    case Op::Fma: {
        nearest = std::fma(x, y, z);
        const Quad product = static_cast<Quad>(x) * static_cast<Quad>(y);
        error = sumError(product, z, nearest);
        if (nearest == 0 && error == 0 && (product != 0 || std::signbit(x * y) != std::signbit(z)))
            return of(rounding == Rounding::Rm ? -0.0 : 0.0);
        break;
    }
    case Op::Div:
    case Op::Rcp: {
        const double top = op == Op::Rcp ? 1 : x, bottom = op == Op::Rcp ? x : y;
        nearest = top / bottom;
        if (bottom != 0 && std::isfinite(bottom))
            error = static_cast<Quad>(top) / static_cast<Quad>(bottom) - static_cast<Quad>(nearest);
        if (bottom == 0)
            return of(nearest);
        break;
    }
    default: // sqrt: by the square of the result
        nearest = std::sqrt(x);
        error = static_cast<Quad>(x) - static_cast<Quad>(nearest) * static_cast<Quad>(nearest);
        break;
    }
    if (!finite)
        return of(nearest);
    return of(directedDouble(nearest, error, rounding, finite));
}

} // namespace sparserl::testing
