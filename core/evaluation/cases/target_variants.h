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

/// One value of a target is one of foreignNumbers.
struct ForeignValue
{
    std::int32_t column = 0; ///< Of the value.

    friend bool operator==(const ForeignValue&, const ForeignValue&) = default;
};

/// Contents with a target's sizes: its pattern with other values (nearly its own, of a kind that real
/// matrices have, or composed), or another pattern (a sibling) with its values or with those of timed calls.
/// What a program may know of a target ends there (docs/kernel-programs.md).
struct ContentsVariant
{
    std::variant<ValueChange, ValueKind, ValueRecipe, ForeignValue, SiblingKind> what;
    SharedMatrix matrix;
    InputRange range;

    /// To the last bit: no order of summation rounds anything.
    bool exact() const { return what == decltype(what)(ValueKind::Selection); }
    bool composed() const { return std::holds_alternative<ValueRecipe>(what); }
    /// A plan that binds on the target may not bind here: a format does not apply, a row is longer.
    bool otherPattern() const { return std::holds_alternative<SiblingKind>(what); }
};

/// Variants of a target by their indices, in one file of shared memory: processes hold few files. `key`: the
/// target's; each variant depends on the target and on `seedOf` its index alone.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeVariants(const std::string& key, const Csr& target, const std::vector<std::size_t>& indices,
             const std::function<std::uint64_t(std::size_t)>& seedOf);
/// All changes, then all kinds but Random, all single recipes, as many recipes whose choices are drawn, and
/// as many foreign values.
std::size_t targetVariantCount();
inline constexpr std::size_t drawnRecipes = 8, drawnForeign = 4;

/// The target with one foreign value, for each of them, or for so many by lot.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeForeignVariants(const std::string& key, const Csr& target, std::size_t most, Rng rng);

/// Siblings of the target, as many as it has up to `most`, in siblingOrder; half of them with values of timed
/// calls. `file`: of shared memory, which nothing else has.
Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeSiblings(const std::string& file, const Csr& target, bool every, std::size_t most, Rng rng);

/// Vectors that show what is different about it. With `every`, one of each timed kind where the last bits of
/// a single value or of a single element of x show, and what users of such values multiply by (a pattern by a
/// mask, by ones and by sizes, integers by integers, ...).
std::vector<Input> variantInputs(const ContentsVariant& variant, std::int64_t columns, bool every, Rng& rng);
/// At most `most` other kinds of x for a kind of values, by lot. None where results have to be exact.
std::vector<Input> companionInputs(const ContentsVariant& variant, std::int64_t columns, std::size_t most,
                                   Rng& rng);
/// What companionInputs is asked for where it costs little.
inline constexpr std::size_t usualCompanions = 2;

/// Those that one judgement of a target meets: where `every`, all of them, or as many as `mostBytes` of
/// matrices allow; else one by lot.
std::vector<std::size_t> drawVariants(bool every, std::int64_t bytes, std::int64_t mostBytes, Rng& rng);

/// A variant with an input, and what it should give.
struct VariantCase
{
    std::shared_ptr<const ContentsVariant> variant;
    Input input;
    Reference expected;
    bool companion = false; ///< The input is one of companionInputs.
};

} // namespace sparserl
