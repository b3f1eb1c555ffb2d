// SPDX-License-Identifier: Apache-2.0
#include "ptx/module.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace sparserl::ptx {

namespace {

/// Operand shapes of an operation, one letter each, optional ones after '?':
/// d destination of the type, w of twice its width, j of 32 bits; s source of the type, W of twice its width,
/// t of the source type, i of 32 bits, k an integer constant; p predicate source, q predicate destination, Q
/// the same or two; D destination with an optional predicate; a address; v destination or vector; u source or
/// vector; L label; A 64-bit source or symbol; G address in shared memory; V the vector of ldmatrix; M, N, O,
/// P the vectors D, A, B, C of mma.
std::string_view shapeOf(const OpcodeForm& form)
{
    switch (form.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::MulHi:
    case Op::Mul24:
    case Op::Div:
    case Op::DivApprox:
    case Op::DivFull:
    case Op::Rem:
    case Op::Min:
    case Op::Max:
    case Op::MinNaN:
    case Op::MaxNaN:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Copysign:
    case Op::AddCC:
    case Op::AddC:
    case Op::AddCCC:
    case Op::SubCC:
    case Op::SubC:
    case Op::SubCCC:
        return "dss";
    case Op::MulWide:
        return "wss";
    case Op::MadWide:
        return "wssW";
    case Op::Mad:
    case Op::MadHi:
    case Op::Fma:
    case Op::Prmt:
        return "dsss";
    case Op::Sad:
    case Op::Dp4a:
    case Op::Dp2aLo:
    case Op::Dp2aHi:
    case Op::AbsDiff4:
    case Op::AbsDiff2:
        return "dsss";
    case Op::CvtPair:
        return "dtt";
    case Op::Prefetch:
        return "a";
    case Op::LdMatrix:
        return "Va";
    case Op::CpAsync:
        return "Gak?i";
    case Op::CpAsyncCommit:
    case Op::CpAsyncWaitAll:
        return "";
    case Op::CpAsyncWaitGroup:
        return "k";
    case Op::Mma:
        return "MNOP";
    case Op::ShfLeftWrap:
    case Op::ShfLeftClamp:
    case Op::ShfRightWrap:
    case Op::ShfRightClamp:
        return "dssi";
    case Op::Abs:
    case Op::Neg:
    case Op::Not:
    case Op::Brev:
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
        return "ds";
    case Op::Shl:
    case Op::Shr:
        return "dsi";
    case Op::Bfe:
        return "dsii";
    case Op::Bfi:
        return "dssii";
    case Op::Bfind:
    case Op::BfindShift:
    case Op::Popc:
    case Op::Clz:
        return "js";
    case Op::Lop3:
        return "dsssk";
    case Op::Setp:
        return form.boolOp == BoolOp::None ? "Qtt" : "Qttp";
    case Op::Set:
        return "dtt";
    case Op::Selp:
        return "dssp";
    case Op::Cvt:
        return "dt";
    case Op::Testp:
        return "qt";
    case Op::Cvta:
    case Op::CvtaTo:
        return "dA";
    case Op::Isspacep:
        return "qs";
    case Op::Ld:
        return "va";
    case Op::St:
        return "au";
    case Op::Atom:
        return form.atom == AtomOp::Cas ? "dass" : "das";
    case Op::Red:
        return "as";
    case Op::ShflUp:
    case Op::ShflDown:
    case Op::ShflBfly:
    case Op::ShflIdx:
        return "Dsiii";
    case Op::VoteAny:
    case Op::VoteAll:
    case Op::VoteUni:
        return "qpi";
    case Op::VoteBallot:
        return "jpi";
    case Op::MatchAny:
        return "jsi";
    case Op::MatchAll:
        return "Jsi";
    case Op::Activemask:
        return "j";
    case Op::ReduxAdd:
    case Op::ReduxMin:
    case Op::ReduxMax:
    case Op::ReduxAnd:
    case Op::ReduxOr:
    case Op::ReduxXor:
        return "dsi";
    case Op::BarWarpSync:
        return "i";
    case Op::BarSync:
        return "i?i";
    case Op::BarArrive:
        return "ii";
    case Op::BarRedPopc:
        return "ji?ip";
    case Op::BarRedAnd:
    case Op::BarRedOr:
        return "qi?ip";
    case Op::Fence:
    case Op::Ret:
    case Op::Exit:
    case Op::Trap:
        return "";
    case Op::Bra:
        return "L";
    case Op::Mov:
    case Op::MovPack:
    case Op::Call:
        break;
    }
    return "*";
}

/// What a module declares, by name: a text of 1 MiB may declare and use tens of thousands.
struct Names
{
    std::unordered_map<std::string_view, const Function*> functions; ///< With a body, the first of a name.
    std::unordered_map<std::string_view, Space> variables;

