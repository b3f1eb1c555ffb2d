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
    SharedMatrix exact, wide, own; ///< `own`: with the target's values.
    ExactValues exactValues;       ///< Linear, without its matrix.
    Scaling scaling;
    InputRange range; ///< Range of `own`.

    static Result<Relative> make(const std::string& key, const Csr& pattern, Rng& rng);
};

/// With exact values for every check, and with the target's values.
struct LargeRelative
{
    SharedMatrix exact, own;
    ExactValues exactValues; ///< Without its matrix.
    InputRange range;        ///< Range of `own`.
};

/// The inputs of one evaluation with their references.
struct EvaluationInputs
{
    Numbers exact; ///< For exact(): the result has no error.
    Numbers first; ///< For the matrix's own values.
    Input timed;   ///< For timed().
    InputKind firstKind = InputKind::Random;
    Numbers wide;               ///< For wide(); its reference exists if every kind is used.
    Input checked;              ///< An input of any kind, for the matrix's own values with every check.
    std::vector<Input> special; ///< For the matrix's own values.
    Reference exactReference, firstReference, timedReference, wideReference, checkedReference;
    std::vector<Reference> specialReferences;
};

/// All data about a target's contents that do not depend on the program: variants, inputs, bytes. Values
/// other than its own depend on the judge's secret, inputs also on the request's seed. Targets that differ
/// only in their dense columns share a context; each element type has its own. Functions that create on
/// demand are for one thread at a time; bytes() and references to what exists from the beginning are for all.
class TargetContext
{
public:
    /// `everyKind`: each evaluation uses every kind of input on the matrix itself, rather than a random
    /// choice.
    static Result<std::shared_ptr<TargetContext>> make(const Target& target, std::uint64_t secret,
                                                       bool everyKind = true);

    /// Identifies the contents, and the element type if it is not float32. Equal for all targets that share
    /// the context.
    const std::string& digest() const { return m_digest; }
    ElementType type() const { return m_own.matrix->type; } ///< Type of all values and vectors.
    const SharedMatrix& own() const { return m_own; }       ///< With its own values.
    const SharedMatrix& exact() const { return m_exact; }   ///< With values from ExactValues.
    /// With values from withWideValues. Created on demand: only judgements with every kind on a simulated
    /// device need it.
    Result<SharedMatrix> wide();
    /// With secret values (withTimedValues), for timed calls.
    const SharedMatrix& timed() const { return m_timed; }
    const InputRange& range() const { return m_range; }           ///< Range of own().
    const InputRange& timedRange() const { return m_timedRange; } ///< Range of timed().
    const Relative& relative() const { return m_relative; }
    /// The large relative, created on demand. Its size depends on the number of dense columns.
    Result<std::shared_ptr<const LargeRelative>> largeRelative(std::int64_t columns);
    /// Vectors for exact() and for wide(): cols x columns elements.
    Numbers exactVector(std::int64_t columns, Rng& rng) const { return m_exactValues.vector(columns, rng); }
    Numbers wideVector(std::int64_t columns, Rng& rng) const
    {
        return sparserl::wideVector(m_scaling, columns, rng);
    }
    std::int64_t bytes() const { return m_bytes; }

    /// The digest() of a target.
    static std::string digestFor(const TargetId& id);

    /// The inputs for a seed, cached for the last few seeds.
    std::shared_ptr<const EvaluationInputs> inputs(std::uint64_t seed, std::int64_t columns);

    /// The target with other values, for one judgement: all variants if it uses every kind, otherwise one.
    /// Each variant is listed with its inputs in sequence. Then the target's siblings: all, or one at random.
    using VariantCases = std::vector<VariantCase>;
    Result<std::shared_ptr<const VariantCases>> variants(std::uint64_t seed, std::int64_t columns,
                                                         bool withCompanions);

    /// If every kind is used: the small relative with other values, each with a vector that reveals single
    /// values. Covers each change, kind and recipe, and each foreign number; a random subset if its rows are
    /// long. The same in all judgements.
    Result<std::shared_ptr<const VariantCases>> smallVariants(std::int64_t columns);

    /// The large relative with other values, each with a vector that reveals them. The same in all
    /// judgements.
    Result<std::shared_ptr<const VariantCases>> largeVariants(std::int64_t columns);

    /// The workload of a call for a variant of these contents.
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
    /// The siblings for a lot number. If not every kind is used, there are `variantSeeds` lots.
    Result<Variants> siblings(std::uint64_t lot, std::int64_t columns);

    SharedMatrix m_own, m_exact, m_wide, m_timed;
    InputRange m_range, m_timedRange;
    ExactValues m_exactValues; ///< Without its matrix.
    Scaling m_scaling;
    Rng m_wideValues; ///< State at the beginning of wide()'s values.
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

/// A seed for one purpose from the judge's secret, by SHA-256: no observable seed reveals another.
std::uint64_t deriveSeed(std::uint64_t secret, std::uint64_t seed, std::string_view purpose);

} // namespace sparserl
