// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/kernel_code.h"
#include "device/simulator/flow_graph.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace sparserl::sim {

namespace {

using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

constexpr std::size_t maxCode = 1u << 18;
constexpr int maxCallDepth = 1024;
constexpr std::size_t maxInlinedCalls = 1u << 16;     ///< Functions without any code are free otherwise.
constexpr std::uint32_t maxRegisterBytes = 16u << 20; ///< Of a warp.
constexpr std::int64_t maxLocalBytes = std::int64_t(512) << 10; ///< Of a thread, as on every GPU.
constexpr std::int64_t maxConstantBytes = std::int64_t(64) << 10;
constexpr std::int64_t maxVariableBytes = std::int64_t(64) << 20;
constexpr std::uint32_t scoreboardNumbers = 65536; ///< Registers beyond are not waited for.
constexpr std::uint32_t scratchSlot = 0;           ///< Where results for "_" go.

struct Frame
{
    const ptx::Function* function = nullptr;
    std::vector<std::uint32_t> slots;     ///< By register.
    std::vector<std::uint32_t> numbers;   ///< Numbers by register: of the scoreboard, and of `m_registers`.
    std::vector<std::uint64_t> variables; ///< Addresses by variable.
    std::map<std::string, std::uint64_t> params; ///< Addresses in local memory; not of the entry.
};

class Decoder
{
public:
    Decoder(const ptx::Module& module, const ptx::Function& entry)
        : m_module(module)
        , m_entry(entry)
    {
    }
    Result<KernelCode> run();

private:
    struct Source
    {
        std::uint32_t slot = scratchSlot;
        std::uint32_t number = 0; ///< 0: no register.
        bool wide = false;
    };

    void layoutParams();
    void layoutModule();
    std::uint64_t placeShared(const ptx::Variable& variable);
    /// In constant memory or in that of read-only variables.
    std::uint64_t placeData(const ptx::Variable& variable);
    std::optional<std::int64_t> paramBytes(const Frame& frame, const Operand& address) const;
    std::uint64_t placeLocal(std::int64_t bytes, std::int64_t alignment);
    Status inlineFunction(const ptx::Function& function, std::map<std::string, std::uint64_t> params,
                          int depth);
    Status decode(const Frame& frame, const ptx::Instruction& instruction);

    std::uint32_t allot(std::uint32_t bytes)
    {
        const std::uint32_t at = m_out.registerBytes;
        m_out.registerBytes += (bytes + 63) / 64 * 64;
        return at;
    }
    std::uint32_t constant(std::uint64_t bits, bool wide);
    std::uint32_t special(ptx::SpecialRegister which);
    Source source(const Frame& frame, const Operand& operand, Type type);
    Source destination(const Frame& frame, const Operand& operand);
    std::uint64_t symbol(const Frame& frame, const Operand& operand) const;
    Insn& emit(const ptx::Instruction& instruction);
    void reads(Insn& insn, std::uint32_t number)
    {
        if (number)
            use(insn, number, false);
        if (number && number < scoreboardNumbers && insn.readCount < insn.reads.size())
            insn.reads[insn.readCount++] = static_cast<std::uint16_t>(number);
    }
    void writes(Insn& insn, std::uint32_t number)
    {
        if (number)
            use(insn, number, true);
        if (number && number < scoreboardNumbers && insn.writeCount < insn.writes.size())
            insn.writes[insn.writeCount++] = static_cast<std::uint16_t>(number);
    }
    void use(const Insn& insn, std::uint32_t number, bool write)
    {
        m_uses.push_back({static_cast<std::uint32_t>(&insn - m_out.code.data()), number, write});
    }
    void findUnwritten();
    bool lane(Insn& insn, const LaneKey& key)
    {
        const LaneFns fns = laneTable().find(key);
        insn.kind = Kind::Lane;
        insn.full = fns.full;
        insn.masked = fns.masked;
        return fns.full != nullptr;
    }
    void move(const ptx::Instruction& instruction, std::uint32_t to, std::uint32_t from, Type toType,
              Type fromType);
    void decodeLane(const Frame& frame, const ptx::Instruction& instruction);
    void decodeConversion(const Frame& frame, const ptx::Instruction& instruction);
    void decodeMov(const Frame& frame, const ptx::Instruction& instruction);
    void decodeMemory(const Frame& frame, const ptx::Instruction& instruction);
    void decodeWarp(const Frame& frame, const ptx::Instruction& instruction);
    void decodeMatrix(const Frame& frame, const ptx::Instruction& instruction);
    void decodeCopy(const Frame& frame, const ptx::Instruction& instruction);
    void decodeAddress(const Frame& frame, const Operand& address, Insn& insn);