    explicit Names(const Module& module)
    {
        for (const Function& function : module.functions) {
            if (!function.declaration)
                functions.emplace(function.name, &function);
        }
        for (const Variable& variable : module.variables)
            variables.emplace(variable.name, variable.space);
    }
    const Function* find(std::string_view name) const
    {
        const auto found = functions.find(name);
        return found == functions.end() ? nullptr : found->second;
    }
};

class Checker
{
public:
    Checker(const Names& names, const Function& function)
        : m_names(names)
        , m_function(function)
    {
    }
    /// Empty, or why the instruction is not supported.
    std::string check(const Instruction& instruction)
    {
        m_instruction = &instruction;
        if (!instruction.form)
            return fmt::format("the instruction '{}' is not allowed", instruction.opcode);
        const OpcodeForm& form = *instruction.form;
        if (form.op == Op::Mov)
            return checkMov(form);
        if (form.op == Op::Call)
            return checkCall();
        return checkShape(form, shapeOf(form));
    }

private:
    std::string bad(std::size_t position) const
    {
        return fmt::format("operand {} of '{}' is not supported", position + 1, m_instruction->opcode);
    }

    Type registerType(const Operand& operand) const
    {
        return operand.kind == Operand::Kind::Register && operand.index >= 0
                   ? m_function.registers[operand.index].type
                   : Type::None;
    }
    bool predicate(const Operand& operand, bool destination) const
    {
        if (operand.kind == Operand::Kind::Sink && destination)
            return true;
        if (operand.kind == Operand::Kind::Integer && !destination)
            return true; // "mov.pred %p1, -1": anything but 0 is true
        return registerType(operand) == Type::Pred && !(destination && operand.negated) && !operand.dual;
    }
    /// Registers hold at least 16 bits; loads, stores and conversions may use wider ones than the type.
    bool destination(const Operand& operand, int bytes, bool wider = false) const
    {
        if (operand.kind == Operand::Kind::Sink)
            return true;
        const Type type = registerType(operand);
        if (type == Type::None || type == Type::Pred || operand.negated || operand.dual)
            return false;
        return bytesOf(type) == std::max(bytes, 2) || (wider && bytesOf(type) > bytes);
    }
    bool source(const Operand& operand, Type wanted, bool wider = false) const
    {
        if (operand.negated || operand.dual)
            return false;
        switch (operand.kind) {
        case Operand::Kind::Register:
            return operand.index >= 0 && registerType(operand) != Type::Pred &&
                   destination(operand, bytesOf(wanted), wider);
        case Operand::Kind::Integer:
            return !isFloat(wanted);
        case Operand::Kind::Float:
            // As ptxas has it: bits of the same width may be written as a float, integers may not.
            return isFloat(wanted) ||
                   ((wanted == Type::B32 || wanted == Type::B64) && operand.floatBytes == bytesOf(wanted));
        case Operand::Kind::Special:
            return operand.index >= 0 && bytesOf(wanted) == 4 && !isFloat(wanted);
        default:
            return false;
        }
    }
    bool address(const Operand& operand, Space space) const
    {
        if (operand.kind != Operand::Kind::Address)
            return false;
        if (operand.index >= 0) {
            const Type type = m_function.registers[operand.index].type;
            const bool narrow = space == Space::Shared || space == Space::Local;
            return space != Space::Param && !isFloat(type) &&
                   (bytesOf(type) == 8 || (narrow && bytesOf(type) == 4));
        }
        return !operand.name.empty() && symbolSpace(operand).has_value() &&
               (*symbolSpace(operand) == space || space == Space::Generic);
    }
    std::optional<Space> symbolSpace(const Operand& operand) const
    {
        if (operand.variable >= 0)
            return m_function.variables[operand.variable].space;
        for (const auto* list : {&m_function.params, &m_function.results}) {
            for (const Param& param : *list) {
                if (param.name == operand.name)
                    return Space::Param;
            }
        }
        const auto found = m_names.variables.find(operand.name);
        return found == m_names.variables.end() ? std::nullopt : std::optional(found->second);
    }
    static Type ofBytes(int bytes) { return bytes == 8 ? Type::B64 : bytes == 4 ? Type::B32 : Type::B16; }

