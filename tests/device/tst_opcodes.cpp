// SPDX-License-Identifier: Apache-2.0
// Every group of forms against values computed here, and every form on every instruction set against each
// other.
#include "device/simulator/decode/emitter.h"
#include "harness.h"
#include "ptx/op.h"

#include <QTest>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

using namespace sparserl;
using namespace sparserl::harness;

namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

template <class To, class From>
To bits(From value)
{
    To result{};
    std::memcpy(&result, &value, std::min(sizeof(To), sizeof(From)));
    return result;
}
U64 f(float value)
{
    return bits<U32>(value);
}
U64 d(double value)
{
    return bits<U64>(value);
}
float asFloat(U64 value)
{
    return bits<float>(static_cast<U32>(value));
}
double asDouble(U64 value)
{
    return bits<double>(value);
}

const char* registerType(char letter)
{
    switch (letter) {
    case 'h':
        return "b16";
    case 'r':
        return "b32";
    case 'f':
        return "f32";
    case 'l':
        return "b64";
    case 'd':
        return "f64";
    default:
        return "pred";
    }
}

/// Runs "OP result, a, b, c;" over 32 lanes. `types`: letters of the result and the sources (h b16, r b32, f
/// f32, l b64, d f64, p predicate of a result). `extra` follows the last source.
std::vector<U64> run(const std::string& op, const std::string& types,
                     const std::vector<std::array<U64, 3>>& inputs, const std::string& extra = {})
{
    std::string text = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, "
                       ".param .u64 out)\n{\n"
                       ".reg .b64 %a<20>; .reg .b32 %t<4>; .reg .pred %p0;\n";
    for (std::size_t i = 0; i < types.size(); ++i)
        text += std::string(".reg .") + registerType(types[i]) + " %v" + std::to_string(i) + ";\n";
    text += "ld.param.u64 %a0, [in]; ld.param.u64 %a1, [out]; mov.u32 %t0, %tid.x;\n"
            "mul.wide.u32 %a2, %t0, 24; add.s64 %a2, %a0, %a2; mul.wide.u32 %a3, %t0, 8; add.s64 %a3, %a1, "
            "%a3;\n";
    for (std::size_t i = 1; i < types.size(); ++i) {
        const std::string address = "[%a2+" + std::to_string(8 * (i - 1)) + "]";
        if (types[i] == 'p')
            text += "ld.global.u32 %t1, " + address + "; setp.ne.s32 %v" + std::to_string(i) + ", %t1, 0;\n";
        else
            text += std::string("ld.global.") + registerType(types[i]) + " %v" + std::to_string(i) + ", " +
                    address + ";\n";
    }
    text += op + " %v0";
    for (std::size_t i = 1; i < types.size(); ++i)
        text += ", %v" + std::to_string(i);
    text += extra + ";\n";
    switch (types[0]) {
    case 'h':
        text += "cvt.u64.u16 %a4, %v0;\n";
        break;
    case 'r':
        text += "cvt.u64.u32 %a4, %v0;\n";
        break;
    case 'f':
        text += "mov.b32 %t2, %v0; cvt.u64.u32 %a4, %t2;\n";
        break;
    case 'l':
        text += "mov.b64 %a4, %v0;\n";
        break;
    case 'd':
        text += "mov.b64 %a4, %v0;\n";
        break;
    default:
        text += "selp.b64 %a4, 1, 0, %v0;\n";
        break;
    }
    text += "st.global.u64 [%a3], %a4;\nret;\n}\n";
    Bench bench(text);
    std::vector<S64> data;
    for (int l = 0; l < 32; ++l) {
        for (U64 v : inputs[l % inputs.size()])
            data.push_back(static_cast<S64>(v));
    }
    const int in = bench.matrix("in", data), out = bench.y(64);
    bench.launch("k", 1, 32, {array(in), array(out)});
    const ExecutionResult result = bench.run({});
    if (result.fault)
        throw std::runtime_error(op + ": " + result.fault->message);
    std::vector<U64> values(32);
    std::memcpy(values.data(), floats(result.outputs.at(0)).data(), 256);
    values.resize(inputs.size());
    return values;
}

