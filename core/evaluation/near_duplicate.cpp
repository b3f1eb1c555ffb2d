// SPDX-License-Identifier: Apache-2.0
#include "evaluation/near_duplicate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace sparserl {

namespace {

/// Words that are what a program does; every other word is a name.
constexpr std::array<std::string_view, 30> keptWords{"for",
                                                     "while",
                                                     "do",
                                                     "if",
                                                     "else",
                                                     "return",
                                                     "break",
                                                     "continue",
                                                     "switch",
                                                     "int",
                                                     "float",
                                                     "double",
                                                     "unsigned",
                                                     "const",
                                                     "threadIdx",
                                                     "blockIdx",
                                                     "blockDim",
                                                     "gridDim",
                                                     "__shared__",
                                                     "atomicAdd",
                                                     "__syncthreads",
                                                     "__ldg",
                                                     "fmaf",
                                                     "__shfl_down_sync",
                                                     "__shfl_xor_sync",
                                                     "__shfl_sync",
                                                     "float4",
                                                     "task",
                                                     "format",
                                                     "launch"};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

std::uint64_t hashOf(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return hash;
}

std::vector<std::uint64_t> tokensOf(std::string_view text)
{
    std::vector<std::uint64_t> tokens;
    const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
        } else if (c == '/' && at(i + 1) == '/' && at(i + 2) != '!') {
            i = std::min(text.find('\n', i), text.size());
        } else if (c == '/' && at(i + 1) == '*') {
            const auto end = text.find("*/", i + 2);
            i = end == std::string_view::npos ? text.size() : end + 2;
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            while (isWord(at(i)) || at(i) == '.')
                ++i;
            tokens.push_back(1);
        } else if (isWord(c)) {
            const std::size_t start = i;
            while (isWord(at(i)))
                ++i;
            const auto word = text.substr(start, i - start);
            const bool kept = std::find(keptWords.begin(), keptWords.end(), word) != keptWords.end();
            tokens.push_back(kept ? hashOf(word) : 2);
        } else {
            tokens.push_back(hashOf(text.substr(i++, 1)));
        }
    }
    return tokens;
}

} // namespace

std::vector<std::uint64_t> textShape(std::string_view program)
{
    constexpr std::size_t run = 5;
    const auto tokens = tokensOf(program);
    std::vector<std::uint64_t> shape;
    for (std::size_t i = 0; i + run <= tokens.size(); ++i) {
        std::uint64_t hash = 0;
        for (std::size_t k = 0; k < run; ++k)
            hash = mix(hash, tokens[i + k]);
        shape.push_back(hash);
    }
    std::sort(shape.begin(), shape.end());
    shape.erase(std::unique(shape.begin(), shape.end()), shape.end());
    return shape;
}

double similarity(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b)
{
    std::vector<std::uint64_t> shared;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
    const std::size_t all = a.size() + b.size() - shared.size();
    return all > 0 ? static_cast<double>(shared.size()) / static_cast<double>(all) : 1;
}

} // namespace sparserl
