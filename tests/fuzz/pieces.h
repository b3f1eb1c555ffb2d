// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sparserl::fuzz {

/// Cuts a text into pieces of 1 to 48 bytes whose lengths follow from its own bytes: the same input gives the
/// same cuts.
class Pieces
{
public:
    explicit Pieces(std::string_view text)
        : m_rest(text)
        , m_state(0x9e3779b97f4a7c15u ^ text.size())
    {
    }
    bool atEnd() const { return m_rest.empty(); }
    std::string_view next()
    {
        m_state = (m_state ^ static_cast<unsigned char>(m_rest.front())) * 0x100000001b3u;
        const std::string_view piece = m_rest.substr(0, 1 + (m_state >> 40) % 48);
        m_rest.remove_prefix(piece.size());
        return piece;
    }

private:
    std::string_view m_rest;
    std::uint64_t m_state;
};

} // namespace sparserl::fuzz