    std::string checkShape(const OpcodeForm& form, std::string_view shape) const
    {
        const std::vector<Operand>& operands = m_instruction->operands;
        const std::size_t optional = shape.find('?');
        std::string expected(shape);
        if (optional != std::string_view::npos) {
            expected.erase(optional, 1);
            if (operands.size() < expected.size())
                expected.erase(optional, 1);
        }
        if (form.op == Op::BarWarpSync && operands.size() != 1)
            return fmt::format("'{}' takes one mask", m_instruction->opcode);
        if (operands.size() != expected.size())
            return fmt::format("'{}' takes {} operands, not {}", m_instruction->opcode, expected.size(),
                               operands.size());
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (!fits(form, expected[i], operands[i]))
                return bad(i);
        }
        if (form.op == Op::CpAsync) {
            const std::uint64_t bytes = operands[2].bits;
            if (bytes != 16 && (form.vector == 16 || (bytes != 4 && bytes != 8)))
                return fmt::format("'{}' does not copy {} bytes", m_instruction->opcode, bytes);
        }
        return {};
    }

    bool fits(const OpcodeForm& form, char letter, const Operand& operand) const
    {
        const int bytes = bytesOf(form.type);
        const bool pred = form.type == Type::Pred;
        switch (letter) {
        case 'd':
            if (pred)
                return predicate(operand, true);
            return destination(operand, bytes, form.op == Op::Cvt);
        case 'w':
            return destination(operand, 2 * bytes);
        case 'j':
            return destination(operand, 4);
        case 's':
            return pred ? predicate(operand, false) : source(operand, form.type);
        case 'W':
            return source(operand, ofBytes(2 * bytes));
        case 't':
            return source(operand, form.source, form.op == Op::Cvt);
        case 'i':
            return source(operand, Type::B32);
        case 'k':
            return operand.kind == Operand::Kind::Integer && operand.bits < 256;
        case 'p':
            return predicate(operand, false);
        case 'q':
            return predicate(operand, true);
        case 'Q':
        case 'D':
        case 'J': {
            Operand first = operand;
            first.dual = false;
            first.elements.clear();
            const bool firstFits = letter == 'Q' ? predicate(first, true) : destination(first, 4);
            if (!operand.dual)
                return firstFits;
            return firstFits && operand.elements.size() == 1 && predicate(operand.elements[0], true);
        }
        case 'a':
            return address(operand, form.space);
        case 'v':
        case 'u': {
            auto one = [&](const Operand& element) {
                if (letter == 'v')
                    return destination(element, bytes, true);
                return source(element, form.type, true);
            };
            if (form.vector == 1)
                return one(operand);
            return operand.kind == Operand::Kind::Vector &&
                   operand.elements.size() == static_cast<std::size_t>(form.vector) &&
                   std::all_of(operand.elements.begin(), operand.elements.end(), one);
        }
        case 'G':
            return address(operand, Space::Shared);
        case 'V':
            return registers(operand, form.matrix.k, 4, true);
        case 'M':
            return registers(operand, form.matrix.d, matrixBytes(form, form.type), true);
        case 'N':
            return registers(operand, form.matrix.a, matrixBytes(form, form.source), false);
        case 'O':
            return registers(operand, form.matrix.b, matrixBytes(form, form.source), false);
        case 'P':
            return registers(operand, form.matrix.c, matrixBytes(form, form.type), false);
        case 'A':
            return source(operand, Type::B64) ||
                   (operand.kind == Operand::Kind::Symbol && symbolSpace(operand) == form.space);
        case 'L':
            return operand.kind == Operand::Kind::Label && operand.index >= 0 &&
                   operand.index <= static_cast<int>(m_function.instructions.size());
        default:
            return false;
        }
    }

