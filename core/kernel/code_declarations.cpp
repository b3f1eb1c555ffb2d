// SPDX-License-Identifier: Apache-2.0
// Declarations: how CodeChecker learns of names and their types.
#include "kernel/code_checker.h"
#include "kernel/cpp_words.h"
#include "kernel/predefined_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = Token::Kind;

bool isFunctionSpecifier(const Token& token)
{
    return token.is("__global__") || token.is("__noinline__") || token.is("__inline__") ||
           token.is("__inline") || token.is("__host__") || token.is("__forceinline__");
}

} // namespace

bool CodeChecker::isDeclaration(Tokens tokens) const
{
    if (tokens.empty() || tokens[0].kind != Kind::Identifier || m_names.isConstant(tokens[0].text))
        return false;
    const Token& first = tokens[0];
    if (isDeclarationSpecifier(first.text) || isFunctionSpecifier(first))
        return true;
    if (!isBuiltinType(first.text) || m_names.find(first.text))
        return false;
    return tokens.size() < 2 || !tokens[1].is("{"); // float4{...}
}

CodeChecker::Reason CodeChecker::declare(const Token& name, Name entry)
{
    entry.line = name.line;
    if (const Name* above = m_names.findInHeader(name.text))
        return stopAt(name, fmt::format("'{}' is declared again; it is {} since line {}", name.text,
                                        describe(above->type), above->line));
    Name* found = m_names.findHere(name.text);
    if (found && found->kind == Name::Kind::Variable && !found->again && !entry.again) {
        const bool same = describe(found->type) == describe(entry.type);
        return stopAt(name, fmt::format("'{}' is declared again{}; it is {} since line {}", name.text,
                                        same ? "" : fmt::format(" as {}", describe(entry.type)),
                                        describe(found->type), found->line));
    }
    if (found && found->kind == Name::Kind::Function && entry.kind == Name::Kind::Variable)
        return stopAt(name, fmt::format("'{}' is a function since line {}", name.text, found->line));
    if (!found || found->kind == Name::Kind::Opaque || !entry.again)
        m_names.add(name.text, std::move(entry));
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::missingType(ExpressionReader& reader)
{
    const Token* token = reader.here();
    if (token && token->kind == Kind::Identifier && !m_names.find(token->text) &&
        mayBePredefined(token->text)) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    if (token && token->kind == Kind::Identifier && !isCppKeyword(token->text) &&
        !m_names.find(token->text) && !m_names.isConstant(token->text))
        reader.refuse(fmt::format("the name '{}' is not declared", token->text));
    else
        reader.refuse("a declaration needs a type");
    return reader.stop();
}

CodeChecker::Reason CodeChecker::declaration(Tokens tokens)
{
    ExpressionReader reader(m_names, tokens);
    const auto specifiers = reader.specifiers(true);
    if (!specifiers)
        return resultOf(reader);
    if (!specifiers->any)
        return missingType(reader);
    if (reader.atEnd())
        return std::nullopt; // int;
    do {
        Reason reason = declarator(reader, *specifiers);
        if (reason || m_mode != Mode::Full)
            return reason;
    } while (reader.take(","));
    if (!reader.atEnd())
        reader.unexpected();
    return resultOf(reader);
}

/// `[8][n]`; `open` where a size is missing.
void CodeChecker::arrayBounds(ExpressionReader& reader, CppType& type, bool& open) const
{
    while (!reader.failed() && reader.take("[")) {
        if (reader.is("]")) {
            open = true;
        } else {
            const CppValue bound = reader.assignment();
            if (!reader.failed() && (bound.changes || bound.type.isFloating() || bound.type.pointsTo()))
                reader.refuse("the size of an array needs an integer constant");
        }
        if (!reader.failed() && !reader.take("]"))
            reader.unexpected();
        if (type.known())
            ++type.arrays;
    }
}

/// `= value`, `{values}` or `(values)`, if there is one.
void CodeChecker::initialiser(ExpressionReader& reader, const ExpressionReader::Specifiers& specifiers,
                              const Token& name, const CppType& type, bool rvalue)
{
    if (reader.take("=")) {
        if (reader.is("{")) {
            reader.braced(type);
        } else {
            const CppValue given = reader.assignment();
            const bool exact = type.reference && !(type.constants >> type.pointers & 1);
            if (type.arrays > 0 && given.type.known() && given.type.base != CppType::Base::Char)
                reader.refuse("an array takes its values in braces");
            else if (given.type.isVoid())
                reader.refuse("the value is void");
            else if (!type.reference)
                reader.checkConversion(given, type, "the value");
            else if (exact && type.known() && !reader.failed() && given.temporary && !rvalue)
                reader.refuse("a reference needs a variable");
            if (specifiers.automatic && given.type.known() && !reader.failed()) {
                CppType deduced = type.reference ? given.type : given.type.decayed();
                if (deduced.isFunction() || deduced.base == CppType::Base::Null)
                    deduced = {};
                if (specifiers.constant && deduced.known() && !deduced.pointsTo())
                    deduced.constants |= 1;
                if (Name* declared = m_names.findHere(name.text); declared && !deduced.pointsTo())
                    declared->type = deduced;
            }
        }
    } else if (reader.is("{")) {
        reader.braced(type);
    } else if (reader.is("(")) {
        reader.skip();
        std::size_t count = 0;
        do {
            const CppValue given = reader.assignment();
            if (++count == 1 && reader.is(")") && !type.reference)
                reader.checkConversion(given, type, "the value");
        } while (!reader.failed() && reader.take(","));
        if (!reader.failed() && !reader.take(")"))
            reader.unexpected();
    }
}

CodeChecker::Reason CodeChecker::declarator(ExpressionReader& reader,
                                            const ExpressionReader::Specifiers& specifiers)
{
    Name entry;
    entry.kind = Name::Kind::Variable;
    const bool rvalue = reader.is("&&");
    entry.type = reader.pointers(specifiers.type);
    const Token* name = reader.here();
    if (!reader.failed() && (reader.is("(") || reader.is("..."))) {
        lower(Mode::BracketsOnly); // A pointer to a function or an array; perhaps a cast.
        return std::nullopt;
    }
    if (!reader.failed() && (!name || name->kind != Kind::Identifier || isCppKeyword(name->text) ||
                             m_names.isConstant(name->text)))
        reader.unexpected();
    if (reader.failed())
        return resultOf(reader);
    if (isDeclarationSpecifier(name->text) || isFunctionSpecifier(*name)) {
        lower(Mode::BracketsOnly); // float __shared__ a[4];
        return std::nullopt;
    }
    const Predefined* predefined = findPredefined(name->text);
    if (predefined && predefined->kind == Predefined::Kind::Macro) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    reader.skip();
    bool open = false;
    arrayBounds(reader, entry.type, open);
    if (reader.failed())
        return resultOf(reader);
    const bool value = reader.is("=") || reader.is("{") || reader.is("(");
    if (value && specifiers.shared && !reader.is("{"))
        return stopAt(*name, fmt::format("'{}' is shared and cannot begin with a value", name->text));
    if (entry.type.isVoid())
        return stopAt(*name, fmt::format("'{}' cannot be void", name->text));
    if (!value && !specifiers.external) {
        if (open)
            return stopAt(*name, fmt::format("the array '{}' has no size", name->text));
        if (entry.type.reference)
            return stopAt(*name, fmt::format("the reference '{}' refers to nothing", name->text));
        if (specifiers.automatic)
            return stopAt(*name, fmt::format("'{}' has neither type nor value", name->text));
        const bool scalar = entry.type.isArithmetic() || entry.type.isPointer();
        if (scalar && entry.type.isConst())
            return stopAt(*name, fmt::format("'{}' is const and has no value", name->text));
    }
    entry.again = specifiers.external;
    entry.changes = !specifiers.fixed && !(entry.type.known() && entry.type.isConst()) &&
                    !specifiers.automatic && !specifiers.constant && !entry.type.reference;
    if (reader.is("(")) { // Values or parameters of a function.
        const bool empty = reader.is(")", 1);
        const Token* inside = reader.here(1);
        if (empty || (inside && inside->kind == Kind::Identifier && !m_names.find(inside->text) &&
                      (isBuiltinType(inside->text) || isDeclarationSpecifier(inside->text)))) {
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
    }
    if (auto reason = declare(*name, entry))
        return reason;
    initialiser(reader, specifiers, *name, entry.type, rvalue);
    if (!reader.failed() && !reader.atEnd() && !reader.is(","))
        reader.unexpected();
    return resultOf(reader);
}

} // namespace sparserl
