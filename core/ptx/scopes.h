// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "ptx/token_reader.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace sparserl::ptx {

/// Returns whether ptxas accepts a name, such as "a$1", "%r", "$L_1" or "_x". A name must not contain dots,
/// may contain "%" only as its first character, and must not be "_".
bool isIdentifier(std::string_view name);

/// The names that the blocks of a function's body declare. A block sees the names of its enclosing blocks.
/// Names are views into the PTX text.
class Scopes
{
public:
    /// Errors contain the current line of `reader`, which must outlive this object.
    explicit Scopes(const TokenReader& reader)
        : m_reader(reader)
    {
    }

    void enter();
    void leave();
    /// Returns the number of the current block.
    int current() const { return m_current; }

    /// Declares a name. A name may occur once per block, whatever it denotes.
    Status declare(std::string_view name);
    /// Declares a variable with its index into Function::variables.
    Status declareVariable(std::string_view name, int index);
    /// Declares the register `name` or, if `count` >= 0, the registers with this prefix and a number: "%r0"
    /// to "%r(count - 1)".
    Status declareRegisters(std::string_view name, Type type, std::int64_t count);
    /// Declares a label before the instruction with this index.
    Status declareLabel(std::string_view name, int index);
    /// Sets the branch targets (.branchtargets) of a declared name.
    void setTargets(std::string_view name, std::vector<std::string> labels);

    /// Returns an index into the registers of `function`. Adds the register when it is first used.
    Result<int> findRegister(Function& function, std::string_view name);
    /// Returns an index into Function::variables, or -1.
    int findVariable(std::string_view name) const;
    /// Returns the branch targets of a name, or nullptr if it has none.
    const std::vector<std::string>* findTargets(std::string_view name) const;
    /// Returns the index of the instruction after a label that the block `scope` can see, or -1.
    int findLabel(int scope, std::string_view name) const;
    /// Returns a label that is declared both in a block and in an enclosing block, if any. Assemblers
    /// disagree about the target of a branch to such a label.
    std::optional<std::string_view> ambiguousLabel() const;

private:
    struct RegisterRange
    {
        Type type = Type::None;
        std::int64_t count = -1; ///< -1: only the name itself.
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
        /// All names except register ranges. ptxas keeps them in one list, so a name can denote only one
        /// thing.
        std::set<std::string_view> names;
    };

    Status declareRange(std::string_view prefix, std::int64_t count);

    const TokenReader& m_reader;
    std::vector<Scope> m_scopes{1};
    int m_current = 0;
};

} // namespace sparserl::ptx
