// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "target/numbers.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

class InputRange;

/// Vectors with structure that random ones never have: equal elements, or elements related to their
/// neighbours or to the other columns. Solvers, graph algorithms and estimators multiply by such vectors.
enum class InputPattern : std::uint8_t
{
    Nothing,     ///< Zeros, of one or both signs.
    Negative,    ///< As in Random, all below 0.
    Mask,        ///< 0 and 1.
    Signs,       ///< One magnitude, random signs.
    FewValues,   ///< Two or three numbers.
    Repeated,    ///< A repeating sequence of two to sixteen numbers.
    Steps,       ///< Runs of one number each.
    Ascending,   ///< In ascending order.
    Descending,  ///< In descending order.
    Counting,    ///< a + b j for small integers.
    Integers,    ///< Non-zero, below 100.
    Exception,   ///< One number everywhere except in one place.
    Outlier,     ///< As in Random, with one element as large as allowed.
    LastOctave,  ///< The same, and above the highest power of two where no row uses it.
    Alternating, ///< Alternating signs.
    EverySecond, ///< Zero at every second place.
    EveryKth,    ///< Zero at every k-th place only, or everywhere else.
    ZeroRun,     ///< A contiguous quarter or more is zero.
    Peak,     ///< One element whose largest product is just below the highest power of two; zeros elsewhere.
    Full,     ///< All of one sign and as large as the sums of products allow; sums of x itself overflow.
    Extremes, ///< Zero except in the columns of the smallest value and of two others among the smallest and
              ///< largest.
    Brim, ///< All of one sign and as large as the row with the largest values allows: numbers with a common
          ///< power of two, or a single number. A program that factors out the values overflows.
    ColumnBrim, ///< The same, times the inverse of each column's magnitude.
    LoneSmall,  ///< A few elements with products near or below the smallest normal number; zeros elsewhere.
    // Solvers and iterations multiply by vectors derived from the matrix.
    Diagonal,        ///< The diagonal.
    InverseDiagonal, ///< The inverse diagonal, as in a Jacobi step; 1 where the diagonal is 0.
    ValuesInOrder,   ///< The first values.
    RowOfMatrix,     ///< The first, last or longest row.
    RowSums,         ///< A times a vector of ones.
    InverseRowSums,  ///< The inverse of the row sums.
    Composed,        ///< A recipe with random choices (InputRecipe).
    // Relations between the columns of B.
    ColumnSizes,    ///< Columns of different magnitudes.
    ColumnsMissing, ///< Some columns are zero.
    ColumnsCopied,  ///< Adjacent columns are equal.
    ColumnsOpposite ///< One column is the negative of another.
};
inline constexpr std::size_t inputPatternCount = 35;

std::string_view nameOf(InputPattern pattern);

/// The patterns for one vector, or for `columns` columns of B.
std::vector<InputPattern> inputPatterns(std::int64_t columns);

/// cols x columns elements, row-major: finite, and within the range.
Numbers patternedVector(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
