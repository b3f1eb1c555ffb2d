// SPDX-License-Identifier: Apache-2.0
// Parts of a second parent: whole functions and loops where both have the same names, numbers of the plan.
#include "search/edits.h"
#include "search/text_patch.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace sparserl {

namespace {

/// The tokens of [first, last) in one line: equal for texts that differ in blanks alone.
std::string spelling(const ProgramView& program, std::size_t first, std::size_t last)
{
    std::string out;
    for (std::size_t at = first; at < last; ++at) {
        out += program.tokens()[at].text;
        out += ' ';
    }
    return out;
}

bool sameParameters(const FunctionView& a, const FunctionView& b)
{
    return a.parameters.size() == b.parameters.size() &&
           std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                      [](const FunctionParameter& one, const FunctionParameter& other) {
                          return one.type == other.type && one.name == other.name;
                      });
}

} // namespace

std::optional<EditedProgram> editTakeFunction(const EditInput& input)
{
    if (!input.other)
        return std::nullopt;
    const ProgramView &program = input.program, &other = *input.other;
    struct Pair
    {
        const FunctionView *mine, *theirs;
    };
    std::vector<Pair> pairs;
    for (const FunctionView& mine : program.functions()) {
        for (const FunctionView& theirs : other.functions()) {
            if (mine.name == theirs.name && sameParameters(mine, theirs) &&
                spelling(program, mine.first, mine.close) != spelling(other, theirs.first, theirs.close))
                pairs.push_back({&mine, &theirs});
        }
    }
    if (pairs.empty())
        return std::nullopt;
    const Pair pair = pairs[input.rng.below(pairs.size())];
    const std::size_t from = program.tokens()[pair.mine->first].offset;
    TextPatch patch;
    patch.replace(from, program.endOf(pair.mine->close) - from,
                  other.between(pair.theirs->first, pair.theirs->close + 1));
    return EditedProgram{patch.apply(program.text()), fmt::format("{} of the other", pair.mine->name)};
}

std::optional<EditedProgram> editTakeConstants(const EditInput& input)
{
    if (!input.other)
        return std::nullopt;
    // Lines of the plan that begin in the same way: //! const T = 4, //! format sell(..., //! part short =
    // ...
    const auto key = [](const PlanLine& line) {
        const std::size_t end = line.text.find_first_of("=(");
        return std::string(line.text.substr(0, end));
    };
    struct Pair
    {
        const PlanLine *mine, *theirs;
    };
    std::vector<Pair> pairs;
    for (const PlanLine& mine : input.program.planLines()) {
        if (mine.keyword != "const" && mine.keyword != "format" && mine.keyword != "part")
            continue;
        for (const PlanLine& theirs : input.other->planLines()) {
            if (key(mine) == key(theirs) && mine.text != theirs.text)
                pairs.push_back({&mine, &theirs});
        }
    }
    if (pairs.empty())
        return std::nullopt;
    // All parts or none: their classes must fit together. Of consts and formats a drawn share.
    const bool parts = input.rng.chance(0.5);
    TextPatch patch;
    std::string words;
    for (const Pair& pair : pairs) {
        if (pair.mine->keyword == "part" ? !parts : !input.rng.chance(0.5))
            continue;
        patch.replace(pair.mine->offset, pair.mine->text.size(), std::string(pair.theirs->text));
        words += fmt::format("{}{}", words.empty() ? "" : ",", pair.theirs->text);
    }
    if (patch.empty())
        return std::nullopt;
    return EditedProgram{patch.apply(input.program.text()), fmt::format("of the other:{}", words)};
}

std::optional<EditedProgram> editTakeLoop(const EditInput& input)
{
    if (!input.other)
        return std::nullopt;
    const ProgramView &program = input.program, &other = *input.other;
    struct Pair
    {
        const LoopView *mine, *theirs;
    };
    std::vector<Pair> pairs;
    for (const LoopView& mine : program.loops()) {
        for (const LoopView& theirs : other.loops()) {
            if (!mine.begin.empty() && mine.begin == theirs.begin && mine.variable == theirs.variable &&
                spelling(program, mine.keyword, mine.end) != spelling(other, theirs.keyword, theirs.end))
                pairs.push_back({&mine, &theirs});
        }
    }
    if (pairs.empty())
        return std::nullopt;
    const Pair pair = pairs[input.rng.below(pairs.size())];
    const std::size_t from = program.tokens()[pair.mine->keyword].offset;
    TextPatch patch;
    patch.replace(from, program.endOf(pair.mine->end - 1) - from,
                  other.between(pair.theirs->keyword, pair.theirs->end));
    return EditedProgram{patch.apply(program.text()),
                         fmt::format("the loop over {} of the other", pair.mine->variable)};
}

} // namespace sparserl