/// Interesting and random inputs of a type letter.
U64 input(char type, int index, U64& state)
{
    static const U64 words[] = {0,  1,          2,          31,         32,     33,    63,
                                64, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000, 0xffff};
    static const U64 longs[] = {0, 1, 63, 64, 0x7fffffffffffffff, 0x8000000000000000, ~U64(0), 0x100000000};
    static const float floats[] = {0.0f,
                                   -0.0f,
                                   1.0f,
                                   -1.5f,
                                   3.0e38f,
                                   1e-40f,
                                   2.5f,
                                   -2.5f,
                                   0.5f,
                                   1e10f,
                                   std::numeric_limits<float>::infinity(),
                                   std::numeric_limits<float>::quiet_NaN()};
    state = state * 6364136223846793005u + 1442695040888963407u;
    const U64 random = (state >> 32) ^ (state << 31);
    switch (type) {
    case 'f':
        return index < 12 ? f(floats[index]) : f(static_cast<float>(static_cast<S32>(random)) / 65536.0f);
    case 'd':
        return index < 12 ? d(static_cast<double>(floats[index]))
                          : d(static_cast<double>(static_cast<S32>(random)) / 997);
    case 'l':
        return index < 8 ? longs[index] : random;
    case 'p':
        return random & 1;
    case 'h':
        return (index < 13 ? words[index] : random) & 0xffff;
    default:
        return (index < 13 ? words[index] : random) & 0xffffffff;
    }
}

using Expected = std::function<U64(U64, U64, U64)>;

std::string compareAll(const std::string& op, const std::string& types, const Expected& expected,
                       const std::string& extra = {})
{
    U64 state = 12345;
    for (int round = 0; round < 6; ++round) {
        std::vector<std::array<U64, 3>> inputs(32);
        for (int l = 0; l < 32; ++l) {
            for (std::size_t i = 1; i < types.size(); ++i) {
                // Each operand meets the interesting values in its own order.
                const int index = round == 0 ? l : (l * (2 * static_cast<int>(i) + 1) + 7 * round) % 23;
                inputs[l][i - 1] = input(types[i], index, state);
            }
        }
        const std::vector<U64> got = run(op, types, inputs, extra);
        for (int l = 0; l < 32; ++l) {
            const auto& in = inputs[l];
            const U64 wanted = expected(in[0], in[1], in[2]);
            const bool nans =
                (types[0] == 'f' && std::isnan(asFloat(got[l])) && std::isnan(asFloat(wanted))) ||
                (types[0] == 'd' && std::isnan(asDouble(got[l])) && std::isnan(asDouble(wanted)));
            if (got[l] != wanted && !nans)
                return QStringLiteral("%1 of %2 %3 %4: %5, expected %6")
                    .arg(QLatin1String(op.c_str()))
                    .arg(in[0], 0, 16)
                    .arg(in[1], 0, 16)
                    .arg(in[2], 0, 16)
                    .arg(got[l], 0, 16)
                    .arg(wanted, 0, 16)
                    .toStdString();
        }
    }
    return {};
}

#define CHECK(...)                                                                                           \
    do {                                                                                                     \
        const std::string problem = compareAll(__VA_ARGS__);                                                 \
        QVERIFY2(problem.empty(), problem.c_str());                                                          \
    } while (false)

} // namespace

class TestOpcodes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void integers();
    void bitOperations();
    void floats();
    void comparisons();
    void conversions();
    void everyFormHasAnImplementation();
    void instructionSetsAgree();
    void shufflesAgree();
};

