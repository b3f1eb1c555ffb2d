// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/input_kinds.h"

#include "evaluation/cases/aligned_input.h"
#include "evaluation/cases/input_recipes.h"
#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace sparserl {

namespace {

double zero(Rng& rng)
{
    return rng.next() & 1 ? -0.0 : 0.0;
}

/// Elements of x one by one, for each kind.
class Maker
{
public:
    Maker(const InputRange& range, std::int64_t columns, Rng& rng)
        : m_range(range)
        , m_format(range.format())
        , m_columns(columns)
        , m_rng(rng)
        , m_x(range.format().type, static_cast<std::size_t>(range.columns() * columns))
    {
    }

    void make(InputKind kind)
    {
        switch (kind) {
        case InputKind::Random:
            return fill([&](std::size_t column) { return ordinary(column); });
        case InputKind::Octaves:
            return octaves();
        case InputKind::Wide:
            return wide();
        case InputKind::Balanced:
            return fill([&](std::size_t column) { return balanced(column); });
        case InputKind::Sparse:
            return sparse();
        case InputKind::Unit:
            return unit();
        case InputKind::Constant:
            return constant();
        case InputKind::Positive:
            return fill([&](std::size_t column) {
                return scaled(plainMagnitude(m_rng.next(), m_format.digits), column, m_range.shift());
            });
        case InputKind::Huge:
            return fill([&](std::size_t column) {
                return scaled(plain(), column, m_range.mostExponent() - static_cast<int>(m_rng.below(3)));
            });
        case InputKind::Ones:
            return same(m_range.lowestHighest() >= 1 ? 1.0 : std::ldexp(1.0, m_range.lowestHighest() - 1));
        case InputKind::Tiny:
            return byColumn([&](std::size_t column) {
                return m_format.lowestNormal - m_range.size(column) + static_cast<int>(m_rng.between(-8, 8));
            });
        case InputKind::Subnormal:
            return byColumn([&](std::size_t) {
                return static_cast<int>(m_rng.between(m_format.lowest + 2, m_format.lowestNormal - 2));
            });
        case InputKind::Zeros:
            return fill([&](std::size_t column) {
                const double value = ordinary(column);
                return m_rng.next() & 1 ? zero(m_rng) : value;
            });
        case InputKind::AlikeColumns:
            return alikeColumns();
        case InputKind::Patterned: {
            const auto patterns = inputPatterns(m_columns);
            const bool composed = m_rng.below(3) == 0;
            m_x = patternedVector(composed ? InputPattern::Composed : patterns[m_rng.below(patterns.size())],
                                  m_range, m_columns, m_rng);
            return;
        }
        }
    }

    /// A region as timed calls have it.
    void disguise()
    {
        const auto cols = static_cast<std::uint64_t>(m_range.columns());
        if (cols < 2)
            return;
        const bool plainly = m_rng.next() & 1;
        const int scale = octaveScale();
        const auto part = 1 + m_rng.below(std::max<std::uint64_t>(cols / 4, 1));
        const auto where = m_rng.below(4);
        const std::uint64_t stride = 2 + m_rng.below(std::max<std::uint64_t>(cols / 16, 1));
        for (std::uint64_t column = 0; column < cols; ++column) {
            const bool begins = column < part, ends = column >= cols - part;
            if (where == 0 ? begins : where == 1 ? ends : where == 2 ? begins || ends : column % stride == 0)
                for (std::int64_t j = 0; j < m_columns; ++j)
                    set(column, j, plainly ? ordinary(column) : octave(column, scale));
        }
    }

    Numbers take() { return std::move(m_x); }

private:
    void set(std::size_t column, std::int64_t j, double value)
    {
        m_x.set(column * static_cast<std::size_t>(m_columns) + static_cast<std::size_t>(j), value);
    }
    double plain() { return plainNumber(m_rng, m_format.digits); }

    /// `value` is below 2 in magnitude.
    double scaled(double value, std::size_t column, int exponent) const
    {
        return std::ldexp(value, std::min({exponent, m_range.mostExponent(), m_range.highest(column) - 1}));
    }

    template <typename Element>
    void fill(const Element& element)
    {
        for (std::size_t i = 0; i < m_x.size(); ++i)
            m_x.set(i, element(i / static_cast<std::size_t>(m_columns)));
    }

