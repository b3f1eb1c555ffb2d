// SPDX-License-Identifier: Apache-2.0
#include "device/testing/reference.h"

#include "device/testing/reference_parts.h"

#include <algorithm>

namespace sparserl::testing {

using ptx::AtomOp;
using ptx::Cmp;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;

U64 reference(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c, U64 d)
{
    if (form.op == Op::Selp)
        return c ? a : b;
    if (form.op == Op::Mov)
        return a;
    if (form.op == Op::Testp)
        return ofClass(form, a);
    if (form.type == Type::F32)
        return ofFloat(form, a, b, c);
    if (form.type == Type::F64)
        return ofDouble(form, a, b, c);
    return ofInteger(form, a, b, c, d);
}

bool referenceCompare(const ptx::OpcodeForm& form, U64 a, U64 b)
{
    const Type type = form.source;
    bool less, equal, unordered = false;
    if (ptx::isFloat(type)) {
        double x = type == Type::F32 ? double(form.ftz ? flush(f32(a)) : f32(a)) : f64(a);
        double y = type == Type::F32 ? double(form.ftz ? flush(f32(b)) : f32(b)) : f64(b);
        unordered = std::isnan(x) || std::isnan(y);
        less = x < y;
        equal = x == y;
    } else {
        less = number(a, type) < number(b, type);
        equal = number(a, type) == number(b, type);
    }
    const bool greater = !less && !equal && !unordered;
    switch (form.cmp) {
    case Cmp::Eq:
        return equal;
    case Cmp::Ne:
        return less || greater;
    case Cmp::Lt:
        return less;
    case Cmp::Le:
        return less || equal;
    case Cmp::Gt:
        return greater;
    case Cmp::Ge:
        return greater || equal;
    case Cmp::Equ:
        return equal || unordered;
    case Cmp::Neu:
        return !equal;
    case Cmp::Ltu:
        return less || unordered;
    case Cmp::Leu:
        return !greater;
    case Cmp::Gtu:
        return greater || unordered;
    case Cmp::Geu:
        return !less;
    case Cmp::Num:
        return !unordered;
    case Cmp::Nan:
        return unordered;
    default:
        return false;
    }
}

U64 referenceConversion(const ptx::OpcodeForm& form, U64 a)
{
    const Type to = form.type, from = form.source;
    if (!ptx::isFloat(from) && !ptx::isFloat(to)) {
        Wide value = number(a, from);
        if (form.saturate) {
            const int bits = bitsOf(to);
            const Wide top = ptx::isSigned(to) ? (static_cast<Wide>(1) << (bits - 1)) - 1
                                               : (static_cast<Wide>(1) << bits) - 1;
            value = std::clamp(value, ptx::isSigned(to) ? -top - 1 : static_cast<Wide>(0), top);
        }
        return back(value, to);
    }
    if (!ptx::isFloat(from)) { // integer to float; a long double holds 64 bits
        const long double exact = static_cast<long double>(number(a, from));
        return to == Type::F32 ? of(directed<float>(exact, form.rounding, false))
                               : of(directed<double>(exact, form.rounding, false));
    }
    const float narrow = from == Type::F32 ? (form.ftz ? flush(f32(a)) : f32(a)) : 0;
    const double value = from == Type::F32 ? double(narrow) : f64(a);
    if (ptx::isFloat(to)) {
        double result = value;
        switch (form.rounding) {
        case Rounding::Rni:
            result = std::nearbyint(value);
            break;
        case Rounding::Rzi:
            result = std::trunc(value);
            break;
        case Rounding::Rmi:
            result = std::floor(value);
            break;
        case Rounding::Rpi:
            result = std::ceil(value);
            break;
        default:
            break;
        }
        if (form.saturate)
            result = std::isnan(result) || result <= 0 ? 0.0 : std::min(result, 1.0);
        if (to == Type::F64)
            return of(result);
        if (from == Type::F64)
            return of(std::isnan(result) ? std::numeric_limits<float>::quiet_NaN()
                                         : directed<float>(static_cast<long double>(result), form.rounding,
                                                           std::signbit(result)));
        const float single = static_cast<float>(result);
        return of(form.ftz ? flush(single) : single);
    }
    // Float to integer always saturates; a NaN gives 0, from f64 (or to 64 bits) the sign bit alone.
    const int bits = bitsOf(to);
    if (std::isnan(value))
        return from == Type::F64 || bits == 64 ? U64(1) << (bits - 1) : 0;
    double whole = 0;
    switch (form.rounding) {
    case Rounding::Rni:
        whole = std::nearbyint(value);
        break;
    case Rounding::Rmi:
        whole = std::floor(value);
        break;
    case Rounding::Rpi:
        whole = std::ceil(value);
        break;
    default:
        whole = std::trunc(value);
        break;
    }
    const Wide top =
        ptx::isSigned(to) ? (static_cast<Wide>(1) << (bits - 1)) - 1 : (static_cast<Wide>(1) << bits) - 1;
    const Wide bottom = ptx::isSigned(to) ? -top - 1 : static_cast<Wide>(0);
    if (whole >= std::ldexp(1.0, 100))
        return back(top, to);
    if (whole <= -std::ldexp(1.0, 100))
        return back(bottom, to);
    return back(std::clamp(static_cast<Wide>(whole), bottom, top), to);
}

U64 referenceAtomic(AtomOp op, Type type, U64 old, U64 b, U64 c)
{
    if (ptx::isFloat(type)) {
        if (op != AtomOp::Add)
            return b;
        // Atomics on floats in memory treat subnormal numbers as the instruction does; the cases avoid them.
        return type == Type::F32 ? of(f32(old) + f32(b)) : of(f64(old) + f64(b));
    }
    const Wide x = number(old, type), y = number(b, type);
    switch (op) {
    case AtomOp::Add:
        return back(x + y, type);
    case AtomOp::Cas:
        return x == y ? masked(c, bitsOf(type)) : old;
    case AtomOp::Exch:
        return b;
    case AtomOp::Min:
        return back(std::min(x, y), type);
    case AtomOp::Max:
        return back(std::max(x, y), type);
    case AtomOp::And:
        return old & b;
    case AtomOp::Or:
        return old | b;
    case AtomOp::Xor:
        return old ^ b;
    case AtomOp::Inc:
        return x >= y ? 0 : back(x + 1, type);
    case AtomOp::Dec:
        return x == 0 || x > y ? b : back(x - 1, type);
    default:
        return 0;
    }
}

} // namespace sparserl::testing