void TestOpcodes::integers()
{
    CHECK("add.s32", "rrr", [](U64 a, U64 b, U64) { return U64(U32(a + b)); });
    CHECK("sub.s64", "lll", [](U64 a, U64 b, U64) { return a - b; });
    CHECK("add.u16", "hhh", [](U64 a, U64 b, U64) { return (a + b) & 0xffff; });
    CHECK("mul.lo.s32", "rrr", [](U64 a, U64 b, U64) { return U64(U32(a * b)); });
    CHECK("mul.lo.u16", "hhh", [](U64 a, U64 b, U64) { return (a * b) & 0xffff; });
    CHECK("mul.hi.u32", "rrr", [](U64 a, U64 b, U64) { return (a * b) >> 32; });
    CHECK("mul.hi.s32", "rrr", [](U64 a, U64 b, U64) { return U64(U32((S64(S32(a)) * S64(S32(b))) >> 32)); });
    CHECK("mul.hi.u64", "lll", [](U64 a, U64 b, U64) {
        // schoolbook, by 32-bit halves
        const U64 al = U32(a), ah = a >> 32, bl = U32(b), bh = b >> 32;
        const U64 mid = ah * bl + ((al * bl) >> 32), mid2 = al * bh + U32(mid);
        return ah * bh + (mid >> 32) + (mid2 >> 32);
    });
    CHECK("mul.wide.s32", "lrr", [](U64 a, U64 b, U64) { return U64(S64(S32(a)) * S64(S32(b))); });
    CHECK("mul.wide.u32", "lrr", [](U64 a, U64 b, U64) { return a * b; });
    CHECK("mul.wide.s16", "rhh",
          [](U64 a, U64 b, U64) { return U64(U32(S32(std::int16_t(a)) * S32(std::int16_t(b)))); });
    CHECK("mad.lo.s32", "rrrr", [](U64 a, U64 b, U64 c) { return U64(U32(a * b + c)); });
    CHECK("mad.wide.u32", "lrrl", [](U64 a, U64 b, U64 c) { return a * b + c; });
    CHECK("mad.wide.s32", "lrrl", [](U64 a, U64 b, U64 c) { return U64(S64(S32(a)) * S64(S32(b))) + c; });
    CHECK("mad.hi.u32", "rrrr", [](U64 a, U64 b, U64 c) { return U64(U32(((a * b) >> 32) + c)); });
    CHECK("mul24.lo.u32", "rrr", [](U64 a, U64 b, U64) { return U64(U32((a & 0xffffff) * (b & 0xffffff))); });
    CHECK("div.u32", "rrr", [](U64 a, U64 b, U64) { return b ? a / b : 0xffffffff; });
    CHECK("div.s32", "rrr",
          [](U64 a, U64 b, U64) { return b ? U64(U32(S64(S32(a)) / S64(S32(b)))) : 0xffffffff; });
    CHECK("rem.s32", "rrr", [](U64 a, U64 b, U64) { return b ? U64(U32(S64(S32(a)) % S64(S32(b)))) : a; });
    CHECK("rem.u64", "lll", [](U64 a, U64 b, U64) { return b ? a % b : a; });
    CHECK("min.s32", "rrr", [](U64 a, U64 b, U64) { return S32(a) < S32(b) ? a : b; });
    CHECK("max.u32", "rrr", [](U64 a, U64 b, U64) { return std::max(a, b); });
    CHECK("max.s64", "lll", [](U64 a, U64 b, U64) { return S64(a) > S64(b) ? a : b; });
    CHECK("abs.s32", "rr", [](U64 a, U64, U64) { return U64(U32(std::llabs(S64(S32(a))))); });
    CHECK("neg.s64", "ll", [](U64 a, U64, U64) { return 0 - a; });
    CHECK("sad.u32", "rrrr", [](U64 a, U64 b, U64 c) { return U64(U32((a > b ? a - b : b - a) + c)); });
}

