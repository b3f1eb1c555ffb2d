// SPDX-License-Identifier: Apache-2.0
// For core/device/testing only.
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

/// Returns the register class of a type: h for 16 bits, r for 32, f for f32, l for 64, d for f64, p for
/// predicates.
char registerClass(ptx::Type type);
const char* registerType(char registerClass);

/// Builds one module, and assigns numbers to registers, inputs and outputs as they are requested.
class CaseWriter
{
public:
    CaseWriter(std::string name, std::int64_t threads = lanes);

    /// Returns the name of a new register of a class.
    std::string reg(char registerClass);
    /// Returns the name of a register that is loaded from the input. `values` are the bits for each lane.
    std::string load(char registerClass, const LaneValues& values);
    /// Stores the bits of register `reg`, widened to 64 bits, as a result of the form, and expects
    /// `expected`.
    void check(const std::string& form, char registerClass, const std::string& reg,
               const LaneValues& expected, OpcodeCompare compare = OpcodeCompare::Bits, double tolerance = 0);
    /// Returns the name of a register with the address of 8 bytes per lane in the output, in global memory.
    /// The case checks that these bytes become `expected`.
    std::string place(const std::string& form, const LaneValues& expected,
                      OpcodeCompare compare = OpcodeCompare::Bits);
    /// Like place(), but for 16 bytes: `low` and `high` are the expected halves.
    std::string place16(const std::string& form, const LaneValues& low, const LaneValues& high);
    /// Adds a line to the kernel's body. declare() adds it to the declarations, module() before the kernel.
    void line(const std::string& text) { m_body += "    " + text + "\n"; }
    void declare(const std::string& text) { m_head += "    " + text + "\n"; }
    void module(const std::string& text) { m_module += text + "\n"; }
    std::string label() { return "L" + std::to_string(m_labels++); }
    std::size_t size() const { return m_case.checks.size(); }
    /// Registers that every kernel has: thread number (b32), lane number (b32), and the addresses of the
    /// thread's first 8 bytes in the input and in the output (b64).
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

/// Collects cases with at most `limit` checks each.
class CaseList
{
public:
    explicit CaseList(std::vector<OpcodeCase>& into)
        : m_into(into)
    {
    }
    /// Returns a writer that has room for another check. `group` begins the name of its case.
    CaseWriter& writer(const std::string& group, std::size_t limit = 48);
    void flush();

private:
    std::vector<OpcodeCase>& m_into;
    std::map<std::string, CaseWriter> m_open;
    std::map<std::string, int> m_count;
};

/// Returns hand-picked values (bits) for an operand of this type. `turn` selects their
/// order; it should differ for each operand of an instruction.
LaneValues operandValues(ptx::Type type, int turn);
LaneValues predicateValues(int turn);
LaneValues shiftValues(int turn);
LaneValues tameFloats(bool wide,
                      int turn); ///< Returns values for approximations, without subnormal or huge numbers.

void registerCases(std::vector<OpcodeCase>& into);
void memoryCases(std::vector<OpcodeCase>& into);
void halfCases(std::vector<OpcodeCase>& into);
void matrixCases(std::vector<OpcodeCase>& into);
void warpCases(std::vector<OpcodeCase>& into);
void controlCases(std::vector<OpcodeCase>& into);

} // namespace sparserl::testing
