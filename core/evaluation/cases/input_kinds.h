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

/// Kinds of x (or B). Tests of every matrix, and the target itself, use all of them; timed calls use only
/// timedKinds.
enum class InputKind : std::uint8_t
{
    Random,       ///< Random sign, magnitude in [0.5, 1.5) (scaled if the values are tiny or huge).
    Octaves,      ///< The same over a few powers of two, each element separately, with a common scale.
    Wide,         ///< The same times a power of two per row of B, or per element.
    Balanced,     ///< The same divided by the largest value of each column: products have equal magnitude.
    Sparse,       ///< Zero except in a few columns, so rows have single non-zero products.
    Unit,         ///< A power of two in one column, 0 in the others.
    Constant,     ///< One number with few bits everywhere.
    Ones,         ///< 1 everywhere.
    Positive,     ///< As Random, without signs.
    Huge,         ///< As large as the row sums allow.
    Tiny,         ///< With products near the smallest normal number.
    Subnormal,    ///< Below the smallest normal number.
    Zeros,        ///< Half of the elements are zeros of either sign.
    AlikeColumns, ///< Columns of B are equal; as Random for a single column.
    Patterned     ///< One of InputPattern.
};
inline constexpr std::size_t inputKindCount = 15;
/// The kinds of timed calls. Their vectors are dense and have random signs and finite products, so a program
/// is as fast on them as on any other input. No element is so small that its products vanish below the error
/// bound of a row (with withTimedValues), so a program cannot skip work for small elements. Kinds that are
/// wide, or that balance the magnitudes of values, are therefore excluded.
inline constexpr std::array timedKinds{InputKind::Random, InputKind::Octaves};

std::string_view nameOf(InputKind kind);

/// Limits for x in the matrix's format, chosen so that no sum of products of a row, in any order, overflows:
/// |x_j| < 2^highest, where 2^highest times the largest |a_ij| and the longest row of the column is the
/// format's highest power of two. For larger sums, the order of summation would decide whether the result is
/// infinite.
class InputRange
{
public:
    static InputRange of(const Csr& matrix);

    const NumberFormat& format() const { return m_format; }
    int mostExponent() const { return m_format.highest - 1; } ///< 1.5 times 2^this is finite.
    std::int64_t columns() const { return static_cast<std::int64_t>(m_highest.size()); }
    int highest(std::size_t column) const { return m_highest[column]; }
    int lowestHighest() const { return m_lowestHighest; } ///< The lowest limit over all columns.
    /// The largest |a_ij| of a column; 1 if the column has only zeros.
    double largest(std::size_t column) const { return m_largest[column]; }
    /// Exponent of the largest value of a column: |a_ij| < 2^size. 0 if the column has only zeros.
    int size(std::size_t column) const { return m_size[column]; }
    /// Exponent that brings most products near 1 if values are not comfortable (NumberFormat); otherwise 0.
    int shift() const { return m_shift; }
    /// With x below 2^brim in every column, no row's sum of magnitudes exceeds the format's highest power of
    /// two.
    int brim() const { return m_brim; }
    /// The same for x_j below 2^(columnBrim - size(j)).
    int columnBrim() const { return m_columnBrim; }
    double meanLength() const { return m_meanLength; } ///< Mean row length.
    double entryLength() const
    {
        return m_entryLength;
    } ///< Length of an entry's row, averaged over all entries.
    std::int32_t longest() const { return m_longest; } ///< Length of the longest row.
    const std::vector<std::int32_t>& usedColumns() const
    {
        return m_used;
    } ///< Columns with a non-zero value.
    /// Columns of the few smallest non-zero values, smallest first, and of the few largest.
    const std::vector<std::int32_t>& extremes() const { return m_extremes; }
    // Vectors that users derive from a matrix and multiply it by, one element per column; 0 beyond their
    // length.
    const Numbers& diagonal() const { return m_diagonal; }
    const Numbers& firstValues() const { return m_firstValues; }
    const Numbers& rowSums() const { return m_rowSums; } ///< In the matrix's type.
    /// The first, the last and the longest non-empty row: columns and values.
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

/// A vector (cols x columns elements, row-major) with the information that its oracle needs.
struct Input
{
    InputKind kind = InputKind::Random;
    Numbers x;
    Signs signs = Signs::Random;
};

/// A vector of one pattern.
Input patternedInput(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng);

/// Whether a region of a vector (the beginning, the end, both, or every k-th element) is as in Random. A
/// program that inspects that region then learns nothing about the rest.
enum class Disguise
{
    ByLot, ///< In half of the cases.
    Never,
    Always
};
/// False for kinds that require all elements to be alike.
bool hasDisguise(InputKind kind);

/// A vector of this kind. No element is infinite or NaN.
Input makeInput(InputKind kind, const InputRange& range, std::int64_t columns, Rng& rng,
                Disguise disguise = Disguise::ByLot);

/// One of timedKinds, at random.
Input timedInput(const InputRange& range, std::int64_t columns, Rng& rng);

/// The kinds outside timedKinds, in random order.
std::vector<InputKind> specialKinds(std::int64_t columns, Rng& rng);

/// Inputs of `count` different special kinds, or of all.
std::vector<Input> specialInputs(std::size_t count, const InputRange& range, std::int64_t columns, Rng& rng);
/// Inputs of all special kinds, with and without a disguise, of every pattern, and an aligned input if
/// possible.
std::vector<Input> everySpecialInput(const InputRange& range, std::int64_t columns, Rng& rng,
                                     std::size_t most = SIZE_MAX);

} // namespace sparserl
