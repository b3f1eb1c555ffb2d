// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/flow.h"
#include "corpus/corpus.h"
#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/gpu_cases.h"
#include "evaluation/cases/shared_contents.h"
#include "machine/device_model.h"
#include "matrix/target.h"
#include "target/factors.h"
#include "target/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace sparserl {

/// The cases requested for a program on a target.
struct CaseRequest
{
    TargetVariant variant;
    FactorUse factors;         ///< Factors that the program takes.
    std::uint64_t seed = 0;    ///< From the request.
    bool checked = false;      ///< Already found correct: only its time is missing.
    bool measured = true;      ///< The time is requested.
    bool lineCounters = false; ///< Counts per line when timing.
};

/// The calls that a program is judged on: calls on a target and on its relatives, each with its expected
/// result. Judges, devices and timing iterate over them without knowing the kind of the target. Functions may
/// be called from several threads at once.
class TargetCases
{
public:
    virtual ~TargetCases() = default;

    /// Equal for targets that share these cases (KindCases::digestOf).
    virtual const std::string& digest() const = 0;
    virtual std::int64_t bytes() const = 0; ///< Approximate memory.
    virtual const SharedContents& own() const = 0;
    /// The workload of a call for a variant of these contents.
    virtual Workload workload(const TargetVariant& variant) const = 0;

    /// All cases of one evaluation on the simulated device.
    virtual Result<CasePlan> onSimulator(const CaseRequest& request) = 0;
    /// Cases that run on the simulator before any run on a GPU. `whole`: includes the target itself.
    virtual Result<CasePlan> beforeGpu(const CaseRequest& request, bool whole) = 0;
    /// Whether the target is small enough to be included in beforeGpu() (JudgeOptions::gpuSimulateAll).
    virtual bool isCheap(const TargetVariant& variant) const = 0;
    /// The target, or an affordable part, with every check and its own inputs.
    virtual Result<CasePlan> fullCheck(const CaseRequest& request) = 0;
    /// Cases on a GPU. `again`: with new inputs, to verify a doubtful time.
    virtual Result<GpuCases> onGpu(const CaseRequest& request, bool again) = 0;

    /// Of flows that make cases on other threads: one at a time, so that none of these threads waits.
    Turn turn;
};

/// The part of a kind that its targets share.
class KindCases
{
public:
    virtual ~KindCases() = default;
    /// The part of a target's identity that determines its cases.
    virtual std::string digestOf(const TargetId& id) const = 0;
    /// The cases of a target. Fails if it has no contents of this kind. May be called from several threads
    /// at once, other functions may not.
    virtual Result<std::unique_ptr<TargetCases>> make(const Target& target) = 0;
    /// Small targets that every program of a variant runs on, whatever its target.
    virtual Result<CasePlan> battery(const TargetVariant& variant, FactorUse factors) = 0;
    /// The program used as a baseline if there is no library. An empty text means none.
    virtual ReferenceProgram reference(const TargetVariant& variant) const = 0;
};

/// All kinds of targets.
class AllCases
{
public:
    /// `options` must outlive this object.
    static Result<std::unique_ptr<AllCases>> make(const JudgeOptions& options);

    KindCases& of(TargetKind kind) { return *m_kinds.at(kind); }
    /// A small float32 matrix for code that needs any contents.
    const SharedContents& small() const { return m_small; }

private:
    explicit AllCases(const JudgeOptions& options)
        : m_maker(options)
    {
    }
    const CaseMaker m_maker;
    std::map<TargetKind, std::unique_ptr<KindCases>> m_kinds;
    SharedContents m_small;
};

/// A lower bound in microseconds for any program: the launch, and moving the compulsory bytes from L2 if they
/// fit, otherwise from DRAM.
double floorMicroseconds(const DeviceModel& model, const Workload& work);

} // namespace sparserl
