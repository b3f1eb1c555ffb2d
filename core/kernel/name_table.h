// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/cpp_type.h"

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// One overload of a function.
struct FunctionShape
{
    std::vector<CppType> parameters;
    std::size_t required = 0; ///< The number of parameters without default values.
    CppType result;
    bool known = true;    ///< The parameters are known.
    bool defined = false; ///< The function has a body.
    int line = 0;
};

struct Name
{
    enum class Kind
    {
        Variable,
        Function,
        Opaque ///< The name is declared, but its type is unknown.
    };
    Kind kind = Kind::Opaque;
    CppType type;
    bool changes = false; ///< Certainly not a constant expression.
    int line = 0;
    bool again = false; ///< The name may be redeclared, because it is `extern`.
    std::vector<FunctionShape> functions;
};

/// The scopes that are open at one point of the text. The file's scope is the outermost scope. Statements
/// with a header are scopes, too.
class NameTable
{
public:
    enum class Scope
    {
        File,
        Function,
        Block,
        If,
        Else,
        Loop, ///< for and while
        Do,
        Switch
    };
    struct Level
    {
        Scope kind = Scope::File;
        std::map<std::string, Name, std::less<>> names;
    };

    NameTable() { m_levels.push_back({}); }

    const Name* find(std::string_view name) const;
    /// Finds a name in the innermost scope.
    Name* findHere(std::string_view name);
    /// Finds a name in the header of the statement whose body is the innermost scope.
    const Name* findInHeader(std::string_view name) const;
    void add(std::string_view name, Name entry)
    {
        m_levels.back().names[std::string(name)] = std::move(entry);
    }
    Level& file() { return m_levels.front(); }
    void push(Scope kind) { m_levels.push_back({kind, {}}); }
    void pop() { m_levels.pop_back(); }
    Scope top() const { return m_levels.back().kind; }
    void turnIntoElse() { m_levels.back().kind = Scope::Else; }
    /// Returns true if a scope of one of these kinds is open inside the function.
    bool inside(std::initializer_list<Scope> kinds) const;
    std::size_t depth() const { return m_levels.size(); }

    /// Adds an integer of the plan, which the compiler sees as a literal.
    void addConstant(std::string name) { m_constants.insert(std::move(name)); }
    bool isConstant(std::string_view name) const { return m_constants.find(name) != m_constants.end(); }

    /// The result type of the current function.
    CppType result;

private:
    std::vector<Level> m_levels;
    std::set<std::string, std::less<>> m_constants;
};

} // namespace sparserl
