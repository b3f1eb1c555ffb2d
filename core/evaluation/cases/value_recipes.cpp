// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/value_recipes.h"

#include "evaluation/cases/inputs.h"
#include "evaluation/cases/recipe_choices.h"
#include "evaluation/cases/value_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace sparserl {

namespace {

using Sizes = ValueRecipe::Sizes;
using SignRule = ValueRecipe::SignRule;
using ZeroRule = ValueRecipe::ZeroRule;
using Order = ValueRecipe::Order;
using Scale = ValueRecipe::Scale;
using Digits = ValueRecipe::Digits;
using Units = ValueRecipe::Units;

/// Where an entry is.
struct Place
{
    std::int32_t row = 0, column = 0;
    std::size_t at = 0;     ///< Among all entries.
    std::size_t inRow = 0;  ///< Among those of its row.
    std::size_t length = 0; ///< Of its row.
};

template <typename Visit>
void forEachEntry(const Csr& matrix, const Visit& visit)
{
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const auto from = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
        const auto length = static_cast<std::size_t>(matrix.rowLength(row));
        for (std::size_t i = 0; i < length; ++i)
            visit(Place{row, matrix.col[from + i], from + i, i, length});
    }
}

/// Do such sizes come with signs by lot, where nothing else is wanted?
bool haveSigns(Sizes sizes)
{
    switch (sizes) {
    case Sizes::Plain:
    case Sizes::Octave:
    case Sizes::LogNormal:
    case Sizes::Powers:
    case Sizes::Thousands:
    case Sizes::Multiples:
    case Sizes::BeyondExact:
    case Sizes::Tenths:
    case Sizes::Hundredths:
    case Sizes::Lattice:
    case Sizes::OneOrNothing:
        return true;
    default:
        return false;
    }
}

/// The values of one matrix before they are rounded to its type.
class Values
{
public:
    Values(const Csr& pattern, const ValueRecipe& recipe, Rng& rng)
        : m_pattern(pattern)
        , m_recipe(recipe)
        , m_rng(rng)
        , m_format(NumberFormat::of(pattern.type))
        , m_values(pattern.col.size())
    {
        if (m_values.empty())
            return;
        size();
        sign();
        arrange();
        shorten();
        zero();
        scale();
    }
    const std::vector<double>& get() const { return m_values; }

private:
    void size()
    {
        const double first = drawn(Sizes::Plain), second = drawn(Sizes::Plain),
                     diagonal = static_cast<double>(2 * m_rng.between(1, 4));
        constexpr std::array factors{2, 3, 4, 5, 10};
        double row = 0; // Of all entries of the row at hand.
        const double factor = factors[m_rng.below(factors.size())];
        const auto width = static_cast<double>(m_rng.between(1, 30));
        forEachEntry(m_pattern, [&](const Place& place) {
            double& value = m_values[place.at];
            const bool onDiagonal = place.row == place.column;
            switch (m_recipe.sizes) {
            case Sizes::Same:
                value = 4 * first;
                break;
            case Sizes::TwoNumbers:
                value = m_rng.next() & 1 ? first : -4 * second;
                break;
            case Sizes::OfRows:
                if (place.inRow == 0)
                    row = drawn(Sizes::Plain);
                value = row;
                break;
            case Sizes::Ranks:
                value = static_cast<double>(place.at + 1); // In order; shuffled below.
                break;
            case Sizes::Rows:
                value = place.row;
                break;
            case Sizes::RowsFromOne:
                value = place.row + 1.0;
                break;
            case Sizes::Columns:
                value = place.column;
                break;
            case Sizes::ColumnsFromOne:
                value = place.column + 1.0;
                break;
            case Sizes::Positions:
                value = static_cast<double>(place.at);
                break;
            case Sizes::PositionsFromOne:
                value = static_cast<double>(place.at + 1);
                break;
            case Sizes::Distances:
                value = std::abs(static_cast<double>(place.row) - place.column);
                break;
            case Sizes::Lengths:
                value = static_cast<double>(place.length);
                break;
            case Sizes::Stencil:
                value = onDiagonal ? diagonal : -1;
                break;
            case Sizes::FivePoints:
                value = onDiagonal ? 4 : -1;
                break;
            case Sizes::Degrees:
                value = onDiagonal ? static_cast<double>(place.length - 1) : -1;
                break;
            case Sizes::Hilbert:
                value = 1 / (static_cast<double>(place.row) + place.column + 1);
                break;
            case Sizes::Doubling:
            case Sizes::Halving: {
                const auto power = static_cast<int>(place.inRow % 61);
                value = std::ldexp(1.0, m_recipe.sizes == Sizes::Doubling ? power : -power);
                break;
            }
            case Sizes::Fading: {
                const double distance = (static_cast<double>(place.row) - place.column) / width;
                value = std::max(std::exp(-distance * distance / 2), 0x1p-60);
                break;
            }
            case Sizes::Multiples:
                value = factor * static_cast<double>(m_rng.between(1, 500));
                break;
            default:
                value = drawn(m_recipe.sizes);
                break;
            }
        });
        if (m_recipe.sizes == Sizes::Ranks)
            m_rng.shuffle(m_values);
    }

