// SPDX-License-Identifier: Apache-2.0
// From registers to registers, lane by lane.
#include "device/simulator/decode/address_space.h"
#include "device/simulator/decode/instruction_decoder.h"
#include "ptx/op.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::sim {

using ptx::Action;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

void InstructionDecoder::decodeLaneSources(const Frame& frame, const ptx::Instruction& instruction,
                                           Insn& insn)
{
    const ptx::OpcodeForm& form = *instruction.form;
    LaneArgs& args = insn.args;
    std::uint32_t* const slots[] = {&args.a, &args.b, &args.c, &args.e};
    for (std::size_t i = 1; i < instruction.operands.size() && i <= std::size(slots); ++i) {
        const Operand& operand = instruction.operands[i];
        const char letter = i < form.operands.size() ? form.operands[i] : 's';
        if (letter == 'k') {
            args.imm = static_cast<std::uint32_t>(operand.bits);
            break;
        }
        const Source from = source(frame, operand, sourceType(form, letter));
        *slots[i - 1] = from.slot;
        if (i <= 3)
            insn.valueWide[i - 1] = from.wide;
        m_emitter.reads(insn, from.number);
        if (operand.negated)
            args.imm |= 1u << (i - 1);
    }
}

void InstructionDecoder::decodeLane(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    Insn& insn = m_emitter.emit(instruction);
    insn.scalar = findScalar(form);
    if (insn.scalar)
        insn.kind = Kind::Scalar;
    else if (!setLaneFunctions(insn, laneTable().find(laneKeyOf(form))))
        m_problem = fmt::format("'{}' has no implementation", form.text);
    const Operand& result = instruction.operands[0];
    const Source to = destination(frame, result);
    insn.valueWide[3] = to.wide;
    LaneArgs& args = insn.args;
    args.d = to.slot;
    m_emitter.writes(insn, to.number);
    decodeLaneSources(frame, instruction, insn);
    if (form.op == ptx::Op::Selp)
        insn.passes = Passes::Chosen;
    else if (form.type == Type::Pred && (form.op == ptx::Op::And || form.op == ptx::Op::Or))
        insn.passes = form.op == ptx::Op::And ? Passes::Both : Passes::Either;
    switch (form.action) {
    case Action::Compare:
        if (form.operands.starts_with('d')) { // what is true, in a register
            args.imm = form.type == Type::F32         ? 0x3f800000u
                       : form.type == Type::F16       ? 0x3c00u
                       : ptx::bytesOf(form.type) == 2 ? 0xffffu
                                                      : 0xffffffffu;
            break;
        }
        args.imm |= static_cast<std::uint32_t>(form.boolOp) << 8;
        if (result.dual) {
            const Source second = destination(frame, result.elements[0]);
            args.e = second.slot;
            m_emitter.writes(insn, second.number);
        }
        break;
    case Action::Classify:
        args.imm = static_cast<std::uint32_t>(form.testp);
        break;
    case Action::Carry:
        args.e = m_carry;
        if (form.carryIn)
            m_emitter.readsCarry(insn);
        if (form.carryOut)
            m_emitter.writesCarry(insn);
        break;
    case Action::ToGeneric:
    case Action::FromGeneric: {
        // Global and constant addresses are generic ones; windows lie above them.
        const std::uint64_t window = form.space == Space::Shared  ? m_out.addresses.sharedWindow
                                     : form.space == Space::Local ? m_out.addresses.localWindow
                                                                  : 0;
        if (window) {
            const MoveFns& moves = laneTable().moves;
            setLaneFunctions(insn, form.action == Action::ToGeneric ? moves.add64 : moves.subtract64);
            args.b = m_registers.constant(window, true);
        }
        break;
    }
    default:
        break;
    }
}

void InstructionDecoder::decodeConversion(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    if (findScalar(form)) {
        decodeLane(frame, instruction);
        return;
    }
    const Source from = source(frame, instruction.operands[1], form.source);
    const Source to = destination(frame, instruction.operands[0]);
    const bool narrowSource = from.wide && ptx::bytesOf(form.source) < 8;
    if (narrowSource) {
        m_emitter.emitResize(instruction, m_temporary, from.slot, Type::U32, Type::U64);
        m_emitter.reads(m_emitter.last(), from.number);
    }
    const Type held = instruction.operands[0].kind == Operand::Kind::Register
                          ? frame.function->registers[instruction.operands[0].index].type
                          : form.type;
    const int registerBytes = ptx::bytesOf(held);
    const bool extend = registerBytes > std::max(ptx::bytesOf(form.type), 2) && !ptx::isFloat(form.type);
    Insn& insn = m_emitter.emit(instruction);
    if (!setLaneFunctions(insn, laneTable().find(laneKeyOf(form))))
        m_problem = fmt::format("'{}' has no implementation", form.text);
    insn.args.a = narrowSource ? m_temporary : from.slot;
    insn.args.d = extend ? m_temporary2 : to.slot;
    m_emitter.reads(insn, from.number);
    m_emitter.writes(insn, to.number);
    if (extend) {
        const bool sign = ptx::isSigned(form.type);
        const int bytes = std::max(ptx::bytesOf(form.type), 2);
        const Type narrow = bytes == 4 ? (sign ? Type::S32 : Type::U32) : (sign ? Type::S16 : Type::U16);
        const Type wide =
            registerBytes == 8 ? (sign ? Type::S64 : Type::U64) : (sign ? Type::S32 : Type::U32);
        m_emitter.emitResize(instruction, to.slot, m_temporary2, wide, narrow);
    }
}

void InstructionDecoder::decodeMove(const Frame& frame, const ptx::Instruction& instruction)
{
    const Operand& to = instruction.operands[0];
    const Operand& from = instruction.operands[1];
    if (to.kind != Operand::Kind::Vector && from.kind != Operand::Kind::Vector) {
        decodeLane(frame, instruction);
        return;
    }
    const bool unpack = to.kind == Operand::Kind::Vector;
    const std::vector<Operand>& parts = unpack ? to.elements : from.elements;
    const int bytes = ptx::bytesOf(instruction.form->type);
    const int part = bytes / static_cast<int>(parts.size());
    const Type type = part == 4 ? Type::B32 : Type::B16;
    Insn& insn = m_emitter.emit(instruction);
    insn.kind = unpack ? Kind::Unpack : Kind::Pack;
    insn.pipe = ptx::Pipe::Integer;
    insn.vector = static_cast<std::uint8_t>(parts.size());
    insn.width = static_cast<std::uint8_t>(part);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Source one = unpack ? destination(frame, parts[i]) : source(frame, parts[i], type);
        insn.values[i] = parts[i].kind == Operand::Kind::Sink ? noSlot : one.slot;
        unpack ? m_emitter.writes(insn, one.number) : m_emitter.reads(insn, one.number);
    }
    const Source whole = unpack ? source(frame, from, instruction.form->type) : destination(frame, to);
    insn.args.d = insn.args.a = whole.slot;
    insn.valueWide[0] = bytes == 8;
    unpack ? m_emitter.reads(insn, whole.number) : m_emitter.writes(insn, whole.number);
}

} // namespace sparserl::sim
