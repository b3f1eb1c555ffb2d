// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <vector>

namespace sparserl {

/// For recipes (InputRecipe, ValueRecipe): structures of choices that have nothing to do with each other. The
/// first value of each enumeration is as usual.

/// A recipe for every other value of one choice, up to `last`.
template <typename Recipe, typename Choice>
void addChoices(std::vector<Recipe>& recipes, Choice Recipe::*choice, Choice last)
{
    for (int i = 1; i <= static_cast<int>(last); ++i) {
        Recipe recipe;
        recipe.*choice = static_cast<Choice>(i);
        recipes.push_back(recipe);
    }
}

/// By lot, in most cases as usual.
template <typename Choice>
Choice drawnChoice(Choice last, Rng& rng)
{
    constexpr double otherChance = 0.35;
    return rng.chance(otherChance) ? static_cast<Choice>(rng.between(1, static_cast<int>(last))) : Choice{};
}

} // namespace sparserl
