// SPDX-License-Identifier: Apache-2.0
// How loads and stores of one array treat the caches. A load is NAME[...], &NAME[...] in a __ld..., or either
// through reinterpret_cast<TYPE*>(NAME).
#include "search/edits.h"
#include "search/text_patch.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace sparserl {

namespace {

constexpr std::array<std::string_view, 5> loadHints{"", "__ldg", "__ldcs", "__ldca", "__ldlu"};
constexpr std::array<std::string_view, 5> storeHints{"", "__stcs", "__stcg", "__stwt", "__stwb"};

bool isHint(const Token& token, std::string_view start)
{
    return token.kind == Token::Kind::Identifier && token.text.starts_with(start) &&
           token.text.find("_sync") == std::string_view::npos;
}

/// An element of an array in the code: tokens [first, last).
struct Access
{
    std::size_t first = 0, last = 0;
    std::size_t bracket = 0;
    std::size_t outerFirst = 0, outerLast = 0; ///< With the call of a hint around it.
    bool hinted = false, address = false, isVolatile = false;
};

/// Where tokens [first, last) name elements of the array inside a function.
std::vector<Access> accesses(const ProgramView& program, const FunctionView& function, std::string_view name,
                             std::string_view hintStart)
{
    std::vector<Access> out;
    const auto& tokens = program.tokens();
    for (std::size_t at = function.open; at < function.close; ++at) {
        if (!tokens[at].is(name))
            continue;
        Access access;
        access.first = at;
        std::size_t bracket = at + 1;
        if (program.is(at - 1, "(") && program.is(at - 2, ">") && program.is(at + 1, ")")) {
            std::size_t cast = at - 2;
            while (cast > function.open && !program.is(cast, "reinterpret_cast")) {
                access.isVolatile = access.isVolatile || program.is(cast, "volatile");
                --cast;
            }
            access.first = cast;
            bracket = at + 2;
        }
        if (!program.is(bracket, "["))
            continue;
        access.bracket = bracket;
        access.last = program.closing(bracket) + 1;
        access.outerFirst = access.first;
        access.outerLast = access.last;
        if (program.is(access.first - 1, "&") && program.is(access.first - 2, "(")) {
            access.address = true;
            if (isHint(tokens[access.first - 3], hintStart)) {
                access.hinted = true;
                access.outerFirst = access.first - 3;
                access.outerLast = program.closing(access.first - 2) + 1;
            }
        }
        out.push_back(access);
    }
    return out;
}

std::string lowered(std::string_view hint)
{
    return hint.empty() ? std::string("a plain access") : std::string(hint);
}

/// A function with a pointer parameter, drawn; null: none.
struct Choice
{
    const FunctionView* function = nullptr;
    const FunctionParameter* parameter = nullptr;
};

Choice choosePointer(const EditInput& input, bool constant)
{
    std::vector<Choice> choices;
    for (const FunctionView& function : input.program.functions()) {
        for (const FunctionParameter& parameter : function.parameters) {
            if (parameter.pointer && parameter.constant == constant && !parameter.name.empty())
                choices.push_back({&function, &parameter});
        }
    }
    return choices.empty() ? Choice{} : choices[input.rng.below(choices.size())];
}

} // namespace

std::optional<EditedProgram> editLoadHint(const EditInput& input)
{
    const Choice choice = choosePointer(input, true);
    if (!choice.parameter)
        return std::nullopt;
    const std::string_view hint = loadHints[input.rng.below(loadHints.size())];
    const ProgramView& program = input.program;
    TextPatch patch;
    for (const Access& access : accesses(program, *choice.function, choice.parameter->name, "__ld")) {
        if (access.address && !access.hinted)
            continue; // Its address goes somewhere else.
        std::string element = program.between(access.first, access.last);
        if (access.isVolatile) // A volatile load has no other kind.
            element = choice.parameter->name + program.between(access.bracket, access.last);
        const std::string with = hint.empty() ? element : fmt::format("{}(&{})", hint, element);
        const std::string before = program.between(access.outerFirst, access.outerLast);
        if (with != before)
            patch.replace(program.tokens()[access.outerFirst].offset, before.size(), with);
    }
    if (patch.empty())
        return std::nullopt;
    return EditedProgram{
        patch.apply(program.text()),
        fmt::format("{} of {} in {}", lowered(hint), choice.parameter->name, choice.function->name)};
}

std::optional<EditedProgram> editStoreHint(const EditInput& input)
{
    const Choice choice = choosePointer(input, false);
    if (!choice.parameter)
        return std::nullopt;
    const std::string_view hint = storeHints[input.rng.below(storeHints.size())];
    const ProgramView& program = input.program;
    TextPatch patch;
    for (const Access& access : accesses(program, *choice.function, choice.parameter->name, "__st")) {
        if (access.hinted) {
            // __stcs(&y[row], sum)
            const std::size_t comma = access.last;
            if (!program.is(comma, ","))
                continue;
            const std::string value = program.between(comma + 1, access.outerLast - 1);
            const std::string element = program.between(access.first, access.last);
            const std::string with = hint.empty() ? fmt::format("{} = {}", element, value)
                                                  : fmt::format("{}(&{}, {})", hint, element, value);
            const std::string before = program.between(access.outerFirst, access.outerLast);
            if (with != before)
                patch.replace(program.tokens()[access.outerFirst].offset, before.size(), with);
        } else if (!access.address && program.is(access.last, "=") && !hint.empty()) {
            const std::size_t end = program.statementEnd(access.last);
            const std::string with =
                fmt::format("{}(&{}, {})", hint, program.between(access.first, access.last),
                            program.between(access.last + 1, end - 1));
            const std::size_t from = program.tokens()[access.first].offset;
            patch.replace(from, program.tokens()[end - 1].offset - from, with);
        }
    }
    if (patch.empty())
        return std::nullopt;
    return EditedProgram{patch.apply(program.text()),
                         fmt::format("{} to {}", lowered(hint), choice.parameter->name)};
}

std::optional<EditedProgram> editRestrict(const EditInput& input)
{
    const auto& functions = input.program.functions();
    if (functions.empty())
        return std::nullopt;
    const FunctionView& function = functions[input.rng.below(functions.size())];
    const auto any = std::any_of(function.parameters.begin(), function.parameters.end(),
                                 [](const FunctionParameter& one) { return one.restricted; });
    TextPatch patch;
    const auto& tokens = input.program.tokens();
    for (std::size_t at = function.nameAt; at < function.open; ++at) {
        if (any && tokens[at].is("__restrict__")) {
            const std::size_t next = tokens[at + 1].offset;
            patch.replace(tokens[at].offset, next - tokens[at].offset, "");
        } else if (!any && tokens[at].is("*")) {
            patch.insert(input.program.endOf(at), " __restrict__");
        }
    }
    if (patch.empty())
        return std::nullopt;
    return EditedProgram{patch.apply(input.program.text()),
                         fmt::format("{} __restrict__ in {}", any ? "no" : "with", function.name)};
}

} // namespace sparserl