    const ptx::Module& m_module;
    const ptx::Function& m_entry;
    KernelCode m_out;
    std::map<std::pair<std::uint64_t, bool>, std::uint32_t> m_constants;
    std::map<std::tuple<std::uint32_t, int, bool, bool>, std::uint32_t> m_paramSlots;
    std::unordered_map<std::string, std::uint64_t> m_moduleVariables;
    std::unordered_map<std::string, std::map<std::string, std::uint64_t>>
        m_functionVariables; ///< shared, const
    std::unordered_map<std::string, std::uint32_t> m_entryParams;
    std::unordered_map<int, std::uint32_t> m_lineIndex;
    std::uint32_t m_carry = 0;
    std::uint32_t m_temporary = 0, m_temporary2 = 0;
    std::vector<std::pair<std::string, std::uint64_t>> m_dynamicShared;
    std::size_t m_inlinedCalls = 0;
    std::vector<KernelCode::Unwritten> m_registers; ///< By number; [0] is the carry.
    std::vector<RegisterUse> m_uses;
    std::string m_problem;
};

std::int64_t alignUp(std::int64_t value, std::int64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

Pipe pipeOf(const ptx::OpcodeForm& form)
{
    switch (form.op) {
    case Op::DivApprox:
    case Op::DivFull:
    case Op::Rcp:
    case Op::RcpApprox:
    case Op::Sqrt:
    case Op::SqrtApprox:
    case Op::RsqrtApprox:
    case Op::Ex2:
    case Op::Lg2:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Popc:
    case Op::Clz:
    case Op::Bfind:
    case Op::BfindShift:
    case Op::Brev:
    case Op::Div:
    case Op::Rem:
        return Pipe::Special;
    default:
        break;
    }
    if (form.type == Type::F64 || form.source == Type::F64)
        return Pipe::Double;
    return form.type == Type::F32 ? Pipe::Float : Pipe::Integer;
}

Result<KernelCode> Decoder::run()
{
    m_out.name = m_entry.name;
    m_out.maxntid = m_entry.maxntid;
    m_out.reqntid = m_entry.reqntid;
    m_out.specials.fill(noSlot);
    allot(256); // scratchSlot
    m_carry = allot(4);
    m_registers.push_back({m_carry, 0});
    m_temporary = allot(256);
    m_temporary2 = allot(256);
    layoutParams();
    layoutModule();
    if (!m_problem.empty())
        return fail(std::move(m_problem));
    if (auto ok = inlineFunction(m_entry, {}, 0); !ok)
        return tl::unexpected(ok.error());
    // Arrays without extent start behind everything static.
    m_out.staticShared = alignUp(m_out.staticShared, m_dynamicShared.empty() ? 1 : 16);
    m_out.localBytes = alignUp(m_out.localBytes, 16); // so that every thread's part is aligned
    std::size_t threads = 0;
    for (const ptx::Register& reg : m_entry.registers)
        threads += reg.type == Type::Pred ? 0 : ptx::bytesOf(reg.type) == 8 ? 2 : 1;
    // Virtual registers far outnumber the live ones; a rough share, bounded as the assembler's results are.
    m_out.registerEstimate = static_cast<int>(std::clamp<std::size_t>(12 + threads / 5, 16, 128));
    // The assembler keeps to what is declared of the block's size.
    const auto declared = m_entry.reqntid[0] ? m_entry.reqntid : m_entry.maxntid;
    if (const std::int64_t bound = declared[0] * declared[1] * declared[2]; bound > 0)
        m_out.registerEstimate = static_cast<int>(std::min<std::int64_t>(
            m_out.registerEstimate, std::max<std::int64_t>(16, 65536 / bound / 8 * 8)));
    if (!placeReconvergence(m_out.code))
        return fail(fmt::format("the branches of '{}' are too tangled", m_entry.name));
    findUnwritten();
    for (Insn& insn : m_out.code) {
        insn.latency = insn.pipe == Pipe::Double ? 8 : insn.pipe == Pipe::Special ? 18 : 4;
        if (insn.kind == Kind::Branch && insn.target < m_out.code.size())
            m_out.code[insn.target].leader = true;
    }
    return std::move(m_out);
}

void Decoder::findUnwritten()
{
    m_out.scoreboardSize = std::min(static_cast<std::uint32_t>(m_registers.size()), scoreboardNumbers);
    for (const std::uint32_t number :
         readBeforeWritten(m_out.code, std::move(m_uses), static_cast<std::uint32_t>(m_registers.size())))
        m_out.unwritten.push_back(m_registers[number]);
}

void Decoder::layoutParams()
{
    std::int64_t at = 0;
    for (const ptx::Param& param : m_entry.params) {
        at = alignUp(at, param.alignment);
        m_entryParams[param.name] = static_cast<std::uint32_t>(at);
        m_out.paramOffsets.push_back(static_cast<std::uint32_t>(at));
        m_out.paramSizes.push_back(static_cast<std::uint32_t>(param.bytes));
        at += param.bytes;
    }
    m_out.paramBytes = static_cast<std::uint32_t>(at);
}

void Decoder::layoutModule()
{
    // Static variables first: dynamic arrays begin where the static ones end.
    auto visit = [&](const std::vector<ptx::Variable>& variables, auto&& put) {
        for (const ptx::Variable& variable : variables) {
            if (variable.space == Space::Const || variable.space == Space::Global)
                put(variable, placeData(variable));
            else if (variable.space == Space::Shared && variable.bytes > 0)
                put(variable, placeShared(variable));
        }
    };
    visit(m_module.variables,
          [&](const ptx::Variable& variable, std::uint64_t at) { m_moduleVariables[variable.name] = at; });
    for (const ptx::Function& function : m_module.functions) {
        if (function.declaration || (function.entry && &function != &m_entry))
            continue;
        auto& names = m_functionVariables[function.name];
        visit(function.variables,
              [&](const ptx::Variable& variable, std::uint64_t at) { names[variable.name] = at; });
    }
    bool dynamic = false;
    auto anyDynamic = [&](const std::vector<ptx::Variable>& variables) {
        for (const ptx::Variable& variable : variables)
            dynamic = dynamic || (variable.space == Space::Shared && variable.bytes == 0);
    };
    anyDynamic(m_module.variables);
    for (const ptx::Function& function : m_module.functions)
        anyDynamic(function.variables);
    if (!dynamic)
        return;
    m_out.staticShared = alignUp(m_out.staticShared, 16);
    const auto start = static_cast<std::uint64_t>(m_out.staticShared);
    auto place = [&](const std::vector<ptx::Variable>& variables, auto& names) {
        for (const ptx::Variable& variable : variables) {
            if (variable.space != Space::Shared || variable.bytes != 0)
                continue;
            names[variable.name] = start;
            m_dynamicShared.emplace_back(variable.name, start);
            m_out.shared.push_back({variable.name, m_out.staticShared, 0, ptx::bytesOf(variable.type)});
        }
    };
    place(m_module.variables, m_moduleVariables);
    for (const ptx::Function& function : m_module.functions)
        place(function.variables, m_functionVariables[function.name]);
}

std::uint64_t Decoder::placeShared(const ptx::Variable& variable)
{
    m_out.staticShared = alignUp(m_out.staticShared, variable.alignment);
    const std::int64_t at = m_out.staticShared;
    m_out.shared.push_back({variable.name, at, variable.bytes, ptx::bytesOf(variable.type)});
    m_out.staticShared += variable.bytes;
    return static_cast<std::uint64_t>(at);
}

std::uint64_t Decoder::placeData(const ptx::Variable& variable)
{
    const bool constant = variable.space == Space::Const;
    std::vector<std::byte>& bytes = constant ? m_out.constantBytes : m_out.variableBytes;
    const std::int64_t at = alignUp(static_cast<std::int64_t>(bytes.size()), variable.alignment);
    const std::int64_t most = constant ? maxConstantBytes : maxVariableBytes;
    if (at + variable.bytes > most) {
        m_problem = fmt::format("the {} of the program have more than {} KiB",
                                constant ? "constants" : "variables on the device", most >> 10);
        return 0;
    }
    bytes.resize(static_cast<std::size_t>(at + variable.bytes));
    std::copy(variable.initial.begin(), variable.initial.end(), bytes.begin() + at);
    return regionBase(constant ? constantRegion : variableRegion) + static_cast<std::uint64_t>(at);
}

std::uint64_t Decoder::placeLocal(std::int64_t bytes, std::int64_t alignment)
{
    const std::int64_t at = alignUp(m_out.localBytes, std::max<std::int64_t>(alignment, 8));
    m_out.localBytes = at + bytes;
    return static_cast<std::uint64_t>(at);
}

Status Decoder::inlineFunction(const ptx::Function& function, std::map<std::string, std::uint64_t> params,
                               int depth)
{
    if (depth > maxCallDepth)
        return fail(fmt::format("calls in '{}' are nested more than {} deep", m_entry.name, maxCallDepth));
    if (++m_inlinedCalls > maxInlinedCalls)
        return fail(fmt::format("'{}' makes more than {} calls, counted along every path", m_entry.name,
                                maxInlinedCalls));
    Frame frame;
    frame.function = &function;
    frame.params = std::move(params);
    for (const ptx::Register& reg : function.registers) {
        const int bytes = ptx::bytesOf(reg.type);
        if (m_out.registerBytes > maxRegisterBytes)
            break;
        frame.slots.push_back(allot(reg.type == Type::Pred ? 4 : bytes == 8 ? 256 : 128));
        frame.numbers.push_back(static_cast<std::uint32_t>(m_registers.size()));
        m_registers.push_back(
            {frame.slots.back(), static_cast<std::uint8_t>(reg.type == Type::Pred ? 0 : bytes)});
    }
    if (m_out.registerBytes > maxRegisterBytes)
        return fail(fmt::format("'{}' uses too many registers: at most {} of 32 bits are possible",
                                m_entry.name, maxRegisterBytes / 128));
    const auto& statics = m_functionVariables[function.name];
    for (const ptx::Variable& variable : function.variables) {
        const auto found = statics.find(variable.name);
        if (found != statics.end() && variable.space != Space::Local && variable.space != Space::Param)
            frame.variables.push_back(found->second);
        else
            frame.variables.push_back(placeLocal(variable.bytes, variable.alignment));
    }
    if (m_out.localBytes > maxLocalBytes)
        return fail(fmt::format("'{}' needs {} bytes of local memory a thread: at most {} are possible",
                                m_entry.name, m_out.localBytes, maxLocalBytes));

    std::vector<std::uint32_t> starts;
    std::vector<std::pair<std::uint32_t, int>> branches; ///< Position in the code, target in the function.
    std::vector<std::uint32_t> returns;
    for (const ptx::Instruction& instruction : function.instructions) {
        starts.push_back(static_cast<std::uint32_t>(m_out.code.size()));
        if (m_out.code.size() > maxCode)
            return fail(fmt::format("'{}' has more than {} instructions with those of the functions it calls",
                                    m_entry.name, maxCode));
        const ptx::OpcodeForm& form = *instruction.form;
        if (form.op == Op::Call) {
            const ptx::Function* callee = nullptr;
            std::vector<const Operand*> results, arguments;
            for (const Operand& operand : instruction.operands) {
                if (operand.kind == Operand::Kind::Symbol)
                    callee = m_module.find(operand.name);
                else
                    for (const Operand& element : operand.elements)
                        (callee ? arguments : results).push_back(&element);
            }
            std::map<std::string, std::uint64_t> bound;
            for (std::size_t i = 0; i < results.size(); ++i)
                bound[callee->results[i].name] = frame.variables[results[i]->variable];
            for (std::size_t i = 0; i < arguments.size(); ++i)
                bound[callee->params[i].name] = frame.variables[arguments[i]->variable];
            // A guarded call becomes a branch around the inlined body.
            std::uint32_t around = 0;
            if (instruction.guard >= 0) {
                Insn& skip = emit(instruction);
                skip.kind = Kind::Branch;
                skip.pipe = Pipe::Control;
                skip.guarded = true;
                skip.guardNegated = !instruction.guardNegated;
                skip.guard = frame.slots[instruction.guard];
                reads(skip, frame.numbers[instruction.guard]);
                around = static_cast<std::uint32_t>(m_out.code.size());
            }
            if (auto ok = inlineFunction(*callee, std::move(bound), depth + 1); !ok)
                return ok;
            if (around)
                m_out.code[around - 1].target = static_cast<std::uint32_t>(m_out.code.size());
            continue;
        }
        if (form.op == Op::Ret && depth > 0) {
            Insn& jump = emit(instruction);
            jump.kind = Kind::Branch;
            jump.pipe = Pipe::Control;
            if (instruction.guard >= 0) {
                jump.guarded = true;
                jump.guardNegated = instruction.guardNegated;
                jump.guard = frame.slots[instruction.guard];
                reads(jump, frame.numbers[instruction.guard]);
            }
            returns.push_back(static_cast<std::uint32_t>(m_out.code.size()) - 1);
            continue;
        }
        if (auto ok = decode(frame, instruction); !ok)
            return ok;
        if (form.op == Op::Bra)
            branches.emplace_back(static_cast<std::uint32_t>(m_out.code.size()) - 1,
                                  instruction.operands[0].index);
    }
    starts.push_back(static_cast<std::uint32_t>(m_out.code.size()));
    if (depth == 0) {
        // Falling off the end is a return; so is a label behind the last instruction.
        Insn end;
        end.kind = Kind::Exit;
        end.op = Op::Exit;
        end.pipe = Pipe::Control;
        end.internal = true;
        end.lineIndex = m_out.code.empty() ? 0 : m_out.code.back().lineIndex;
        m_out.code.push_back(end);
        if (m_out.lines.empty())
            m_out.lines.push_back(0);
    }
    for (const auto& [at, target] : branches)
        m_out.code[at].target = starts[target];
    for (std::uint32_t at : returns)
        m_out.code[at].target = starts.back();
    return {};
}

std::uint32_t Decoder::constant(std::uint64_t bits, bool wide)
{
    if (!wide)
        bits &= 0xffffffffu;
    const auto [found, added] = m_constants.try_emplace({bits, wide}, 0);
    if (added) {
        found->second = allot(wide ? 256 : 128);
        m_out.constants.push_back({found->second, wide, bits});
    }
    return found->second;
}

std::uint32_t Decoder::special(ptx::SpecialRegister which)
{
    if (which == ptx::SpecialRegister::WarpSize)
        return constant(lanesPerWarp, false);
    std::uint32_t& slot = m_out.specials[static_cast<std::size_t>(which)];
    if (slot == noSlot)
        slot = allot(128);
    return slot;
}

std::uint64_t Decoder::symbol(const Frame& frame, const Operand& operand) const
{
    std::uint64_t base = 0;
    if (operand.variable >= 0) {
        base = frame.variables[operand.variable];
    } else if (const auto param = frame.params.find(operand.name); param != frame.params.end()) {
        base = param->second;
    } else if (const auto found = m_moduleVariables.find(operand.name); found != m_moduleVariables.end()) {
        base = found->second;
    }
    return base + static_cast<std::uint64_t>(operand.offset);
}

Decoder::Source Decoder::source(const Frame& frame, const Operand& operand, Type type)
{
    const bool wide = ptx::bytesOf(type) == 8;
    switch (operand.kind) {
    case Operand::Kind::Register: {
        const Type held = frame.function->registers[operand.index].type;
        return {frame.slots[operand.index], frame.numbers[operand.index], ptx::bytesOf(held) == 8};
    }
    case Operand::Kind::Special:
        if (wide) {
            m_problem = "a special register in a 64-bit operand";
            return {};
        }
        return {special(operand.special), 0, false};
    case Operand::Kind::Integer:
        if (type == Type::Pred)
            return {constant(operand.bits ? allLanes : 0, false), 0, false};
        if (ptx::bytesOf(type) == 2)
            return {constant(operand.bits & 0xffff, false), 0, false};
        return {constant(operand.bits, wide), 0, wide};
    case Operand::Kind::Float: {
        std::uint64_t bits = operand.bits;
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
        return {constant(bits, wide), 0, wide};
    }
    case Operand::Kind::Symbol:
        return {constant(symbol(frame, operand), wide), 0, wide};
    default:
        return {};
    }
}

Decoder::Source Decoder::destination(const Frame& frame, const Operand& operand)
{
    if (operand.kind != Operand::Kind::Register)
        return {scratchSlot, 0, false};
    const Type held = frame.function->registers[operand.index].type;
    return {frame.slots[operand.index], frame.numbers[operand.index], ptx::bytesOf(held) == 8};
}

Insn& Decoder::emit(const ptx::Instruction& instruction)
{
    Insn& insn = m_out.code.emplace_back();
    const auto [found, added] =
        m_lineIndex.try_emplace(instruction.line, static_cast<std::uint32_t>(m_out.lines.size()));
    if (added)
        m_out.lines.push_back(instruction.line);
    insn.lineIndex = found->second;
    insn.op = instruction.form->op;
    insn.type = instruction.form->type;
    return insn;
}

void Decoder::move(const ptx::Instruction& instruction, std::uint32_t to, std::uint32_t from, Type toType,
                   Type fromType)
{
    Insn& insn = emit(instruction);
    LaneKey key;
    key.op = Op::Cvt;
    key.type = toType;
    key.source = fromType;
    lane(insn, key);
    insn.internal = true;
    insn.args.d = to;
    insn.args.a = from;
}

void Decoder::decodeLane(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    LaneKey key;
    key.op = form.op;
    key.type = form.type;
    key.source = form.source;
    key.cmp = form.cmp;
    key.rounding = form.rounding;
    key.ftz = form.ftz;
    key.saturate = form.saturate;
    key.testp = form.testp;
    Insn& insn = emit(instruction);
    insn.scalar = findScalar(form);
    if (insn.scalar)
        insn.kind = Kind::Scalar;
    else if (!lane(insn, key))
        m_problem = fmt::format("'{}' has no implementation", form.text);
    insn.pipe = pipeOf(form);
    const std::vector<Operand>& operands = instruction.operands;
    const Source to = destination(frame, operands[0]);
    insn.valueWide[3] = to.wide;
    LaneArgs args;
    args.d = to.slot;
    writes(insn, to.number);
    const Type word = Type::B32;
    std::array<Type, 4> types{form.type, form.type, form.type, form.type};
    switch (form.op) {
    case Op::Shl:
    case Op::Shr:
        types[1] = word;
        break;
    case Op::Bfe:
        types[1] = types[2] = word;
        break;
    case Op::Bfi:
        types[2] = types[3] = word;
        break;
    case Op::MulWide:
        break;
    case Op::MadWide:
        types[2] = ptx::bytesOf(form.type) == 4 ? Type::B64 : Type::B32;
        break;
    case Op::Setp:
    case Op::Set:
        types = {form.source, form.source, Type::Pred, Type::Pred};
        break;
    case Op::Testp:
        types[0] = form.source;
        break;
    case Op::Cvt:
    case Op::CvtPair:
        types = {form.source, form.source, form.source, form.source};
        break;
    case Op::Selp:
        types[2] = Type::Pred;
        break;
    default:
        break;
    }
    std::uint32_t* const slots[] = {&args.a, &args.b, &args.c, &args.e};
    for (std::size_t i = 1; i < operands.size() && i <= 4; ++i) {
        if (form.op == Op::Lop3 && i == 4) {
            args.imm = static_cast<std::uint32_t>(operands[i].bits);
            break;
        }
        const Source from = source(frame, operands[i], types[i - 1]);
        *slots[i - 1] = from.slot;
        if (i <= 3)
            insn.valueWide[i - 1] = from.wide;
        reads(insn, from.number);
        if (operands[i].negated)
            args.imm |= 1u << (i - 1);
    }
    switch (form.op) {
    case Op::Setp:
        args.imm |= static_cast<std::uint32_t>(form.boolOp) << 8;
        if (operands[0].dual) {
            const Source second = destination(frame, operands[0].elements[0]);
            args.e = second.slot;
            writes(insn, second.number);
        }
        break;
    case Op::Set:
        args.imm = form.type == Type::F32 ? 0x3f800000u : 0xffffffffu;
        break;
    case Op::Testp:
        args.imm = static_cast<std::uint32_t>(form.testp);
        break;
    case Op::AddCC:
    case Op::AddC:
    case Op::AddCCC:
    case Op::SubCC:
    case Op::SubC:
    case Op::SubCCC:
        args.e = m_carry;
        if (form.op != Op::AddCC && form.op != Op::SubCC)
            use(insn, 0, false);
        if (form.op != Op::AddC && form.op != Op::SubC)
            use(insn, 0, true);
        break;
    case Op::Cvta:
    case Op::CvtaTo: {
        // Global and constant addresses are generic ones; windows lie above them.
        const std::uint64_t window = form.space == Space::Shared  ? sharedWindow
                                     : form.space == Space::Local ? localWindow
                                                                  : 0;
        if (window) {
            LaneKey add;
            add.op = form.op == Op::Cvta ? Op::Add : Op::Sub;
            add.type = Type::U64;
            lane(insn, add);
            args.b = constant(window, true);
        }
        break;
    }
    default:
        break;
    }
    insn.args = args;
}

void Decoder::decodeConversion(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    Source from = source(frame, instruction.operands[1], form.source);
    const Source to = destination(frame, instruction.operands[0]);
    const bool narrowSource = from.wide && ptx::bytesOf(form.source) < 8;
    if (narrowSource) {
        move(instruction, m_temporary, from.slot, Type::U32, Type::U64);
        reads(m_out.code.back(), from.number);
    }
    const Type held = instruction.operands[0].kind == Operand::Kind::Register
                          ? frame.function->registers[instruction.operands[0].index].type
                          : form.type;
    const int registerBytes = ptx::bytesOf(held);
    const bool extend = registerBytes > std::max(ptx::bytesOf(form.type), 2) && !ptx::isFloat(form.type);
    LaneKey key;
    key.op = Op::Cvt;
    key.type = form.type;
    key.source = form.source;
    key.rounding = form.rounding;
    key.ftz = form.ftz;
    key.saturate = form.saturate;
    Insn& insn = emit(instruction);
    if (!lane(insn, key))
        m_problem = fmt::format("'{}' has no implementation", form.text);
    insn.pipe = pipeOf(form);
    insn.args.a = narrowSource ? m_temporary : from.slot;
    insn.args.d = extend ? m_temporary2 : to.slot;
    reads(insn, from.number);
    writes(insn, to.number);
    if (extend) {
        const bool sign = ptx::isSigned(form.type);
        const int bytes = std::max(ptx::bytesOf(form.type), 2);
        const Type source = bytes == 4 ? (sign ? Type::S32 : Type::U32) : (sign ? Type::S16 : Type::U16);
        const Type wide =
            registerBytes == 8 ? (sign ? Type::S64 : Type::U64) : (sign ? Type::S32 : Type::U32);
        move(instruction, to.slot, m_temporary2, wide, source);
    }
}

void Decoder::decodeMov(const Frame& frame, const ptx::Instruction& instruction)
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
    Insn& insn = emit(instruction);
    insn.kind = unpack ? Kind::Unpack : Kind::Pack;
    insn.vector = static_cast<std::uint8_t>(parts.size());
    insn.width = static_cast<std::uint8_t>(part);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Source one = unpack ? destination(frame, parts[i]) : source(frame, parts[i], type);
        insn.values[i] = parts[i].kind == Operand::Kind::Sink ? noSlot : one.slot;
        unpack ? writes(insn, one.number) : reads(insn, one.number);
    }
    const Source whole = unpack ? source(frame, from, instruction.form->type) : destination(frame, to);
    insn.args.d = insn.args.a = whole.slot;
    insn.valueWide[0] = bytes == 8;
    unpack ? reads(insn, whole.number) : writes(insn, whole.number);
}

