// SPDX-License-Identifier: Apache-2.0
// Which thread does what: registers, rows of a thread, order of blocks, lanes of a row.
#include "search/edits.h"
#include "search/text_patch.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace sparserl {

namespace {

const FunctionView* chooseKernel(const EditInput& input)
{
    std::vector<const FunctionView*> kernels;
    for (const FunctionView& function : input.program.functions()) {
        if (function.kernel)
            kernels.push_back(&function);
    }
    return kernels.empty() ? nullptr : kernels[input.rng.below(kernels.size())];
}

/// Where the grid of a kernel's launch is written: offset and length of the text between "<<<" and the
/// comma in front of the block.
struct GridText
{
    std::size_t offset = 0, length = 0;
    std::string text, block;
};

std::optional<GridText> gridOf(const ProgramView& program, const std::string& kernel)
{
    for (const PlanLine& line : program.planLines()) {
        const std::size_t at = line.text.find(kernel + "<<<");
        if ((line.keyword != "launch" && line.keyword != "prepare") || at == std::string_view::npos ||
            (at > 0 && line.text[at - 1] != ' '))
            continue;
        const std::size_t begin = at + kernel.size() + 3;
        int depth = 0;
        for (std::size_t end = begin; end < line.text.size(); ++end) {
            depth += line.text[end] == '(' ? 1 : line.text[end] == ')' ? -1 : 0;
            if (depth == 0 && line.text[end] == ',') {
                std::size_t close = line.text.find_first_of(">,", end + 1);
                std::string block(line.text.substr(end + 1, close - end - 1));
                block.erase(0, block.find_first_not_of(' '));
                return GridText{line.offset + begin, end - begin,
                                std::string(line.text.substr(begin, end - begin)), block};
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<EditedProgram> editLaunchBounds(const EditInput& input)
{
    const FunctionView* kernel = chooseKernel(input);
    if (!kernel)
        return std::nullopt;
    const auto grid = gridOf(input.program, kernel->name);
    if (!grid || grid->block.empty() || grid->block.find('(') != std::string::npos)
        return std::nullopt;
    constexpr std::array<int, 8> counts{0, 1, 2, 3, 4, 6, 8, 16};
    const int count = counts[input.rng.below(counts.size())];
    const std::string bounds = count > 0 ? fmt::format("__launch_bounds__({}, {}) ", grid->block, count) : "";
    const auto& tokens = input.program.tokens();
    TextPatch patch;
    for (std::size_t at = kernel->first; at < kernel->nameAt; ++at) {
        if (!input.program.is(at, "__launch_bounds__"))
            continue;
        const std::size_t next = tokens[input.program.closing(at + 1) + 1].offset;
        patch.replace(tokens[at].offset, next - tokens[at].offset, bounds);
    }
    if (patch.empty() && count > 0)
        patch.insert(tokens[kernel->nameAt].offset, bounds);
    std::string text = patch.apply(input.program.text());
    if (text == input.program.text())
        return std::nullopt;
    return EditedProgram{std::move(text),
                         count > 0 ? fmt::format("registers for {} blocks of {}", count, kernel->name)
                                   : fmt::format("registers of {} left to the compiler", kernel->name)};
}

std::optional<EditedProgram> editRowsPerThread(const EditInput& input)
{
    const ProgramView& program = input.program;
    const auto& tokens = program.tokens();
    const FunctionView* kernel = chooseKernel(input);
    const auto grid = kernel ? gridOf(program, kernel->name) : std::nullopt;
    // ceil_div(rows, GROUP) blocks, whose threads return where `row >= rows`.
    if (!grid || !grid->text.starts_with("ceil_div(") || !grid->text.ends_with(')') ||
        grid->text.find("ceil_div(", 1) != std::string::npos)
        return std::nullopt;
    for (std::size_t at = kernel->open; at + 6 < kernel->close; ++at) {
        // if (ROW >= COUNT) return;
        if (!program.is(at, "if") || !program.is(at + 1, "(") || !program.is(at + 3, ">=") ||
            !program.is(at + 5, ")") || !program.is(at + 6, "return") || !program.is(at + 7, ";"))
            continue;
        const std::string row(tokens[at + 2].text), count(tokens[at + 4].text);
        // int ROW = ... blockIdx.x ...;
        for (std::size_t from = kernel->open + 1; from < at; ++from) {
            if (!program.is(from, "int") || !program.is(from + 1, row) || !program.is(from + 2, "="))
                continue;
            const std::size_t end = program.statementEnd(from);
            const std::string first = program.between(from + 3, end - 1);
            if (first.find("blockIdx.x") == std::string::npos || first.find(',') != std::string::npos)
                return std::nullopt;
            constexpr std::array<int, 5> counts{2, 3, 4, 6, 8};
            const int rows = counts[input.rng.below(counts.size())];
            const std::size_t comma = grid->text.rfind(',');
            std::string group = grid->text.substr(comma + 1, grid->text.size() - comma - 2);
            group.erase(0, group.find_first_not_of(' '));
            const bool resident = input.rng.chance(0.5);
            const std::string blocks = resident ? fmt::format("min({}, sm_count * {})", grid->text, 2 * rows)
                                                : fmt::format("ceil_div({}, {})", grid->text, rows);
            TextPatch patch;
            patch.replace(grid->offset, grid->length, blocks);
            patch.replace(tokens[from].offset, program.endOf(end - 1) - tokens[from].offset, "");
            patch.replace(tokens[at].offset, program.endOf(at + 7) - tokens[at].offset,
                          fmt::format("for (int {0} = {1}; {0} < {2}; {0} += gridDim.x * ({3})) {{", row,
                                      first, count, group));
            patch.insert(tokens[kernel->close].offset, "    }\n");
            return EditedProgram{
                patch.apply(program.text()),
                resident ? fmt::format("{} blocks for each multiprocessor, which loop over rows", 2 * rows)
                         : fmt::format("{} rows for each thread of {}", rows, kernel->name)};
        }
    }
    return std::nullopt;
}

std::optional<EditedProgram> editSortedRows(const EditInput& input)
{
    const ProgramView& program = input.program;
    const auto& tokens = program.tokens();
    const Plan& plan = program.plan();
    const bool sorted = std::any_of(plan.formats.begin(), plan.formats.end(),
                                    [](const PlanFormat& format) { return format.spec.kind == "order"; });
    const FunctionView* kernel = chooseKernel(input);
    if (sorted || !plan.parts.empty() || plan.calls.size() != 1 || !kernel)
        return std::nullopt;
    // The row of a thread becomes the row at that place in the order, once it is known to be one.
    for (std::size_t at = kernel->open; at + 7 < kernel->close; ++at) {
        if (!program.is(at, "if") || !program.is(at + 1, "(") || !program.is(at + 3, ">=") ||
            !program.is(at + 4, "rows") || !program.is(at + 5, ")") || !program.is(at + 6, "return") ||
            !program.is(at + 7, ";"))
            continue;
        const std::string row(tokens[at + 2].text);
        TextPatch patch;
        patch.insert(program.endOf(at + 7), fmt::format(" {0} = order_ids[{0}];", row));
        patch.insert(tokens[kernel->open - 1].offset, ", const int* order_ids");
        bool named = false;
        for (const PlanLine& line : program.planLines()) {
            const bool before = line.keyword == "task" || line.keyword == "const" || line.keyword == "format";
            if (!before && !named) {
                patch.insert(line.offset - 3, "//! format order\n");
                named = true;
            }
            if (line.keyword == "launch")
                patch.insert(line.offset + line.text.rfind(')'), ", order.row_ids");
        }
        return EditedProgram{patch.apply(program.text()), "rows by length, the longest first"};
    }
    return std::nullopt;
}

std::optional<EditedProgram> editBlockOrder(const EditInput& input)
{
    const ProgramView& program = input.program;
    const FunctionView* kernel = chooseKernel(input);
    if (!kernel)
        return std::nullopt;
    TextPatch patch;
    const auto& tokens = program.tokens();
    for (std::size_t at = kernel->open; at + 2 < kernel->close; ++at) {
        if (!program.is(at, "blockIdx") || !program.is(at + 1, ".") || !program.is(at + 2, "x"))
            continue;
        // Turned already: gridDim.x - 1 - blockIdx.x
        if (program.is(at - 1, "-") && program.is(at - 3, "-") && program.is(at - 6, "gridDim"))
            patch.replace(tokens[at - 6].offset, tokens[at].offset - tokens[at - 6].offset, "");
        else
            patch.replace(tokens[at].offset, program.endOf(at + 2) - tokens[at].offset,
                          "(gridDim.x - 1 - blockIdx.x)");
    }
    if (patch.empty())
        return std::nullopt;
    return EditedProgram{patch.apply(program.text()),
                         fmt::format("blocks of {} from the last", kernel->name)};
}

std::optional<EditedProgram> editShuffle(const EditInput& input)
{
    const ProgramView& program = input.program;
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < program.tokens().size(); ++at) {
        if (program.is(at, "__shfl_down_sync") || program.is(at, "__shfl_xor_sync"))
            places.push_back(at);
    }
    if (places.empty())
        return std::nullopt;
    const Token& token = program.tokens()[places[input.rng.below(places.size())]];
    const bool down = token.is("__shfl_down_sync");
    TextPatch patch;
    patch.replace(token.offset, token.text.size(), down ? "__shfl_xor_sync" : "__shfl_down_sync");
    return EditedProgram{patch.apply(program.text()), down ? "sums in all lanes" : "sums in the first lane"};
}

std::optional<EditedProgram> editClassLanes(const EditInput& input)
{
    // if (block < blocks) { int row = block * (BLOCK / 32) + t / 32; ... } and its part of the launch's grid.
    const ProgramView& program = input.program;
    const auto& tokens = program.tokens();
    const FunctionView* kernel = chooseKernel(input);
    const auto grid = kernel ? gridOf(program, kernel->name) : std::nullopt;
    if (!grid)
        return std::nullopt;
    for (std::size_t at = kernel->open + 1; at < kernel->close; ++at) {
        if (!program.is(at, "if") || !program.is(program.closing(at + 1) + 1, "{"))
            continue;
        const std::size_t open = program.closing(at + 1) + 1, close = program.closing(open);
        std::int64_t lanes = 0;
        std::string count;
        bool waits = false;
        for (std::size_t i = open; i < close; ++i) {
            waits = waits || program.is(i, "__syncthreads");
            if (program.is(i, "%") && lanes == 0)
                lanes = integerOf(tokens[i + 1]).value_or(0);
            if (program.is(i, ">=") && count.empty())
                count = std::string(tokens[i + 1].text);
        }
        if (waits || lanes < 2 || lanes > 32 || count.empty())
            continue;
        const std::string term = fmt::format("ceil_div({}.rows, BLOCK / {})", count, lanes);
        const std::size_t inGrid = grid->text.find(term);
        if (inGrid == std::string::npos)
            continue;
        constexpr std::array<std::int64_t, 5> all{2, 4, 8, 16, 32};
        const std::int64_t to = all[input.rng.below(all.size())];
        if (to == lanes)
            return std::nullopt;
        TextPatch patch;
        patch.replace(grid->offset + inGrid, term.size(),
                      fmt::format("ceil_div({}.rows, BLOCK / {})", count, to));
        // From the count of blocks in front of it to its end.
        std::size_t from = at;
        while (from > kernel->open && !program.is(from - 1, "}") && !program.is(from - 1, "{"))
            --from;
        for (std::size_t i = from; i < close; ++i) {
            if (program.is(i, "__shfl_down_sync") || program.is(i, "__shfl_xor_sync")) {
                // The tree is one of `to` lanes, whatever it was before.
                const std::size_t end = program.closing(i + 1);
                std::vector<std::size_t> commas;
                for (std::size_t c = i + 2; c < end; ++c) {
                    if (program.is(c, ","))
                        commas.push_back(c);
                }
                if (commas.size() == 2)
                    patch.insert(tokens[end].offset, fmt::format(", {}", to));
            }
            const auto number = integerOf(tokens[i]);
            if (!number)
                continue;
            if (*number == lanes)
                patch.replace(tokens[i].offset, tokens[i].text.size(), std::to_string(to));
            else if (*number == lanes / 2 && program.is(i - 1, "=") && program.is(i + 1, ";"))
                patch.replace(tokens[i].offset, tokens[i].text.size(), std::to_string(to / 2));
        }
        return EditedProgram{patch.apply(program.text()),
                             fmt::format("{} lanes for each of {} instead of {}", to, count, lanes)};
    }
    return std::nullopt;
}

} // namespace sparserl
