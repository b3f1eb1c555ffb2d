// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Replacements in a text, all of them in offsets of the text as it was.
class TextPatch
{
public:
    /// `length` bytes at `offset` become `with`; 0 bytes: an insertion. Replacements must not overlap.
    void replace(std::size_t offset, std::size_t length, std::string with);
    void insert(std::size_t offset, std::string text) { replace(offset, 0, std::move(text)); }
    bool empty() const { return m_pieces.empty(); }
    /// The text with all replacements; insertions at one place stay in their order.
    std::string apply(std::string_view text) const;

private:
    struct Piece
    {
        std::size_t offset = 0, length = 0;
        std::string with;
    };
    std::vector<Piece> m_pieces;
};

} // namespace sparserl