void TestOpcodes::bitOperations()
{
    CHECK("and.b32", "rrr", [](U64 a, U64 b, U64) { return a & b; });
    CHECK("xor.b64", "lll", [](U64 a, U64 b, U64) { return a ^ b; });
    CHECK("not.b32", "rr", [](U64 a, U64, U64) { return U64(U32(~a)); });
    CHECK("not.b16", "hh", [](U64 a, U64, U64) { return ~a & 0xffff; });
    CHECK("shl.b32", "rrr", [](U64 a, U64 b, U64) { return b < 32 ? U64(U32(a << b)) : 0; });
    CHECK("shl.b64", "llr", [](U64 a, U64 b, U64) { return b < 64 ? a << b : 0; });
    CHECK("shr.u32", "rrr", [](U64 a, U64 b, U64) { return b < 32 ? a >> b : 0; });
    CHECK("shr.s32", "rrr", [](U64 a, U64 b, U64) { return U64(U32(S32(a) >> std::min<U64>(b, 31))); });
    CHECK("shr.s64", "llr", [](U64 a, U64 b, U64) { return U64(S64(a) >> std::min<U64>(b, 63)); });
    CHECK("shf.l.wrap.b32", "rrrr",
          [](U64 a, U64 b, U64 c) { return (((b << 32 | a) << (c & 31)) >> 32) & 0xffffffff; });
    CHECK("shf.r.clamp.b32", "rrrr",
          [](U64 a, U64 b, U64 c) { return U64(U32((b << 32 | a) >> std::min<U64>(c, 32))); });
    CHECK("popc.b32", "rr", [](U64 a, U64, U64) {
        U64 n = 0;
        for (; a; a >>= 1)
            n += a & 1;
        return n;
    });
    CHECK("popc.b64", "rl", [](U64 a, U64, U64) {
        U64 n = 0;
        for (; a; a >>= 1)
            n += a & 1;
        return n;
    });
    CHECK("clz.b32", "rr", [](U64 a, U64, U64) {
        U64 n = 32;
        for (; a; a >>= 1)
            --n;
        return n;
    });
    CHECK("clz.b64", "rl", [](U64 a, U64, U64) {
        U64 n = 64;
        for (; a; a >>= 1)
            --n;
        return n;
    });
    CHECK("brev.b32", "rr", [](U64 a, U64, U64) {
        U64 r = 0;
        for (int i = 0; i < 32; ++i)
            r |= ((a >> i) & 1) << (31 - i);
        return r;
    });
    CHECK("bfind.u32", "rr", [](U64 a, U64, U64) {
        S64 n = -1;
        for (; a; a >>= 1)
            ++n;
        return U64(U32(n));
    });
    CHECK("bfind.s32", "rr", [](U64 a, U64, U64) {
        U32 v = S32(a) < 0 ? ~U32(a) : U32(a);
        S64 n = -1;
        for (; v; v >>= 1)
            ++n;
        return U64(U32(n));
    });
    const auto extract = [](U64 a, U64 pos, U64 len, int width, bool sign) {
        pos &= 255, len &= 255; // the bit by bit definition of the PTX manual
        const U64 msb = U64(width) - 1;
        const U64 fill = sign && len ? (a >> std::min(pos + len - 1, msb)) & 1 : 0;
        U64 r = 0;
        for (U64 i = 0; i <= msb; ++i)
            r |= ((i < len && pos + i <= msb) ? (a >> (pos + i)) & 1 : fill) << i;
        return r;
    };
    CHECK("bfe.u32", "rrrr", [&](U64 a, U64 b, U64 c) { return extract(a, b, c, 32, false); });
    CHECK("bfe.s32", "rrrr", [&](U64 a, U64 b, U64 c) { return extract(a, b, c, 32, true); });
    CHECK("bfe.s64", "llrr", [&](U64 a, U64 b, U64 c) { return extract(a, b, c, 64, true); });
    const auto insert = [](U64 a, U64 b, U64 pos, U64 len) {
        for (U64 i = 0; i < len && pos + i <= 31; ++i)
            b = (b & ~(U64(1) << (pos + i))) | (((a >> i) & 1) << (pos + i));
        return b;
    };
    CHECK(
        "bfi.b32", "rrr", [&](U64 a, U64 b, U64) { return insert(a, b, 5, 9); }, ", 5, 9");
    CHECK(
        "bfi.b32", "rrr", [&](U64 a, U64 b, U64) { return insert(a, b, 28, 9); }, ", 28, 9");
    CHECK("prmt.b32", "rrrr", [](U64 a, U64 b, U64 c) {
        U64 r = 0;
        for (int i = 0; i < 4; ++i) {
            const U64 control = (c >> (4 * i)) & 15;
            U64 byte = ((b << 32 | a) >> (8 * (control & 7))) & 255;
            if (control & 8)
                byte = byte >> 7 ? 255 : 0;
            r |= byte << (8 * i);
        }
        return r;
    });
    CHECK(
        "lop3.b32", "rrrr", [](U64 a, U64 b, U64 c) { return U64(U32((a & b) | (a & c) | (b & c))); },
        ", 0xe8");
    CHECK(
        "lop3.b32", "rrrr", [](U64 a, U64 b, U64 c) { return U64(U32(a ^ b ^ c)); }, ", 0x96");
}

