// SPDX-License-Identifier: Apache-2.0
#include "device/testing/reference_parts.h"

#include <algorithm>

namespace sparserl::testing {

using ptx::Op;
using ptx::Rounding;
using ptx::Type;

namespace {

template <class F>
F lesser(F a, F b, bool nanWins)
{
    if (std::isnan(a) || std::isnan(b)) {
        if (nanWins || (std::isnan(a) && std::isnan(b)))
            return std::numeric_limits<F>::quiet_NaN();
        return std::isnan(a) ? b : a;
    }
    if (a == b)
        return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

double withoutSubnormals(double x)
{
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
}

/// What approximations of doubles with .ftz see of their operand.
double upperWord(U64 x)
{
    const double value = f64(x);
    return std::isnan(value) ? value : withoutSubnormals(f64(x >> 32 << 32));
}
} // namespace

U64 ofFloat(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c)
{
    const bool directedForm = form.rounding != Rounding::None && form.rounding != Rounding::Rn;
    float x = f32(a), y = f32(b), z = f32(c);
    if (form.ftz)
        x = flush(x), y = flush(y), z = flush(z);
    float r = 0;
    switch (form.op) {
    case Op::Add:
        r = directedForm ? directedSingle(form.op, x, y, z, form.rounding) : x + y;
        break;
    case Op::Sub:
        r = directedForm ? directedSingle(form.op, x, y, z, form.rounding) : x - y;
        break;
    case Op::Mul:
        r = directedForm ? directedSingle(form.op, x, y, z, form.rounding) : x * y;
        break;
    case Op::Fma:
        r = directedForm ? directedSingle(form.op, x, y, z, form.rounding) : std::fma(x, y, z);
        break;
    case Op::Div:
    case Op::Rcp: {
        const float top = form.op == Op::Rcp ? 1.0f : x, bottom = form.op == Op::Rcp ? x : y;
        r = top / bottom;
        if (directedForm && bottom != 0)
            r = directed<float>(static_cast<long double>(top) / static_cast<long double>(bottom),
                                form.rounding, std::signbit(r));
        break;
    }
    case Op::Sqrt:
        r = std::sqrt(x);
        if (directedForm && x > 0)
            r = directed<float>(std::sqrt(static_cast<long double>(x)), form.rounding, false);
        break;
    case Op::DivApprox:
    case Op::DivFull:
        r = static_cast<float>(double(x) / double(y));
        break;
    case Op::RcpApprox:
        r = static_cast<float>(1 / double(x));
        break;
    case Op::SqrtApprox:
        r = static_cast<float>(std::sqrt(double(x)));
        break;
    case Op::RsqrtApprox:
        r = static_cast<float>(1 / std::sqrt(double(x)));
        break;
    case Op::Ex2:
        r = static_cast<float>(std::exp2(double(x)));
        break;
    case Op::Lg2:
        r = static_cast<float>(std::log2(double(x)));
        break;
    case Op::Sin:
        r = static_cast<float>(std::sin(double(x)));
        break;
    case Op::Cos:
        r = static_cast<float>(std::cos(double(x)));
        break;
    case Op::Tanh:
        r = static_cast<float>(std::tanh(double(x)));
        break;
    case Op::Abs:
        r = std::fabs(x);
        break;
    case Op::Neg:
        r = -x;
        break;
    case Op::Min:
        r = lesser(x, y, false);
        break;
    case Op::Max:
        r = -lesser(-x, -y, false);
        break;
    case Op::MinNaN:
        r = lesser(x, y, true);
        break;
    case Op::MaxNaN:
        r = -lesser(-x, -y, true);
        break;
    case Op::Copysign:
        r = std::copysign(y, x); // the sign of a, the magnitude of b
        break;
    default:
        break;
    }
    return of(form.ftz ? flush(r) : r);
}

U64 ofDouble(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c)
{
    const double x = f64(a), y = f64(b), z = f64(c);
    if (form.rounding != Rounding::None && form.rounding != Rounding::Rn)
        return ofDirectedDouble(form.op, x, y, z, form.rounding);
    switch (form.op) {
    case Op::Add:
        return of(x + y);
    case Op::Sub:
        return of(x - y);
    case Op::Mul:
        return of(x * y);
    case Op::Fma:
        return of(std::fma(x, y, z));
    case Op::Div:
        return of(x / y);
    case Op::Rcp:
        return of(1 / x);
    case Op::RcpApprox:
        return of(withoutSubnormals(1 / upperWord(a)));
    case Op::Sqrt:
        return of(std::sqrt(x));
    case Op::RsqrtApprox:
        return of(form.ftz ? withoutSubnormals(1 / std::sqrt(upperWord(a))) : 1 / std::sqrt(x));
    case Op::Abs:
        return of(std::fabs(x));
    case Op::Neg:
        return of(-x);
    case Op::Min:
        return of(lesser(x, y, false));
    case Op::Max:
        return of(-lesser(-x, -y, false));
    case Op::Copysign:
        return of(std::copysign(y, x));
    default:
        return 0;
    }
}

bool ofClass(const ptx::OpcodeForm& form, U64 a)
{
    const Type type = form.type;
    const bool single = type == Type::F32;
    const int kind = single ? std::fpclassify(f32(a)) : std::fpclassify(f64(a));
    switch (form.testp) {
    case ptx::TestpKind::Finite:
        return kind != FP_NAN && kind != FP_INFINITE;
    case ptx::TestpKind::Infinite:
        return kind == FP_INFINITE;
    case ptx::TestpKind::Number:
        return kind != FP_NAN;
    case ptx::TestpKind::NotANumber:
        return kind == FP_NAN;
    case ptx::TestpKind::Normal:
        return kind == FP_NORMAL || kind == FP_ZERO; // as the manual says of zeros
    default:
        return kind == FP_SUBNORMAL;
    }
}

} // namespace sparserl::testing
