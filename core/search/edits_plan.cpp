// SPDX-License-Identifier: Apache-2.0
// Numbers that plan and code agree on: an edit that changes one changes all that derive from it.
#include "kernel/plan_tokens.h"
#include "search/edits.h"
#include "search/text_patch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

struct PlacedToken
{
    PlanToken token;
    std::size_t offset = 0;
};

std::vector<PlacedToken> tokensOf(const PlanLine& line)
{
    std::vector<PlacedToken> out;
    const auto tokens = planTokens(line.text);
    if (!tokens)
        return out;
    for (const PlanToken& token : *tokens) {
        if (token.kind != PlanToken::Kind::End)
            out.push_back(
                {token, line.offset + static_cast<std::size_t>(token.text.data() - line.text.data())});
    }
    return out;
}

/// A const of the plan that is written as one number.
struct NumberConst
{
    std::string name;
    std::int64_t value = 0;
    std::size_t offset = 0, length = 0;
};

std::vector<NumberConst> numberConsts(const ProgramView& program)
{
    std::vector<NumberConst> out;
    for (const PlanLine& line : program.planLines()) {
        if (line.keyword != "const")
            continue;
        const auto tokens = tokensOf(line);
        if (tokens.size() == 4 && tokens[3].token.kind == PlanToken::Kind::Integer)
            out.push_back({std::string(tokens[1].token.text), tokens[3].token.value, tokens[3].offset,
                           tokens[3].token.text.size()});
    }
    return out;
}

/// Numbers of plan lines with this keyword, and of the code, that have one value become another.
void replaceNumbers(const ProgramView& program, std::string_view keyword, std::int64_t from, std::int64_t to,
                    TextPatch& patch)
{
    for (const PlanLine& line : program.planLines()) {
        if (line.keyword != keyword)
            continue;
        for (const PlacedToken& one : tokensOf(line)) {
            if (one.token.kind == PlanToken::Kind::Integer && one.token.value == from)
                patch.replace(one.offset, one.token.text.size(), std::to_string(to));
        }
    }
    for (const Token& token : program.tokens()) {
        if (integerOf(token) == from)
            patch.replace(token.offset, token.text.size(), std::to_string(to));
    }
}

/// Gives a const another value, and with it the literals that repeat it or its product with another const:
/// `tiles(items=640)` where BLOCK is 128 and ITEMS 5. Smaller numbers than these may mean anything.
std::string withConst(const ProgramView& program, const std::vector<NumberConst>& consts,
                      const NumberConst& changed, std::int64_t to)
{
    constexpr std::int64_t leastOfItsOwn = 48, leastProduct = 64;
    TextPatch patch;
    patch.replace(changed.offset, changed.length, std::to_string(to));
    std::set<std::int64_t> done;
    const auto scale = [&](std::int64_t factor, std::int64_t least) {
        const std::int64_t from = changed.value * factor;
        if (from >= least && done.insert(from).second)
            replaceNumbers(program, "format", from, to * factor, patch);
    };
    scale(1, leastOfItsOwn);
    for (const NumberConst& other : consts) {
        const bool another = std::any_of(consts.begin(), consts.end(), [&](const NumberConst& one) {
            return one.value == changed.value * other.value;
        });
        if (other.name != changed.name && !another)
            scale(other.value, leastProduct);
    }
    return patch.apply(program.text());
}

const NumberConst* blockConst(const ProgramView& program, const std::vector<NumberConst>& consts)
{
    for (const PlanCall& call : program.plan().calls) {
        for (const NumberConst& one : consts) {
            if (!call.block.empty() && call.block[0]->op == PlanExpr::Op::Name &&
                call.block[0]->name == one.name)
                return &one;
        }
    }
    return nullptr;
}

} // namespace

std::optional<EditedProgram> editBlockSize(const EditInput& input)
{
    constexpr std::array<std::int64_t, 12> sizes{32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024};
    const std::int64_t to = sizes[input.rng.below(sizes.size())];
    const auto consts = numberConsts(input.program);
    if (const NumberConst* block = blockConst(input.program, consts)) {
        if (block->value == to)
            return std::nullopt;
        return EditedProgram{withConst(input.program, consts, *block, to),
                             fmt::format("block of {} threads instead of {}", to, block->value)};
    }
    // The block is a number in the launch line.
    for (const PlanCall& call : input.program.plan().calls) {
        if (call.block.empty() || call.block[0]->op != PlanExpr::Op::Literal)
            continue;
        const std::int64_t from = call.block[0]->value;
        if (from == to || from < 64) // 32 means a warp in too many places.
            return std::nullopt;
        TextPatch patch;
        replaceNumbers(input.program, "launch", from, to, patch);
        return EditedProgram{patch.apply(input.program.text()),
                             fmt::format("block of {} threads instead of {}", to, from)};
    }
    return std::nullopt;
}

