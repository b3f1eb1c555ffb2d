// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_line_parser.h"

#include "kernel/cpp_words.h"
#include "kernel/plan_expr.h"
#include "kernel/plan_names.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = PlanToken::Kind;
using Symbol = PlanReader::Symbol;

constexpr std::size_t maxCalls = 16;
constexpr std::int64_t maxFormatParameter = 2147483647;

bool isReserved(std::string_view name)
{
    return planName(planNumbers, name) || planName(planTensors, name) || isFunction(name) || name == "csr" ||
           name == "dim3" || name == "inf";
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
    return fmt::format("{} is one too many on this line", shownNext());
}

std::optional<std::string> PlanLineParser::enter(PlanReader::Stage stage, std::string_view keyword)
{
    using Stage = PlanReader::Stage;
    if (m_reader.m_stage == Stage::Nothing && stage != Stage::Task)
        return fmt::format("'{}' before the task; the first plan line is '//! task spmv' or '//! task spmm'",
                           keyword);
    if (stage == Stage::Task && m_reader.m_stage != Stage::Nothing)
        return std::string("a second task line");
    if (stage < m_reader.m_stage)
        return fmt::format(
            "'{}' is out of order: task, const, part, format, then scratch, prepared and zero, "
            "then prepare and launch",
            keyword);
    m_reader.m_stage = stage;
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::define(const std::string& name, Symbol symbol, bool isConst)
{
    if (isReserved(name) || (isConst && isReservedForConst(name)))
        return fmt::format("the name '{}' is reserved", name);
    if (!m_reader.m_symbols.emplace(name, symbol).second)
        return fmt::format("the name '{}' is defined twice", name);
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parse()
{
    using Stage = PlanReader::Stage;
    std::string keyword;
    if (auto reason = expectName(keyword, "a plan line (task, const, part, format, scratch, prepared, zero, "
                                          "prepare or launch)"))
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
    else if (keyword == "scratch" || keyword == "prepared" || keyword == "zero")
        stage = Stage::Buffer;
    else if (keyword == "prepare" || keyword == "launch")
        stage = Stage::Call;
    else
        return fmt::format(
            "'{}' is no plan line; there are task, const, part, format, scratch, prepared, zero, "
            "prepare and launch",
            keyword.substr(0, 40));
    if (auto reason = enter(stage, keyword))
        return reason;

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
        reason = keyword == "zero" ? parseZero() : parseBuffer(keyword == "prepared");
        break;
    default:
        reason = parseCall(keyword == "prepare");
    }
    return reason ? reason : expectEnd();
}

std::optional<std::string> PlanLineParser::parseTask()
{
    std::string name;
    if (auto reason = expectName(name, "spmv or spmm"))
        return reason;
    const auto task = taskFromName(name);
    if (!task)
        return fmt::format("unknown task '{}'; there are spmv and spmm", name.substr(0, 40));
    m_reader.m_plan.task = *task;
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

std::optional<std::string> PlanLineParser::parsePart()
{
    PlanPart part;
    part.line = m_line;
    if (auto reason = expectName(part.name, "the name of the part"))
        return reason;
    if (auto reason = expectPunctuator("=", "after the name"))
        return reason;
    for (std::string_view word : {"rows", "with", "length", "in"}) {
        if (peek().kind != Kind::Name || peek().text != word)
            return fmt::format(
                "a part reads 'NAME = rows with length in [LOW, HIGH)'; found {} instead of '{}'",
                shownNext(), word);
        ++m_next;
    }
    if (auto reason = expectPunctuator("[", "before the lower bound"))
        return reason;
    if (peek().kind != Kind::Integer)
        return fmt::format("expected the lower bound, found {}", shownNext());
    part.low = peek().value;
    ++m_next;
    if (auto reason = expectPunctuator(",", "between the bounds"))
        return reason;
    if (peek().kind == Kind::Integer)
        part.high = peek().value;
    else if (peek().kind != Kind::Name || peek().text != "inf")
        return fmt::format("expected the upper bound or inf, found {}", shownNext());
    ++m_next;
    if (auto reason = expectPunctuator(")", "after the bounds"))
        return reason;
    if (part.high && part.low >= *part.high)
        return fmt::format("the part [{}, {}) is empty; its lower bound must be less than its upper",
                           part.low, *part.high);
    for (const PlanPart& other : m_reader.m_plan.parts) {
        const bool before = part.high && *part.high <= other.low;
        const bool after = other.high && *other.high <= part.low;
        if (!before && !after)
            return fmt::format("the parts '{}' and '{}' overlap", other.name, part.name);
    }
    if (auto reason = define(part.name, {Symbol::Kind::Part, m_reader.m_plan.parts.size()}))
        return reason;
    m_reader.m_plan.parts.push_back(std::move(part));
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parseFormatParameters(FormatSpec& spec)
{
    if (!accept("("))
        return std::nullopt;
    do {
        std::string key;
        if (auto reason = expectName(key, "the name of a format parameter"))
            return reason;
        if (auto reason = expectPunctuator("=", "after the parameter's name"))
            return reason;
        if (peek().kind != Kind::Integer)
            return fmt::format("the parameter '{}' needs an integer, found {}", key, shownNext());
        const std::int64_t value = peek().value;
        ++m_next;
        if (value < 1 || value > maxFormatParameter)
            return fmt::format("{} = {} is out of range; format parameters are 1 to 2147483647", key, value);
        if (!spec.parameters.emplace(key, value).second)
            return fmt::format("the parameter '{}' is given twice", key);
    } while (accept(","));
    return expectPunctuator(")", "after the format's parameters");
}

std::optional<std::string> PlanLineParser::checkFormatParameters(const FormatSpec& spec) const
{
    const FormatSignature& signature = *formatSignature(spec.kind);
    std::vector<std::vector<std::string>> choices = signature.alternatives;
    if (choices.empty() || !signature.parameters.empty())
        choices.push_back(signature.parameters);
    const bool fits = std::any_of(choices.begin(), choices.end(), [&](const std::vector<std::string>& names) {
        return names.size() == spec.parameters.size() &&
               std::all_of(names.begin(), names.end(),
                           [&](const std::string& name) { return spec.parameters.count(name) == 1; });
    });
    if (!fits) {
        std::vector<std::string> shown;
        for (const auto& names : choices) {
            std::string text = spec.kind;
            for (std::size_t i = 0; i < names.size(); ++i)
                text += fmt::format("{}{}=N{}", i ? ", " : "(", names[i], i + 1 == names.size() ? ")" : "");
            shown.push_back(text);
        }
        return fmt::format("wrong parameters of the format '{}'; it reads {}", spec.kind,
                           fmt::join(shown, " or "));
    }
    const auto value = [&](const char* name) {
        const auto found = spec.parameters.find(name);
        return found == spec.parameters.end() ? std::int64_t(0) : found->second;
    };
    if (spec.kind == "hyb" && value("quantile") > 100)
        return fmt::format("hyb: quantile = {} is more than 100 per cent", value("quantile"));
    if (spec.kind == "csr5" && value("sigma") > 32)
        return fmt::format("csr5: sigma = {} is more than 32", value("sigma"));
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::parseFormat()
{
    PlanFormat format;
    format.line = m_line;
    std::string first;
    if (auto reason = expectName(first, "the kind or the name of a format"))
        return reason;
    const bool named = accept("=");
    if (named) {
        format.name = first;
        if (auto reason = expectName(format.spec.kind, "the kind of the format"))
            return reason;
    } else {
        format.name = format.spec.kind = first;
    }
    const FormatSignature* signature = formatSignature(format.spec.kind);
    if (!signature)
        return fmt::format("unknown format '{}'", format.spec.kind.substr(0, 40));
    if (auto reason = parseFormatParameters(format.spec))
        return reason;
    if (auto reason = checkFormatParameters(format.spec))
        return reason;
    if (peek().kind == Kind::Name && peek().text == "of") {
        ++m_next;
        if (auto reason = expectName(format.part, "the name of a part"))
            return reason;
        const auto found = m_reader.m_symbols.find(format.part);
        if (found == m_reader.m_symbols.end() || found->second.kind != Symbol::Kind::Part)
            return fmt::format("'{}' is not a part", format.part);
        if (!signature->allowsPart)
            return fmt::format("the format '{}' is always of the whole matrix", format.spec.kind);
    }
    const std::size_t index = m_reader.m_plan.formats.size();
    if (!named && format.name == "csr") {
        if (!format.part.empty())
            return std::string(
                "'csr' is the whole matrix; name the format of a part: '//! format NAME = csr of PART'");
        if (m_reader.m_csrWritten)
            return std::string("the name 'csr' is defined twice");
        m_reader.m_csrWritten = true;
    } else if (auto reason = define(format.name, {Symbol::Kind::Format, index})) {
        return reason;
    }
    m_reader.m_plan.formats.push_back(std::move(format));
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
    if (!element)
        return fmt::format("unknown type '{}'; there are i32, u32, i64, f32, f64, u8 and u16",
                           type.substr(0, 40));
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
    const std::string output(tensorOf(m_reader.m_plan.task, BufferRole::Output));
    if (auto reason = expectName(name, "the output"))
        return reason;
    if (name != output)
        return fmt::format("only the output '{}' can be zeroed here, not '{}'", output, name.substr(0, 40));
    if (m_reader.m_plan.zeroOutput)
        return fmt::format("'{}' is zeroed twice", output);
    m_reader.m_plan.zeroOutput = true;
    return std::nullopt;
}

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

std::optional<std::string> PlanLineParser::parseArgument(PlanCall& call)
{
    PlanArgument argument;
    const auto endsAt = [&](std::size_t ahead) {
        const PlanToken& token = peek(ahead);
        return token.kind == Kind::Punctuator && (token.text == "," || token.text == ")");
    };
    if (peek().kind == Kind::Name && endsAt(1)) {
        const std::string name(peek().text);
        const Task task = m_reader.m_plan.task;
        const auto found = m_reader.m_symbols.find(name);
        bool forbidden = false;
        if (const PlanTensor* tensor = planName(planTensors, name)) {
            if (tensor->task != task)
                return fmt::format("'{}' does not exist in {}; there are {} and {}", name, nameOf(task),
                                   tensorOf(task, BufferRole::Input), tensorOf(task, BufferRole::Output));
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
        if (forbidden)
            return fmt::format(
                "a prepare call cannot use '{}'; it sees only matrix data and prepared buffers", name);
        if (!argument.array.empty())
            ++m_next;
    } else if (peek().kind == Kind::Name && peek(1).text == "." && peek(2).kind == Kind::Name && endsAt(3)) {
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
    if (argument.array.empty()) {
        auto value = parseExpr();
        if (!value)
            return value.error();
        argument.value = *value;
    }
    call.arguments.push_back(std::move(argument));
    return std::nullopt;
}

std::optional<std::string> PlanLineParser::checkMember(const std::string& owner, const std::string& member,
                                                       bool& isArray) const
{
    const auto found = m_reader.m_symbols.find(owner);
    const FormatSignature* signature = nullptr;
    if (owner == "csr")
        signature = formatSignature("csr");
    else if (found != m_reader.m_symbols.end() && found->second.kind == Symbol::Kind::Format)
        signature = formatSignature(m_reader.m_plan.formats[found->second.index].spec.kind);
    else if (found != m_reader.m_symbols.end() && found->second.kind == Symbol::Kind::Part) {
        isArray = member == "row_ids" || member == "row_ptr" || member == "col" || member == "val";
        if (isArray || member == "rows" || member == "nnz")
            return std::nullopt;
        return fmt::format("the part '{}' has no '{}'; it has row_ids, row_ptr, col, val, rows and nnz",
                           owner, member);
    }
    if (!signature)
        return fmt::format("'{}' is neither a format nor a part of this plan", owner.substr(0, 40));
    std::vector<std::string> known;
    for (const auto& array : signature->arrays) {
        if (array.name == member) {
            isArray = true;
            return std::nullopt;
        }
        known.push_back(array.name);
    }
    for (const std::string& count : signature->counts) {
        if (count == member) {
            isArray = false;
            return std::nullopt;
        }
        known.push_back(count);
    }
    return fmt::format("the format '{}' has no '{}'; it has {}", owner, member.substr(0, 40),
                       fmt::join(known, ", "));
}

} // namespace sparserl
