// SPDX-License-Identifier: Apache-2.0
// Tensor cores, copies that go on beside the kernel, and half precision.
#include "device/testing/case_writer.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::testing {

namespace {

using ptx::Op;
using ptx::OpcodeForm;
using ptx::Type;
using U64 = std::uint64_t;

/// The nearest number with so many bits of precision and no smaller unit than 2^lowest; ties to even, or cut.
long double roundTo(long double value, int precision, int lowest, bool cut, bool tiesAway = false)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    int exponent = 0;
    std::frexp(value, &exponent);
    const int unit = std::max(exponent - precision, lowest);
    const long double scaled = std::ldexp(value, -unit);
    return std::ldexp(cut        ? std::trunc(scaled)
                      : tiesAway ? std::round(scaled)
                                 : std::nearbyint(scaled),
                      unit);
}

/// Bits of a number that has few enough of them, as f16 or bf16.
U64 encoded(long double value, bool brain)
{
    if (brain)
        return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
    if (std::fabs(value) > 65504)
        return (std::signbit(value) ? 0x8000 : 0) | 0x7c00;
    // By the definition: sign, exponent from 2^-14 up, ten bits behind the point.
    const U64 sign = std::signbit(value) ? 0x8000 : 0;
    const long double size = std::fabs(value);
    if (size < 0x1p-14L)
        return sign | static_cast<U64>(size * 0x1p24L);
    int exponent = 0;
    const long double fraction = 2 * std::frexp(size, &exponent) - 1;
    return sign | static_cast<U64>(exponent - 1 + 15) << 10 | static_cast<U64>(fraction * 1024);
}
long double valueOf(U64 bits, bool brain)
{
    if (brain)
        return static_cast<long double>(
            std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0xffff) << 16));
    const long double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const long double fraction = static_cast<long double>(bits & 1023);
    return exponent == 0 ? sign * fraction * 0x1p-24L : sign * std::ldexp(1024 + fraction, exponent - 25);
}
/// Rounded as the format rounds, overflow to infinity (or to the largest number where cut).
U64 rounded(long double value, bool brain, bool cut = false)
{
    const long double near = brain ? roundTo(value, 8, -133, cut) : roundTo(value, 11, -24, cut);
    if (!brain && cut && std::fabs(near) > 65504)
        return (std::signbit(value) ? 0x8000 : 0) | 0x7bff;
    return near == 0 ? (std::signbit(value) ? 0x8000u : 0u) : encoded(near, brain);
}

/// Numbers of either format: no infinities, no NaN.
LaneValues halfValues(bool brain, int turn)
{
    const long double numbers[] = {0,    1,       -1,   1.5,      -2.5,      3,      0.333251953125L,
                                   100,  -0.25,   1024, 0x1p-14L, 7.875L,    -65504, 0x1p-16L,
                                   2048, -1.125L, 0.5,  6,        0x1.8p-9L, 40};
    LaneValues values{};
    for (std::size_t l = 0; l < lanes; ++l)
        values[l] =
            rounded(numbers[(l * 3 + static_cast<std::size_t>(turn) * 7) % std::size(numbers)], brain);
    return values;
}

U64 halfReference(const OpcodeForm& form, bool brain, U64 a, U64 b, U64 c)
{
    const auto flush = [&](U64 bits) { return form.ftz && (bits & 0x7c00) == 0 ? bits & 0x8000 : bits; };
    a = flush(a & 0xffff), b = flush(b & 0xffff), c = flush(c & 0xffff);
    const long double x = valueOf(a, brain), y = valueOf(b, brain), z = valueOf(c, brain);
    switch (form.op) {
    case Op::Add:
        return flush(rounded(x + y, brain));
    case Op::Sub:
        return flush(rounded(x - y, brain));
    case Op::Mul:
        return flush(rounded(x * y, brain));
    case Op::Fma: {
        const long double sum = x * y + z;
        return flush(sum == 0 ? (std::signbit(x * y) && std::signbit(z) ? 0x8000u : 0u)
                              : rounded(sum, brain));
    }
    case Op::Neg:
        return a ^ 0x8000;
    case Op::Abs:
        return a & 0x7fff;
    case Op::Min:
        return x < y || (x == y && std::signbit(x)) ? a : b;
    default:
        return x > y || (x == y && !std::signbit(x)) ? a : b;
    }
}