    void same(double value)
    {
        fill([&](std::size_t) { return value; });
    }

    void wide()
    {
        const int most = m_format.comfortable;
        const std::array spreads{most / 12, most / 4, most / 2, most};
        const int spread = spreads[m_rng.below(spreads.size())];
        const bool alike = m_rng.next() & 1, ofElements = m_rng.next() & 1;
        for (std::size_t column = 0; column < static_cast<std::size_t>(m_range.columns()); ++column) {
            const int about = alike ? -m_range.size(column) : m_range.shift();
            const auto drawn = [&] {
                return std::max(about + static_cast<int>(m_rng.between(-spread, spread)),
                                m_format.lowest + 10);
            };
            const int exponent = drawn();
            for (std::int64_t j = 0; j < m_columns; ++j)
                set(column, j, scaled(plain(), column, ofElements ? drawn() : exponent));
        }
    }

    /// The size of all elements of Octaves beside those of Random.
    int octaveScale()
    {
        return static_cast<int>(m_rng.between(-m_format.comfortable / 4, m_format.comfortable / 4));
    }
    double octave(std::size_t column, int scale)
    {
        const auto below = static_cast<int>(m_rng.below(static_cast<std::uint64_t>(m_format.digits) / 6));
        return scaled(plain(), column, std::max(m_range.shift() + scale - below, m_format.lowest + 10));
    }
    void octaves()
    {
        const int scale = octaveScale();
        fill([&](std::size_t column) { return octave(column, scale); });
    }

    /// As in Random, and as in Balanced.
    double ordinary(std::size_t column) { return scaled(plain(), column, m_range.shift()); }
    double balanced(std::size_t column) { return scaled(plain(), column, -m_range.size(column)); }

    void sparse()
    {
        fill([&](std::size_t) { return zero(m_rng); });
        const auto& used = m_range.usedColumns();
        if (used.empty())
            return;
        const bool alike = m_rng.next() & 1;
        // Half of them are powers of two: where a row has one product, all bits of the value show.
        const auto element = [&](std::size_t column) {
            const double value = m_rng.next() & 1 ? std::copysign(1.0, plain()) : plain();
            return scaled(value, column, alike ? -m_range.size(column) : m_range.shift());
        };
        // A few columns of them all, or one entry in a row of the mean length, in the row that an entry is
        // most likely in, or in the longest one: terms of long rows are alone as well.
        const std::array lengths{static_cast<double>(used.size()) / 4, m_range.meanLength(),
                                 m_range.entryLength(), static_cast<double>(m_range.longest())};
        const double share = 1 / std::max(1.0, lengths[m_rng.below(lengths.size())]);
        for (std::int64_t j = 0; j < m_columns; ++j) {
            for (const std::int32_t column : used)
                if (m_rng.chance(share))
                    set(static_cast<std::size_t>(column), j, element(static_cast<std::size_t>(column)));
            const auto one = static_cast<std::size_t>(used[m_rng.below(used.size())]);
            set(one, j, element(one));
        }
    }

    void unit()
    {
        same(0);
        const auto& used = m_range.usedColumns();
        const int exponent = m_rng.next() & 1 ? static_cast<int>(m_rng.between(-20, 20)) : 0;
        for (std::int64_t j = 0; j < m_columns && !used.empty(); ++j) {
            const auto one = static_cast<std::size_t>(used[m_rng.below(used.size())]);
            set(one, j, scaled(1, one, exponent + m_range.shift()));
        }
    }

    /// Of few bits: the same number with many, added again and again, is rounded the same way each time, and
    /// a serial sum then errs by far more than others.
    void constant()
    {
        const auto digit = static_cast<double>(1 + m_rng.below(7));
        const int exponent =
            std::min(m_range.shift() + static_cast<int>(m_rng.between(-4, 4)), m_range.lowestHighest() - 3);
        const int clamped = std::clamp(exponent, m_format.lowestNormal, m_format.highest - 7);
        same((m_rng.next() & 1 ? -digit : digit) * std::ldexp(1.0, clamped));
    }

