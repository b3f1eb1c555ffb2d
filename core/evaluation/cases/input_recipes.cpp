// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/input_recipes.h"

#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/recipe_choices.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sparserl {

namespace {

using Sizes = InputRecipe::Sizes;
using SignRule = InputRecipe::SignRule;
using ZeroRule = InputRecipe::ZeroRule;
using Place = InputRecipe::Place;
using Scale = InputRecipe::Scale;
using Digits = InputRecipe::Digits;
using Columns = InputRecipe::Columns;

/// In the part of [0, 1) that the recipe wants.
double detail(const InputRecipe& recipe, Rng& rng)
{
    return (recipe.part + rng.uniform()) / recipe.parts;
}

/// In [least, most), evenly.
double detail(const InputRecipe& recipe, double least, double most, Rng& rng)
{
    return least + (most - least) * detail(recipe, rng);
}

/// Into how many parts that which is left to be drawn falls, where a program could tell them apart.
std::uint8_t partsOf(const InputRecipe& recipe)
{
    if (recipe.zeros == ZeroRule::Few)
        return 6;
    const bool ofPlace = recipe.place == Place::Halves || recipe.place == Place::LargerHalf ||
                         recipe.place == Place::Interleaved || recipe.place == Place::Wave ||
                         recipe.place == Place::Periodic || recipe.place == Place::SignRuns ||
                         recipe.place == Place::Outliers;
    const bool ofScale =
        recipe.scale == Scale::Power || recipe.scale == Scale::Any || recipe.scale == Scale::Hundreds;
    return ofPlace || ofScale || recipe.columns != Columns::Own ? 3 : 1;
}

double sizeOf(Sizes sizes, int digits, Rng& rng)
{
    switch (sizes) {
    case Sizes::Plain:
    case Sizes::Same:  // One for all.
    case Sizes::Ranks: // In order; shuffled later.
    case Sizes::Harmonic:
    case Sizes::Halving: // By their place, later.
        break;
    case Sizes::One:
        return 1;
    case Sizes::Octave:
        return 1 + rng.uniform();
    case Sizes::Uniform:
        return rng.uniform();
    case Sizes::Normal:
        return std::abs(rng.normal());
    case Sizes::LogNormal:
        return std::exp2(3 * rng.normal());
    case Sizes::Powers:
        return std::exp2(static_cast<double>(rng.between(-8, 8)));
    case Sizes::Counts:
        return static_cast<double>(rng.between(0, 5));
    case Sizes::Thousands:
        return static_cast<double>(rng.between(0, 9999));
    case Sizes::OneOrNothing:
        return static_cast<double>(rng.between(0, 1));
    }
    return plainMagnitude(rng.next(), digits);
}

/// One column, before it is scaled to the range.
class Column
{
public:
    Column(const InputRecipe& recipe, std::size_t length, int digits, Rng& rng)
        : m_recipe(recipe)
        , m_rng(rng)
        , m_x(length)
    {
        for (double& value : m_x)
            value = sizeOf(recipe.sizes, digits, rng);
        if (recipe.sizes == Sizes::Same)
            std::fill(m_x.begin(), m_x.end(), m_x.empty() ? 0 : m_x.front());
        for (std::size_t i = 0; i < m_x.size() && recipe.sizes == Sizes::Harmonic; ++i)
            m_x[i] = 1 / static_cast<double>(i + 1);
        for (std::size_t i = 0; i < m_x.size() && recipe.sizes == Sizes::Halving; ++i)
            m_x[i] = std::ldexp(1.0, -static_cast<int>(i % 101));
        if (recipe.sizes == Sizes::Ranks) {
            std::iota(m_x.begin(), m_x.end(), 1.0);
            rng.shuffle(m_x);
        }
        for (double& value : m_x)
            if (recipe.signs == SignRule::Random     ? (rng.next() & 1) != 0
                : recipe.signs == SignRule::Negative ? true
                : recipe.signs == SignRule::FewNegative
                    ? rng.chance(0.01)
                    : recipe.signs == SignRule::FewPositive && !rng.chance(0.01))
                value = -value;
        arrange();
        scale();
        zero();
    }
    std::vector<double> take() { return std::move(m_x); }

private:
    void arrange()
    {
        const std::size_t n = m_x.size();
        const double other = std::exp2(detail(m_recipe, -20, -8, m_rng));
        // From one wave in all to 160 elements a wave.
        const double waves =
            std::exp2(detail(m_recipe, 0, std::log2(std::max(static_cast<double>(n) / 160, 2.0)), m_rng));
        const double length = waves / static_cast<double>(std::max<std::size_t>(n, 1)),
                     ratio = std::exp2(-m_rng.uniform(24, 60) / static_cast<double>(n));
        const auto period = static_cast<std::size_t>(detail(m_recipe, 17, 65, m_rng)),
                   run = static_cast<std::size_t>(detail(m_recipe, 2, 10, m_rng));
        for (std::size_t i = 0; i < n; ++i) {
            double& value = m_x[i];
            switch (m_recipe.place) {
            case Place::Any:
            case Place::Outliers:
            case Place::AscendingRuns:
            case Place::ZeroGroups:
                break;
            case Place::Mirrored:
            case Place::Antisymmetric:
                if (const std::size_t from = n - 1 - i; from < i)
                    value = m_recipe.place == Place::Mirrored ? m_x[from] : -m_x[from];
                break;
            case Place::Pairs:
            case Place::OppositePairs:
                if (i % 2 == 1)
                    value = m_recipe.place == Place::Pairs ? m_x[i - 1] : -m_x[i - 1];
                break;
            case Place::Halves:
                value *= i >= n / 2 ? other : 1;
                break;
            case Place::LargerHalf:
                value *= i >= n / 2 ? 1 / other : 1;
                break;
            case Place::Interleaved:
                value *= i % 2 == 1 ? other : 1;
                break;
            case Place::Decaying:
                value = std::copysign(std::pow(ratio, static_cast<double>(i)), value);
                break;
            case Place::Growing:
                value = std::copysign(std::pow(ratio, static_cast<double>(n - 1 - i)), value);
                break;
            case Place::Periodic:
                value = i >= period ? m_x[i - period] : value;
                break;
            case Place::SignRuns:
                value = std::copysign(value, i / run % 2 == 0 ? 1.0 : -1.0);
                break;
            case Place::Ramp:
                value = std::copysign(static_cast<double>(i + 1), value);
                break;
            case Place::Wave:
                value = std::sin(2 * std::numbers::pi * length * static_cast<double>(i));
                break;
            }
        }
        if (m_recipe.place == Place::AscendingRuns || m_recipe.place == Place::ZeroGroups)
            group();
        if (m_recipe.place == Place::Outliers && n > 0)
            for (auto left = static_cast<int>(detail(m_recipe, 3, 10, m_rng)); left > 0; --left)
                m_x[m_rng.below(n)] *= 1000;
    }

