// SPDX-License-Identifier: Apache-2.0
#include "ptx/body.h"

#include "ptx/declarations.h"
#include "ptx/operands.h"
#include "ptx/tensor_fragments.h"

#include <fmt/format.h>

namespace sparserl::ptx {

namespace {

constexpr std::size_t maxTargets = 1024;
constexpr std::size_t maxInstructions = 1u << 19; ///< Indexed branches and wmma multiply.

Operand registerOperand(int index)
{
    Operand operand;
    operand.index = index;
    return operand;
}

class BodyReader
{
public:
    BodyReader(TokenReader& reader, Locations& locations, std::size_t index, Function& function)
        : m_reader(reader)
        , m_locations(locations)
        , m_index(index)
        , m_function(function)
        , m_scopes(reader)
    {
    }
    Status read();

private:
    Status statement();
    Status registers();
    Status label();
    Status branchTargets(std::string_view label);
    Status instruction();
    /// "@%p" or "@!%p".
    Status guard(Instruction& instruction);
    Status indexedBranch(const Instruction& branch);
    void append(Instruction instruction);
    Status resolveLabels();

    TokenReader& m_reader;
    Locations& m_locations;
    std::size_t m_index;
    Function& m_function;
    Scopes m_scopes;
    struct Pending
    {
        std::size_t instruction;
        int scope;
    };
    std::vector<Pending> m_branches; ///< Labels may stand behind the branches to them.
};

Status BodyReader::read()
{
    m_locations.startBody();
    for (const auto* list : {&m_function.params, &m_function.results})
        for (const Param& param : *list)
            SPARSERL_CHECK(m_scopes.declare(param.name));
    int depth = 1;
    while (depth > 0) {
        if (m_reader.peek().kind == Token::Kind::End)
            return m_reader.error(fmt::format("the body of '{}' does not end", m_function.name));
        if (m_reader.accept("{")) {
            m_scopes.enter();
            if (++depth > 128)
                return m_reader.error("blocks are nested too deeply");
        } else if (m_reader.accept("}")) {
            m_scopes.leave();
            --depth;
        } else {
            SPARSERL_CHECK(statement());
        }
    }
    return resolveLabels();
}

Status BodyReader::statement()
{
    if (m_reader.accept(".reg"))
        return registers();
    if (m_reader.accept(".loc"))
        return m_locations.read(m_reader);
    if (m_reader.accept(".pragma")) {
        noteDirective(m_function.directives, ".pragma");
        m_reader.next();
        return m_reader.expect(";");
    }
    for (const auto& [text, space] : {std::pair(".local", Space::Local), std::pair(".shared", Space::Shared),
                                      std::pair(".param", Space::Param), std::pair(".global", Space::Global),
                                      std::pair(".const", Space::Const)}) {
        if (m_reader.accept(text)) {
            SPARSERL_TRY(Declared declared, readVariable(m_reader, space));
            SPARSERL_CHECK(
                m_scopes.declareVariable(declared.name, static_cast<int>(m_function.variables.size())));
            m_function.variables.push_back(std::move(declared.variable));
            return {};
        }
    }
    const Token& colon = m_reader.peek(1);
    if (m_reader.peek().kind == Token::Kind::Word && colon.text == ":" &&
        colon.kind == Token::Kind::Punctuation)
        return label();
    return instruction();
}

Status BodyReader::registers()
{
    if (m_reader.is(".v2") || m_reader.is(".v4"))
        return m_reader.error("vector registers are not supported");
    auto type = typeFromWord(m_reader.peek().text);
    if (m_reader.is(".f16") || m_reader.is(".bf16"))
        type = Type::B16;
    else if (m_reader.is(".f16x2") || m_reader.is(".bf16x2") || m_reader.is(".tf32"))
        type = Type::B32;
    if (!type)
        return m_reader.error(
            fmt::format("the type of a register expected before '{}'", m_reader.peek().text));
    if (bytesOf(*type) == 1 && *type != Type::Pred)
        return m_reader.error("8-bit registers are not supported");
    m_reader.next();
    do {
        SPARSERL_TRY(const std::string_view name, m_reader.word("a register"));
        std::int64_t count = -1;
        if (m_reader.accept("<")) {
            SPARSERL_TRY(count, m_reader.integer("a count of registers"));
            SPARSERL_CHECK(m_reader.expect(">"));
        }
        SPARSERL_CHECK(m_scopes.declareRegisters(name, *type, count));
    } while (m_reader.accept(","));
    return m_reader.expect(";");
}

Status BodyReader::label()
{
    const std::string_view name = m_reader.next().text;
    m_reader.next();
    if (m_reader.accept(".branchtargets"))
        return branchTargets(name);
    if (m_reader.is(".calltargets") || m_reader.is(".callprototype"))
        return m_reader.error(fmt::format("'{}' (an indirect call) is not supported", m_reader.peek().text));
    return m_scopes.declareLabel(name, static_cast<int>(m_function.instructions.size()));
}

Status BodyReader::branchTargets(std::string_view label)
{
    SPARSERL_CHECK(m_scopes.declare(label));
    std::vector<std::string> names;
    do {
        SPARSERL_TRY(const std::string_view name, m_reader.word("a label"));
        names.emplace_back(name);
        if (names.size() > maxTargets)
            return m_reader.error("too many branch targets");
    } while (m_reader.accept(","));
    m_scopes.setTargets(label, std::move(names));
    return m_reader.expect(";");
}

void BodyReader::append(Instruction instruction)
{
    m_locations.place(m_index, m_function.instructions.size());
    m_function.instructions.push_back(std::move(instruction));
}

/// brx.idx becomes what it means: a comparison and a branch for each target, and a trap behind. (A switch of
/// NVRTC is one.)
Status BodyReader::indexedBranch(const Instruction& branch)
{
    if (branch.operands.size() != 2 || branch.operands[1].kind != Operand::Kind::Label)
        return m_reader.error("'brx.idx' takes an index and the label of a list of targets");
    const std::vector<std::string>* targets = m_scopes.findTargets(branch.operands[1].name);
    if (!targets)
        return m_reader.error(
            fmt::format("'{}' is not a list of branch targets that stands above", branch.operands[1].name));
    if (m_function.instructions.size() + 2 * targets->size() >= maxInstructions)
        return m_reader.error("too many branch targets");
    const int chosen = static_cast<int>(m_function.registers.size());
    m_function.registers.push_back({"%brx" + std::to_string(chosen), Type::Pred});
    const auto add = [&](std::string opcode) -> Instruction {
        Instruction made;
        made.opcode = std::move(opcode);
        made.form = findOpcode(made.opcode);
        made.ptxLine = branch.ptxLine;
        return made;
    };
    for (std::size_t i = 0; i < targets->size(); ++i) {
        Operand number, label;
        number.kind = Operand::Kind::Integer;
        number.bits = i;
        Instruction compare = add(branch.guard < 0 ? "setp.eq.u32" : "setp.eq.and.u32");
        compare.operands = {registerOperand(chosen), branch.operands[0], number};
        if (branch.guard >= 0) {
            compare.operands.push_back(registerOperand(branch.guard));
            compare.operands.back().negated = branch.guardNegated;
        }
        append(std::move(compare));
        Instruction jump = add("bra");
        jump.guard = chosen;
        label.kind = Operand::Kind::Label;
        label.name = (*targets)[i];
        jump.operands = {label};
        m_branches.push_back({m_function.instructions.size(), m_scopes.current()});
        append(std::move(jump));
    }
    // An index beyond the table goes nowhere.
    Instruction stop = add("trap");
    stop.guard = branch.guard;
    stop.guardNegated = branch.guardNegated;
    append(std::move(stop));
    return {};
}

Status BodyReader::guard(Instruction& instruction)
{
    instruction.guardNegated = m_reader.accept("!");
    SPARSERL_TRY(const std::string_view name, m_reader.word("a predicate"));
    SPARSERL_TRY(instruction.guard, m_scopes.findRegister(m_function, name));
    if (m_function.registers[instruction.guard].type != Type::Pred)
        return m_reader.error(fmt::format("the guard '{}' is not a predicate", name));
    return {};
}

Status BodyReader::instruction()
{
    Instruction result;
    result.ptxLine = m_reader.peek().line;
    if (m_reader.accept("@"))
        SPARSERL_CHECK(guard(result));
    SPARSERL_TRY(const std::string_view opcode, m_reader.word("an instruction"));
    if (opcode.front() == '.' || opcode.front() == '%')
        return m_reader.error(fmt::format("'{}' is not supported here", opcode));
    result.opcode = std::string(opcode);
    result.opcodeAt = m_reader.offsetOf(opcode);
    const Spelling spelling = readOpcode(opcode);
    result.form = spelling.form;
    result.keepsInCache = spelling.keepsInCache;
    const bool indexed = opcode == "brx.idx" || opcode == "brx.idx.uni";
    const bool branches = opcode.substr(0, 3) == "bra" || indexed;
    if (!m_reader.is(";")) {
        do {
            // The index of brx.idx stands before the label of its targets.
            const bool mayLabel = branches && !(indexed && result.operands.empty());
            SPARSERL_TRY(Operand operand, readOperand(m_reader, m_scopes, m_function, mayLabel));
            result.operands.push_back(std::move(operand));
            if (result.operands.size() > 16)
                return m_reader.error("too many operands");
        } while (m_reader.accept(","));
    }
    SPARSERL_CHECK(m_reader.expect(";"));
    // "ld.global.u32 {%r1}, [%rd1];", as Triton writes it.
    if (result.form && result.form->vector == 1 &&
        (result.form->action == Action::Load || result.form->action == Action::Store ||
         result.form->action == Action::Move))
        for (Operand& part : result.operands)
            if (part.kind == Operand::Kind::Vector && part.elements.size() == 1)
                part = Operand(part.elements[0]);
    if (indexed)
        return indexedBranch(result);
    if (auto expanded = expandFragments(m_function, result)) {
        if (m_function.instructions.size() + expanded->size() >= maxInstructions / 4)
            return m_reader.error("too many instructions for matrices");
        for (Instruction& one : *expanded)
            append(std::move(one));
        return {};
    }
    if (branches)
        m_branches.push_back({m_function.instructions.size(), m_scopes.current()});
    append(std::move(result));
    return {};
}

Status BodyReader::resolveLabels()
{
    if (const auto label = m_scopes.ambiguousLabel())
        return failAt("PTX", m_function.ptxLine,
                      fmt::format("the label '{}' stands in a block and around it", *label));
    for (const Pending& pending : m_branches) {
        Instruction& branch = m_function.instructions[pending.instruction];
        for (Operand& target : branch.operands) {
            if (target.kind != Operand::Kind::Label)
                continue;
            target.index = m_scopes.findLabel(pending.scope, target.name);
            if (target.index < 0)
                return failAt("PTX", branch.ptxLine,
                              fmt::format("the label '{}' does not exist", target.name));
        }
    }
    return {};
}

} // namespace

Status readBody(TokenReader& reader, Locations& locations, std::size_t index, Function& function)
{
    return BodyReader(reader, locations, index, function).read();
}

} // namespace sparserl::ptx