    template <typename Exponent>
    void byColumn(const Exponent& exponentOf)
    {
        for (std::size_t column = 0; column < static_cast<std::size_t>(m_range.columns()); ++column) {
            const int exponent = exponentOf(column);
            for (std::int64_t j = 0; j < m_columns; ++j)
                set(column, j, scaled(plain(), column, std::max(exponent, m_format.lowest + 2)));
        }
    }

    void alikeColumns()
    {
        for (std::size_t column = 0; column < static_cast<std::size_t>(m_range.columns()); ++column) {
            const double value = ordinary(column);
            for (std::int64_t j = 0; j < m_columns; ++j)
                set(column, j, value);
        }
    }

    const InputRange& m_range;
    const NumberFormat& m_format;
    std::int64_t m_columns;
    Rng& m_rng;
    Numbers m_x;
};

bool randomSigns(InputKind kind)
{
    return kind != InputKind::Constant && kind != InputKind::Ones && kind != InputKind::Positive &&
           kind != InputKind::Unit && kind != InputKind::Patterned;
}

} // namespace

bool hasDisguise(InputKind kind)
{
    return kind != InputKind::Random && kind != InputKind::Octaves && kind != InputKind::Balanced &&
           kind != InputKind::Unit && kind != InputKind::Ones && kind != InputKind::AlikeColumns &&
           kind != InputKind::Patterned;
}

std::string_view nameOf(InputKind kind)
{
    constexpr std::array<std::string_view, inputKindCount> names{
        "random",   "octaves", "wide", "balanced",  "sparse", "unit",          "constant", "ones",
        "positive", "huge",    "tiny", "subnormal", "zeros",  "alike columns", "patterned"};
    return names[static_cast<std::size_t>(kind)];
}

namespace {

/// The few values that come first in some order, with their columns.
template <typename Before>
class Firsts
{
public:
    void see(double value, std::int32_t column)
    {
        if (m_found.size() == few && !Before()(value, m_found.back().first))
            return;
        if (m_found.size() == few)
            m_found.pop_back();
        m_found.insert(std::upper_bound(m_found.begin(), m_found.end(), value,
                                        [](double a, const auto& b) { return Before()(a, b.first); }),
                       {value, column});
    }
    void appendColumns(std::vector<std::int32_t>& columns) const
    {
        for (const auto& [value, column] : m_found)
            columns.push_back(column);
    }

private:
    static constexpr std::size_t few = 4;
    std::vector<std::pair<double, std::int32_t>> m_found;
};

/// The largest e for which rows with so large a sum of magnitudes stay within the format when each of them is
/// multiplied by less than 2^e.
int brimOf(long double largestRow, const NumberFormat& format)
{
    int exponent = 0;
    std::frexp(largestRow, &exponent); // largestRow <= 2^exponent
    return largestRow > 0 ? std::min(format.highest - exponent, format.highest) : format.highest;
}

/// What one pass over the entries of a matrix finds.
struct Entries
{
    struct Column
    {
        double largest = 0;       ///< Magnitude of an entry.
        std::int32_t longest = 1; ///< Length of a row that has an entry here.
    };
    std::vector<Column> columns;
    std::vector<std::int32_t> extremes; ///< Columns of the smallest and of the greatest magnitudes.
    std::int32_t longestRow = 0;
    double squares = 0;         ///< Sum of the squared row lengths.
    long double largestRow = 0; ///< Sum of magnitudes. Wider than the format, where it may not fit.
};

template <typename Value>
Entries survey(const Csr& matrix, const std::vector<Value>& values)
{
    Entries found;
    found.columns.resize(static_cast<std::size_t>(matrix.cols));
    Firsts<std::less<>> smallest;
    Firsts<std::greater<>> greatest;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const std::int32_t length = matrix.rowLength(row);
        found.longestRow = std::max(found.longestRow, length);
        found.squares += static_cast<double>(length) * static_cast<double>(length);
        const auto from = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
        long double sum = 0;
        for (std::size_t at = from; at < from + static_cast<std::size_t>(length); ++at) {
            const auto magnitude = static_cast<double>(std::abs(values[at]));
            sum += magnitude;
            Entries::Column& column = found.columns[static_cast<std::size_t>(matrix.col[at])];
            column.largest = std::max(column.largest, magnitude);
            column.longest = std::max(column.longest, length);
            if (magnitude > 0) {
                smallest.see(magnitude, matrix.col[at]);
                greatest.see(magnitude, matrix.col[at]);
            }
        }
        found.largestRow = std::max(found.largestRow, sum);
    }
    smallest.appendColumns(found.extremes);
    greatest.appendColumns(found.extremes);
    return found;
}

