// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_expr.h"
#include "kernel/plan_reader.h"
#include "kernel/text_rules.h"

#include <fmt/format.h>
#include <map>

namespace sparserl {

tl::expected<KernelProgram, PlanError> parseProgram(ProgramText text)
{
    if (auto error = checkProgramText(text.text()))
        return tl::unexpected(std::move(*error));
    KernelProgram program;
    program.code.reserve(text.text().size());
    PlanReader reader;
    int number = 0;
    std::size_t consts = 0;
    std::size_t start = 0;
    const std::string_view all = text.text();
    while (start < all.size()) {
        ++number;
        const std::size_t feed = all.find('\n', start);
        const std::size_t end = feed == std::string_view::npos ? all.size() : feed;
        std::string_view line = all.substr(start, end - start);
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        SPARSERL_TRY(const auto kind, reader.read(line, number));
        if (kind != PlanReader::LineKind::Plan)
            program.code += line;
        else if (const Plan& plan = reader.plan(); plan.consts.size() > consts)
            program.code += fmt::format("#define {} {}", plan.consts.back().name,
                                        reader.constValue(plan.consts.back().name));
        consts = reader.plan().consts.size();
        if (feed != std::string_view::npos)
            program.code += '\n';
        start = end + 1;
    }
    SPARSERL_TRY(auto plan, reader.finish(std::max(number, 1)));
    program.plan = std::move(plan);
    program.text = std::move(text);
    return program;
}

FactorUse factorsOf(const Plan& plan)
{
    FactorUse use;
    for (const PlanCall& call : plan.calls)
        for (const PlanArgument& argument : call.arguments) {
            use.alpha = use.alpha || argument.factor == Factor::Alpha;
            use.beta = use.beta || argument.factor == Factor::Beta;
        }
    return use;
}

std::vector<std::pair<std::string, std::int64_t>> constValues(const Plan& plan)
{
    std::map<std::string, std::int64_t, std::less<>> values;
    std::vector<std::pair<std::string, std::int64_t>> result;
    for (const PlanConst& constant : plan.consts) {
        const auto value =
            evaluateNonNegative(*constant.value, [&](const PlanExpr& leaf) -> std::optional<std::int64_t> {
                const auto found = values.find(leaf.name);
                return found == values.end() ? std::nullopt : std::optional(found->second);
            });
        values[constant.name] = value.value_or(0); // The parser has evaluated it already.
        result.emplace_back(constant.name, values[constant.name]);
    }
    return result;
}

} // namespace sparserl