void Decoder::decodeAddress(const Frame& frame, const Operand& address, Insn& insn)
{
    insn.offset = address.index >= 0 ? address.offset : 0;
    if (address.index >= 0) {
        insn.address = frame.slots[address.index];
        insn.addressWide = ptx::bytesOf(frame.function->registers[address.index].type) == 8;
        reads(insn, frame.numbers[address.index]);
    } else {
        insn.address = constant(symbol(frame, address), true);
    }
}

void Decoder::decodeMatrix(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    Insn& insn = emit(instruction);
    insn.kind = form.op == Op::Mma ? Kind::Mma : Kind::LdMatrix;
    insn.pipe = form.op == Op::Mma ? Pipe::Special : Pipe::Shared;
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
            i == 0 ? writes(insn, one.number) : reads(insn, one.number);
        }
    }
}

void Decoder::decodeCopy(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    if (form.op != Op::CpAsync) {
        Insn& insn = emit(instruction);
        insn.pipe = Pipe::Control;
        insn.kind = form.op == Op::CpAsyncCommit ? Kind::CopyCommit : Kind::CopyWait;
        // Groups that may stay under way; everything for wait_all, which also commits.
        insn.args.imm = form.op == Op::CpAsyncWaitGroup ? static_cast<std::uint32_t>(operands[0].bits) : 0;
        insn.args.e = form.op == Op::CpAsyncWaitAll ? 1 : 0;
        return;
    }
    // The source, by whose address lanes are split; `args` hold the place in shared memory.
    Insn& insn = emit(instruction);
    insn.kind = Kind::CopyAsync;
    insn.pipe = Pipe::Memory;
    insn.space = Space::Global;
    insn.width = static_cast<std::uint8_t>(operands[2].bits);
    insn.cachedL1 = form.text.find(".ca.") != std::string::npos;
    decodeAddress(frame, operands[1], insn);
    const Operand& to = operands[0];
    if (to.index >= 0) {
        insn.args.d = frame.slots[to.index];
        insn.valueWide[0] = ptx::bytesOf(frame.function->registers[to.index].type) == 8;
        insn.args.imm = static_cast<std::uint32_t>(to.offset);
        reads(insn, frame.numbers[to.index]);
    } else {
        insn.args.d = constant(symbol(frame, to), true);
        insn.valueWide[0] = true;
        insn.args.imm = 0;
    }
    insn.args.a = noSlot;
    if (operands.size() > 3) { // bytes to read; the rest is zero
        const Source some = source(frame, operands[3], Type::B32);
        insn.args.a = some.slot;
        reads(insn, some.number);
    }
}

