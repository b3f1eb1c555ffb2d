// SPDX-License-Identifier: Apache-2.0
#include "device/testing/case_writer.h"
#include "device/testing/reference.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::testing {

namespace {

using ptx::Op;
using ptx::OpcodeForm;
using ptx::Type;

template <class F>
LaneValues mapped(F f)
{
    LaneValues values{};
    for (std::size_t l = 0; l < lanes; ++l)
        values[l] = f(l);
    return values;
}

OpcodeCompare compareOf(Type type)
{
    return type == Type::F32   ? OpcodeCompare::Float32
           : type == Type::F64 ? OpcodeCompare::Float64
                               : OpcodeCompare::Bits;
}

/// Tolerances of the PTX manual, with room.
double toleranceOf(const OpcodeForm& form)
{
    switch (form.op) {
    case Op::DivApprox:
    case Op::DivFull:
    case Op::RcpApprox:
    case Op::SqrtApprox:
    case Op::RsqrtApprox:
    case Op::Ex2:
    case Op::Lg2:
    case Op::Sin:
    case Op::Cos:
        return 2e-6;
    case Op::Tanh:
        return 1e-3;
    default:
        return 0;
    }
}

/// Operands by the shape of the operation: letters as in ptx/check.cpp.
struct Shape
{
    int sources = 2; ///< Of the type of the operation.
    Type destination = Type::None;
    std::vector<Type> types; ///< Instead, where they differ.
};

Shape shapeOf(const OpcodeForm& form)
{
    const Type type = form.type;
    const auto widened = [&] { return ptx::bytesOf(type) == 2 ? Type::B32 : Type::B64; };
    switch (form.op) {
    case Op::MulWide:
        return {0, widened(), {type, type}};
    case Op::MadWide:
        return {0, widened(), {type, type, widened()}};
    case Op::Mad:
    case Op::MadHi:
    case Op::Fma:
    case Op::Prmt:
    case Op::Sad:
    case Op::Dp4a:
    case Op::Dp2aLo:
    case Op::Dp2aHi:
    case Op::AbsDiff4:
    case Op::AbsDiff2:
    case Op::Lop3:
    case Op::ShfLeftWrap:
    case Op::ShfLeftClamp:
    case Op::ShfRightWrap:
    case Op::ShfRightClamp:
        return {3, type, {}};
    case Op::Abs:
    case Op::Neg:
    case Op::Not:
    case Op::Brev:
    case Op::Rcp:
    case Op::RcpApprox:
    case Op::Sqrt:
    case Op::SqrtApprox:
    case Op::RsqrtApprox:
    case Op::Ex2:
    case Op::Lg2:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Mov:
        return {1, type, {}};
    case Op::Shl:
    case Op::Shr:
        return {0, type, {type, Type::B32}};
    case Op::Bfe:
        return {0, type, {type, Type::B32, Type::B32}};
    case Op::Bfi:
        return {0, type, {type, type, Type::B32, Type::B32}};
    case Op::Bfind:
    case Op::BfindShift:
    case Op::Popc:
    case Op::Clz:
        return {1, Type::B32, {}};
    case Op::Selp:
        return {0, type, {type, type, Type::Pred}};
    case Op::Testp:
        return {1, Type::Pred, {}};
    default:
        return {2, type, {}};
    }
}

void plainCase(CaseWriter& w, const OpcodeForm& form)
{
    const Shape shape = shapeOf(form);
    std::vector<Type> types = shape.types;
    types.resize(types.empty() ? static_cast<std::size_t>(shape.sources) : types.size(), form.type);
    const double tolerance = toleranceOf(form);
    std::vector<LaneValues> values;
    std::string operands;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const int turn = static_cast<int>(i);
        LaneValues one = types[i] == Type::Pred ? predicateValues(turn)
                         : tolerance > 0        ? tameFloats(form.type == Type::F64, turn)
                                                : operandValues(types[i], turn);
        const bool amount = ((form.op == Op::Shl || form.op == Op::Shr) && i == 1) ||
                            (form.op == Op::Bfe && i >= 1) || (form.op == Op::Bfi && i >= 2) ||
                            (form.op >= Op::ShfLeftWrap && form.op <= Op::ShfRightClamp && i == 2);
        if (amount)
            one = shiftValues(turn);
        if (form.op == Op::Sin || form.op == Op::Cos) {
            for (auto& value : one) { // elsewhere the hardware's range reduction is coarse
                const float angle = std::bit_cast<float>(static_cast<std::uint32_t>(value));
                if (!(std::abs(angle) < 3.2f))
                    value = std::bit_cast<std::uint32_t>(0.8f);
            }
        }
        if ((form.op == Op::Div || form.op == Op::Rem) && i == 1 && !ptx::isFloat(form.type)) {
            for (auto& value : one) { // PTX leaves division by zero open; also the quotient that overflows
                if (value == 0 || (ptx::isSigned(form.type) &&
                                   value == (~std::uint64_t(0) >> (64 - 8 * ptx::bytesOf(form.type)))))
                    value = 3;
            }
        }
        values.push_back(one);
        operands += ", " + w.load(registerClass(types[i]), one);
    }
    const auto source = [&](std::size_t i, std::size_t lane) {
        return i < values.size() ? values[i][lane] : 0;
    };
    for (const int table : form.op == Op::Lop3 ? std::vector<int>{0xe8, 0x96, 0x1b} : std::vector<int>{0}) {
        const LaneValues expected = mapped([&](std::size_t l) {
            return reference(form, source(0, l), source(1, l), source(2, l),
                             form.op == Op::Lop3 ? static_cast<std::uint64_t>(table) : source(3, l));
        });
        const char letter = registerClass(shape.destination);
        const std::string result = w.reg(letter);
        w.line(fmt::format("{} {}{}{};", form.text, result, operands,
                           form.op == Op::Lop3 ? fmt::format(", {}", table) : std::string()));
        const OpcodeCompare compare = tolerance == 0  ? compareOf(shape.destination)
                                      : letter == 'd' ? OpcodeCompare::Near64
                                                      : OpcodeCompare::Near32;
        w.check(form.text, letter, result, expected, compare, tolerance);
    }
}

