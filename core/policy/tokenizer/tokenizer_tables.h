// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/tokenizer/tokenizer.h"

#include <array>
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
    std::array<std::int32_t, 256> byteToken;
    std::vector<std::pair<std::int32_t, std::int32_t>> mergeList; ///< By rank.
    std::unordered_map<std::uint64_t, Merge, KeyHash> merges;
    PreTokenizer preTokenizer = PreTokenizer::Code;
};

} // namespace sparserl
