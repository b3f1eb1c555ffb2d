// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "target/numbers.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

class InputRange;

/// Vectors with a structure that random vectors never have: elements are equal, or related to their
/// neighbours or to other columns. Solvers, graph algorithms and estimators multiply by such vectors.
enum class InputPattern : std::uint8_t
{
    Nothing,     ///< All elements are zeros, of one sign or both.
    Negative,    ///< As in Random, but all negative.
    Mask,        ///< Elements are 0 or 1.
    Signs,       ///< All elements have one magnitude and random signs.
    FewValues,   ///< All elements are one of two or three numbers.
    Repeated,    ///< A repeating sequence of two to sixteen numbers.
    Steps,       ///< Each run of elements has one number.
    Ascending,   ///< Elements are in ascending order.
    Descending,  ///< Elements are in descending order.
    Counting,    ///< a + b j, with small integers a and b.
    Integers,    ///< Integers other than 0, with magnitudes below 100.
    Exception,   ///< One number everywhere except in one place.
    Outlier,     ///< As in Random, with one element as large as allowed.
    LastOctave,  ///< As Outlier, but the element exceeds the highest power of two if a column's limit allows
                 ///< it.
    Alternating, ///< Alternating signs.
    EverySecond, ///< Every second element is zero.
    EveryKth,    ///< Every k-th element is zero, or all others are.
    ZeroRun,     ///< A contiguous part, at least a quarter, is zero.
    Peak,     ///< One element whose largest product is just below the highest power of two; zeros elsewhere.
    Full,     ///< All elements have one sign and are as large as the sums of products allow. Sums of x itself
              ///< overflow.
    Extremes, ///< Zero except for the columns of the smallest value and of two others among the smallest and
              ///< largest values.
    Brim,     ///< All elements have one sign and are as large as the row with the largest values allows. They
          ///< have a common power of two, or are all equal. A program that factors out the values overflows.
    ColumnBrim, ///< As Brim, divided by the magnitude of each column.
    LoneSmall,  ///< A few elements with products near or below the smallest normal number; zeros elsewhere.
    // Solvers and iterations multiply by vectors derived from the matrix.
    Diagonal,        ///< The diagonal of the matrix.
    InverseDiagonal, ///< The inverse diagonal, as in a Jacobi step; 1 where the diagonal is 0.
    ValuesInOrder,   ///< The first values of the matrix.
    RowOfMatrix,     ///< The first, last or longest row of the matrix.
    RowSums,         ///< The matrix times a vector of ones.
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

/// Returns the patterns for one vector or, if `columns` > 1, for B with so many columns.
std::vector<InputPattern> inputPatterns(std::int64_t columns);

/// Creates a vector: cols x columns elements, row-major, finite and within the range.
Numbers patternedVector(InputPattern pattern, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
