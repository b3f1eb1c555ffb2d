// SPDX-License-Identifier: Apache-2.0
// Which family a program belongs to. The rules, in order:
//  1. Rows split into parts: S15. A format of its own in the launch lines names the family (ell S10, sell
//  S11,
//     hyb S12, dia S13, bsr S14, csc S17, panels S18, csr5 S9, tiles S6, blocks S5, coo S8, windows S16).
//  Programs for SpMM have a table of their own: parts M11, bsr M8, order M5, ... On CSR alone: __syncwarp and
//  shared memory M3 with several sums, else M2; __syncthreads M19; vector loads M4; shuffles M7; else M1.
//  2. On CSR alone: atomics S7; a barrier and rows taken from blockIdx.x alone S4; shuffles among fewer than
//  32
//     lanes S2, among 32 S3; none of these S1.
#include "corpus/corpus.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>
#include <utility>

namespace sparserl {

namespace {

bool isNamePart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Words and single punctuation characters; "//!" and ">>" stay together, other comments are left out.
std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> result;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t length = 1;
        if (text.substr(i, 3) == "//!") {
            length = 3;
        } else if (text.substr(i, 2) == "//") {
            i = std::min(text.find('\n', i), text.size());
            continue;
        } else if (text.substr(i, 2) == "/*") {
            const std::size_t end = text.find("*/", i + 2);
            i = end == std::string_view::npos ? text.size() : end + 2;
            continue;
        } else if (isNamePart(text[i])) {
            while (i + length < text.size() && isNamePart(text[i + length]))
                ++length;
        } else if (text.substr(i, 2) == ">>" && text.substr(i, 3) != ">>>") {
            length = 2;
        } else if (text.substr(i, 3) == ">>>") {
            length = 3;
        } else if (std::isspace(static_cast<unsigned char>(text[i]))) {
            ++i;
            continue;
        }
        result.push_back(text.substr(i, length));
        i += length;
    }
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

using FormatFamilies = std::pair<std::string_view, std::string_view>;

std::optional<std::string> firstUsed(std::span<const FormatFamilies> table,
                                     const std::vector<std::string>& used)
{
    for (const auto& [kind, family] : table) {
        if (std::find(used.begin(), used.end(), kind) != used.end())
            return std::string(family);
    }
    return std::nullopt;
}

std::optional<std::string> familyOfFormat(const std::vector<std::string>& used)
{
    static constexpr std::array<FormatFamilies, 15> table = {{{"csr5", "S9"},
                                                              {"tiles", "S6"},
                                                              {"blocks", "S5"},
                                                              {"hyb", "S12"},
                                                              {"sell", "S11"},
                                                              {"sell16", "S11"},
                                                              {"ell", "S10"},
                                                              {"dia", "S13"},
                                                              {"bsr", "S14"},
                                                              {"csc", "S17"},
                                                              {"panels", "S18"},
                                                              {"windows", "S16"},
                                                              {"coo", "S8"},
                                                              {"dense", "dense"},
                                                              {"order", "S15"}}};
    return firstUsed(table, used);
}

std::optional<std::string> spmmFamily(const PlanFacts& facts, const std::vector<std::string_view>& code)
{
    static constexpr std::array<FormatFamilies, 11> table = {{{"bsr", "M8"},
                                                              {"tiles", "M6"},
                                                              {"panels", "M12"},
                                                              {"coo", "M13"},
                                                              {"sell", "M14"},
                                                              {"ell", "M15"},
                                                              {"csr16", "M16"},
                                                              {"sell16", "M16"},
                                                              {"dia", "M17"},
                                                              {"dense", "M18"},
                                                              {"order", "M5"}}};
    const auto count = [&](std::string_view start) {
        return std::count_if(code.begin(), code.end(),
                             [&](std::string_view word) { return word.substr(0, start.size()) == start; });
    };
    if (facts.parts)
        return std::find(facts.used.begin(), facts.used.end(), "ell") != facts.used.end() ? "M20" : "M11";
    if (const auto family = firstUsed(table, facts.used))
        return family;
    if (count("__global__") == 0)
        return std::nullopt;
    if (count("__syncwarp") > 0 && count("__shared__") > 0) {
        // Merging shows as several sums that are stored: more than one assignment to C.
        std::size_t stores = 0;
        for (std::size_t i = 0; i + 1 < code.size(); ++i)
            stores += code[i] == "C" && code[i + 1] == "[" ? 1 : 0;
        return stores > 1 ? "M3" : "M2";
    }
    if (count("__syncthreads") > 0)
        return "M19";
    if (count("float4") + count("float2") > 0)
        return "M4";
    return count("__shfl") > 0 ? "M7" : "M1";
}

} // namespace

std::optional<std::string> identifyFamily(std::string_view text)
{
    // The code starts at the first line that is neither blank nor a comment.
    std::size_t codeStart = 0;
    while (codeStart < text.size()) {
        const std::size_t first = text.find_first_not_of(" \t\r\n", codeStart);
        if (first == std::string_view::npos || text.substr(first, 2) != "//")
            break;
        codeStart = std::min(text.find('\n', first), text.size());
    }
    const PlanFacts facts = readPlan(text.substr(0, codeStart));
    if (!facts.launch)
        return std::nullopt;
    const auto code = words(text.substr(codeStart));
    if (facts.spmm)
        return spmmFamily(facts, code);
    if (facts.parts)
        return "S15";
    if (const auto family = familyOfFormat(facts.used))
        return family;

    const auto has = [&](std::string_view start) {
        return std::any_of(code.begin(), code.end(),
                           [&](std::string_view word) { return word.substr(0, start.size()) == start; });
    };
    if (!has("__global__"))
        return std::nullopt;
    if (has("atomic"))
        return "S7";
    bool dividedBlock = false; // blockIdx.x by something: several blocks per row.
    for (std::size_t i = 0; i + 3 < code.size(); ++i)
        dividedBlock = dividedBlock || (code[i] == "blockIdx" && code[i + 3] == "/");
    bool scaledBlock = false; // blockIdx.x times something: several rows per block.
    for (std::size_t i = 0; i + 3 < code.size(); ++i)
        scaledBlock =
            scaledBlock || (code[i] == "blockIdx" && (code[i + 3] == "*" || (i > 0 && code[i - 1] == "*")));
    if ((!scaledBlock || dividedBlock) && has("__syncthreads") && has("blockIdx"))
        return "S4";
    if (has("__shfl") || has("__reduce_add_sync")) {
        const std::int64_t lanes = lanesPerRow(code, facts);
        return lanes > 0 && lanes < 32 ? "S2" : "S3";
    }
    return has("__shared__") ? std::nullopt : std::optional<std::string>("S1");
}

} // namespace sparserl
