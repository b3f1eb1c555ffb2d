// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/protocol/gpu_jobs.h"

#include <map>
#include <memory>
#include <vector>

namespace sparserl {

/// Vectors of evaluations on a GPU, shared with its runner under a key, and what they should give.
struct GpuInputs
{
    std::string key;
    std::shared_ptr<SharedBuffer> buffer;
    /// For the matrix with exact values, as it is, and with wide ones.
    NumberRange exact, first, wide;
    std::vector<NumberRanges> ring;   ///< With values that nobody knows, of timedKinds: signs are random.
    std::vector<NumberRange> special; ///< As it is, of all kinds.
    Reference exactReference, firstReference, wideReference;
    std::vector<Reference> specialReferences;
    std::shared_ptr<const TargetContext::VariantCases> variants; ///< With other values.
    std::vector<NumberRange> variantInputs;
    std::int64_t bytes = 0;
};

/// A few sets of vectors for each matrix. Programs keep nothing between evaluations (the gate, a fresh
/// module), so sets may serve again; what a program is re-run with in quarantine was never used before.
class GpuInputSets
{
public:
    /// `everyKind`: as JudgeOptions has it.
    GpuInputSets(std::uint64_t secret, bool everyKind)
        : m_secret(secret)
        , m_everyKind(everyKind)
    {
    }
    /// One of the sets of this matrix, chosen by the request's seed.
    Result<std::shared_ptr<const GpuInputs>> forSeed(TargetContext& matrix, std::int64_t columns,
                                                     std::uint64_t seed);
    /// Vectors that nothing else gets.
    Result<std::shared_ptr<const GpuInputs>> unused(TargetContext& matrix, std::int64_t columns);

private:
    Result<std::shared_ptr<const GpuInputs>> make(TargetContext& matrix, std::int64_t columns,
                                                  const std::string& purpose, std::uint64_t number) const;
    struct Sets
    {
        std::vector<std::shared_ptr<const GpuInputs>> sets;
        std::uint64_t lastUse = 0;
    };
    std::uint64_t m_secret;
    bool m_everyKind;
    std::uint64_t m_clock = 0, m_unused = 0;
    std::map<std::pair<std::string, std::int64_t>, Sets> m_sets;
};

} // namespace sparserl
