// SPDX-License-Identifier: Apache-2.0
#include "corpus/alike.h"

#include <algorithm>
#include <cctype>
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

std::uint64_t hashOf(std::string_view word)
{
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char c : word)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return mixed(hash);
}

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

} // namespace

std::vector<std::uint64_t> tokenHashes(std::string_view text)
{
    std::vector<std::uint64_t> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (text.substr(at, 2) == "//") {
            at = std::min(text.find('\n', at), text.size());
        } else if (text.substr(at, 2) == "/*") {
            const auto end = text.find("*/", at + 2);
            at = end == std::string_view::npos ? text.size() : end + 2;
        } else if (c == '"' || c == '\'') {
            const std::size_t begin = at++;
            while (at < text.size() && text[at] != c && text[at] != '\n')
                at += text[at] == '\\' ? 2 : 1;
            at = std::min(at + 1, text.size());
            tokens.push_back(hashOf(text.substr(begin, 1)));
        } else if (isWord(c)) {
            const std::size_t begin = at;
            while (at < text.size() && isWord(text[at]))
                ++at;
            tokens.push_back(hashOf(text.substr(begin, at - begin)));
        } else {
            if (!std::isspace(static_cast<unsigned char>(c)))
                tokens.push_back(hashOf(text.substr(at, 1)));
            ++at;
        }
    }
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
