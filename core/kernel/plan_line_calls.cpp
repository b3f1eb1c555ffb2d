// SPDX-License-Identifier: Apache-2.0
// Launches and prepare calls with their arguments.
#include "kernel/plan_line_parser.h"
#include "kernel/plan_names.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = PlanToken::Kind;
using Symbol = PlanReader::Symbol;

constexpr std::size_t maxCalls = 16;

} // namespace

std::optional<std::string> PlanLineParser::parseCall(bool prepare)
{
    PlanCall call;
    call.prepare = prepare;
    call.line = m_line;
    if (m_reader.m_plan.calls.size() >= maxCalls)
        return fmt::format("more than {} calls", maxCalls);
    if (auto reason = expectName(call.kernel, "the name of the kernel"))
        return reason;
    if (auto reason = expectPunctuator("<<<", "after the kernel's name"))
        return reason;
    if (auto reason = parseDim(call.grid))
        return reason;
    if (auto reason = expectPunctuator(",", "after the grid"))
        return reason;
    if (auto reason = parseDim(call.block))
        return reason;
    if (accept(",")) {
        auto bytes = parseExpr();
        if (!bytes)
            return bytes.error();
        call.sharedBytes = *bytes;
    }
    if (auto reason = expectPunctuator(">>>", "after the launch configuration"))
        return reason;
    if (auto reason = expectPunctuator("(", "before the arguments"))
        return reason;
    do {
        if (auto reason = parseArgument(call))
            return reason;
    } while (accept(","));
    if (auto reason = expectPunctuator(")", "after the arguments"))
        return reason;
    m_reader.m_plan.calls.push_back(std::move(call));
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parseDim(std::vector<PlanExprPtr>& extents)
{
    const bool triple = peek().kind == Kind::Name && peek().text == "dim3";
    if (triple) {
        ++m_next;
        if (auto reason = expectPunctuator("(", "after dim3"))
            return reason;
    }
    do {
        if (extents.size() == 3)
            return std::string("dim3 has at most three extents");
        auto extent = parseExpr();
        if (!extent)
            return extent.error();
        extents.push_back(*extent);
    } while (triple && accept(","));
    return triple ? expectPunctuator(")", "after the extents of dim3") : std::nullopt;
}

bool PlanLineParser::endsArgument(std::size_t ahead) const
{
    const PlanToken& token = peek(ahead);
    return token.kind == Kind::Punctuator && (token.text == "," || token.text == ")");
}

std::optional<std::string> PlanLineParser::parseArgument(PlanCall& call)
{
    PlanArgument argument;
    if (isOperator()) {
        if (auto reason = parseOperatorArray(call.prepare, argument))
            return reason;
    } else if (peek().kind == Kind::Name && endsArgument(1)) {
        const std::string name(peek().text);
        const Task task = m_reader.m_plan.task;
        const auto found = m_reader.m_symbols.find(name);
        bool forbidden = false;
        if (const TensorRule* tensor = ruleOf(tensorRules, name)) {
            if (tensor->task != task)
                return fmt::format("'{}' does not exist in {}; there are {} and {}", name, nameOf(task),
                                   tensorName(task, TensorRole::Input), tensorName(task, TensorRole::Output));
            argument.array = name;
            forbidden = call.prepare;
        } else if (found != m_reader.m_symbols.end() && found->second.kind == Symbol::Kind::Buffer) {
            argument.array = name;
            forbidden = call.prepare && !m_reader.m_plan.buffers[found->second.index].prepared;
        } else if (found != m_reader.m_symbols.end() && found->second.kind == Symbol::Kind::Part) {
            return fmt::format("'{}' is a part; name one of its arrays, such as {}.row_ptr", name, name);
        } else if (name == "csr" ||
                   (found != m_reader.m_symbols.end() && found->second.kind == Symbol::Kind::Format)) {
            return fmt::format("'{}' is a format; name one of its arrays, such as {}.val", name, name);
        }
        // A plan of before may have something of its own by that name.
        if (const auto factor = factorFromName(name); factor && found == m_reader.m_symbols.end()) {
            if (call.prepare)
                return fmt::format("a prepare call cannot use '{}', which differs from call to call", name);
            const std::string_view output = tensorName(task, TensorRole::Output);
            if (factor == Factor::Beta && !m_reader.m_plan.zeroed.empty())
                return fmt::format(
                    "'beta' needs what '{}' holds before the call; leave out the line 'zero {}'", output,
                    output);
            argument.factor = factor;
            ++m_next;
        }
        if (forbidden)
            return fmt::format(
                "a prepare call cannot use '{}'; it sees only matrix data and prepared buffers", name);
        if (!argument.array.empty())
            ++m_next;
    } else if (peek().kind == Kind::Name && peek(1).text == "." && peek(2).kind == Kind::Name &&
               endsArgument(3)) {
        bool isArray = false;
        const std::string owner(peek().text);
        const std::string member(peek(2).text);
        if (auto reason = checkMember(owner, member, isArray))
            return reason;
        if (isArray) {
            argument.array = owner + "." + member;
            m_next += 3;
        }
    }
    if (argument.factor) {
        call.arguments.push_back(std::move(argument));
        return std::nullopt;
    }
    const bool negative = peek().text == "-";
    if (const PlanToken& literal = peek(negative ? 1 : 0);
        literal.kind == Kind::Real && endsArgument(negative ? 2 : 1)) {
        argument.real = negative ? -literal.real : literal.real;
        m_next += negative ? 2 : 1;
    } else if (argument.array.empty()) {
        auto value = parseExpr();
        if (!value)
            return value.error();
        argument.value = *value;
    }
    call.arguments.push_back(std::move(argument));
    return std::nullopt;
}

} // namespace sparserl
