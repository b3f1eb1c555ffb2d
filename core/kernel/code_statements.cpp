// SPDX-License-Identifier: Apache-2.0
// Statements inside functions: what CodeChecker says of each as it ends.
#include "kernel/code_checker.h"
#include "kernel/cpp_words.h"
#include "kernel/predefined_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = Token::Kind;

bool hasTopLevel(TokenRange tokens, std::string_view text)
{
    return splitTopLevel(tokens, text).size() > 1;
}

} // namespace

CodeChecker::Reason CodeChecker::resultOf(const ExpressionReader& reader)
{
    if (reader.lost())
        lower(Mode::BracketsOnly);
    return reader.stop();
}

/// `else` goes on with the innermost `if` that has ended.
CodeChecker::Reason CodeChecker::attachElse(const Token& word)
{
    while (m_ended) {
        if (m_names.top() == Scope::If) {
            m_names.turnIntoElse();
            return std::nullopt;
        }
        if (m_names.top() != Scope::Else && m_names.top() != Scope::Loop && m_names.top() != Scope::Switch)
            break;
        m_names.pop();
    }
    return stopAt(word, "'else' has no 'if'");
}

CodeChecker::Reason CodeChecker::endOfDo(Tokens tokens, const Token& end)
{
    if (tokens.empty() || !tokens[0].is("while"))
        return stopAt(tokens.empty() ? end : tokens[0], "'while' is missing after 'do'");
    const bool whole =
        tokens.size() > 1 && tokens[1].is("(") && matchingClose(tokens, 1) + 1 == tokens.size();
    if (!whole || !end.is(";"))
        return stopAt(tokens[0], "the end of 'do' is not 'while (...);'");
    m_names.pop();
    return condition(tokens.subspan(2, tokens.size() - 3), false);
}

/// Ends what the statement before was the last part of, and takes an `else` that goes on with it. After the
/// end of a `do` nothing is left of `tokens`.
CodeChecker::Reason CodeChecker::beginStatement(Tokens& tokens, const Token& end)
{
    if (!m_ended)
        return std::nullopt;
    if (!tokens.empty() && tokens[0].is("else")) {
        Reason reason = attachElse(tokens[0]);
        tokens = tokens.subspan(1);
        m_ended = false;
        return reason;
    }
    while (m_names.top() == Scope::If || m_names.top() == Scope::Else || m_names.top() == Scope::Loop ||
           m_names.top() == Scope::Switch)
        m_names.pop();
    m_ended = false;
    if (m_names.top() != Scope::Do)
        return std::nullopt;
    Reason reason = endOfDo(tokens, end);
    m_ended = true;
    return reason;
}

/// Everything since the last statement end; `end` is the ';' behind it or the '{' of a block that belongs to
/// it.
CodeChecker::Reason CodeChecker::statement(Tokens tokens, const Token& end)
{
    if (auto reason = beginStatement(tokens, end))
        return reason;
    if (m_ended)
        return std::nullopt;
    while (!tokens.empty() && m_mode == Mode::Full) {
        const Token& first = tokens[0];
        if (first.is("else"))
            return stopAt(first, "'else' has no 'if'");
        if (first.is("case") || first.is("default")) {
            if (!m_names.inside({Scope::Switch}))
                return stopAt(first, fmt::format("'{}' outside of 'switch'", first.text));
            // Labels can follow each other without end: only as far as this one goes.
            const auto colon = std::find_if(tokens.begin(), tokens.end(),
                                            [](const Token& t) { return t.is(":") || t.is("?"); });
            if (colon == tokens.end())
                return stopAt(first, fmt::format("the ':' of '{}' is missing", first.text));
            if (colon->is("?")) {
                lower(Mode::BracketsOnly);
                return std::nullopt;
            }
            const auto used = static_cast<std::size_t>(colon - tokens.begin());
            const Tokens value = tokens.subspan(1, used - 1);
            if (first.is("case") == value.empty())
                return stopAt(first, fmt::format("'{}' cannot be followed by this", first.text));
            if (!value.empty()) {
                ExpressionReader reader(m_names, value);
                const CppValue read = reader.whole();
                if (!reader.failed() && (read.changes || read.type.isFloating() || read.type.pointsTo()))
                    return stopAt(first, "a 'case' needs an integer constant");
                if (auto reason = resultOf(reader))
                    return reason;
            }
            tokens = tokens.subspan(used + 1);
        } else if (first.kind == Kind::Identifier && tokens.size() > 1 && tokens[1].is(":") &&
                   !isCppKeyword(first.text)) {
            tokens = tokens.subspan(2);
        } else if (first.is("do")) {
            m_names.push(Scope::Do);
            tokens = tokens.subspan(1);
        } else if (first.is("if") || first.is("for") || first.is("while") || first.is("switch")) {
            if (auto reason = control(tokens))
                return reason;
        } else {
            // What it declares is gone after it, unless it stands in a block.
            const bool alone = m_names.top() != Scope::Block && m_names.top() != Scope::Function;
            if (alone)
                m_names.push(Scope::Block);
            if (auto reason = simpleStatement(tokens))
                return reason;
            if (alone)
                m_names.pop();
            if (end.is("{") && m_mode == Mode::Full)
                return stopAt(end, "';' is missing before '{'");
            break;
        }
    }
    m_ended = end.is(";");
    return std::nullopt;
}

