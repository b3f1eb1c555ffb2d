// SPDX-License-Identifier: Apache-2.0
#include "device/testing/opcode_cases.h"

#include "device/testing/case_writer.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace sparserl {

namespace testing {

char registerClass(ptx::Type type)
{
    if (type == ptx::Type::Pred)
        return 'p';
    switch (ptx::bytesOf(type)) {
    case 8:
        return ptx::isFloat(type) ? 'd' : 'l';
    case 4:
        return ptx::isFloat(type) ? 'f' : 'r';
    default:
        return 'h';
    }
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

CaseWriter::CaseWriter(std::string name, std::int64_t threads)
    : m_threads(threads)
{
    m_case.name = std::move(name);
    m_case.threads = threads;
}

std::string CaseWriter::reg(char letter)
{
    return fmt::format("%{}{}", letter, m_registers[letter]++);
}

std::string CaseWriter::load(char letter, const LaneValues& values)
{
    const std::size_t at = m_case.input.size() * 8;
    for (std::int64_t t = 0; t < m_threads; ++t)
        m_case.input.push_back(values[static_cast<std::size_t>(t % lanes)]);
    std::string result = reg(letter);
    if (letter == 'r') {
        // Not the low word of 64 bits: ptxas 13.0 then takes the upper half of the operand of a shared f16x2
        // atomic from the high word.
        line(fmt::format("ld.global.b32 {}, [{}+{}];", result, input, at));
        return result;
    }
    const std::string whole = reg('l');
    line(fmt::format("ld.global.b64 {}, [{}+{}];", whole, input, at));
    switch (letter) {
    case 'h':
        line(fmt::format("cvt.u16.u64 {}, {};", result, whole));
        break;
    case 'f': {
        const std::string word = reg('r');
        line(fmt::format("cvt.u32.u64 {}, {};", word, whole));
        line(fmt::format("mov.b32 {}, {};", result, word));
        break;
    }
    case 'p':
        line(fmt::format("setp.ne.s64 {}, {}, 0;", result, whole));
        break;
    default:
        line(fmt::format("mov.b64 {}, {};", result, whole));
        break;
    }
    return result;
}

void CaseWriter::check(const std::string& form, char letter, const std::string& value,
                       const LaneValues& expected, OpcodeCompare compare, double tolerance)
{
    const std::string whole = reg('l');
    switch (letter) {
    case 'h':
        line(fmt::format("cvt.u64.u16 {}, {};", whole, value));
        break;
    case 'r':
        line(fmt::format("cvt.u64.u32 {}, {};", whole, value));
        break;
    case 'f': {
        const std::string word = reg('r');
        line(fmt::format("mov.b32 {}, {};", word, value));
        line(fmt::format("cvt.u64.u32 {}, {};", whole, word));
        break;
    }
    case 'p':
        line(fmt::format("selp.b64 {}, 1, 0, {};", whole, value));
        break;
    default:
        line(fmt::format("mov.b64 {}, {};", whole, value));
        break;
    }
    line(fmt::format("st.global.b64 [{}], {};", place(form, expected, compare), whole));
    m_case.checks.back().tolerance = tolerance;
}

std::string CaseWriter::place(const std::string& form, const LaneValues& expected, OpcodeCompare compare)
{
    OpcodeCheck check;
    check.form = form;
    check.offset = m_case.outputBytes;
    for (std::int64_t t = 0; t < m_threads; ++t)
        check.expected.push_back(expected[static_cast<std::size_t>(t % lanes)]);
    check.compare = compare;
    m_case.outputBytes += 8 * static_cast<std::size_t>(m_threads);
    std::string address = reg('l');
    line(fmt::format("add.s64 {}, {}, {};", address, output, check.offset));
    m_case.checks.push_back(std::move(check));
    return address;
}

std::string CaseWriter::place16(const std::string& form, const LaneValues& low, const LaneValues& high)
{
    m_case.outputBytes = (m_case.outputBytes + 15) / 16 * 16;
    OpcodeCheck check;
    check.form = form;
    check.offset = m_case.outputBytes;
    for (std::size_t l = 0; l < lanes; ++l) {
        check.expected.push_back(low[l]);
        check.expected.push_back(high[l]);
    }
    m_case.outputBytes += 16 * lanes;
    std::string address = reg('l');
    // `output` has 8 bytes a thread added already.
    line(fmt::format("mad.wide.u32 {}, {}, 8, {};", address, lane, output));
    line(fmt::format("add.s64 {}, {}, {};", address, address, check.offset));
    m_case.checks.push_back(std::move(check));
    return address;
}

OpcodeCase CaseWriter::finish()
{
    std::string text = ".version 9.0\n.target sm_80\n.address_size 64\n" + m_module +
                       ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + m_head;
    for (const auto& [letter, count] : m_registers)
        text += fmt::format("    .reg .{} %{}<{}>;\n", registerType(letter), letter, count);
    text += "    .reg .b64 %in, %out, %step;\n    .reg .b32 %thread, %lane;\n"
            "    ld.param.u64 %in, [in];\n    ld.param.u64 %out, [out];\n"
            "    cvta.to.global.u64 %in, %in;\n    cvta.to.global.u64 %out, %out;\n"
            "    mov.u32 %thread, %tid.x;\n    and.b32 %lane, %thread, 31;\n"
            "    mul.wide.u32 %step, %thread, 8;\n    add.s64 %in, %in, %step;\n    add.s64 %out, %out, "
            "%step;\n";
    m_case.ptx = text + m_body + "    ret;\n}\n";
    if (m_case.input.empty())
        m_case.input.assign(static_cast<std::size_t>(m_threads), 0);
    return std::move(m_case);
}

CaseWriter& CaseList::writer(const std::string& group, std::size_t limit)
{
    auto found = m_open.find(group);
    if (found != m_open.end() && found->second.size() >= limit) {
        m_into.push_back(found->second.finish());
        m_open.erase(found);
        found = m_open.end();
    }
    if (found == m_open.end())
        found = m_open.emplace(group, CaseWriter(fmt::format("{} {}", group, ++m_count[group]))).first;
    return found->second;
}

void CaseList::flush()
{
    for (auto& [group, writer] : m_open)
        m_into.push_back(writer.finish());
    m_open.clear();
}

namespace {

constexpr std::uint64_t words[lanes] = {
    0,          1,          2,          3,          7,          31,         32,         63,
    100,        127,        128,        255,        256,        0x7fff,     0x8000,     0xffff,
    0x10000,    0x12345678, 0x55555555, 0xaaaaaaaa, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
    0xcafe1234, 0xfffffff0, 0xfffffffe, 0xffffffff, 0x00ff00ff, 1000003,    0xdeadbeef, 0x01010101};
constexpr std::uint64_t longs[lanes] = {0,
                                        1,
                                        2,
                                        3,
                                        0xffffffff,
                                        0x100000000,
                                        0x100000001,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        0x8000000000000001,
                                        0xffffffffffffffff,
                                        0xfffffffffffffffe,
                                        0x5555555555555555,
                                        0xaaaaaaaaaaaaaaaa,
                                        0x123456789abcdef0,
                                        0xfedcba9876543210,
                                        1000000007,
                                        0xffffffff00000000,
                                        0x00000000ffff0000,
                                        255,
                                        0x8000,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff80000000,
                                        0x00ff00ff00ff00ff,
                                        64,
                                        63,
                                        32,
                                        31,
                                        0xdeadbeefcafebabe,
                                        10,
                                        1234567890123456789};
const float floats[lanes] = {0.0f,       -0.0f,         1.0f,           -1.0f,         1.5f,
                             -2.5f,      0.5f,          -0.5f,          2.5f,          3.5f,
                             0.1f,       -0.3f,         255.5f,         -128.5f,       65535.0f,
                             -32769.0f,  2147483648.0f, -2147483648.0f, 4294967296.0f, 1e10f,
                             9.3e18f,    -1e19f,        1.8446744e19f,  3.4028235e38f, 1.17549435e-38f,
                             1e-40f,     -1.4e-45f,     INFINITY,       -INFINITY,     NAN,
                             1.0000001f, -16777217.0f};

} // namespace

LaneValues operandValues(ptx::Type type, int turn)
{
    // Each operand walks the list with its own odd step, so pairs meet in many combinations.
    constexpr int steps[] = {1, 5, 11, 19, 27};
    LaneValues values{};
    for (int l = 0; l < lanes; ++l) {
        const auto i = static_cast<std::size_t>((l * steps[turn % 5] + 7 * turn) % lanes);
        auto& value = values[static_cast<std::size_t>(l)];
        if (type == ptx::Type::F64)
            value = std::bit_cast<std::uint64_t>(static_cast<double>(floats[i]));
        else if (type == ptx::Type::F32)
            value = std::bit_cast<std::uint32_t>(floats[i]);
        else if (ptx::bytesOf(type) == 8)
            value = longs[i];
        else
            value = ptx::bytesOf(type) == 4 ? words[i] : (words[i] ^ words[i] >> 16) & 0xffff;
    }
    return values;
}

LaneValues predicateValues(int turn)
{
    LaneValues values{};
    for (int l = 0; l < lanes; ++l)
        values[static_cast<std::size_t>(l)] = static_cast<std::uint64_t>(((l * 13 + turn) >> 2) & 1);
    return values;
}

LaneValues shiftValues(int turn)
{
    constexpr std::uint64_t shifts[] = {0,  1,  2,  5,  8,  15,  16,  17, 24, 31, 32,
                                        33, 40, 63, 64, 65, 128, 255, 7,  9,  13, 3};
    LaneValues values{};
    for (int l = 0; l < lanes; ++l)
        values[static_cast<std::size_t>(l)] =
            shifts[static_cast<std::size_t>(l * 3 + turn * 5) % std::size(shifts)];
    return values;
}

LaneValues tameFloats(bool wide, int turn)
{
    const float tame[] = {1.0f,   2.0f, 0.5f,   3.25f, -1.5f,    0.001f, 100.0f, 0.0f,
                          -0.75f, 3.0f, 0.333f, 1.7f,  9.0f,     -2.25f, 0.01f,  1.000001f,
                          5.5f,   7.0f, 0.2f,   -3.0f, INFINITY, NAN};
    LaneValues values{};
    for (int l = 0; l < lanes; ++l) {
        const float value = tame[static_cast<std::size_t>(l + turn * 7) % std::size(tame)];
        values[static_cast<std::size_t>(l)] = wide ? std::bit_cast<std::uint64_t>(static_cast<double>(value))
                                                   : std::bit_cast<std::uint32_t>(value);
    }
    return values;
}

} // namespace testing

std::vector<OpcodeCase> opcodeCases()
{
    std::vector<OpcodeCase> cases;
    testing::registerCases(cases);
    testing::memoryCases(cases);
    testing::halfCases(cases);
    testing::matrixCases(cases);
    testing::warpCases(cases);
    testing::controlCases(cases);
    return cases;
}

namespace {

bool equal(const OpcodeCheck& check, std::uint64_t found, std::uint64_t expected)
{
    if (found == expected)
        return true;
    const auto near = [&](double a, double b) {
        return (std::isnan(a) && std::isnan(b)) || a == b ||
               std::abs(a - b) <= check.tolerance * std::max(1.0, std::abs(b));
    };
    const auto narrow = [](std::uint64_t v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v)); };
    const auto wide = [](std::uint64_t v) { return std::bit_cast<double>(v); };
    switch (check.compare) {
    case OpcodeCompare::Float32:
        return std::isnan(narrow(found)) && std::isnan(narrow(expected));
    case OpcodeCompare::Float64:
        return std::isnan(wide(found)) && std::isnan(wide(expected));
    case OpcodeCompare::Float16: {
        const auto isNan = [](std::uint64_t v) { return v <= 0xffff && (v & 0x7fff) > 0x7c00; };
        return isNan(found) && isNan(expected);
    }
    case OpcodeCompare::Near32:
        return near(narrow(found), narrow(expected));
    case OpcodeCompare::Near64:
        return near(wide(found), wide(expected));
    default:
        return false;
    }
}

} // namespace

std::string firstDifference(const OpcodeCase& one, std::span<const std::byte> output)
{
    for (const OpcodeCheck& check : one.checks) {
        for (std::size_t i = 0; i < check.expected.size(); ++i) {
            std::uint64_t found = 0;
            if (check.offset + 8 * i + 8 > output.size())
                return fmt::format("{}: the output of '{}' ends early", one.name, check.form);
            std::memcpy(&found, output.data() + check.offset + 8 * i, 8);
            if (!equal(check, found, check.expected[i]))
                return fmt::format("{}: '{}', result {}: 0x{:x}, expected 0x{:x}", one.name, check.form, i,
                                   found, check.expected[i]);
        }
    }
    return {};
}

} // namespace sparserl
