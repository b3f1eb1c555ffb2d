// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/name_table.h"
#include "kernel/token_ranges.h"
#include "kernel/verifier.h"

#include <optional>

namespace sparserl {

/// The properties of an expression that are known.
struct CppValue
{
    CppType type;
    bool lvalue = false;
    bool null = false;      ///< The expression is a literal 0.
    bool changes = false;   ///< The expression is certainly not a constant expression.
    bool temporary = false; ///< The expression is certainly not an lvalue.

    /// Makes a value that is not an lvalue.
    static CppValue of(const CppType& valueType)
    {
        CppValue value;
        value.type = valueType;
        value.temporary = valueType.known();
        return value;
    }
};

/// Reads expressions, types and initialisers of CUDA C++ without user-defined templates, classes or macros.
/// Checks grammar, names and operand types. Stops at code that no compiler accepts (`stop`) and gives up at
/// code that it does not understand (`lost`). In both cases, it reads nothing more.
class ExpressionReader
{
public:
    ExpressionReader(const NameTable& names, TokenRange tokens)
        : m_names(names)
        , m_tokens(tokens)
    {
    }

    /// Reads an expression, which may contain comma operators, to the end of the tokens.
    CppValue whole();
    /// Reads an expression that ends at a top-level comma or at the end of the tokens.
    CppValue assignment();
    /// Reads `{...}` element by element, with conversion checks if `to` is a scalar.
    void braced(const CppType& to);
    /// Reads const, volatile and type words in any order. Returns nullopt if none of the words is a type
    /// word. If `declaration` is true, also accepts other specifiers among them.
    struct Specifiers
    {
        CppType type;
        bool automatic = false, external = false, shared = false, constant = false, any = false;
        bool fixed = false; ///< The type is constexpr or const.
    };
    std::optional<Specifiers> specifiers(bool declaration);
    /// Reads `*`, `&`, const and the like after a type.
    CppType pointers(CppType type);

    bool atEnd() const { return m_at >= m_tokens.size() || failed(); }
    const Token* here(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_tokens.size() ? &m_tokens[m_at + ahead] : nullptr;
    }
    bool is(std::string_view text, std::size_t ahead = 0) const
    {
        const Token* token = here(ahead);
        return token && token->is(text) && token->kind != Token::Kind::String &&
               token->kind != Token::Kind::Char;
    }
    bool take(std::string_view text);
    void skip(std::size_t count = 1) { m_at += count; }
    std::size_t position() const { return m_at; }

    bool failed() const { return m_lost || m_stop; }
    bool lost() const { return m_lost; }
    const std::optional<Stop>& stop() const { return m_stop; }
    void giveUp() { m_lost = m_lost || !m_stop; }
    void refuse(std::string reason);
    /// Reports a token that is not allowed here.
    void unexpected();
    /// Refuses a value that does not convert to `to`.
    void checkConversion(const CppValue& value, const CppType& to, std::string_view what);
    /// Refuses a value that cannot be a condition.
    void checkCondition(const CppValue& value);

private:
    CppValue conditional();
    CppValue binary(int minimum);
    CppValue unary();
    CppValue postfix(CppValue value);
    CppValue primary();
    CppValue name();
    CppValue construction();
    CppValue declaredName(const Name& entry);
    CppValue predefinedName();
    CppValue number();
    CppValue namedCast();
    CppValue castOf(const CppType& type, CppValue value, bool implicitToo);
    CppValue subscript(CppValue value);
    CppValue member(CppValue value, bool arrow);
    CppValue call(const Token& name);
    std::vector<CppValue> arguments();
    CppValue callOwn(const Name& entry, const Token& name, const std::vector<CppValue>& arguments);
    CppValue combine(const Token& op, const CppValue& left, const CppValue& right);
    CppValue assign(const Token& op, const CppValue& left, const CppValue& right);
    bool checkModifiable(const CppValue& value, int line);
    bool startsType(std::size_t ahead) const;
    std::optional<CppType> typeId();

    const NameTable& m_names;
    TokenRange m_tokens;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_lost = false;
    std::optional<Stop> m_stop;
};

/// Returns the result type of a call to a predefined function, or Unknown. Sets `wrong` to a message if no
/// predefined function `name` accepts the arguments.
CppType resultOfPredefined(std::string_view name, const std::vector<CppValue>& arguments, std::string& wrong);

} // namespace sparserl
