// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sparserl {

/// A token that is found in a text before the text is cut ("added_tokens" of a tokenizer.json).
struct AddedToken
{
    std::int32_t id = 0;
    std::string content;
    bool singleWord = false;                    ///< Not within a word.
    bool takesLeft = false, takesRight = false; ///< White space beside it is part of it.
    bool normalized = false;                    ///< Found in the text as the normalizer leaves it.
    bool special = true;
    bool ofModel = true; ///< Whether the model's own vocabulary has it too.
};

/// Finds some texts in another: at the first place where any of them stands the longest, then on from its
/// end.
class AddedTokenFinder
{
public:
    /// `content`: what is looked for. The first of two with the same content counts.
    void add(const AddedToken& token, const std::string& content);
    bool isEmpty() const { return m_tokens.empty(); }
    /// Whether there is one that is not special.
    bool findsOrdinary() const { return m_ordinary; }

    struct Part
    {
        std::size_t begin = 0, end = 0;
        std::int32_t id = -1; ///< Of a token; -1: text between tokens.
    };
    /// `text` in parts, none of text being empty. Special tokens only where asked for.
    std::vector<Part> find(std::string_view text, bool special) const;

private:
    struct Entry
    {
        std::int32_t id;
        bool singleWord, takesLeft, takesRight, special;
    };
    /// Entry and end of the longest content at a place.
    std::pair<std::int32_t, std::size_t> longestAt(std::string_view text, std::size_t at) const;

    std::vector<Entry> m_tokens;
    std::unordered_map<std::uint64_t, std::int32_t> m_edges; ///< (node, byte) to node.
    std::vector<std::int32_t> m_tokenAt{-1};                 ///< By node; the root is 0.
    bool m_ordinary = false;
};

} // namespace sparserl
