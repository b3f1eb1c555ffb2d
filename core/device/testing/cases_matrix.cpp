// SPDX-License-Identifier: Apache-2.0
// Tensor cores, and copies that go on beside the kernel.
#include "device/testing/case_writer.h"
#include "device/testing/half_reference.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <tuple>

namespace sparserl::testing {

namespace {

using ptx::Op;
using ptx::OpcodeForm;
using ptx::Type;
using U64 = std::uint64_t;

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
    return toHalf(value, type == Type::BF16);
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

/// A product of wmma: what is loaded from lines with room between them, multiplied and stored.
struct Product
{
    const char* shape;
    int m, n, k;
    Type element, start, sum; ///< Of A and B, of C, of D.
    bool rowsA, rowsB, rowsD; ///< Of D and C.
};

std::string nameOf(Type type)
{
    return type == Type::F16    ? "f16"
           : type == Type::BF16 ? "bf16"
           : type == Type::TF32 ? "tf32"
           : type == Type::F64  ? "f64"
                                : "f32";
}

void product(CaseWriter& w, const Product& p, int number)
{
    const auto bytesOf = [](Type type) { return ptx::bytesOf(type); };
    const auto layout = [](bool rows) { return rows ? "row" : "col"; };
    constexpr int room = 8; // elements behind each line
    auto& input = w.state().input;
    const std::string lanes8 = w.reg('l'), start = w.reg('l');
    w.line(fmt::format("mul.wide.u32 {}, {}, 8;", lanes8, CaseWriter::lane));
    w.line(fmt::format("sub.s64 {}, {}, {};", start, CaseWriter::input, lanes8));
    const auto registers = [&](Type type, int count) {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += (i ? ", " : "") + w.reg(type == Type::F64 ? 'd' : type == Type::F32 ? 'f' : 'r');
        return "{" + text + "}";
    };
    const auto load = [&](char part, Type type, int rows, int columns, bool byRow, int count, auto entry) {
        const int lines = byRow ? rows : columns, length = (byRow ? columns : rows) + room;
        std::vector<std::byte> memory(static_cast<std::size_t>(lines * length * bytesOf(type)) + 32);
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) {
                const U64 bits = entryBits(entry(i, j), type);
                const int at = byRow ? i * length + j : j * length + i;
                std::memcpy(memory.data() + at * bytesOf(type), &bits,
                            static_cast<std::size_t>(bytesOf(type)));
            }
        }
        while (input.size() % 4) // 32 bytes, as the instruction wants
            input.push_back(0);
        const std::size_t at = input.size();
        input.resize(at + memory.size() / 8 + 1);
        std::memcpy(input.data() + at, memory.data(), memory.size());
        std::string held = registers(type, count);
        const std::string stride = w.reg('r');
        w.line(fmt::format("mov.u32 {}, {};", stride, length));
        w.line(fmt::format("wmma.load.{}.sync.aligned.{}.{}.global.{} {}, [{}+{}], {};", part, layout(byRow),
                           p.shape, nameOf(type), held, start, 8 * at, stride));
        return held;
    };
    const bool pairs = p.element == Type::F16 || p.element == Type::BF16;
    const auto factors = [&](int rows) { // registers of a factor with so many rows or columns
        return p.element == Type::F16 ? 8 : std::max(rows * p.k / 32 / (pairs ? 2 : 1), 1);
    };
    const auto sums = [&](Type type) { return p.m * p.n / 32 / (type == Type::F16 ? 2 : 1); };
    const std::string a = load('a', p.element, p.m, p.k, p.rowsA, factors(p.m), leftEntry),
                      b = load('b', p.element, p.k, p.n, p.rowsB, factors(p.n), rightEntry),
                      c = load('c', p.start, p.m, p.n, p.rowsD, sums(p.start), startEntry),
                      d = registers(p.sum, sums(p.sum));
    const std::string types = p.element == Type::F16
                                  ? nameOf(p.sum) + "." + nameOf(p.start)
                                  : fmt::format("{0}.{1}.{1}.{0}{2}", nameOf(p.sum), nameOf(p.element),
                                                p.element == Type::F64 ? ".rn" : "");
    w.line(fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};", layout(p.rowsA), layout(p.rowsB),
                       p.shape, types, d, a, b, c));
    const std::string form =
        fmt::format("wmma.store.d.sync.aligned.{}.{}.shared.{}", layout(p.rowsD), p.shape, nameOf(p.sum));
    const std::string variable = fmt::format("tile{}", number);
    const int length = p.rowsD ? p.n : p.m;
    std::vector<U64> expected(static_cast<std::size_t>(p.m * p.n * bytesOf(p.sum) / 8));
    for (int i = 0; i < p.m; ++i) {
        for (int j = 0; j < p.n; ++j) {
            int sum = startEntry(i, j);
            for (int k = 0; k < p.k; ++k)
                sum += leftEntry(i, k) * rightEntry(k, j);
            const U64 bits = entryBits(sum, p.sum);
            const int at = p.rowsD ? i * length + j : j * length + i;
            std::memcpy(reinterpret_cast<std::byte*>(expected.data()) + at * bytesOf(p.sum), &bits,
                        static_cast<std::size_t>(bytesOf(p.sum)));
        }
    }
    w.declare(fmt::format(".shared .align 32 .b8 {}[{}];", variable, 8 * expected.size()));
    w.line(fmt::format("{} [{}], {}, {};", form, variable, d, length));
    w.line("bar.warp.sync -1;");
    const std::string mine = w.reg('r');
    w.line(fmt::format("mov.u32 {}, {};", mine, variable));
    w.line(fmt::format("mad.lo.s32 {}, {}, 8, {};", mine, CaseWriter::lane, mine));
    for (std::size_t at = 0; at < expected.size(); at += lanes) {
        LaneValues values{};
        std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(at), lanes, values.begin());
        const std::string found = w.reg('l');
        w.line(fmt::format("ld.shared.b64 {}, [{}+{}];", found, mine, 8 * at));
        w.check(form, 'l', found, values);
    }
}

