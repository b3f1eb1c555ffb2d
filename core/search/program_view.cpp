// SPDX-License-Identifier: Apache-2.0
#include "search/program_view.h"

#include "kernel/token_ranges.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sparserl {

namespace {

std::string joined(const std::vector<std::string_view>& words)
{
    std::string out;
    for (const std::string_view word : words) {
        if (!out.empty() && word != "*")
            out += ' ';
        out += word;
    }
    return out;
}

FunctionParameter parameterOf(TokenRange tokens)
{
    FunctionParameter parameter;
    std::vector<std::string_view> type;
    for (const Token& token : tokens) {
        parameter.pointer = parameter.pointer || token.is("*");
        parameter.constant = parameter.constant || token.is("const");
        parameter.restricted = parameter.restricted || token.is("__restrict__");
        if (!token.is("__restrict__"))
            type.push_back(token.text);
    }
    if (!type.empty() && tokens.back().kind == Token::Kind::Identifier) {
        parameter.name = std::string(type.back());
        type.pop_back();
    }
    parameter.type = joined(type);
    return parameter;
}

} // namespace

std::optional<std::int64_t> integerOf(const Token& token)
{
    if (token.kind != Token::Kind::Number)
        return std::nullopt;
    std::int64_t value = 0;
    const char* const end = token.text.data() + token.text.size();
    const auto [rest, error] = std::from_chars(token.text.data(), end, value);
    if (error != std::errc{} || !std::all_of(rest, end, [](char c) { return c == 'u' || c == 'U'; }))
        return std::nullopt;
    return value;
}

std::optional<ProgramView> ProgramView::of(std::string text)
{
    auto parsed = parseProgram(text);
    if (!parsed)
        return std::nullopt;
    ProgramView view;
    view.m_text = std::make_shared<const std::string>(std::move(text));
    view.m_plan = std::move(parsed->plan);
    for (Token& token : cudaTokens(*view.m_text)) {
        if (token.kind != Token::Kind::Comment)
            view.m_tokens.push_back(token);
    }
    view.findPlanLines();
    view.findFunctions();
    view.findLoops();
    return view;
}

std::string ProgramView::between(std::size_t first, std::size_t last) const
{
    if (first >= last || last > m_tokens.size())
        return {};
    return m_text->substr(m_tokens[first].offset, endOf(last - 1) - m_tokens[first].offset);
}

std::size_t ProgramView::closing(std::size_t open) const
{
    return matchingClose(m_tokens, open);
}

std::size_t ProgramView::statementEnd(std::size_t token) const
{
    while (token < m_tokens.size() && m_tokens[token].kind == Token::Kind::Directive)
        ++token;
    if (token >= m_tokens.size())
        return m_tokens.size();
    if (is(token, "{"))
        return std::min(closing(token) + 1, m_tokens.size());
    if (is(token, "for") || is(token, "while") || is(token, "if")) {
        const bool branch = is(token, "if");
        std::size_t end = statementEnd(std::min(closing(token + 1) + 1, m_tokens.size()));
        if (branch && is(end, "else"))
            end = statementEnd(end + 1);
        return end;
    }
    for (std::size_t at = token; at < m_tokens.size(); ++at) {
        if (is(at, ";"))
            return at + 1;
        if (is(at, "(") || is(at, "[") || is(at, "{"))
            at = closing(at);
    }
    return m_tokens.size();
}

std::size_t ProgramView::lineStart(std::size_t token) const
{
    const std::size_t feed = m_text->rfind('\n', m_tokens[token].offset);
    return feed == std::string::npos ? 0 : feed + 1;
}

std::string ProgramView::indent(std::size_t token) const
{
    const std::size_t start = lineStart(token);
    const std::size_t end = m_text->find_first_not_of(" \t", start);
    return m_text->substr(start, end == std::string::npos ? 0 : end - start);
}

const FunctionView* ProgramView::functionAt(std::size_t token) const
{
    for (const FunctionView& function : m_functions) {
        if (token >= function.first && token <= function.close)
            return &function;
    }
    return nullptr;
}

void ProgramView::findPlanLines()
{
    const std::string_view all = *m_text;
    for (std::size_t start = 0; start < all.size();) {
        const std::size_t end = std::min(all.find('\n', start), all.size());
        std::string_view line = all.substr(start, end - start);
        const std::size_t mark = line.find_first_not_of(" \t");
        if (mark != std::string_view::npos && line.substr(mark, 3) == "//!") {
            line.remove_prefix(mark + 3);
            PlanLine one{start + mark + 3, line, {}};
            if (const std::size_t word = line.find_first_not_of(" \t"); word != std::string_view::npos)
                one.keyword =
                    line.substr(word, std::min(line.find_first_of(" \t", word), line.size()) - word);
            m_planLines.push_back(std::move(one));
        }
        start = end + 1;
    }
}

