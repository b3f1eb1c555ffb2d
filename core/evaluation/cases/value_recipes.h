// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// A recipe for the values of a matrix, which combines independent choices, because no fixed list of kinds is
/// complete. The first value of each choice is as in ValueKind::Random. The counterpart for vectors is
/// InputRecipe.
struct ValueRecipe
{
    enum class Sizes : std::uint8_t
    {
        Plain,        ///< In [0.5, 1.5).
        Octave,       ///< In [1, 2).
        LogNormal,    ///< Over several orders of magnitude.
        Powers,       ///< Powers of two with several exponents.
        OneToFive,    ///< Integers from 1 to 5.
        Thousands,    ///< Integers up to 9999.
        Multiples,    ///< Multiples of 2, 3, 4, 5 or 10.
        BeyondExact,  ///< Integers so large that not all adjacent integers are representable.
        Tenths,       ///< With one decimal place.
        Hundredths,   ///< With two decimal places.
        Lattice,      ///< Multiples of 1/256, up to 1.
        Same,         ///< One number everywhere.
        TwoNumbers,   ///< One of two numbers.
        OneOrNothing, ///< 0 or 1.
        OfRows,       ///< One number per row.
        Ranks,        ///< A permutation of 1 to the number of entries.
        Rows,         ///< The row index, from 0.
        RowsFromOne,  ///< The row index, from 1.
        Columns,      ///< The column index, from 0.
        ColumnsFromOne,
        Positions, ///< The entry index, from 0.
        PositionsFromOne,
        Distances,  ///< The entry's distance from the diagonal.
        Lengths,    ///< The length of the entry's row.
        Stencil,    ///< 2, 4, 6 or 8 on the diagonal, otherwise -1, as in finite differences on a grid.
        FivePoints, ///< 4 on the diagonal, otherwise -1: the most common stencil.
        Degrees,    ///< On the diagonal, the number of the row's other entries; otherwise -1, as in a graph
                    ///< Laplacian.
        Hilbert,    ///< 1 / (row + column + 1).
        Doubling,   ///< Each value is twice the previous one in its row, up to 2^60.
        Halving,    ///< Each value is half the previous one in its row, down to 2^-60.
        Fading      ///< exp(-(distance from the diagonal / 1 to 30)^2 / 2), at least 2^-60.
    };
    enum class SignRule : std::uint8_t
    {
        AsUsual, ///< Random signs, but positive for counts, and unchanged for sizes that have signs.
        Random,
        Positive,
        Negative,
        FewNegative, ///< One in a hundred is negative.
        FewPositive, ///< One in a hundred is positive.
        Alternating, ///< Alternating from entry to entry.
        AlternatingInRows,
        Triangles,  ///< Positive above the diagonal, negative below.
        OffDiagonal ///< Positive on the diagonal, otherwise negative.
    };
    enum class ZeroRule : std::uint8_t
    {
        None,
        Few,         ///< One in ten is zero.
        Half,        ///< Half of the values, at random places.
        Mostly,      ///< All values are zero except one, and one in a hundred of the others.
        OddRows,     ///< Every second row is zero.
        FirstHalf,   ///< The first half of the rows is zero.
        LastHalf,    ///< The last half of the rows is zero.
        Upper,       ///< Zero above the diagonal.
        OffDiagonal, ///< Zero everywhere except on the diagonal.
        ButOneRow,
        ButOneColumn,
        ButOneEntry,
        NegativeZeros ///< All zeros are -0.
    };
    enum class Order : std::uint8_t
    {
        Any,
        AscendingInRows,
        DescendingInRows,
        SmallerInRows, ///< Ascending magnitudes within rows.
        LargerInRows,  ///< Descending magnitudes within rows.
        Descending,    ///< Descending from the first entry to the last.
        LastsLarge,    ///< The last value of each row outweighs all the others.
        Symmetric,     ///< Entry (i, j) equals entry (j, i) if both exist.
        OppositePairs, ///< Every second entry is the negative of the previous one.
        EqualPairs,    ///< Every second entry equals the previous one.
        Antisymmetric, ///< Entry (i, j) is the negative of entry (j, i) if both exist.
        Periodic       ///< A repeating sequence of 16 to 128 numbers.
    };
    enum class Scale : std::uint8_t
    {
        One,
        Thousand,
        Millionth, ///< 2^-20.
        Any,       ///< A random number.
        Top,       ///< The largest values are near the largest number of the type.
        Bottom     ///< All values are subnormal.
    };
    enum class Digits : std::uint8_t
    {
        All,
        Half,  ///< 11 bits.
        Brain, ///< 8 bits: bfloat16.
        Eighth ///< 4 bits, as in numbers of one byte.
    };
    enum class Units : std::uint8_t
    {
        None,
        Either,  ///< Some values differ by a unit in the last place (moveByUnits), so they are almost numbers
                 ///< of few bits.
        Outwards ///< The same, always towards larger magnitudes.
    };
    Sizes sizes = Sizes::Plain;
    SignRule signs = SignRule::AsUsual;
    ZeroRule zeros = ZeroRule::None;
    Order order = Order::Any;
    Scale scale = Scale::One;
    Digits digits = Digits::All;
    Units units = Units::None;

    /// Returns whether sums of x may overflow although sums of products do not.
    bool isSmall() const { return scale == Scale::Millionth || scale == Scale::Bottom; }
    /// Returns whether a part of a value, times x, may underflow although the product does not.
    bool isLarge() const { return scale == Scale::Thousand || scale == Scale::Top; }
    /// Returns whether most rows have few non-zero values. Such matrices test sums poorly.
    bool isSparser() const { return zeros >= ZeroRule::Mostly; }

    friend bool operator==(const ValueRecipe&, const ValueRecipe&) = default;
};

/// Returns the recipes that differ from Random in one choice, sizes with random signs also as positive
/// numbers, and recipes in which many entries share a value also with a large and a small scale, because a
/// program may factor such values out of the sum. Recipes with few bits or few numbers also occur slightly
/// perturbed, because a program may store such values in a narrower format.
std::vector<ValueRecipe> singleValueRecipes();

/// Returns a recipe of random choices, most of which are as in Random.
ValueRecipe drawValueRecipe(Rng& rng);

/// Returns the pattern with values of this recipe, in its type. All values are finite.
Csr withRecipe(const Csr& pattern, const ValueRecipe& recipe, Rng& rng);

} // namespace sparserl
