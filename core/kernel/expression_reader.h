// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/name_table.h"
#include "kernel/token_ranges.h"
#include "kernel/verifier.h"

#include <optional>

namespace sparserl {

/// What an expression is, as far as it is known.
struct CppValue
{
    CppType type;
    bool lvalue = false;
    bool null = false;      ///< A literal 0.
    bool changes = false;   ///< Certainly no constant expression.
    bool temporary = false; ///< Certainly no lvalue.

    /// A value without a place.
    static CppValue of(const CppType& valueType)
    {
        CppValue value;
        value.type = valueType;
        value.temporary = valueType.known();
        return value;
    }
};

/// Reads expressions, types and initialisers of CUDA C++ that uses no templates, classes or macros of its
/// own: grammar, names, operand types. Stops at what no compiler takes (`stop`), and gives up at what it does
/// not understand (`lost`); after either, nothing more is read.
class ExpressionReader
{
public:
    ExpressionReader(const NameTable& names, TokenRange tokens)
        : m_names(names)
        , m_tokens(tokens)
    {
    }

    /// An expression with commas, to the end of the tokens.
    CppValue whole();
    /// One that ends at a top-level comma or at the end.
    CppValue assignment();
    /// `{...}`; what is inside is read one by one, against `to` where that is one scalar.
    void braced(const CppType& to);
    /// const, volatile and type words in any order, at least one of the latter; nothing if none is here.
    /// Other specifiers that may stand among them are taken with `declaration`.
    struct Specifiers
    {
        CppType type;
        bool automatic = false, external = false, shared = false, constant = false, any = false;
        bool fixed = false; ///< constexpr or const
    };
    std::optional<Specifiers> specifiers(bool declaration);
    /// `*`, `&`, const and the like.
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
    /// The sentence for a token that cannot stand here.
    void unexpected();
    /// Refuses a value that cannot become `to`.
    void checkConversion(const CppValue& value, const CppType& to, std::string_view what);
    /// Refuses what cannot be a condition.
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

/// The type that a call of a predefined function has, or Unknown; a sentence in `wrong` where no such
/// function takes these arguments.
CppType resultOfPredefined(std::string_view name, const std::vector<CppValue>& arguments, std::string& wrong);

} // namespace sparserl
