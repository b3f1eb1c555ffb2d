// SPDX-License-Identifier: Apache-2.0
// Half precision: arithmetic, comparisons and conversions.
#include "device/testing/case_writer.h"
#include "device/testing/half_reference.h"
#include "device/testing/reference.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::testing {

namespace {

using ptx::Op;
using ptx::OpcodeForm;
using ptx::Rounding;
using ptx::Type;
using U64 = std::uint64_t;

/// Zeros, subnormal numbers, the largest ones, infinities and NaN, and some between.
constexpr U64 halves[lanes] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00,
                               0xbc00, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfd55,
                               0x3800, 0xb800, 0x4248, 0xc900, 0x3555, 0x3e00, 0x4100, 0x5bff,
                               0x6800, 0x57ff, 0x3401, 0xb555, 0x0200, 0x87ff, 0x4900, 0x7801};
constexpr U64 brains[lanes] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x3f80,
                               0xbf80, 0x3f7f, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffd5,
                               0x3f00, 0xbf00, 0x4049, 0xc120, 0x3eab, 0x3fc0, 0x4020, 0x437f,
                               0x4480, 0x42ff, 0x3e81, 0xbeab, 0x0040, 0x80ff, 0x4120, 0x7f01};

U64 halfAt(bool brain, int turn, std::size_t lane)
{
    constexpr std::size_t steps[] = {1, 5, 11, 19, 27, 3, 7};
    const std::size_t i = (lane * steps[turn % 7] + 7 * static_cast<std::size_t>(turn)) % lanes;
    return brain ? brains[i] : halves[i];
}
LaneValues halfValues(bool brain, bool pair, int turn)
{
    LaneValues values{};
    for (std::size_t l = 0; l < lanes; ++l)
        values[l] = halfAt(brain, turn, l) | (pair ? halfAt(brain, turn + 3, l) << 16 : 0);
    return values;
}

/// x * y + z with what does not fit into a long double pushed into its last bit.
long double fused(long double x, long double y, long double z)
{
    const long double product = x * y, sum = product + z; // the product is exact
    if (!std::isfinite(sum))
        return sum;
    const long double other = sum - product, rest = (product - (sum - other)) + (z - other);
    return rest == 0 ? sum : std::nextafter(sum, rest > 0 ? HUGE_VALL : -HUGE_VALL);
}

long double lesser(long double x, long double y, bool needsBoth)
{
    if (std::isnan(x) || std::isnan(y))
        return needsBoth || std::isnan(x) ? (needsBoth ? NAN : y) : x;
    return x < y || (x == y && std::signbit(x)) ? x : y;
}

U64 arithmetic(const OpcodeForm& form, bool brain, U64 a, U64 b, U64 c)
{
    const auto flush = [&](U64 bits) { return form.ftz && (bits & 0x7c00) == 0 ? bits & 0x8000 : bits; };
    a = flush(a & 0xffff), b = flush(b & 0xffff), c = flush(c & 0xffff);
    const long double x = halfValue(a, brain), y = halfValue(b, brain), z = halfValue(c, brain);
    const bool needsBoth = form.op == Op::MinNaN || form.op == Op::MaxNaN;
    long double result = 0;
    switch (form.op) {
    case Op::Add:
        result = x + y;
        break;
    case Op::Sub:
        result = x - y;
        break;
    case Op::Mul:
        result = x * y;
        break;
    case Op::Fma:
        result = fused(x, y, z);
        break;
    case Op::Neg:
        result = -x;
        break;
    case Op::Abs:
        result = std::fabs(x);
        break;
    case Op::Min:
    case Op::MinNaN:
        result = lesser(x, y, needsBoth);
        break;
    default:
        result = -lesser(-x, -y, needsBoth);
        break;
    }
    // Limits as an H100 has them: no NaN in [0, 1], no -0.
    if (form.saturate)
        return std::isnan(result) || result <= 0 ? 0 : flush(toHalf(std::min(result, 1.0L), brain));
    if (form.relu && result <= 0)
        return 0;
    const U64 bits = flush(toHalf(result, brain));
    return form.relu && (bits & 0x8000) ? 0 : bits;
}

