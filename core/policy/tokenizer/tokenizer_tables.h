// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/tokenizer/added_tokens.h"
#include "policy/tokenizer/normalizer.h"
#include "policy/tokenizer/splitter.h"
#include "policy/tokenizer/tokenizer.h"

#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace sparserl {

inline std::uint64_t pairKey(std::int32_t left, std::int32_t right)
{
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
}

inline constexpr std::string_view specialTokenNames[Tokenizer::specialCount] = {"<pad>", "<s>", "</s>",
                                                                                "<unk>"};

/// The special tokens and the 256 bytes: what every vocabulary of ours starts with.
std::vector<std::string> initialTokens(std::vector<bool>& special);
/// The pre-tokenizer of a tokenizer.json that cuts by one of our own rules.
nlohmann::json preTokenizerJson(PreTokenizer rule);

/// What a tokenizer's copies share.
struct Tokenizer::Tables
{
    struct Merge
    {
        std::int32_t rank;
        std::int32_t merged;
    };
    struct KeyHash
    {
        std::size_t operator()(std::uint64_t key) const
        {
            key *= 0x9E3779B97F4A7C15u;
            return key ^ key >> 32;
        }
    };

    std::vector<std::string> tokens; ///< Bytes by id; the name of a special token.
    std::vector<bool> special;
    std::vector<AddedToken> added; ///< By id; the special ones among them.
    /// As a file spells the tokens. Empty where that is GPT-2's alphabet of their bytes.
    std::vector<std::string> spelled;
    std::array<std::int32_t, 256> byteToken;                      ///< -1 for a byte without a token.
    bool allBytes = true;                                         ///< Also those that are in no UTF-8.
    bool allOfUtf8 = true;                                        ///< Those that are.
    std::vector<std::pair<std::int32_t, std::int32_t>> mergeList; ///< By rank.
    std::unordered_map<std::uint64_t, Merge, KeyHash> merges;
    PreTokenizer preTokenizer = PreTokenizer::Code;
    bool byteLevel = true;    ///< Merges begin with bytes; else with characters, and bytes for unknown ones.
    bool wholePieces = false; ///< A piece that is a token is not put together by merges.
    bool stripsFirstSpace = false; ///< Decoding leaves out a space that a text begins with.
    /// Ids by spelling, without special tokens: where `wholePieces` is set or merges begin with characters.
    std::unordered_map<std::string, std::int32_t> idOf;

    Normalizer normalizer;
    Splitter splitter; ///< Of `PreTokenizer::File`.
    AddedTokenFinder inText, inNormalized;
    /// "normalizer", "pre_tokenizer", "post_processor" and "decoder" of the file, and its "model" without
    /// vocabulary and merges; null: what we write.
    nlohmann::json file;

    std::string spelling(std::size_t id) const;
};

} // namespace sparserl
