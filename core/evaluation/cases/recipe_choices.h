// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <vector>

namespace sparserl {

/// Helpers for recipes (InputRecipe, ValueRecipe). A recipe is a structure of independent choices. The first
/// value of each choice's enumeration is the usual one.

/// Adds one recipe for each unusual value of `choice`, up to `last`.
template <typename Recipe, typename Choice>
void addChoices(std::vector<Recipe>& recipes, Choice Recipe::*choice, Choice last)
{
    for (int i = 1; i <= static_cast<int>(last); ++i) {
        Recipe recipe;
        recipe.*choice = static_cast<Choice>(i);
        recipes.push_back(recipe);
    }
}

/// Returns a random choice, in most cases the usual one.
template <typename Choice>
Choice drawnChoice(Choice last, Rng& rng)
{
    constexpr double otherChance = 0.35;
    return rng.chance(otherChance) ? static_cast<Choice>(rng.between(1, static_cast<int>(last))) : Choice{};
}

} // namespace sparserl
