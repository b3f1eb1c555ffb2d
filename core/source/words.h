// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sparserl {

/// A word of a program. `text` points into the program's text.
struct SourceWord
{
    enum class Kind
    {
        Name,    ///< A run of letters, digits and underscores. Includes keywords and numbers.
        Plan,    ///< "//!", if the words of plan lines are read.
        Literal, ///< A string or a character with its quotes. It ends with its line at the latest.
        Sign     ///< ">>", ">>>" or one byte.
    };
    Kind kind = Kind::Sign;
    std::string_view text;
};

/// Splits any bytes into words, without blanks and comments, in one pass. Used to compare and recognise
/// texts. Faster and coarser than Lexer, which knows the tokens of C++.
class SourceWords
{
public:
    enum class PlanLines
    {
        Read,   ///< A plan line yields a word of Kind::Plan and then its own words.
        Comment ///< A plan line is a comment, as it is for compilers.
    };
    explicit SourceWords(std::string_view text, PlanLines plan = PlanLines::Read)
        : m_text(text)
        , m_plan(plan)
    {
    }
    /// Returns the next word, or nullopt at the end.
    std::optional<SourceWord> next();

private:
    SourceWord take(SourceWord::Kind kind, std::size_t length);
    std::size_t nameLength() const;
    std::size_t literalLength() const;

    std::string_view m_text;
    std::size_t m_at = 0;
    PlanLines m_plan;
};

/// Returns the 64-bit FNV-1a hash of a word.
std::uint64_t wordHash(std::string_view word);

} // namespace sparserl
