// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/steps/device_judge.h"
#include "evaluation/steps/gpu_inputs.h"

namespace sparserl {

/// The cases of one program on one matrix on a GPU: exact values, the same input five times, timing over a
/// ring of inputs; afterwards values of very different sizes, inputs of all kinds, and nearly the matrix's
/// own values; and, where the program takes them, other alpha and beta. Builds the job and judges the answer.
class GpuCheck
{
public:
    static constexpr int repeats = 5; ///< Compared bit by bit.

    /// `assemble`: the runner makes the cubin itself.
    static Result<GpuCheck> make(const TargetTask& task, const std::shared_ptr<const GpuInputs>& inputs,
                                 const JudgeOptions& options, std::uint64_t seed, bool assemble,
                                 double limitMicroseconds, const BaselineTiming& baseline);

    nlohmann::json body() const { return toJson(m_job); }
    const std::shared_ptr<SharedBuffer>& memory() const { return m_memory; }
    const JobFiles& files() const { return m_files; }

    /// Failure, determinism, time and launches. Fails where the answer is not one to this job.
    Result<TargetFindings> judge(const GpuAnswer& answer) const;

private:
    GpuCheck() = default;
    /// Adds the case of y = alpha A x + beta y, and turns siblings into such calls by lot, `bytes` of memory
    /// being taken.
    void addScaled(const TargetTask& task, bool everyKind, std::uint64_t seed, std::uint64_t& bytes);
    std::optional<CaseFailure> faultOf(const CaseAnswer& answer) const;
    std::optional<CaseFailure> wrong(const NumberRange& output, const Reference& expected, bool exact,
                                     TargetFindings& findings) const;
    std::optional<CaseFailure> compareRepeats(TargetFindings& findings) const;
    NumberView numbersAt(const NumberRange& range) const;

    GpuJob m_job;
    ElementType m_type = ElementType::F32;
    bool m_flushes = false; ///< Float atomics flush what is below the normal range.
    bool m_atomic = false;  ///< The order of summation is free.
    std::vector<std::vector<const Reference*>> m_after;       ///< Of each case and output; of m_inputs.
    std::vector<bool> m_exact;                                ///< Of each of those: to the last bit.
    std::vector<std::shared_ptr<const Reference>> m_expected; ///< Of calls with factors.
    std::vector<std::pair<std::uint64_t, Numbers>> m_before;  ///< What y holds in them, by its place.
    std::shared_ptr<SharedBuffer> m_memory;
    std::shared_ptr<const GpuInputs> m_inputs;
    JobFiles m_files;
};

} // namespace sparserl
