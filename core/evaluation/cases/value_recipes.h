// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// How the values of a matrix are made, by choices that have nothing to do with each other: no list of kinds
/// of matrices is complete. The first of each is as in ValueKind::Random. As InputRecipe is for vectors.
struct ValueRecipe
{
    enum class Sizes : std::uint8_t
    {
        Plain,        ///< In [0.5, 1.5).
        Octave,       ///< In [1, 2).
        LogNormal,    ///< Over some orders of magnitude.
        Powers,       ///< Powers of two, of several exponents.
        OneToFive,    ///< Integers.
        Thousands,    ///< Integers up to 9999.
        Multiples,    ///< Of 2, 3, 4, 5 or 10.
        BeyondExact,  ///< Integers that are so large that not all neighbours are numbers of the type.
        Tenths,       ///< With one digit after the point.
        Hundredths,   ///< With two digits after the point.
        Lattice,      ///< Multiples of 1/256, up to 1.
        Same,         ///< One number everywhere.
        TwoNumbers,   ///< One of two.
        OneOrNothing, ///< 0 and 1.
        OfRows,       ///< One number for each row.
        Ranks,        ///< 1 to the number of entries, each once.
        Rows,         ///< The number of the row, from 0.
        RowsFromOne,  ///< The same, from 1.
        Columns,      ///< The number of the column, from 0.
        ColumnsFromOne,
        Positions, ///< The number of the entry, from 0.
        PositionsFromOne,
        Distances,  ///< Of the entry from the diagonal.
        Lengths,    ///< Of the row.
        Stencil,    ///< 2, 4, 6 or 8 on the diagonal, else -1, as of differences on a grid.
        FivePoints, ///< 4 on the diagonal, else -1: the commonest one.
        Degrees,    ///< The number of the row's other entries on the diagonal, else -1, as of a graph.
        Hilbert,    ///< 1 / (row + column + 1).
        Doubling,   ///< Each twice the one before in its row, up to 2^60.
        Halving,    ///< Each half the one before in its row, down to 2^-60.
        Fading      ///< exp(-(distance from the diagonal / 1 to 30)^2 / 2), 2^-60 at least.
    };
    enum class SignRule : std::uint8_t
    {
        AsUsual, ///< By lot; positive ones of what counts something, or as it is.
        Random,
        Positive,
        Negative,
        FewNegative, ///< One in a hundred.
        FewPositive, ///< One in a hundred.
        Alternating, ///< From entry to entry.
        AlternatingInRows,
        Triangles,  ///< Positive above the diagonal, negative below.
        OffDiagonal ///< Positive on the diagonal, else negative.
    };
    enum class ZeroRule : std::uint8_t
    {
        None,
        Few,         ///< One in ten.
        Half,        ///< At random places.
        Mostly,      ///< All but one in a hundred, and but one.
        OddRows,     ///< Every second row.
        FirstHalf,   ///< The rows of the first half.
        LastHalf,    ///< The rows of the last half.
        Upper,       ///< Above the diagonal.
        OffDiagonal, ///< Everywhere but on the diagonal.
        ButOneRow,
        ButOneColumn,
        ButOneEntry,
        NegativeZeros ///< All are -0.
    };
    enum class Order : std::uint8_t
    {
        Any,
        AscendingInRows,
        DescendingInRows,
        SmallerInRows, ///< By magnitude.
        LargerInRows,  ///< By magnitude.
        Descending,    ///< From the first entry to the last.
        LastsLarge,    ///< The last of each row outweighs all before it.
        Symmetric,     ///< Entry (i, j) is entry (j, i), where both are there.
        OppositePairs, ///< Every second entry is the one before with the other sign.
        EqualPairs,    ///< Every second entry is the one before.
        Antisymmetric, ///< Entry (i, j) is entry (j, i) with the other sign, where both are there.
        Periodic       ///< The same 16 to 128 numbers over and over.
    };
    enum class Scale : std::uint8_t
    {
        One,
        Thousand,
        Millionth, ///< 2^-20.
        Any,       ///< Some number.
        Top,       ///< The largest ones are among the largest numbers of the type.
        Bottom     ///< All are subnormal.
    };
    enum class Digits : std::uint8_t
    {
        All,
        Half,  ///< 11 bits.
        Brain, ///< 8 bits: bfloat16.
        Eighth ///< 4 bits: of numbers of one byte.
    };
    enum class Units : std::uint8_t
    {
        None,
        Either, ///< Some are a unit in the last place off all that (moveByUnits): nearly numbers of few bits.
        Outwards ///< The same, all larger in magnitude.
    };
    Sizes sizes = Sizes::Plain;
    SignRule signs = SignRule::AsUsual;
    ZeroRule zeros = ZeroRule::None;
    Order order = Order::Any;
    Scale scale = Scale::One;
    Digits digits = Digits::All;
    Units units = Units::None;

    /// May sums of x leave the range where sums of products do not?
    bool isSmall() const { return scale == Scale::Millionth || scale == Scale::Bottom; }
    /// May a part of a value times x be lost where the product is not?
    bool isLarge() const { return scale == Scale::Thousand || scale == Scale::Top; }
    /// Is little left to add in most rows? Such matrices say little about sums.
    bool isSparser() const { return zeros >= ZeroRule::Mostly; }

    friend bool operator==(const ValueRecipe&, const ValueRecipe&) = default;
};

/// Those that differ from Random by one choice, positive ones of sizes that have signs, and what many entries
/// share in both directions of scale: a program may take it out of their sum. What has few bits or few
/// numbers also nearly so: a program may keep it in less.
std::vector<ValueRecipe> singleValueRecipes();

/// Each choice by lot, most of them as in Random.
ValueRecipe drawValueRecipe(Rng& rng);

/// The pattern with such values, in its type: finite ones.
Csr withRecipe(const Csr& pattern, const ValueRecipe& recipe, Rng& rng);

} // namespace sparserl
