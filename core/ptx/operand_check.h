// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <unordered_map>

namespace sparserl::ptx {

/// Looks up a module's declarations by name. It uses hash tables, because a text of 1 MiB may declare and use
/// tens of thousands of names.
class Names
{
public:
    explicit Names(const Module& module);
    /// Returns the first function that has this name and a body, or nullptr.
    const Function* function(std::string_view name) const;
    /// Returns the space of a module variable, or nullopt if there is no such variable.
    std::optional<Space> variable(std::string_view name) const;

private:
    std::unordered_map<std::string_view, const Function*> m_functions;
    std::unordered_map<std::string_view, Space> m_variables;
};

/// Checks the operands of a function's instructions against the letters of their forms (opcodes.def).
class OperandCheck
{
public:
    OperandCheck(const Names& names, const Function& function)
        : m_names(names)
        , m_function(function)
    {
    }
    /// Returns why the instruction is not supported, or an empty text if it is supported.
    std::string check(const Instruction& instruction);

private:
    std::string checkShape(const OpcodeForm& form) const;
    std::string checkMov(const OpcodeForm& form) const;
    std::string checkCall() const;
    /// Returns whether an operand matches a letter.
    bool fits(const OpcodeForm& form, char letter, const Operand& operand) const;
    bool fitsMemory(const OpcodeForm& form, char letter, const Operand& operand) const;
    bool fitsMatrix(const OpcodeForm& form, char letter, const Operand& operand) const;

    std::string bad(std::size_t position) const;
    Type registerType(const Operand& operand) const;
    bool predicate(const Operand& operand, bool destination) const;
    /// Registers have at least 16 bits; loads, stores and conversions may use registers wider than the type.
    bool destination(const Operand& operand, int bytes, bool wider = false) const;
    bool source(const Operand& operand, Type wanted, bool wider = false) const;
    bool address(const Operand& operand, Space space) const;
    std::optional<Space> symbolSpace(const Operand& operand) const;
    bool registers(const Operand& operand, int count, int bytes, bool writes) const;

    const Names& m_names;
    const Function& m_function;
    const Instruction* m_instruction = nullptr;
};

} // namespace sparserl::ptx
