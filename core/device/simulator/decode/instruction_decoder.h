// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/emitter.h"
#include "device/simulator/decode/register_layout.h"
#include "device/simulator/decode/variable_layout.h"

namespace sparserl::sim {

/// One inlined call of a function.
struct Frame
{
    const ptx::Function* function = nullptr;
    bool entry = false;
    std::vector<std::uint32_t> slots;     ///< Locations of the registers, by register.
    std::vector<std::uint32_t> numbers;   ///< The emitter's numbers of the registers, by register.
    std::vector<std::uint64_t> variables; ///< Addresses of the variables, by variable.
    VariableLayout::Addresses params; ///< Addresses of parameters in local memory. Not used for the entry.
};

/// Converts PTX instructions to executable instructions according to their forms.
class InstructionDecoder
{
public:
    InstructionDecoder(KernelCode& out, Emitter& emitter, RegisterLayout& registers,
                       const VariableLayout& variables, std::uint32_t carry)
        : m_out(out)
        , m_emitter(emitter)
        , m_registers(registers)
        , m_variables(variables)
        , m_carry(carry)
        , m_temporary(registers.allot(RegisterLayout::wideBytes))
        , m_temporary2(registers.allot(RegisterLayout::wideBytes))
    {
    }
    /// Converts one instruction. The caller handles calls and returns from called functions.
    Status decode(const Frame& frame, const ptx::Instruction& instruction);
    void setGuard(const Frame& frame, const ptx::Instruction& instruction, bool negated, Insn& insn);

private:
    struct Source
    {
        std::uint32_t slot = RegisterLayout::scratchSlot;
        std::uint32_t number = 0; ///< 0: no register.
        bool wide = false;
    };

    // operands
    Source source(const Frame& frame, const ptx::Operand& operand, ptx::Type type);
    Source literal(const ptx::Operand& operand, ptx::Type type);
    Source destination(const Frame& frame, const ptx::Operand& operand) const;
    std::uint64_t symbol(const Frame& frame, const ptx::Operand& operand) const;
    void decodeAddress(const Frame& frame, const ptx::Operand& address, Insn& insn);
    static ptx::Type sourceType(const ptx::OpcodeForm& form, char letter);
    std::optional<std::int64_t> paramBytes(const Frame& frame, const ptx::Operand& address) const;

    void dispatch(const Frame& frame, const ptx::Instruction& instruction);
    // registers to registers (decode_lanes.cpp)
    void decodeLane(const Frame& frame, const ptx::Instruction& instruction);
    void decodeLaneSources(const Frame& frame, const ptx::Instruction& instruction, Insn& insn);
    void decodeConversion(const Frame& frame, const ptx::Instruction& instruction);
    void decodeMove(const Frame& frame, const ptx::Instruction& instruction);
    // memory (decode_memory.cpp)
    void decodeMemory(const Frame& frame, const ptx::Instruction& instruction);
    void decodeEntryParameter(const Frame& frame, const ptx::Instruction& instruction);
    bool withinParameter(const Frame& frame, const ptx::Instruction& instruction);
    void decodeMatrix(const Frame& frame, const ptx::Instruction& instruction);
    void decodeCopy(const Frame& frame, const ptx::Instruction& instruction);
    void decodeCopyWait(const ptx::Instruction& instruction);
    // lanes together, and control
    void decodeWarp(const Frame& frame, const ptx::Instruction& instruction, Kind kind);

    KernelCode& m_out;
    Emitter& m_emitter;
    RegisterLayout& m_registers;
    const VariableLayout& m_variables;
    std::uint32_t m_carry, m_temporary, m_temporary2;
    std::string m_problem; ///< The fault of the current instruction, if any.
};

} // namespace sparserl::sim
