// SPDX-License-Identifier: Apache-2.0
#include "ptx/operand_check.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::ptx {

namespace {

Type ofBytes(int bytes)
{
    return bytes == 8 ? Type::B64 : bytes == 4 ? Type::B32 : Type::B16;
}

} // namespace

Names::Names(const Module& module)
{
    for (const Function& function : module.functions) {
        if (!function.declaration)
            m_functions.emplace(function.name, &function);
    }
    for (const Variable& variable : module.variables)
        m_variables.emplace(variable.name, variable.space);
}

const Function* Names::function(std::string_view name) const
{
    const auto found = m_functions.find(name);
    return found == m_functions.end() ? nullptr : found->second;
}

std::optional<Space> Names::variable(std::string_view name) const
{
    const auto found = m_variables.find(name);
    return found == m_variables.end() ? std::nullopt : std::optional(found->second);
}

std::string OperandCheck::check(const Instruction& instruction)
{
    m_instruction = &instruction;
    if (!instruction.form)
        return fmt::format("the instruction '{}' is not allowed", instruction.opcode);
    const OpcodeForm& form = *instruction.form;
    if (form.action == Action::Move)
        return checkMov(form);
    if (form.action == Action::Call)
        return checkCall();
    return checkShape(form);
}

std::string OperandCheck::bad(std::size_t position) const
{
    return fmt::format("operand {} of '{}' is not supported", position + 1, m_instruction->opcode);
}

Type OperandCheck::registerType(const Operand& operand) const
{
    return operand.kind == Operand::Kind::Register && operand.index >= 0
               ? m_function.registers[operand.index].type
               : Type::None;
}

bool OperandCheck::predicate(const Operand& operand, bool destination) const
{
    if (operand.kind == Operand::Kind::Sink && destination)
        return true;
    if (operand.kind == Operand::Kind::Integer && !destination)
        return true; // "mov.pred %p1, -1": anything but 0 is true
    return registerType(operand) == Type::Pred && !(destination && operand.negated) && !operand.dual;
}

bool OperandCheck::destination(const Operand& operand, int bytes, bool wider) const
{
    if (operand.kind == Operand::Kind::Sink)
        return true;
    const Type type = registerType(operand);
    if (type == Type::None || type == Type::Pred || operand.negated || operand.dual)
        return false;
    return bytesOf(type) == std::max(bytes, 2) || (wider && bytesOf(type) > bytes);
}

bool OperandCheck::source(const Operand& operand, Type wanted, bool wider) const
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

bool OperandCheck::address(const Operand& operand, Space space) const
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

std::optional<Space> OperandCheck::symbolSpace(const Operand& operand) const
{
    if (operand.variable >= 0)
        return m_function.variables[operand.variable].space;
    for (const auto* list : {&m_function.params, &m_function.results}) {
        for (const Param& param : *list) {
            if (param.name == operand.name)
                return Space::Param;
        }
    }
    return m_names.variable(operand.name);
}

std::string OperandCheck::checkShape(const OpcodeForm& form) const
{
    const std::vector<Operand>& operands = m_instruction->operands;
    const std::size_t optional = form.operands.find('?');
    std::string expected(form.operands);
    if (optional != std::string_view::npos) {
        expected.erase(optional, 1);
        if (operands.size() < expected.size())
            expected.erase(optional, 1);
    }
    if (expected == "m" && operands.size() != 1)
        return fmt::format("'{}' takes one mask", m_instruction->opcode);
    if (operands.size() != expected.size())
        return fmt::format("'{}' takes {} operands, not {}", m_instruction->opcode, expected.size(),
                           operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!fits(form, expected[i], operands[i]))
            return bad(i);
    }
    if (const std::size_t size = expected.find('n'); size != std::string::npos) {
        const std::uint64_t bytes = operands[size].bits;
        if (bytes != 16 && (form.cache == CachePolicy::PastL1 || (bytes != 4 && bytes != 8)))
            return fmt::format("'{}' does not copy {} bytes", m_instruction->opcode, bytes);
    }
    return {};
}

bool OperandCheck::fits(const OpcodeForm& form, char letter, const Operand& operand) const
{
    const int bytes = bytesOf(form.type);
    const bool pred = form.type == Type::Pred;
    switch (letter) {
    case 'd':
        return pred ? predicate(operand, true) : destination(operand, bytes);
    case 'x':
        return destination(operand, bytes, true);
    case 'w':
        return destination(operand, 2 * bytes);
    case 'j':
        return destination(operand, 4);
    case 's':
        return pred ? predicate(operand, false) : source(operand, form.type);
    case 'W':
        return source(operand, ofBytes(2 * bytes));
    case 't':
        return source(operand, form.source);
    case 'y':
        return source(operand, form.source, true);
    case 'i':
    case 'm':
        return source(operand, Type::B32);
    case 'l':
        return source(operand, Type::U64);
    case 'k':
    case 'n':
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
    case 'A':
        return source(operand, Type::B64) ||
               (operand.kind == Operand::Kind::Symbol && symbolSpace(operand) == form.space);
    case 'L':
        return operand.kind == Operand::Kind::Label && operand.index >= 0 &&
               operand.index <= static_cast<int>(m_function.instructions.size());
    default:
        return fitsMemory(form, letter, operand) || fitsMatrix(form, letter, operand);
    }
}

bool OperandCheck::fitsMemory(const OpcodeForm& form, char letter, const Operand& operand) const
{
    auto one = [&](const Operand& element) {
        if (letter == 'v')
            return destination(element, bytesOf(form.type), true);
        return source(element, form.type, true);
    };
    switch (letter) {
    case 'a':
        return address(operand, form.space);
    case 'G':
        return address(operand, Space::Shared);
    case 'v':
    case 'u':
        if (form.vector == 1)
            return one(operand);
        return operand.kind == Operand::Kind::Vector &&
               operand.elements.size() == static_cast<std::size_t>(form.vector) &&
               std::all_of(operand.elements.begin(), operand.elements.end(), one);
    default:
        return false;
    }
}

bool OperandCheck::fitsMatrix(const OpcodeForm& form, char letter, const Operand& operand) const
{
    // Halves come two to a register of 32 bits.
    const auto bytes = [](Type type) { return std::max(bytesOf(type), 4); };
    switch (letter) {
    case 'V':
        return registers(operand, form.matrix.k, 4, true);
    case 'M':
        return registers(operand, form.matrix.d, bytes(form.type), true);
    case 'N':
        return registers(operand, form.matrix.a, bytes(form.source), false);
    case 'O':
        return registers(operand, form.matrix.b, bytes(form.source), false);
    case 'P':
        return registers(operand, form.matrix.c, bytes(form.type), false);
    default:
        return false;
    }
}

bool OperandCheck::registers(const Operand& operand, int count, int bytes, bool writes) const
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

std::string OperandCheck::checkMov(const OpcodeForm& form) const
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

std::string OperandCheck::checkCall() const
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
    const Function* callee = target ? m_names.function(target->name) : nullptr;
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

} // namespace sparserl::ptx
