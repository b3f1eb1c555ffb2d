// SPDX-License-Identifier: Apache-2.0
#include "corpus/program_shape.h"

#include "source/words.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace sparserl {

namespace {

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> result;
    SourceWords reader(text);
    while (const auto word = reader.next())
        result.push_back(word->text);
    return result;
}

std::optional<std::int64_t> integer(std::string_view word)
{
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    return code == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// What the plan lines of a program say, as far as it matters here.
struct PlanFacts
{
    std::map<std::string, std::string, std::less<>> formats; ///< Kind by name.
    std::map<std::string, std::int64_t, std::less<>> consts;
    std::vector<std::string> used; ///< Kinds that launch lines name.
    bool spmm = false;
    bool parts = false;
    bool launch = false;
};

PlanFacts readPlan(std::string_view plan)
{
    PlanFacts facts;
    std::size_t start = 0;
    while (start < plan.size()) {
        const std::size_t end = std::min(plan.find('\n', start), plan.size());
        const auto line = words(plan.substr(start, end - start));
        start = end + 1;
        const auto at = [&](std::size_t i) { return i < line.size() ? line[i] : std::string_view(); };
        if (at(0) != "//!")
            continue;
        if (at(1) == "task")
            facts.spmm = at(2) == "spmm";
        else if (at(1) == "part")
            facts.parts = true;
        else if (at(1) == "const" && integer(at(4)))
            facts.consts[std::string(at(2))] = *integer(at(4));
        else if (at(1) == "format")
            facts.formats[std::string(at(2))] = std::string(at(3) == "=" ? at(4) : at(2));
        else if (at(1) == "launch") {
            facts.launch = true;
            for (std::size_t i = 2; i + 1 < line.size(); ++i) {
                const auto found = facts.formats.find(line[i]);
                if (found != facts.formats.end() && line[i + 1] == ".")
                    facts.used.push_back(found->second);
            }
        }
    }
    return facts;
}

/// Lanes per row as `... % N`, `... & (N - 1)`, `... / N` or `... >> n` say; 0 if nothing says it.
std::int64_t lanesPerRow(const std::vector<std::string_view>& code, const PlanFacts& facts)
{
    const auto value = [&](std::size_t i) -> std::int64_t {
        if (i >= code.size())
            return 0;
        if (code[i] == "warpSize")
            return 32;
        if (const auto number = integer(code[i]))
            return *number;
        const auto found = facts.consts.find(code[i]);
        return found == facts.consts.end() ? 0 : found->second;
    };
    const auto isLanes = [](std::int64_t n) { return n >= 2 && n <= 32 && (n & (n - 1)) == 0; };
    for (std::size_t i = 0; i + 1 < code.size(); ++i) {
        if (code[i] == "%" && isLanes(value(i + 1)))
            return value(i + 1);
        if (code[i] == "&" && i + 2 < code.size()) {
            if (code[i + 1] == "(" && isLanes(value(i + 2)))
                return value(i + 2);
            if (isLanes(value(i + 1) + 1) && value(i + 1) > 0)
                return value(i + 1) + 1;
        }
    }
    for (std::size_t i = 0; i + 1 < code.size(); ++i) {
        if (code[i] == ">>" && value(i + 1) >= 1 && value(i + 1) <= 5)
            return std::int64_t(1) << value(i + 1);
        if (code[i] == "/" && isLanes(value(i + 1)))
            return value(i + 1);
    }
    return 0;
}

/// Where the code starts: at the first line that is neither blank nor a comment.
std::size_t startOfCode(std::string_view text)
{
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t first = text.find_first_not_of(" \t\r\n", start);
        if (first == std::string_view::npos || text.substr(first, 2) != "//")
            break;
        start = std::min(text.find('\n', first), text.size());
    }
    return start;
}

} // namespace

bool ProgramShape::names(std::initializer_list<std::string_view> kinds) const
{
    return std::any_of(kinds.begin(), kinds.end(), [this](std::string_view kind) {
        return std::find(formats.begin(), formats.end(), kind) != formats.end();
    });
}

ProgramShape shapeOf(std::string_view program)
{
    const std::size_t codeStart = startOfCode(program);
    const PlanFacts facts = readPlan(program.substr(0, codeStart));
    ProgramShape shape;
    shape.task = facts.spmm ? Task::SpMM : Task::SpMV;
    shape.launched = facts.launch;
    shape.parts = facts.parts;
    shape.formats = facts.used;
    if (!facts.launch)
        return shape;
    const auto code = words(program.substr(codeStart));
    const auto has = [&](std::string_view start) {
        return std::any_of(code.begin(), code.end(),
                           [&](std::string_view word) { return word.substr(0, start.size()) == start; });
    };
    shape.kernel = has("__global__");
    shape.atomics = has("atomic");
    shape.blockWaits = has("__syncthreads");
    shape.warpWaits = has("__syncwarp");
    shape.shuffles = has("__shfl");
    shape.lanesAddUp = shape.shuffles || has("__reduce_add_sync");
    shape.sharedMemory = has("__shared__");
    shape.vectorLoads = has("float4") || has("float2") || has("double4") || has("double2");
    bool dividedBlock = false; // blockIdx.x by something: several blocks per row.
    bool scaledBlock = false;  // blockIdx.x times something: several rows per block.
    for (std::size_t i = 0; i + 3 < code.size(); ++i) {
        if (code[i] != "blockIdx")
            continue;
        dividedBlock = dividedBlock || code[i + 3] == "/";
        scaledBlock = scaledBlock || code[i + 3] == "*" || (i > 0 && code[i - 1] == "*");
    }
    shape.rowPerBlock = (!scaledBlock || dividedBlock) && has("blockIdx");
    for (std::size_t i = 0; i + 1 < code.size(); ++i)
        shape.storesToC += code[i] == "C" && code[i + 1] == "[" ? 1 : 0;
    if (shape.lanesAddUp)
        shape.lanes = lanesPerRow(code, facts);
    return shape;
}

} // namespace sparserl