void halfArithmetic(CaseWriter& w, const OpcodeForm& form)
{
    const bool brain = form.type == Type::BF16 || form.type == Type::BF16x2;
    const bool pair = form.type == Type::F16x2 || form.type == Type::BF16x2;
    const int sources = form.op == Op::Fma ? 3 : form.op == Op::Neg || form.op == Op::Abs ? 1 : 2;
    LaneValues values[3]{};
    std::string operands;
    for (int i = 0; i < sources; ++i) {
        values[i] = halfValues(brain, i);
        if (pair) {
            const LaneValues upper = halfValues(brain, i + 3);
            for (std::size_t l = 0; l < lanes; ++l)
                values[i][l] |= upper[l] << 16;
        }
        operands += ", " + w.load(pair ? 'r' : 'h', values[i]);
    }
    LaneValues expected{};
    for (std::size_t l = 0; l < lanes; ++l) {
        expected[l] = halfReference(form, brain, values[0][l], values[1][l], values[2][l]);
        if (pair)
            expected[l] |=
                halfReference(form, brain, values[0][l] >> 16, values[1][l] >> 16, values[2][l] >> 16) << 16;
    }
    const std::string result = w.reg(pair ? 'r' : 'h');
    w.line(form.text + " " + result + operands + ";");
    w.check(form.text, pair ? 'r' : 'h', result, expected);
}

