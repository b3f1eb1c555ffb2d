// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/target_variants.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace sparserl {

namespace {

/// Of a large matrix, at least so many variants are met, whatever they take.
constexpr std::int64_t fewestVariants = 4;

} // namespace

Result<std::shared_ptr<const ValueVariant>> ValueVariant::make(const std::string& key, const Csr& target,
                                                               std::size_t index, std::uint64_t seed)
{
    Rng rng(seed);
    auto made = std::make_shared<ValueVariant>();
    auto values = std::make_shared<Csr>();
    if (index < valueChangeCount) {
        const auto change = static_cast<ValueChange>(index);
        made->what = change;
        *values = withChangedValues(target, change, rng);
    } else {
        const auto kind = static_cast<ValueKind>(index - valueChangeCount + 1);
        made->what = kind;
        *values = withValues(target, kind, rng);
    }
    made->range = InputRange::of(*values);
    SPARSERL_TRY(auto shared,
                 SharedMatrix::make(fmt::format("{}/variant {}", key, index), std::move(values)));
    made->matrix = std::move(shared);
    return std::shared_ptr<const ValueVariant>(std::move(made));
}

std::vector<Input> variantInputs(const ValueVariant& variant, std::int64_t columns, bool every, Rng& rng)
{
    const auto is = [&](auto what) { return variant.what == decltype(variant.what)(what); };
    // A program may keep fewer bits where x looks as in timed calls, or where it does not.
    if (every && is(ValueKind::Lone))
        return {makeInput(InputKind::Random, variant.range, columns, rng),
                makeInput(InputKind::Wide, variant.range, columns, rng),
                makeInput(InputKind::Balanced, variant.range, columns, rng)};
    if (every && variant.exact())
        return {makeInput(InputKind::Random, variant.range, columns, rng),
                makeInput(InputKind::Balanced, variant.range, columns, rng)};
    // Where a row has one product, the last bits of a value show.
    if (is(ValueChange::LowerHalves) || is(ValueChange::LastBits))
        return {makeInput(InputKind::Sparse, variant.range, columns, rng, Disguise::Never)};
    // Nowhere else may x be as large as it can.
    if (is(ValueKind::Tiny))
        return {patternedInput(InputPattern::LastOctave, variant.range, columns, rng)};
    // Each value must show in y: no zeros, and no products that are lost beside others.
    return {makeInput(!variant.exact() && rng.next() & 1 ? InputKind::Balanced : InputKind::Random,
                      variant.range, columns, rng)};
}

std::vector<std::size_t> drawVariants(bool every, std::int64_t bytes, std::int64_t mostBytes, Rng& rng)
{
    constexpr std::size_t few = 0;
    static_assert(static_cast<ValueChange>(few) == ValueChange::Few);
    if (!every) // What a program can gain by is to know the values, so most are nearly the target.
        return {rng.next() & 1   ? few
                : rng.next() & 1 ? 1 + rng.below(valueChangeCount - 1)
                                 : valueChangeCount + rng.below(targetVariantCount - valueChangeCount)};
    std::vector<std::size_t> all(targetVariantCount);
    std::iota(all.begin(), all.end(), std::size_t(0));
    const std::int64_t most = std::max(fewestVariants, mostBytes / std::max<std::int64_t>(bytes, 1));
    if (static_cast<std::int64_t>(all.size()) <= most)
        return all;
    std::vector<std::size_t> others(all.begin() + 1, all.end());
    rng.shuffle(others);
    others.resize(static_cast<std::size_t>(most) - 1);
    others.push_back(few);
    return others;
}

} // namespace sparserl
