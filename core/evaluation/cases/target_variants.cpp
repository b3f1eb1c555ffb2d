// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/target_variants.h"

#include "base/hash.h"
#include "base/rng.h"
#include "evaluation/cases/foreign_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>

namespace sparserl {

namespace {

constexpr std::array kinds{InputKind::Ones, InputKind::Positive, InputKind::Constant, InputKind::Sparse,
                           InputKind::Zeros};
constexpr std::array patterns{InputPattern::Mask,     InputPattern::Negative,  InputPattern::Signs,
                              InputPattern::Integers, InputPattern::Ascending, InputPattern::FewValues};

/// Numbers of kinds of x, and of patterns after them.
std::size_t at(InputKind kind)
{
    return static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
}
std::size_t at(InputPattern pattern)
{
    return kinds.size() +
           static_cast<std::size_t>(std::find(patterns.begin(), patterns.end(), pattern) - patterns.begin());
}

/// Number of the x that is to elements what a kind of values is to values: users have both at once.
std::size_t likeValues(ValueKind kind)
{
    switch (kind) {
    case ValueKind::Ones: // Of a graph: a step of a search.
        return at(InputPattern::Mask);
    case ValueKind::Constant:
        return at(InputKind::Constant);
    case ValueKind::SmallIntegers:
    case ValueKind::Bytes:
        return at(InputPattern::Integers);
    case ValueKind::Negative:
        return at(InputPattern::Negative);
    case ValueKind::Signs:
        return at(InputPattern::Signs);
    case ValueKind::FewDistinct:
        return at(InputPattern::FewValues);
    case ValueKind::Ascending:
        return at(InputPattern::Ascending);
    case ValueKind::SomeZeros:
        return at(InputKind::Zeros);
    default:
        return at(InputKind::Positive); // Most are.
    }
}

constexpr std::size_t companions = kinds.size() + patterns.size() + 2; ///< Two composed ones.

/// One of them.
Input companion(std::size_t index, const InputRange& range, std::int64_t columns, Rng& rng)
{
    if (index < kinds.size())
        return makeInput(kinds[index], range, columns, rng, Disguise::Never);
    if (index - kinds.size() < patterns.size())
        return patternedInput(patterns[index - kinds.size()], range, columns, rng);
    return patternedInput(InputPattern::Composed, range, columns, rng); // The rest.
}

/// What users of such values multiply by: what is like them, and a pattern also by ones and by sizes.
std::vector<std::size_t> usual(ValueKind kind)
{
    if (kind == ValueKind::Ones)
        return {likeValues(kind), at(InputKind::Ones), at(InputKind::Positive)};
    return {likeValues(kind)};
}

/// Where what is different about a variant shows.
std::vector<Input> shownBy(const ContentsVariant& variant, std::int64_t columns, bool every, Rng& rng)
{
    const auto is = [&](auto what) { return variant.what == decltype(variant.what)(what); };
    // A program may keep fewer bits where x looks as in timed calls, or where it does not.
    if (every && is(ValueKind::Lone))
        return {makeInput(InputKind::Random, variant.range, columns, rng),
                makeInput(InputKind::Octaves, variant.range, columns, rng),
                makeInput(InputKind::Wide, variant.range, columns, rng),
                makeInput(InputKind::Balanced, variant.range, columns, rng)};
    if (every && variant.exact())
        return {makeInput(InputKind::Random, variant.range, columns, rng),
                makeInput(InputKind::Balanced, variant.range, columns, rng)};
    if (const auto* foreign = std::get_if<ForeignValue>(&variant.what))
        return {unitInput(foreign->column, variant.range, columns, rng)};
    // Where a row has one product, the last bits of a value show.
    const auto* recipe = std::get_if<ValueRecipe>(&variant.what);
    if (is(ValueChange::LowerHalves) || is(ValueChange::LastBits) || is(ValueChange::LastUnits) ||
        (recipe && recipe->units != ValueRecipe::Units::None))
        return {makeInput(InputKind::Sparse, variant.range, columns, rng, Disguise::Never)};
    // Nowhere else may x be as large as it can.
    if (is(ValueKind::Tiny))
        return {patternedInput(InputPattern::LastOctave, variant.range, columns, rng)};
    // Each value must show in y: no zeros, and no products that are lost beside others.
    return {makeInput(!variant.exact() && rng.next() & 1 ? InputKind::Balanced : InputKind::Random,
                      variant.range, columns, rng)};
}

/// Changes, and kinds but Random.
constexpr std::size_t ofLists = valueChangeCount + valueKindCount - 1;

Csr withForeign(ContentsVariant& variant, const Csr& target, double number, Rng& rng)
{
    Csr matrix = target;
    const std::size_t place = placeForeign(matrix, number, rng);
    variant.what = ForeignValue{matrix.col[place]};
    return matrix;
}

/// What the variant is, and its matrix.
Csr valuesOf(ContentsVariant& variant, const Csr& target, std::size_t index, std::uint64_t seed)
{
    Rng rng(seed);
    if (index < valueChangeCount) {
        const auto change = static_cast<ValueChange>(index);
        variant.what = change;
        return withChangedValues(target, change, rng);
    }
    if (index < ofLists) {
        const auto kind = static_cast<ValueKind>(index - valueChangeCount + 1);
        variant.what = kind;
        return withValues(target, kind, rng);
    }
    const auto singles = singleValueRecipes();
    const std::size_t at = index - ofLists;
    if (at >= singles.size() + drawnRecipes && target.nnz() > 0) {
        const auto numbers = foreignNumbers(target.type, rng);
        return withForeign(variant, target, numbers[rng.below(numbers.size())], rng);
    }
    const ValueRecipe recipe = at < singles.size() ? singles[at] : drawValueRecipe(rng);
    variant.what = recipe;
    return withRecipe(target, recipe, rng);
}

/// Variants in the making.
class Variants
{
public:
    /// `values` says what the variant is, and gives its matrix.
    template <typename Values>
    void add(const Values& values)
    {
        auto made = std::make_shared<ContentsVariant>();
        m_matrices.push_back(std::make_shared<const Csr>(values(*made)));
        made->range = InputRange::of(*m_matrices.back());
        m_made.push_back(std::move(made));
    }
    std::size_t size() const { return m_made.size(); }
    /// In one file of this name.
    Result<std::vector<std::shared_ptr<const ContentsVariant>>> share(const std::string& file) &&
    {
        if (m_made.empty())
            return std::vector<std::shared_ptr<const ContentsVariant>>{};
        SPARSERL_TRY(auto shared, SharedMatrix::makeAll(file, std::move(m_matrices)));
        for (std::size_t i = 0; i < m_made.size(); ++i)
            m_made[i]->matrix = std::move(shared[i]);
        return std::vector<std::shared_ptr<const ContentsVariant>>(m_made.begin(), m_made.end());
    }

private:
    std::vector<std::shared_ptr<ContentsVariant>> m_made;
    std::vector<std::shared_ptr<const Csr>> m_matrices;
};

/// Nothing where results have to be exact: they are for few vectors only.
std::optional<ValueKind> kindOf(const ContentsVariant& variant)
{
    const auto* kind = std::get_if<ValueKind>(&variant.what);
    return kind && !variant.exact() ? std::optional(*kind) : std::nullopt;
}

/// Of a large matrix, at least so many variants are met, whatever they take.
constexpr std::int64_t fewestVariants = 4;

} // namespace

std::size_t targetVariantCount()
{
    return ofLists + singleValueRecipes().size() + drawnRecipes + drawnForeign;
}

Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeVariants(const std::string& key, const Csr& target, const std::vector<std::size_t>& indices,
             const std::function<std::uint64_t(std::size_t)>& seedOf)
{
    Variants variants;
    for (const std::size_t index : indices)
        variants.add([&](ContentsVariant& made) { return valuesOf(made, target, index, seedOf(index)); });
    // The name says what is in it: runners keep files by their names.
    return std::move(variants).share(
        indices.size() == 1
            ? fmt::format("{}/variant {}", key, indices.front())
            : fmt::format("{}/variants {:x}", key, seedFrom(fmt::format("{}", fmt::join(indices, " ")))));
}

Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeForeignVariants(const std::string& key, const Csr& target, std::size_t most, Rng rng)
{
    Variants variants;
    std::vector<double> numbers = foreignNumbers(target.type, rng);
    rng.shuffle(numbers);
    numbers.resize(target.nnz() > 0 ? std::min(numbers.size(), most) : 0);
    for (const double number : numbers)
        variants.add([&](ContentsVariant& made) { return withForeign(made, target, number, rng); });
    return std::move(variants).share(fmt::format("{}/foreign {}", key, numbers.size()));
}

Result<std::vector<std::shared_ptr<const ContentsVariant>>>
makeSiblings(const std::string& file, const Csr& target, bool every, std::size_t most, Rng rng)
{
    Variants variants;
    for (const SiblingKind kind : siblingOrder(every, rng)) {
        if (variants.size() == most)
            break;
        auto other = sibling(target, kind, rng);
        if (!other)
            continue;
        variants.add([&](ContentsVariant& made) {
            made.what = kind;
            return rng.next() & 1 ? withTimedValues(*other, rng) : std::move(*other);
        });
    }
    return std::move(variants).share(file);
}

std::vector<Input> variantInputs(const ContentsVariant& variant, std::int64_t columns, bool every, Rng& rng)
{
    std::vector<Input> inputs = shownBy(variant, columns, every, rng);
    if (const auto* recipe = std::get_if<ValueRecipe>(&variant.what); recipe && every) {
        if (recipe->isSmall())
            inputs.push_back(patternedInput(InputPattern::Full, variant.range, columns, rng));
        if (recipe->isLarge())
            inputs.push_back(makeInput(InputKind::Subnormal, variant.range, columns, rng, Disguise::Never));
    }
    if (const auto kind = kindOf(variant); kind && every)
        for (const std::size_t one : usual(*kind))
            inputs.push_back(companion(one, variant.range, columns, rng));
    return inputs;
}

std::vector<Input> companionInputs(const ContentsVariant& variant, std::int64_t columns, std::size_t most,
                                   Rng& rng)
{
    const auto kind = kindOf(variant);
    if (!kind)
        return {};
    const auto before = usual(*kind);
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < companions; ++i)
        if (std::find(before.begin(), before.end(), i) == before.end())
            others.push_back(i);
    rng.shuffle(others);
    others.resize(std::min(most, others.size()));
    std::vector<Input> inputs;
    inputs.reserve(others.size());
    for (const std::size_t one : others)
        inputs.push_back(companion(one, variant.range, columns, rng));
    return inputs;
}