    void group()
    {
        const bool sorts = m_recipe.place == Place::AscendingRuns;
        const auto length = static_cast<std::size_t>(sorts ? m_rng.between(16, 100) : m_rng.between(3, 8));
        for (std::size_t from = 0; from < m_x.size(); from += length) {
            const auto begin = m_x.begin() + static_cast<std::ptrdiff_t>(from);
            const auto end = m_x.begin() + static_cast<std::ptrdiff_t>(std::min(from + length, m_x.size()));
            if (sorts) {
                std::sort(begin, end);
                continue;
            }
            double sum = 0; // Of few bits, so that no order of summation rounds.
            for (auto value = begin; value + 1 < end; ++value)
                sum += * value = roundedTo(*value, 8);
            *(end - 1) = -sum;
        }
    }

    void scale()
    {
        double factor = 1;
        switch (m_recipe.scale) {
        case Scale::One:
            return;
        case Scale::Thousand:
            factor = 1000;
            break;
        case Scale::Millionth:
            factor = 0x1p-20;
            break;
        case Scale::Power:
            factor = std::exp2(std::floor(detail(m_recipe, -30, 31, m_rng)));
            break;
        case Scale::Any:
            factor = std::exp2(detail(m_recipe, -30, 30, m_rng));
            break;
        case Scale::Normalised: {
            double squares = 0;
            for (const double value : m_x)
                squares += value * value;
            factor = squares > 0 ? 1 / std::sqrt(squares) : 1;
            break;
        }
        case Scale::Hundreds:
            for (const double share = std::exp2(detail(m_recipe, -15, -3.4, m_rng)); double& value : m_x)
                value = 300 * (1 + share * value);
            return;
        }
        for (double& value : m_x)
            value *= factor;
    }

