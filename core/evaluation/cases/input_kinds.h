// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "evaluation/cases/input_patterns.h"
#include "evaluation/cases/oracle.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

/// What x (or B) may be like. Tests of every matrix, and the target itself, draw from all of them; what is
/// timed draws from those of timedKinds.
enum class InputKind : std::uint8_t
{
    Random,       ///< Random sign, magnitude in [0.5, 1.5) (scaled where the values are tiny or huge).
    Octaves,      ///< The same over a few powers of two, each element by itself, at a scale of all.
    Wide,         ///< The same times a power of two for each row of B, or for each element.
    Balanced,     ///< The same over the largest value of each column: products are alike.
    Sparse,       ///< Zero but for few columns, so that rows meet single entries.
    Unit,         ///< One column is a power of two, the others 0.
    Constant,     ///< One number of few bits everywhere.
    Ones,         ///< 1 everywhere.
    Positive,     ///< As Random, without signs.
    Huge,         ///< As large as the sums of the rows may be.
    Tiny,         ///< With products around the smallest normal number.
    Subnormal,    ///< Below the smallest normal number.
    Zeros,        ///< Half of it zeros of either sign.
    AlikeColumns, ///< Columns of B are equal; as Random for a single one.
    Patterned     ///< One of InputPattern.
};
inline constexpr std::size_t inputKindCount = 15;
/// Dense, finite products and random signs: a program is as fast on them as on anything. No element is so
/// small that its products vanish below the error bound of a row (with withTimedValues): a program may not
/// leave out work for that. So what is wide, or balances the sizes of values, is not among them.
inline constexpr std::array timedKinds{InputKind::Random, InputKind::Octaves};

std::string_view nameOf(InputKind kind);

/// Of a format, which is the matrix's: how large the elements of x may be so that no sum of products of a
/// row, in any order, leaves it: |x_j| < 2^highest, where 2^highest times the largest |a_ij| and the longest
/// row of the column is the format's highest power of two. An order of summation would decide whether a
/// larger sum is infinite.
class InputRange
{
public:
    static InputRange of(const Csr& matrix);

    const NumberFormat& format() const { return m_format; }
    int mostExponent() const { return m_format.highest - 1; } ///< 1.5 times 2^this is finite.
    std::int64_t columns() const { return static_cast<std::int64_t>(m_highest.size()); }
    int highest(std::size_t column) const { return m_highest[column]; }
    int lowestHighest() const { return m_lowestHighest; } ///< Of all columns.
    /// The largest |a_ij| of a column; 1 where there is none but zeros.
    double largest(std::size_t column) const { return m_largest[column]; }
    /// Exponent of the largest value of a column: |a_ij| < 2^size. 0 where there is none but zeros.
    int size(std::size_t column) const { return m_size[column]; }
    /// Exponent that brings most products near 1 where values are not comfortable (NumberFormat); else 0.
    int shift() const { return m_shift; }
    /// x below 2^brim in every column leaves no row's sum of magnitudes above the format's highest power.
    int brim() const { return m_brim; }
    /// The same of x_j below 2^(columnBrim - size(j)).
    int columnBrim() const { return m_columnBrim; }
    double meanLength() const { return m_meanLength; } ///< Of the rows.
    double entryLength() const
    {
        return m_entryLength;
    } ///< Of the row of an entry, in the mean of all entries.
    std::int32_t longest() const { return m_longest; }                      ///< Length of the longest row.
    const std::vector<std::int32_t>& usedColumns() const { return m_used; } ///< With a value that is not 0.
    /// Columns of the few smallest values that are not 0, the smallest first, and of the few largest.
    const std::vector<std::int32_t>& extremes() const { return m_extremes; }
    // What users take from a matrix and multiply it by, an element a column; 0 beyond what there is.
    const Numbers& diagonal() const { return m_diagonal; }
    const Numbers& firstValues() const { return m_firstValues; }
    const Numbers& rowSums() const { return m_rowSums; } ///< As numbers of the matrix's type.
    /// The first, the last and the longest row that have entries: columns and values.
    const std::vector<std::vector<std::pair<std::int32_t, double>>>& rows() const { return m_rows; }

private:
    void takeFrom(const Csr& matrix);

    NumberFormat m_format;
    std::vector<std::int16_t> m_highest, m_size;
    Numbers m_largest, m_diagonal, m_firstValues, m_rowSums;
    std::vector<std::vector<std::pair<std::int32_t, double>>> m_rows;
    std::vector<std::int32_t> m_used, m_extremes;
    int m_lowestHighest = 127, m_shift = 0, m_brim = 127, m_columnBrim = 127;
    double m_meanLength = 0, m_entryLength = 0;
    std::int32_t m_longest = 0;
};

/// A vector (cols x columns elements, row-major) and what its oracle must know.
struct Input
{
    InputKind kind = InputKind::Random;
    Numbers x;
    Signs signs = Signs::Random;
};

/// A vector of one pattern.
Input patternedInput(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng);

/// Whether a region of a vector (the beginning, the end, both, or every k-th element) is as in Random: what a
/// program looks at then says nothing about the rest.
enum class Disguise
{
    ByLot, ///< Half of them.
    Never,
    Always
};
/// Has a kind that is only one where all elements are alike none?
bool hasDisguise(InputKind kind);

/// Never infinite, never NaN.
Input makeInput(InputKind kind, const InputRange& range, std::int64_t columns, Rng& rng,
                Disguise disguise = Disguise::ByLot);

/// One of timedKinds, by lot.
Input timedInput(const InputRange& range, std::int64_t columns, Rng& rng);

/// Those that are not in timedKinds, in random order.
std::vector<InputKind> specialKinds(std::int64_t columns, Rng& rng);

/// Of `count` different ones of them, or of all.
std::vector<Input> specialInputs(std::size_t count, const InputRange& range, std::int64_t columns, Rng& rng);
/// Of all of them, with and without a disguise, of every pattern, and an aligned one where it can be.
std::vector<Input> everySpecialInput(const InputRange& range, std::int64_t columns, Rng& rng,
                                     std::size_t most = SIZE_MAX);

} // namespace sparserl