void arithmeticCase(CaseWriter& w, const OpcodeForm& form)
{
    const bool brain = form.type == Type::BF16 || form.type == Type::BF16x2;
    const bool pair = form.type == Type::F16x2 || form.type == Type::BF16x2;
    const bool one = form.op == Op::Neg || form.op == Op::Abs;
    for (const int turn : {0, 2}) {
        LaneValues values[3]{};
        std::string operands;
        for (int i = 0; i < (form.op == Op::Fma ? 3 : one ? 1 : 2); ++i) {
            values[i] = halfValues(brain, pair, i + turn);
            if (one && brain) // which NaN becomes of a NaN is left open
                for (U64& value : values[i])
                    for (const int shift : {0, 16})
                        if (std::isnan(halfValue(value >> shift, true)))
                            value = (value & ~(U64(0xffff) << shift)) | U64(0xbfc0) << shift;
            operands += ", " + w.load(pair ? 'r' : 'h', values[i]);
        }
        LaneValues expected{};
        for (std::size_t l = 0; l < lanes; ++l) {
            expected[l] = arithmetic(form, brain, values[0][l], values[1][l], values[2][l]);
            if (pair)
                expected[l] |=
                    arithmetic(form, brain, values[0][l] >> 16, values[1][l] >> 16, values[2][l] >> 16) << 16;
        }
        const std::string result = w.reg(pair ? 'r' : 'h');
        w.line(form.text + " " + result + operands + ";");
        w.check(form.text, pair ? 'r' : 'h', result, expected);
    }
}

/// An approximation of about eleven bits; PTX says 2^-10.987.
void tangentCase(CaseWriter& w, const OpcodeForm& form)
{
    const bool pair = form.type == Type::F16x2;
    const LaneValues a = halfValues(false, pair, 1);
    const std::string result = w.reg(pair ? 'r' : 'h');
    w.line(fmt::format("{} {}, {};", form.text, result, w.load(pair ? 'r' : 'h', a)));
    std::vector<std::string> parts{result};
    if (pair) {
        parts = {w.reg('h'), w.reg('h')};
        w.line(fmt::format("mov.b32 {{{}, {}}}, {};", parts[0], parts[1], result));
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        LaneValues expected{};
        for (std::size_t l = 0; l < lanes; ++l)
            expected[l] = std::bit_cast<std::uint32_t>(
                static_cast<float>(std::tanh(halfValue(a[l] >> (16 * part), false))));
        const std::string wide = w.reg('f');
        w.line(fmt::format("cvt.f32.f16 {}, {};", wide, parts[part]));
        w.check(form.text, 'f', wide, expected, OpcodeCompare::Near32, 1e-3);
    }
}

bool compared(const OpcodeForm& form, U64 a, U64 b)
{
    OpcodeForm wide = form;
    wide.source = Type::F64;
    const auto bits = [](U64 half) {
        return std::bit_cast<U64>(static_cast<double>(halfValue(half & 0xffff, false)));
    };
    return referenceCompare(wide, bits(a), bits(b));
}

