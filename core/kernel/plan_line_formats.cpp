// SPDX-License-Identifier: Apache-2.0
// What a plan makes of the matrix: parts, storage formats, and what stands under their names.
#include "kernel/plan_line_parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = PlanToken::Kind;
using Symbol = PlanReader::Symbol;

constexpr std::int64_t maxFormatParameter = 2147483647;

} // namespace

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