/// The size of the parameter of a call or of a called function; nothing where it is none.
std::optional<std::int64_t> Decoder::paramBytes(const Frame& frame, const Operand& address) const
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

void Decoder::decodeMemory(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    const bool load = form.op == Op::Ld;
    const Operand& address = form.op == Op::Ld || form.op == Op::Atom ? operands[1] : operands[0];

    if (load && form.space == Space::Param && frame.params.empty() && &m_entry == frame.function &&
        address.variable < 0) {
        // A parameter of the kernel: a constant of the launch.
        const auto found = m_entryParams.find(address.name);
        const std::int64_t base = found == m_entryParams.end() ? -1 : found->second;
        const int width = ptx::bytesOf(form.type);
        for (int i = 0; i < form.vector; ++i) {
            const Operand& into = form.vector == 1 ? operands[0] : operands[0].elements[i];
            const Source to = destination(frame, into);
            const std::int64_t at = base + address.offset + i * width;
            if (base < 0 || at < 0 || at + width > m_out.paramBytes) {
                m_problem = fmt::format("'{}' reads beyond the parameters", instruction.opcode);
                return;
            }
            const bool sign = ptx::isSigned(form.type);
            const auto key = std::make_tuple(static_cast<std::uint32_t>(at), width, sign, to.wide);
            const auto [slot, added] = m_paramSlots.try_emplace(key, 0);
            if (added) {
                slot->second = allot(to.wide ? 256 : 128);
                m_out.paramUses.push_back({slot->second, to.wide, static_cast<std::uint32_t>(at),
                                           static_cast<std::uint8_t>(width), sign});
            }
            Insn& insn = emit(instruction);
            LaneKey key2;
            key2.op = Op::Mov;
            key2.type = to.wide ? Type::B64 : Type::B32;
            lane(insn, key2);
            insn.op = Op::Mov;
            insn.args.a = slot->second;
            insn.args.d = into.kind == Operand::Kind::Sink ? scratchSlot : to.slot;
            insn.internal = i > 0;
            writes(insn, to.number);
        }
        return;
    }

    if (form.space == Space::Param) {
        const auto bytes = paramBytes(frame, address);
        const std::int64_t width = std::int64_t(ptx::bytesOf(form.type)) * form.vector;
        if (!bytes || address.offset < 0 || address.offset > *bytes - width) {
            m_problem = bytes ? fmt::format("'{}' goes beyond the parameter", instruction.opcode)
                              : "the parameters of a kernel can only be read";
            return;
        }
    }
    Insn& insn = emit(instruction);
    insn.kind = load ? Kind::Load : form.op == Op::St ? Kind::Store : Kind::Atomic;
    insn.space = form.space == Space::Param ? Space::Local : form.space;
    insn.atom = form.atom;
    insn.order = form.order;
    insn.scope = form.scope;
    insn.width = static_cast<std::uint8_t>(ptx::bytesOf(form.type));
    insn.vector = static_cast<std::uint8_t>(form.vector);
    insn.readOnly = form.nonCoherent;
    m_out.strongStores = m_out.strongStores || (form.op == Op::St && form.order != ptx::Order::Weak) ||
                         form.atom == ptx::AtomOp::Cas || form.atom == ptx::AtomOp::Exch;
    m_out.blockScope = m_out.blockScope || form.scope == ptx::Scope::Cta;
    // What is loaded to stream (.cs) is the first to leave L1 again: measured as if it never stayed there.
    insn.cachedL1 = form.order == ptx::Order::Weak && form.text.find(".cg") == std::string::npos &&
                    form.text.find(".cs") == std::string::npos;
    insn.pipe = insn.space == Space::Shared ? Pipe::Shared : Pipe::Memory;
    decodeAddress(frame, address, insn);
    auto value = [&](int index, const Operand& operand) {
        const Source one = load ? destination(frame, operand) : source(frame, operand, form.type);
        insn.values[index] = operand.kind == Operand::Kind::Sink ? noSlot : one.slot;
        insn.valueWide[index] = one.wide;
        load ? writes(insn, one.number) : reads(insn, one.number);
    };
    if (form.op == Op::Ld || form.op == Op::St) {
        const Operand& data = load ? operands[0] : operands[1];
        for (int i = 0; i < form.vector; ++i)
            value(i, form.vector == 1 ? data : data.elements[i]);
        return;
    }
    if (form.op == Op::Atom) {
        const Source to = destination(frame, operands[0]);
        insn.args.d = operands[0].kind == Operand::Kind::Sink ? noSlot : to.slot;
        writes(insn, to.number);
    } else {
        insn.args.d = noSlot;
    }
    const std::size_t first = form.op == Op::Atom ? 2 : 1;
    for (std::size_t i = first; i < operands.size(); ++i)
        value(static_cast<int>(i - first), operands[i]);
    m_out.floatAtomics = m_out.floatAtomics || ptx::isFloat(form.type);
}

