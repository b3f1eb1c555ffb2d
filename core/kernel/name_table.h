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

/// One of the functions of a name.
struct FunctionShape
{
    std::vector<CppType> parameters;
    std::size_t required = 0; ///< Parameters without a default.
    CppType result;
    bool known = true;    ///< False: nothing is said about its parameters.
    bool defined = false; ///< It has a body.
    int line = 0;
};

struct Name
{
    enum class Kind
    {
        Variable,
        Function,
        Opaque ///< Declared in a way that says nothing of its type.
    };
    Kind kind = Kind::Opaque;
    CppType type;
    bool changes = false; ///< Certainly no constant expression.
    int line = 0;
    bool again = false; ///< May be declared again: `extern`.
    std::vector<FunctionShape> functions;
};

/// Scopes of a function being read, the file's outermost. Statements with a header are scopes too.
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
    /// In the innermost scope.
    Name* findHere(std::string_view name);
    /// In the header of the statement whose body the innermost scope is.
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
    /// True where a scope of one of these kinds is open inside the function.
    bool inside(std::initializer_list<Scope> kinds) const;
    std::size_t depth() const { return m_levels.size(); }

    /// Integers of the plan: literals to the compiler.
    void addConstant(std::string name) { m_constants.insert(std::move(name)); }
    bool isConstant(std::string_view name) const { return m_constants.find(name) != m_constants.end(); }

    /// What the function being read returns.
    CppType result;

private:
    std::vector<Level> m_levels;
    std::set<std::string, std::less<>> m_constants;
};

} // namespace sparserl
