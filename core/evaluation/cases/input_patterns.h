// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "target/numbers.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

class InputRange;

/// Vectors with an order that random ones never have: elements that are alike, or related to their neighbours
/// or to the other columns. Solvers, graph algorithms and estimators multiply by such.
enum class InputPattern : std::uint8_t
{
    Nothing,     ///< Zeros, of one sign or of both.
    Negative,    ///< As in Random, all below 0.
    Mask,        ///< 0 and 1.
    Signs,       ///< One magnitude, random signs.
    FewValues,   ///< Two or three numbers.
    Repeated,    ///< The same two to sixteen numbers over and over.
    Steps,       ///< Runs of one number each.
    Ascending,   ///< In order.
    Descending,  ///< In order, the largest first.
    Counting,    ///< a + b j for small integers.
    Integers,    ///< Below 100, without 0.
    Exception,   ///< One number everywhere but in one place.
    Outlier,     ///< As in Random, but one element is as large as it may be.
    LastOctave,  ///< The same, and above the highest power of two where no row can feel it.
    Alternating, ///< Signs take turns.
    EverySecond, ///< Zero at every second place.
    EveryKth,    ///< Zero at every k-th place only, or everywhere else.
    ZeroRun,     ///< A quarter or more of all, in a row, is zero.
    Peak,        ///< One element whose largest product is just below that power, else zeros.
    Full,     ///< All of one sign, and as large as sums of products allow: sums of x itself leave the range.
    Extremes, ///< Zero but for the columns of the smallest value and of two others of the smallest and
              ///< largest.
    Brim,     ///< Of one sign, as large as the row of the largest values allows: with the same power of two
              ///< everywhere, or one number. What is factored out of the values leaves the range.
    ColumnBrim, ///< The same, times the inverse of each column's size.
    LoneSmall,  ///< Few elements, with products around or below the smallest normal number, else zeros.
    // Solvers and iterations multiply by what they took from the matrix.
    Diagonal,        ///< Its diagonal.
    InverseDiagonal, ///< The inverse of its diagonal, as of a Jacobi step; 1 where that is 0.
    ValuesInOrder,   ///< Its first values.
    RowOfMatrix,     ///< Its first, last or longest row.
    RowSums,         ///< A times ones.
    InverseRowSums,  ///< The inverse of that.
    Composed,        ///< By a recipe whose choices are drawn (InputRecipe).
    // Relations between the columns of B.
    ColumnSizes,    ///< Columns of other orders of magnitude.
    ColumnsMissing, ///< Some columns are zero.
    ColumnsCopied,  ///< Neighbours are alike.
    ColumnsOpposite ///< One is the other with the other sign.
};
inline constexpr std::size_t inputPatternCount = 35;

std::string_view nameOf(InputPattern pattern);

/// Of one vector, or of so many columns of B.
std::vector<InputPattern> inputPatterns(std::int64_t columns);

/// cols x columns elements, row-major: finite, and within the range.
Numbers patternedVector(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
