// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/input_patterns.h"

#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/input_recipes.h"
#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace sparserl {

namespace {

constexpr std::size_t columnPatterns = 4; ///< The last ones.

/// Elements of one vector after another.
class Pattern
{
public:
    Pattern(const InputRange& range, std::int64_t columns, Rng& rng)
        : m_range(range)
        , m_cols(static_cast<std::size_t>(range.columns()))
        , m_columns(static_cast<std::size_t>(columns))
        , m_rng(rng)
        , m_x(range.format().type, m_cols * m_columns)
    {
    }

    void make(InputPattern pattern)
    {
        if (m_cols == 0)
            return;
        if (pattern == InputPattern::Composed) {
            const auto columns = static_cast<std::int64_t>(m_columns);
            m_x = recipeVector(drawRecipe(columns, m_rng), m_range, columns, m_rng);
            return;
        }
        if (static_cast<std::size_t>(pattern) >= inputPatternCount - columnPatterns)
            return relate(pattern);
        for (std::size_t j = 0; j < m_columns; ++j)
            column(pattern, j);
    }
    Numbers take() { return std::move(m_x); }

private:
    double at(std::size_t row, std::size_t j) const { return m_x[row * m_columns + j]; }
    void set(std::size_t row, std::size_t j, double value) { m_x.set(row * m_columns + j, value); }
    const NumberFormat& format() const { return m_range.format(); }
    double magnitude() { return plainMagnitude(m_rng.next(), format().digits); }
    double plain() { return plainNumber(m_rng, format().digits); }

    /// A number below 2^bits, times the same power of two wherever it stands.
    double common(double value, int bits = 1) const
    {
        return format().rounded(std::ldexp(
            value, std::min({m_range.shift(), m_range.mostExponent(), m_range.lowestHighest() - bits})));
    }
    double ordinary(std::size_t row, double value) const
    {
        return format().rounded(
            std::ldexp(value, std::min({m_range.shift(), m_range.mostExponent(), m_range.highest(row) - 1})));
    }
    double zero() { return m_rng.next() & 1 ? -0.0 : 0.0; }

    void fill(std::size_t j, const std::function<double(std::size_t)>& element)
    {
        for (std::size_t row = 0; row < m_cols; ++row)
            set(row, j, element(row));
    }
    std::vector<double> numbers(std::int64_t least, std::int64_t most)
    {
        std::vector<double> found;
        for (std::int64_t left = m_rng.between(least, most); left > 0; --left)
            found.push_back(common(plain()));
        return found;
    }
    std::size_t below(std::size_t n)
    {
        return static_cast<std::size_t>(m_rng.below(std::max<std::size_t>(n, 1)));
    }

