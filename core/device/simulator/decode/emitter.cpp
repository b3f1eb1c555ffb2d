// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/decode/emitter.h"

#include <algorithm>

namespace sparserl::sim {

namespace {

constexpr std::uint32_t scoreboardNumbers = 65536; ///< Registers beyond are not waited for.

} // namespace

bool setLaneFunctions(Insn& insn, const LaneFns& functions)
{
    insn.kind = Kind::Lane;
    insn.full = functions.full;
    insn.masked = functions.masked;
    return functions.full != nullptr;
}

LaneKey laneKeyOf(const ptx::OpcodeForm& form)
{
    LaneKey key;
    key.family = form.family;
    key.type = form.type;
    key.source = form.source;
    key.cmp = form.cmp;
    key.rounding = form.rounding;
    key.ftz = form.ftz;
    key.saturate = form.saturate;
    return key;
}

Insn& Emitter::emit(const ptx::Instruction& instruction)
{
    Insn& insn = m_out.code.emplace_back();
    const auto [found, added] =
        m_lineIndex.try_emplace(m_out.byPtxLine ? instruction.ptxLine : instruction.line,
                                static_cast<std::uint32_t>(m_out.lines.size()));
    if (added) {
        m_out.lines.push_back(instruction.line);
        if (m_out.byPtxLine)
            m_out.ptxLines.push_back(instruction.ptxLine);
    }
    insn.lineIndex = found->second;
    insn.type = instruction.form->type;
    insn.pipe = instruction.form->pipe;
    return insn;
}

void Emitter::emitResize(const ptx::Instruction& instruction, std::uint32_t to, std::uint32_t from,
                         ptx::Type toType, ptx::Type fromType)
{
    Insn& insn = emit(instruction);
    setLaneFunctions(insn, laneTable().moves.resize(toType, fromType));
    insn.pipe = ptx::Pipe::Integer;
    insn.internal = true;
    insn.args.d = to;
    insn.args.a = from;
}

void Emitter::emitEnd()
{
    Insn end;
    end.kind = Kind::Exit;
    end.pipe = ptx::Pipe::Control;
    end.internal = true;
    end.lineIndex = m_out.code.empty() ? 0 : m_out.code.back().lineIndex;
    m_out.code.push_back(end);
    if (m_out.lines.empty())
        m_out.lines.push_back(0);
}

void Emitter::reads(Insn& insn, std::uint32_t number)
{
    if (number)
        use(insn, number, false);
    if (number && number < scoreboardNumbers && insn.readCount < insn.reads.size())
        insn.reads[insn.readCount++] = static_cast<std::uint16_t>(number);
}

void Emitter::readsGuard(Insn& insn, std::uint32_t number)
{
    const std::size_t before = m_uses.size();
    reads(insn, number);
    for (std::size_t i = before; i < m_uses.size(); ++i)
        m_uses[i].guard = true;
}

void Emitter::writes(Insn& insn, std::uint32_t number)
{
    if (number)
        use(insn, number, true);
    if (number && number < scoreboardNumbers && insn.writeCount < insn.writes.size())
        insn.writes[insn.writeCount++] = static_cast<std::uint16_t>(number);
}

RegisterOperands Emitter::operands() const
{
    std::vector<std::uint32_t> begins(m_out.code.size() + 1, 0);
    for (const RegisterUse& one : m_uses)
        ++begins[one.instruction + 1];
    for (std::size_t i = 1; i < begins.size(); ++i)
        begins[i] += begins[i - 1];
    std::vector<RegisterOperands::Operand> operands(m_uses.size());
    std::vector<std::uint32_t> next = begins;
    for (const RegisterUse& one : m_uses)
        operands[next[one.instruction]++] = {one.number, one.write, one.guard};
    std::vector<std::uint32_t> slots;
    for (const KernelCode::Unwritten& one : m_registers)
        slots.push_back(one.offset);
    return {std::move(operands), std::move(begins), std::move(slots)};
}

void Emitter::finish()
{
    m_out.operands = operands();
    const auto count = static_cast<std::uint32_t>(m_registers.size());
    m_out.scoreboardSize = std::min(count, scoreboardNumbers);
    for (const std::uint32_t number : readBeforeWritten(m_out.code, std::move(m_uses), count))
        m_out.unwritten.push_back(m_registers[number]);
}

} // namespace sparserl::sim