/// `if (...)` and the like at the beginning of `tokens`, which lose it.
CodeChecker::Reason CodeChecker::control(Tokens& tokens)
{
    const Token& word = tokens[0];
    const std::size_t open = tokens.size() > 1 && word.is("if") && tokens[1].is("constexpr") ? 2 : 1;
    if (open >= tokens.size() || !tokens[open].is("("))
        return stopAt(word, fmt::format("'{}' needs a '('", word.text));
    const std::size_t close = matchingClose(tokens, open);
    if (close >= tokens.size()) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    const Tokens inside = tokens.subspan(open + 1, close - open - 1);
    tokens = tokens.subspan(close + 1);
    m_names.push(word.is("if") ? Scope::If : word.is("switch") ? Scope::Switch : Scope::Loop);
    const auto pieces = splitTopLevel(inside, ";");
    if (word.is("for")) {
        if (pieces.size() < 3 && hasTopLevel(inside, ":")) { // for (int v : values)
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
        if (pieces.size() != 3)
            return stopAt(word, "'for' needs two ';'");
        if (!pieces[0].empty()) {
            if (auto reason = simpleStatement(pieces[0]))
                return reason;
        }
        if (!pieces[1].empty()) {
            if (auto reason = condition(pieces[1], false))
                return reason;
        }
        return pieces[2].empty() || m_mode != Mode::Full ? std::nullopt : expressionStatement(pieces[2]);
    }
    if (pieces.size() > (word.is("while") ? 1u : 2u))
        return stopAt(word, fmt::format("too many ';' after '{}'", word.text));
    if (pieces.size() == 2 && !pieces[0].empty()) {
        if (auto reason = simpleStatement(pieces[0]))
            return reason;
    }
    return condition(pieces.back(), word.is("switch"));
}

CodeChecker::Reason CodeChecker::condition(Tokens tokens, bool isSwitch)
{
    if (m_mode != Mode::Full)
        return std::nullopt;
    if (isDeclaration(tokens)) {
        if (!hasTopLevel(tokens, "=") && !hasTopLevel(tokens, "{"))
            return stopAt(tokens[0], "a condition that declares a variable needs its value");
        return declaration(tokens);
    }
    ExpressionReader reader(m_names, tokens);
    const CppValue value = reader.whole();
    reader.checkCondition(value);
    if (isSwitch && (value.type.isFloating() || value.type.pointsTo()))
        reader.refuse("'switch' needs an integer");
    return resultOf(reader);
}

CodeChecker::Reason CodeChecker::expressionStatement(Tokens tokens)
{
    ExpressionReader reader(m_names, tokens);
    reader.whole();
    return resultOf(reader);
}

CodeChecker::Reason CodeChecker::returnStatement(Tokens tokens)
{
    tokens = tokens.subspan(1);
    if (tokens.empty())
        return std::nullopt; // Without a value where one is due: only a warning.
    ExpressionReader reader(m_names, tokens);
    CppValue value;
    if (tokens[0].is("{"))
        reader.braced({});
    else
        value = reader.whole();
    if (!reader.failed() && !reader.atEnd())
        reader.unexpected();
    const CppType& to = m_names.result;
    if (!reader.failed() && to.isVoid() &&
        (tokens[0].is("{") || (value.type.known() && !value.type.isVoid())))
        reader.refuse("'return' cannot have a value here");
    else if (!to.reference && !to.isVoid())
        reader.checkConversion(value, to, "what is returned");
    return resultOf(reader);
}

CodeChecker::Reason CodeChecker::simpleStatement(Tokens tokens)
{
    if (tokens.empty() || m_mode != Mode::Full)
        return std::nullopt;
    const Token& first = tokens[0];
    if (first.is("break") || first.is("continue")) {
        const bool inside = m_names.inside({Scope::Loop, Scope::Do}) ||
                            (first.is("break") && m_names.inside({Scope::Switch}));
        if (!inside)
            return stopAt(first, fmt::format("'{}' outside of a loop", first.text));
        if (tokens.size() > 1)
            return stopAt(tokens[1], fmt::format("'{}' cannot stand here", tokens[1].text));
        return std::nullopt;
    }
    if (first.is("return"))
        return returnStatement(tokens);
    if (first.is("extern") && tokens.size() > 1 && tokens[1].kind == Kind::String)
        return stopAt(first, "a function cannot begin inside another");
    if (isDeclaration(tokens))
        return declaration(tokens);
    return expressionStatement(tokens);
}

} // namespace sparserl