void carryCase(CaseWriter& w, const OpcodeForm& form)
{
    const char letter = registerClass(form.type);
    const bool wide = letter == 'l';
    const std::string suffix = wide ? "u64" : "u32";
    const bool reads =
        form.op == Op::AddC || form.op == Op::AddCCC || form.op == Op::SubC || form.op == Op::SubCCC;
    const bool writes = form.op != Op::AddC && form.op != Op::SubC;
    const bool subtracts = form.op == Op::SubCC || form.op == Op::SubC || form.op == Op::SubCCC;
    const LaneValues a = operandValues(form.type, 0), b = operandValues(form.type, 1), c = predicateValues(3);
    const std::string x = w.load(letter, a), y = w.load(letter, b), flag = w.load(letter, c);
    // The flag: 1 + all ones carries; 0 - 1 borrows.
    if (reads)
        w.line(subtracts ? fmt::format("sub.cc.{} {}, 0, {};", suffix, w.reg(letter), flag)
                         : fmt::format("add.cc.{} {}, -1, {};", suffix, w.reg(letter), flag));
    const std::string result = w.reg(letter), after = w.reg(letter);
    w.line(fmt::format("{} {}, {}, {};", form.text, result, x, y));
    if (writes)
        w.line(fmt::format("{}.{} {}, 0, 0;", subtracts ? "subc" : "addc", suffix, after));
    const auto carried = [&](std::size_t l) { return reads ? c[l] : 0; };
    w.check(form.text, letter, result,
            mapped([&](std::size_t l) { return reference(form, a[l], b[l], carried(l)); }));
    if (writes) {
        w.check(form.text, letter, after, mapped([&](std::size_t l) -> std::uint64_t {
                    const std::uint64_t right = b[l] + carried(l),
                                        top = wide ? ~std::uint64_t(0) : 0xffffffffu;
                    const bool wraps = carried(l) && b[l] == top; // the right side alone is 2^bits
                    if (!subtracts)
                        return wraps || right > top - a[l];
                    return wraps || a[l] < right ? top : 0; // 0 - 0 - borrow
                }));
    }
}