std::vector<std::size_t> drawVariants(bool every, std::int64_t bytes, std::int64_t mostBytes, Rng& rng)
{
    constexpr std::size_t few = 0;
    static_assert(static_cast<ValueChange>(few) == ValueChange::Few);
    if (!every) // What a program can gain by is to know the values, so most are nearly the target.
        return {rng.next() & 1   ? few
                : rng.next() & 1 ? 1 + rng.below(valueChangeCount - 1)
                                 : valueChangeCount + rng.below(targetVariantCount() - valueChangeCount)};
    std::vector<std::size_t> all(targetVariantCount());
    std::iota(all.begin(), all.end(), std::size_t(0));
    const std::int64_t most = std::max(fewestVariants, mostBytes / std::max<std::int64_t>(bytes, 1));
    if (static_cast<std::int64_t>(all.size()) <= most)
        return all;
    // What is nearly the target tells most, so recipes take what room is left.
    std::vector<std::size_t> drawn(all.begin() + 1, all.begin() + ofLists),
        recipes(all.begin() + ofLists, all.end());
    rng.shuffle(drawn);
    rng.shuffle(recipes);
    drawn.insert(drawn.begin(), few);
    drawn.insert(drawn.end(), recipes.begin(), recipes.end());
    drawn.resize(static_cast<std::size_t>(most));
    return drawn;
}

} // namespace sparserl
