// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Something that a file's format forbids and that reading took all the same, with what became of it.
struct MatrixWarning
{
    std::int64_t line = 0;  ///< Where it stands for the first time, from 1; 0: nowhere in particular.
    std::int64_t count = 1; ///< How often.
    std::string text;       ///< A sentence without its full stop; printable.

    /// "FILE:LINE: TEXT (N times)" on one line, leaving out what is 0.
    std::string sentence(std::string_view file) const;
    bool operator==(const MatrixWarning&) const = default;
};

/// {"line", "count", "text"}
nlohmann::json toJson(const MatrixWarning& warning);
nlohmann::json toJson(const std::vector<MatrixWarning>& warnings);
/// The list back; leaves out what is none.
std::vector<MatrixWarning> warningsFromJson(const nlohmann::json& json);

/// What the readers find on their way: each kind is said once, so that the list is short whatever the file.
class ReadWarnings
{
public:
    enum class Kind
    {
        BeforeBanner,      ///< Something stands before the first line.
        BannerWords,       ///< Words behind the fifth of the banner.
        FieldName,         ///< A field that the format has not.
        IndentedComment,   ///< A comment that does not begin its line.
        LateComment,       ///< A comment behind the size line.
        NotInteger,        ///< A real value where the banner says integer.
        FortranExponent,   ///< "1d5"
        AboveDiagonal,     ///< In a symmetric or skew-symmetric file.
        SkewDiagonal,      ///< A zero on the diagonal of a skew-symmetric file.
        SkewArrayDiagonal, ///< The same of an array.
        SeveralValues,     ///< In a line of an array.
        NoCommas,          ///< Between the sizes of .smtx.
        SmtxLines,         ///< The parts of .smtx are not a line each.
        Duplicates,        ///< Entries that name one place.
        AfterMatrix,       ///< A second object in the file.
        RightHandSides,    ///< Of Harwell-Boeing.
        BehindGzip,        ///< Bytes behind the compressed data.
        Count
    };

    /// `found` is the piece of the file that shows it, where that helps. Cheap but for the first of a kind.
    void note(Kind kind, std::int64_t line, std::string_view found = {})
    {
        Seen& seen = m_seen[static_cast<std::size_t>(kind)];
        if (seen.count++ == 0) {
            remember(seen, line, found);
        }
    }
    /// So many of a kind at once, if any.
    void add(Kind kind, std::int64_t count, std::string_view found = {});
    std::int64_t count(Kind kind) const { return m_seen[static_cast<std::size_t>(kind)].count; }

    /// At most one of each kind, by line; those of no line last.
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