LaneValues singles(int turn)
{
    const float numbers[] = {0.0f,     -0.0f,     1.0f,       -1.5f,  0.1f,      3.14159f, 65504.0f, 65519.0f,
                             65520.0f, 1e-7f,     6e-8f,      2e-5f,  -0.33333f, 1.00049f, 1.001f,   2049.0f,
                             2051.0f,  -70000.0f, 12345.678f, 1e-20f, 1.0039f,   1.00391f, 255.5f,   257.0f};
    LaneValues values{};
    for (std::size_t l = 0; l < lanes; ++l)
        values[l] = std::bit_cast<std::uint32_t>(
            numbers[(l * 5 + static_cast<std::size_t>(turn) * 11) % std::size(numbers)]);
    return values;
}
long double single(U64 bits)
{
    return static_cast<long double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

void halfConversion(CaseWriter& w, const OpcodeForm& form)
{
    const bool cut = form.rounding == ptx::Rounding::Rz;
    const bool brain = form.type == Type::BF16 || form.type == Type::BF16x2;
    LaneValues expected{};
    if (form.source == Type::F16) {
        const LaneValues a = halfValues(false, 0);
        const std::string result = w.reg('f'), x = w.load('h', a);
        for (std::size_t l = 0; l < lanes; ++l)
            expected[l] = std::bit_cast<std::uint32_t>(static_cast<float>(valueOf(a[l], false)));
        w.line(fmt::format("{} {}, {};", form.text, result, x));
        w.check(form.text, 'f', result, expected);
        return;
    }
    const LaneValues a = singles(0), b = singles(1);
    const std::string x = w.load('f', a);
    if (form.op == Op::CvtPair) {
        const std::string y = w.load('f', b), result = w.reg('r');
        for (std::size_t l = 0; l < lanes; ++l)
            expected[l] = rounded(single(a[l]), brain, cut) << 16 | rounded(single(b[l]), brain, cut);
        w.line(fmt::format("{} {}, {}, {};", form.text, result, x, y));
        w.check(form.text, 'r', result, expected);
        return;
    }
    const char letter = form.type == Type::TF32 ? 'r' : 'h';
    const std::string result = w.reg(letter);
    for (std::size_t l = 0; l < lanes; ++l)
        expected[l] = form.type == Type::TF32 ? std::bit_cast<std::uint32_t>(static_cast<float>(
                                                    roundTo(single(a[l]), 11, -136, false, true)))
                                              : rounded(single(a[l]), brain, cut);
    w.line(fmt::format("{} {}, {};", form.text, result, x));
    w.check(form.text, letter, result, expected);
}

/// Small integers: every sum is exact in every format.
int leftEntry(int row, int k)
{
    return (row * 3 + k * 5) % 7 - 3;
}
int rightEntry(int k, int column)
{
    return (k * 2 + column * 3) % 5 - 2;
}
int startEntry(int row, int column)
{
    return (row + 2 * column) % 9 - 4;
}

U64 entryBits(int value, Type type)
{
    if (type == Type::F64)
        return std::bit_cast<U64>(double(value));
    if (type == Type::F32 || type == Type::TF32)
        return std::bit_cast<std::uint32_t>(float(value));
    return rounded(value, type == Type::BF16);
}

/// Fragments by the tables of the PTX manual: element i of lane (group, thread).
void multiply(CaseWriter& w, const OpcodeForm& form)
{
    const ptx::MatrixShape& shape = form.matrix;
    const bool pairs = form.source == Type::F16 || form.source == Type::BF16;
    const auto vectorOf = [&](int registers, Type type, bool two, auto entry) {
        std::string text;
        const char letter = type == Type::F64 ? 'd' : type == Type::F32 ? 'f' : 'r';
        for (int r = 0; r < registers; ++r) {
            LaneValues values{};
            for (int l = 0; l < lanes; ++l) {
                auto& bits = values[static_cast<std::size_t>(l)];
                bits = entryBits(entry(two ? 2 * r : r, l / 4, l % 4), type);
                if (two)
                    bits |= entryBits(entry(2 * r + 1, l / 4, l % 4), type) << 16;
            }
            text += (r ? ", " : "") + w.load(letter, values);
        }
        return "{" + text + "}";
    };
    const auto left = [&](int i, int group, int thread) {
        int row = group, k = 0;
        if (pairs) { // a0 a1 | a2 a3 in rows g and g + 8, then the same eight columns further
            row += (i / 2) % 2 ? 8 : 0;
            k = thread * 2 + (i & 1) + (i >= 4 ? 8 : 0);
        } else {
            row += i % 2 ? 8 : 0;
            k = thread + (i >= 2 ? 4 : 0);
        }
        return leftEntry(row, k);
    };
    const auto right = [&](int i, int group, int thread) {
        const int k = pairs ? thread * 2 + (i & 1) + (i >= 2 ? 8 : 0) : thread + 4 * i;
        return rightEntry(k, group);
    };
    const auto place = [&](int i, int group, int thread) { // row and column of element i of C and D
        return std::pair(group + (i >= 2 ? 8 : 0), thread * 2 + (i & 1));
    };
    const bool halfSums = form.type == Type::F16;
    const std::string a = vectorOf(shape.a, form.source, pairs, left),
                      b = vectorOf(shape.b, form.source, pairs, right),
                      c = vectorOf(shape.c, form.type, halfSums, [&](int i, int group, int thread) {
                          const auto [row, column] = place(i, group, thread);
                          return startEntry(row, column);
                      });
    const char letter = halfSums ? 'r' : form.type == Type::F64 ? 'd' : 'f';
    std::vector<std::string> results;
    std::string d;
    for (int r = 0; r < shape.d; ++r) {
        results.push_back(w.reg(letter));
        d += (r ? ", " : "") + results.back();
    }
    w.line(fmt::format("{} {{{}}}, {}, {}, {};", form.text, d, a, b, c));
    const auto result = [&](int i, int group, int thread) {
        const auto [row, column] = place(i, group, thread);
        int sum = startEntry(row, column);
        for (int k = 0; k < shape.k; ++k)
            sum += leftEntry(row, k) * rightEntry(k, column);
        return sum;
    };
    for (int r = 0; r < shape.d; ++r) {
        LaneValues expected{};
        for (int l = 0; l < lanes; ++l) {
            auto& bits = expected[static_cast<std::size_t>(l)];
            bits = entryBits(result(halfSums ? 2 * r : r, l / 4, l % 4), form.type);
            if (halfSums)
                bits |= entryBits(result(2 * r + 1, l / 4, l % 4), form.type) << 16;
        }
        w.check(form.text, letter, results[static_cast<std::size_t>(r)], expected);
    }
}

/// Thirty-two rows of sixteen bytes in shared memory, filled with their numbers.
void matrixLoads(CaseWriter& w)
{
    w.declare(".shared .align 16 .b8 sh[512];");
    LaneValues low{}, high{};
    const auto number = [](int row, int column) { return static_cast<U64>(row * 256 + column + 1); };
    for (int l = 0; l < lanes; ++l) {
        for (int c = 0; c < 4; ++c) {
            low[static_cast<std::size_t>(l)] |= number(l, c) << (16 * c);
            high[static_cast<std::size_t>(l)] |= number(l, c + 4) << (16 * c);
        }
    }
    const std::string x = w.load('l', low), y = w.load('l', high), start = w.reg('r'), row = w.reg('r');
    w.line(fmt::format("mov.u32 {}, sh;", start));
    w.line(fmt::format("mad.lo.s32 {}, {}, 16, {};", row, CaseWriter::lane, start));
    w.line(fmt::format("st.shared.b64 [{}], {};", row, x));
    w.line(fmt::format("st.shared.b64 [{}+8], {};", row, y));
    w.line("bar.warp.sync -1;");
    for (const OpcodeForm& form : ptx::allOpcodes()) {
        if (form.op != Op::LdMatrix)
            continue;
        std::vector<std::string> results;
        std::string d;
        for (int j = 0; j < form.matrix.k; ++j) {
            results.push_back(w.reg('r'));
            d += (j ? ", " : "") + results.back();
        }
        w.line(fmt::format("{} {{{}}}, [{}];", form.text, d, row));
        for (int j = 0; j < form.matrix.k; ++j) {
            LaneValues expected{};
            for (int l = 0; l < lanes; ++l) {
                for (int h = 0; h < 2; ++h) {
                    const int across = l / 4, along = 2 * (l % 4) + h;
                    expected[static_cast<std::size_t>(l)] |=
                        (form.matrix.transposed ? number(8 * j + along, across)
                                                : number(8 * j + across, along))
                        << (16 * h);
                }
            }
            w.check(form.text, 'r', results[static_cast<std::size_t>(j)], expected);
        }
    }
}

/// Each lane copies to its place; after waiting it reads what its neighbour copied.
void copies(CaseWriter& w)
{
    w.declare(".shared .align 16 .b8 sh[512];");
    auto& input = w.state().input;
    const std::size_t at = input.size() * 8;
    const LaneValues low = operandValues(Type::B64, 1), high = operandValues(Type::B64, 2);
    for (std::size_t l = 0; l < lanes; ++l) {
        input.push_back(low[l]);
        input.push_back(high[l]);
    }
    const std::string from = w.reg('l'), start = w.reg('r'), to = w.reg('r'), index = w.reg('r'),
                      other = w.reg('r');
    w.line(fmt::format("mad.wide.u32 {}, {}, 8, {};", from, CaseWriter::lane, CaseWriter::input));
    w.line(fmt::format("add.s64 {}, {}, {};", from, from, at));
    w.line(fmt::format("mov.u32 {}, sh;", start));
    w.line(fmt::format("mad.lo.s32 {}, {}, 16, {};", to, CaseWriter::lane, start));
    w.line(fmt::format("xor.b32 {}, {}, 5;", index, CaseWriter::lane));
    w.line(fmt::format("mad.lo.s32 {}, {}, 16, {};", other, index, start));
    struct Use
    {
        const char* form;
        int bytes;
        const char* size; ///< Bytes that are read, or empty.
        const char* wait; ///< Form that is waited with.
    };
    const Use uses[] = {{"cp.async.ca.shared.global", 4, "", "cp.async.wait_all"},
                        {"cp.async.ca.shared.global", 8, "", "cp.async.wait_group"},
                        {"cp.async.ca.shared.global", 16, ", 8", "cp.async.wait_group"},
                        {"cp.async.cg.shared.global", 16, "", "cp.async.wait_all"},
                        {"cp.async.cg.shared.global", 16, ", 0", "cp.async.wait_group"}};
    for (const Use& use : uses) {
        w.line(fmt::format("st.shared.b64 [{}], 0;", to));
        w.line(fmt::format("st.shared.b64 [{}+8], 0;", to));
        w.line("bar.warp.sync -1;");
        w.line(fmt::format("{} [{}], [{}], {}{};", use.form, to, from, use.bytes, use.size));
        const bool groups = std::string_view(use.wait) == "cp.async.wait_group";
        if (groups)
            w.line("cp.async.commit_group;");
        w.line(fmt::format("{}{};", use.wait, groups ? " 0" : ""));
        w.line("bar.warp.sync -1;");
        const std::string first = w.reg('l'), second = w.reg('l');
        w.line(fmt::format("ld.shared.b64 {}, [{}];", first, other));
        w.line(fmt::format("ld.shared.b64 {}, [{}+8];", second, other));
        LaneValues expectedLow{}, expectedHigh{};
        const int read = *use.size ? use.size[2] - '0' : use.bytes;
        for (std::size_t l = 0; l < lanes; ++l) {
            const std::size_t k = l ^ 5;
            expectedLow[l] = read >= 8 ? low[k] : low[k] & ((U64(1) << (8 * read)) - 1);
            expectedHigh[l] = read == 16 ? high[k] : 0;
        }
        for (const char* form : {use.form, use.wait, groups ? "cp.async.commit_group" : use.wait}) {
            w.check(form, 'l', first, expectedLow);
            w.check(form, 'l', second, expectedHigh);
        }
        w.line("bar.warp.sync -1;");
    }
    for (const OpcodeForm& form : ptx::allOpcodes()) {
        if (form.op != Op::Prefetch)
            continue;
        const std::string value = w.reg('l');
        w.line(fmt::format("{} [{}];", form.text, from));
        w.line(fmt::format("ld.global.b64 {}, [{}];", value, from));
        w.check(form.text, 'l', value, low);
    }
}

} // namespace

void matrixCases(std::vector<OpcodeCase>& into)
{
    CaseList list(into);
    for (const OpcodeForm& form : ptx::allOpcodes()) {
        const auto half = [](Type type) { return type >= Type::F16; };
        if (form.op == Op::Mma)
            multiply(list.writer("mma", 24), form);
        else if ((form.op == Op::Cvt || form.op == Op::CvtPair) && (half(form.type) || half(form.source)))
            halfConversion(list.writer("half conversions"), form);
        else if (ptx::isByLane(form.action) && form.op != Op::Cvt && half(form.type))
            halfArithmetic(list.writer("half arithmetic"), form);
    }
    matrixLoads(list.writer("ldmatrix"));
    copies(list.writer("cp.async"));
    list.flush();
}

} // namespace sparserl::testing
