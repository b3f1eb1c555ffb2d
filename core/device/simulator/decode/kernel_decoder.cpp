// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/decode/instruction_decoder.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::sim {

namespace {

using ptx::Action;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

constexpr std::size_t maxCode = 1u << 18;
constexpr int maxCallDepth = 512;
constexpr std::size_t maxInlinedCalls = 1u << 16;     ///< Functions without any code are free otherwise.
constexpr std::uint32_t maxRegisterBytes = 16u << 20; ///< Of a warp.
constexpr std::int64_t maxLocalBytes = std::int64_t(512) << 10; ///< Of a thread, as on every GPU.

/// Decodes an entry with everything it calls, which is put in the place of the calls.
class KernelDecoder
{
public:
    KernelDecoder(const ptx::Module& module, const ptx::Function& entry, KernelCode& out,
                  VariableLayout& variables)
        : m_module(module)
        , m_entry(entry)
        , m_out(out)
        , m_variables(variables)
        , m_registers(out)
        , m_carry(m_registers.allot(4))
        , m_emitter(out, m_carry)
        , m_instructions(out, m_emitter, m_registers, variables, m_carry)
    {
    }
    Status run();

private:
    /// Where jumps in a function go, known when all of it is there.
    struct Jumps
    {
        std::vector<std::uint32_t> starts; ///< In the code, by instruction.
        std::vector<std::pair<std::uint32_t, int>>
            branches; ///< Position in the code, target in the function.
        std::vector<std::uint32_t> returns;
    };

    Status inlineFunction(const ptx::Function& function, VariableLayout::Addresses params, int depth);
    Status placeFrame(Frame& frame);
    Status inlineCall(const Frame& frame, const ptx::Instruction& instruction, int depth);
    Status decodeBody(const Frame& frame, int depth, Jumps& jumps);
    int estimateRegisters() const;

    const ptx::Module& m_module;
    const ptx::Function& m_entry;
    KernelCode& m_out;
    VariableLayout& m_variables;
    RegisterLayout m_registers;
    std::uint32_t m_carry;
    Emitter m_emitter;
    InstructionDecoder m_instructions;
    std::size_t m_inlinedCalls = 0;
};

Status KernelDecoder::run()
{
    SPARSERL_CHECK(inlineFunction(m_entry, {}, 0));
    m_variables.finish();
    m_out.registerEstimate = estimateRegisters();
    if (!placeReconvergence(m_out.code))
        return fail(fmt::format("the branches of '{}' are too tangled", m_entry.name));
    m_emitter.finish();
    for (Insn& insn : m_out.code) {
        insn.latency = ptx::latencyOf(insn.pipe);
        if (insn.kind == Kind::Branch && insn.target < m_out.code.size())
            m_out.code[insn.target].leader = true;
    }
    return {};
}

int KernelDecoder::estimateRegisters() const
{
    std::size_t threads = 0;
    for (const ptx::Register& reg : m_entry.registers)
        threads += reg.type == Type::Pred ? 0 : ptx::bytesOf(reg.type) == 8 ? 2 : 1;
    // Virtual registers far outnumber the live ones; a rough share, bounded as the assembler's results are.
    const auto estimate = static_cast<int>(std::clamp<std::size_t>(12 + threads / 5, 16, 128));
    // The assembler keeps to what is declared of the block's size.
    const auto declared = m_entry.reqntid[0] ? m_entry.reqntid : m_entry.maxntid;
    const std::int64_t bound = declared[0] * declared[1] * declared[2];
    if (bound <= 0)
        return estimate;
    return static_cast<int>(
        std::min<std::int64_t>(estimate, std::max<std::int64_t>(16, 65536 / bound / 8 * 8)));
}

Status KernelDecoder::placeFrame(Frame& frame)
{
    const ptx::Function& function = *frame.function;
    for (const ptx::Register& reg : function.registers) {
        const int bytes = ptx::bytesOf(reg.type);
        const bool predicate = reg.type == Type::Pred;
        if (m_out.registerBytes > maxRegisterBytes)
            break;
        frame.slots.push_back(m_registers.allot(predicate    ? 4
                                                : bytes == 8 ? RegisterLayout::wideBytes
                                                             : RegisterLayout::wordBytes));
        frame.numbers.push_back(
            m_emitter.addRegister(frame.slots.back(), static_cast<std::uint8_t>(predicate ? 0 : bytes)));
    }
    if (m_out.registerBytes > maxRegisterBytes)
        return fail(fmt::format("'{}' uses too many registers: at most {} of 32 bits are possible",
                                m_entry.name, maxRegisterBytes / RegisterLayout::wordBytes));
    const auto& statics = m_variables.ofFunction(function.name);
    for (const ptx::Variable& variable : function.variables) {
        const auto found = statics.find(variable.name);
        if (found != statics.end() && variable.space != Space::Local && variable.space != Space::Param)
            frame.variables.push_back(found->second);
        else
            frame.variables.push_back(m_variables.placeLocal(variable.bytes, variable.alignment));
    }
    if (m_out.localBytes > maxLocalBytes)
        return failOutOfMemory(
            fmt::format("'{}' needs {} bytes of local memory a thread: at most {} are possible", m_entry.name,
                        m_out.localBytes, maxLocalBytes));
    return {};
}

Status KernelDecoder::inlineCall(const Frame& frame, const ptx::Instruction& instruction, int depth)
{
    const ptx::Function* callee = nullptr;
    std::vector<const Operand*> results, arguments;
    for (const Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::Symbol)
            callee = m_module.find(operand.name);
        else
            for (const Operand& element : operand.elements)
                (callee ? arguments : results).push_back(&element);
    }
    VariableLayout::Addresses bound;
    for (std::size_t i = 0; i < results.size(); ++i)
        bound[callee->results[i].name] = frame.variables[results[i]->variable];
    for (std::size_t i = 0; i < arguments.size(); ++i)
        bound[callee->params[i].name] = frame.variables[arguments[i]->variable];
    // A guarded call becomes a branch around the inlined body.
    std::uint32_t around = 0;
    if (instruction.guard >= 0) {
        Insn& skip = m_emitter.emit(instruction);
        skip.kind = Kind::Branch;
        m_instructions.setGuard(frame, instruction, !instruction.guardNegated, skip);
        around = m_emitter.size();
    }
    SPARSERL_CHECK(inlineFunction(*callee, std::move(bound), depth + 1));
    if (around)
        m_out.code[around - 1].target = m_emitter.size();
    return {};
}