    void zero()
    {
        const std::size_t n = m_x.size();
        if (n == 0)
            return;
        switch (m_recipe.zeros) {
        case ZeroRule::None:
            return;
        case ZeroRule::One:
            m_x[m_rng.below(n)] = 0;
            return;
        case ZeroRule::Few: {
            const double share = std::exp2(detail(m_recipe, -6.5, -2.3, m_rng));
            auto left = static_cast<std::size_t>(std::ceil(share * static_cast<double>(n)));
            for (std::size_t i = 0; i < n && left > 0; ++i) // As many as wanted, at random places.
                if (m_rng.below(n - i) < left) {
                    m_x[i] = 0;
                    --left;
                }
            return;
        }
        case ZeroRule::Half:
            for (double& value : m_x)
                value = m_rng.next() & 1 ? 0 : value;
            return;
        case ZeroRule::Rectified:
            for (double& value : m_x)
                value = std::max(value, 0.0);
            return;
        case ZeroRule::LastHalf:
        case ZeroRule::LastHalfNegative:
            std::fill(m_x.begin() + static_cast<std::ptrdiff_t>(n / 2), m_x.end(),
                      m_recipe.zeros == ZeroRule::LastHalf ? 0.0 : -0.0);
            return;
        case ZeroRule::FirstHalf:
            std::fill(m_x.begin(), m_x.begin() + static_cast<std::ptrdiff_t>(n / 2), 0.0);
            return;
        case ZeroRule::ButMiddle: {
            const auto around =
                static_cast<std::ptrdiff_t>(static_cast<double>(n) * (1 - m_rng.uniform(0.01, 0.33)) / 2);
            std::fill(m_x.begin(), m_x.begin() + around, 0.0);
            std::fill(m_x.end() - around, m_x.end(), 0.0);
            return;
        }
        case ZeroRule::AllButTwo: {
            const std::size_t first = m_rng.below(n), second = m_rng.below(n);
            for (std::size_t i = 0; i < n; ++i)
                m_x[i] = i == first || i == second ? m_x[i] : 0;
            return;
        }
        }
    }

    const InputRecipe& m_recipe;
    Rng& m_rng;
    std::vector<double> m_x;
};

/// What the columns of B have to do with each other. `x` is by columns.
void relate(std::vector<std::vector<double>>& x, const InputRecipe& recipe, Rng& rng)
{
    const Columns rule = recipe.columns;
    const std::size_t columns = x.size(), rows = x.front().size();
    if (columns < 2 || rows == 0)
        return;
    switch (rule) {
    case Columns::Own:
        return;
    case Columns::OneHot:
    case Columns::OneOfRow:
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t kept = rng.below(columns);
            for (std::size_t j = 0; j < columns; ++j)
                x[j][row] = j != kept ? 0 : rule == Columns::OneHot ? 1 : x[j][row];
        }
        return;
    case Columns::ZeroRow:
        for (std::uint64_t left = 1 + rng.below(3); left > 0; --left) {
            const std::size_t row = rng.below(rows);
            for (auto& column : x)
                column[row] = 0;
        }
        return;
    case Columns::OnesFirst:
        std::fill(x.front().begin(), x.front().end(), 1.0);
        return;
    case Columns::CopiedFar: {
        const auto choices = static_cast<double>(std::max<std::size_t>(columns / 2, 2) - 1);
        const std::size_t period = 2 + static_cast<std::size_t>(detail(recipe, 0, choices, rng));
        for (std::size_t j = period; j < columns; ++j)
            x[j] = x[j - period];
        return;
    }
    case Columns::ScaledCopies:
    case Columns::Multiples: {
        const double step = detail(recipe, rng) < 0.5 ? 2 : 0.5;
        double factor = 1;
        for (std::size_t j = 1; j < columns; ++j) {
            factor = rule == Columns::ScaledCopies ? factor * step : rng.uniform(-9, 9);
            for (std::size_t row = 0; row < rows; ++row)
                x[j][row] = factor * x[0][row];
        }
        return;
    }
    case Columns::OneSigned:
    case Columns::OneSparse:
    case Columns::OneWide: {
        // The first or the last one as often as one between.
        const auto place = static_cast<std::size_t>(detail(recipe, 0, 3, rng));
        const std::size_t one = place == 0 ? 0 : place == 1 ? columns - 1 : rng.below(columns);
        for (std::size_t j = 0; j < columns; ++j)
            for (double& value : x[j]) {
                if (rule == Columns::OneSigned)
                    value = j == one ? -std::abs(value) : std::abs(value);
                else if (j == one)
                    value *= rule == Columns::OneSparse ? (rng.below(8) == 0 ? 1.0 : 0.0)
                                                        : std::exp2(rng.uniform(-30, 30));
            }
        return;
    }
    case Columns::OnlyOne: {
        const auto place = static_cast<std::size_t>(detail(recipe, 0, 3, rng));
        const std::size_t one = place == 0 ? 0 : place == 1 ? columns - 1 : rng.below(columns);
        for (std::size_t j = 0; j < columns; ++j)
            if (j != one)
                std::fill(x[j].begin(), x[j].end(), 0.0);
        return;
    }
    case Columns::Identity:
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t j = 0; j < columns; ++j)
                x[j][row] = row % columns == j ? 1 : 0;
        return;
    case Columns::SumToOne:
    case Columns::SortedRows:
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<double> values;
            double sum = 0;
            for (const auto& column : x) {
                values.push_back(rule == Columns::SumToOne ? std::abs(column[row]) : column[row]);
                sum += values.back();
            }
            if (rule == Columns::SortedRows)
                std::sort(values.begin(), values.end());
            for (std::size_t j = 0; j < columns; ++j)
                x[j][row] = rule == Columns::SortedRows || sum == 0 ? values[j] : values[j] / sum;
        }
        return;
    case Columns::Shifted:
        for (std::size_t j = 1; j < columns; ++j)
            for (std::size_t row = 0; row < rows; ++row)
                x[j][row] = x[j - 1][(row + 1) % rows];
        return;
    case Columns::SomeConstant:
        for (std::size_t j = 0; j < columns; ++j)
            if (j == 0 || rng.next() & 1)
                std::fill(x[j].begin(), x[j].end(), x[j].front());
        return;
    case Columns::AlikeInRows:
        for (std::size_t j = 1; j < columns; ++j)
            x[j] = x[0];
        return;
    }
}

} // namespace