    /// One that depends on nothing else.
    double drawn(Sizes sizes)
    {
        switch (sizes) {
        case Sizes::Octave:
            return 1 + m_rng.uniform();
        case Sizes::LogNormal:
            return std::exp2(3 * m_rng.normal());
        case Sizes::Powers:
            return std::exp2(static_cast<double>(m_rng.between(-9, 9)));
        case Sizes::OneToFive:
            return static_cast<double>(m_rng.between(1, 5));
        case Sizes::Thousands:
            return static_cast<double>(m_rng.between(1, 9999));
        case Sizes::BeyondExact: // Each number of the type that is so large is an integer.
            return std::ldexp(1 + m_rng.uniform(), m_format.digits + static_cast<int>(m_rng.between(0, 8)));
        case Sizes::Tenths:
            return static_cast<double>(m_rng.between(1, 5000)) / 10;
        case Sizes::Hundredths:
            return static_cast<double>(m_rng.between(1, 50'000)) / 100;
        case Sizes::Lattice:
            return static_cast<double>(m_rng.between(1, 256)) / 256;
        case Sizes::OneOrNothing:
            return static_cast<double>(m_rng.below(2));
        default:
            return plainMagnitude(m_rng.next(), m_format.digits);
        }
    }

    void sign()
    {
        SignRule rule = m_recipe.signs;
        if (rule == SignRule::AsUsual) {
            if (!haveSigns(m_recipe.sizes))
                return;
            rule = SignRule::Random;
        }
        forEachEntry(m_pattern, [&](const Place& place) {
            double& value = m_values[place.at];
            const bool negative = rule == SignRule::Random              ? (m_rng.next() & 1) != 0
                                  : rule == SignRule::Negative          ? true
                                  : rule == SignRule::FewNegative       ? m_rng.chance(0.01)
                                  : rule == SignRule::FewPositive       ? !m_rng.chance(0.01)
                                  : rule == SignRule::Alternating       ? place.at % 2 == 1
                                  : rule == SignRule::AlternatingInRows ? place.inRow % 2 == 1
                                  : rule == SignRule::Triangles         ? place.row > place.column
                                  : rule == SignRule::OffDiagonal       ? place.row != place.column
                                                                        : false;
            value = std::copysign(value, negative ? -1.0 : 1.0);
        });
    }

    void arrange()
    {
        const auto byMagnitude = [](double a, double b) { return std::abs(a) < std::abs(b); };
        switch (m_recipe.order) {
        case Order::Any:
            return;
        case Order::AscendingInRows:
            sortRows(std::less<>());
            return;
        case Order::DescendingInRows:
            sortRows(std::greater<>());
            return;
        case Order::SmallerInRows:
            sortRows([&](double a, double b) { return byMagnitude(b, a); });
            return;
        case Order::LargerInRows:
            sortRows(byMagnitude);
            return;
        case Order::Descending:
            std::sort(m_values.begin(), m_values.end(), std::greater<>());
            return;
        case Order::LastsLarge: {
            double others = 0; // Of the row so far.
            forEachEntry(m_pattern, [&](const Place& place) {
                others = place.inRow == 0 ? 0 : others;
                double& value = m_values[place.at];
                if (place.inRow + 1 == place.length)
                    value = std::copysign(std::abs(value) + others, value);
                others += std::abs(value);
            });
            return;
        }
        case Order::Symmetric:
        case Order::Antisymmetric: {
            const double sign = m_recipe.order == Order::Symmetric ? 1 : -1;
            std::map<std::pair<std::int32_t, std::int32_t>, double> above;
            forEachEntry(m_pattern, [&](const Place& place) {
                if (place.row < place.column)
                    above.emplace(std::pair{place.column, place.row}, m_values[place.at]);
            });
            forEachEntry(m_pattern, [&](const Place& place) {
                if (const auto it = above.find({place.row, place.column}); it != above.end())
                    m_values[place.at] = sign * it->second;
            });
            return;
        }
        case Order::Periodic: {
            const auto period = static_cast<std::size_t>(m_rng.between(16, 128));
            for (std::size_t at = period; at < m_values.size(); ++at)
                m_values[at] = m_values[at - period];
            return;
        }
        case Order::OppositePairs:
        case Order::EqualPairs:
            for (std::size_t at = 1; at < m_values.size(); at += 2)
                m_values[at] = m_recipe.order == Order::EqualPairs ? m_values[at - 1] : -m_values[at - 1];
            return;
        }
    }

    template <typename Less>
    void sortRows(const Less& less)
    {
        for (std::int32_t row = 0; row < m_pattern.rows; ++row) {
            const auto from = m_values.begin() + m_pattern.rowPtr[static_cast<std::size_t>(row)];
            std::sort(from, from + m_pattern.rowLength(row), less);
        }
    }

    void shorten()
    {
        const int digits = m_recipe.digits == Digits::Half ? 11 : m_recipe.digits == Digits::Brain ? 8 : 4;
        if (m_recipe.digits != Digits::All)
            for (double& value : m_values)
                value = roundedTo(value, digits);
    }

    void zero()
    {
        const std::size_t kept = m_rng.below(m_values.size());
        const std::int32_t column = m_pattern.col[kept];
        const auto after = std::upper_bound(m_pattern.rowPtr.begin(), m_pattern.rowPtr.end(),
                                            static_cast<std::int64_t>(kept));
        const auto row = static_cast<std::int32_t>(after - m_pattern.rowPtr.begin()) - 1;
        forEachEntry(m_pattern, [&](const Place& place) {
            double& value = m_values[place.at];
            if (isZero(place, kept, row, column))
                value = m_recipe.zeros == ZeroRule::NegativeZeros ? -0.0 : 0.0;
        });
    }

    bool isZero(const Place& place, std::size_t kept, std::int32_t row, std::int32_t column)
    {
        switch (m_recipe.zeros) {
        case ZeroRule::None:
            return false;
        case ZeroRule::Few:
            return m_rng.chance(0.1);
        case ZeroRule::Half:
            return (m_rng.next() & 1) != 0;
        case ZeroRule::Mostly:
            return place.at != kept && !m_rng.chance(0.01);
        case ZeroRule::OddRows:
            return place.row % 2 == 1;
        case ZeroRule::FirstHalf:
            return place.row < m_pattern.rows / 2;
        case ZeroRule::LastHalf:
            return place.row >= m_pattern.rows / 2;
        case ZeroRule::Upper:
            return place.row < place.column;
        case ZeroRule::OffDiagonal:
            return place.row != place.column;
        case ZeroRule::ButOneRow:
            return place.row != row;
        case ZeroRule::ButOneColumn:
            return place.column != column;
        case ZeroRule::ButOneEntry:
            return place.at != kept;
        case ZeroRule::NegativeZeros:
            return true;
        }
        return false;
    }

    /// Also keeps all finite.
    void scale()
    {
        double largest = 0;
        for (const double value : m_values)
            largest = std::max(largest, std::abs(value));
        if (largest == 0)
            return;
        int exponent = 0; // The largest one is below this power of two.
        std::frexp(largest, &exponent);
        double factor = 1;
        switch (m_recipe.scale) {
        case Scale::One:
            break;
        case Scale::Thousand:
            factor = 1000;
            break;
        case Scale::Millionth:
            factor = 0x1p-20;
            break;
        case Scale::Any:
            factor = std::exp2(m_rng.uniform(-30, 30));
            break;
        case Scale::Top:
            // Twice as much is a number as well: programs multiply by small constants.
            factor = std::ldexp(1.0, m_format.highest - 1 - exponent);
            break;
        case Scale::Bottom:
            factor = std::ldexp(1.0, m_format.lowestNormal - static_cast<int>(m_rng.below(10)) - exponent);
            break;
        }
        if (std::abs(largest * factor) > m_format.largest())
            factor = 1;
        for (double& value : m_values)
            value *= factor;
    }

    const Csr& m_pattern;
    const ValueRecipe& m_recipe;
    Rng& m_rng;
    const NumberFormat& m_format;
    std::vector<double> m_values;
};

} // namespace

std::vector<ValueRecipe> singleValueRecipes()
{
    std::vector<ValueRecipe> recipes;
    addChoices(recipes, &ValueRecipe::sizes, Sizes::Fading);
    for (std::size_t i = 0, count = recipes.size(); i < count; ++i)
        if (haveSigns(recipes[i].sizes)) {
            recipes.push_back(recipes[i]);
            recipes.back().signs = SignRule::Positive;
        }
    for (int i = static_cast<int>(SignRule::Negative); i <= static_cast<int>(SignRule::OffDiagonal); ++i) {
        recipes.emplace_back(); // Random is as usual, and Positive a kind of values.
        recipes.back().signs = static_cast<SignRule>(i);
    }
    addChoices(recipes, &ValueRecipe::zeros, ZeroRule::NegativeZeros);
    addChoices(recipes, &ValueRecipe::order, Order::Periodic);
    addChoices(recipes, &ValueRecipe::scale, Scale::Bottom);
    addChoices(recipes, &ValueRecipe::digits, Digits::Eighth);
    for (const Sizes sizes : {Sizes::Same, Sizes::OfRows, Sizes::TwoNumbers, Sizes::OneToFive})
        for (const Scale scale : {Scale::Millionth, Scale::Top}) {
            recipes.emplace_back();
            recipes.back().sizes = sizes;
            recipes.back().scale = scale;
        }
    const auto addNearly = [&](Sizes sizes, Digits digits, Units units) {
        ValueRecipe recipe;
        recipe.sizes = sizes;
        recipe.digits = digits;
        recipe.units = units;
        recipes.push_back(recipe);
    };
    for (const Sizes sizes :
         {Sizes::Powers, Sizes::OneToFive, Sizes::Thousands, Sizes::Tenths, Sizes::TwoNumbers, Sizes::OfRows})
        addNearly(sizes, Digits::All, Units::Either);
    for (const Sizes sizes : {Sizes::Same, Sizes::OfRows})
        addNearly(sizes, Digits::All, Units::Outwards);
    for (const Digits digits : {Digits::Half, Digits::Brain, Digits::Eighth})
        addNearly(Sizes::Plain, digits, Units::Either);
    return recipes;
}

ValueRecipe drawValueRecipe(Rng& rng)
{
    ValueRecipe recipe;
    recipe.sizes = drawnChoice(Sizes::Fading, rng);
    recipe.signs = drawnChoice(SignRule::OffDiagonal, rng);
    recipe.zeros = drawnChoice(ZeroRule::NegativeZeros, rng);
    recipe.order = drawnChoice(Order::Periodic, rng);
    recipe.scale = drawnChoice(Scale::Bottom, rng);
    recipe.digits = drawnChoice(Digits::Eighth, rng);
    recipe.units = drawnChoice(Units::Outwards, rng);
    return recipe;
}

Csr withRecipe(const Csr& pattern, const ValueRecipe& recipe, Rng& rng)
{
    Csr matrix = pattern;
    const Values values(pattern, recipe, rng);
    for (std::size_t at = 0; at < values.get().size(); ++at)
        matrix.setValue(at, values.get()[at]);
    if (recipe.units != Units::None)
        moveByUnits(matrix, recipe.units == Units::Outwards, rng);
    return matrix;
}

} // namespace sparserl
