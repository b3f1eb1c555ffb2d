// SPDX-License-Identifier: Apache-2.0
#include "training/data/endpoint_prompt.h"

#include "training/data/matrix_text.h"
#include "training/data/program_guide.h"
#include "training/data/sft_prompt.h"

#include <algorithm>
#include <cstddef>

namespace sparserl {

namespace {

constexpr std::size_t entriesShown = 64;
constexpr std::string_view planMark = "//!", fence = "```";

/// Where the next line begins.
std::size_t nextLine(std::string_view text, std::size_t at)
{
    const auto end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end + 1;
}

std::string_view lineAt(std::string_view text, std::size_t at)
{
    auto line = text.substr(at, nextLine(text, at) - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
}

std::string withLineBreak(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    return text.empty() ? std::string() : std::string(text) + '\n';
}

} // namespace

std::string endpointInstructions()
{
    return std::string(programGuide()) +
           "\n# Your answer\n\nAnswer with one whole kernel program in one fenced code block, without "
           "anything "
           "else. It is compiled, compared with the exact result on many inputs, and timed against cuSPARSE. "
           "Correctness comes first, then speed on the matrix of the question.\n";
}

std::string endpointQuestion(const Target& target, const std::optional<ProgramToRefine>& from,
                             std::uint64_t seed)
{
    const std::string matrix = matrixText(*target.matrix, entriesShown, seed);
    return matrix + "\n" + (from ? refinePrompt(target.id.variant, *from) : sftPrompt(target.id.variant));
}

std::string programInAnswer(std::string_view answer)
{
    std::string_view found;
    bool inside = false;
    std::size_t begin = 0, firstPlan = std::string_view::npos;
    for (std::size_t at = 0; at < answer.size(); at = nextLine(answer, at)) {
        const std::string_view line = lineAt(answer, at);
        if (firstPlan == std::string_view::npos && line.starts_with(planMark))
            firstPlan = at;
        if (!line.starts_with(fence))
            continue;
        if (inside && lineAt(answer, begin).starts_with(planMark))
            found = answer.substr(begin, at - begin);
        inside = !inside;
        begin = nextLine(answer, at);
    }
    if (found.empty() && firstPlan != std::string_view::npos) {
        found = answer.substr(firstPlan);
        if (const auto end = found.find(std::string("\n") + std::string(fence));
            end != std::string_view::npos)
            found = found.substr(0, end);
    }
    return withLineBreak(found);
}

} // namespace sparserl