    /// Halves come two to a register of 32 bits.
    static int matrixBytes(const OpcodeForm&, Type type) { return std::max(bytesOf(type), 4); }
    bool registers(const Operand& operand, int count, int bytes, bool writes) const
    {
        const auto one = [&](const Operand& element) {
            return writes ? destination(element, bytes)
                          : element.kind == Operand::Kind::Register && source(element, ofBytes(bytes));
        };
        if (operand.kind != Operand::Kind::Vector)
            return false;
        return operand.elements.size() == static_cast<std::size_t>(count) &&
               std::all_of(operand.elements.begin(), operand.elements.end(), one);
    }

    std::string checkMov(const OpcodeForm& form) const
    {
        const std::vector<Operand>& operands = m_instruction->operands;
        if (operands.size() != 2)
            return fmt::format("'{}' takes 2 operands", m_instruction->opcode);
        const Operand& to = operands[0];
        const Operand& from = operands[1];
        const int bytes = bytesOf(form.type);
        if (form.type == Type::Pred) {
            if (!predicate(to, true))
                return bad(0);
            return predicate(from, false) ? std::string() : bad(1);
        }
        auto vector = [&](const Operand& operand, bool writes) {
            if (operand.elements.size() != 2 && operand.elements.size() != 4)
                return false;
            const int part = bytes / static_cast<int>(operand.elements.size());
            return part >= 2 &&
                   std::all_of(operand.elements.begin(), operand.elements.end(), [&](const Operand& element) {
                       return writes ? destination(element, part) : source(element, ofBytes(part));
                   });
        };
        if (to.kind == Operand::Kind::Vector) {
            if (!vector(to, true))
                return bad(0);
            return source(from, form.type) ? std::string() : bad(1);
        }
        if (!destination(to, bytes))
            return bad(0);
        if (from.kind == Operand::Kind::Vector)
            return vector(from, false) ? std::string() : bad(1);
        if (from.kind == Operand::Kind::Symbol) {
            const auto space = symbolSpace(from);
            return space && *space != Space::Param && bytes >= 4 ? std::string() : bad(1);
        }
        return source(from, form.type) ? std::string() : bad(1);
    }

    std::string checkCall() const
    {
        std::vector<const Operand*> results, arguments;
        const Operand* target = nullptr;
        for (const Operand& operand : m_instruction->operands) {
            if (operand.kind == Operand::Kind::List) {
                for (const Operand& element : operand.elements)
                    (target ? arguments : results).push_back(&element);
            } else if (!target && operand.kind == Operand::Kind::Symbol) {
                target = &operand;
            } else {
                return "an indirect call is not allowed";
            }
        }
        const Function* callee = target ? m_names.find(target->name) : nullptr;
        if (!callee || callee->entry) {
            return fmt::format(
                "a call of '{}' is not allowed: only functions of the program itself can be called",
                target ? target->name : "?");
        }
        if (results.size() != callee->results.size() || arguments.size() != callee->params.size())
            return fmt::format("the call of '{}' does not match its parameters", callee->name);
        auto matches = [&](const std::vector<const Operand*>& given, const std::vector<Param>& wanted) {
            for (std::size_t i = 0; i < given.size(); ++i) {
                const Operand& operand = *given[i];
                if (operand.kind != Operand::Kind::Symbol || operand.variable < 0)
                    return false;
                const Variable& variable = m_function.variables[operand.variable];
                if (variable.space != Space::Param || variable.bytes != wanted[i].bytes)
                    return false;
            }
            return true;
        };
        if (!matches(results, callee->results) || !matches(arguments, callee->params))
            return fmt::format("the call of '{}' does not match its parameters", callee->name);
        return {};
    }