void TestOpcodes::floats()
{
    CHECK("add.f32", "fff", [](U64 a, U64 b, U64) { return f(asFloat(a) + asFloat(b)); });
    CHECK("sub.rn.f32", "fff", [](U64 a, U64 b, U64) { return f(asFloat(a) - asFloat(b)); });
    CHECK("mul.f64", "ddd", [](U64 a, U64 b, U64) { return d(asDouble(a) * asDouble(b)); });
    CHECK("fma.rn.f32", "ffff",
          [](U64 a, U64 b, U64 c) { return f(std::fma(asFloat(a), asFloat(b), asFloat(c))); });
    CHECK("fma.rn.f64", "dddd",
          [](U64 a, U64 b, U64 c) { return d(std::fma(asDouble(a), asDouble(b), asDouble(c))); });
    CHECK("div.rn.f32", "fff", [](U64 a, U64 b, U64) { return f(asFloat(a) / asFloat(b)); });
    CHECK("div.rn.f64", "ddd", [](U64 a, U64 b, U64) { return d(asDouble(a) / asDouble(b)); });
    CHECK("sqrt.rn.f32", "ff", [](U64 a, U64, U64) { return f(std::sqrt(asFloat(a))); });
    CHECK("rcp.rn.f32", "ff", [](U64 a, U64, U64) { return f(1.0f / asFloat(a)); });
    CHECK("neg.f32", "ff", [](U64 a, U64, U64) { return a ^ 0x80000000; });
    CHECK("abs.f64", "dd", [](U64 a, U64, U64) { return a & 0x7fffffffffffffff; });
    const auto flush = [](float v) {
        return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
    };
    CHECK("add.ftz.f32", "fff",
          [&](U64 a, U64 b, U64) { return f(flush(flush(asFloat(a)) + flush(asFloat(b)))); });
    const auto less = [](float a, float b) { // -0 below +0, a number before a NaN
        if (std::isnan(a))
            return b;
        if (std::isnan(b))
            return a;
        if (a == b)
            return std::signbit(a) ? a : b;
        return a < b ? a : b;
    };
    CHECK("min.f32", "fff", [&](U64 a, U64 b, U64) { return f(less(asFloat(a), asFloat(b))); });
    CHECK("max.f32", "fff", [&](U64 a, U64 b, U64) { return f(-less(-asFloat(a), -asFloat(b))); });
    CHECK("copysign.f32", "fff", [](U64 a, U64 b, U64) { return (b & 0x7fffffff) | (a & 0x80000000); });
    CHECK("ex2.approx.f32", "ff", [](U64 a, U64, U64) {
        return f(static_cast<float>(std::exp2(asDouble(d(static_cast<double>(asFloat(a)))))));
    });
    // Rounding down: the largest float that is not above the exact product or sum (exact in long double).
    const auto down = [](long double exact) {
        float r = static_cast<float>(exact);
        if (static_cast<long double>(r) > exact)
            r = std::nextafterf(r, -std::numeric_limits<float>::infinity());
        return r;
    };
    CHECK("mul.rm.f32", "fff", [&](U64 a, U64 b, U64) {
        if (!std::isfinite(asFloat(a)) || !std::isfinite(asFloat(b)))
            return f(asFloat(a) * asFloat(b));
        const long double exact = static_cast<long double>(asFloat(a)) * static_cast<long double>(asFloat(b));
        return exact == 0 ? f(asFloat(a) * asFloat(b)) : f(down(exact));
    });
    CHECK("selp.f32", "fffp", [](U64 a, U64 b, U64 p) { return p ? a : b; });
    CHECK("selp.b64", "lllp", [](U64 a, U64 b, U64 p) { return p ? a : b; });
}

