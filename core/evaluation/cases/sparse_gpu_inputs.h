// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/protocol/gpu_jobs.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace sparserl {

/// Vectors for evaluations on a GPU, with their references. Jobs refer to them by key, because the runner
/// keeps them.
struct GpuInputs
{
    std::string key;
    std::shared_ptr<SharedBuffer> buffer;
    /// Vectors for the matrix with exact values, with its own values, and with wide values.
    NumberRange exact, first, wide;
    std::vector<NumberRanges> ring;   ///< Vectors of timedKinds, with secret values and random signs.
    std::vector<NumberRange> special; ///< Vectors of all kinds, for the matrix's own values.
    Reference exactReference, firstReference, wideReference;
    std::vector<Reference> specialReferences;
    std::shared_ptr<const TargetContext::VariantCases> variants; ///< The matrix with other values.
    std::vector<NumberRange> variantInputs;
    std::int64_t bytes = 0;
};

/// A few sets of vectors per matrix. Programs keep no state between evaluations (the gate, a fresh module),
/// so sets are reused. A re-run in quarantine uses a set that was never used before. Several threads may use
/// this class at once if each uses another matrix.
class GpuInputSets
{
public:
    /// `everyKind` is as in JudgeOptions.
    GpuInputSets(std::uint64_t secret, bool everyKind)
        : m_secret(secret)
        , m_everyKind(everyKind)
    {
    }
    /// Returns one of the sets of this matrix, selected by the request's seed.
    Result<std::shared_ptr<const GpuInputs>> forSeed(TargetContext& matrix, std::int64_t columns,
                                                     std::uint64_t seed);
    /// Returns a new set, which is used nowhere else.
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
    std::mutex m_mutex; ///< Guards the members below. Not held while a set is created.
    std::uint64_t m_clock = 0, m_unused = 0;
    std::map<std::pair<std::string, std::int64_t>, Sets> m_sets;
};

} // namespace sparserl
