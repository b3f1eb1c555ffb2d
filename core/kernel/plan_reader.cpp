// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_reader.h"

#include "base/printable.h"
#include "kernel/plan_line_parser.h"

namespace sparserl {

namespace {

std::string_view withoutLeadingBlanks(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t\v\f");
    return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

bool endsInBackslash(std::string_view line)
{
    const std::size_t last = line.find_last_not_of(" \t\v\f");
    return last != std::string_view::npos && line[last] == '\\';
}

} // namespace

tl::expected<PlanReader::LineKind, PlanError> PlanReader::read(std::string_view line, int number)
{
    const auto refuse = [&](std::string reason) {
        return tl::unexpected(
            PlanError{number, shortened(std::move(reason))}); // names can be as long as the text
    };
    const std::string_view content = withoutLeadingBlanks(line);
    if (content.substr(0, 3) == "//!") {
        if (m_inCode)
            return refuse("a plan line after the first line of code; move it to the top");
        if (endsInBackslash(line))
            return refuse("a plan line cannot be continued with a backslash");
        auto tokens = planTokens(content.substr(3));
        if (!tokens)
            return refuse(std::move(tokens.error()));
        PlanLineParser parser(*this, std::move(*tokens), number);
        if (auto reason = parser.parse())
            return refuse(std::move(*reason));
        return LineKind::Plan;
    }
    if (m_inCode)
        return LineKind::Code;
    if (content.empty())
        return LineKind::Blank;
    if (content.substr(0, 2) == "//") {
        if (endsInBackslash(line))
            return refuse("a comment between plan lines cannot end in a backslash");
        return LineKind::Comment;
    }
    m_inCode = true;
    return LineKind::Code;
}

tl::expected<Plan, PlanError> PlanReader::finish(int lastLine) const
{
    if (m_stage == Stage::Nothing)
        return tl::unexpected(PlanError{1, "the program has no plan; start with a line '//! task spmv'"});
    for (const PlanCall& call : m_plan.calls) {
        if (!call.prepare)
            return m_plan;
    }
    return tl::unexpected(PlanError{lastLine, "the plan has no launch line"});
}

} // namespace sparserl
