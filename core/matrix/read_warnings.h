// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A violation of a file format that the reader accepted, and what the reader did about it.
struct MatrixWarning
{
    std::int64_t line = 0;  ///< Line of the first occurrence, from 1; 0 if there is no particular line.
    std::int64_t count = 1; ///< Number of occurrences.
    std::string text;       ///< A printable sentence without its full stop.

    /// Returns "FILE:LINE: TEXT (N times)" in one line. Omits numbers that say nothing (line 0, 1 time).
    std::string sentence(std::string_view file) const;
    bool operator==(const MatrixWarning&) const = default;
};

/// Returns an object with "line", "count" and "text".
nlohmann::json toJson(const MatrixWarning& warning);
nlohmann::json toJson(const std::vector<MatrixWarning>& warnings);
/// Parses a list of warnings. Skips invalid elements.
std::vector<MatrixWarning> warningsFromJson(const nlohmann::json& json);

/// Collects the warnings of a reader. Each kind is reported once, so the list is short for any file.
class ReadWarnings
{
public:
    enum class Kind
    {
        BeforeBanner,      ///< Text before the line that must come first.
        BannerWords,       ///< More than five words in the banner.
        FieldName,         ///< A field that the format does not know.
        IndentedComment,   ///< A comment that does not start at the beginning of a line.
        LateComment,       ///< A comment after the size line.
        NotInteger,        ///< A real value in an integer file.
        FortranExponent,   ///< An exponent in Fortran's form: "1d5".
        AboveDiagonal,     ///< An entry above the diagonal in a symmetric or skew-symmetric file.
        SkewDiagonal,      ///< A zero on the diagonal of a skew-symmetric file.
        SkewArrayDiagonal, ///< Zeros on the diagonal of a skew-symmetric array.
        SeveralValues,     ///< Several values in one line of an array.
        NoCommas,          ///< The sizes of a .smtx file are not separated by commas.
        SmtxLines,         ///< The parts of .smtx do not occupy one line each.
        Duplicates,        ///< Several entries at one position.
        AfterMatrix,       ///< Further data in the file after the matrix.
        RightHandSides,    ///< Right-hand sides in a Harwell-Boeing file.
        BehindGzip,        ///< Extra bytes after the compressed data.
        Count
    };

    /// Records a warning. `found` is the offending text, if that is helpful. Only the first warning of a kind
    /// is expensive.
    void note(Kind kind, std::int64_t line, std::string_view found = {})
    {
        Seen& seen = m_seen[static_cast<std::size_t>(kind)];
        if (seen.count++ == 0) {
            remember(seen, line, found);
        }
    }
    /// Records `count` warnings of a kind; does nothing if `count` is 0.
    void add(Kind kind, std::int64_t count, std::string_view found = {});
    std::int64_t count(Kind kind) const { return m_seen[static_cast<std::size_t>(kind)].count; }

    /// Returns at most one warning per kind, sorted by line. Warnings without a line come last.
    std::vector<MatrixWarning> list() const;

private:
    struct Seen
    {
        std::int64_t count = 0, line = 0;
        std::string found;
    };
    static void remember(Seen& seen, std::int64_t line, std::string_view found);

    std::array<Seen, static_cast<std::size_t>(Kind::Count)> m_seen;
};

} // namespace sparserl
