// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/gpu_cases.h"
#include "evaluation/judge_options.h"
#include "evaluation/steps/device_judge.h"

namespace sparserl {

/// The cases of one program on one target on a GPU. Creates the job and judges the answer.
class GpuCheck
{
public:
    /// With `assemble`, the runner creates the cubin itself.
    static Result<GpuCheck> make(const TargetTask& task, GpuCases cases, const JudgeOptions& options,
                                 bool assemble, double limitMicroseconds, const BaselineTiming& baseline);

    nlohmann::json body() const { return toJson(m_job); }
    const std::shared_ptr<SharedBuffer>& memory() const { return m_memory; }
    const JobFiles& files() const { return m_files; }

    /// Returns failure, determinism, time and launches. Fails if the answer does not fit this job.
    Result<TargetFindings> judge(const GpuAnswer& answer) const;

private:
    GpuCheck() = default;
    /// Returns the message for some calls. Reserves memory for their outputs and initial outputs from offset
    /// `bytes`, which it increases.
    GpuCase caseOf(const GpuCalls& calls, std::uint64_t& bytes);
    std::optional<CaseFailure> faultOf(const CaseAnswer& answer) const;
    std::optional<CaseFailure> wrong(const CallRanges& call, const Expectation& expected, bool exact,
                                     TargetFindings& findings) const;
    std::optional<CaseFailure> compareRepeats(TargetFindings& findings) const;
    NumberView numbersAt(const NumberRange& range) const;

    GpuCases m_cases;
    GpuJob m_job;
    bool m_flushes = false; ///< Float atomics flush subnormal numbers.
    bool m_atomic = false;  ///< Atomics make the order of summation free.
    std::shared_ptr<SharedBuffer> m_memory;
    JobFiles m_files;
};

} // namespace sparserl
