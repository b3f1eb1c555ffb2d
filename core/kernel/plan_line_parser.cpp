// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_line_parser.h"

#include "kernel/cpp_words.h"
#include "kernel/plan_expr.h"
#include "kernel/plan_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = PlanToken::Kind;
using Symbol = PlanReader::Symbol;

bool isReserved(std::string_view name, Task task)
{
    if (task == Task::Operator) // Names of tensors are free: a conflict is found when the plan is bound.
        return isFunction(name) || name == "dim3" || name == "sm_count";
    return isPlanNumber(name) || ruleOf(tensorRules, name) || isFunction(name) || name == "csr" ||
           name == "dim3" || name == "inf";
}

/// What a type of CUDA C++ is called here.
std::string_view hintFor(std::string_view type)
{
    constexpr std::array<std::array<std::string_view, 2>, 10> names{{{"float", " (here f32)"},
                                                                     {"double", " (here f64)"},
                                                                     {"int", " (here i32)"},
                                                                     {"unsigned", " (here u32)"},
                                                                     {"long", " (here i64)"},
                                                                     {"char", " (here u8)"},
                                                                     {"short", " (here u16)"},
                                                                     {"half", " (u16 holds its bits)"},
                                                                     {"f16", " (u16 holds its bits)"},
                                                                     {"bf16", " (u16 holds its bits)"}}};
    for (const auto& [name, hint] : names)
        if (name == type)
            return hint;
    return {};
}

bool isReservedForConst(std::string_view name)
{
    return isCppKeyword(name) || isCudaVariable(name) || name == "NDEBUG" || name == "defined" ||
           name.substr(0, 2) == "__" ||
           (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])));
}

} // namespace

bool PlanLineParser::accept(std::string_view punctuator)
{
    if (peek().kind != Kind::Punctuator || peek().text != punctuator)
        return false;
    ++m_next;
    return true;
}

std::string PlanLineParser::shownNext() const
{
    if (peek().kind == Kind::End)
        return "the end of the line";
    return fmt::format("'{}'", peek().text.substr(0, 40));
}