void comparisonCase(CaseWriter& w, const OpcodeForm& form)
{
    const bool pair = form.source == Type::F16x2;
    for (const int turn : {0, 2}) {
        const LaneValues a = halfValues(false, pair, turn), b = halfValues(false, pair, turn + 1),
                         c = predicateValues(turn);
        const char from = pair ? 'r' : 'h', to = form.op == Op::Setp ? 'p' : registerClass(form.type);
        const std::string x = w.load(from, a), y = w.load(from, b), result = w.reg(to);
        const bool joins = form.boolOp != ptx::BoolOp::None;
        w.line(fmt::format("{} {}, {}, {}{};", form.text, result, x, y,
                           joins ? ", " + w.load('p', c) : std::string()));
        LaneValues expected{};
        for (std::size_t l = 0; l < lanes; ++l) {
            const bool low = compared(form, a[l], b[l]);
            if (form.op == Op::Setp) {
                const bool other = c[l] != 0;
                expected[l] = form.boolOp == ptx::BoolOp::And   ? low && other
                              : form.boolOp == ptx::BoolOp::Or  ? low || other
                              : form.boolOp == ptx::BoolOp::Xor ? low != other
                                                                : low;
            } else if (pair) {
                const U64 yes = form.type == Type::F16x2 ? 0x3c00 : 0xffff;
                expected[l] = (low ? yes : 0) | (compared(form, a[l] >> 16, b[l] >> 16) ? yes << 16 : 0);
            } else {
                expected[l] = !low                           ? 0
                              : form.type == Type::F16       ? 0x3c00
                              : ptx::bytesOf(form.type) == 2 ? 0xffff
                                                             : 0xffffffff;
            }
        }
        w.check(form.text, to, result, expected);
    }
}

/// Around the ends and the ties of f16 and bf16.
constexpr float singles[lanes] = {0.0f,      -0.0f,    1.0f,         -1.5f,   0.1f,    3.14159f,  65504.0f,
                                  65519.0f,  65520.0f, -65535.0f,    1e-7f,   6e-8f,   -2.98e-8f, 2e-5f,
                                  -0.33333f, 1.00049f, 1.001f,       2049.0f, 2051.0f, -70000.0f, 12345.678f,
                                  -1e-20f,   1.0039f,  1.00391f,     255.5f,  257.0f,  INFINITY,  -INFINITY,
                                  NAN,       3.4e38f,  1.17549e-38f, 1e-40f};
constexpr U64 integers[lanes] = {
    0,           1,           2047,    2048,         2049,         2050,       2051,
    4097,        4098,        65503,   65504,        65505,        65519,      65520,
    65521,       65535,       65536,   32767,        32768,        40000,      0x7fffffff,
    0x80000000,  0xffffffff,  ~U64(0), U64(1) << 63, ~U64(0) >> 1, ~U64(2048), ~U64(65518),
    ~U64(65519), ~U64(70000), 127,     128};

/// From a float or an integer to f16, bf16 or tf32.
void narrowingCase(CaseWriter& w, const OpcodeForm& form)
{
    const bool brain = form.type == Type::BF16 || form.type == Type::BF16x2;
    const bool real = ptx::isFloat(form.source);
    const auto value = [&](std::size_t l) -> long double {
        if (real)
            return form.source == Type::F64 && l < 3
                       ? 1 + 0x1p-11L + (static_cast<long double>(l) - 1) * 0x1p-50L
                       : static_cast<long double>(singles[l]);
        const int bits = 8 * ptx::bytesOf(form.source);
        const U64 cut = bits == 64 ? integers[l] : integers[l] & ((U64(1) << bits) - 1);
        if (!ptx::isSigned(form.source))
            return static_cast<long double>(cut);
        return static_cast<long double>(static_cast<std::int64_t>(cut << (64 - bits)) >> (64 - bits));
    };
    LaneValues a{}, expected{};
    for (std::size_t l = 0; l < lanes; ++l) {
        a[l] = form.source == Type::F64   ? std::bit_cast<U64>(static_cast<double>(value(l)))
               : form.source == Type::F32 ? std::bit_cast<std::uint32_t>(singles[l])
                                          : integers[l];
        if (form.type == Type::TF32)
            expected[l] = std::bit_cast<std::uint32_t>(
                static_cast<float>(roundTo(value(l), 11, -136, Rounding::Rn, true)));
        else
            expected[l] = toHalf(value(l), brain, form.rounding);
    }
    const std::string x = w.load(registerClass(form.source), a);
    if (form.op == Op::CvtPair) {
        LaneValues b{};
        for (std::size_t l = 0; l < lanes; ++l) {
            const float other = singles[(l * 5 + 11) % lanes];
            b[l] = std::bit_cast<std::uint32_t>(other);
            expected[l] = expected[l] << 16 | toHalf(static_cast<long double>(other), brain, form.rounding);
        }
        const std::string y = w.load('f', b), result = w.reg('r');
        w.line(fmt::format("{} {}, {}, {};", form.text, result, x, y));
        w.check(form.text, 'r', result, expected);
        return;
    }
    const char letter = form.type == Type::TF32 ? 'r' : 'h';
    const std::string result = w.reg(letter);
    w.line(fmt::format("{} {}, {};", form.text, result, x));
    // PTX leaves open which NaN becomes of an f64: an H100 gives 0x7e00 where others give 0x7fff.
    w.check(form.text, letter, result, expected,
            form.type == Type::TF32                              ? OpcodeCompare::Float32
            : form.type == Type::F16 && form.source == Type::F64 ? OpcodeCompare::Float16
                                                                 : OpcodeCompare::Bits);
}

