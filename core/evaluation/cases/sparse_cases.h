// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/sparse_battery.h"
#include "evaluation/cases/sparse_gpu_inputs.h"
#include "evaluation/cases/target_cases.h"

#include <memory>
#include <mutex>
#include <string>

namespace sparserl {

/// The cases for targets of the kind Sparse: y = A x and C = A B with a sparse A.
class SparseKind : public KindCases
{
public:
    /// `maker` must outlive the kind.
    static Result<std::unique_ptr<SparseKind>> make(const CaseMaker& maker);

    std::string digestOf(const TargetId& id) const override;
    Result<std::unique_ptr<TargetCases>> make(const Target& target) override;
    Result<CasePlan> battery(const TargetVariant& variant, FactorUse factors) override
    {
        return m_battery->cases(variant, factors);
    }
    ReferenceProgram reference(const TargetVariant& variant) const override
    {
        return referenceProgram(variant.task(), variant.type);
    }
    const SharedContents& small() const { return m_battery->smallMatrix(); }

private:
    explicit SparseKind(const CaseMaker& maker);

    const CaseMaker& m_maker;
    std::unique_ptr<SparseBattery> m_battery;
    GpuInputSets m_gpuInputs; ///< Shared by all targets of this kind.
    std::mutex m_largeOnes;   ///< Held while something is made for a large matrix.
};

} // namespace sparserl
