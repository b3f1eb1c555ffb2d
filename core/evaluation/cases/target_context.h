// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/exact_values.h"
#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/oracle.h"
#include "evaluation/cases/shared_matrix.h"
#include "evaluation/cases/target_variants.h"
#include "matrix/target.h"
#include "target/workload.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sparserl {

/// A matrix similar to the target and small enough for every check.
struct Relative
{
    SharedMatrix exact, wide, own; ///< With exact values, with wide values and with the target's own values.
    ExactValues exactValues;       ///< Values of the kind Linear, without their matrix.
    Scaling scaling;
    InputRange range; ///< Range of `own`.

    static Result<Relative> make(const std::string& key, const Csr& pattern, Rng& rng);
};

/// A larger matrix similar to the target. `exact` has exact values and `own` the target's values.
struct LargeRelative
{
    SharedMatrix exact, own;
    ExactValues exactValues; ///< Values of `exact`, without their matrix.
    InputRange range;        ///< Range of `own`.
};

/// The inputs of one evaluation with their references.
struct EvaluationInputs
{
    Numbers exact; ///< For exact(). The result has no rounding error.
    Numbers first; ///< For the matrix's own values.
    Input timed;   ///< For timed().
    InputKind firstKind = InputKind::Random;
    Numbers wide;               ///< For wide(). Its reference is set if every kind is used.
    Input checked;              ///< An input of any kind, for the matrix's own values with every check.
    std::vector<Input> special; ///< For the matrix's own values.
    Reference exactReference, firstReference, timedReference, wideReference, checkedReference;
    std::vector<Reference> specialReferences;
};

/// All data about a target's contents that do not depend on the program: variants, inputs, sizes. Values
/// other than the target's own depend on the judge's secret; inputs also depend on the request's seed.
/// Targets that differ only in their dense columns share a context; each element type has its own. Only one
/// thread at a time may call functions that create something on demand. Several threads may call bytes() and
/// the functions that return existing data.
class TargetContext
{
public:
    /// With `everyKind`, each evaluation uses every kind of input on the matrix itself, otherwise a random
    /// choice.
    static Result<std::shared_ptr<TargetContext>> make(const Target& target, std::uint64_t secret,
                                                       bool everyKind = true);

    /// Returns a text that identifies the contents and, if it is not float32, the element type. It is equal
    /// for all targets that share the context.
    const std::string& digest() const { return m_digest; }
    ElementType type() const { return m_own.matrix->type; } ///< Type of all values and vectors.
    const SharedMatrix& own() const { return m_own; }       ///< The matrix with its own values.
    const SharedMatrix& exact() const { return m_exact; }   ///< The matrix with values from ExactValues.
    /// Returns the matrix with values from withWideValues(). Creates it on demand, because only judgements
    /// with every kind on a simulated device need it.
    Result<SharedMatrix> wide();
    /// Returns the matrix with secret values (withTimedValues), for timed calls.
    const SharedMatrix& timed() const { return m_timed; }
    const InputRange& range() const { return m_range; }           ///< Range of own().
    const InputRange& timedRange() const { return m_timedRange; } ///< Range of timed().
    const Relative& relative() const { return m_relative; }
    /// Returns the large relative, which is created on demand. Its size depends on the number of dense
    /// columns.
    Result<std::shared_ptr<const LargeRelative>> largeRelative(std::int64_t columns);
    /// These create vectors for exact() and for wide(): cols x columns elements.
    Numbers exactVector(std::int64_t columns, Rng& rng) const { return m_exactValues.vector(columns, rng); }
    Numbers wideVector(std::int64_t columns, Rng& rng) const
    {
        return sparserl::wideVector(m_scaling, columns, rng);
    }
    std::int64_t bytes() const { return m_bytes; }

    /// Returns the digest() of a target's context.
    static std::string digestFor(const TargetId& id);

    /// Returns the inputs for a seed. Keeps the inputs of the last few seeds.
    std::shared_ptr<const EvaluationInputs> inputs(std::uint64_t seed, std::int64_t columns);

    /// Returns the target with other values, for one judgement: all variants if the judge uses every kind,
    /// otherwise one. The inputs of a variant follow one another. After the variants come the target's
    /// siblings: all, or one at random.
    using VariantCases = std::vector<VariantCase>;
    Result<std::shared_ptr<const VariantCases>> variants(std::uint64_t seed, std::int64_t columns,
                                                         bool withCompanions);

    /// Returns the small relative with other values, if every kind is used. Each variant has a vector that
    /// reveals single values. The variants cover each change, kind, recipe and foreign number or, if rows are
    /// long, a random subset. They are the same in all judgements.
    Result<std::shared_ptr<const VariantCases>> smallVariants(std::int64_t columns);

    /// Returns the large relative with other values, each with a vector that reveals them. The variants are
    /// the same in all judgements.
    Result<std::shared_ptr<const VariantCases>> largeVariants(std::int64_t columns);

    /// Returns the workload of a call for a variant of these contents.
    Workload workload(const TargetVariant& variant) const { return {variant, m_sizes}; }

private:
    TargetContext() = default;
    Status share(SharedMatrix& place, const char* kind, std::shared_ptr<const Csr> csr);
    std::string m_digest;
    std::uint64_t m_secret = 0;
    bool m_everyKind = true;
    /// Creates the missing variants.
    Status makeVariants(const std::vector<std::size_t>& indices);
    using Variants = std::vector<std::shared_ptr<const ContentsVariant>>;
    /// Returns the siblings for a random lot. If not every kind is used, there are `variantSeeds` different
    /// lots.
    Result<Variants> siblings(std::uint64_t lot, std::int64_t columns);

    SharedMatrix m_own, m_exact, m_wide, m_timed;
    InputRange m_range, m_timedRange;
    ExactValues m_exactValues; ///< Values of exact(), without their matrix.
    Scaling m_scaling;
    Rng m_wideValues; ///< The generator for wide()'s values, in its initial state.
    Relative m_relative;
    std::map<std::int64_t, std::shared_ptr<const LargeRelative>> m_largeRelatives; ///< By number of entries.
    SparseSizes m_sizes;
    std::atomic<std::int64_t> m_bytes = 0;
    std::map<std::pair<std::uint64_t, std::int64_t>, std::shared_ptr<const EvaluationInputs>> m_inputs;
    std::map<std::size_t, std::shared_ptr<const ContentsVariant>> m_variants;
    /// By lot and number of columns: more columns mean fewer siblings.
    std::map<std::pair<std::uint64_t, std::int64_t>, Variants> m_siblings;
    std::map<std::tuple<std::uint64_t, std::int64_t, bool>, std::shared_ptr<const VariantCases>>
        m_variantCases;
    std::map<std::int64_t, std::shared_ptr<const VariantCases>> m_smallVariants,
        m_largeVariants; ///< By number of columns.
};

/// Derives a seed for one purpose from the judge's secret, with SHA-256, so that no seed that a program can
/// observe reveals another one.
std::uint64_t deriveSeed(std::uint64_t secret, std::uint64_t seed, std::string_view purpose);

} // namespace sparserl