/// Every shape and type of wmma, in every layout.
void products(CaseList& list)
{
    struct Types
    {
        const char* shape;
        int m, n, k;
        Type element, start, sum;
    };
    std::vector<Types> all{{"m16n16k8", 16, 16, 8, Type::TF32, Type::F32, Type::F32},
                           {"m8n8k4", 8, 8, 4, Type::F64, Type::F64, Type::F64}};
    for (const auto& [shape, m, n] :
         {std::tuple("m16n16k16", 16, 16), std::tuple("m32n8k16", 32, 8), std::tuple("m8n32k16", 8, 32)}) {
        all.push_back({shape, m, n, 16, Type::BF16, Type::F32, Type::F32});
        for (const Type start : {Type::F16, Type::F32})
            for (const Type sum : {Type::F16, Type::F32})
                all.push_back({shape, m, n, 16, Type::F16, start, sum});
    }
    int number = 0;
    for (const Types& t : all)
        for (int layout = 0; layout < 8; ++layout)
            product(list.writer("wmma", 24),
                    {t.shape, t.m, t.n, t.k, t.element, t.start, t.sum, (layout & 1) != 0, (layout & 2) != 0,
                     (layout & 4) != 0},
                    number++);
}

/// Which lane holds which element, which PTX leaves open: as an H100 has it.
void fragments(CaseWriter& w)
{
    auto& input = w.state().input;
    while (input.size() % 4)
        input.push_back(0);
    const std::size_t at = input.size();
    for (U64 i = 0; i < 64; ++i) // 16 x 16 halves that are their own numbers
        input.push_back((4 * i) | (4 * i + 1) << 16 | (4 * i + 2) << 32 | (4 * i + 3) << 48);
    const std::string lanes8 = w.reg('l'), start = w.reg('l');
    w.line(fmt::format("mul.wide.u32 {}, {}, 8;", lanes8, CaseWriter::lane));
    w.line(fmt::format("sub.s64 {}, {}, {};", start, CaseWriter::input, lanes8));
    for (const bool right : {false, true}) {
        const std::string form =
            fmt::format("wmma.load.{}.sync.aligned.row.m16n16k16.global.f16", right ? 'b' : 'a');
        std::vector<std::string> held;
        std::string text;
        for (int r = 0; r < 8; ++r) {
            held.push_back(w.reg('r'));
            text += (r ? ", " : "") + held.back();
        }
        w.line(fmt::format("{} {{{}}}, [{}+{}], 16;", form, text, start, 8 * at));
        for (int r = 0; r < 8; ++r) {
            LaneValues expected{};
            for (int l = 0; l < lanes; ++l) {
                const int g = l / 4, t = 2 * (l % 4);
                // Registers 4 to 7 repeat the first ones.
                const int first = right ? 16 * (t + (r & 1) * 8) + g + (r & 2) * 4
                                        : 16 * (g + (r & 1) * 8) + t + (r & 2) * 4;
                expected[static_cast<std::size_t>(l)] =
                    static_cast<U64>(first) | static_cast<U64>(first + (right ? 16 : 1)) << 16;
            }
            w.check(form, 'r', held[static_cast<std::size_t>(r)], expected);
        }
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
    for (const OpcodeForm& form : ptx::allOpcodes())
        if (form.op == Op::Mma)
            multiply(list.writer("mma", 24), form);
    products(list);
    fragments(list.writer("wmma fragments"));
    matrixLoads(list.writer("ldmatrix"));
    copies(list.writer("cp.async"));
    list.flush();
}

} // namespace sparserl::testing