    void column(InputPattern pattern, std::size_t j)
    {
        switch (pattern) {
        case InputPattern::Nothing: {
            const auto signs = m_rng.below(3);
            return fill(j, [&](std::size_t) { return signs == 0 ? 0.0 : signs == 1 ? -0.0 : zero(); });
        }
        case InputPattern::Negative:
            return fill(j, [&](std::size_t row) { return ordinary(row, -magnitude()); });
        case InputPattern::Mask: {
            const double share = m_rng.uniform(0.1, 0.9);
            return fill(j, [&](std::size_t) { return m_rng.chance(share) ? common(1) : 0.0; });
        }
        case InputPattern::Signs: {
            const double one = m_rng.next() & 1 ? common(1) : common(magnitude());
            return fill(j, [&](std::size_t) { return m_rng.next() & 1 ? -one : one; });
        }
        case InputPattern::FewValues: {
            const auto values = numbers(2, 3);
            return fill(j, [&](std::size_t) { return values[below(values.size())]; });
        }
        case InputPattern::Repeated: {
            const auto values = numbers(2, 16);
            return fill(j, [&](std::size_t row) { return values[row % values.size()]; });
        }
        case InputPattern::Steps: {
            const std::size_t length = 3 + below(m_cols / 8);
            double value = 0;
            return fill(j,
                        [&](std::size_t row) { return row % length == 0 ? value = common(plain()) : value; });
        }
        case InputPattern::Ascending:
        case InputPattern::Descending:
            return ordered(pattern == InputPattern::Descending, j);
        case InputPattern::Counting: {
            const auto first =
                static_cast<double>(m_rng.next() & 1 ? m_rng.between(0, 1) : m_rng.between(-99, 99));
            const double step = m_rng.next() & 1 ? 1 : static_cast<double>(m_rng.between(1, 9)) - 10;
            const int bits = 8 + static_cast<int>(std::ceil(std::log2(static_cast<double>(m_cols) * 10)));
            return fill(
                j, [&](std::size_t row) { return common(first + step * static_cast<double>(row), bits); });
        }
        case InputPattern::Integers:
            return fill(j, [&](std::size_t) {
                const auto value = static_cast<double>(m_rng.between(1, 99));
                return common(m_rng.next() & 1 ? -value : value, 7);
            });
        case InputPattern::Exception: {
            const double one = m_rng.next() & 1 ? common(1) : common(plain());
            fill(j, [&](std::size_t) { return one; });
            const double other = m_rng.next() & 1 ? -one : 0.5 * one;
            set(used(), j, other);
            return;
        }
        case InputPattern::Outlier:
        case InputPattern::LastOctave:
            return outlier(pattern == InputPattern::LastOctave, j);
        case InputPattern::Full: {
            const double sign = m_rng.next() & 1 ? -1 : 1;
            return fill(j, [&](std::size_t row) {
                return format().rounded(std::ldexp(sign * m_rng.uniform(1, 1.999), m_range.highest(row) - 1));
            });
        }
        case InputPattern::Brim: {
            const double sign = m_rng.next() & 1 ? -1 : 1, one = m_rng.uniform(1, 1.999);
            const bool alike = m_rng.next() & 1;
            return fill(j, [&](std::size_t) {
                return format().rounded(
                    std::ldexp(sign * (alike ? one : m_rng.uniform(1, 1.999)), m_range.brim() - 1));
            });
        }
        case InputPattern::ColumnBrim: {
            const double sign = m_rng.next() & 1 ? -1 : 1;
            return fill(j, [&](std::size_t row) {
                const int exponent = std::min(m_range.columnBrim() - m_range.size(row), format().highest);
                return format().rounded(std::ldexp(sign * m_rng.uniform(1, 1.999), exponent - 1));
            });
        }
        case InputPattern::LoneSmall:
            return loneSmall(j);
        case InputPattern::Extremes: {
            fill(j, [&](std::size_t) { return zero(); });
            const auto& extremes = m_range.extremes();
            for (std::size_t left = extremes.empty() ? 0 : 3; left > 0; --left) {
                const auto row = static_cast<std::size_t>(extremes[left == 3 ? 0 : below(extremes.size())]);
                set(row, j, std::copysign(ordinary(row, 1), plain()));
            }
            return;
        }
        case InputPattern::Diagonal:
        case InputPattern::InverseDiagonal:
            return fromMatrix(m_range.diagonal(), pattern == InputPattern::InverseDiagonal, j);
        case InputPattern::RowSums:
        case InputPattern::InverseRowSums:
            return fromMatrix(m_range.rowSums(), pattern == InputPattern::InverseRowSums, j);
        case InputPattern::ValuesInOrder:
            return fromMatrix(m_range.firstValues(), false, j);
        case InputPattern::RowOfMatrix: {
            Numbers row(format().type, m_cols);
            const auto& rows = m_range.rows();
            if (!rows.empty())
                for (const auto& [column, value] : rows[below(rows.size())])
                    row.set(static_cast<std::size_t>(column), value);
            return fromMatrix(row, false, j);
        }
        case InputPattern::Peak: {
            fill(j, [&](std::size_t) { return 0.0; });
            const std::size_t row = used();
            const double value =
                std::ldexp(m_rng.uniform(1.5, 2), m_range.mostExponent()) / m_range.largest(row);
            set(row, j, std::min(value, format().largest()));
            return;
        }
        case InputPattern::Alternating: {
            const bool odd = m_rng.next() & 1, alike = m_rng.below(4) == 0;
            const double one = magnitude();
            return fill(j, [&](std::size_t row) {
                const double value = alike ? one : magnitude();
                return ordinary(row, (row % 2 == 1) == odd ? -value : value);
            });
        }
        case InputPattern::EverySecond:
        case InputPattern::EveryKth: {
            const std::size_t k = pattern == InputPattern::EverySecond ? 2 : 3 + below(6), first = below(k);
            const bool others = m_rng.next() & 1;
            return fill(j, [&](std::size_t row) {
                return (row % k == first) != others ? zero() : ordinary(row, plain());
            });
        }
        case InputPattern::ZeroRun: {
            const std::size_t length = m_cols / 4 + 1 + below(m_cols / 2),
                              first = below(m_cols - std::min(length, m_cols) + 1);
            return fill(j, [&](std::size_t row) {
                return row >= first && row < first + length ? zero() : ordinary(row, plain());
            });
        }
        default:
            return;
        }
    }