std::optional<EditedProgram> editConstant(const EditInput& input)
{
    auto consts = numberConsts(input.program);
    const NumberConst* block = blockConst(input.program, consts);
    std::vector<const NumberConst*> free;
    for (const NumberConst& one : consts) {
        if (&one != block)
            free.push_back(&one);
    }
    if (free.empty())
        return std::nullopt;
    const NumberConst& one = *free[input.rng.below(free.size())];
    // Lanes and widths are powers of two as a rule, counts of entries need not be.
    const double kind = input.rng.uniform();
    std::int64_t to = kind < 0.4   ? one.value * 2
                      : kind < 0.8 ? one.value / 2
                      : kind < 0.9 ? one.value + 1
                                   : one.value - 1;
    if (to < 1 || to == one.value)
        return std::nullopt;
    return EditedProgram{withConst(input.program, consts, one, to),
                         fmt::format("{} = {} instead of {}", one.name, to, one.value)};
}

std::optional<EditedProgram> editRowClasses(const EditInput& input)
{
    std::set<std::int64_t> bounds;
    for (const PlanPart& part : input.program.plan().parts) {
        bounds.insert(part.low);
        if (part.high)
            bounds.insert(*part.high);
    }
    bounds.erase(0);
    if (bounds.empty())
        return std::nullopt;
    const auto at = std::next(bounds.begin(), static_cast<std::ptrdiff_t>(input.rng.below(bounds.size())));
    constexpr std::array factors{0.25, 0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0, 4.0};
    const auto to =
        static_cast<std::int64_t>(static_cast<double>(*at) * factors[input.rng.below(factors.size())]);
    const std::int64_t below = at == bounds.begin() ? 0 : *std::prev(at);
    if (to == *at || to <= below || (std::next(at) != bounds.end() && to >= *std::next(at)))
        return std::nullopt;
    TextPatch patch;
    for (const PlanLine& line : input.program.planLines()) {
        if (line.keyword != "part")
            continue;
        for (const PlacedToken& one : tokensOf(line)) {
            if (one.token.kind == PlanToken::Kind::Integer && one.token.value == *at)
                patch.replace(one.offset, one.token.text.size(), std::to_string(to));
        }
    }
    return EditedProgram{patch.apply(input.program.text()),
                         fmt::format("classes of rows part at {} entries instead of {}", to, *at)};
}

std::optional<EditedProgram> editFormat(const EditInput& input)
{
    const auto consts = numberConsts(input.program);
    struct Place
    {
        std::string key;
        PlacedToken number;
    };
    std::vector<Place> places;
    for (const PlanLine& line : input.program.planLines()) {
        if (line.keyword != "format")
            continue;
        const auto tokens = tokensOf(line);
        for (std::size_t i = 2; i < tokens.size(); ++i) {
            const std::string_view key = tokens[i - 2].token.text;
            // Others are numbers of the code as well: constants, or meant by a 32 among others.
            if (tokens[i].token.kind == PlanToken::Kind::Integer &&
                (key == "sigma" || key == "quantile" || key == "width") &&
                std::none_of(consts.begin(), consts.end(),
                             [&](const NumberConst& one) { return one.value == tokens[i].token.value; }))
                places.push_back({std::string(key), tokens[i]});
        }
    }
    if (places.empty())
        return std::nullopt;
    const Place& place = places[input.rng.below(places.size())];
    const std::int64_t from = place.number.token.value;
    constexpr std::array factors{0.25, 0.5, 2.0, 4.0};
    std::int64_t to = 0;
    if (place.key == "quantile")
        to = input.rng.between(50, 99);
    else
        to = static_cast<std::int64_t>(static_cast<double>(from) * factors[input.rng.below(factors.size())]);
    if (to < 1 || to == from)
        return std::nullopt;
    TextPatch patch;
    patch.replace(place.number.offset, place.number.token.text.size(), std::to_string(to));
    return EditedProgram{patch.apply(input.program.text()),
                         fmt::format("format with {} {} instead of {}", place.key, to, from)};
}

} // namespace sparserl