/// mad and madc with the carry flag: half of a product, plus a third source.
void productCarryCase(CaseWriter& w, const OpcodeForm& form)
{
    const char letter = registerClass(form.type);
    const bool wide = letter == 'l', reads = form.text.starts_with("madc."),
               writes = form.text.find(".cc.") != std::string::npos;
    const std::string suffix = wide ? "u64" : "u32";
    const LaneValues a = operandValues(form.type, 0), b = operandValues(form.type, 1),
                     c = operandValues(form.type, 2), flags = predicateValues(3);
    const std::string x = w.load(letter, a), y = w.load(letter, b), z = w.load(letter, c),
                      flag = w.load(letter, flags), result = w.reg(letter), after = w.reg(letter);
    if (reads) // 1 + all ones carries
        w.line(fmt::format("add.cc.{} {}, -1, {};", suffix, w.reg(letter), flag));
    w.line(fmt::format("{} {}, {}, {}, {};", form.text, result, x, y, z));
    if (writes)
        w.line(fmt::format("addc.{} {}, 0, 0;", suffix, after));
    const auto carried = [&](std::size_t l) { return reads ? flags[l] : 0; };
    w.check(form.text, letter, result,
            mapped([&](std::size_t l) { return reference(form, a[l], b[l], c[l], carried(l)); }));
    if (!writes)
        return;
    w.check(form.text, letter, after, mapped([&](std::size_t l) -> std::uint64_t {
                const std::uint64_t top = wide ? ~std::uint64_t(0) : 0xffffffffu;
                const std::uint64_t half = reference(form, a[l], b[l], 0, 0), room = top - half;
                return c[l] > room || (c[l] == room && carried(l)) ? 1 : 0;
            }));
}

void compareCase(CaseWriter& w, const OpcodeForm& form)
{
    const Type type = form.source;
    const LaneValues a = operandValues(type, 0), b = operandValues(type, 1), c = predicateValues(1);
    const std::string x = w.load(registerClass(type), a), y = w.load(registerClass(type), b);
    const auto joined = [&](bool value, std::size_t l) {
        switch (form.boolOp) {
        case ptx::BoolOp::And:
            return value && c[l] != 0;
        case ptx::BoolOp::Or:
            return value || c[l] != 0;
        case ptx::BoolOp::Xor:
            return value != (c[l] != 0);
        default:
            return value;
        }
    };
    if (form.op == Op::Set) {
        const char letter = registerClass(form.type);
        const std::string result = w.reg(letter);
        w.line(fmt::format("{} {}, {}, {};", form.text, result, x, y));
        w.check(form.text, letter, result, mapped([&](std::size_t l) -> std::uint64_t {
                    const bool value = referenceCompare(form, a[l], b[l]);
                    return !value ? 0 : form.type == Type::F32 ? 0x3f800000 : 0xffffffff;
                }));
        return;
    }
    const std::string p = w.reg('p'), q = w.reg('p');
    w.line(form.boolOp == ptx::BoolOp::None
               ? fmt::format("{} {}|{}, {}, {};", form.text, p, q, x, y)
               : fmt::format("{} {}|{}, {}, {}, {};", form.text, p, q, x, y, w.load('p', c)));
    w.check(form.text, 'p', p, mapped([&](std::size_t l) -> std::uint64_t {
                return joined(referenceCompare(form, a[l], b[l]), l);
            }));
    w.check(form.text, 'p', q, mapped([&](std::size_t l) -> std::uint64_t {
                return joined(!referenceCompare(form, a[l], b[l]), l);
            }));
}

