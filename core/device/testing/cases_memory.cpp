// SPDX-License-Identifier: Apache-2.0
#include "device/testing/case_writer.h"
#include "device/testing/half_reference.h"
#include "device/testing/reference.h"

#include <cstring>
#include <fmt/format.h>

namespace sparserl::testing {

namespace {

using ptx::Op;
using ptx::OpcodeForm;
using ptx::Space;
using ptx::Type;

/// Sixteen bytes for each lane, written down as two 64-bit halves.
struct Block
{
    LaneValues low = operandValues(Type::B64, 2), high = operandValues(Type::B64, 3);
};

std::uint64_t element(const Block& block, std::size_t lane, int bytes, int index)
{
    std::uint8_t all[16];
    std::memcpy(all, &block.low[lane], 8);
    std::memcpy(all + 8, &block.high[lane], 8);
    std::uint64_t value = 0;
    std::memcpy(&value, all + bytes * index, static_cast<std::size_t>(bytes));
    return value;
}

/// Loads of less than 32 bits go into a register of 32, extended by their type.
char loadClass(Type type)
{
    return ptx::bytesOf(type) < 4 ? 'r' : registerClass(type);
}
std::uint64_t extended(std::uint64_t value, Type type)
{
    const int bits = 8 * ptx::bytesOf(type);
    if (bits < 32 && ptx::isSigned(type) && (value >> (bits - 1)) & 1)
        value |= 0xffffffffu & ~((std::uint64_t(1) << bits) - 1);
    return value;
}

std::string vectorOf(const std::vector<std::string>& registers)
{
    std::string text;
    for (const std::string& one : registers)
        text += (text.empty() ? "" : ", ") + one;
    return registers.size() == 1 ? text : "{" + text + "}";
}

/// An address of 16 bytes a lane in a space, made once a module.
struct Places
{
    CaseWriter& w;
    std::string group;