Status KernelDecoder::decodeBody(const Frame& frame, int depth, Jumps& jumps)
{
    for (const ptx::Instruction& instruction : frame.function->instructions) {
        jumps.starts.push_back(m_emitter.size());
        if (m_out.code.size() > maxCode)
            return fail(fmt::format("'{}' has more than {} instructions with those of the functions it calls",
                                    m_entry.name, maxCode));
        const Action action = instruction.form->action;
        if (action == Action::Call) {
            SPARSERL_CHECK(inlineCall(frame, instruction, depth));
        } else if (action == Action::Return && depth > 0) {
            Insn& jump = m_emitter.emit(instruction);
            jump.kind = Kind::Branch;
            m_instructions.setGuard(frame, instruction, instruction.guardNegated, jump);
            jumps.returns.push_back(m_emitter.size() - 1);
        } else {
            SPARSERL_CHECK(m_instructions.decode(frame, instruction));
            if (action == Action::Branch)
                jumps.branches.emplace_back(m_emitter.size() - 1, instruction.operands[0].index);
        }
    }
    jumps.starts.push_back(m_emitter.size());
    return {};
}

Status KernelDecoder::inlineFunction(const ptx::Function& function, VariableLayout::Addresses params,
                                     int depth)
{
    if (depth > maxCallDepth)
        return fail(fmt::format("calls in '{}' are nested more than {} deep", m_entry.name, maxCallDepth));
    if (++m_inlinedCalls > maxInlinedCalls)
        return fail(fmt::format("'{}' makes more than {} calls, counted along every path", m_entry.name,
                                maxInlinedCalls));
    Frame frame;
    frame.function = &function;
    frame.entry = depth == 0;
    frame.params = std::move(params);
    SPARSERL_CHECK(placeFrame(frame));
    Jumps jumps;
    SPARSERL_CHECK(decodeBody(frame, depth, jumps));
    // Falling off the end is a return; so is a label behind the last instruction.
    if (depth == 0)
        m_emitter.emitEnd();
    for (const auto& [at, target] : jumps.branches)
        m_out.code[at].target = jumps.starts[target];
    for (const std::uint32_t at : jumps.returns)
        m_out.code[at].target = jumps.starts.back();
    return {};
}

} // namespace

Result<KernelCode> decodeKernel(const ptx::Module& module, const ptx::Function& entry,
                                const AddressPlan& addresses, bool byPtxLine)
{
    KernelCode code;
    code.byPtxLine = byPtxLine;
    code.addresses = addresses;
    code.name = entry.name;
    code.maxntid = entry.maxntid;
    code.reqntid = entry.reqntid;
    SPARSERL_TRY(VariableLayout variables, VariableLayout::of(module, entry, code));
    SPARSERL_CHECK(KernelDecoder(module, entry, code, variables).run());
    return code;
}

} // namespace sparserl::sim