/// The largest sum of magnitudes of a row whose entries are divided by 2^size of their columns.
template <typename Value>
long double largestScaledRow(const Csr& matrix, const std::vector<Value>& values,
                             const std::vector<std::int16_t>& size)
{
    // Exact, as std::ldexp is, and many times as fast.
    constexpr int most = 1100;
    std::vector<long double> powers;
    for (int exponent = -most; exponent <= most; ++exponent)
        powers.push_back(std::ldexp(1.0L, -exponent));
    long double largest = 0;
    for (std::size_t row = 0; row + 1 < matrix.rowPtr.size(); ++row) {
        long double sum = 0;
        for (auto at = static_cast<std::size_t>(matrix.rowPtr[row]);
             at < static_cast<std::size_t>(matrix.rowPtr[row + 1]); ++at)
            sum += static_cast<long double>(std::abs(values[at])) *
                   powers[static_cast<std::size_t>(size[static_cast<std::size_t>(matrix.col[at])] + most)];
        largest = std::max(largest, sum);
    }
    return largest;
}

} // namespace

void InputRange::takeFrom(const Csr& matrix)
{
    const auto cols = static_cast<std::size_t>(matrix.cols);
    for (Numbers* numbers : {&m_diagonal, &m_firstValues, &m_rowSums})
        *numbers = Numbers(matrix.type, cols);
    for (std::size_t at = 0; at < std::min(cols, matrix.col.size()); ++at)
        m_firstValues.set(at, matrix.value(at));
    std::int32_t first = -1, last = -1, longest = -1;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const std::int32_t length = matrix.rowLength(row);
        if (length == 0)
            continue;
        first = first < 0 ? row : first;
        last = row;
        longest = longest < 0 || length > matrix.rowLength(longest) ? row : longest;
        const auto place = static_cast<std::size_t>(row);
        if (place >= cols)
            continue;
        long double sum = 0; // Wider than the type: infinities of both signs would add up to NaN.
        for (auto at = static_cast<std::size_t>(matrix.rowPtr[place]);
             at < static_cast<std::size_t>(matrix.rowPtr[place + 1]); ++at) {
            sum += matrix.value(at);
            if (matrix.col[at] == row)
                m_diagonal.set(place, matrix.value(at));
        }
        // Sums of the largest numbers leave the type.
        const auto largest = static_cast<long double>(m_format.largest());
        m_rowSums.set(place, static_cast<double>(std::clamp(sum, -largest, largest)));
    }
    for (const std::int32_t row : {first, last, longest}) {
        if (row < 0)
            continue;
        auto& entries = m_rows.emplace_back();
        for (auto at = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]); ++at)
            entries.emplace_back(matrix.col[at], matrix.value(at));
    }
}

