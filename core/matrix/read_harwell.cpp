// SPDX-License-Identifier: Apache-2.0
// Harwell-Boeing and Rutherford-Boeing files: cards of fixed columns that Fortran wrote, by compressed
// columns.
#include "matrix/number.h"
#include "matrix/readers.h"
#include "matrix/values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <limits>

namespace sparserl {
namespace {

std::vector<std::string_view> firstLines(std::string_view text, std::size_t most)
{
    std::vector<std::string_view> lines;
    while (!text.empty() && lines.size() < most) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

/// Whole numbers that blanks separate; false where anything else stands there.
bool numbersOf(std::string_view line, std::vector<std::int64_t>& out)
{
    const std::string text = std::string(line) + "\n";
    const char* at = text.c_str();
    while (*at != '\n') {
        if (isBlank(*at)) {
            ++at;
            continue;
        }
        std::int64_t number = 0;
        if (!parseUnsigned(at, number) || !(isBlank(*at) || *at == '\n'))
            return false;
        out.push_back(number);
    }
    return true;
}

char lower(char c)
{
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// "RUA" and three or four numbers.
bool isTypeLine(std::string_view line, std::string& type, std::vector<std::int64_t>& numbers)
{
    if (line.size() < 4 || !isBlank(line[3]))
        return false;
    type = {lower(line[0]), lower(line[1]), lower(line[2])};
    return std::string_view("rcpiq").find(type[0]) != std::string_view::npos &&
           std::string_view("suhzr").find(type[1]) != std::string_view::npos &&
           (type[2] == 'a' || type[2] == 'e') && numbersOf(line.substr(3), numbers) &&
           (numbers.size() == 3 || numbers.size() == 4);
}

/// A Fortran format of equal fields: (16I5), (1P,4E20.12), (3D25.17).
struct FieldFormat
{
    std::int64_t repeat = 1, width = 0, decimals = 0, scale = 0;
    char letter = 'I';

    bool parse(std::string_view text)
    {
        std::string all;
        for (const char c : text) {
            if (!isBlank(c))
                all += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        if (all.size() < 4 || all.front() != '(' || all.back() != ')')
            return false;
        const char* at = all.c_str() + 1;
        std::int64_t number = 0;
        const bool minus = *at == '-';
        at += minus ? 1 : 0;
        bool has = parseUnsigned(at, number);
        if (*at == 'P' && has) {
            scale = minus ? -number : number;
            at += at[1] == ',' ? 2 : 1;
            has = parseUnsigned(at, number);
        } else if (minus) {
            return false;
        }
        repeat = has ? number : 1;
        letter = *at;
        if (std::string_view("IEDFG").find(letter) == std::string_view::npos)
            return false;
        if (!parseUnsigned(++at, width))
            return false;
        if (*at == '.' && !parseUnsigned(++at, decimals))
            return false;
        if (*at == 'E' && !parseUnsigned(++at, number)) // E26.18E3: digits of the exponent
            return false;
        return *at == ')' && at[1] == '\0' && repeat >= 1 && repeat <= 1000 && width >= 1 && width <= 200 &&
               decimals < 100 && std::abs(scale) < 100;
    }
};

class HarwellParser
{
public:
    HarwellParser(std::string name, std::int64_t memory, ReadWarnings& warnings)
        : m_name(std::move(name))
        , m_memory(memory)
        , m_warnings(warnings)
    {
    }
    /// `open`: the line break at the block's end is not the file's.
    Status feed(std::string_view block, bool open);
    Result<MatrixFile> finish();

private:
    enum class Stage
    {
        Title,
        Cards,
        Type,
        Formats,
        RightHandSide,
        Pointers,
        Rows,
        Values,
        End
    };
    tl::unexpected<Error> refuse(std::string what,
                                 std::string remedy = "Download the file again, or write it again") const
    {
        return failAt(m_name, lineOf(m_line), std::move(what), std::move(remedy));
    }
    Status line(std::string_view text);
    Status typeLine(std::string_view text);
    Status formatsLine(std::string_view text);
    Status fields(std::string_view text, const FieldFormat& format);
    Status values(std::string_view text);
    Result<std::vector<double>> valuesOf(std::string_view text, std::int64_t count, std::int64_t width) const;
    Status take(std::string_view field, const FieldFormat& format);
    Status wholeNumber(std::string_view field, std::int64_t least, std::int64_t most, const char* what,
                       std::int64_t& number) const;
    Status realNumber(std::string_view field, const FieldFormat& format, double& number) const;
    void skipFinished();

    std::string m_name;
    std::int64_t m_memory = 0;
    ReadWarnings& m_warnings;
    Stage m_stage = Stage::Title;
    std::int64_t m_line = 0;
    std::string m_type;
    bool m_rightHandSides = false;
    bool m_unended = false; ///< The line is the last one, and lacks its line break.
    std::int64_t m_rows = 0, m_cols = 0, m_count = 0;
    FieldFormat m_pointerFormat, m_rowFormat, m_valueFormat;
    std::vector<std::int64_t> m_pointers;
    std::vector<std::int32_t> m_row;
    std::vector<double> m_values;
};

Status HarwellParser::feed(std::string_view block, bool open)
{
    while (!block.empty()) {
        const auto end = block.find('\n');
        std::string_view text = block.substr(0, end);
        block.remove_prefix(end == std::string_view::npos ? block.size() : end + 1);
        m_unended = open && block.empty();
        ++m_line;
        while (!text.empty() && isBlank(text.back()))
            text.remove_suffix(1);
        SPARSERL_CHECK(line(text));
    }
    return {};
}

Status HarwellParser::line(std::string_view text)
{
    skipFinished();
    std::vector<std::int64_t> numbers;
    switch (m_stage) {
    case Stage::Title:
        m_stage = Stage::Cards;
        return {};
    case Stage::Cards:
        if (!numbersOf(text, numbers) || numbers.size() < 3)
            return refuse("the second line must hold four or five numbers of lines");
        m_rightHandSides = numbers.size() > 4 && numbers[4] > 0;
        m_stage = Stage::Type;
        return {};
    case Stage::Type:
        return typeLine(text);
    case Stage::Formats:
        return formatsLine(text);
    case Stage::RightHandSide:
        m_stage = Stage::Pointers;
        return {};
    case Stage::Pointers:
        return fields(text, m_pointerFormat);
    case Stage::Rows:
        return fields(text, m_rowFormat);
    case Stage::Values:
        return values(text);
    case Stage::End:
        if (!text.empty())
            m_warnings.note(m_rightHandSides ? ReadWarnings::Kind::RightHandSides
                                             : ReadWarnings::Kind::AfterMatrix,
                            m_line);
        return {};
    }
    return {};
}

Status HarwellParser::typeLine(std::string_view text)
{
    std::vector<std::int64_t> numbers;
    if (!isTypeLine(text, m_type, numbers))
        return refuse(
            "the third line must be a type such as RUA, and the numbers of rows, columns and entries");
    if (m_type[0] == 'c')
        return refuse("the values are complex; kernels here work on real numbers",
                      "Store the real part or the magnitudes as a real matrix");
    if (m_type[0] == 'q')
        return refuse("the values are in a file of their own", "Give a file that holds pattern and values");
    if (m_type[1] == 'h')
        return refuse("the matrix is hermitian; kernels here work on real numbers",
                      "Write it as symmetric if its values are real");
    if (m_type[2] == 'e')
        return refuse("the matrix is a sum of elements that are not assembled", "Assemble it and write that");
    m_rows = numbers[0];
    m_cols = numbers[1];
    m_count = numbers[2];
    SPARSERL_CHECK(checkSize(m_name, static_cast<int>(m_line), m_rows, m_cols, m_count, m_memory));
    if (m_type[1] != 'u' && m_type[1] != 'r' && m_rows != m_cols)
        return refuse(fmt::format("the matrix is symmetric but {} x {}: it must be square", m_rows, m_cols));
    m_stage = Stage::Formats;
    return {};
}

Status HarwellParser::formatsLine(std::string_view text)
{
    const auto column = [&](std::size_t at, std::size_t size) {
        return at < text.size() ? text.substr(at, size) : std::string_view();
    };
    const bool values = m_type[0] != 'p';
    if (!m_pointerFormat.parse(column(0, 16)) || m_pointerFormat.letter != 'I' ||
        !m_rowFormat.parse(column(16, 16)) || m_rowFormat.letter != 'I' ||
        (values && !m_valueFormat.parse(column(32, 20))))
        return refuse("the fourth line must hold formats of Fortran such as (16I5) and (3E26.18)",
                      "Convert the file to Matrix Market with the program that wrote it");
    m_stage = m_rightHandSides ? Stage::RightHandSide : Stage::Pointers;
    return {};
}

/// To the next part once one is complete.
void HarwellParser::skipFinished()
{
    if (m_stage == Stage::Pointers && static_cast<std::int64_t>(m_pointers.size()) == m_cols + 1)
        m_stage = Stage::Rows;
    if (m_stage == Stage::Rows && static_cast<std::int64_t>(m_row.size()) == m_count)
        m_stage = m_type[0] == 'p' ? Stage::End : Stage::Values;
    if (m_stage == Stage::Values && static_cast<std::int64_t>(m_values.size()) == m_count)
        m_stage = Stage::End;
}

Status HarwellParser::fields(std::string_view text, const FieldFormat& format)
{
    const Stage stage = m_stage;
    for (std::int64_t i = 0; i < format.repeat && m_stage == stage; ++i) {
        const auto at = static_cast<std::size_t>(i * format.width);
        if (at >= text.size())
            break; // The last line of a part is shorter; others that are short are missed at the end.
        const std::string_view field = text.substr(at, static_cast<std::size_t>(format.width));
        // Fortran puts a number at the right end of its field.
        if (m_unended && static_cast<std::int64_t>(field.size()) < format.width)
            return refuse(fmt::format("the file ends early, within a number: \"{}\" has {} of {} characters",
                                      field, field.size(), format.width),
                          "The file may be truncated: download or copy it again");
        SPARSERL_CHECK(take(field, format));
        skipFinished();
    }
    return {};
}

Result<std::vector<double>> HarwellParser::valuesOf(std::string_view text, std::int64_t count,
                                                    std::int64_t width) const
{
    std::vector<double> all(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i * width);
        const auto field = at < text.size() ? text.substr(at, static_cast<std::size_t>(width)) : "";
        SPARSERL_CHECK(realNumber(field, m_valueFormat, all[static_cast<std::size_t>(i)]));
    }
    return all;
}

/// SciPy's hb_write says fields of 25 characters and writes 24 (scipy.io, ExpFormat.python_format): its lines
/// are that much shorter, and those of Fortran never are, whose last number ends where its field does.
Status HarwellParser::values(std::string_view text)
{
    const std::int64_t count =
        std::min(m_valueFormat.repeat, m_count - static_cast<std::int64_t>(m_values.size()));
    const std::int64_t narrow = m_valueFormat.width - 1;
    if (m_valueFormat.letter == 'I' || m_unended || narrow < 1 ||
        static_cast<std::int64_t>(text.size()) != count * narrow)
        return fields(text, m_valueFormat);
    const auto scipy = valuesOf(text, count, narrow), said = valuesOf(text, count, m_valueFormat.width);
    if (!scipy && said)
        return fields(text, m_valueFormat);
    const std::string remedy =
        "SciPy's hb_write makes such files: write the matrix with scipy.io.mmwrite or scipy.sparse.save_npz";
    if (!scipy)
        return refuse("the numbers are in narrower fields than the fourth line says", remedy);
    if (said && *said != *scipy)
        return refuse(
            "the line can be read in two ways, with the fields of the fourth line and with narrower ones",
            remedy);
    m_values.insert(m_values.end(), scipy->begin(), scipy->end());
    skipFinished();
    return {};
}

Status HarwellParser::take(std::string_view field, const FieldFormat& format)
{
    std::int64_t number = 0;
    switch (m_stage) {
    case Stage::Pointers: {
        const std::int64_t least = m_pointers.empty() ? 1 : m_pointers.back();
        const bool first = m_pointers.empty(), last = static_cast<std::int64_t>(m_pointers.size()) == m_cols;
        SPARSERL_CHECK(wholeNumber(field, last ? m_count + 1 : least, first && !last ? 1 : m_count + 1,
                                   "column pointer", number));
        m_pointers.push_back(number);
        return {};
    }
    case Stage::Rows:
        SPARSERL_CHECK(wholeNumber(field, 1, m_rows, "row number", number));
        m_row.push_back(static_cast<std::int32_t>(number - 1));
        return {};
    default: {
        double value = 0;
        SPARSERL_CHECK(realNumber(field, format, value));
        m_values.push_back(value);
        return {};
    }
    }
}

Status HarwellParser::wholeNumber(std::string_view field, std::int64_t least, std::int64_t most,
                                  const char* what, std::int64_t& number) const
{
    std::vector<std::int64_t> numbers;
    if (!numbersOf(field, numbers) || numbers.size() != 1)
        return refuse(fmt::format("\"{}\" is no {}", field.substr(0, 40), what));
    number = numbers.front();
    if (number < least || number > most)
        return refuse(fmt::format("the {} {} must be in {}..{}", what, number, least, most));
    return {};
}

/// As Fortran reads it: without a point the last `decimals` digits are behind it, an exponent may lack its
/// letter ("1.5+105"), and without an exponent the scale of the format counts.
Status HarwellParser::realNumber(std::string_view field, const FieldFormat& format, double& number) const
{
    std::string mantissa;
    std::int64_t exponent = 0;
    bool point = false, powered = false, good = true;
    std::size_t digits = 0;
    std::size_t at = 0;
    while (at < field.size() && isBlank(field[at]))
        ++at;
    for (; at < field.size() && !isBlank(field[at]); ++at) {
        const char c = field[at];
        if (isDigit(c) || (c == '.' && !point) || ((c == '-' || c == '+') && mantissa.empty())) {
            point = point || c == '.';
            digits += isDigit(c) ? 1 : 0;
            if (c != '+')
                mantissa += c;
            else if (mantissa.empty())
                mantissa += ' '; // a second sign is none
        } else {
            break;
        }
    }
    if (!mantissa.empty() && mantissa.front() == ' ')
        mantissa.erase(0, 1);
    if (at < field.size() && !isBlank(field[at])) {
        const char letter = lower(field[at]);
        at += letter == 'e' || letter == 'd' ? 1 : 0;
        const bool minus = at < field.size() && field[at] == '-';
        const bool sign = minus || (at < field.size() && field[at] == '+');
        at += sign ? 1 : 0;
        std::size_t count = 0;
        for (; at < field.size() && isDigit(field[at]); ++at, ++count)
            exponent = std::min<std::int64_t>(exponent * 10 + (field[at] - '0'), 1000000);
        powered = true;
        good = count > 0 && (letter == 'e' || letter == 'd' || sign);
        exponent = minus ? -exponent : exponent;
    }
    while (at < field.size() && isBlank(field[at]))
        ++at;
    const std::string_view shown = field.substr(0, 40);
    if (!good || digits == 0 || at != field.size())
        return refuse(fmt::format("\"{}\" is not a number", shown));
    exponent -= (point || format.letter == 'I' ? 0 : format.decimals) +
                (powered || format.letter == 'I' ? 0 : format.scale);
    const std::string text = fmt::format("{}e{}\n", mantissa, exponent);
    const char* begin = text.data();
    const RealStatus status = parseReal(begin, text.data() + text.size(), number);
    if (status == RealStatus::TooLarge)
        number = std::numeric_limits<double>::infinity();
    else if (status != RealStatus::Ok)
        return refuse(fmt::format("\"{}\" is not a number", shown));
    if (number - number != 0 || static_cast<float>(number) - static_cast<float>(number) != 0)
        return refuse(fmt::format("the value {} is too large for single precision", shown),
                      "Scale the matrix");
    return {};
}

Result<MatrixFile> HarwellParser::finish()
{
    skipFinished();
    if (m_stage != Stage::End)
        return refuse(m_stage < Stage::Pointers
                          ? "the file ends within its header"
                          : fmt::format("the file ends early: it has {} of {} {}",
                                        m_stage == Stage::Pointers ? m_pointers.size()
                                        : m_stage == Stage::Rows   ? m_row.size()
                                                                   : m_values.size(),
                                        m_stage == Stage::Pointers ? m_cols + 1 : m_count,
                                        m_stage == Stage::Pointers ? "column pointers"
                                        : m_stage == Stage::Rows   ? "row numbers"
                                                                   : "values"),
                      "The file may be truncated: download or copy it again");
    const bool pattern = m_type[0] == 'p', symmetric = m_type[1] == 's', skew = m_type[1] == 'z';
    MatrixFile out;
    Triplets entries;
    const auto add = [&](std::int32_t row, std::int32_t col, double value) {
        entries.row.push_back(row);
        entries.col.push_back(col);
        if (!pattern)
            entries.value.push_back(value);
        out.source.explicitZeros += !pattern && value == 0 ? 1 : 0;
    };
    for (std::int64_t col = 0; col < m_cols; ++col) {
        for (std::int64_t k = m_pointers[static_cast<std::size_t>(col)] - 1;
             k < m_pointers[static_cast<std::size_t>(col) + 1] - 1; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::int32_t row = m_row[at], column = static_cast<std::int32_t>(col);
            const double value = pattern ? 1 : m_values[at];
            if (skew && row == column && value != 0)
                return failAt(
                    m_name, 0,
                    fmt::format("the diagonal entry ({}, {}) of a skew-symmetric matrix must be zero",
                                row + 1, column + 1));
            if (entries.row.size() >= 2147483646)
                return failAt(m_name, 0, "the matrix has more than 2147483647 entries");
            add(row, column, value);
            if ((symmetric || skew) && row != column)
                add(column, row, skew ? -value : value);
        }
    }
    out.source.format = "harwell-boeing";
    out.source.storage = "csc";
    out.source.field = pattern ? "pattern" : m_type[0] == 'i' ? "integer" : "real";
    out.source.symmetry = symmetric ? "symmetric" : skew ? "skew-symmetric" : "general";
    out.source.storedEntries = m_count;
    out.source.seededValues = pattern;
    SPARSERL_TRY(out.matrix,
                 assembleChecked(m_name, static_cast<std::int32_t>(m_rows), static_cast<std::int32_t>(m_cols),
                                 std::move(entries), out.source.duplicates));
    if (pattern)
        fillSeededValues(out.matrix, symmetric ? ValueSymmetry::Symmetric : ValueSymmetry::General);
    return out;
}

} // namespace

bool looksHarwell(std::string_view head)
{
    const auto lines = firstLines(head, 4);
    std::string type;
    std::vector<std::int64_t> cards, numbers;
    return lines.size() == 4 && numbersOf(lines[1], cards) && cards.size() >= 3 && cards.size() <= 5 &&
           isTypeLine(lines[2], type, numbers) && lines[3].starts_with('(');
}

Result<MatrixFile> readHarwell(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                               ReadWarnings& warnings)
{
    HarwellParser parser(blocks.name(), memory, warnings);
    std::string_view block = first;
    while (!block.empty()) {
        SPARSERL_CHECK(parser.feed(block, blocks.endsOpen()));
        SPARSERL_TRY(block, blocks.next(TextBlocks::Cut::Lines));
    }
    return parser.finish();
}

} // namespace sparserl
