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

/// The special tokens and the 256 bytes: the beginning of every vocabulary of ours.
std::vector<std::string> initialTokens(std::vector<bool>& special);
/// A tokenizer.json pre-tokenizer for one of our own rules.
nlohmann::json preTokenizerJson(PreTokenizer rule);

/// The data shared by a tokenizer's copies.
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

    std::vector<std::string> tokens; ///< Bytes by id; for a special token, its name.
    std::vector<bool> special;
    std::vector<AddedToken> added; ///< By id, including the special tokens.
    /// The tokens' spelling in the file. Empty if it is GPT-2's alphabet of their bytes.
    std::vector<std::string> spelled;
    std::array<std::int32_t, 256> byteToken;                      ///< -1 for a byte without a token.
    bool allBytes = true;                                         ///< Including bytes that never occur in
                                                                  ///< UTF-8.
    bool allOfUtf8 = true;                                        ///< The bytes that occur in UTF-8.
    std::vector<std::pair<std::int32_t, std::int32_t>> mergeList; ///< By rank.
    std::unordered_map<std::uint64_t, Merge, KeyHash> merges;
    PreTokenizer preTokenizer = PreTokenizer::Code;
    bool byteLevel = true;         ///< Merges start with bytes; otherwise with characters, and with bytes for
                                   ///< unknown ones.
    bool wholePieces = false;      ///< A piece that is a token is not assembled by merges.
    bool stripsFirstSpace = false; ///< Decoding drops a leading space of the text.
    /// Ids by spelling, without special tokens. Filled if `wholePieces` is set or merges start with
    /// characters.
    std::unordered_map<std::string, std::int32_t> idOf;

    Normalizer normalizer;
    Splitter splitter; ///< For `PreTokenizer::File`.
    AddedTokenFinder inText, inNormalized;
    /// "normalizer", "pre_tokenizer", "post_processor" and "decoder" of the file, and its "model" without
    /// vocabulary and merges; null for our own format.
    nlohmann::json file;

    std::string spelling(std::size_t id) const;
};

} // namespace sparserl