std::optional<std::string> PlanLineParser::expectName(std::string& name, std::string_view what)
{
    if (peek().kind != Kind::Name)
        return fmt::format("expected {}, found {}", what, shownNext());
    name = std::string(peek().text);
    ++m_next;
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::expectPunctuator(std::string_view text, std::string_view where)
{
    if (accept(text))
        return std::nullopt;
    return fmt::format("expected '{}' {}, found {}", text, where, shownNext());
}

std::optional<std::string> PlanLineParser::expectEnd()
{
    if (peek().kind == Kind::End)
        return std::nullopt;
    return shownNext() == "')'" ? std::string("unmatched ')'")
                                : fmt::format("{} is one too many on this line", shownNext());
}

std::optional<std::string> PlanLineParser::enter(PlanReader::Stage stage, std::string_view keyword)
{
    using Stage = PlanReader::Stage;
    if (m_reader.m_stage == Stage::Nothing && stage != Stage::Task)
        return fmt::format("'{}' before the task; the first plan line is '//! task spmv', '//! task spmm' or "
                           "'//! task operator'",
                           keyword);
    if (stage == Stage::Task && m_reader.m_stage != Stage::Nothing)
        return std::string("a second task line");
    if (stage < m_reader.m_stage)
        return fmt::format(
            "'{}' is out of order: task, const, part, format, then require, scratch, prepared and zero, "
            "then prepare and launch",
            keyword);
    m_reader.m_stage = stage;
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::define(const std::string& name, Symbol symbol, bool isConst)
{
    if (isReserved(name, m_reader.m_plan.task) || (isConst && isReservedForConst(name)))
        return fmt::format("the name '{}' is reserved", name);
    if (!m_reader.m_symbols.emplace(name, symbol).second)
        return fmt::format("the name '{}' is defined twice", name);
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parse()
{
    using Stage = PlanReader::Stage;
    std::string keyword;
    if (auto reason = expectName(keyword, "a plan line (task, const, part, format, require, scratch, "
                                          "prepared, zero, prepare or launch)"))
        return reason;
    Stage stage = Stage::Nothing;
    if (keyword == "task")
        stage = Stage::Task;
    else if (keyword == "const")
        stage = Stage::Const;
    else if (keyword == "part")
        stage = Stage::Part;
    else if (keyword == "format")
        stage = Stage::Format;
    else if (keyword == "require" || keyword == "scratch" || keyword == "prepared" || keyword == "zero")
        stage = Stage::Buffer;
    else if (keyword == "prepare" || keyword == "launch")
        stage = Stage::Call;
    else
        return fmt::format(
            "'{}' is no plan line; there are task, const, part, format, require, scratch, prepared, "
            "zero, prepare and launch",
            keyword.substr(0, 40));
    if (auto reason = enter(stage, keyword))
        return reason;
    if (isOperator() && (stage == Stage::Part || stage == Stage::Format))
        return fmt::format("a line '{}' is about a sparse matrix, and an operator has none", keyword);

    Reason reason;
    switch (stage) {
    case Stage::Task:
        reason = parseTask();
        break;
    case Stage::Const:
        reason = parseConst();
        break;
    case Stage::Part:
        reason = parsePart();
        break;
    case Stage::Format:
        reason = parseFormat();
        break;
    case Stage::Buffer:
        reason = keyword == "require" ? parseRequirement()
                 : keyword == "zero"  ? parseZero()
                                      : parseBuffer(keyword == "prepared");
        break;
    default:
        reason = parseCall(keyword == "prepare");
    }
    return reason ? reason : expectEnd();
}

std::optional<std::string> PlanLineParser::parseTask()
{
    std::string name;
    if (auto reason = expectName(name, "spmv, spmm or operator"))
        return reason;
    const auto task = taskFromName(name);
    if (!task)
        return fmt::format("unknown task '{}'; there are spmv, spmm and operator", name.substr(0, 40));
    m_reader.m_plan.task = *task;
    if (peek().kind != Kind::Name)
        return std::nullopt;
    if (isOperator())
        return fmt::format("the tensors of an operator have types of their own; leave out '{}'",
                           peek().text.substr(0, 40));
    const auto type = elementTypeFromName(peek().text);
    if (type != ElementType::F32 && type != ElementType::F64)
        return fmt::format("unknown element type '{}'; there are f32 and f64", peek().text.substr(0, 40));
    ++m_next;
    m_reader.m_plan.type = *type;
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parseConst()
{
    PlanConst result;
    result.line = m_line;
    if (auto reason = expectName(result.name, "the name of the const"))
        return reason;
    if (auto reason = expectPunctuator("=", "after the name"))
        return reason;
    m_constantsOnly = true;
    auto expr = parseExpr();
    m_constantsOnly = false;
    if (!expr)
        return expr.error();
    result.value = *expr;
    const auto value = evaluateNonNegative(**expr, [&](const PlanExpr& leaf) -> std::optional<std::int64_t> {
        const auto found = m_reader.m_constValues.find(leaf.name);
        return found == m_reader.m_constValues.end() ? std::nullopt : std::optional(found->second);
    });
    if (!value)
        return value.error();
    if (auto reason = define(result.name, {Symbol::Kind::Const, m_reader.m_plan.consts.size()}, true))
        return reason;
    m_reader.m_constValues.emplace(result.name, *value);
    m_reader.m_plan.consts.push_back(std::move(result));
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parseBuffer(bool prepared)
{
    PlanBuffer buffer;
    buffer.line = m_line;
    buffer.prepared = prepared;
    if (auto reason = expectName(buffer.name, "the name of the buffer"))
        return reason;
    std::string type;
    if (auto reason = expectName(type, "the type of the elements"))
        return reason;
    const auto element = elementTypeFromName(type);
    if (!element && isOperator())
        return fmt::format("unknown type '{}'{}; there are i32, u32, i64, f32, f64, u8, u16, f16, bf16 and "
                           "bool",
                           type.substr(0, 40), hintFor(type));
    if (!element || (isOnlyOfOperators(*element) && !isOperator()))
        return fmt::format("unknown type '{}'{}; there are i32, u32, i64, f32, f64, u8 and u16",
                           type.substr(0, 40), hintFor(type));
    buffer.type = *element;
    if (auto reason = expectPunctuator("[", "before the number of elements"))
        return reason;
    auto count = parseExpr();
    if (!count)
        return count.error();
    buffer.count = *count;
    if (auto reason = expectPunctuator("]", "after the number of elements"))
        return reason;
    if (!prepared && peek().kind == Kind::Name && peek().text == "zero") {
        buffer.zero = true;
        ++m_next;
    }
    if (auto reason = define(buffer.name, {Symbol::Kind::Buffer, m_reader.m_plan.buffers.size()}))
        return reason;
    m_reader.m_plan.buffers.push_back(std::move(buffer));
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parseZero()
{
    std::string name;
    const std::string output(tensorName(m_reader.m_plan.task, TensorRole::Output));
    if (auto reason = expectName(name, "the output"))
        return reason;
    if (!isOperator() && name != output)
        return fmt::format("only the output '{}' can be zeroed here, not '{}'", output, name.substr(0, 40));
    std::vector<std::string>& zeroed = m_reader.m_plan.zeroed;
    if (std::find(zeroed.begin(), zeroed.end(), name) != zeroed.end())
        return fmt::format("'{}' is zeroed twice", name.substr(0, 40));
    zeroed.push_back(std::move(name));
    return std::nullopt;
}

} // namespace sparserl