void ProgramView::findFunctions()
{
    std::size_t first = 0;
    for (std::size_t at = 0; at < m_tokens.size(); ++at) {
        if (m_tokens[at].kind == Token::Kind::Directive || is(at, ";")) {
            first = at + 1;
        } else if (is(at, "(")) {
            const std::size_t close = closing(at);
            if (close + 1 < m_tokens.size() && is(close + 1, "{") && at > first &&
                m_tokens[at - 1].kind == Token::Kind::Identifier) {
                FunctionView function;
                function.name = std::string(m_tokens[at - 1].text);
                function.first = first;
                function.nameAt = at - 1;
                function.open = close + 1;
                function.close = closing(close + 1);
                for (std::size_t i = first; i < at; ++i)
                    function.kernel = function.kernel || is(i, "__global__");
                if (close > at + 1) {
                    for (const TokenRange piece :
                         splitTopLevel(TokenRange(m_tokens).subspan(at + 1, close - at - 1), ","))
                        function.parameters.push_back(parameterOf(piece));
                }
                if (function.close >= m_tokens.size())
                    return;
                at = function.close;
                first = at + 1;
                m_functions.push_back(std::move(function));
            } else if (close < m_tokens.size()) {
                at = close;
            }
        } else if (is(at, "{")) {
            at = closing(at); // A struct, or `extern "C" {`, which edits do without.
            first = at + 1;
        }
    }
}

void ProgramView::readHeader(LoopView& loop) const
{
    // TYPE NAME = BEGIN, perhaps nothing (the variable is older than the loop).
    const std::size_t initEnd = loop.condition - 1, conditionEnd = loop.step - 1;
    std::size_t equals = loop.init;
    while (equals < initEnd && !is(equals, "="))
        ++equals;
    if (loop.init == initEnd && m_tokens[loop.step].kind == Token::Kind::Identifier) {
        loop.variable = std::string(m_tokens[loop.step].text);
    } else if (equals < initEnd && equals >= loop.init + 2) {
        loop.type = between(loop.init, equals - 1);
        loop.variable = std::string(m_tokens[equals - 1].text);
        loop.begin = between(equals + 1, initEnd);
        if (loop.begin.find(',') != std::string::npos && loop.begin.find('(') == std::string::npos)
            loop.variable.clear(); // Several variables.
    }
    if (is(loop.condition + 1, "<") && m_tokens[loop.condition].text == loop.variable)
        loop.limit = between(loop.condition + 2, conditionEnd);
    if (m_tokens[loop.step].text == loop.variable && is(loop.step + 1, "+="))
        loop.increment = between(loop.step + 2, loop.close);
    else if ((is(loop.step + 1, "++") && m_tokens[loop.step].text == loop.variable) ||
             (is(loop.step, "++") && m_tokens[loop.step + 1].text == loop.variable))
        loop.increment = "1";
}

void ProgramView::findLoops()
{
    for (std::size_t at = 0; at + 1 < m_tokens.size(); ++at) {
        if (!is(at, "for") || !is(at + 1, "("))
            continue;
        LoopView loop;
        loop.keyword = at;
        loop.close = closing(at + 1);
        if (loop.close >= m_tokens.size())
            return;
        loop.init = at + 2;
        std::vector<std::size_t> semicolons;
        for (std::size_t i = at + 2; i < loop.close; ++i) {
            if (is(i, ";"))
                semicolons.push_back(i);
            else if (is(i, "("))
                i = closing(i);
        }
        if (semicolons.size() != 2 || semicolons[0] + 1 == semicolons[1] || semicolons[1] + 2 >= loop.close)
            continue;
        loop.condition = semicolons[0] + 1;
        loop.step = semicolons[1] + 1;
        loop.braces = is(loop.close + 1, "{");
        loop.end = statementEnd(loop.close + 1);
        if (at > 0 && m_tokens[at - 1].kind == Token::Kind::Directive &&
            m_tokens[at - 1].text.find("unroll") != std::string_view::npos)
            loop.pragma = at - 1;
        loop.innermost = true;
        for (std::size_t i = loop.close + 1; i < loop.end; ++i)
            loop.innermost = loop.innermost && !is(i, "for") && !is(i, "while") && !is(i, "do");
        readHeader(loop);
        m_loops.push_back(std::move(loop));
    }
}

} // namespace sparserl