/// Masks with few and with many bits, from each position, upwards and downwards.
void countedBitCase(CaseWriter& w, const OpcodeForm& form)
{
    const LaneValues masks = operandValues(Type::B32, 2);
    LaneValues from{}, steps{}, expected{};
    for (std::size_t l = 0; l < lanes; ++l) {
        from[l] = (l * 7) % 32;
        const int step = static_cast<int>(l * 5 % 9) - 4;
        steps[l] = static_cast<std::uint32_t>(step);
        // By the words of the manual: the positions that count, in order.
        std::vector<std::uint64_t> positions;
        for (int at = static_cast<int>(from[l]); at >= 0 && at < 32; at += step < 0 ? -1 : 1)
            if ((masks[l] >> at) & 1)
                positions.push_back(static_cast<std::uint64_t>(at));
        const auto wanted = static_cast<std::size_t>(std::max(std::abs(step), 1) - 1);
        expected[l] = wanted < positions.size() ? positions[wanted] : 0xffffffff;
        if (step == 0)
            expected[l] = (masks[l] >> from[l]) & 1 ? from[l] : 0xffffffff;
    }
    const std::string result = w.reg('r');
    w.line(fmt::format("{} {}, {}, {}, {};", form.text, result, w.load('r', masks), w.load('r', from),
                       w.load('r', steps)));
    w.check(form.text, 'r', result, expected);
}

void conversionCase(CaseWriter& w, const OpcodeForm& form)
{
    for (const int turn : {0, 3}) {
        const LaneValues a = operandValues(form.source, turn);
        const char letter = registerClass(form.type);
        const std::string x = w.load(registerClass(form.source), a), result = w.reg(letter);
        w.line(fmt::format("{} {}, {};", form.text, result, x));
        w.check(form.text, letter, result, mapped([&](std::size_t l) {
                    const std::uint64_t value = referenceConversion(form, a[l]);
                    // Eight bits in a register of sixteen are extended.
                    return form.type == Type::S8 && value & 0x80 ? value | 0xff00 : value;
                }),
                compareOf(form.type));
    }
}

} // namespace

void registerCases(std::vector<OpcodeCase>& into)
{
    CaseList list(into);
    for (const OpcodeForm& form : ptx::allOpcodes()) {
        if (form.type >= Type::F16 || form.source >= Type::F16)
            continue; // cases_halves.cpp
        switch (form.op) {
        case Op::AddCC:
        case Op::AddC:
        case Op::AddCCC:
        case Op::SubCC:
        case Op::SubC:
        case Op::SubCCC:
            carryCase(list.writer("carry"), form);
            break;
        case Op::MadLoCarry:
        case Op::MadHiCarry:
            productCarryCase(list.writer("carry"), form);
            break;
        case Op::Setp:
        case Op::Set:
            compareCase(list.writer("compare"), form);
            break;
        case Op::Fns:
            countedBitCase(list.writer("arithmetic"), form);
            break;
        case Op::Cvt:
            conversionCase(list.writer("convert"), form);
            break;
        case Op::Cvta:
        case Op::CvtaTo:
        case Op::Isspacep:
            break;
        default:
            if (ptx::isByLane(form.action))
                plainCase(list.writer("arithmetic"), form);
            break;
        }
    }
    // mov that packs and unpacks.
    CaseWriter& w = list.writer("arithmetic");
    const LaneValues a = operandValues(Type::B32, 0), b = operandValues(Type::B32, 1);
    const std::string x = w.load('r', a), y = w.load('r', b), whole = w.reg('l'), low = w.reg('r'),
                      high = w.reg('r'), first = w.reg('h'), second = w.reg('h'), joined = w.reg('r');
    w.line(fmt::format("mov.b64 {}, {{{}, {}}};", whole, x, y));
    w.check("mov.b64", 'l', whole, mapped([&](std::size_t l) { return b[l] << 32 | a[l]; }));
    w.line(fmt::format("mov.b64 {{{}, {}}}, {};", low, high, whole));
    w.check("mov.b64", 'r', high, b);
    w.line(fmt::format("mov.b32 {{{}, {}}}, {};", first, second, low));
    w.line(fmt::format("mov.b32 {}, {{{}, {}}};", joined, second, first));
    w.check("mov.b32", 'r', joined,
            mapped([&](std::size_t l) { return (a[l] >> 16) | (a[l] & 0xffff) << 16; }));
    list.flush();
}

} // namespace sparserl::testing
