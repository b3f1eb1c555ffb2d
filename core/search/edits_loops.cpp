// SPDX-License-Identifier: Apache-2.0
// Loops over entries: how many loads are in flight, what is checked for each, and how many sums there are.
#include "search/edits.h"
#include "search/text_patch.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <vector>

namespace sparserl {

namespace {

/// Loops of the program that `wanted` takes; one of them by lot, or nullptr.
template <typename Wanted>
const LoopView* chooseLoop(const EditInput& input, Wanted&& wanted)
{
    std::vector<const LoopView*> loops;
    for (const LoopView& loop : input.program.loops()) {
        if (wanted(loop))
            loops.push_back(&loop);
    }
    return loops.empty() ? nullptr : loops[input.rng.below(loops.size())];
}

/// "val[i] * x[col[i]]": what the loop is about, for people.
std::string loopWords(const ProgramView& program, const LoopView& loop)
{
    const FunctionView* function = program.functionAt(loop.keyword);
    return fmt::format("the loop over {} in {}", loop.variable.empty() ? "entries" : loop.variable,
                       function ? function->name : "the code");
}

/// Whether tokens [first, last) have one of these words.
bool anyOf(const ProgramView& program, std::size_t first, std::size_t last,
           std::initializer_list<std::string_view> words)
{
    for (std::size_t at = first; at < last; ++at) {
        if (std::any_of(words.begin(), words.end(),
                        [&](std::string_view word) { return program.is(at, word); }))
            return true;
    }
    return false;
}

bool reads(const ProgramView& program, const LoopView& loop)
{
    return anyOf(program, loop.bodyBegin(), loop.bodyEnd(), {"["});
}

/// The text of tokens [first, last) with every identifier `name` replaced.
std::string renamed(const ProgramView& program, std::size_t first, std::size_t last, std::string_view name,
                    const std::string& with)
{
    TextPatch patch;
    const std::size_t from = first < last ? program.tokens()[first].offset : 0;
    for (std::size_t at = first; at < last; ++at) {
        if (program.is(at, name) && !program.is(at - 1, ".") && !program.is(at - 1, "->"))
            patch.replace(program.tokens()[at].offset - from, name.size(), with);
    }
    return patch.apply(program.between(first, last));
}

/// A name that no token of the program has: "u", then "u2", "u3".
std::string freshName(const ProgramView& program, const std::string& wanted)
{
    std::set<std::string_view> words;
    for (const Token& token : program.tokens())
        words.insert(token.text);
    std::string name = wanted;
    for (int number = 2; words.count(name) != 0; ++number)
        name = wanted + std::to_string(number);
    return name;
}

/// Where a batched loop says how many entries it takes: the numbers in the parts of its header, the unrolled
/// loop inside and the arrays that hold a batch. 0: it is none.
std::int64_t batchOf(const ProgramView& program, const LoopView& loop, std::vector<std::size_t>& places,
                     std::vector<std::size_t>& pragmas)
{
    const auto& tokens = program.tokens();
    if (!program.is(loop.step + 1, "+="))
        return 0;
    const auto batch = integerOf(tokens[loop.step + 2]);
    if (!batch || *batch < 2 || !program.is(loop.step + 3, "*"))
        return 0;
    places.push_back(loop.step + 2);
    for (std::size_t at = loop.condition; at < loop.step; ++at) {
        if (integerOf(tokens[at]) == *batch && program.is(at - 1, "(") && program.is(at + 1, "-"))
            places.push_back(at); // (4 - 1) * STEP
    }
    bool unrolled = false;
    for (std::size_t at = loop.close + 1; at < loop.end; ++at) {
        if (tokens[at].kind == Token::Kind::Directive &&
            tokens[at].text == fmt::format("#pragma unroll {}", *batch))
            pragmas.push_back(at);
        else if (integerOf(tokens[at]) == *batch && program.is(at - 1, "<") && program.is(at + 1, ";")) {
            places.push_back(at);
            unrolled = true;
        } else if (integerOf(tokens[at]) == *batch && program.is(at - 1, "[") && program.is(at + 1, "]") &&
                   tokens[at - 2].kind == Token::Kind::Identifier &&
                   tokens[at - 3].kind == Token::Kind::Identifier)
            places.push_back(at); // int c[4]
    }
    return unrolled ? *batch : 0;
}

std::string withBatch(const ProgramView& program, const std::vector<std::size_t>& places,
                      const std::vector<std::size_t>& pragmas, std::int64_t batch)
{
    TextPatch patch;
    for (const std::size_t at : places)
        patch.replace(program.tokens()[at].offset, program.tokens()[at].text.size(), std::to_string(batch));
    for (const std::size_t at : pragmas)
        patch.replace(program.tokens()[at].offset, program.tokens()[at].text.size(),
                      fmt::format("#pragma unroll {}", batch));
    return patch.apply(program.text());
}

constexpr std::array<std::int64_t, 10> batches{2, 3, 4, 5, 6, 7, 8, 10, 12, 16};

} // namespace

std::optional<EditedProgram> editUnroll(const EditInput& input)
{
    const ProgramView& program = input.program;
    const LoopView* loop = chooseLoop(input, [](const LoopView&) { return true; });
    if (!loop)
        return std::nullopt;
    constexpr std::array<int, 7> counts{0, 1, 2, 3, 4, 8, 16};
    const int count = counts[input.rng.below(counts.size())];
    const Token& keyword = program.tokens()[loop->keyword];
    TextPatch patch;
    if (loop->pragma != 0) {
        const Token& pragma = program.tokens()[loop->pragma];
        const std::string with = count > 0 ? fmt::format("#pragma unroll {}", count) : std::string();
        if (pragma.text == with)
            return std::nullopt;
        patch.replace(pragma.offset, pragma.text.size(), with);
    } else {
        if (count == 0)
            return std::nullopt;
        // A directive has a line of its own.
        patch.insert(keyword.offset, fmt::format("\n#pragma unroll {}\n", count));
    }
    return EditedProgram{patch.apply(program.text()),
                         count > 0 ? fmt::format("unroll {} of {}", count, loopWords(program, *loop))
                                   : fmt::format("no unroll of {}", loopWords(program, *loop))};
}

std::optional<EditedProgram> editBatchSize(const EditInput& input)
{
    const ProgramView& program = input.program;
    std::vector<std::size_t> places, pragmas;
    const LoopView* loop = chooseLoop(input, [&](const LoopView& one) {
        std::vector<std::size_t> a, b;
        return batchOf(program, one, a, b) > 0;
    });
    if (!loop)
        return std::nullopt;
    const std::int64_t from = batchOf(program, *loop, places, pragmas);
    const std::int64_t to = batches[input.rng.below(batches.size())];
    if (to == from)
        return std::nullopt;
    return EditedProgram{
        withBatch(program, places, pragmas, to),
        fmt::format("batches of {} instead of {} in {}", to, from, loopWords(program, *loop))};
}

std::optional<EditedProgram> editBatch(const EditInput& input)
{
    const ProgramView& program = input.program;
    const LoopView* loop = chooseLoop(input, [&](const LoopView& one) {
        return one.innermost && one.counted() && !one.begin.empty() && one.pragma == 0 &&
               one.increment != "1" && reads(program, one) &&
               !anyOf(program, one.close + 1, one.end, {"break", "continue", "return", "__syncthreads"});
    });
    if (!loop)
        return std::nullopt;
    // Who changes the index in the body does not count by it.
    const auto& tokens = program.tokens();
    for (std::size_t at = loop->bodyBegin(); at < loop->bodyEnd(); ++at) {
        if (tokens[at].is(loop->variable) &&
            (program.is(at + 1, "=") || program.is(at + 1, "+=") || program.is(at + 1, "++")))
            return std::nullopt;
    }
    const std::int64_t batch = batches[input.rng.below(batches.size())];
    const std::string step = fmt::format("({})", loop->increment), i = loop->variable;
    const std::string u = freshName(program, "u"), k = freshName(program, "k"),
                      end = freshName(program, "stop");
    const std::string body = program.between(loop->bodyBegin(), loop->bodyEnd());
    const std::string in = program.indent(loop->keyword);
    std::string with = fmt::format("{{\n{0}    {1} {2} = {3};\n{0}    const {1} {4} = {5};\n", in, loop->type,
                                   i, loop->begin, end, loop->limit);
    with += fmt::format("{0}    for (; {1} + ({2} - 1) * {3} < {4}; {1} += {2} * {3}) {{\n", in, i, batch,
                        step, end);
    with +=
        fmt::format("#pragma unroll {1}\n{0}        for (int {2} = 0; {2} < {1}; {2}++) {{\n", in, batch, u);
    with += fmt::format("{0}            const {1} {2} = {3} + {4} * {5};\n", in, loop->type, k, i, u, step);
    with += fmt::format("{}            {}\n{}        }}\n{}    }}\n", in,
                        renamed(program, loop->bodyBegin(), loop->bodyEnd(), i, k), in, in);
    with += fmt::format("{0}    for (; {1} < {2}; {1} += {3}) {{ {4} }}\n{0}}}", in, i, end, step, body);
    TextPatch patch;
    const std::size_t from = tokens[loop->keyword].offset;
    patch.replace(from, program.endOf(loop->end - 1) - from, with);
    return EditedProgram{patch.apply(program.text()),
                         fmt::format("batches of {} and a loop for the rest in place of {}", batch,
                                     loopWords(program, *loop))};
}

std::optional<EditedProgram> editSplitLoop(const EditInput& input)
{
    const ProgramView& program = input.program;
    const auto& tokens = program.tokens();
    std::vector<std::size_t> places, pragmas;
    const LoopView* loop = chooseLoop(input, [&](const LoopView& one) {
        std::vector<std::size_t> a, b;
        return one.counted() && !one.begin.empty() && batchOf(program, one, a, b) > 0 &&
               !anyOf(program, one.close + 1, one.end, {"break", "continue", "return", "__syncthreads"});
    });
    if (!loop)
        return std::nullopt;
    const std::int64_t batch = batchOf(program, *loop, places, pragmas);
    const std::string step = program.between(loop->step + 4, loop->close); // behind "i += 4 *"
    const std::string inside = " < " + loop->limit;
    // In the main loop every `... < LIMIT` is true. It is a condition in front of "?", or of an `if`.
    TextPatch body;
    const std::size_t from = tokens[loop->bodyBegin()].offset;
    int removed = 0;
    for (std::size_t at = loop->bodyBegin(); at < loop->bodyEnd(); ++at) {
        if (program.is(at, "?")) {
            // Back to where the condition begins, on to the ":" that parts the choices.
            std::size_t first = at;
            while (first > loop->bodyBegin() && !program.is(first - 1, "=") && !program.is(first - 1, "(") &&
                   !program.is(first - 1, ",") && !program.is(first - 1, ";"))
                --first;
            if (!program.between(first, at).ends_with(inside))
                continue;
            std::size_t colon = at, last = at;
            while (colon < loop->bodyEnd() && !program.is(colon, ":"))
                colon =
                    program.is(colon, "(") || program.is(colon, "[") ? program.closing(colon) + 1 : colon + 1;
            last = colon;
            while (last < loop->bodyEnd() && !program.is(last, ";") && !program.is(last, ")") &&
                   !program.is(last, ","))
                last = program.is(last, "(") || program.is(last, "[") ? program.closing(last) + 1 : last + 1;
            body.replace(tokens[first].offset - from, program.endOf(last - 1) - tokens[first].offset,
                         program.between(at + 1, colon));
            ++removed;
        } else if (program.is(at, "if") &&
                   program.between(at + 2, program.closing(at + 1)).ends_with(inside)) {
            const std::size_t close = program.closing(at + 1);
            if (program.is(program.statementEnd(close + 1), "else"))
                continue;
            body.replace(tokens[at].offset - from, program.endOf(close) - tokens[at].offset, "");
            ++removed;
        }
    }
    if (removed == 0)
        return std::nullopt;
    const std::string original = program.between(loop->bodyBegin(), loop->bodyEnd());
    const std::string in = program.indent(loop->keyword), i = loop->variable;
    std::string with = fmt::format("{{\n{}    {} {} = {};\n", in, loop->type, i, loop->begin);
    with += fmt::format("{0}    for (; {1} + ({2} - 1) * {3} < {4}; {1} += {2} * {3}) {{\n", in, i, batch,
                        step, loop->limit);
    const bool directive = tokens[loop->bodyBegin()].kind == Token::Kind::Directive;
    with += (directive ? std::string() : in + "        ") + body.apply(original) + "\n" + in + "    }\n";
    with += fmt::format("{0}    for (; {1} < {2}; {1} += {3} * {4}) {{\n", in, i, loop->limit, batch, step);
    with += (directive ? std::string() : in + "        ") + original + "\n" + in + "    }\n" + in + "}";
    TextPatch patch;
    const std::size_t start = tokens[loop->keyword].offset;
    patch.replace(start, program.endOf(loop->end - 1) - start, with);
    return EditedProgram{patch.apply(program.text()),
                         fmt::format("{} without checks, and one for the rest", loopWords(program, *loop))};
}

std::optional<EditedProgram> editAccumulators(const EditInput& input)
{
    const ProgramView& program = input.program;
    const auto& tokens = program.tokens();
    // An unrolled loop over u with one `sum += `, inside of another loop.
    struct Place
    {
        const LoopView* inner;
        const LoopView* outer;
        std::size_t sum;
    };
    std::vector<Place> places;
    for (const LoopView& inner : program.loops()) {
        if (!inner.innermost || !inner.counted() || inner.increment != "1" ||
            inner.limit.find_first_not_of("0123456789") != std::string::npos)
            continue;
        const LoopView* outer = nullptr;
        for (const LoopView& one : program.loops()) {
            if (one.keyword < inner.keyword && one.end >= inner.end &&
                (!outer || one.keyword > outer->keyword))
                outer = &one;
        }
        std::vector<std::size_t> sums;
        for (std::size_t at = inner.bodyBegin(); at < inner.bodyEnd(); ++at) {
            if (program.is(at, "+=") && tokens[at - 1].kind == Token::Kind::Identifier)
                sums.push_back(at - 1);
        }
        if (outer && sums.size() == 1)
            places.push_back({&inner, outer, sums[0]});
    }
    if (places.empty())
        return std::nullopt;
    const Place place = places[input.rng.below(places.size())];
    const std::string sum(tokens[place.sum].text), second = freshName(program, sum + "_b");
    const bool doubles = program.plan().type == ElementType::F64;
    const std::string in = program.indent(place.outer->keyword);
    TextPatch patch;
    patch.insert(tokens[place.outer->pragma != 0 ? place.outer->pragma : place.outer->keyword].offset,
                 fmt::format("{} {} = 0;\n{}", doubles ? "double" : "float", second,
                             place.outer->pragma != 0 ? "" : in));
    patch.replace(tokens[place.sum].offset, sum.size(),
                  fmt::format("({} % 2 ? {} : {})", place.inner->variable, second, sum));
    patch.insert(program.endOf(place.outer->end - 1), fmt::format("\n{}{} += {};", in, sum, second));
    return EditedProgram{patch.apply(program.text()),
                         fmt::format("two sums in {}", loopWords(program, *place.inner))};
}

std::optional<EditedProgram> editIndexType(const EditInput& input)
{
    const ProgramView& program = input.program;
    const LoopView* loop = chooseLoop(input, [&](const LoopView& one) {
        return (one.type == "int" || one.type == "unsigned" || one.type == "long long") &&
               reads(program, one);
    });
    if (!loop)
        return std::nullopt;
    constexpr std::array<std::string_view, 3> types{"int", "unsigned", "long long"};
    const std::string_view type = types[input.rng.below(types.size())];
    if (type == loop->type)
        return std::nullopt;
    TextPatch patch;
    patch.replace(program.tokens()[loop->init].offset, loop->type.size(), std::string(type));
    return EditedProgram{patch.apply(program.text()),
                         fmt::format("{} index of {}", type, loopWords(program, *loop))};
}

std::optional<EditedProgram> editFunctionCopy(const EditInput& input)
{
    const ProgramView& program = input.program;
    const auto& tokens = program.tokens();
    struct Call
    {
        const FunctionView* function;
        std::size_t at;
    };
    std::vector<Call> calls;
    for (const FunctionView& function : program.functions()) {
        std::vector<std::size_t> sites;
        for (std::size_t at = function.close; !function.kernel && at < tokens.size(); ++at) {
            if (tokens[at].is(function.name) && program.is(at + 1, "("))
                sites.push_back(at);
        }
        if (sites.size() < 2)
            continue; // The only call has a function of its own already.
        for (const std::size_t at : sites)
            calls.push_back({&function, at});
    }
    if (calls.empty())
        return std::nullopt;
    const Call call = calls[input.rng.below(calls.size())];
    const std::string name = freshName(program, call.function->name + "_b");
    const std::size_t from = tokens[call.function->first].offset;
    const std::string text = program.between(call.function->first, call.function->close + 1);
    TextPatch copy;
    copy.replace(tokens[call.function->nameAt].offset - from, call.function->name.size(), name);
    TextPatch patch;
    patch.insert(program.endOf(call.function->close), "\n" + copy.apply(text));
    patch.replace(tokens[call.at].offset, call.function->name.size(), name);
    // The copy alone would be the same program: its batch is another one, too.
    const auto copied = ProgramView::of(patch.apply(program.text()));
    if (!copied)
        return std::nullopt;
    for (const LoopView& loop : copied->loops()) {
        const FunctionView* function = copied->functionAt(loop.keyword);
        if (!function || function->name != name)
            continue;
        std::vector<std::size_t> places, pragmas;
        const std::int64_t batch = batchOf(*copied, loop, places, pragmas);
        const std::int64_t to = batches[input.rng.below(batches.size())];
        if (batch > 0 && to != batch)
            return EditedProgram{
                withBatch(*copied, places, pragmas, to),
                fmt::format("batches of {} instead of {} in one call of {}", to, batch, call.function->name)};
        if (batch == 0 && loop.innermost && loop.pragma == 0) {
            TextPatch unrolled;
            unrolled.insert(copied->tokens()[loop.keyword].offset, fmt::format("\n#pragma unroll {}\n", to));
            return EditedProgram{unrolled.apply(copied->text()),
                                 fmt::format("unroll {} in one call of {}", to, call.function->name)};
        }
    }
    return std::nullopt;
}

} // namespace sparserl