void Decoder::decodeWarp(const Frame& frame, const ptx::Instruction& instruction)
{
    const ptx::OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    Insn& insn = emit(instruction);
    insn.pipe = Pipe::Shuffle;
    insn.scope = form.scope;
    auto into = [&](std::size_t i) {
        const Source to = destination(frame, operands[i]);
        insn.args.d = operands[i].kind == Operand::Kind::Sink ? noSlot : to.slot;
        writes(insn, to.number);
        if (operands[i].dual) {
            const Source second = destination(frame, operands[i].elements[0]);
            insn.args.e = operands[i].elements[0].kind == Operand::Kind::Sink ? noSlot : second.slot;
            writes(insn, second.number);
        }
    };
    auto from = [&](std::size_t i, Type type, int slot) {
        const Source one = source(frame, operands[i], type);
        reads(insn, one.number);
        (slot == 0   ? insn.args.a
         : slot == 1 ? insn.args.b
         : slot == 2 ? insn.args.c
                     : insn.address) = one.slot;
        if (operands[i].negated)
            insn.args.imm |= 1u << slot;
        if (slot == 3 && operands[i].kind == Operand::Kind::Integer)
            insn.fullMask = static_cast<std::uint32_t>(operands[i].bits) == allLanes;
    };
    switch (form.op) {
    case Op::ShflUp:
    case Op::ShflDown:
    case Op::ShflBfly:
    case Op::ShflIdx:
        insn.kind = Kind::Shuffle;
        into(0);
        from(1, Type::B32, 0);
        from(2, Type::B32, 1);
        from(3, Type::B32, 2);
        from(4, Type::B32, 3);
        break;
    case Op::VoteAny:
    case Op::VoteAll:
    case Op::VoteUni:
    case Op::VoteBallot:
        insn.kind = Kind::Vote;
        into(0);
        from(1, Type::Pred, 0);
        from(2, Type::B32, 3);
        break;
    case Op::MatchAny:
    case Op::MatchAll:
    case Op::ReduxAdd:
    case Op::ReduxMin:
    case Op::ReduxMax:
    case Op::ReduxAnd:
    case Op::ReduxOr:
    case Op::ReduxXor:
        insn.kind = form.op == Op::MatchAny || form.op == Op::MatchAll ? Kind::Match : Kind::Redux;
        into(0);
        from(1, form.type, 0);
        from(2, Type::B32, 3);
        break;
    case Op::Activemask:
        insn.kind = Kind::Activemask;
        into(0);
        break;
    case Op::BarWarpSync:
        insn.kind = Kind::WarpSync;
        from(0, Type::B32, 3);
        break;
    case Op::BarSync:
    case Op::BarArrive:
        insn.kind = form.op == Op::BarSync ? Kind::Barrier : Kind::BarrierArrive;
        insn.pipe = Pipe::Control;
        from(0, Type::B32, 0);
        insn.args.b = noSlot;
        if (operands.size() > 1)
            from(1, Type::B32, 1);
        break;
    case Op::BarRedPopc:
    case Op::BarRedAnd:
    case Op::BarRedOr:
        insn.kind = Kind::BarrierRed;
        insn.pipe = Pipe::Control;
        into(0);
        from(1, Type::B32, 0);
        insn.args.b = noSlot;
        if (operands.size() > 3)
            from(2, Type::B32, 1);
        from(operands.size() - 1, Type::Pred, 2);
        break;
    case Op::Fence:
        insn.kind = Kind::Fence;
        m_out.blockScope = m_out.blockScope || form.scope == ptx::Scope::Cta;
        insn.pipe = Pipe::Control;
        break;
    case Op::Isspacep:
        insn.kind = Kind::Isspacep;
        insn.pipe = Pipe::Integer;
        insn.space = form.space;
        into(0);
        from(1, Type::B64, 0);
        break;
    default:
        insn.pipe = Pipe::Control;
        insn.kind = form.op == Op::Bra ? Kind::Branch : form.op == Op::Trap ? Kind::Trap : Kind::Exit;
        break;
    }
}