    /// Equal to what it is taken from where that is in the range, else all of it times a power of two.
    /// Further columns of B begin elsewhere, or are all alike.
    void fromMatrix(const Numbers& source, bool inverse, std::size_t j)
    {
        const std::size_t first = j > 0 && m_rng.next() & 1 ? below(m_cols) : 0;
        std::vector<double> values(m_cols);
        int above = 0;
        for (std::size_t row = 0; row < m_cols; ++row) {
            const std::size_t at = (row + first) % m_cols;
            double value = at < source.size() ? source[at] : 0;
            if (inverse)
                value = value == 0 || !std::isfinite(1 / value) ? 1 : 1 / value;
            values[row] = value; // The inverse of a small one may be beyond the format until it is scaled.
            int exponent = 0;
            std::frexp(values[row], &exponent);
            if (values[row] != 0)
                above = std::max(above, exponent - std::min(m_range.highest(row), m_range.mostExponent()));
        }
        fill(j, [&](std::size_t row) { return format().rounded(std::ldexp(values[row], -above)); });
    }

    /// Of columns as few as let products stand alone in their rows. Half of the elements are small
    /// themselves, whatever the values are, the others where they are multiplied.
    void loneSmall(std::size_t j)
    {
        fill(j, [&](std::size_t) { return 0.0; });
        const double share = 1 / std::max(1.0, m_range.entryLength());
        const auto element = [&](std::size_t row) {
            const auto wanted =
                static_cast<int>(m_rng.between(format().lowest + 4, format().lowestNormal + 24));
            const int exponent = m_rng.next() & 1 ? wanted : wanted - m_range.size(row);
            const int allowed = std::min({exponent, m_range.mostExponent(), m_range.highest(row) - 1});
            const double digits = m_rng.next() & 1 ? std::copysign(1.0, plain()) : plain();
            return format().rounded(std::ldexp(digits, std::max(allowed, format().lowest + 2)));
        };
        for (const std::int32_t row : m_range.usedColumns())
            if (m_rng.chance(share))
                set(static_cast<std::size_t>(row), j, element(static_cast<std::size_t>(row)));
        const std::size_t one = used();
        set(one, j, element(one));
    }

    void ordered(bool descending, std::size_t j)
    {
        const bool oneSign = m_rng.next() & 1, negative = m_rng.next() & 1;
        std::vector<double> values(m_cols);
        for (double& value : values) {
            value = common(plain());
            if (oneSign)
                value = negative ? -std::abs(value) : std::abs(value);
        }
        std::sort(values.begin(), values.end());
        if (descending)
            std::reverse(values.begin(), values.end());
        fill(j, [&](std::size_t row) { return values[row]; });
    }

