// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "target/numbers.h"

#include <cstdint>
#include <vector>

namespace sparserl {

class InputRange;

/// How a vector is made, by choices that have nothing to do with each other: users multiply by vectors of
/// many distributions, orders and scales, and no list of them is complete. The first of each is as in Random.
struct InputRecipe
{
    enum class Sizes : std::uint8_t
    {
        Plain,        ///< In [0.5, 1.5).
        Uniform,      ///< In [0, 1).
        Normal,       ///< Normally distributed.
        LogNormal,    ///< Over some orders of magnitude.
        Powers,       ///< Powers of two.
        Counts,       ///< 0 to 5.
        Thousands,    ///< Integers up to 9999.
        Ranks,        ///< 1 to n, each once.
        Octave,       ///< In [1, 2).
        Same,         ///< One number of 24 bits.
        One,          ///< 1.
        OneOrNothing, ///< 0 and 1.
        Harmonic,     ///< 1 / (j + 1).
        Halving       ///< 1, 1/2, 1/4, ..., again from 1 after 2^-100.
    };
    enum class SignRule : std::uint8_t
    {
        Random,
        Positive,
        Negative,
        FewNegative, ///< One in a hundred.
        FewPositive  ///< One in a hundred.
    };
    enum class ZeroRule : std::uint8_t
    {
        None,
        One,              ///< A single one.
        Few,              ///< One in ninety to one in five.
        Half,             ///< At random places.
        Rectified,        ///< Instead of negative numbers.
        LastHalf,         ///< From the middle on.
        FirstHalf,        ///< Up to the middle.
        ButMiddle,        ///< Everywhere but in a third or less around the middle.
        LastHalfNegative, ///< From the middle on, all of them -0.
        AllButTwo
    };
    enum class Place : std::uint8_t
    {
        Any,
        Mirrored,      ///< The same from both ends.
        Antisymmetric, ///< The same, with the other sign.
        Pairs,         ///< Neighbours are equal.
        OppositePairs, ///< Neighbours add up to zero.
        Halves,        ///< The second half is smaller.
        LargerHalf,    ///< The second half is larger.
        Interleaved,   ///< Every second element is smaller, by a factor of 256 at least.
        Decaying,      ///< By a factor from one to the next.
        Growing,       ///< The same from the other end.
        Periodic,      ///< The same 17 to 64 numbers over and over.
        SignRuns,      ///< Signs change after 2 to 9 elements.
        Ramp,          ///< In proportion to the number of the element.
        Wave,          ///< Of a sine.
        Outliers,      ///< Three to nine are a thousand times as large.
        AscendingRuns, ///< In order for 16 to 100 elements, then from a small one again.
        ZeroGroups     ///< Each group of three to eight adds up to zero, exactly.
    };
    enum class Scale : std::uint8_t
    {
        One,
        Thousand,
        Millionth,  ///< 2^-20.
        Power,      ///< Some power of two.
        Any,        ///< Some number.
        Normalised, ///< The squares add up to 1.
        Hundreds    ///< Around 300, all alike but for a tenth, or for their last digits.
    };
    enum class Digits : std::uint8_t
    {
        All,
        Half, ///< 11 bits.
        Brain ///< 8 bits: bfloat16.
    };
    enum class Columns : std::uint8_t
    {
        Own,          ///< Each by itself.
        OneHot,       ///< One element of each row is 1.
        OneOfRow,     ///< One element of each row is not zero.
        ZeroRow,      ///< A row of B is zero.
        OnesFirst,    ///< The first is 1, as for a constant term.
        CopiedFar,    ///< Columns come again after two or more.
        ScaledCopies, ///< The first times a power of two, and the next one, and so on.
        Multiples,    ///< Some multiples of the first.
        OneSigned,    ///< All positive but one, which is negative.
        OneSparse,    ///< One is mostly zero.
        OneWide,      ///< One spans many orders of magnitude.
        OnlyOne,      ///< All others are zero.
        Identity,     ///< One element of each row is 1: that of the row's number.
        SumToOne,     ///< Rows of B are positive and add up to 1.
        SortedRows,   ///< Rows of B are in order.
        Shifted,      ///< Each column is the one before, one element on.
        SomeConstant, ///< Some hold one number each.
        AlikeInRows   ///< All elements of a row of B are equal.
    };
    Sizes sizes = Sizes::Plain;
    SignRule signs = SignRule::Random;
    ZeroRule zeros = ZeroRule::None;
    Place place = Place::Any;
    Scale scale = Scale::One;
    Digits digits = Digits::All;
    Columns columns = Columns::Own;
    /// Details (which column, how many zeros, how large a step) are drawn, of this part of so many of what
    /// can be drawn: parts that follow each other leave no large gap.
    std::uint8_t part = 0, parts = 1;

    friend bool operator==(const InputRecipe&, const InputRecipe&) = default;
};

/// Those that differ from Random by one choice, and all sizes without signs; those about columns of B where
/// there are several.
std::vector<InputRecipe> singleRecipes(std::int64_t columns);

/// All of those; what has details once for each part of them.
std::vector<InputRecipe> everyRecipe(std::int64_t columns);

/// Each choice by lot, most of them as in Random.
InputRecipe drawRecipe(std::int64_t columns, Rng& rng);

/// cols x columns elements, row-major: finite, and within the range.
Numbers recipeVector(const InputRecipe& recipe, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