void TestOpcodes::comparisons()
{
    CHECK("setp.lt.s32", "prr", [](U64 a, U64 b, U64) { return U64(S32(a) < S32(b)); });
    CHECK("setp.lt.u32", "prr", [](U64 a, U64 b, U64) { return U64(a < b); });
    CHECK("setp.ge.s64", "pll", [](U64 a, U64 b, U64) { return U64(S64(a) >= S64(b)); });
    CHECK("setp.hi.u64", "pll", [](U64 a, U64 b, U64) { return U64(a > b); });
    CHECK("setp.eq.s16", "phh", [](U64 a, U64 b, U64) { return U64(a == b); });
    CHECK("setp.lt.f32", "pff", [](U64 a, U64 b, U64) { return U64(asFloat(a) < asFloat(b)); });
    CHECK("setp.ltu.f32", "pff", [](U64 a, U64 b, U64) { return U64(!(asFloat(a) >= asFloat(b))); });
    CHECK("setp.ne.f32", "pff",
          [](U64 a, U64 b, U64) { return U64(asFloat(a) < asFloat(b) || asFloat(a) > asFloat(b)); });
    CHECK("setp.neu.f64", "pdd", [](U64 a, U64 b, U64) { return U64(!(asDouble(a) == asDouble(b))); });
    CHECK("setp.nan.f32", "pff",
          [](U64 a, U64 b, U64) { return U64(std::isnan(asFloat(a)) || std::isnan(asFloat(b))); });
    CHECK("setp.lt.and.s32", "prrp", [](U64 a, U64 b, U64 p) { return U64(S32(a) < S32(b)) & p; });
    CHECK("setp.gt.or.u32", "prrp", [](U64 a, U64 b, U64 p) { return U64(a > b) | p; });
    CHECK("set.lt.u32.s32", "rrr", [](U64 a, U64 b, U64) { return S32(a) < S32(b) ? U64(0xffffffff) : 0; });
    CHECK("testp.subnormal.f32", "pf",
          [](U64 a, U64, U64) { return U64(std::fpclassify(asFloat(a)) == FP_SUBNORMAL); });
    CHECK("testp.finite.f64", "pd", [](U64 a, U64, U64) { return U64(std::isfinite(asDouble(a))); });
}

void TestOpcodes::conversions()
{
    CHECK("cvt.s64.s32", "lr", [](U64 a, U64, U64) { return U64(S64(S32(a))); });
    CHECK("cvt.u64.u32", "lr", [](U64 a, U64, U64) { return a; });
    CHECK("cvt.u32.u64", "rl", [](U64 a, U64, U64) { return U64(U32(a)); });
    CHECK("cvt.s32.s8", "rr", [](U64 a, U64, U64) { return U64(U32(S32(std::int8_t(a)))); });
    CHECK("cvt.u16.u32", "hr", [](U64 a, U64, U64) { return a & 0xffff; });
    CHECK("cvt.s16.s8", "hh", [](U64 a, U64, U64) { return U64(S64(std::int8_t(a))) & 0xffff; });
    CHECK("cvt.sat.u8.s32", "rr", [](U64 a, U64, U64) { return U64(std::clamp<S64>(S32(a), 0, 255)); });
    CHECK("cvt.rn.f32.s32", "fr", [](U64 a, U64, U64) { return f(static_cast<float>(S32(a))); });
    CHECK("cvt.rn.f64.u64", "dl", [](U64 a, U64, U64) { return d(static_cast<double>(a)); });
    CHECK("cvt.rz.f32.u32", "fr", [](U64 a, U64, U64) {
        float r = static_cast<float>(U32(a));
        if (static_cast<double>(r) > static_cast<double>(U32(a)))
            r = std::nextafterf(r, 0);
        return f(r);
    });
    CHECK("cvt.f64.f32", "df", [](U64 a, U64, U64) { return d(static_cast<double>(asFloat(a))); });
    CHECK("cvt.rn.f32.f64", "fd", [](U64 a, U64, U64) { return f(static_cast<float>(asDouble(a))); });
    const auto saturate = [](double v, double low, double high) {
        return std::isnan(v) ? 0.0 : std::min(std::max(v, low), high);
    };
    CHECK("cvt.rzi.s32.f32", "rf", [&](U64 a, U64, U64) {
        return U64(
            U32(S32(saturate(std::trunc(static_cast<double>(asFloat(a))), -2147483648.0, 2147483647.0))));
    });
    CHECK("cvt.rni.u32.f32", "rf", [&](U64 a, U64, U64) {
        return U64(U32(saturate(std::nearbyint(static_cast<double>(asFloat(a))), 0, 4294967295.0)));
    });
    CHECK("cvt.rmi.s32.f64", "rd", [&](U64 a, U64, U64) {
        // A NaN of f64 becomes the sign bit alone (PTX manual, cvt).
        return std::isnan(asDouble(a))
                   ? U64(0x80000000)
                   : U64(U32(S32(saturate(std::floor(asDouble(a)), -2147483648.0, 2147483647.0))));
    });
    CHECK("cvt.rpi.f32.f32", "ff", [](U64 a, U64, U64) { return f(std::ceil(asFloat(a))); });
    CHECK("cvt.rni.f32.f32", "ff", [](U64 a, U64, U64) { return f(std::nearbyint(asFloat(a))); });
    CHECK("cvt.sat.f32.f32", "ff", [](U64 a, U64, U64) {
        const float v = asFloat(a);
        return f(std::isnan(v) || v <= 0 ? 0.0f : std::min(v, 1.0f));
    });
}

