// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/flow_graph.h"
#include "device/simulator/decode/kernel_code.h"

#include <unordered_map>

namespace sparserl::sim {

/// Appends instructions to a kernel's code and tracks the registers that each reads and writes.
class Emitter
{
public:
    /// `carry` is the location of the carry flags.
    Emitter(KernelCode& out, std::uint32_t carry)
        : m_out(out)
        , m_registers{{carry, 0}}
    {
    }

    /// Adds a register at `offset` and returns its number for reads() and writes(). `bytes` is its size per
    /// lane; 0 means a predicate.
    std::uint32_t addRegister(std::uint32_t offset, std::uint8_t bytes)
    {
        m_registers.push_back({offset, bytes});
        return static_cast<std::uint32_t>(m_registers.size()) - 1;
    }
    /// Appends an instruction with the line and the form of an instruction of the program.
    Insn& emit(const ptx::Instruction& instruction);
    /// Appends the copy that is implied between registers of different sizes.
    void emitResize(const ptx::Instruction& instruction, std::uint32_t to, std::uint32_t from,
                    ptx::Type toType, ptx::Type fromType);
    /// Appends the end of the entry's code.
    void emitEnd();

    /// Notes that an instruction reads or writes a register. 0 means no register.
    void reads(Insn& insn, std::uint32_t number);
    void writes(Insn& insn, std::uint32_t number);
    /// Notes that an instruction reads the predicate that guards it.
    void readsGuard(Insn& insn, std::uint32_t number);
    void readsCarry(const Insn& insn) { use(insn, 0, false); }
    void writesCarry(const Insn& insn) { use(insn, 0, true); }

    Insn& last() { return m_out.code.back(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(m_out.code.size()); }
    /// Computes the registers that each instruction reads and writes, and the registers that are read before
    /// any write. Call it after all code has been appended.
    void finish();

private:
    RegisterOperands operands() const;
    void use(const Insn& insn, std::uint32_t number, bool write)
    {
        m_uses.push_back({static_cast<std::uint32_t>(&insn - m_out.code.data()), number, write});
    }

    KernelCode& m_out;
    std::unordered_map<int, std::uint32_t> m_lineIndex;
    std::vector<KernelCode::Unwritten> m_registers; ///< By number; number 0 is the carry.
    std::vector<RegisterUse> m_uses;
};

/// Sets the functions of an operation on lanes. Returns false if there are no such functions.
bool setLaneFunctions(Insn& insn, const LaneFns& functions);
/// Returns the key under which the functions of a form are found.
LaneKey laneKeyOf(const ptx::OpcodeForm& form);

} // namespace sparserl::sim
