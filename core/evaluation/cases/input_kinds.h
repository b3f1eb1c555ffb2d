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

/// Kinds of x (or B). The tests on every matrix, including the target itself, use all kinds; timed calls use
/// only timedKinds.
enum class InputKind : std::uint8_t
{
    Random,    ///< Random signs, magnitudes in [0.5, 1.5) (scaled if the matrix's values are tiny or huge).
    Octaves,   ///< The same, each element times one of a few powers of two, with a common scale.
    Wide,      ///< As Random, times a power of two per row of B or per element.
    Balanced,  ///< As Random, divided by the largest value of each column: products have about equal
               ///< magnitudes.
    Sparse,    ///< Zero except for a few columns, so that rows have single non-zero products.
    Unit,      ///< A power of two for one column of the matrix, 0 for the others.
    Constant,  ///< The same number with few bits everywhere.
    Ones,      ///< 1 everywhere.
    Positive,  ///< As Random, but all positive.
    Huge,      ///< As large as the row sums allow.
    Tiny,      ///< Products are near the smallest normal number.
    Subnormal, ///< All elements are below the smallest normal number.
    Zeros,     ///< Half of the elements are zeros of either sign.
    AlikeColumns, ///< All columns of B are equal; as Random if B has one column.
    Patterned     ///< A vector with one of the patterns of InputPattern.
};
inline constexpr std::size_t inputKindCount = 15;
/// The kinds of timed calls. Their vectors are dense and have random signs and finite products, so a program
/// is as fast on them as on any other input. No element is so small that its products vanish below the error
/// bound of a row (with the values of withTimedValues()), so a program cannot skip work for small elements.
/// Wide and Balanced are therefore excluded.
inline constexpr std::array timedKinds{InputKind::Random, InputKind::Octaves};

std::string_view nameOf(InputKind kind);

/// Limits for x in the matrix's format. They ensure that no sum of a row's products overflows in any order:
/// |x_j| < 2^highest, where 2^highest times the column's largest |a_ij|, times the length of the longest row
/// with an entry in the column, is the format's highest power of two. For larger sums, the order of summation
/// would decide whether the result is infinite.
class InputRange
{
public:
    static InputRange of(const Csr& matrix);

    const NumberFormat& format() const { return m_format; }
    /// Returns the largest e for which 1.5 times 2^e is finite.
    int mostExponent() const { return m_format.highest - 1; }
    std::int64_t columns() const { return static_cast<std::int64_t>(m_highest.size()); }
    int highest(std::size_t column) const { return m_highest[column]; }
    int lowestHighest() const { return m_lowestHighest; } ///< The lowest limit of all columns.
    /// Returns the largest |a_ij| of a column; 1 if the column has only zeros.
    double largest(std::size_t column) const { return m_largest[column]; }
    /// Returns the exponent of the largest value of a column: |a_ij| < 2^size. 0 if the column has only
    /// zeros.
    int size(std::size_t column) const { return m_size[column]; }
    /// Returns the exponent for x that brings most products near 1 if the matrix's values are very small or
    /// large (see NumberFormat); otherwise 0.
    int shift() const { return m_shift; }
    /// Returns an exponent: if |x_j| < 2^brim for every column, no row's sum of magnitudes exceeds the
    /// format's highest power of two.
    int brim() const { return m_brim; }
    /// The same for |x_j| < 2^(columnBrim - size(j)).
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
    /// Returns the columns of the few smallest non-zero values, in ascending order of the values, and of the
    /// few largest.
    const std::vector<std::int32_t>& extremes() const { return m_extremes; }
    // Vectors that users derive from a matrix and multiply with it. They have one element per column, with
    // zeros at the end where the matrix has too few elements.
    const Numbers& diagonal() const { return m_diagonal; }
    const Numbers& firstValues() const { return m_firstValues; }
    const Numbers& rowSums() const { return m_rowSums; } ///< A times a vector of ones, in the matrix's type.
    /// Returns the first, the last and the longest non-empty row, as pairs of column and value.
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

/// A vector (cols x columns elements, row-major), and what the oracle must know about it.
struct Input
{
    InputKind kind = InputKind::Random;
    Numbers x;
    Signs signs = Signs::Random;
};

/// Creates a vector of one pattern.
Input patternedInput(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng);

/// Whether a region of a vector (the beginning, the end, both, or every k-th element) looks as in Random. A
/// program that inspects only that region then learns nothing about the rest.
enum class Disguise
{
    ByLot, ///< In half of the cases, at random.
    Never,
    Always
};
/// Returns false for kinds in which all elements must be alike.
bool hasDisguise(InputKind kind);

/// Creates a vector of this kind. No element is infinite or NaN.
Input makeInput(InputKind kind, const InputRange& range, std::int64_t columns, Rng& rng,
                Disguise disguise = Disguise::ByLot);

/// Creates a vector of one of timedKinds, at random.
Input timedInput(const InputRange& range, std::int64_t columns, Rng& rng);

/// Returns the kinds outside timedKinds in random order.
std::vector<InputKind> specialKinds(std::int64_t columns, Rng& rng);

/// Creates inputs of `count` different special kinds, or of all if there are fewer.
std::vector<Input> specialInputs(std::size_t count, const InputRange& range, std::int64_t columns, Rng& rng);
/// Creates inputs of all special kinds, with and without a disguise, inputs of every pattern, and an aligned
/// input if possible; at most `most` inputs.
std::vector<Input> everySpecialInput(const InputRange& range, std::int64_t columns, Rng& rng,
                                     std::size_t most = SIZE_MAX);

} // namespace sparserl
