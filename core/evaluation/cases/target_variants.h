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

/// One value of a target replaced by one of foreignNumbers.
struct ForeignValue
{
    std::int32_t column = 0; ///< Column of the value.

    friend bool operator==(const ForeignValue&, const ForeignValue&) = default;
};

/// Contents with a target's sizes: its pattern with other values (slightly changed, of a realistic kind, or
/// composed), or another pattern (a sibling) with the target's values or those of timed calls. A program may
/// not rely on more knowledge of its target than these share (docs/kernel-programs.md).
struct ContentsVariant
{
    std::variant<ValueChange, ValueKind, ValueRecipe, ForeignValue, SiblingKind> what;
    SharedMatrix matrix;
    InputRange range;

    /// Bitwise exact: no order of summation rounds.
    bool exact() const { return what == decltype(what)(ValueKind::Selection); }
    bool composed() const { return std::holds_alternative<ValueRecipe>(what); }
    /// A plan that binds on the target may not bind here: a format may not apply, or a row may be longer.
    bool otherPattern() const { return std::holds_alternative<SiblingKind>(what); }
};

/// Variants of a target by index, in one file of shared memory, because processes hold few files. `key`: the
/// target's. Each variant depends only on the target and on `seedOf` its index.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeVariants(const std::string& key, const Csr& target, const std::vector<std::size_t>& indices,
             const std::function<std::uint64_t(std::size_t)>& seedOf);
/// All changes, all kinds except Random, all single recipes, as many random recipes, and as many foreign
/// values.
std::size_t targetVariantCount();
inline constexpr std::size_t drawnRecipes = 8, drawnForeign = 4;

/// The target with each foreign value, or with a random subset.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeForeignVariants(const std::string& key, const Csr& target, std::size_t most, Rng rng);

/// At most `most` siblings of the target, in siblingOrder; half of them with values of timed calls. `file`: a
/// unique name of shared memory.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeSiblings(const std::string& file, const Csr& target, bool every, std::size_t most, Rng rng);

/// Vectors that reveal the difference of a variant. With `every`: one of each timed kind if the last bits of
/// a single value or element of x matter, and the usual companions of such values (a pattern by a mask, by
/// ones and by magnitudes, integers by integers, ...).
std::vector<Input> variantInputs(const ContentsVariant& variant, std::int64_t columns, bool every, Rng& rng);
/// At most `most` other kinds of x for a kind of values, at random. None if results must be exact.
std::vector<Input> companionInputs(const ContentsVariant& variant, std::int64_t columns, std::size_t most,
                                   Rng& rng);
/// The number of companion inputs if they are cheap.
inline constexpr std::size_t usualCompanions = 2;

/// The variants for one judgement of a target: all if `every`, limited to `mostBytes` of matrices; otherwise
/// one at random.
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