InputRange InputRange::of(const Csr& matrix)
{
    InputRange range;
    range.m_format = NumberFormat::of(matrix.type);
    range.takeFrom(matrix);
    const Entries entries = visitValues(matrix, [&](const auto& values) { return survey(matrix, values); });
    range.m_longest = entries.longestRow;
    range.m_extremes = entries.extremes;
    const auto count = static_cast<double>(std::max<std::int64_t>(matrix.nnz(), 1));
    range.m_meanLength =
        static_cast<double>(matrix.nnz()) / static_cast<double>(std::max<std::int32_t>(matrix.rows, 1));
    range.m_entryLength = entries.squares / count;

    const int most = range.m_format.highest + 1, roomy = range.m_format.highest;
    const auto cols = static_cast<std::size_t>(matrix.cols);
    range.m_lowestHighest = roomy;
    range.m_highest.assign(cols, most);
    range.m_size.assign(cols, 0);
    range.m_largest = Numbers(matrix.type, cols);
    std::vector<std::int16_t> sizes;
    for (std::size_t column = 0; column < cols; ++column) {
        const auto [largest, longest] = entries.columns[column];
        range.m_largest.set(column, 1);
        if (!(largest > 0))
            continue;
        int exponent = 0;
        std::frexp(largest, &exponent);
        range.m_largest.set(column, largest);
        range.m_used.push_back(static_cast<std::int32_t>(column));
        range.m_size[column] = static_cast<std::int16_t>(exponent);
        const int lengthBits = static_cast<int>(std::ceil(std::log2(static_cast<double>(longest))));
        range.m_highest[column] = static_cast<std::int16_t>(std::min(most, roomy - lengthBits - exponent));
        range.m_lowestHighest = std::min<int>(range.m_lowestHighest, range.m_highest[column]);
        sizes.push_back(range.m_size[column]);
    }
    const long double largestScaled = visitValues(
        matrix, [&](const auto& values) { return largestScaledRow(matrix, values, range.m_size); });
    range.m_brim = brimOf(entries.largestRow, range.m_format);
    range.m_columnBrim = brimOf(largestScaled, range.m_format);
    if (!sizes.empty()) {
        const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
        std::nth_element(sizes.begin(), middle, sizes.end());
        range.m_shift = std::abs(*middle) > range.m_format.comfortable
                            ? std::clamp(-*middle, -range.mostExponent(), range.mostExponent())
                            : 0;
    }
    return range;
}

Input makeInput(InputKind kind, const InputRange& range, std::int64_t columns, Rng& rng, Disguise disguise)
{
    Input input;
    input.kind = kind;
    Maker maker(range, columns, rng);
    maker.make(kind);
    const bool disguised = disguise == Disguise::Always || (disguise == Disguise::ByLot && rng.next() & 1);
    if (disguised && hasDisguise(kind))
        maker.disguise();
    input.x = maker.take();
    input.signs = randomSigns(kind) ? Signs::Random : Signs::Any;
    return input;
}

Input patternedInput(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng)
{
    return {InputKind::Patterned, patternedVector(pattern, range, columns, rng), Signs::Any};
}

Input timedInput(const InputRange& range, std::int64_t columns, Rng& rng)
{
    return makeInput(timedKinds[rng.below(timedKinds.size())], range, columns, rng);
}

std::vector<InputKind> specialKinds(std::int64_t columns, Rng& rng)
{
    std::vector<InputKind> kinds;
    for (std::size_t i = timedKinds.size(); i < inputKindCount; ++i)
        if (const auto kind = static_cast<InputKind>(i); columns > 1 || kind != InputKind::AlikeColumns)
            kinds.push_back(kind);
    rng.shuffle(kinds);
    return kinds;
}

std::vector<Input> specialInputs(std::size_t count, const InputRange& range, std::int64_t columns, Rng& rng)
{
    std::vector<Input> inputs;
    for (const InputKind kind : specialKinds(columns, rng))
        if (inputs.size() < count)
            inputs.push_back(makeInput(kind, range, columns, rng));
    return inputs;
}

std::vector<Input> everySpecialInput(const InputRange& range, std::int64_t columns, Rng& rng,
                                     std::size_t most)
{
    std::vector<std::function<Input()>> makers; // All vectors at once may be many times what is wanted.
    for (const InputKind kind : specialKinds(columns, rng)) {
        if (kind == InputKind::Patterned) {
            for (const InputPattern pattern : inputPatterns(columns))
                makers.emplace_back([&, pattern] { return patternedInput(pattern, range, columns, rng); });
            for (const InputRecipe& recipe : everyRecipe(columns))
                makers.emplace_back([&, kind, recipe] {
                    return Input{kind, recipeVector(recipe, range, columns, rng), Signs::Any};
                });
            continue;
        }
        makers.emplace_back([&, kind] { return makeInput(kind, range, columns, rng, Disguise::Never); });
        if (hasDisguise(kind))
            makers.emplace_back([&, kind] { return makeInput(kind, range, columns, rng, Disguise::Always); });
    }
    if (canBeAligned(range))
        makers.emplace_back([&] { return alignedInput(range, columns, rng); });
    if (most < makers.size()) {
        rng.shuffle(makers);
        makers.resize(most);
    }
    std::vector<Input> inputs;
    inputs.reserve(makers.size());
    for (const auto& make : makers)
        inputs.push_back(make());
    return inputs;
}

} // namespace sparserl