    const Names& m_names;
    const Function& m_function;
    const Instruction* m_instruction = nullptr;
};

/// A call path from `function` back to a function on the path, by depth-first search with a stack of its own:
/// chains of calls may be long.
bool recursive(const Names& names, const Function& function, std::unordered_map<const Function*, int>& state)
{
    enum
    {
        OnPath = 1,
        Done = 2
    };
    struct Level
    {
        const Function* function;
        std::size_t next = 0; ///< Instruction.
    };
    if (state[&function] == Done)
        return false;
    std::vector<Level> path{{&function}};
    state[&function] = OnPath;
    while (!path.empty()) {
        Level& level = path.back();
        if (level.next == level.function->instructions.size()) {
            state[level.function] = Done;
            path.pop_back();
            continue;
        }
        const Instruction& instruction = level.function->instructions[level.next++];
        if (!instruction.form || instruction.form->op != Op::Call)
            continue;
        const auto target =
            std::find_if(instruction.operands.begin(), instruction.operands.end(),
                         [](const Operand& operand) { return operand.kind == Operand::Kind::Symbol; });
        const Function* callee = target == instruction.operands.end() ? nullptr : names.find(target->name);
        if (!callee)
            continue;
        int& seen = state[callee];
        if (seen == OnPath)
            return true;
        if (seen == Done)
            continue;
        seen = OnPath;
        path.push_back({callee});
    }
    return false;
}

} // namespace

std::optional<Unsupported> firstUnsupported(const Module& module)
{
    for (const Variable& variable : module.variables) {
        // What has initial values is data that nothing may write; anything else would be state.
        if (variable.space == Space::Global && (variable.external || variable.initial.empty()))
            return Unsupported{
                fmt::format("the global variable '{}' is not allowed: it would keep state between "
                            "launches",
                            variable.name),
                {},
                0,
                variable.ptxLine};
        if (variable.initialAddresses)
            return Unsupported{fmt::format("the table of addresses '{}' is not supported", variable.name),
                               {},
                               0,
                               variable.ptxLine};
    }
    const Names names(module);
    std::unordered_map<const Function*, int> calls;
    for (const Function& function : module.functions) {
        if (function.declaration) {
            if (function.external)
                return Unsupported{fmt::format("the external function '{}' is not allowed", function.name),
                                   function.name, 0, function.ptxLine};
            continue;
        }
        for (const Variable& variable : function.variables) {
            if (variable.initialAddresses)
                return Unsupported{fmt::format("the table of addresses '{}' is not supported", variable.name),
                                   function.name, 0, variable.ptxLine};
            if (variable.space == Space::Global && variable.initial.empty())
                return Unsupported{
                    fmt::format("the global variable '{}' is not allowed: it would keep state between "
                                "launches",
                                variable.name),
                    function.name, 0, variable.ptxLine};
        }
        Checker checker(names, function);
        for (const Instruction& instruction : function.instructions) {
            std::string reason = checker.check(instruction);
            for (const Operand& operand : instruction.operands) {
                if (reason.empty() || operand.kind != Operand::Kind::Special || operand.index >= 0)
                    continue;
                reason = fmt::format("the special register '{}' is not allowed", operand.name);
            }
            if (!reason.empty())
                return Unsupported{std::move(reason), function.name, instruction.line, instruction.ptxLine};
        }
        if (recursive(names, function, calls))
            return Unsupported{fmt::format("'{}' calls itself, which is not allowed", function.name),
                               function.name, 0, function.ptxLine};
    }
    return std::nullopt;
}

} // namespace sparserl::ptx
