// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/flow_graph.h"
#include "device/simulator/decode/kernel_code.h"

#include <unordered_map>

namespace sparserl::sim {

/// Appends instructions to a kernel's code, and knows which registers each reads and writes.
class Emitter
{
public:
    /// `carry`: where the carry flags are.
    Emitter(KernelCode& out, std::uint32_t carry)
        : m_out(out)
        , m_registers{{carry, 0}}
    {
    }

    /// The number of a new register at `offset`, which readers and writers name. `bytes`: of a lane; 0: a
    /// predicate.
    std::uint32_t addRegister(std::uint32_t offset, std::uint8_t bytes)
    {
        m_registers.push_back({offset, bytes});
        return static_cast<std::uint32_t>(m_registers.size()) - 1;
    }
    /// A new instruction with the line and the form of one of the program.
    Insn& emit(const ptx::Instruction& instruction);
    /// Copies between registers of different sizes that the program does not say.
    void emitResize(const ptx::Instruction& instruction, std::uint32_t to, std::uint32_t from,
                    ptx::Type toType, ptx::Type fromType);
    /// The end of the entry's code.
    void emitEnd();

    /// `number`: 0 is no register.
    void reads(Insn& insn, std::uint32_t number);
    void writes(Insn& insn, std::uint32_t number);
    /// The predicate of an instruction that is executed under one.
    void readsGuard(Insn& insn, std::uint32_t number);
    void readsCarry(const Insn& insn) { use(insn, 0, false); }
    void writesCarry(const Insn& insn) { use(insn, 0, true); }

    Insn& last() { return m_out.code.back(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(m_out.code.size()); }
    /// When all code is there: what each instruction reads and writes, and registers that are read before
    /// anything wrote them.
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

/// Sets the functions of an operation on lanes; false where there is none.
bool setLaneFunctions(Insn& insn, const LaneFns& functions);
/// What lane functions are looked up by.
LaneKey laneKeyOf(const ptx::OpcodeForm& form);

} // namespace sparserl::sim
