// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sparserl {

/// A token that is recognised before a text is split ("added_tokens" in a tokenizer.json).
struct AddedToken
{
    std::int32_t id = 0;
    std::string content;
    bool singleWord = false;                    ///< Is not recognised inside a word.
    bool takesLeft = false, takesRight = false; ///< Includes the white space on this side.
    bool normalized = false;                    ///< Is searched for in the normalised text.
    bool special = true;
    bool ofModel = true; ///< Is also in the model's own vocabulary.
};

/// Finds added tokens in a text. At the first position where any of them matches, it takes the longest match,
/// and continues after its end.
class AddedTokenFinder
{
public:
    /// Adds a token whose text to find is `content`. Of several tokens with the same content, the first one
    /// counts.
    void add(const AddedToken& token, const std::string& content);
    bool isEmpty() const { return m_tokens.empty(); }
    /// Returns whether one of the tokens is not special.
    bool findsOrdinary() const { return m_ordinary; }

    struct Part
    {
        std::size_t begin = 0, end = 0;
        std::int32_t id = -1; ///< Id of the token; -1 for text between tokens.
    };
    /// Splits `text` into tokens and the non-empty texts between them. Finds special tokens only if
    /// `special`.
    std::vector<Part> find(std::string_view text, bool special) const;

private:
    struct Entry
    {
        std::int32_t id;
        bool singleWord, takesLeft, takesRight, special;
    };
    /// Returns the index in m_tokens and the end of the longest match at a position.
    std::pair<std::int32_t, std::size_t> longestAt(std::string_view text, std::size_t at) const;

    std::vector<Entry> m_tokens;
    std::unordered_map<std::uint64_t, std::int32_t> m_edges; ///< From a node and a byte to the next node.
    std::vector<std::int32_t> m_tokenAt{-1}; ///< The token that ends at each node, or -1; node 0 is the root.
    bool m_ordinary = false;
};

} // namespace sparserl
