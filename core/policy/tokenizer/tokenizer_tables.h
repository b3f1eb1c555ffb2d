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

/// Returns the special tokens and the 256 bytes, with which each of our own vocabularies begins. Marks the
/// special tokens in `special`.
std::vector<std::string> initialTokens(std::vector<bool>& special);
/// Returns the "pre_tokenizer" of a tokenizer.json for one of our own rules.
nlohmann::json preTokenizerJson(PreTokenizer rule);

/// The data that copies of a tokenizer share.
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

    std::vector<std::string> tokens; ///< The bytes of each token by id; for a special token, its name.
    std::vector<bool> special;
    std::vector<AddedToken> added; ///< By id, including the special tokens.
    /// The spelling of each token in the file. Empty if tokens are spelled in GPT-2's alphabet of bytes.
    std::vector<std::string> spelled;
    std::array<std::int32_t, 256> byteToken; ///< The token of each byte; -1 if it has none.
    bool allBytes = true;                    ///< Whether all 256 bytes have tokens.
    bool allOfUtf8 = true;                   ///< Whether all bytes that occur in UTF-8 have tokens.
    std::vector<std::pair<std::int32_t, std::int32_t>> mergeList; ///< By rank.
    std::unordered_map<std::uint64_t, Merge, KeyHash> merges;
    PreTokenizer preTokenizer = PreTokenizer::Code;
    bool byteLevel = true; ///< Merges start with bytes. Otherwise, they start with characters, or with bytes
                           ///< for unknown characters.
    bool wholePieces = false;      ///< A piece that is itself a token becomes that token without merges.
    bool stripsFirstSpace = false; ///< Decoding removes a space at the beginning of the text.
    /// Ids by spelling, without special tokens. Only filled if `wholePieces` is set or merges start with
    /// characters.
    std::unordered_map<std::string, std::int32_t> idOf;

    Normalizer normalizer;
    Splitter splitter; ///< For `PreTokenizer::File`.
    AddedTokenFinder inText, inNormalized;
    /// "normalizer", "pre_tokenizer", "post_processor" and "decoder" of the file, and "model" without its
    /// vocabulary and merges. Null for our own format.
    nlohmann::json file;

    std::string spelling(std::size_t id) const;
};

} // namespace sparserl
