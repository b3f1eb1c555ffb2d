// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sparserl {

/// A token that is recognized before the text is split ("added_tokens" in a tokenizer.json).
struct AddedToken
{
    std::int32_t id = 0;
    std::string content;
    bool singleWord = false;                    ///< Not inside a word.
    bool takesLeft = false, takesRight = false; ///< Includes adjacent white space.
    bool normalized = false;                    ///< Searched in the normalized text.
    bool special = true;
    bool ofModel = true; ///< Also in the model's own vocabulary.
};

/// Finds a set of texts in another text: the longest match at the first matching position, then continues
/// after its end.
class AddedTokenFinder
{
public:
    /// `content`: the text to find. Among equal contents, the first one added counts.
    void add(const AddedToken& token, const std::string& content);
    bool isEmpty() const { return m_tokens.empty(); }
    /// Whether there is a non-special token.
    bool findsOrdinary() const { return m_ordinary; }

    struct Part
    {
        std::size_t begin = 0, end = 0;
        std::int32_t id = -1; ///< Token id; -1: text between tokens.
    };
    /// Splits `text` into tokens and non-empty texts. Finds special tokens only if `special`.
    std::vector<Part> find(std::string_view text, bool special) const;

private:
    struct Entry
    {
        std::int32_t id;
        bool singleWord, takesLeft, takesRight, special;
    };
    /// Entry and end of the longest match at a position.
    std::pair<std::int32_t, std::size_t> longestAt(std::string_view text, std::size_t at) const;

    std::vector<Entry> m_tokens;
    std::unordered_map<std::uint64_t, std::int32_t> m_edges; ///< (node, byte) to node.
    std::vector<std::int32_t> m_tokenAt{-1};                 ///< By node; the root is 0.
    bool m_ordinary = false;
};

} // namespace sparserl