/// From f16 to a float, an integer, or a whole f16.
void fromHalfCase(CaseWriter& w, const OpcodeForm& form)
{
    const LaneValues a = halfValues(false, false, 0);
    LaneValues expected{};
    for (std::size_t l = 0; l < lanes; ++l) {
        const long double value = halfValue(a[l], false);
        const long double whole = form.rounding == Rounding::Rzi   ? std::trunc(value)
                                  : form.rounding == Rounding::Rmi ? std::floor(value)
                                  : form.rounding == Rounding::Rpi ? std::ceil(value)
                                                                   : std::nearbyint(value);
        const int bits = 8 * ptx::bytesOf(form.type);
        if (form.type == Type::F32) {
            expected[l] = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        } else if (form.type == Type::F16) {
            expected[l] = toHalf(whole, false);
        } else if (std::isnan(value)) { // as the manual has it
            expected[l] = bits == 64 ? U64(1) << 63 : 0;
        } else if (ptx::isSigned(form.type)) {
            const auto top = static_cast<std::int64_t>(~U64(0) >> (65 - bits));
            const std::int64_t cut = whole >= static_cast<long double>(top) ? top
                                     : whole <= -static_cast<long double>(top) - 1
                                         ? -top - 1
                                         : static_cast<std::int64_t>(whole);
            expected[l] = static_cast<U64>(cut) & (~U64(0) >> (64 - std::max(bits, 16)));
        } else {
            const U64 top = ~U64(0) >> (64 - bits);
            expected[l] = whole >= static_cast<long double>(top) ? top
                          : whole <= 0                           ? 0
                                                                 : static_cast<U64>(whole);
        }
    }
    const char letter = registerClass(form.type);
    const std::string x = w.load('h', a), result = w.reg(letter);
    w.line(fmt::format("{} {}, {};", form.text, result, x));
    w.check(form.text, letter, result, expected,
            form.type == Type::F32 ? OpcodeCompare::Float32 : OpcodeCompare::Bits);
}

} // namespace

void halfCases(std::vector<OpcodeCase>& into)
{
    CaseList list(into);
    const auto half = [](Type type) { return type >= Type::F16; };
    for (const OpcodeForm& form : ptx::allOpcodes()) {
        if ((!half(form.type) && !half(form.source)) || !ptx::isByLane(form.action))
            continue;
        if (form.op == Op::Cvt && form.source == Type::F16)
            fromHalfCase(list.writer("half conversions"), form);
        else if (form.op == Op::Cvt || form.op == Op::CvtPair)
            narrowingCase(list.writer("half conversions"), form);
        else if (form.op == Op::Setp || form.op == Op::Set)
            comparisonCase(list.writer("half comparisons"), form);
        else if (form.op == Op::Tanh)
            tangentCase(list.writer("half arithmetic"), form);
        else
            arithmeticCase(list.writer("half arithmetic"), form);
    }
    list.flush();
}

} // namespace sparserl::testing
