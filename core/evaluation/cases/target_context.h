// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/exact_values.h"
#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/oracle.h"
#include "evaluation/cases/shared_matrix.h"
#include "evaluation/cases/target_variants.h"
#include "matrix/target.h"
#include "target/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sparserl {

/// A matrix like the target for which every check is affordable.
struct Relative
{
    SharedMatrix exact, wide, own; ///< `own`: with values of the target.
    ExactValues exactValues;       ///< Linear, without its matrix.
    Scaling scaling;
    InputRange range; ///< Of `own`.

    static Result<Relative> make(const std::string& key, const Csr& pattern, Rng& rng);
};

/// Exact values for every check, and those of the target.
struct LargeRelative
{
    SharedMatrix exact, own;
    ExactValues exactValues; ///< Without its matrix.
    InputRange range;        ///< Of `own`.
};

/// Inputs of one evaluation and what they should give.
struct EvaluationInputs
{
    Numbers exact; ///< For exact(): the result has no error.
    Numbers first; ///< For the matrix as it is.
    Input timed;   ///< For timed().
    InputKind firstKind = InputKind::Random;
    Numbers wide;               ///< For wide(); its reference is there where every kind is met.
    Input checked;              ///< Of any kind, for the matrix as it is with every check.
    std::vector<Input> special; ///< For the matrix as it is.
    Reference exactReference, firstReference, timedReference, wideReference, checkedReference;
    std::vector<Reference> specialReferences;
};

/// Everything about the contents of a target that does not depend on the program: variants, inputs, bytes.
/// Values other than its own depend on the judge's secret, inputs also on the request's seed. Targets that
/// differ in their dense columns share it; those of another element type have their own.
class TargetContext
{
public:
    /// `everyKind`: the matrix itself meets every kind of input in each evaluation, not some by lot.
    static Result<std::shared_ptr<TargetContext>> make(const Target& target, std::uint64_t secret,
                                                       bool everyKind = true);

    /// The target's contents, and its element type where that is not float32: what is equal for all that
    /// share the context.
    const std::string& digest() const { return m_digest; }
    ElementType type() const { return m_own.matrix->type; } ///< Of all values and vectors.
    const SharedMatrix& own() const { return m_own; }       ///< As it is.
    const SharedMatrix& exact() const { return m_exact; }   ///< With values of ExactValues.
    /// With values of withWideValues. Made when first asked for: a judgement that does not meet every kind on
    /// a simulated device never asks.
    Result<SharedMatrix> wide();
    /// With values that nobody knows (withTimedValues), for the calls that are timed.
    const SharedMatrix& timed() const { return m_timed; }
    const InputRange& range() const { return m_range; }           ///< Of own().
    const InputRange& timedRange() const { return m_timedRange; } ///< Of timed().
    const Relative& relative() const { return m_relative; }
    /// Made when first asked for; its size depends on the number of dense columns.
    Result<std::shared_ptr<const LargeRelative>> largeRelative(std::int64_t columns);
    /// Vectors for exact() and for wide(): cols x columns elements.
    Numbers exactVector(std::int64_t columns, Rng& rng) const { return m_exactValues.vector(columns, rng); }
    Numbers wideVector(std::int64_t columns, Rng& rng) const
    {
        return sparserl::wideVector(m_scaling, columns, rng);
    }
    std::int64_t bytes() const { return m_bytes; }

    /// What digest() is for a target.
    static std::string digestFor(const TargetId& id);

    /// Cached for the last few seeds.
    std::shared_ptr<const EvaluationInputs> inputs(std::uint64_t seed, std::int64_t columns);

    /// The target with other values, for one judgement: all variants where it meets every kind, else one.
    /// Each comes with its inputs one after the other. Then its siblings: all, or one by lot.
    using VariantCases = std::vector<VariantCase>;
    Result<std::shared_ptr<const VariantCases>> variants(std::uint64_t seed, std::int64_t columns,
                                                         bool withCompanions);

    /// The small relative with other values, each with a vector that shows single ones, where it meets every
    /// kind: of each change, kind and recipe, and with each foreign number; fewer by lot where its rows are
    /// long. The same in all judgements.
    Result<std::shared_ptr<const VariantCases>> smallVariants(std::int64_t columns);

    /// The large relative with other values, each with a vector that shows them: the same in all judgements.
    Result<std::shared_ptr<const VariantCases>> largeVariants(std::int64_t columns);

    /// What a variant of these contents asks of a call.
    Workload workload(const TargetVariant& variant) const { return {variant, m_sizes}; }

private:
    TargetContext() = default;
    Status share(SharedMatrix& place, const char* kind, std::shared_ptr<const Csr> csr);
    std::string m_digest;
    std::uint64_t m_secret = 0;
    bool m_everyKind = true;
    /// Those that were not made yet.
    Status makeVariants(const std::vector<std::size_t>& indices);
    using Variants = std::vector<std::shared_ptr<const ContentsVariant>>;
    /// Those of a lot; there are `variantSeeds` of them where not every kind is met.
    Result<Variants> siblings(std::uint64_t lot, std::int64_t columns);

    SharedMatrix m_own, m_exact, m_wide, m_timed;
    InputRange m_range, m_timedRange;
    ExactValues m_exactValues; ///< Without its matrix.
    Scaling m_scaling;
    Rng m_wideValues; ///< Where values of wide() begin.
    Relative m_relative;
    std::map<std::int64_t, std::shared_ptr<const LargeRelative>> m_largeRelatives; ///< By entries.
    SparseSizes m_sizes;
    std::int64_t m_bytes = 0;
    std::map<std::pair<std::uint64_t, std::int64_t>, std::shared_ptr<const EvaluationInputs>> m_inputs;
    std::map<std::size_t, std::shared_ptr<const ContentsVariant>> m_variants;
    /// By lot and columns: with more of them fewer are met.
    std::map<std::pair<std::uint64_t, std::int64_t>, Variants> m_siblings;
    std::map<std::tuple<std::uint64_t, std::int64_t, bool>, std::shared_ptr<const VariantCases>>
        m_variantCases;
    std::map<std::int64_t, std::shared_ptr<const VariantCases>> m_smallVariants,
        m_largeVariants; ///< By columns.
};

/// A seed for one purpose, from the judge's secret: SHA-256, so that nothing a program sees tells another.
std::uint64_t deriveSeed(std::uint64_t secret, std::uint64_t seed, std::string_view purpose);

} // namespace sparserl
