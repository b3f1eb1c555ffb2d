// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "ptx/token_reader.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace sparserl::ptx {

/// Whether ptxas accepts a name: "a$1", "%r", "$L_1", "_x"; no dots, "%" only as first character, not "_"
/// alone.
bool isIdentifier(std::string_view name);

/// The names in a function's body, block by block. A block sees the names of its enclosing blocks. Names are
/// views into the PTX text.
class Scopes
{
public:
    /// Errors name the current line of `reader`.
    explicit Scopes(const TokenReader& reader)
        : m_reader(reader)
    {
    }

    void enter();
    void leave();
    /// The current block.
    int current() const { return m_current; }

    /// Declares a name. A name may occur once per block, whatever it denotes.
    Status declare(std::string_view name);
    /// A variable: `index` into Function::variables.
    Status declareVariable(std::string_view name, int index);
    /// A register, or with `count` >= 0 the registers "%r0" to "%r(count - 1)".
    Status declareRegisters(std::string_view name, Type type, std::int64_t count);
    /// A label before the instruction `index`.
    Status declareLabel(std::string_view name, int index);
    /// Sets the branch targets (.branchtargets) of a declared name.
    void setTargets(std::string_view name, std::vector<std::string> labels);

    /// Index into the registers of `function`; adds the register on first use.
    Result<int> findRegister(Function& function, std::string_view name);
    /// Index into Function::variables, or -1.
    int findVariable(std::string_view name) const;
    /// nullptr if there are none.
    const std::vector<std::string>* findTargets(std::string_view name) const;
    /// The instruction after a label visible in a block, or -1.
    int findLabel(int scope, std::string_view name) const;
    /// A label that occurs in a block and in an enclosing one, if there is one: assemblers disagree about the
    /// target of a branch to it.
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
        /// Of all kinds except register ranges: ptxas uses one list for them.
        std::set<std::string_view> names;
    };

    Status declareRange(std::string_view prefix, std::int64_t count);

    const TokenReader& m_reader;
    std::vector<Scope> m_scopes{1};
    int m_current = 0;
};

} // namespace sparserl::ptx
