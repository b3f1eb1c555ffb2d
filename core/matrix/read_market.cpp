// SPDX-License-Identifier: Apache-2.0
#include "matrix/assemble.h"
#include "matrix/number.h"
#include "matrix/readers.h"
#include "matrix/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace sparserl {

namespace {

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

std::vector<std::string> words(std::string_view line)
{
    std::vector<std::string> out;
    std::size_t at = 0;
    while (at < line.size()) {
        if (isBlank(line[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < line.size() && !isBlank(line[end])) {
            ++end;
        }
        out.emplace_back(line.substr(at, end - at));
        at = end;
    }
    return out;
}

/// Matrix Market text, fed in blocks of whole lines.
class MarketParser
{
public:
    MarketParser(std::string name, std::int64_t memory, ReadWarnings& warnings)
        : m_name(std::move(name))
        , m_memory(memory)
        , m_warnings(warnings)
    {
    }
    Status feed(std::string_view block);
    Result<MatrixFile> finish();

private:
    enum class Stage
    {
        Banner,
        Size,
        Entries
    };
    enum class Symmetry
    {
        General,
        Symmetric,
        Skew
    };

    tl::unexpected<Error> refuse(std::string what, std::string remedy = {}) const
    {
        return failAt(m_name, lineOf(m_line), std::move(what), std::move(remedy));
    }
    Status banner(std::string_view line);
    Status sizeLine(std::string_view line);
    Status coordinates(const char*& at, const char* end);
    Status arrayLine(const char*& at, const char* end);
    Status value(const char*& at, const char* end, double& number);
    Status refuseEntry(const char* at, const char* end, const char* expected) const;
    void add(std::int64_t row, std::int64_t col, double number);
    void advanceArray();
    Status placeSkewArray();

    using Kind = ReadWarnings::Kind;

    std::string m_name;
    std::int64_t m_memory = 0;
    ReadWarnings& m_warnings;
    std::int64_t m_line = 1;
    Stage m_stage = Stage::Banner;
    bool m_array = false;
    bool m_pattern = false;
    bool m_integer = false;
    Symmetry m_symmetry = Symmetry::General;
    MatrixSource m_source;
    std::int64_t m_rows = 0, m_cols = 0;
    std::int64_t m_promised = 0, m_seen = 0;
    std::int64_t m_arrayRow = 0, m_arrayCol = 0;
    std::vector<double> m_skewArray; ///< Its values until their number tells whether the diagonal is there.
    std::int64_t m_skewDiagonalLine = 0; ///< Where a value of that diagonal is not 0; 0: nowhere.
    std::int64_t m_skewDiagonalRow = 0;
    Triplets m_entries;
};

Status MarketParser::feed(std::string_view block)
{
    const char* at = block.data();
    const char* end = at + block.size();
    while (at != end) {
        const char* begin = at;
        while (isBlank(*at)) {
            ++at;
        }
        if (*at == '%' && m_stage != Stage::Banner) {
            if (at != begin) {
                m_warnings.note(Kind::IndentedComment, m_line);
            } else if (m_stage == Stage::Entries) {
                m_warnings.note(Kind::LateComment, m_line);
            }
        }
        if (*at == '\n') {
            ++at;
            ++m_line;
            continue;
        }
        Status status;
        if (m_stage == Stage::Entries && *at != '%') {
            status = m_array ? arrayLine(at, end) : coordinates(at, end);
        } else {
            const auto* stop =
                static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            const std::string_view line(at, static_cast<std::size_t>(stop - at));
            if (m_stage == Stage::Banner) {
                status = banner(line);
            } else if (line.front() != '%') {
                status = sizeLine(line);
            }
            at = stop + 1;
            ++m_line;
        }
        if (!status) {
            return status;
        }
    }
    return {};
}

Status MarketParser::banner(std::string_view line)
{
    const auto parts = words(line);
    if (lowered(parts.front()) != "%%matrixmarket") {
        return refuse("the first line is not a Matrix Market banner",
                      "It must be like \"%%MatrixMarket matrix coordinate real general\"");
    }
    if (parts.size() < 5) {
        return refuse("the banner is incomplete",
                      "It must be like \"%%MatrixMarket matrix coordinate real general\"");
    }
    const std::string object = lowered(parts[1]);
    const std::string storage = lowered(parts[2]);
    const std::string field = lowered(parts[3]);
    const std::string symmetry = lowered(parts[4]);
    if (object != "matrix") {
        return refuse(fmt::format("the file holds a {}, not a matrix", parts[1]));
    }
    if (storage != "coordinate" && storage != "array") {
        return refuse(fmt::format("the storage \"{}\" is neither coordinate nor array", parts[2]));
    }
    if (field == "complex") {
        return refuse("the values are complex; kernels here work on real numbers",
                      "Store the real part or the magnitudes as a real matrix");
    }
    if (field != "real" && field != "double" && field != "integer" && field != "unsigned-integer" &&
        field != "pattern") {
        return refuse(
            fmt::format("the field \"{}\" is not one of real, double, integer and pattern", parts[3]));
    }
    if (symmetry == "hermitian") {
        return refuse("the matrix is hermitian; kernels here work on real numbers",
                      "Write it as \"symmetric\" if its values are real");
    }
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
        return refuse(
            fmt::format("the symmetry \"{}\" is not one of general, symmetric and skew-symmetric", parts[4]));
    }
    m_array = storage == "array";
    m_pattern = field == "pattern";
    m_integer = field.ends_with("integer");
    if (parts.size() > 5) {
        const auto at = line.find(parts[5], line.find(parts[4], line.find(parts[3])) + parts[4].size());
        m_warnings.note(Kind::BannerWords, m_line,
                        line.substr(at, line.find_last_not_of(" \t\r\v\f") + 1 - at));
    }
    if (field == "double" || field == "unsigned-integer") {
        m_warnings.note(Kind::FieldName, m_line, parts[3]);
    }
    m_symmetry = symmetry == "general"     ? Symmetry::General
                 : symmetry == "symmetric" ? Symmetry::Symmetric
                                           : Symmetry::Skew;
    if (m_pattern && m_array) {
        return refuse("a pattern cannot be stored as an array");
    }
    if (m_pattern && m_symmetry == Symmetry::Skew) {
        return refuse("a pattern cannot be skew-symmetric");
    }
    m_source.format = "matrix-market";
    m_source.storage = storage;
    m_source.field = m_pattern ? "pattern" : m_integer ? "integer" : "real";
    m_source.symmetry = symmetry;
    m_stage = Stage::Size;
    return {};
}

Status MarketParser::sizeLine(std::string_view line)
{
    const auto parts = words(line);
    const std::size_t wanted = m_array ? 2 : 3;
    std::array<std::int64_t, 3> numbers{};
    bool good = parts.size() == wanted;
    for (std::size_t i = 0; good && i < wanted; ++i) {
        const char* at = parts[i].c_str();
        good = parseUnsigned(at, numbers[i]) && *at == '\0';
    }
    if (!good) {
        return refuse(fmt::format("the size line must be {}",
                                  m_array ? "\"rows columns\"" : "\"rows columns entries\""),
                      "Numbers are plain decimal integers");
    }
    m_rows = numbers[0];
    m_cols = numbers[1];
    m_promised = numbers[2];
    const int lineNumber = lineOf(m_line);
    SPARSERL_CHECK(checkSize(m_name, lineNumber, m_rows, m_cols, m_promised, m_memory));
    if (m_symmetry != Symmetry::General && m_rows != m_cols) {
        return refuse(fmt::format("the matrix is {} but {} x {}: it must be square", m_source.symmetry,
                                  m_rows, m_cols));
    }
    if (m_array) {
        const std::int64_t n = m_rows; // Products fit: both factors are below 2^31.
        m_promised = m_symmetry == Symmetry::General ? m_rows * m_cols : n * (n + 1) / 2; // Skew: at most.
    }
    // A header may promise anything: reserve what is plausible and let the rest grow with the file.
    const auto reserve = static_cast<std::size_t>(std::min<std::int64_t>(m_promised, std::int64_t(1) << 22));
    m_entries.row.reserve(reserve);
    m_entries.col.reserve(reserve);
    if (!m_pattern) {
        m_entries.value.reserve(reserve);
    }
    m_stage = Stage::Entries;
    return {};
}

Status MarketParser::value(const char*& at, const char* end, double& number)
{
    const char* start = at;
    const RealStatus status = parseReal(at, end, number);
    const auto token = [&] {
        const char* stop = start;
        while (!isBlank(*stop) && *stop != '\n' && stop - start < 40) {
            ++stop;
        }
        return std::string(start, stop);
    };
    switch (status) {
    case RealStatus::Ok:
        break;
    case RealStatus::Fortran:
        m_warnings.note(Kind::FortranExponent, m_line, {start, static_cast<std::size_t>(at - start)});
        break;
    case RealStatus::NotANumber:
        return refuse(fmt::format("\"{}\" is not a number", token()));
    case RealStatus::NotFinite:
        return refuse(fmt::format("the value {} is not finite", token()),
                      "Remove the entry or give it a value");
    case RealStatus::TooLarge:
        number = HUGE_VAL;
        break;
    }
    if (!std::isfinite(static_cast<float>(number))) { // Rounded first: FLT_MAX itself has such a text.
        return refuse(fmt::format("the value {} is too large for single precision", token()),
                      "Scale the matrix");
    }
    if (m_integer) {
        const std::string_view text(start, static_cast<std::size_t>(at - start));
        if (text.find_first_not_of("+-0123456789") != std::string_view::npos) {
            m_warnings.note(Kind::NotInteger, m_line, text);
        }
    }
    return {};
}

Status MarketParser::refuseEntry(const char* at, const char* end, const char* expected) const
{
    const char* stop = at;
    while (stop != end && *stop != '\n' && stop - at < 60) {
        ++stop;
    }
    std::string rest(at, stop);
    while (!rest.empty() && isBlank(rest.back())) {
        rest.pop_back();
    }
    return rest.empty() ? refuse(fmt::format("the line ends too early: expected {}", expected))
                        : refuse(fmt::format("expected {}, found \"{}\"", expected, rest));
}

void MarketParser::add(std::int64_t row, std::int64_t col, double number)
{
    m_entries.row.push_back(static_cast<std::int32_t>(row));
    m_entries.col.push_back(static_cast<std::int32_t>(col));
    if (!m_pattern) {
        m_entries.value.push_back(number);
    }
    if (m_symmetry != Symmetry::General && row != col) {
        m_entries.row.push_back(static_cast<std::int32_t>(col));
        m_entries.col.push_back(static_cast<std::int32_t>(row));
        if (!m_pattern) {
            m_entries.value.push_back(m_symmetry == Symmetry::Skew ? -number : number);
        }
    }
}

Status MarketParser::coordinates(const char*& at, const char* end)
{
    std::int64_t row = 0;
    std::int64_t col = 0;
    const char* start = at;
    if (!parseUnsigned(at, row) || !(isBlank(*at) || *at == '\n')) {
        return refuseEntry(start, end, "a row number");
    }
    while (isBlank(*at)) {
        ++at;
    }
    start = at;
    if (!parseUnsigned(at, col) || !(isBlank(*at) || *at == '\n')) {
        return refuseEntry(start, end, "a column number");
    }
    while (isBlank(*at)) {
        ++at;
    }
    double number = 1;
    if (!m_pattern) {
        if (*at == '\n') {
            return refuseEntry(at, end, "a value");
        }
        SPARSERL_CHECK(value(at, end, number));
        while (isBlank(*at)) {
            ++at;
        }
    }
    if (*at != '\n') {
        return refuseEntry(at, end, "the end of the line");
    }
    if (row < 1 || row > m_rows || col < 1 || col > m_cols) {
        return refuse(
            fmt::format("the entry ({}, {}) is outside of the matrix of {} x {}", row, col, m_rows, m_cols),
            row == 0 || col == 0 ? "Row and column numbers start at 1" : "");
    }
    if (++m_seen > m_promised) {
        return refuse(fmt::format("the size line promises {} entries, but there are more", m_promised),
                      "Correct the size line");
    }
    if (m_symmetry == Symmetry::Skew && row == col && number != 0) {
        return refuse(
            fmt::format("the diagonal entry ({}, {}) of a skew-symmetric matrix must be zero", row, col));
    }
    if (m_entries.row.size() >= 2147483646) {
        return refuse("the matrix has more than 2147483647 entries");
    }
    if (m_symmetry != Symmetry::General) {
        if (row < col) {
            m_warnings.note(Kind::AboveDiagonal, m_line, m_source.symmetry);
        } else if (row == col && m_symmetry == Symmetry::Skew) {
            m_warnings.note(Kind::SkewDiagonal, m_line);
        }
    }
    m_source.explicitZeros += number != 0 ? 0 : m_symmetry == Symmetry::General || row == col ? 1 : 2;
    add(row - 1, col - 1, number);
    ++at;
    ++m_line;
    return {};
}

void MarketParser::advanceArray()
{
    if (++m_arrayRow == m_rows) {
        ++m_arrayCol;
        m_arrayRow = m_symmetry == Symmetry::General ? 0 : m_arrayCol;
    }
}

Status MarketParser::arrayLine(const char*& at, const char* end)
{
    for (int values = 0; *at != '\n'; ++values) {
        double number = 0;
        SPARSERL_CHECK(value(at, end, number));
        if (!isBlank(*at) && *at != '\n') {
            return refuseEntry(at, end, "a blank after the value");
        }
        while (isBlank(*at)) {
            ++at;
        }
        if (++m_seen > m_promised) {
            return m_symmetry == Symmetry::General
                       ? refuse(
                             fmt::format("the size line promises {} values, but there are more", m_promised),
                             "Correct the size line")
                       : refuse(fmt::format("a {} array of {} x {} holds {} values, but there are more",
                                            m_source.symmetry, m_rows, m_cols, m_promised),
                                "It holds the lower triangle column by column; if the file holds all values, "
                                "write \"general\" as the last word of its first line");
        }
        if (m_entries.row.size() >= 2147483646) {
            return refuse("the matrix has more than 2147483647 entries");
        }
        if (values == 1) {
            m_warnings.note(Kind::SeveralValues, m_line);
        }
        if (m_symmetry == Symmetry::Skew) {
            m_skewArray.push_back(number);
            if (number != 0 && m_arrayRow == m_arrayCol && m_skewDiagonalLine == 0) {
                m_skewDiagonalLine = m_line;
                m_skewDiagonalRow = m_arrayRow + 1;
            }
        } else if (number != 0) {
            add(m_arrayRow, m_arrayCol, number);
        }
        advanceArray();
    }
    ++at;
    ++m_line;
    return {};
}

/// The format leaves the diagonal of a skew-symmetric array out; SciPy and MATLAB users write it as zeros.
/// How many values there are tells which it is.
Status MarketParser::placeSkewArray()
{
    const bool withDiagonal = m_seen == m_promised;
    if (!withDiagonal && m_seen != m_promised - m_rows) {
        return refuse(
            fmt::format("a skew-symmetric array of {} x {} holds {} values, or {} with its diagonal; "
                        "the file has {}",
                        m_rows, m_cols, m_promised - m_rows, m_promised, m_seen),
            "The file may be truncated: download or copy it again");
    }
    if (withDiagonal && m_skewDiagonalLine > 0) {
        m_line = m_skewDiagonalLine;
        return refuse(fmt::format("the diagonal entry ({}, {}) of a skew-symmetric matrix must be zero",
                                  m_skewDiagonalRow, m_skewDiagonalRow));
    }
    m_promised = m_seen;
    m_warnings.add(Kind::SkewArrayDiagonal, withDiagonal ? m_rows : 0);
    std::size_t next = 0;
    for (std::int64_t col = 0; col < m_cols; ++col) {
        for (std::int64_t row = withDiagonal ? col : col + 1; row < m_rows; ++row) {
            const double number = m_skewArray[next++];
            if (m_entries.row.size() >= 2147483646) {
                return refuse("the matrix has more than 2147483647 entries");
            }
            if (number != 0) {
                add(row, col, number);
            }
        }
    }
    m_skewArray = {};
    return {};
}

Result<MatrixFile> MarketParser::finish()
{
    --m_line; // The last line, not the one that does not exist any more.
    if (m_stage != Stage::Entries) {
        return refuse(m_stage == Stage::Banner ? "there is no banner" : "the file ends before the size line");
    }
    if (m_array && m_symmetry == Symmetry::Skew) {
        SPARSERL_CHECK(placeSkewArray());
    } else if (m_seen < m_promised) {
        return refuse(fmt::format("the size line promises {} {}, the file has {}", m_promised,
                                  m_array ? "values" : "entries", m_seen),
                      "The file may be truncated: download or copy it again");
    }
    MatrixFile out;
    out.source = m_source;
    out.source.storedEntries = m_promised;
    out.source.seededValues = m_pattern;
    SPARSERL_TRY(out.matrix,
                 assembleChecked(m_name, static_cast<std::int32_t>(m_rows), static_cast<std::int32_t>(m_cols),
                                 std::move(m_entries), out.source.duplicates));
    if (m_pattern) {
        fillSeededValues(out.matrix, m_symmetry == Symmetry::Symmetric ? ValueSymmetry::Symmetric
                                                                       : ValueSymmetry::General);
    }
    return out;
}

} // namespace

Result<MatrixFile> readMarket(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                              ReadWarnings& warnings)
{
    MarketParser parser(blocks.name(), memory, warnings);
    std::string_view block = first;
    while (!block.empty()) {
        SPARSERL_CHECK(parser.feed(block));
        SPARSERL_TRY(auto next, blocks.next(TextBlocks::Cut::Lines));
        block = next;
    }
    return parser.finish();
}

} // namespace sparserl
