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
    /// `carry`: location of the carry flags.
    Emitter(KernelCode& out, std::uint32_t carry)
        : m_out(out)
        , m_registers{{carry, 0}}
    {
    }

    /// Registers a new register at `offset` and returns its number for reads() and writes(). `bytes`: per
    /// lane; 0: a predicate.
    std::uint32_t addRegister(std::uint32_t offset, std::uint8_t bytes)
    {
        m_registers.push_back({offset, bytes});
        return static_cast<std::uint32_t>(m_registers.size()) - 1;
    }
    /// Appends an instruction with the line and the form of a program's instruction.
    Insn& emit(const ptx::Instruction& instruction);
    /// Appends implicit copies between registers of different sizes.
    void emitResize(const ptx::Instruction& instruction, std::uint32_t to, std::uint32_t from,
                    ptx::Type toType, ptx::Type fromType);
    /// Appends the end of the entry's code.
    void emitEnd();

    /// `number`: 0 means no register.
    void reads(Insn& insn, std::uint32_t number);
    void writes(Insn& insn, std::uint32_t number);
    /// The predicate that guards an instruction.
    void readsGuard(Insn& insn, std::uint32_t number);
    void readsCarry(const Insn& insn) { use(insn, 0, false); }
    void writesCarry(const Insn& insn) { use(insn, 0, true); }

    Insn& last() { return m_out.code.back(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(m_out.code.size()); }
    /// Call after all code: computes the registers that each instruction reads and writes, and registers read
    /// before any write.
    void finish();

private:
    RegisterOperands operands() const;
    void use(const Insn& insn, std::uint32_t number, bool write)
    {
        m_uses.push_back({static_cast<std::uint32_t>(&insn - m_out.code.data()), number, write});
    }

    KernelCode& m_out;
    std::unordered_map<int, std::uint32_t> m_lineIndex;
    std::vector<KernelCode::Unwritten> m_registers; ///< By number; [0] is the carry.
    std::vector<RegisterUse> m_uses;
};

/// Sets the functions of an operation on lanes; false if there are none.
bool setLaneFunctions(Insn& insn, const LaneFns& functions);
/// The lookup key of lane functions.
LaneKey laneKeyOf(const ptx::OpcodeForm& form);

} // namespace sparserl::sim
