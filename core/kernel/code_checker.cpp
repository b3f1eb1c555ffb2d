// SPDX-License-Identifier: Apache-2.0
#include "kernel/code_checker.h"

#include "kernel/cpp_words.h"
#include "kernel/token_ranges.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = Token::Kind;

Stop stopAt(int line, std::string reason)
{
    return Stop{line, std::move(reason), false};
}

char closerOf(char bracket)
{
    return bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
}

/// Words after which the full reading gives up.
bool isNotUnderstood(std::string_view word)
{
    static constexpr std::string_view words[] = {
        "template",  "struct",        "class",        "union",      "enum",          "namespace",
        "using",     "typedef",       "operator",     "asm",        "new",           "delete",
        "decltype",  "typeid",        "try",          "catch",      "throw",         "goto",
        "concept",   "requires",      "friend",       "typename",   "noexcept",      "alignas",
        "_Pragma",   "static_assert", "thread_local", "export",     "__asm__",       "__asm",
        "__align__", "__attribute__", "typeof",       "__typeof__", "__extension__", "co_await",
        "co_yield",  "co_return",     "explicit",     "virtual",    "consteval",     "constinit"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool bodyIsBalanced(std::string_view body)
{
    std::vector<char> open;
    for (const Token& token : tokenize(body)) {
        if (!token.closed || token.kind == Kind::Unknown || token.kind == Kind::Directive)
            return false;
        if (token.kind != Kind::Punctuator)
            continue;
        if (token.is("##") || token.is("#") || token.is("<%") || token.is("%>") || token.is("<:") ||
            token.is(":>"))
            return false;
        if (token.is("(") || token.is("[") || token.is("{"))
            open.push_back(closerOf(token.text[0]));
        else if (token.is(")") || token.is("]") || token.is("}")) {
            if (open.empty() || open.back() != token.text[0])
                return false;
            open.pop_back();
        }
    }
    return open.empty();
}

} // namespace

void CodeChecker::lower(Mode mode)
{
    if (mode > m_mode)
        m_mode = mode;
    if (m_mode != Mode::Full)
        m_statement.clear();
}

void CodeChecker::takeDirective(const Token& token)
{
    const std::string text = token.spelling();
    std::size_t i = text.find_first_not_of(" \t\v\f", 1);
    if (text[0] != '#' || !token.closed) {
        lower(Mode::Off);
        return;
    }
    if (i == std::string::npos)
        return;
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
    const std::string word = text.substr(i, end - i);
    if (word == "pragma")
        return;
    if (word != "define" && word != "undef") {
        lower(Mode::Off); // Conditional text can hide anything.
        return;
    }
    m_macros = true;
    lower(Mode::BracketsOnly);
    if (word == "undef")
        return;
    i = text.find_first_not_of(" \t\v\f", end);
    end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
    const std::string_view body = i == std::string::npos ? "" : std::string_view(text).substr(end);
    const bool functionLike = !body.empty() && body[0] == '(';
    if (functionLike || body.find_first_of("\"'\\/#") != std::string_view::npos || !bodyIsBalanced(body))
        lower(Mode::Off);
}

CodeChecker::Reason CodeChecker::take(const Token& token)
{
    if (m_mode == Mode::Off || (token.kind == Kind::Comment && token.closed))
        return std::nullopt;
    if (token.kind == Kind::Directive) {
        takeDirective(token);
        return std::nullopt;
    }
    if (token.kind == Kind::String || token.kind == Kind::Char) {
        if (!token.closed)
            return stopAt(token.line, "a string or character constant is not closed on its line");
    } else if (token.kind == Kind::Unknown || !token.closed) {
        lower(Mode::Off);
        return std::nullopt;
    }
    if (token.kind == Kind::Punctuator) {
        const bool digraph =
            token.is("<%") || token.is("%>") || token.is("<:") || token.is(":>") || token.is("%:");
        if (digraph || (token.is("?") && m_previous.is("?"))) {
            lower(Mode::Off);
            return std::nullopt;
        }
    }
    if (token.spliced || (token.kind == Kind::Identifier && isNotUnderstood(token.text)) || token.is("::"))
        lower(Mode::BracketsOnly);

    Reason reason;
    const bool bracket = token.kind == Kind::Punctuator && token.text.size() == 1 &&
                         std::string_view("()[]{}").find(token.text[0]) != std::string_view::npos;
    if (bracket)
        reason = takeBracket(token);
    else if (token.kind == Kind::Punctuator && token.is(";"))
        reason = takeSemicolon(token);
    else if (m_mode == Mode::Full)
        m_statement.push_back(token);
    m_previous = token;
    return reason;
}

CodeChecker::Reason CodeChecker::takeBracket(const Token& token)
{
    const char c = token.text[0];
    if (c == '(' || c == '[' || c == '{') {
        Open open{c, token.line};
        const bool afterOperand = (m_previous.kind == Kind::Identifier && !isCppKeyword(m_previous.text)) ||
                                  m_previous.is(")") || m_previous.is("]");
        if (c == '[' && !afterOperand)
            lower(Mode::BracketsOnly); // A lambda, an attribute or something rarer.
        if (c == '(')
            open.header = m_previous.is("for") || m_previous.is("if") || m_previous.is("while") ||
                          m_previous.is("switch") || m_previous.is("constexpr");
        Reason reason;
        if (c == '{')
            reason = openBrace(token, open);
        else if (m_mode == Mode::Full)
            m_statement.push_back(token);
        m_open.push_back(open);
        return reason;
    }
    if (m_open.empty())
        return stopAt(token.line, fmt::format("'{}' closes nothing", c));
    const Open open = m_open.back();
    if (closerOf(open.bracket) != c)
        return stopAt(token.line,
                      fmt::format("'{}' cannot close the '{}' of line {}", c, open.bracket, open.line));
    m_open.pop_back();
    if (m_mode != Mode::Full)
        return std::nullopt;
    if (c == '}')
        return closeBrace(token, open);
    m_statement.push_back(token);
    return std::nullopt;
}

bool CodeChecker::atFileScope() const
{
    return std::none_of(m_open.begin(), m_open.end(),
                        [](const Open& o) { return o.brace != Brace::Linkage; });
}

bool CodeChecker::isControlHeader() const
{
    // The last token is ')': find its '(' and look at the word in front.
    const Tokens tokens(m_statement);
    int depth = 0;
    for (std::size_t i = tokens.size(); i-- > 0;) {
        if (tokens[i].is(")"))
            ++depth;
        else if (tokens[i].is("(") && --depth == 0) {
            if (i == 0)
                return false;
            const Token& word = tokens[i - 1];
            return word.is("if") || word.is("for") || word.is("while") || word.is("switch") ||
                   (word.is("constexpr") && i > 1 && tokens[i - 2].is("if"));
        }
    }
    return false;
}

CodeChecker::Reason CodeChecker::openBrace(const Token& token, Open& open)
{
    open.brace = Brace::Block;
    if (m_mode != Mode::Full)
        return std::nullopt;
    const bool nested =
        !m_open.empty() && (m_open.back().bracket != '{' || m_open.back().brace == Brace::Init);
    const Token* last = m_statement.empty() ? nullptr : &m_statement.back();
    bool block = false;
    if (!nested && atFileScope()) {
        if (last && last->kind == Kind::String && m_statement.size() == 2 && m_statement[0].is("extern")) {
            open.brace = Brace::Linkage;
            m_statement.clear();
            return std::nullopt;
        }
        if (last && last->is(")")) {
            Reason reason = functionHeader();
            m_statement.clear();
            return reason;
        }
    } else if (!nested) {
        const bool label =
            last && last->is(":") && (m_statement[0].is("case") || m_statement[0].is("default"));
        block = !last || last->is("else") || last->is("do") || label || (last->is(")") && isControlHeader());
    }
    if (block) {
        Reason reason = statement(m_statement);
        m_statement.clear();
        m_scopes.emplace_back();
        return reason;
    }
    const bool initialiser =
        nested || (last && (last->is("=") || last->is("return") || last->is("]") ||
                            (last->kind == Kind::Identifier && !isCppKeyword(last->text))));
    if (!initialiser) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    open.brace = Brace::Init;
    m_statement.push_back(token);
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::closeBrace(const Token& token, const Open& open)
{
    if (open.brace == Brace::Init) {
        m_statement.push_back(token);
        return std::nullopt;
    }
    if (!m_statement.empty()) {
        if (m_statement.back().is(":")) // A label before '}': newer compilers allow it.
            m_statement.clear();
        else
            return stopAt(token.line, "';' is missing before '}'");
    }
    if (open.brace == Brace::Block && m_scopes.size() > 1)
        m_scopes.pop_back();
    if (open.brace == Brace::Block && atFileScope())
        m_scopes.resize(1);
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::takeSemicolon(const Token& token)
{
    const Open* top = m_open.empty() ? nullptr : &m_open.back();
    const bool inParentheses = top && top->bracket == '(' && !top->header;
    if (!m_macros && top && (inParentheses || top->bracket == '['))
        return stopAt(token.line,
                      fmt::format("the '{}' of line {} is not closed before ';'", top->bracket, top->line));
    if (m_mode != Mode::Full)
        return std::nullopt;
    if (top && top->bracket == '(') {
        m_statement.push_back(token);
        return std::nullopt;
    }
    if (top && top->brace == Brace::Init) {
        // Lambdas have lowered the mode before: braces inside parentheses hold values here, not statements.
        const Open* around = m_open.size() > 1 ? &m_open[m_open.size() - 2] : nullptr;
        if (around && around->bracket == '(' && m_scopes.size() > 1)
            return stopAt(token.line,
                          fmt::format("the '(' of line {} is not closed before '{{'", around->line));
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    Reason reason = atFileScope() ? fileStatement(m_statement) : statement(m_statement);
    m_statement.clear();
    return reason;
}

CodeChecker::Reason CodeChecker::functionHeader()
{
    const Tokens tokens(m_statement);
    const std::size_t open = matchingOpen(tokens, tokens.size() - 1);
    if (open == 0 || open >= tokens.size() || tokens[open - 1].kind != Kind::Identifier) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    m_scopes.front()[std::string(tokens[open - 1].text)] = {};
    Scope parameters; // Every name counts as declared: more than needed, never less.
    for (const Token& token : tokens.subspan(open)) {
        if (token.kind == Kind::Identifier && !isCppKeyword(token.text) && !isBuiltinType(token.text))
            parameters[std::string(token.text)] = {};
    }
    m_scopes.push_back(std::move(parameters));
    m_scopes.emplace_back(); // The body.
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::fileStatement(Tokens tokens)
{
    if (tokens.size() >= 2 && tokens[0].is("extern") && tokens[1].kind == Kind::String)
        tokens = tokens.subspan(2);
    if (tokens.empty())
        return std::nullopt;
    const auto isFirst = [&](std::string_view text) {
        for (const Token& token : tokens) {
            if (token.is("=") || token.is("("))
                return token.is(text);
        }
        return false;
    };
    if (isFirst("(")) { // A prototype: its name is known from now on.
        for (std::size_t i = 1; i < tokens.size(); ++i) {
            if (tokens[i].is("(") && tokens[i - 1].kind == Kind::Identifier)
                m_scopes.front()[std::string(tokens[i - 1].text)] = {};
        }
        return std::nullopt;
    }
    if (!isDeclaration(tokens)) {
        lower(Mode::BracketsOnly);
        return std::nullopt;
    }
    return declaration(tokens, true);
}

CodeChecker::Reason CodeChecker::header(Tokens inside, bool isFor)
{
    const auto pieces = splitTopLevel(inside, ";");
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (isFor && pieces.size() == 1) { // for (int v : values)
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
        if (auto reason = simpleStatement(pieces[i], true))
            return reason;
        if (m_mode != Mode::Full)
            return std::nullopt;
    }
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::statement(Tokens tokens)
{
    bool loose = false;
    while (!tokens.empty() && m_mode == Mode::Full) {
        const Token& first = tokens[0];
        if (first.is("case") || first.is("default")) {
            const auto pieces = splitTopLevel(tokens, ":");
            const std::size_t used = pieces[0].size() + 1;
            if (std::any_of(pieces[0].begin(), pieces[0].end(), [](const Token& t) { return t.is("?"); })) {
                lower(Mode::BracketsOnly);
                return std::nullopt;
            }
            if (auto reason = expression(pieces[0].subspan(1)))
                return reason;
            tokens = tokens.subspan(std::min(used, tokens.size()));
        } else if (first.is("else") || first.is("do")) {
            tokens = tokens.subspan(1);
            loose = true;
        } else if (first.is("if") || first.is("for") || first.is("while") || first.is("switch")) {
            const std::size_t open = tokens.size() > 1 && tokens[1].is("constexpr") ? 2 : 1;
            if (open >= tokens.size() || !tokens[open].is("(")) {
                lower(Mode::BracketsOnly);
                return std::nullopt;
            }
            const std::size_t close = matchingClose(tokens, open);
            if (close >= tokens.size())
                return std::nullopt;
            if (auto reason = header(tokens.subspan(open + 1, close - open - 1), first.is("for")))
                return reason;
            tokens = tokens.subspan(close + 1);
            loose = true;
        } else {
            return simpleStatement(tokens, loose);
        }
    }
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::simpleStatement(Tokens tokens, bool loose)
{
    if (tokens.empty() || m_mode != Mode::Full)
        return std::nullopt;
    const Token& first = tokens[0];
    if (first.is("break") || first.is("continue"))
        return std::nullopt;
    if (first.is("return"))
        return expression(tokens.subspan(1));
    if (tokens.size() > 1 && first.kind == Kind::Identifier && tokens[1].is(":")) {
        lower(Mode::BracketsOnly); // A label.
        return std::nullopt;
    }
    if (isDeclaration(tokens))
        return declaration(tokens, loose);
    return expression(tokens);
}

bool CodeChecker::isDeclared(const std::string& name) const
{
    return m_predeclared.count(name) > 0 ||
           std::any_of(m_scopes.begin(), m_scopes.end(), [&](const Scope& s) { return s.count(name) > 0; });
}

CodeChecker::Reason CodeChecker::finish() const
{
    if (m_mode == Mode::Off)
        return std::nullopt;
    if (!m_open.empty())
        return stopAt(m_previous.line, fmt::format("the text ends, but the '{}' of line {} is not closed",
                                                   m_open.back().bracket, m_open.back().line));
    if (m_mode == Mode::Full && !m_statement.empty())
        return stopAt(m_previous.line, "the text ends in the middle of a declaration");
    return std::nullopt;
}

} // namespace sparserl
