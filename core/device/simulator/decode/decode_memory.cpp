// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, copies, and matrix instructions.
#include "device/simulator/decode/instruction_decoder.h"

#include <fmt/format.h>

namespace sparserl::sim {

using ptx::Action;
using ptx::CachePolicy;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

void InstructionDecoder::decodeAddress(const Frame& frame, const Operand& address, Insn& insn)
{
    insn.offset = address.index >= 0 ? address.offset : 0;
    if (address.index >= 0) {
        insn.address = frame.slots[address.index];
        insn.addressWide = ptx::bytesOf(frame.function->registers[address.index].type) == 8;
        m_emitter.reads(insn, frame.numbers[address.index]);
    } else {
        insn.address = m_registers.constant(symbol(frame, address), true);
    }
}

/// A parameter of the kernel: a constant of the launch.
void InstructionDecoder::decodeEntryParameter(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const Operand& address = instruction.operands[1];
    const auto found = m_variables.entryParameter(address.name);
    const int width = ptx::bytesOf(form.type);
    for (int i = 0; i < form.vector; ++i) {
        const Operand& into =
            form.vector == 1 ? instruction.operands[0] : instruction.operands[0].elements[i];
        const Source to = destination(frame, into);
        const std::int64_t at = (found ? std::int64_t(*found) : -1) + address.offset + i * width;
        if (!found || at < 0 || at + width > m_out.paramBytes) {
            m_problem = fmt::format("'{}' reads beyond the parameters", instruction.opcode);
            return;
        }
        const std::uint32_t slot =
            m_registers.parameter(static_cast<std::uint32_t>(at), width, ptx::isSigned(form.type), to.wide);
        Insn& insn = m_emitter.emit(instruction);
        insn.pipe = ptx::Pipe::Integer;
        setLaneFunctions(insn, to.wide ? laneTable().moves.copy64 : laneTable().moves.copy32);
        insn.args.a = slot;
        insn.args.d = into.kind == Operand::Kind::Sink ? RegisterLayout::scratchSlot : to.slot;
        insn.internal = i > 0;
        m_emitter.writes(insn, to.number);
    }
}

/// The size of the parameter of a call or of a called function; nothing where it is none.
std::optional<std::int64_t> InstructionDecoder::paramBytes(const Frame& frame, const Operand& address) const
{
    if (address.variable >= 0)
        return frame.function->variables[address.variable].bytes;
    if (!frame.params.count(address.name))
        return std::nullopt;
    for (const auto* list : {&frame.function->params, &frame.function->results}) {
        for (const ptx::Param& param : *list) {
            if (param.name == address.name)
                return param.bytes;
        }
    }
    return std::nullopt;
}

bool InstructionDecoder::withinParameter(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const Operand& address = instruction.operands[form.operands.find('a')];
    const auto bytes = paramBytes(frame, address);
    const std::int64_t width = std::int64_t(ptx::bytesOf(form.type)) * form.vector;
    if (bytes && address.offset >= 0 && address.offset <= *bytes - width)
        return true;
    m_problem = bytes ? fmt::format("'{}' goes beyond the parameter", instruction.opcode)
                      : "the parameters of a kernel can only be read";
    return false;
}

void InstructionDecoder::decodeMemory(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    const bool load = form.action == Action::Load, store = form.action == Action::Store;
    const Operand& address = operands[form.operands.find('a')];
    if (form.space == Space::Param) {
        if (load && frame.entry && address.variable < 0)
            return decodeEntryParameter(frame, instruction);
        if (!withinParameter(frame, instruction))
            return;
    }
    Insn& insn = m_emitter.emit(instruction);
    insn.kind = load ? Kind::Load : store ? Kind::Store : Kind::Atomic;
    insn.space = form.space == Space::Param ? Space::Local : form.space;
    insn.atom = form.atom;
    insn.order = form.order;
    insn.scope = form.scope;
    insn.width = static_cast<std::uint8_t>(ptx::bytesOf(form.type));
    insn.vector = static_cast<std::uint8_t>(form.vector);
    insn.readOnly = form.nonCoherent;
    m_out.strongStores = m_out.strongStores || (store && form.order != ptx::Order::Weak) ||
                         form.atom == ptx::AtomOp::Cas || form.atom == ptx::AtomOp::Exch;
    m_out.orders = m_out.orders || form.order >= ptx::Order::Acquire;
    m_out.blockScope = m_out.blockScope || form.scope == ptx::Scope::Cta;
    insn.cachedL1 = form.order == ptx::Order::Weak && form.cache == CachePolicy::Normal;
    decodeAddress(frame, address, insn);
    insn.args.d = noSlot;
    std::size_t count = 0;
    const auto value = [&](const Operand& operand) {
        const Source one = load ? destination(frame, operand) : source(frame, operand, form.type);
        insn.values[count] = operand.kind == Operand::Kind::Sink ? noSlot : one.slot;
        insn.valueWide[count++] = one.wide;
        load ? m_emitter.writes(insn, one.number) : m_emitter.reads(insn, one.number);
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const char letter = form.operands[i];
        if (letter == 'd') { // what an atomic operation found
            const Source to = destination(frame, operands[i]);
            insn.args.d = operands[i].kind == Operand::Kind::Sink ? noSlot : to.slot;
            m_emitter.writes(insn, to.number);
        } else if (letter != 'a' && form.vector > 1) {
            for (const Operand& element : operands[i].elements)
                value(element);
        } else if (letter != 'a') {
            value(operands[i]);
        }
    }
    m_out.floatAtomics = m_out.floatAtomics || (form.action == Action::Atomic &&
                                                (ptx::isFloat(form.type) || form.type >= Type::F16));
}

void InstructionDecoder::decodeMatrix(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    Insn& insn = m_emitter.emit(instruction);
    insn.kind = form.action == Action::MultiplyMatrix ? Kind::MultiplyMatrix : Kind::LoadMatrix;
    insn.args.imm = static_cast<std::uint32_t>(m_out.matrixSlots.size());
    insn.args.e = static_cast<std::uint32_t>(m_out.matrixForms.size());
    m_out.matrixForms.push_back(&form);
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.kind != Operand::Kind::Vector) { // ldmatrix: rows of 16 bytes
            insn.space = Space::Shared;
            insn.width = 4;
            insn.vector = 4;
            decodeAddress(frame, operand, insn);
            continue;
        }
        for (const Operand& element : operand.elements) {
            const Source one = i == 0 ? destination(frame, element) : source(frame, element, Type::B32);
            m_out.matrixSlots.push_back(one.slot);
            i == 0 ? m_emitter.writes(insn, one.number) : m_emitter.reads(insn, one.number);
        }
    }
}

