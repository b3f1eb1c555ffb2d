// SPDX-License-Identifier: Apache-2.0
#include "device/testing/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sparserl::testing {

namespace {

using ptx::AtomOp;
using ptx::Cmp;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;
using U64 = std::uint64_t;
using S64 = std::int64_t;
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

int bitsOf(Type type)
{
    return type == Type::Pred ? 1 : 8 * ptx::bytesOf(type);
}
U64 masked(U64 value, int bits)
{
    return bits >= 64 ? value : value & ((U64(1) << bits) - 1);
}
/// The number that the low bits mean.
Wide number(U64 value, Type type)
{
    const int bits = bitsOf(type);
    const U64 low = masked(value, bits);
    if (ptx::isSigned(type) && (low >> (bits - 1)) & 1)
        return static_cast<Wide>(low) - (static_cast<Wide>(1) << bits);
    return static_cast<Wide>(low);
}
U64 back(Wide value, Type type)
{
    return masked(static_cast<U64>(value), bitsOf(type));
}
float f32(U64 value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}
double f64(U64 value)
{
    return std::bit_cast<double>(value);
}
U64 of(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}
U64 of(double value)
{
    return std::bit_cast<U64>(value);
}
float flush(float value)
{
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// The float nearest in a direction to a value that is exact as a long double. `negativeZero`: the sign of an
/// exact zero.
template <class F>
F directed(long double exact, Rounding rounding, bool negativeZero)
{
    if (std::isnan(exact))
        return std::numeric_limits<F>::quiet_NaN();
    if (exact == 0)
        return negativeZero ? -F(0) : F(0);
    if (std::isinf(exact))
        return static_cast<F>(exact);
    F nearest = static_cast<F>(exact); // to nearest, ties to even
    const F infinity = std::numeric_limits<F>::infinity(), largest = std::numeric_limits<F>::max();
    const bool down = rounding == Rounding::Rm || (rounding == Rounding::Rz && exact > 0);
    const bool up = rounding == Rounding::Rp || (rounding == Rounding::Rz && exact < 0);
    if (down && (std::isinf(nearest) ? nearest > 0 : static_cast<long double>(nearest) > exact))
        nearest = std::isinf(nearest) ? largest : std::nextafter(nearest, -infinity);
    if (up && (std::isinf(nearest) ? nearest < 0 : static_cast<long double>(nearest) < exact))
        nearest = std::isinf(nearest) ? -largest : std::nextafter(nearest, infinity);
    if (nearest == 0)
        nearest = exact < 0 ? -F(0) : F(0);
    return nearest;
}

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
    case Op::RcpApprox:
        return of(1 / x);
    case Op::Sqrt:
        return of(std::sqrt(x));
    case Op::RsqrtApprox:
        return of(1 / std::sqrt(x));
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

/// The upper half of a product.
Wide highHalf(Wide x, Wide y, Type type)
{
    if (ptx::isSigned(type))
        return (x * y) >> bitsOf(type);
    return static_cast<Wide>((static_cast<UnsignedWide>(x) * static_cast<UnsignedWide>(y)) >> bitsOf(type));
}

/// The bit-by-bit definition of bfe.
U64 extractBits(U64 a, U64 position, U64 length, int bits, bool sign)
{
    position &= 255;
    length &= 255;
    const U64 top = static_cast<U64>(bits) - 1;
    const U64 fill = sign && length ? (a >> std::min(position + length - 1, top)) & 1 : 0;
    U64 result = 0;
    for (U64 i = 0; i <= top; ++i)
        result |= ((i < length && position + i <= top) ? (a >> (position + i)) & 1 : fill) << i;
    return result;
}

U64 insertBits(U64 a, U64 b, U64 position, U64 length, int bits)
{
    position &= 255;
    length &= 255;
    for (U64 i = 0; i < length && position + i < static_cast<U64>(bits); ++i)
        b = (b & ~(U64(1) << (position + i))) | (((a >> i) & 1) << (position + i));
    return b;
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

/// Sums of products, and distances, of the parts of words.
U64 ofParts(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c)
{
    const Type type = form.type;
    switch (form.op) {
    case Op::Dp4a:
    case Op::Dp2aLo:
    case Op::Dp2aHi: {
        const bool four = form.op == Op::Dp4a;
        const Type wide = four ? (ptx::isSigned(type) ? Type::S8 : Type::U8)
                               : (ptx::isSigned(type) ? Type::S16 : Type::U16);
        const Type narrow = ptx::isSigned(form.source) ? Type::S8 : Type::U8;
        Wide sum = static_cast<Wide>(c);
        for (int i = 0; i < (four ? 4 : 2); ++i) {
            const int at = four ? i : i + (form.op == Op::Dp2aHi ? 2 : 0);
            sum += number(a >> (bitsOf(wide) * i), wide) * number(b >> (8 * at), narrow);
        }
        return masked(static_cast<U64>(sum), 32);
    }
    case Op::AbsDiff4:
    case Op::AbsDiff2: {
        const int width = form.op == Op::AbsDiff4 ? 8 : 16;
        U64 result = 0, sum = c;
        for (int at = 0; at < 32; at += width) {
            const S64 p = static_cast<S64>(masked(a >> at, width)),
                      q = static_cast<S64>(masked(b >> at, width));
            const U64 distance = static_cast<U64>(std::max(p, q) - std::min(p, q));
            result |= distance << at;
            sum += distance;
        }
        return masked(form.saturate ? sum : result, 32);
    }
    default:
        return 0;
    }
}

U64 ofBits(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c, U64 d)
{
    const Type type = form.type;
    const int bits = bitsOf(type);
    const Wide x = number(a, type);
    switch (form.op) {
    case Op::And:
        return masked(a & b, bits);
    case Op::Or:
        return masked(a | b, bits);
    case Op::Xor:
        return masked(a ^ b, bits);
    case Op::Not:
        return masked(~a, bits);
    case Op::Shl:
        return b >= static_cast<U64>(bits) ? 0 : masked(a << b, bits);
    case Op::Shr:
        return back(x >> std::min<U64>(b, static_cast<U64>(bits) - (ptx::isSigned(type) ? 1 : 0)), type);
    case Op::ShfLeftWrap:
    case Op::ShfLeftClamp: {
        const U64 n = form.op == Op::ShfLeftWrap ? c & 31 : std::min<U64>(c, 32);
        return static_cast<U64>((static_cast<UnsignedWide>(b << 32 | a) << n) >> 32) & 0xffffffff;
    }
    case Op::ShfRightWrap:
    case Op::ShfRightClamp:
        return ((b << 32 | a) >> (form.op == Op::ShfRightWrap ? c & 31 : std::min<U64>(c, 32))) & 0xffffffff;
    case Op::Bfe:
        return extractBits(a, b, c, bits, ptx::isSigned(type));
    case Op::Bfi:
        return insertBits(a, b, c, d, bits);
    case Op::Bfind:
    case Op::BfindShift: {
        const U64 significant = ptx::isSigned(type) && x < 0 ? masked(~a, bits) : masked(a, bits);
        int found = -1;
        for (int i = 0; i < bits; ++i)
            found = (significant >> i) & 1 ? i : found;
        if (found >= 0 && form.op == Op::BfindShift)
            found = bits - 1 - found;
        return masked(static_cast<U64>(static_cast<S64>(found)), 32);
    }
    case Op::Brev: {
        U64 result = 0;
        for (int i = 0; i < bits; ++i)
            result |= ((a >> i) & 1) << (bits - 1 - i);
        return result;
    }
    case Op::Popc: {
        U64 count = 0;
        for (int i = 0; i < bits; ++i)
            count += (a >> i) & 1;
        return count;
    }
    case Op::Clz: {
        U64 count = 0;
        for (int i = bits - 1; i >= 0 && !((a >> i) & 1); --i)
            ++count;
        return count;
    }
    case Op::Prmt: {
        U64 result = 0;
        for (int i = 0; i < 4; ++i) {
            const U64 control = (c >> (4 * i)) & 15;
            U64 byte = ((b << 32 | a) >> (8 * (control & 7))) & 255;
            if (control & 8)
                byte = byte >> 7 ? 255 : 0;
            result |= byte << (8 * i);
        }
        return result;
    }
    case Op::Lop3: { // d: the table
        U64 result = 0;
        for (int i = 0; i < 32; ++i) {
            const U64 index = ((a >> i) & 1) << 2 | ((b >> i) & 1) << 1 | ((c >> i) & 1);
            result |= ((d >> index) & 1) << i;
        }
        return result;
    }
    default:
        return ofParts(form, a, b, c);
    }
}

U64 ofInteger(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c, U64 d)
{
    const Type type = form.type;
    const int bits = bitsOf(type);
    const Wide x = number(a, type), y = number(b, type), z = number(c, type);
    const Type wider = type == Type::S16   ? Type::S32
                       : type == Type::U16 ? Type::U32
                       : type == Type::S32 ? Type::S64
                                           : Type::U64;
    switch (form.op) {
    case Op::Add:
    case Op::AddCC:
        return back(x + y, type);
    case Op::AddC: // c: the carry
    case Op::AddCCC:
        return back(x + y + static_cast<Wide>(c), type);
    case Op::Sub:
    case Op::SubCC:
        return back(x - y, type);
    case Op::SubC:
    case Op::SubCCC:
        return back(x - y - static_cast<Wide>(c), type);
    case Op::MadLoCarry: // d: the carry
        return masked(a * b + c + d, bits);
    case Op::MadHiCarry:
        return back(highHalf(x, y, type) + z + static_cast<Wide>(d), type);
    case Op::Mul:
        return masked(a * b, bits);
    case Op::MulHi:
        return back(highHalf(x, y, type), type);
    case Op::MadHi:
        return back(highHalf(x, y, type) + z, type);
    case Op::MulWide:
        return back(x * y, wider);
    case Op::MadWide:
        return back(x * y + number(c, wider), wider);
    case Op::Mul24: {
        const auto low24 = [&](U64 v) {
            const Wide low = static_cast<Wide>(v & 0xffffff);
            return ptx::isSigned(type) && (v >> 23) & 1 ? low - (1 << 24) : low;
        };
        return back(low24(a) * low24(b), type);
    }
    case Op::Mad:
        return masked(a * b + c, bits);
    case Op::Div:
        return back(x / y, type); // the cases avoid division by zero, which PTX leaves open
    case Op::Rem:
        return back(x % y, type);
    case Op::Abs:
        return back(x < 0 ? -x : x, type);
    case Op::Neg:
        return back(-x, type);
    case Op::Min:
        return back(std::min(x, y), type);
    case Op::Max:
        return back(std::max(x, y), type);
    case Op::Sad:
        return back((x > y ? x - y : y - x) + z, type);
    default:
        return ofBits(form, a, b, c, d);
    }
}

} // namespace

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
