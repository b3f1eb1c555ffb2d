// SPDX-License-Identifier: Apache-2.0
// What plans of operators name: tensors, their extents and their numbers of elements.
#include "kernel/plan_line_parser.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = PlanToken::Kind;
using Symbol = PlanReader::Symbol;

constexpr std::int64_t mostDimensions = 16;
constexpr std::size_t shownCharacters = 60;

} // namespace

std::size_t PlanLineParser::dottedLength() const
{
    if (peek().kind != Kind::Name)
        return 0;
    std::size_t length = 1;
    while (peek(length).text == "." &&
           (peek(length + 1).kind == Kind::Name || peek(length + 1).kind == Kind::Integer))
        length += 2;
    return length;
}

std::string PlanLineParser::dottedText(std::size_t tokens) const
{
    std::string text;
    for (std::size_t i = 0; i < tokens; ++i)
        text += peek(i).text;
    return text;
}

std::optional<std::string> PlanLineParser::parseOperatorArray(bool prepare, PlanArgument& argument)
{
    const std::size_t length = dottedLength();
    // A number of elements or an extent is an expression, and so is everything that goes on.
    if (length == 0 || !endsArgument(length) || (length > 1 && peek(length - 1).text == "numel"))
        return std::nullopt;
    const std::string name = dottedText(length);
    const auto found = m_reader.m_symbols.find(name);
    const bool own = found != m_reader.m_symbols.end();
    if (name == "sm_count" || (own && found->second.kind == Symbol::Kind::Const))
        return std::nullopt;
    const bool prepared = own && m_reader.m_plan.buffers[found->second.index].prepared;
    if (prepare && !prepared)
        return fmt::format("a prepare call cannot use '{}'; it sees only prepared buffers",
                           name.substr(0, shownCharacters));
    argument.array = name;
    m_next += length;
    return std::nullopt;
}

tl::expected<PlanExprPtr, std::string> PlanLineParser::parseOperatorNumber()
{
    const std::size_t length = dottedLength();
    const std::string text = dottedText(length).substr(0, shownCharacters);
    auto node = std::make_shared<PlanExpr>();
    if (length == 1) {
        const auto found = m_reader.m_symbols.find(dottedText(1));
        const bool isConst = found != m_reader.m_symbols.end() && found->second.kind == Symbol::Kind::Const;
        if (m_constantsOnly && !isConst)
            return tl::unexpected(
                fmt::format("'{}' in a const: it is made of integers and earlier consts only", text));
        if (!isConst && text != "sm_count")
            return tl::unexpected(
                fmt::format("'{}' is not a number; a plan for an operator knows the numbers "
                            "sm_count, NAME.numel and NAME.dim(0)",
                            text));
        node->op = PlanExpr::Op::Name;
        node->name = dottedText(1);
        ++m_next;
        return node;
    }
    if (m_constantsOnly)
        return tl::unexpected(std::string("a const is made of integers and earlier consts only"));
    const std::string_view last = peek(length - 1).text;
    const bool extent = last == "dim" && peek(length).text == "(";
    if (!extent && last != "numel")
        return tl::unexpected(fmt::format("'{}' is an array; an expression needs a number, such as {}.numel "
                                          "or {}.dim(0)",
                                          text, text, text));
    node->op = PlanExpr::Op::Member;
    node->name = dottedText(length - 2);
    node->member = last;
    m_next += length;
    if (!extent)
        return node;
    ++m_next;
    if (peek().kind != Kind::Integer || peek().value >= mostDimensions)
        return tl::unexpected(fmt::format("expected the number of a dimension, 0 to {}, found {}",
                                          mostDimensions - 1, shownNext()));
    node->member = fmt::format("dim({})", peek().value);
    ++m_next;
    if (auto reason = expectPunctuator(")", "after the number of the dimension"))
        return tl::unexpected(std::move(*reason));
    return node;
}

} // namespace sparserl
