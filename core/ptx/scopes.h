// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "ptx/token_reader.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace sparserl::ptx {

/// What ptxas takes for a name: "a$1", "%r", "$L_1", "_x"; no dots, "%" only in front, not "_" alone.
bool isIdentifier(std::string_view name);

/// The names of a function's body, block by block: a block sees those of the blocks around it. Names are
/// views into the PTX text.
class Scopes
{
public:
    /// Errors name the line where `reader` is.
    explicit Scopes(const TokenReader& reader)
        : m_reader(reader)
    {
    }

    void enter();
    void leave();
    /// The block that is read now.
    int current() const { return m_current; }

    /// A name may stand once in a block, whatever it names.
    Status declare(std::string_view name);
    /// A variable: `index` into Function::variables.
    Status declareVariable(std::string_view name, int index);
    /// A register, or with `count` >= 0 the registers "%r0" to "%r(count - 1)".
    Status declareRegisters(std::string_view name, Type type, std::int64_t count);
    /// A label in front of the instruction `index`.
    Status declareLabel(std::string_view name, int index);
    /// The list of labels to branch to (.branchtargets) of a name that is declared.
    void setTargets(std::string_view name, std::vector<std::string> labels);

    /// Index into the registers of `function`, which gets the register when it is first used.
    Result<int> findRegister(Function& function, std::string_view name);
    /// Index into Function::variables, or -1.
    int findVariable(std::string_view name) const;
    /// Or nullptr.
    const std::vector<std::string>* findTargets(std::string_view name) const;
    /// The instruction behind a label that a block sees, or -1.
    int findLabel(int scope, std::string_view name) const;
    /// A label that stands in a block and in one around it, if there is one: which of the two a branch means
    /// depends on the assembler.
    std::optional<std::string_view> ambiguousLabel() const;

private:
    struct RegisterRange
    {
        Type type = Type::None;
        std::int64_t count = -1; ///< -1: exactly this name
    };
    /// Names between one pair of braces.
    struct Scope
    {
        int parent = -1;
        std::unordered_map<std::string_view, RegisterRange> ranges;
        std::unordered_map<std::string_view, int> registers;
        std::unordered_map<std::string_view, int> variables;
        std::unordered_map<std::string_view, int> labels;
        std::unordered_map<std::string_view, std::vector<std::string>> targets;
        /// Of all kinds but ranges of registers: ptxas has one list for them.
        std::set<std::string_view> names;
    };

    Status declareRange(std::string_view prefix, std::int64_t count);

    const TokenReader& m_reader;
    std::vector<Scope> m_scopes{1};
    int m_current = 0;
};

} // namespace sparserl::ptx