void InstructionDecoder::decodeCopyWait(const ptx::Instruction& instruction)
{
    Insn& insn = m_emitter.emit(instruction);
    insn.kind = instruction.form->action == Action::CopyCommit ? Kind::CopyCommit : Kind::CopyWait;
    // Groups that may stay under way; without their number everything is waited for, also what is not in a
    // group yet.
    const bool all = instruction.operands.empty();
    insn.args.imm = all ? 0 : static_cast<std::uint32_t>(instruction.operands[0].bits);
    insn.args.e = all ? 1 : 0;
}

void InstructionDecoder::decodeCopy(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    // The source, by whose address lanes are split; `args` hold the place in shared memory.
    Insn& insn = m_emitter.emit(instruction);
    insn.kind = Kind::CopyAsync;
    insn.space = Space::Global;
    insn.width = static_cast<std::uint8_t>(operands[2].bits);
    insn.cachedL1 = form.cache == CachePolicy::Normal;
    decodeAddress(frame, operands[1], insn);
    const Operand& to = operands[0];
    if (to.index >= 0) {
        insn.args.d = frame.slots[to.index];
        insn.valueWide[0] = ptx::bytesOf(frame.function->registers[to.index].type) == 8;
        insn.args.imm = static_cast<std::uint32_t>(to.offset);
        m_emitter.reads(insn, frame.numbers[to.index]);
    } else {
        insn.args.d = m_registers.constant(symbol(frame, to), true);
        insn.valueWide[0] = true;
        insn.args.imm = 0;
    }
    insn.args.a = noSlot;
    if (operands.size() > 3) { // bytes to read; the rest is zero
        const Source some = source(frame, operands[3], Type::B32);
        insn.args.a = some.slot;
        m_emitter.reads(insn, some.number);
    }
}

} // namespace sparserl::sim
