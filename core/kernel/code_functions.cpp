// SPDX-License-Identifier: Apache-2.0
// File scope: headers of functions, prototypes and variables.
#include "kernel/code_checker.h"
#include "kernel/cpp_words.h"
#include "kernel/predefined_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = Token::Kind;

bool sameParameters(const FunctionShape& left, const FunctionShape& right)
{
    return left.known && right.known && left.parameters.size() == right.parameters.size() &&
           std::equal(left.parameters.begin(), left.parameters.end(), right.parameters.begin(),
                      [](const CppType& a, const CppType& b) {
                          return a.known() && b.known() && mayBeSame(a, b) && a.reference == b.reference &&
                                 (a.pointers == 0 || ((a.constants ^ b.constants) & 1) == 0);
                      });
}

} // namespace

CodeChecker::Reason CodeChecker::addFunction(const Token& name, FunctionShape shape)
{
    Name* found = m_names.file().names.contains(std::string(name.text))
                      ? &m_names.file().names.find(name.text)->second
                      : nullptr;
    if (found && found->kind == Name::Kind::Variable)
        return stopAt(name, fmt::format("'{}' is a variable since line {}", name.text, found->line));
    if (!found) {
        Name entry;
        entry.kind = Name::Kind::Function;
        entry.line = name.line;
        found = &(m_names.file().names[std::string(name.text)] = std::move(entry));
    }
    if (findPredefined(name.text))
        shape.known = false; // One more of them.
    for (FunctionShape& other : found->functions) {
        if (!sameParameters(other, shape))
            continue;
        if (other.defined && shape.defined)
            return stopAt(name,
                          fmt::format("'{}' is defined again, first on line {}", name.text, other.line));
        other.defined = other.defined || shape.defined;
        return std::nullopt;
    }
    found->functions.push_back(std::move(shape));
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::headerWords(Tokens tokens, HeaderWords& header)
{
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.is("extern") && i + 1 < tokens.size() && tokens[i + 1].kind == Kind::String) {
            if (i > 0)
                return stopAt(token, "'extern' cannot stand here");
            ++i;
        } else if (token.is("__launch_bounds__") && i + 1 < tokens.size() && tokens[i + 1].is("(")) {
            const std::size_t close = matchingClose(tokens, i + 1);
            if (close >= tokens.size())
                break;
            ExpressionReader bounds(m_names, tokens.subspan(i + 2, close - i - 2));
            const CppValue value = bounds.whole();
            if (!bounds.failed() && value.changes)
                bounds.refuse("'__launch_bounds__' needs constants");
            if (auto reason = resultOf(bounds))
                return reason;
            i = close;
        } else {
            header.kernel = header.kernel || token.is("__global__");
            header.words.insert(header.words.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                tokens.begin() +
                                    static_cast<std::ptrdiff_t>(token.is("(") ? tokens.size() : i + 1));
            if (token.is("("))
                break;
        }
    }
    return std::nullopt;
}

/// One of a function's parameters.
CodeChecker::Reason CodeChecker::parameterOf(Tokens piece, FunctionShape& shape, bool defined,
                                             std::vector<std::pair<std::string, Name>>& parameters)
{
    ExpressionReader parameter(m_names, piece);
    const auto specifiers = parameter.specifiers(true);
    if (!specifiers)
        return resultOf(parameter);
    if (!specifiers->any)
        return missingType(parameter);
    CppType type = parameter.pointers(specifiers->type);
    const Token* called = parameter.here();
    if (parameter.is("(") || parameter.is("...") || specifiers->automatic) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    if (called && called->kind == Kind::Identifier && !isCppKeyword(called->text) &&
        !m_names.isConstant(called->text)) {
        if (mayBePredefined(called->text) && findPredefined(called->text) &&
            findPredefined(called->text)->kind == Predefined::Kind::Macro) {
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
        parameter.skip();
    } else {
        called = nullptr;
    }
    if (type.isVoid())
        return stopAt(piece[0], "a parameter cannot be void");
    if (parameter.is("[")) {
        const std::size_t end = matchingClose(piece, parameter.position());
        parameter.skip(end + 1 - parameter.position());
        type = parameter.is("[") ? CppType() : type.pointerTo();
        if (parameter.is("["))
            parameter.skip(piece.size());
    }
    if (parameter.take("=")) {
        const CppValue value = parameter.assignment();
        parameter.checkConversion(value, type, "the default");
    } else {
        shape.required = shape.parameters.size() + 1;
    }
    if (!parameter.failed() && !parameter.atEnd())
        parameter.unexpected();
    if (auto reason = resultOf(parameter))
        return reason;
    if (m_mode != Mode::Full)
        return std::nullopt;
    shape.parameters.push_back(type);
    if (!called)
        return std::nullopt;
    const std::string key(called->text);
    if (defined &&
        std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == key; }))
        return stopAt(*called, fmt::format("the parameter '{}' is declared again", key));
    Name entry;
    entry.kind = Name::Kind::Variable;
    entry.type = type;
    entry.line = called->line;
    entry.changes = true;
    parameters.emplace_back(key, std::move(entry));
    return std::nullopt;
}

