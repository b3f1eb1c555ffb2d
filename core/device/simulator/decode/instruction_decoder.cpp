// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/decode/instruction_decoder.h"

#include <cstring>

namespace sparserl::sim {

using ptx::Action;
using ptx::Operand;
using ptx::Type;

std::uint64_t InstructionDecoder::symbol(const Frame& frame, const Operand& operand) const
{
    std::uint64_t base = 0;
    if (operand.variable >= 0) {
        base = frame.variables[operand.variable];
    } else if (const auto param = frame.params.find(operand.name); param != frame.params.end()) {
        base = param->second;
    } else if (const auto found = m_variables.ofModule(operand.name)) {
        base = *found;
    }
    return base + static_cast<std::uint64_t>(operand.offset);
}

InstructionDecoder::Source InstructionDecoder::literal(const Operand& operand, Type type)
{
    const bool wide = ptx::bytesOf(type) == 8;
    std::uint64_t bits = operand.bits;
    if (operand.kind == Operand::Kind::Integer) {
        if (type == Type::Pred)
            return {m_registers.constant(bits ? allLanes : 0, false), 0, false};
        if (ptx::bytesOf(type) == 2)
            return {m_registers.constant(bits & 0xffff, false), 0, false};
        return {m_registers.constant(bits, wide), 0, wide};
    }
    if (operand.floatBytes == 8 && !wide) {
        double value;
        std::memcpy(&value, &bits, 8);
        const float narrow = static_cast<float>(value);
        std::uint32_t word;
        std::memcpy(&word, &narrow, 4);
        bits = word;
    } else if (operand.floatBytes == 4 && wide) {
        const auto word = static_cast<std::uint32_t>(bits);
        float narrow;
        std::memcpy(&narrow, &word, 4);
        const double value = narrow;
        std::memcpy(&bits, &value, 8);
    }
    return {m_registers.constant(bits, wide), 0, wide};
}

InstructionDecoder::Source InstructionDecoder::source(const Frame& frame, const Operand& operand, Type type)
{
    const bool wide = ptx::bytesOf(type) == 8;
    switch (operand.kind) {
    case Operand::Kind::Register:
        return destination(frame, operand);
    case Operand::Kind::Special:
        if (wide) {
            m_problem = "a special register in a 64-bit operand";
            return {};
        }
        return {m_registers.special(operand.special), 0, false};
    case Operand::Kind::Integer:
    case Operand::Kind::Float:
        return literal(operand, type);
    case Operand::Kind::Symbol:
        return {m_registers.constant(symbol(frame, operand), wide), 0, wide};
    default:
        return {};
    }
}

InstructionDecoder::Source InstructionDecoder::destination(const Frame& frame, const Operand& operand) const
{
    if (operand.kind != Operand::Kind::Register)
        return {};
    const Type held = frame.function->registers[operand.index].type;
    return {frame.slots[operand.index], frame.numbers[operand.index], ptx::bytesOf(held) == 8};
}

/// By the letters of ptx/opcodes.def.
Type InstructionDecoder::sourceType(const ptx::OpcodeForm& form, char letter)
{
    switch (letter) {
    case 't':
    case 'y':
        return form.source;
    case 'i':
    case 'm':
        return Type::B32;
    case 'l':
        return Type::B64;
    case 'W':
        return ptx::bytesOf(form.type) == 4 ? Type::B64 : Type::B32;
    case 'p':
        return Type::Pred;
    default:
        return form.type;
    }
}

void InstructionDecoder::setGuard(const Frame& frame, const ptx::Instruction& instruction, bool negated,
                                  Insn& insn)
{
    if (instruction.guard < 0)
        return;
    insn.guarded = true;
    insn.guardNegated = negated;
    insn.guard = frame.slots[instruction.guard];
    m_emitter.readsGuard(insn, frame.numbers[instruction.guard]);
}

void InstructionDecoder::dispatch(const Frame& frame, const ptx::Instruction& instruction)
{
    switch (instruction.form->action) {
    case Action::Lane:
    case Action::Compare:
    case Action::Classify:
    case Action::Carry:
    case Action::ToGeneric:
    case Action::FromGeneric:
        return decodeLane(frame, instruction);
    case Action::Move:
        return decodeMove(frame, instruction);
    case Action::Convert:
        return decodeConversion(frame, instruction);
    case Action::Load:
    case Action::Store:
    case Action::Atomic:
        return decodeMemory(frame, instruction);
    case Action::Prefetch:
        return; // nothing that a result could depend on
    case Action::LoadMatrix:
    case Action::MultiplyMatrix:
        return decodeMatrix(frame, instruction);
    case Action::CopyAsync:
        return decodeCopy(frame, instruction);
    case Action::CopyCommit:
    case Action::CopyWait:
        return decodeCopyWait(instruction);
    case Action::IsInSpace:
        return decodeWarp(frame, instruction, Kind::IsInSpace);
    case Action::Shuffle:
        return decodeWarp(frame, instruction, Kind::Shuffle);
    case Action::Vote:
        return decodeWarp(frame, instruction, Kind::Vote);
    case Action::Match:
        return decodeWarp(frame, instruction, Kind::Match);
    case Action::ActiveMask:
        return decodeWarp(frame, instruction, Kind::ActiveMask);
    case Action::Reduce:
        return decodeWarp(frame, instruction, Kind::Reduce);
    case Action::WarpSync:
        return decodeWarp(frame, instruction, Kind::WarpSync);
    case Action::Barrier:
        return decodeWarp(frame, instruction, Kind::Barrier);
    case Action::BarrierArrive:
        return decodeWarp(frame, instruction, Kind::BarrierArrive);
    case Action::BarrierReduce:
        return decodeWarp(frame, instruction, Kind::BarrierReduce);
    case Action::Fence:
        return decodeWarp(frame, instruction, Kind::Fence);
    case Action::Branch:
        return decodeWarp(frame, instruction, Kind::Branch);
    case Action::Trap:
        return decodeWarp(frame, instruction, Kind::Trap);
    case Action::Call:
    case Action::Return:
    case Action::Exit:
        return decodeWarp(frame, instruction, Kind::Exit);
    }
}

Status InstructionDecoder::decode(const Frame& frame, const ptx::Instruction& instruction)
{
    const std::size_t first = m_out.code.size();
    m_problem.clear();
    dispatch(frame, instruction);
    if (!m_problem.empty())
        return failAt("PTX", instruction.ptxLine, std::move(m_problem));
    for (std::size_t i = first; i < m_out.code.size(); ++i)
        setGuard(frame, instruction, instruction.guardNegated, m_out.code[i]);
    return {};
}

/// Destinations go to `d` and `e`, sources to `a`, `b` and `c`, the members of a warp-wide instruction to
/// `address`; bits of `imm` say which predicates are negated.
void InstructionDecoder::decodeWarp(const Frame& frame, const ptx::Instruction& instruction, Kind kind)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    Insn& insn = m_emitter.emit(instruction);
    insn.kind = kind;
    insn.scope = form.scope;
    insn.space = form.space;
    insn.atom = form.atom;
    insn.mode = kind == Kind::Shuffle ? static_cast<std::uint8_t>(form.shuffle)
                                      : static_cast<std::uint8_t>(form.vote);
    m_out.orders = m_out.orders || kind == Kind::Fence;
    m_out.blockScope = m_out.blockScope || (kind == Kind::Fence && form.scope == ptx::Scope::Cta);
    if (kind == Kind::Branch)
        return;
    const bool shorter =
        form.operands.find('?') != std::string_view::npos && operands.size() + 1 < form.operands.size();
    std::uint32_t* const slots[] = {&insn.args.a, &insn.args.b, &insn.args.c};
    std::uint32_t slot = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
        char letter = form.operands[i];
        if (letter == '?') {
            if (shorter) { // what may be left out is
                *slots[slot++] = noSlot;
                ++i;
                continue;
            }
            letter = form.operands[++i];
        }
        const Operand& operand = operands[at++];
        if (letter == 'q' || letter == 'd' || letter == 'j' || letter == 'D' || letter == 'J') {
            const Source to = destination(frame, operand);
            insn.args.d = operand.kind == Operand::Kind::Sink ? noSlot : to.slot;
            m_emitter.writes(insn, to.number);
            if (operand.dual) {
                const Operand& predicate = operand.elements[0];
                const Source second = destination(frame, predicate);
                insn.args.e = predicate.kind == Operand::Kind::Sink ? noSlot : second.slot;
                m_emitter.writes(insn, second.number);
            }
            continue;
        }
        const Source from = source(frame, operand, sourceType(form, letter));
        m_emitter.reads(insn, from.number);
        if (letter == 'm') {
            insn.address = from.slot;
            insn.fullMask = operand.kind == Operand::Kind::Integer &&
                            static_cast<std::uint32_t>(operand.bits) == allLanes;
            continue;
        }
        if (operand.negated)
            insn.args.imm |= 1u << slot;
        *slots[slot++] = from.slot;
    }
}

} // namespace sparserl::sim