    /// A column that has entries, where there is one.
    std::size_t used()
    {
        const auto& columns = m_range.usedColumns();
        return columns.empty() ? below(m_cols) : static_cast<std::size_t>(columns[below(columns.size())]);
    }

    void outlier(bool last, std::size_t j)
    {
        fill(j, [&](std::size_t row) { return ordinary(row, plain()); });
        std::vector<std::size_t> roomy;
        for (std::size_t row = 0; last && row < m_cols; ++row)
            if (m_range.highest(row) > format().highest)
                roomy.push_back(row);
        const std::size_t row = roomy.empty() ? used() : roomy[below(roomy.size())];
        const double value =
            roomy.empty()
                ? std::ldexp(magnitude(), std::min(m_range.mostExponent(), m_range.highest(row) - 1))
            : m_rng.next() & 1 ? format().largest()
                               : std::ldexp(m_rng.uniform(0.55, 0.99), format().highest + 1);
        set(row, j, m_rng.next() & 1 ? -value : value);
    }

    void relate(InputPattern pattern)
    {
        std::vector<int> sizes(m_columns);
        std::vector<bool> missing(m_columns);
        for (std::size_t j = 0; j < m_columns; ++j) {
            sizes[j] = pattern == InputPattern::ColumnSizes ? static_cast<int>(j % 8) * -14 : 0;
            missing[j] = pattern == InputPattern::ColumnsMissing && m_rng.next() & 1;
        }
        m_rng.shuffle(sizes);
        if (pattern == InputPattern::ColumnsMissing) { // One at least, and not all.
            const std::size_t one = below(m_columns);
            missing[one] = true;
            missing[(one + 1) % m_columns] = false;
        }
        for (std::size_t row = 0; row < m_cols; ++row)
            for (std::size_t j = 0; j < m_columns; ++j) {
                const double value = ordinary(row, plain());
                set(row, j, missing[j] ? zero() : sizes[j] != 0 ? std::ldexp(value, sizes[j]) : value);
                if (j % 2 == 1 && pattern == InputPattern::ColumnsCopied)
                    set(row, j, at(row, j - 1));
                if (j % 2 == 1 && pattern == InputPattern::ColumnsOpposite)
                    set(row, j, -at(row, j - 1));
            }
    }

    const InputRange& m_range;
    std::size_t m_cols, m_columns;
    Rng& m_rng;
    Numbers m_x;
};

} // namespace

std::string_view nameOf(InputPattern pattern)
{
    constexpr std::array<std::string_view, inputPatternCount> names{"nothing",
                                                                    "negative",
                                                                    "mask",
                                                                    "signs",
                                                                    "few values",
                                                                    "repeated",
                                                                    "steps",
                                                                    "ascending",
                                                                    "descending",
                                                                    "counting",
                                                                    "integers",
                                                                    "exception",
                                                                    "outlier",
                                                                    "last octave",
                                                                    "alternating",
                                                                    "every second",
                                                                    "every k-th",
                                                                    "zero run",
                                                                    "peak",
                                                                    "full",
                                                                    "extremes",
                                                                    "brim",
                                                                    "column brim",
                                                                    "lone small",
                                                                    "diagonal",
                                                                    "inverse diagonal",
                                                                    "values in order",
                                                                    "row of the matrix",
                                                                    "row sums",
                                                                    "inverse row sums",
                                                                    "composed",
                                                                    "column sizes",
                                                                    "columns missing",
                                                                    "columns copied",
                                                                    "columns opposite"};
    return names[static_cast<std::size_t>(pattern)];
}

std::vector<InputPattern> inputPatterns(std::int64_t columns)
{
    std::vector<InputPattern> patterns;
    for (std::size_t i = 0; i < inputPatternCount - (columns > 1 ? 0 : columnPatterns); ++i)
        patterns.push_back(static_cast<InputPattern>(i));
    return patterns;
}

Numbers patternedVector(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng)
{
    Pattern made(range, columns, rng);
    made.make(pattern);
    return made.take();
}

} // namespace sparserl
