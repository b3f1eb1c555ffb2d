// SPDX-License-Identifier: Apache-2.0
#include "kernel/code_checker.h"

#include "kernel/cpp_words.h"
#include "kernel/predefined_names.h"
#include "kernel/token_ranges.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = Token::Kind;

char closerOf(char bracket)
{
    return bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
}

/// Words after which the full reading gives up.
bool isNotUnderstood(const Token& word)
{
    static constexpr std::array<std::string_view, 43> words{
        "template",  "struct",        "class",        "union",    "enum",       "namespace",
        "using",     "typedef",       "operator",     "asm",      "new",        "delete",
        "decltype",  "typeid",        "try",          "catch",    "throw",      "goto",
        "concept",   "requires",      "friend",       "typename", "noexcept",   "alignas",
        "_Pragma",   "static_assert", "thread_local", "export",   "__asm__",    "__asm",
        "__align__", "__attribute__", "__attribute",  "typeof",   "__typeof__", "__extension__",
        "co_await",  "co_yield",      "co_return",    "explicit", "virtual",    "consteval",
        "constinit"};
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return word.is(w); });
}

bool bodyIsBalanced(std::string_view body)
{
    std::vector<char> open;
    for (const Token& token : cudaTokens(body)) {
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
            return stopAt(token, "a string or character constant is not closed on its line");
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
    if (token.spliced || (token.kind == Kind::Identifier && isNotUnderstood(token)) || token.is("::"))
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
            open.semicolons = m_previous.is("for") ? 2
                              : m_previous.is("if") || m_previous.is("switch") || m_previous.is("constexpr")
                                  ? 1
                                  : 0;
        Reason reason;
        if (c == '{')
            reason = openBrace(token, open);
        else if (m_mode == Mode::Full)
            m_statement.push_back(token);
        m_open.push_back(open);
        return reason;
    }
    if (m_open.empty())
        return stopAt(token, fmt::format("'{}' closes nothing", c));
    const Open open = m_open.back();
    if (closerOf(open.bracket) != c)
        return stopAt(token,
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
    const auto unexpected = [&] { return stopAt(token, "a '{' cannot stand here"); };
    bool block = false;
    if (!nested && atFileScope()) {
        if (!last)
            return unexpected();
        if (last->kind == Kind::String && m_statement.size() == 2 && m_statement[0].is("extern")) {
            open.brace = Brace::Linkage;
            m_statement.clear();
            return std::nullopt;
        }
        if (last->is(")")) {
            std::vector<std::pair<std::string, Name>> parameters;
            Reason reason = functionHeader(m_statement, true, parameters);
            m_statement.clear();
            if (!reason && m_mode == Mode::Full) {
                m_names.push(Scope::Function);
                for (auto& [name, entry] : parameters)
                    m_names.add(name, std::move(entry));
                m_ended = true;
            }
            return reason;
        }
        if (!last->is("=") &&
            std::any_of(m_statement.begin(), m_statement.end(), [](const Token& t) { return t.is("->"); })) {
            lower(Mode::BracketsOnly); // auto f() -> int {
            return std::nullopt;
        }
    } else if (!nested) {
        const bool label = last && last->is(":");
        block = !last || last->is("else") || last->is("do") || label || (last->is(")") && isControlHeader());
    }
    if (block) {
        Reason reason = statement(m_statement, token);
        m_statement.clear();
        m_names.push(Scope::Block);
        m_ended = true;
        return reason;
    }
    const bool operand = last && last->kind == Kind::Identifier &&
                         (!isCppKeyword(last->text) || isBuiltinType(last->text) || last->is("return"));
    const bool operation =
        last && last->kind == Kind::Punctuator && last->text.back() == '=' && !last->is("==");
    if (!nested && m_statement.size() == 1 && operand && !isBuiltinType(last->text) && !last->is("return")) {
        if (mayBePredefined(last->text)) {
            lower(Mode::BracketsOnly);
            return std::nullopt;
        }
        return unexpected();
    }
    if (!nested && !operand && !operation && !last->is("]"))
        return unexpected();
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
            return stopAt(token, "';' is missing before '}'");
    }
    if (open.brace != Brace::Block)
        return std::nullopt;
    while (m_names.top() != Scope::Block && m_names.top() != Scope::Function && m_names.depth() > 1) {
        if (m_names.top() == Scope::Do)
            return stopAt(token, "'while' is missing after 'do'");
        m_names.pop();
    }
    if (m_names.depth() > 1)
        m_names.pop();
    m_ended = true;
    return std::nullopt;
}

CodeChecker::Reason CodeChecker::takeSemicolon(const Token& token)
{
    Open* top = m_open.empty() ? nullptr : &m_open.back();
    const bool inParentheses = top && top->bracket == '(' && top->semicolons == 0;
    if (!m_macros && top && (inParentheses || top->bracket == '['))
        return stopAt(token,
                      fmt::format("the '{}' of line {} is not closed before ';'", top->bracket, top->line));
    if (m_mode != Mode::Full)
        return std::nullopt;
    if (top && top->bracket == '(') {
        --top->semicolons;
        m_statement.push_back(token);
        return std::nullopt;
    }
    if (top && top->brace == Brace::Init) {
        // Lambdas have lowered the mode before: braces hold values here, not statements.
        const Open* around = m_open.size() > 1 ? &m_open[m_open.size() - 2] : nullptr;
        if (around && around->bracket == '(')
            return stopAt(token, fmt::format("the '(' of line {} is not closed before '{{'", around->line));
        return stopAt(token, fmt::format("the '{{' of line {} is not closed before ';'", top->line));
    }
    Reason reason = atFileScope() ? fileStatement(m_statement) : statement(m_statement, token);
    m_statement.clear();
    return reason;
}

CodeChecker::Reason CodeChecker::finish() const
{
    if (m_mode == Mode::Off)
        return std::nullopt;
    if (!m_open.empty())
        return stopAt(m_previous, fmt::format("the text ends, but the '{}' of line {} is not closed",
                                              m_open.back().bracket, m_open.back().line));
    if (m_mode == Mode::Full && !m_statement.empty())
        return stopAt(m_previous, "the text ends in the middle of a declaration");
    return std::nullopt;
}

} // namespace sparserl
