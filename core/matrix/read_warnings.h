// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A violation of a file format that the reader accepted, and how it was treated.
struct MatrixWarning
{
    std::int64_t line = 0;  ///< First occurrence, from 1; 0: no particular line.
    std::int64_t count = 1; ///< Number of occurrences.
    std::string text;       ///< A printable sentence without its full stop.

    /// "FILE:LINE: TEXT (N times)" on one line. Omits zeros.
    std::string sentence(std::string_view file) const;
    bool operator==(const MatrixWarning&) const = default;
};

/// {"line", "count", "text"}
nlohmann::json toJson(const MatrixWarning& warning);
nlohmann::json toJson(const std::vector<MatrixWarning>& warnings);
/// Parses the list. Skips invalid elements.
std::vector<MatrixWarning> warningsFromJson(const nlohmann::json& json);

/// Collects the warnings of a reader. Reports each kind once, so the list is short for any file.
class ReadWarnings
{
public:
    enum class Kind
    {
        BeforeBanner,      ///< Text before the first line.
        BannerWords,       ///< More than five words in the banner.
        FieldName,         ///< A field unknown to the format.
        IndentedComment,   ///< A comment that does not start at the beginning of a line.
        LateComment,       ///< A comment after the size line.
        NotInteger,        ///< A real value in an integer file.
        FortranExponent,   ///< "1d5"
        AboveDiagonal,     ///< In a symmetric or skew-symmetric file.
        SkewDiagonal,      ///< A zero on the diagonal of a skew-symmetric file.
        SkewArrayDiagonal, ///< The same in an array.
        SeveralValues,     ///< Several values in one line of an array.
        NoCommas,          ///< Between the sizes of .smtx.
        SmtxLines,         ///< The parts of .smtx do not occupy one line each.
        Duplicates,        ///< Several entries at one position.
        AfterMatrix,       ///< A second object in the file.
        RightHandSides,    ///< In Harwell-Boeing files.
        BehindGzip,        ///< Extra bytes after the compressed data.
        Count
    };

    /// Records a warning. `found` is the offending text, if helpful. Cheap except for the first of a kind.
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

    /// At most one warning per kind, sorted by line, those without a line last.
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
