// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sparserl {

/// A word of a program's text, which points into it.
struct SourceWord
{
    enum class Kind
    {
        Name,    ///< Letters, digits and underscores: keywords and numbers, too.
        Plan,    ///< "//!", where plan lines are read.
        Literal, ///< A string or a character with its quotes; it ends with its line at the latest.
        Sign     ///< ">>", ">>>" or one byte.
    };
    Kind kind = Kind::Sign;
    std::string_view text;
};

/// Splits any bytes into words, for comparing and recognising texts: without blanks and comments, in one
/// pass. It is quicker and coarser than Lexer, which knows the tokens of C++.
class SourceWords
{
public:
    enum class PlanLines
    {
        Read,   ///< Their words follow a word of Kind::Plan.
        Comment ///< They are comments, as compilers have it.
    };
    explicit SourceWords(std::string_view text, PlanLines plan = PlanLines::Read)
        : m_text(text)
        , m_plan(plan)
    {
    }
    /// Nothing at the end.
    std::optional<SourceWord> next();

private:
    SourceWord take(SourceWord::Kind kind, std::size_t length);
    std::size_t nameLength() const;
    std::size_t literalLength() const;

    std::string_view m_text;
    std::size_t m_at = 0;
    PlanLines m_plan;
};

/// FNV-1a of a word in 64 bits.
std::uint64_t wordHash(std::string_view word);

} // namespace sparserl
