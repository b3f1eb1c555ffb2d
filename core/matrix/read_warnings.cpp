// SPDX-License-Identifier: Apache-2.0
#include "matrix/read_warnings.h"

#include "base/json.h"
#include "base/printable.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::size_t longestPiece = 60;

std::string textOf(ReadWarnings::Kind kind, const std::string& found)
{
    using Kind = ReadWarnings::Kind;
    switch (kind) {
    case Kind::BeforeBanner:
        return "the file does not begin with its first line; " + found + " before it was skipped";
    case Kind::BannerWords:
        return fmt::format("the banner has more than five words; \"{}\" was ignored", found);
    case Kind::FieldName:
        return fmt::format("the format has no field \"{}\"; it was read as the one that is meant", found);
    case Kind::IndentedComment:
        return "a comment does not begin in the first column; it was skipped";
    case Kind::LateComment:
        return "a comment follows the size line; it was skipped";
    case Kind::NotInteger:
        return fmt::format("the banner says integer, but {} is not one; it was read unchanged", found);
    case Kind::FortranExponent:
        return fmt::format("{} has an exponent of Fortran; it was read as if it had an e", found);
    case Kind::AboveDiagonal:
        return fmt::format("the file is {} and so holds the lower triangle only, but an entry lies above the "
                           "diagonal; it was mirrored as the others are",
                           found);
    case Kind::SkewDiagonal:
        return "a skew-symmetric file holds no diagonal; this zero was kept as an entry";
    case Kind::SkewArrayDiagonal:
        return "a skew-symmetric array holds no diagonal; its zeros were passed over";
    case Kind::SeveralValues:
        return "a line of an array holds several values instead of one";
    case Kind::NoCommas:
        return "the numbers of the size line are not separated by commas";
    case Kind::SmtxLines:
        return "the row pointers and the column indices are not on one line each";
    case Kind::Duplicates:
        return fmt::format("an entry names the same place as another{}; they were added up", found);
    case Kind::AfterMatrix:
        return "there is more in the file after the matrix; it was left alone";
    case Kind::RightHandSides:
        return "the file also holds right-hand sides; they were left alone";
    case Kind::BehindGzip:
        return "the compressed data is followed by other bytes; they were ignored";
    case Kind::Count:
        break;
    }
    return {};
}

} // namespace

std::string MatrixWarning::sentence(std::string_view file) const
{
    std::string out = printableLine(file);
    if (line > 0) {
        out += fmt::format(":{}", line);
    }
    out += out.empty() ? "" : ": ";
    out += text;
    if (count > 1) {
        out += fmt::format(" ({} times)", count);
    }
    return out;
}

nlohmann::json toJson(const MatrixWarning& warning)
{
    return {{"line", warning.line}, {"count", warning.count}, {"text", warning.text}};
}

nlohmann::json toJson(const std::vector<MatrixWarning>& warnings)
{
    nlohmann::json list = nlohmann::json::array();
    for (const MatrixWarning& warning : warnings) {
        list.push_back(toJson(warning));
    }
    return list;
}

std::vector<MatrixWarning> warningsFromJson(const nlohmann::json& json)
{
    std::vector<MatrixWarning> warnings;
    for (const auto& one : json.is_array() ? json : nlohmann::json::array()) {
        if (auto text = jsonValue<std::string>(one, "text", {}); !text.empty()) {
            warnings.push_back({jsonValue<std::int64_t>(one, "line", 0),
                                jsonValue<std::int64_t>(one, "count", 1), printable(text)});
        }
    }
    return warnings;
}

void ReadWarnings::remember(Seen& seen, std::int64_t line, std::string_view found)
{
    seen.line = line;
    seen.found = printable(found.substr(0, longestPiece));
    if (found.size() > longestPiece) {
        seen.found += "...";
    }
}

void ReadWarnings::add(Kind kind, std::int64_t count, std::string_view found)
{
    if (count > 0) {
        note(kind, 0, found);
        m_seen[static_cast<std::size_t>(kind)].count += count - 1;
    }
}

std::vector<MatrixWarning> ReadWarnings::list() const
{
    std::vector<MatrixWarning> out;
    for (std::size_t i = 0; i < m_seen.size(); ++i) {
        if (m_seen[i].count > 0) {
            out.push_back({m_seen[i].line, m_seen[i].count, textOf(static_cast<Kind>(i), m_seen[i].found)});
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return (a.line == 0 ? INT64_MAX : a.line) < (b.line == 0 ? INT64_MAX : b.line);
    });
    return out;
}

} // namespace sparserl
