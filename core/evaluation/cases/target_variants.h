// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/oracle.h"
#include "evaluation/cases/shared_matrix.h"
#include "evaluation/cases/siblings.h"
#include "evaluation/cases/value_changes.h"
#include "evaluation/cases/value_kinds.h"
#include "evaluation/cases/value_recipes.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace sparserl {

/// A change of a target: one of foreignNumbers() replaces one value.
struct ForeignValue
{
    std::int32_t column = 0; ///< Column of the replaced value.

    friend bool operator==(const ForeignValue&, const ForeignValue&) = default;
};

/// Contents with a target's sizes: its pattern with other values (slightly changed, of a realistic kind, or
/// composed), or another pattern (a sibling) with the target's values or with values of timed calls. A
/// program may rely only on facts about its target that also hold for all of these contents
/// (docs/kernel-programs.md).
struct ContentsVariant
{
    std::variant<ValueChange, ValueKind, ValueRecipe, ForeignValue, SiblingKind> what;
    SharedMatrix matrix;
    InputRange range;

    /// Returns whether results are bitwise exact, because no order of summation rounds.
    bool exact() const { return what == decltype(what)(ValueKind::Selection); }
    bool composed() const { return std::holds_alternative<ValueRecipe>(what); }
    /// Returns whether a plan that binds on the target may fail to bind here, because a format does not apply
    /// or a row is longer.
    bool otherPattern() const { return std::holds_alternative<SiblingKind>(what); }
};

/// Creates the variants of a target with these indices. Puts them into one file of shared memory, because a
/// process can hold few files. `key` is the target's key. Each variant depends only on the target and on
/// `seedOf(index)`.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeVariants(const std::string& key, const Csr& target, const std::vector<std::size_t>& indices,
             const std::function<std::uint64_t(std::size_t)>& seedOf);
/// Returns the number of variants: all changes, all kinds except Random, all single recipes, `drawnRecipes`
/// random recipes and `drawnForeign` foreign values.
std::size_t targetVariantCount();
inline constexpr std::size_t drawnRecipes = 8, drawnForeign = 4;

/// Creates the target with each foreign value or, if there are more than `most`, with a random subset of
/// them.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeForeignVariants(const std::string& key, const Csr& target, std::size_t most, Rng rng);

/// Creates at most `most` siblings of the target in the order of siblingOrder(). Half of them have values of
/// timed calls. `file` is a unique name for their shared memory.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeSiblings(const std::string& file, const Csr& target, bool every, std::size_t most, Rng rng);

/// Creates vectors that reveal the difference of a variant. With `every`, returns several kinds if the last
/// bits of a single value or element of x matter, and also the vectors with which users often multiply such
/// values: a mask, ones or magnitudes for a matrix of ones, integers for integers, and so on.
std::vector<Input> variantInputs(const ContentsVariant& variant, std::int64_t columns, bool every, Rng& rng);
/// Creates at most `most` vectors of other kinds, chosen at random. Returns none if results must be exact.
std::vector<Input> companionInputs(const ContentsVariant& variant, std::int64_t columns, std::size_t most,
                                   Rng& rng);
/// The usual number of companion inputs, if they are cheap.
inline constexpr std::size_t usualCompanions = 2;

/// Returns the indices of the variants for one judgement of a target: with `every`, all that fit into
/// `mostBytes` of matrices; otherwise a random one.
std::vector<std::size_t> drawVariants(bool every, std::int64_t bytes, std::int64_t mostBytes, Rng& rng);

/// A variant with an input and its reference.
struct VariantCase
{
    std::shared_ptr<const ContentsVariant> variant;
    Input input;
    Reference expected;
    bool companion = false; ///< The input comes from companionInputs.
};

} // namespace sparserl
