// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "target/numbers.h"

#include <cstdint>
#include <vector>

namespace sparserl {

class InputRange;

/// A recipe for a vector, which combines independent choices. Users multiply with vectors of many
/// distributions, orders and scales, and no fixed list of vectors is complete. The first value of each choice
/// is as in InputKind::Random.
struct InputRecipe
{
    enum class Sizes : std::uint8_t
    {
        Plain,        ///< In [0.5, 1.5).
        Uniform,      ///< In [0, 1).
        Normal,       ///< Normally distributed.
        LogNormal,    ///< Over several orders of magnitude.
        Powers,       ///< Powers of two.
        Counts,       ///< Integers from 0 to 5.
        Thousands,    ///< Integers up to 9999.
        Ranks,        ///< A permutation of 1 to n.
        Octave,       ///< In [1, 2).
        Same,         ///< The same number of 24 bits everywhere.
        One,          ///< 1 everywhere.
        OneOrNothing, ///< 0 or 1.
        Harmonic,     ///< 1 / (j + 1).
        Halving       ///< 1, 1/2, 1/4, ...; restarts at 1 after 2^-100.
    };
    enum class SignRule : std::uint8_t
    {
        Random,
        Positive,
        Negative,
        FewNegative, ///< One in a hundred is negative.
        FewPositive  ///< One in a hundred is positive.
    };
    enum class ZeroRule : std::uint8_t
    {
        None,
        One,              ///< A single zero.
        Few,              ///< One element in ninety to one in five is zero.
        Half,             ///< At random places.
        Rectified,        ///< Negative numbers become zero.
        LastHalf,         ///< Zero from the middle to the end.
        FirstHalf,        ///< Zero from the beginning to the middle.
        ButMiddle,        ///< Zero except for a third or less around the middle.
        LastHalfNegative, ///< -0 from the middle to the end.
        AllButTwo
    };
    enum class Place : std::uint8_t
    {
        Any,
        Mirrored,      ///< Mirror-symmetric.
        Antisymmetric, ///< Mirror-symmetric with opposite signs.
        Pairs,         ///< Adjacent elements are equal.
        OppositePairs, ///< Adjacent elements sum to zero.
        Halves,        ///< The second half is smaller.
        LargerHalf,    ///< The second half is larger.
        Interleaved,   ///< Every second element is smaller, by a factor of at least 256.
        Decaying,      ///< Elements decrease by a constant factor.
        Growing,       ///< Elements increase by a constant factor.
        Periodic,      ///< A repeating sequence of 17 to 64 numbers.
        SignRuns,      ///< The sign changes every 2 to 9 elements.
        Ramp,          ///< Proportional to the index.
        Wave,          ///< A sine wave.
        Outliers,      ///< Three to nine elements are a thousand times as large.
        AscendingRuns, ///< Ascending runs of 16 to 100 elements.
        ZeroGroups     ///< Each group of three to eight elements sums to exactly zero.
    };
    enum class Scale : std::uint8_t
    {
        One,
        Thousand,
        Millionth,  ///< 2^-20.
        Power,      ///< A random power of two.
        Any,        ///< A random number.
        Normalised, ///< The squares sum to 1.
        Hundreds ///< Numbers near 300: all equal except for a tenth of them, or different in the last digits
                 ///< only.
    };
    enum class Digits : std::uint8_t
    {
        All,
        Half, ///< 11 bits.
        Brain ///< 8 bits: bfloat16.
    };
    enum class Columns : std::uint8_t
    {
        Own,          ///< Independent columns.
        OneHot,       ///< One element of each row is 1; the others are 0.
        OneOfRow,     ///< One element of each row is non-zero.
        ZeroRow,      ///< A row of B is zero.
        OnesFirst,    ///< The first column is 1, like a constant term.
        CopiedFar,    ///< Columns repeat with a period of two or more.
        ScaledCopies, ///< Successive powers of two times the first column.
        Multiples,    ///< Multiples of the first column.
        OneSigned,    ///< All columns are positive except one, which is negative.
        OneSparse,    ///< One column is mostly zero.
        OneWide,      ///< One column spans many orders of magnitude.
        OnlyOne,      ///< All other columns are zero.
        Identity,     ///< The identity matrix: element i of row i is 1.
        SumToOne,     ///< Rows of B are positive and sum to 1.
        SortedRows,   ///< Rows of B are sorted.
        Shifted,      ///< Each column is the previous one shifted by one element.
        SomeConstant, ///< Some columns have the same number in all rows.
        AlikeInRows   ///< All elements of a row of B are equal.
    };
    Sizes sizes = Sizes::Plain;
    SignRule signs = SignRule::Random;
    ZeroRule zeros = ZeroRule::None;
    Place place = Place::Any;
    Scale scale = Scale::One;
    Digits digits = Digits::All;
    Columns columns = Columns::Own;
    /// The details (which column, how many zeros, how large a step) are drawn from one of `parts` equal parts
    /// of their range: from part `part`. If a test uses all parts, no large range stays untested.
    std::uint8_t part = 0, parts = 1;

    friend bool operator==(const InputRecipe&, const InputRecipe&) = default;
};

/// Returns the recipes that differ from Random in one choice, and all `sizes` also with positive signs only.
/// If `columns` > 1, includes the choices of `Columns`.
std::vector<InputRecipe> singleRecipes(std::int64_t columns);

/// Returns all single recipes. A recipe with details occurs once for each part.
std::vector<InputRecipe> everyRecipe(std::int64_t columns);

/// Returns a recipe of random choices, most of which are as in Random.
InputRecipe drawRecipe(std::int64_t columns, Rng& rng);

/// Creates a vector: cols x columns elements, row-major, finite and within the range.
Numbers recipeVector(const InputRecipe& recipe, const InputRange& range, std::int64_t columns, Rng& rng);

} // namespace sparserl
