// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Collects replacements in a text. All offsets refer to the original text.
class TextPatch
{
public:
    /// Replaces `length` bytes at `offset` with `with`; a length of 0 inserts text. Replacements must not
    /// overlap.
    void replace(std::size_t offset, std::size_t length, std::string with);
    void insert(std::size_t offset, std::string text) { replace(offset, 0, std::move(text)); }
    bool empty() const { return m_pieces.empty(); }
    /// Returns `text` with all replacements applied. Insertions at the same offset keep their order.
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
