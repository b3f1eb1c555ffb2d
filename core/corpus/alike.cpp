// SPDX-License-Identifier: Apache-2.0
#include "corpus/alike.h"

#include "source/words.h"

#include <algorithm>
#include <limits>

namespace sparserl {

namespace {

/// Finaliser of splitmix64: every bit of the input moves every bit of the result.
std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

} // namespace

std::vector<std::uint64_t> tokenHashes(std::string_view text)
{
    std::vector<std::uint64_t> tokens;
    SourceWords words(text, SourceWords::PlanLines::Comment);
    while (const auto word = words.next()) // all strings are one, and all characters
        tokens.push_back(
            mixed(wordHash(word->kind == SourceWord::Kind::Literal ? word->text.substr(0, 1) : word->text)));
    return tokens;
}

AlikeTexts::Signature AlikeTexts::signatureOf(std::string_view text)
{
    constexpr std::size_t run = 5;
    Signature signature;
    signature.fill(std::numeric_limits<std::uint32_t>::max());
    const auto tokens = tokenHashes(text);
    const std::size_t runs = tokens.size() < run ? 1 : tokens.size() - run + 1;
    for (std::size_t i = 0; i < runs; ++i) {
        std::uint64_t shingle = 0;
        for (std::size_t k = i; k < std::min(i + run, tokens.size()); ++k)
            shingle = mixed(shingle ^ tokens[k]);
        for (std::size_t v = 0; v < valueCount; ++v) {
            const auto value = static_cast<std::uint32_t>(mixed(shingle ^ (v * 0xd6e8feb86659fd93u)) >> 32);
            signature[v] = std::min(signature[v], value);
        }
    }
    return signature;
}

std::optional<std::size_t> AlikeTexts::add(std::string_view text)
{
    const Signature signature = signatureOf(text);
    std::vector<std::uint64_t> bands;
    for (std::size_t begin = 0; begin < valueCount; begin += bandRows) {
        std::uint64_t band = begin;
        for (std::size_t v = begin; v < begin + bandRows; ++v)
            band = mixed(band ^ signature[v]);
        bands.push_back(band);
    }
    for (const auto band : bands) {
        const auto [first, last] = m_bands.equal_range(band);
        for (auto at = first; at != last; ++at) {
            const auto& other = m_signatures[at->second];
            std::size_t equal = 0;
            for (std::size_t v = 0; v < valueCount; ++v)
                equal += signature[v] == other[v];
            if (static_cast<double>(equal) >= m_share * static_cast<double>(valueCount))
                return at->second;
        }
    }
    for (const auto band : bands)
        m_bands.emplace(band, m_signatures.size());
    m_signatures.push_back(signature);
    return std::nullopt;
}

} // namespace sparserl