std::vector<InputRecipe> singleRecipes(std::int64_t columns)
{
    std::vector<InputRecipe> recipes;
    addChoices(recipes, &InputRecipe::sizes, Sizes::Halving);
    for (std::size_t i = recipes.size(); i > 0; --i) { // Counts, ranks and shares have no signs.
        recipes.push_back(recipes[i - 1]);
        recipes.back().signs = SignRule::Positive;
    }
    for (const Sizes sizes : {Sizes::Same, Sizes::One}) {
        recipes.emplace_back();
        recipes.back().sizes = sizes;
        recipes.back().signs = SignRule::Negative;
    }
    addChoices(recipes, &InputRecipe::signs, SignRule::FewPositive);
    addChoices(recipes, &InputRecipe::zeros, ZeroRule::AllButTwo);
    addChoices(recipes, &InputRecipe::place, Place::ZeroGroups);
    addChoices(recipes, &InputRecipe::scale, Scale::Hundreds);
    addChoices(recipes, &InputRecipe::digits, Digits::Brain);
    if (columns > 1)
        addChoices(recipes, &InputRecipe::columns, Columns::AlikeInRows);
    return recipes;
}

std::vector<InputRecipe> everyRecipe(std::int64_t columns)
{
    std::vector<InputRecipe> recipes;
    for (InputRecipe recipe : singleRecipes(columns)) {
        recipe.parts = partsOf(recipe);
        for (recipe.part = 0; recipe.part < recipe.parts; ++recipe.part)
            recipes.push_back(recipe);
    }
    return recipes;
}

InputRecipe drawRecipe(std::int64_t columns, Rng& rng)
{
    InputRecipe recipe;
    recipe.sizes = drawnChoice(Sizes::Halving, rng);
    recipe.signs = drawnChoice(SignRule::FewPositive, rng);
    recipe.zeros = drawnChoice(ZeroRule::AllButTwo, rng);
    recipe.place = drawnChoice(Place::ZeroGroups, rng);
    recipe.scale = drawnChoice(Scale::Hundreds, rng);
    recipe.digits = drawnChoice(Digits::Brain, rng);
    if (columns > 1)
        recipe.columns = drawnChoice(Columns::AlikeInRows, rng);
    return recipe;
}

Numbers recipeVector(const InputRecipe& recipe, const InputRange& range, std::int64_t columns, Rng& rng)
{
    const auto rows = static_cast<std::size_t>(range.columns()), n = static_cast<std::size_t>(columns);
    std::vector<std::vector<double>> x;
    for (std::size_t j = 0; j < n; ++j)
        x.push_back(Column(recipe, rows, range.format().digits, rng).take());
    relate(x, recipe, rng);
    double largest = 0;
    for (const auto& column : x)
        for (const double value : column)
            largest = std::max(largest, std::abs(value));
    int bits = 0;
    std::frexp(largest, &bits);
    // The same power of two everywhere: relations between elements stay.
    const int exponent =
        std::min({range.shift(), range.mostExponent() - bits, range.lowestHighest() - bits - 1});
    const int digits = recipe.digits == Digits::All    ? range.format().digits
                       : recipe.digits == Digits::Half ? 11
                                                       : 8;
    Numbers out(range.format().type, rows * n);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t j = 0; j < n; ++j)
            out.set(row * n + j, std::ldexp(roundedTo(x[j][row], digits), exponent));
    return out;
}

} // namespace sparserl