    /// Shared memory: 16 bytes for each lane; the same bytes serve one form after another.
    std::string shared()
    {
        w.declare(".shared .align 16 .b8 sh[512];");
        std::string address = w.reg('l'), start = w.reg('l');
        w.line(fmt::format("mov.u64 {}, sh;", start));
        w.line(fmt::format("mad.wide.u32 {}, {}, 16, {};", address, CaseWriter::lane, start));
        return address;
    }
    std::string local()
    {
        w.declare(".local .align 16 .b8 lo[16];");
        std::string address = w.reg('l');
        w.line(fmt::format("mov.u64 {}, lo;", address));
        return address;
    }
};

void loadElements(CaseWriter& w, const OpcodeForm& form, const std::string& address, const Block& block)
{
    std::vector<std::string> registers;
    registers.reserve(static_cast<std::size_t>(form.vector));
    const char letter = loadClass(form.type);
    for (int i = 0; i < form.vector; ++i)
        registers.push_back(w.reg(letter));
    w.line(fmt::format("{} {}, [{}];", form.text, vectorOf(registers), address));
    for (int i = 0; i < form.vector; ++i) {
        LaneValues expected{};
        for (std::size_t l = 0; l < lanes; ++l)
            expected[l] = extended(element(block, l, ptx::bytesOf(form.type), i), form.type);
        w.check(form.text, letter, registers[static_cast<std::size_t>(i)], expected);
    }
}

/// The address that a generic form uses: every other group of forms takes shared memory.
std::string spaceName(Space space)
{
    switch (space) {
    case Space::Shared:
        return "shared";
    case Space::Local:
        return "local";
    case Space::Const:
        return "const";
    default:
        return "global";
    }
}

std::string prepared(CaseWriter& w, Space space, const Block& block,
                     std::map<const void*, std::string>& known)
{
    // One block of bytes and one address for each module and space.
    std::string& address = known[&w];
    if (!address.empty() && w.size() > 0)
        return address;
    const std::string low = w.load('l', block.low), high = w.load('l', block.high);
    Places places{w, {}};
    if (space == Space::Shared || space == Space::Local) {
        address = space == Space::Shared ? places.shared() : places.local();
        w.line(fmt::format("st.{}.b64 [{}], {};", spaceName(space), address, low));
        w.line(fmt::format("st.{}.b64 [{}+8], {};", spaceName(space), address, high));
    } else if (space == Space::Const) {
        std::string bytes;
        for (std::size_t l = 0; l < lanes; ++l) {
            for (int i = 0; i < 16; ++i)
                bytes += (bytes.empty() ? "" : ", ") + std::to_string(element(block, l, 1, i));
        }
        w.module(".const .align 16 .b8 constants[512] = {" + bytes + "};");
        address = w.reg('l');
        const std::string start = w.reg('l');
        w.line(fmt::format("mov.u64 {}, constants;", start));
        w.line(fmt::format("mad.wide.u32 {}, {}, 16, {};", address, CaseWriter::lane, start));
    } else {
        // Sixteen bytes a lane in the input.
        auto& input = w.state().input;
        if (input.size() % 2)
            input.push_back(0);
        const std::size_t at = input.size() * 8;
        for (std::size_t l = 0; l < lanes; ++l) {
            input.push_back(block.low[l]);
            input.push_back(block.high[l]);
        }
        address = w.reg('l');
        w.line(fmt::format("mad.wide.u32 {}, {}, 8, {};", address, CaseWriter::lane, CaseWriter::input));
        w.line(fmt::format("add.s64 {}, {}, {};", address, address, at));
    }
    return address;
}

/// A function that loads a parameter of sixteen bytes as `load` says and gives back the elements, each in
/// eight bytes; the call of it; and the registers that then hold them.
std::vector<std::string> throughFunction(CaseWriter& w, const std::string& load, int vector, char letter,
                                         int number, const std::vector<std::string>& stores)
{
    const char* const width = letter == 'r' || letter == 'f' ? "b32" : "b64";
    std::vector<std::string> registers, got;
    for (int i = 0; i < vector; ++i)
        registers.push_back(fmt::format("%e{}", i));
    w.module(fmt::format(".func (.param .align 16 .b8 r[32]) f{}(.param .align 16 .b8 p[16])\n{{\n"
                         "    .reg .{} %e<{}>;\n    {} {}, [p];",
                         number, registerType(letter), vector, load, vectorOf(registers)));
    for (int i = 0; i < vector; ++i)
        w.module(fmt::format("    st.param.{} [r+{}], %e{};", width, 8 * i, i));
    w.module("    ret;\n}");
    w.line("{");
    w.line(".param .align 16 .b8 p0[16];");
    w.line(".param .align 16 .b8 r0[32];");
    for (const std::string& store : stores)
        w.line(store);
    w.line(fmt::format("call.uni (r0), f{}, (p0);", number));
    for (int i = 0; i < vector; ++i) {
        got.push_back(w.reg(letter));
        w.line(fmt::format("ld.param.{} {}, [r0+{}];", width, got.back(), 8 * i));
    }
    w.line("}");
    return got;
}

void parameterLoad(CaseWriter& w, const OpcodeForm& form, const Block& block, int number)
{
    const char letter = loadClass(form.type);
    const std::string low = w.load('l', block.low), high = w.load('l', block.high);
    const auto got = throughFunction(
        w, form.text, form.vector, letter, number,
        {fmt::format("st.param.b64 [p0], {};", low), fmt::format("st.param.b64 [p0+8], {};", high)});
    for (int i = 0; i < form.vector; ++i) {
        LaneValues expected{};
        for (std::size_t l = 0; l < lanes; ++l)
            expected[l] = extended(element(block, l, ptx::bytesOf(form.type), i), form.type);
        w.check(form.text, letter, got[static_cast<std::size_t>(i)], expected);
    }
}

/// The function loads by the type that the form stores. The values fit into it: whether a parameter that is
/// passed in a register is cut to its width is left open.
void parameterStore(CaseWriter& w, const OpcodeForm& form, int number)
{
    const char letter = loadClass(form.type);
    const int bytes = ptx::bytesOf(form.type);
    std::vector<std::string> registers;
    std::vector<LaneValues> values;
    for (int i = 0; i < form.vector; ++i) {
        LaneValues one = operandValues(ptx::isFloat(form.type) ? form.type
                                       : bytes == 8            ? Type::B64
                                                               : Type::B32,
                                       i + 1);
        for (auto& value : one) {
            if (bytes < 8)
                value &= (std::uint64_t(1) << (8 * bytes)) - 1;
            value = extended(value, form.type);
        }
        registers.push_back(w.load(letter, one));
        values.push_back(one);
    }
    std::string load = form.text;
    load.replace(0, 2, "ld");
    const auto got = throughFunction(w, load, form.vector, letter, number,
                                     {fmt::format("{} [p0], {};", form.text, vectorOf(registers))});
    for (std::size_t i = 0; i < got.size(); ++i)
        w.check(form.text, letter, got[i], values[i]);
}

/// Registers with the elements to store, and the sixteen bytes that then stand there (zero before).
std::vector<std::string> storeElements(CaseWriter& w, const OpcodeForm& form, LaneValues& low,
                                       LaneValues& high)
{
    const int bytes = ptx::bytesOf(form.type);
    const char letter = loadClass(form.type);
    std::vector<std::string> registers;
    std::array<std::array<std::uint8_t, 16>, lanes> memory{};
    for (int i = 0; i < form.vector; ++i) {
        const LaneValues values = operandValues(ptx::isFloat(form.type)        ? form.type
                                                : ptx::bytesOf(form.type) == 8 ? Type::B64
                                                                               : Type::B32,
                                                i + 1);
        registers.push_back(w.load(letter, values));
        for (std::size_t l = 0; l < lanes; ++l)
            std::memcpy(memory[l].data() + bytes * i, &values[l], static_cast<std::size_t>(bytes));
    }
    for (std::size_t l = 0; l < lanes; ++l) {
        std::memcpy(&low[l], memory[l].data(), 8);
        std::memcpy(&high[l], memory[l].data() + 8, 8);
    }
    return registers;
}

void storeCase(CaseWriter& w, const OpcodeForm& form, const std::string& inner, int number)
{
    if (form.space == Space::Param) {
        parameterStore(w, form, number);
        return;
    }
    LaneValues low{}, high{};
    const auto registers = storeElements(w, form, low, high);
    if (form.space == Space::Global || form.space == Space::Generic) {
        const std::string address = w.place16(form.text, low, high);
        w.line(fmt::format("{} [{}], {};", form.text, address, vectorOf(registers)));
        return;
    }
    const std::string first = w.reg('l'), second = w.reg('l');
    {
        const std::string space = spaceName(form.space);
        w.line(fmt::format("st.{}.b64 [{}], 0;", space, inner));
        w.line(fmt::format("st.{}.b64 [{}+8], 0;", space, inner));
        w.line(fmt::format("{} [{}], {};", form.text, inner, vectorOf(registers)));
        w.line(fmt::format("ld.{}.b64 {}, [{}];", space, first, inner));
        w.line(fmt::format("ld.{}.b64 {}, [{}+8];", space, second, inner));
    }
    w.check(form.text, 'l', first, low);
    w.check(form.text, 'l', second, high);
}

/// Values for atomics: floats without NaN and without subnormal numbers, so that every order and every
/// device agrees.
LaneValues atomicValues(Type type, int turn)
{
    LaneValues values{};
    if (type == Type::F16 || type == Type::F16x2) { // sums that need to be rounded, too
        for (std::size_t l = 0; l < lanes; ++l)
            for (std::size_t half = 0; half < (type == Type::F16 ? 1 : 2); ++half)
                values[l] |= toHalf((static_cast<long double>(
                                         (l * 37 + static_cast<std::size_t>(turn) * 11 + 5 * half) % 64) -
                                     20) *
                                        33.25L,
                                    false)
                             << (16 * half);
        return values;
    }
    if (!ptx::isFloat(type))
        return operandValues(type, turn);
    for (std::size_t l = 0; l < lanes; ++l) {
        const double value =
            (static_cast<double>((l * 37 + static_cast<std::size_t>(turn) * 11) % 64) - 20) / 4;
        if (type == Type::F32) {
            const auto narrow = static_cast<float>(value);
            std::uint32_t word = 0;
            std::memcpy(&word, &narrow, 4);
            values[l] = word;
        } else {
            std::memcpy(&values[l], &value, 8);
        }
    }
    return values;
}

std::uint64_t halfSums(Type type, std::uint64_t old, std::uint64_t value)
{
    const auto one = [&](int shift) {
        return toHalf(halfValue(old >> shift & 0xffff, false) + halfValue(value >> shift & 0xffff, false),
                      false)
               << shift;
    };
    return type == Type::F16 ? one(0) : one(0) | one(16);
}

void atomicCase(CaseWriter& w, const OpcodeForm& form, const std::string& shared)
{
    const int bytes = ptx::bytesOf(form.type);
    const char letter = registerClass(form.type);
    const LaneValues old = atomicValues(form.type, 0), c = atomicValues(form.type, 2);
    LaneValues b = atomicValues(form.type, 1);
    if (form.atom == ptx::AtomOp::Cas) {
        for (std::size_t l = 0; l < lanes; l += 2)
            b[l] = old[l]; // every other one succeeds
    }
    LaneValues after{};
    for (std::size_t l = 0; l < lanes; ++l)
        after[l] = form.type >= Type::F16 ? halfSums(form.type, old[l], b[l])
                                          : referenceAtomic(form.atom, form.type, old[l], b[l], c[l]);
    const std::string plain = fmt::format("b{}", 8 * bytes);
    const std::string first = w.load(letter, old), second = w.load(letter, b);
    const std::string operands =
        form.atom == ptx::AtomOp::Cas ? fmt::format("{}, {}", second, w.load(letter, c)) : second;
    const bool inShared = form.space == Space::Shared;
    const std::string address = inShared ? shared : w.place(form.text, after);
    const char* const space = inShared ? "shared" : "global";
    w.line(fmt::format("st.{}.{} [{}], {};", space, plain, address, first));
    if (form.op == Op::Atom) {
        const std::string result = w.reg(letter);
        w.line(fmt::format("{} {}, [{}], {};", form.text, result, address, operands));
        w.check(form.text, letter, result, old);
    } else {
        w.line(fmt::format("{} [{}], {};", form.text, address, operands));
    }
    if (inShared) {
        const std::string result = w.reg(letter);
        w.line(fmt::format("ld.shared.{} {}, [{}];", plain, result, address));
        w.check(form.text, letter, result, after);
    }
}

void addressCases(CaseList& list)
{
    // A value reached through the generic address of its variable, and the way back.
    const LaneValues values = operandValues(Type::B32, 4);
    LaneValues zero{};
    for (const Space space : {Space::Shared, Space::Local, Space::Global, Space::Const}) {
        CaseWriter& w = list.writer("addresses " + spaceName(space));
        std::map<const void*, std::string> known;
        Block block;
        block.low = values;
        const std::string address = prepared(w, space, block, known), generic = w.reg('l'), back = w.reg('l'),
                          loaded = w.reg('r'), difference = w.reg('l');
        const std::string name = spaceName(space);
        w.line(fmt::format("cvta.{}.u64 {}, {};", name, generic, address));
        w.line(fmt::format("ld.u32 {}, [{}];", loaded, generic));
        w.check(fmt::format("cvta.{}.u64", name), 'r', loaded, values);
        w.line(fmt::format("cvta.to.{}.u64 {}, {};", name, back, generic));
        w.line(fmt::format("sub.s64 {}, {}, {};", difference, back, address));
        w.check(fmt::format("cvta.to.{}.u64", name), 'l', difference, zero);
        for (const Space asked : {Space::Shared, Space::Local, Space::Global, Space::Const}) {
            // Whether constants count as global memory is left open.
            if ((space == Space::Const) != (asked == Space::Const) &&
                (space == Space::Global || asked == Space::Global))
                continue;
            LaneValues expected{};
            expected.fill(space == asked ? 1 : 0);
            const std::string inside = w.reg('p');
            w.line(fmt::format("isspacep.{} {}, {};", spaceName(asked), inside, generic));
            w.check("isspacep." + spaceName(asked), 'p', inside, expected);
        }
    }
}

} // namespace

void memoryCases(std::vector<OpcodeCase>& into)
{
    CaseList list(into);
    std::map<const void*, std::string> loads[8], stores, locals, atomics;
    int number = 0;
    const Block block;
    for (const OpcodeForm& form : ptx::allOpcodes()) {
        if (form.op == Op::Ld && form.space == Space::Param) {
            parameterLoad(list.writer("ld.param", 24), form, block, number++);
        } else if (form.op == Op::Ld) {
            // Generic addresses have a module of their own: an address belongs to a module and a space.
            CaseWriter& w =
                list.writer(form.space == Space::Generic ? "ld generic" : "ld " + spaceName(form.space), 64);
            const std::string address =
                prepared(w, form.space, block, loads[static_cast<std::size_t>(form.space)]);
            loadElements(w, form, address, block);
        } else if (form.op == Op::St) {
            const bool shared = form.space == Space::Shared, local = form.space == Space::Local;
            CaseWriter& w = list.writer(shared                       ? "st shared"
                                        : local                      ? "st local"
                                        : form.space == Space::Param ? "st.param"
                                                                     : "st global",
                                        form.space == Space::Param ? 24 : 48);
            std::string inner;
            if (shared || local)
                inner = prepared(w, form.space, block, shared ? stores : locals);
            storeCase(w, form, inner, number++);
        } else if (form.op == Op::Atom || form.op == Op::Red) {
            const bool shared = form.space == Space::Shared;
            CaseWriter& w = list.writer(shared ? "atomics shared" : "atomics global", 96);
            std::string inner;
            if (shared)
                inner = prepared(w, Space::Shared, block, atomics);
            atomicCase(w, form, inner);
        }
    }
    addressCases(list);
    list.flush();
}

} // namespace sparserl::testing