namespace {

bool byLane(const ptx::OpcodeForm& form)
{
    // What goes one lane at a time: tst_opcode_cases.
    return ptx::isByLane(form.action) && !sim::findScalar(form);
}

} // namespace

void TestOpcodes::everyFormHasAnImplementation()
{
    int count = 0;
    for (const ptx::OpcodeForm& form : ptx::allOpcodes()) {
        QCOMPARE(ptx::findOpcode(form.text), &form); // and no text twice
        if (!byLane(form))
            continue;
        ++count;
        const sim::LaneFns fns = sim::baselineLanes().find(sim::laneKeyOf(form));
        QVERIFY2(fns.full && fns.masked, form.text.c_str());
    }
    QVERIFY(count > 800);
}

void TestOpcodes::instructionSetsAgree()
{
    const sim::LaneTable baseline = sim::baselineLanes();
    std::vector<sim::LaneTable> others;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        others.push_back(sim::avx2Lanes());
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        others.push_back(sim::avx512Lanes());
    U64 state = 99;
    for (const ptx::OpcodeForm& form : ptx::allOpcodes()) {
        if (!byLane(form))
            continue;
        for (int round = 0; round < 2; ++round) {
            // d, a, b, c and e, 256 bytes each
            alignas(64) std::array<std::byte, 5 * 256> start;
            for (std::size_t i = 0; i < start.size() / 4; ++i) {
                const char letter = ptx::isFloat(form.source) ? 'f' : 'r';
                const U32 word = static_cast<U32>(input(letter, static_cast<int>(i * 7 % 29), state));
                std::memcpy(start.data() + 4 * i, &word, 4);
            }
            sim::LaneArgs args{0, 256, 512, 768, 1024, form.op == ptx::Op::Lop3 ? 0x6au : 0u};
            const U32 mask = round ? 0x5a3c0ff1u : sim::allLanes;
            auto result = [&](const sim::LaneTable& table) {
                auto registers = start;
                const sim::LaneFns fns = table.find(sim::laneKeyOf(form));
                (round ? fns.masked : fns.full)(registers.data(), args, mask);
                return registers;
            };
            const auto expected = result(baseline);
            for (const sim::LaneTable& other : others) {
                const auto got = result(other);
                for (std::size_t i = 0; i < got.size(); i += 4) {
                    U32 x, y;
                    std::memcpy(&x, expected.data() + i, 4);
                    std::memcpy(&y, got.data() + i, 4);
                    const bool nans = (x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000;
                    QVERIFY2(x == y || nans, (form.text + " on " + other.name + ": " + std::to_string(x) +
                                              " and " + std::to_string(y))
                                                 .c_str());
                }
            }
        }
    }
}

void TestOpcodes::shufflesAgree()
{
    const sim::ShuffleFns plain = sim::baselineLanes().shuffles;
    std::vector<sim::ShuffleFns> others;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        others.push_back(sim::avx2Lanes().shuffles);
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        others.push_back(sim::avx512Lanes().shuffles);
    U64 state = 5;
    for (int round = 0; round < 500; ++round) {
        std::array<U32, 32> a, b, c;
        for (int l = 0; l < 32; ++l) {
            a[l] = static_cast<U32>(input('r', 99, state));
            // Also amounts beyond 31, of which only five bits count, and any clamp and segment.
            b[l] = static_cast<U32>(input('r', 99, state)) % (round % 2 ? 40 : 3);
            c[l] = static_cast<U32>(input('r', 99, state)) & 0x1f1f;
        }
        for (std::size_t mode = 0; mode < std::size(plain.byMode); ++mode) {
            std::array<U32, 32> expected = a;
            // In place: the destination may be the source.
            const U32 valid = plain.byMode[mode](expected.data(), b.data(), c.data(), expected.data());
            for (const sim::ShuffleFns& other : others) {
                std::array<U32, 32> got = a;
                QCOMPARE(other.byMode[mode](got.data(), b.data(), c.data(), got.data()), valid);
                QVERIFY(got == expected);
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestOpcodes)
#include "tst_opcodes.moc"
