// SPDX-License-Identifier: Apache-2.0
// Inside core/device/testing only.
#pragma once

#include "device/testing/opcode_cases.h"
#include "ptx/op.h"
#include "ptx/opcodes.h"

#include <array>
#include <functional>
#include <map>

namespace sparserl::testing {

constexpr int lanes = 32;
using LaneValues = std::array<std::uint64_t, lanes>;

/// Register class of a type: h 16 bits, r 32, f f32, l 64, d f64, p predicate.
char registerClass(ptx::Type type);
const char* registerType(char registerClass);

/// Builds one module; numbers registers, inputs and outputs on demand.
class CaseWriter
{
public:
    CaseWriter(std::string name, std::int64_t threads = lanes);

    /// A new register of a class.
    std::string reg(char registerClass);
    /// A register with `values` (bits), loaded from the input.
    std::string load(char registerClass, const LaneValues& values);
    /// Stores the bits of a register, widened to 64, as a result of a form.
    void check(const std::string& form, char registerClass, const std::string& reg,
               const LaneValues& expected, OpcodeCompare compare = OpcodeCompare::Bits, double tolerance = 0);
    /// A register with the global address of 8 bytes per lane in the output, whose contents are checked.
    std::string place(const std::string& form, const LaneValues& expected,
                      OpcodeCompare compare = OpcodeCompare::Bits);
    /// The same for 16 bytes: `expected` are the low and the high 8 bytes.
    std::string place16(const std::string& form, const LaneValues& low, const LaneValues& high);
    /// Adds a line to the body, to the kernel's declarations, or before the kernel.
    void line(const std::string& text) { m_body += "    " + text + "\n"; }
    void declare(const std::string& text) { m_head += "    " + text + "\n"; }
    void module(const std::string& text) { m_module += text + "\n"; }
    std::string label() { return "L" + std::to_string(m_labels++); }
    std::size_t size() const { return m_case.checks.size(); }
    /// Registers of every kernel: thread number (b32), lane (b32), addresses of input and output (b64) with 8
    /// bytes per thread added.
    static constexpr const char *thread = "%thread", *lane = "%lane", *input = "%in", *output = "%out";
    OpcodeCase finish();
    OpcodeCase& state() { return m_case; }

private:
    OpcodeCase m_case;
    std::string m_head, m_body, m_module;
    std::map<char, int> m_registers;
    int m_labels = 0;
    std::int64_t m_threads;
};

/// Collects cases of at most `limit` checks each.
class CaseList
{
public:
    explicit CaseList(std::vector<OpcodeCase>& into)
        : m_into(into)
    {
    }
    /// A writer with free capacity; `group` names it.
    CaseWriter& writer(const std::string& group, std::size_t limit = 48);
    void flush();

private:
    std::vector<OpcodeCase>& m_into;
    std::map<std::string, CaseWriter> m_open;
    std::map<std::string, int> m_count;
};

/// Hand-picked values of a register class (bits); `turn` selects an order for each operand.
LaneValues operandValues(ptx::Type type, int turn);
LaneValues predicateValues(int turn);
LaneValues shiftValues(int turn);
LaneValues tameFloats(bool wide, int turn); ///< For approximations: no subnormal or huge numbers.

void registerCases(std::vector<OpcodeCase>& into);
void memoryCases(std::vector<OpcodeCase>& into);
void halfCases(std::vector<OpcodeCase>& into);
void matrixCases(std::vector<OpcodeCase>& into);
void warpCases(std::vector<OpcodeCase>& into);
void controlCases(std::vector<OpcodeCase>& into);

} // namespace sparserl::testing