/// `extern "C" __global__ void k(int n, ...)`; at file scope.
CodeChecker::Reason CodeChecker::functionHeader(Tokens tokens, bool defined,
                                                std::vector<std::pair<std::string, Name>>& parameters)
{
    FunctionShape shape;
    shape.defined = defined;
    HeaderWords header;
    if (auto reason = headerWords(tokens, header))
        return reason;
    const auto& words = header.words;
    ExpressionReader reader(m_names, words);
    const auto specifiers = reader.specifiers(true);
    if (!specifiers)
        return resultOf(reader);
    if (!specifiers->any) {
        if (reader.is("(") || !reader.here()) {
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
        return missingType(reader);
    }
    shape.result = specifiers->automatic ? CppType() : reader.pointers(specifiers->type);
    const Token* name = reader.here();
    if (reader.failed())
        return resultOf(reader);
    if (!name || reader.is("(") || findPredefined(name->text) || mayBePredefined(name->text)) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    if (name->kind != Kind::Identifier || isCppKeyword(name->text) || m_names.isConstant(name->text)) {
        reader.unexpected();
        return reader.stop();
    }
    shape.line = name->line;
    reader.skip();
    if (!reader.is("(")) {
        reader.unexpected();
        return reader.stop();
    }
    if (header.kernel && !shape.result.isVoid() && shape.result.known())
        return stopAt(*name, "a kernel returns void");
    const std::size_t open = reader.position();
    const Tokens inner(words);
    const std::size_t close = matchingClose(inner, open);
    if (close + 1 != inner.size()) {
        const Token& after = inner[std::min(close + 1, inner.size() - 1)];
        if (after.kind == Kind::Identifier && !isCppKeyword(after.text) && !mayBePredefined(after.text))
            return stopAt(*name, fmt::format("the name '{}' is not declared", name->text));
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    const Tokens list = inner.subspan(open + 1, close - open - 1);
    const auto pieces = splitTopLevel(list, ",");
    for (const Tokens piece : pieces) {
        const bool none = piece.empty() || (piece.size() == 1 && piece[0].is("void"));
        if (none && pieces.size() == 1)
            break;
        if (piece.empty())
            return stopAt(*name, fmt::format("a parameter of '{}' is missing", name->text));
        if (auto reason = parameterOf(piece, shape, defined, parameters))
            return reason;
        if (m_mode != Mode::Full)
            return std::nullopt;
    }
    m_names.result = shape.result;
    return addFunction(*name, std::move(shape));
}

CodeChecker::Reason CodeChecker::fileStatement(Tokens tokens)
{
    if (tokens.empty())
        return std::nullopt;
    const bool linkage = tokens.size() >= 2 && tokens[0].is("extern") && tokens[1].kind == Kind::String;
    const auto first = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) {
        return token.is("=") || token.is("(") || token.is("{");
    });
    const bool prototype = first != tokens.end() && first->is("(") && tokens.back().is(")");
    if (prototype) {
        std::vector<std::pair<std::string, Name>> parameters;
        return functionHeader(tokens, false, parameters);
    }
    if (linkage)
        tokens = tokens.subspan(2);
    if (isDeclaration(tokens))
        return declaration(tokens);
    if (tokens.empty())
        return std::nullopt;
    ExpressionReader reader(m_names, tokens);
    return missingType(reader);
}

} // namespace sparserl
