// SPDX-License-Identifier: Apache-2.0
// Expressions of plan lines.
#include "kernel/plan_line_parser.h"
#include "kernel/plan_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = PlanToken::Kind;
using Symbol = PlanReader::Symbol;

constexpr int maxNesting = 64;

PlanExprPtr makeNode(PlanExpr::Op op, std::vector<PlanExprPtr> operands)
{
    auto node = std::make_shared<PlanExpr>();
    node->op = op;
    node->operands = std::move(operands);
    return node;
}

using Comparison = PlanRequirement::Comparison;

constexpr std::array<std::pair<std::string_view, Comparison>, 6> comparisons{{
    {"==", Comparison::Equal},
    {"!=", Comparison::NotEqual},
    {"<=", Comparison::LessOrEqual},
    {">=", Comparison::GreaterOrEqual},
    {"<", Comparison::Less},
    {">", Comparison::Greater},
}};

} // namespace

std::optional<std::string> PlanLineParser::parseRequirement()
{
    PlanRequirement requirement;
    requirement.line = m_line;
    const char* const from = peek().text.data();
    auto left = parseExpr();
    if (!left)
        return left.error();
    const auto found = std::find_if(comparisons.begin(), comparisons.end(),
                                    [this](const auto& one) { return accept(one.first); });
    if (found == comparisons.end())
        return fmt::format("expected a comparison (==, !=, <, <=, > or >=), found {}", shownNext());
    auto right = parseExpr();
    if (!right)
        return right.error();
    requirement.left = *left;
    requirement.comparison = found->second;
    requirement.right = *right;
    requirement.text = std::string(from, peek().text.data());
    requirement.text.erase(requirement.text.find_last_not_of(" \t") + 1);
    m_reader.m_plan.requirements.push_back(std::move(requirement));
    return std::nullopt;
}

tl::expected<PlanExprPtr, std::string> PlanLineParser::parseExpr()
{
    auto left = parseTerm();
    while (left) {
        PlanExpr::Op op;
        if (accept("+"))
            op = PlanExpr::Op::Add;
        else if (accept("-"))
            op = PlanExpr::Op::Sub;
        else
            break;
        auto right = parseTerm();
        if (!right)
            return right;
        left = makeNode(op, {*left, *right});
    }
    return left;
}

tl::expected<PlanExprPtr, std::string> PlanLineParser::parseTerm()
{
    auto left = parseFactor();
    while (left) {
        PlanExpr::Op op;
        if (accept("*"))
            op = PlanExpr::Op::Mul;
        else if (accept("/"))
            op = PlanExpr::Op::Div;
        else if (accept("%"))
            op = PlanExpr::Op::Mod;
        else
            break;
        auto right = parseFactor();
        if (!right)
            return right;
        left = makeNode(op, {*left, *right});
    }
    return left;
}

tl::expected<PlanExprPtr, std::string> PlanLineParser::parseFactor()
{
    if (m_depth >= maxNesting)
        return tl::unexpected(fmt::format("the expression is nested more than {} deep", maxNesting));
    struct Depth
    {
        int& depth;
        explicit Depth(int& d)
            : depth(d)
        {
            ++depth;
        }
        ~Depth() { --depth; }
    } depth(m_depth);

    if (accept("-")) {
        auto operand = parseFactor();
        if (!operand)
            return operand;
        return makeNode(PlanExpr::Op::Neg, {*operand});
    }
    if (accept("(")) {
        auto inner = parseExpr();
        if (!inner)
            return inner;
        if (auto reason = expectPunctuator(")", "to close the parenthesis"))
            return tl::unexpected(std::move(*reason));
        return inner;
    }
    if (peek().kind == Kind::Integer) {
        auto node = std::make_shared<PlanExpr>();
        node->value = peek().value;
        ++m_next;
        return node;
    }
    if (peek().kind == Kind::Real)
        return tl::unexpected(fmt::format(
            "{} is a real number, which can only be an argument by itself; expressions are of integers",
            peek().text.substr(0, 40)));
    if (peek().kind != Kind::Name)
        return tl::unexpected(fmt::format("expected a number or a name, found {}", shownNext()));
    if (isFunction(peek().text))
        return parseFunction(peek().text);
    return isOperator() ? parseOperatorNumber() : parseNameOrMember();
}

tl::expected<PlanExprPtr, std::string> PlanLineParser::parseFunction(std::string_view name)
{
    ++m_next;
    if (auto reason = expectPunctuator("(", fmt::format("after {}", name)))
        return tl::unexpected(std::move(*reason));
    std::vector<PlanExprPtr> operands;
    do {
        auto operand = parseExpr();
        if (!operand)
            return operand;
        operands.push_back(*operand);
    } while (accept(","));
    if (auto reason = expectPunctuator(")", fmt::format("after the arguments of {}", name)))
        return tl::unexpected(std::move(*reason));
    const std::size_t arity = name == "pow2_ceil" ? 1 : 2;
    if (operands.size() != arity)
        return tl::unexpected(fmt::format("{} takes {} argument{}", name, arity, arity == 1 ? "" : "s"));
    const auto op = name == "min"        ? PlanExpr::Op::Min
                    : name == "max"      ? PlanExpr::Op::Max
                    : name == "ceil_div" ? PlanExpr::Op::CeilDiv
                                         : PlanExpr::Op::Pow2Ceil;
    return makeNode(op, std::move(operands));
}

tl::expected<PlanExprPtr, std::string> PlanLineParser::parseNameOrMember()
{
    auto node = std::make_shared<PlanExpr>();
    node->op = PlanExpr::Op::Name;
    node->name = std::string(peek().text);
    ++m_next;
    const auto found = m_reader.m_symbols.find(node->name);
    const bool isConst = found != m_reader.m_symbols.end() && found->second.kind == Symbol::Kind::Const;
    if (accept(".")) {
        node->op = PlanExpr::Op::Member;
        if (auto reason = expectName(node->member, "a count after the dot"))
            return tl::unexpected(std::move(*reason));
        if (m_constantsOnly)
            return tl::unexpected(std::string("a const is made of integers and earlier consts only"));
        bool isArray = false;
        if (auto reason = checkMember(node->name, node->member, isArray))
            return tl::unexpected(std::move(*reason));
        if (isArray)
            return tl::unexpected(
                fmt::format("{}.{} is an array; an expression needs a number", node->name, node->member));
        return node;
    }
    if (isConst)
        return node;
    if (m_constantsOnly)
        return tl::unexpected(fmt::format("'{}' in a const: it is made of integers and earlier consts only",
                                          node->name.substr(0, 40)));
    if (isPlanNumber(node->name)) {
        const NumberRule* rule = ruleOf(numberRules, node->name);
        if (rule && rule->only && *rule->only != m_reader.m_plan.task)
            return tl::unexpected(fmt::format("'{}' exists in {} only", rule->name, nameOf(*rule->only)));
        return node;
    }
    if (factorFromName(node->name) && found == m_reader.m_symbols.end())
        return tl::unexpected(fmt::format(
            "'{}' is a real number, which can only be an argument by itself; expressions are of integers",
            node->name));
    if (ruleOf(tensorRules, node->name) || found != m_reader.m_symbols.end() || node->name == "csr")
        return tl::unexpected(fmt::format("'{}' is not a number", node->name));
    return tl::unexpected(fmt::format("the name '{}' is not defined", node->name.substr(0, 40)));
}

} // namespace sparserl
