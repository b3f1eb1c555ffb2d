// SPDX-License-Identifier: Apache-2.0
#include "search/text_patch.h"

#include <algorithm>
#include <utility>

namespace sparserl {

void TextPatch::replace(std::size_t offset, std::size_t length, std::string with)
{
    m_pieces.push_back({offset, length, std::move(with)});
}

std::string TextPatch::apply(std::string_view text) const
{
    std::vector<Piece> pieces = m_pieces;
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    std::string out;
    std::size_t at = 0;
    for (const Piece& piece : pieces) {
        if (piece.offset < at)
            continue; // Overlaps one before it: the first counts.
        out += text.substr(at, piece.offset - at);
        out += piece.with;
        at = piece.offset + piece.length;
    }
    out += text.substr(at);
    return out;
}

} // namespace sparserl
