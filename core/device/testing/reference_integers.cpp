// SPDX-License-Identifier: Apache-2.0
#include "device/testing/reference_parts.h"

#include <algorithm>

namespace sparserl::testing {

using ptx::Op;
using ptx::Type;

namespace {

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

} // namespace

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

} // namespace sparserl::testing