Status Decoder::decode(const Frame& frame, const ptx::Instruction& instruction)
{
    const std::size_t first = m_out.code.size();
    switch (instruction.form->op) {
    case Op::Ld:
    case Op::St:
    case Op::Atom:
    case Op::Red:
        decodeMemory(frame, instruction);
        break;
    case Op::Mov:
        decodeMov(frame, instruction);
        break;
    case Op::Cvt:
        if (findScalar(*instruction.form))
            decodeLane(frame, instruction);
        else
            decodeConversion(frame, instruction);
        break;
    case Op::Prefetch:
        break; // nothing that a result could depend on
    case Op::Mma:
    case Op::LdMatrix:
        decodeMatrix(frame, instruction);
        break;
    case Op::CpAsync:
    case Op::CpAsyncCommit:
    case Op::CpAsyncWaitGroup:
    case Op::CpAsyncWaitAll:
        decodeCopy(frame, instruction);
        break;
    case Op::ShflUp:
    case Op::ShflDown:
    case Op::ShflBfly:
    case Op::ShflIdx:
    case Op::VoteAny:
    case Op::VoteAll:
    case Op::VoteUni:
    case Op::VoteBallot:
    case Op::MatchAny:
    case Op::MatchAll:
    case Op::Activemask:
    case Op::ReduxAdd:
    case Op::ReduxMin:
    case Op::ReduxMax:
    case Op::ReduxAnd:
    case Op::ReduxOr:
    case Op::ReduxXor:
    case Op::BarWarpSync:
    case Op::BarSync:
    case Op::BarArrive:
    case Op::BarRedPopc:
    case Op::BarRedAnd:
    case Op::BarRedOr:
    case Op::Fence:
    case Op::Isspacep:
    case Op::Bra:
    case Op::Ret:
    case Op::Exit:
    case Op::Trap:
        decodeWarp(frame, instruction);
        break;
    default:
        decodeLane(frame, instruction);
        break;
    }
    if (!m_problem.empty())
        return failAt("PTX", instruction.ptxLine, std::move(m_problem));
    for (std::size_t i = first; i < m_out.code.size(); ++i) {
        Insn& insn = m_out.code[i];
        if (instruction.guard >= 0) {
            insn.guarded = true;
            insn.guardNegated = instruction.guardNegated;
            insn.guard = frame.slots[instruction.guard];
            reads(insn, frame.numbers[instruction.guard]);
        }
    }
    return {};
}

} // namespace

Result<KernelCode> decodeKernel(const ptx::Module& module, const ptx::Function& entry)
{
    return Decoder(module, entry).run();
}

} // namespace sparserl::sim
