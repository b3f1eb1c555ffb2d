// SPDX-License-Identifier: Apache-2.0
// Declarations and uses of names: the symbol table of CodeChecker.
#include "kernel/code_checker.h"
#include "kernel/cpp_words.h"
#include "kernel/token_ranges.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = Token::Kind;

bool isWord(const Token& token)
{
    return token.kind == Kind::Identifier;
}

bool isPlainName(const Token& token)
{
    return isWord(token) && !isCppKeyword(token.text) && !isBuiltinType(token.text) &&
           !isDeclarationSpecifier(token.text) && !isCudaVariable(token.text);
}

bool isPointerPart(const Token& token)
{
    return token.is("*") || token.is("&") || token.is("&&") || token.is("const") || token.is("volatile") ||
           token.is("__restrict__") || token.is("__restrict");
}

/// One declarator: its own part of the type, its name, and what initialises it.
struct Declarator
{
    std::string type;
    const Token* name = nullptr;
    std::vector<TokenRange> bounds;
    TokenRange initialiser;
    bool parenthesised = false; ///< Initialised by (...): could also be a function; not looked into.
};

std::optional<Declarator> readDeclarator(TokenRange tokens)
{
    Declarator result;
    std::size_t i = 0;
    for (; i < tokens.size() && isPointerPart(tokens[i]); ++i) {
        if (tokens[i].is("*") || tokens[i].is("&") || tokens[i].is("&&"))
            result.type += tokens[i].text;
    }
    if (i >= tokens.size() || !isPlainName(tokens[i]))
        return std::nullopt;
    result.name = &tokens[i++];
    while (i < tokens.size() && tokens[i].is("[")) {
        const std::size_t close = matchingClose(tokens, i);
        if (close >= tokens.size())
            return std::nullopt;
        result.bounds.push_back(tokens.subspan(i + 1, close - i - 1));
        result.type += "[]";
        i = close + 1;
    }
    if (i == tokens.size())
        return result;
    if (tokens[i].is("=")) {
        result.initialiser = tokens.subspan(i + 1);
        return result.initialiser.empty() ? std::nullopt : std::optional(result);
    }
    if ((tokens[i].is("{") || tokens[i].is("(")) && matchingClose(tokens, i) + 1 == tokens.size()) {
        result.parenthesised = tokens[i].is("(");
        result.initialiser = tokens.subspan(i);
        return result;
    }
    return std::nullopt;
}

} // namespace

bool CodeChecker::isDeclaration(Tokens tokens) const
{
    if (tokens.empty() || !isWord(tokens[0]))
        return false;
    return isDeclarationSpecifier(tokens[0].text) || isBuiltinType(tokens[0].text);
}

CodeChecker::Reason CodeChecker::declare(const Token& name, const std::string& type, bool loose)
{
    Scope& scope = m_scopes.back();
    const std::string key(name.text);
    const auto found = scope.find(key);
    if (found != scope.end() && !found->second.loose) {
        if (loose)
            return std::nullopt;
        const std::string now = found->second.type == type ? "again" : fmt::format("again as {}", type);
        return Stop{name.line,
                    fmt::format("'{}' is declared {}; it is {} since line {}", key, now, found->second.type,
                                found->second.line),
                    false};
    }
    scope[key] = {type, name.line, loose};
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::declaration(Tokens tokens, bool loose)
{
    std::string type;
    std::size_t i = 0;
    for (; i < tokens.size() && isWord(tokens[i]); ++i) {
        if (isBuiltinType(tokens[i].text))
            type += fmt::format("{}{}", type.empty() ? "" : " ", tokens[i].text);
        else if (tokens[i].is("extern"))
            loose = true;
        else if (!isDeclarationSpecifier(tokens[i].text))
            break;
    }
    std::vector<Declarator> declarators;
    for (const TokenRange piece : splitTopLevel(tokens.subspan(i), ",")) {
        const auto declarator = readDeclarator(piece);
        if (type.empty() || !declarator) {
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
        declarators.push_back(*declarator);
    }
    for (const Declarator& declarator : declarators) {
        for (const TokenRange bound : declarator.bounds) {
            if (auto reason = expression(bound))
                return reason;
        }
        if (m_mode != Mode::Full)
            return std::nullopt;
        if (auto reason =
                declare(*declarator.name, type + declarator.type, loose || declarator.parenthesised))
            return reason;
        if (declarator.parenthesised)
            continue;
        if (auto reason = expression(declarator.initialiser))
            return reason;
        if (m_mode != Mode::Full)
            return std::nullopt;
    }
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::expression(Tokens tokens)
{
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (!isPlainName(token))
            continue;
        if (i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->")))
            continue;
        const std::string name(token.text);
        if (isDeclared(name))
            continue;
        const Token* next = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
        if (next && next->is("<")) { // Perhaps a template of the compiler's own: its commas would mislead us.
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
        // A call may be of any of the thousand functions that the compiler knows: the compiler decides.
        if ((next && next->is("(")) || mayBePredefined(name))
            continue;
        return Stop{token.line, fmt::format("the name '{}' is not declared", name), false};
    }
    return std::nullopt;
}

} // namespace sparserl
