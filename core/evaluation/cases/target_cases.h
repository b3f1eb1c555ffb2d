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
    std::uint64_t seed = 0;    ///< Seed of the request.
    bool checked = false;      ///< The program was found correct before; only its time is missing.
    bool measured = true;      ///< The program's time is requested, too.
    bool lineCounters = false; ///< Counts events per line in the timed call.
};

/// The calls on which a program is judged: calls on a target and on its relatives, each with its expected
/// result. Judges, devices and timing use them without knowing the kind of the target. The functions may be
/// called from several threads at once.
class TargetCases
{
public:
    virtual ~TargetCases() = default;

    /// Returns a text that is equal for targets which share these cases (KindCases::digestOf).
    virtual const std::string& digest() const = 0;
    virtual std::int64_t bytes() const = 0; ///< Returns the approximate memory of the cases.
    virtual const SharedContents& own() const = 0;
    /// Returns the workload of a call for a variant of these contents.
    virtual Workload workload(const TargetVariant& variant) const = 0;

    /// Creates all cases of one evaluation on the simulated device.
    virtual Result<CasePlan> onSimulator(const CaseRequest& request) = 0;
    /// Creates the cases that run on the simulator before any run on a GPU. With `whole`, includes the target
    /// itself.
    virtual Result<CasePlan> beforeGpu(const CaseRequest& request, bool whole) = 0;
    /// Returns whether the target is small enough to be included in beforeGpu()
    /// (JudgeOptions::gpuSimulateAll).
    virtual bool isCheap(const TargetVariant& variant) const = 0;
    /// Creates cases with every check and new inputs on the target, or on an affordable part of it.
    virtual Result<CasePlan> fullCheck(const CaseRequest& request) = 0;
    /// Creates the cases for a GPU. With `again`, uses new inputs, to verify a doubtful time.
    virtual Result<GpuCases> onGpu(const CaseRequest& request, bool again) = 0;

    /// Flows that create cases on other threads take turns, so that none of these threads waits for another.
    Turn turn;
};

/// What the targets of one kind share.
class KindCases
{
public:
    virtual ~KindCases() = default;
    /// Returns the part of a target's identity that determines its cases.
    virtual std::string digestOf(const TargetId& id) const = 0;
    /// Creates the cases of a target. Fails if the target has no contents of this kind. Only this function
    /// may be called from several threads at once.
    virtual Result<std::unique_ptr<TargetCases>> make(const Target& target) = 0;
    /// Creates cases on small targets, on which every program of a variant runs, whatever its target is.
    virtual Result<CasePlan> battery(const TargetVariant& variant, FactorUse factors) = 0;
    /// Returns the program that is the baseline if there is no library. An empty text means that there is
    /// none.
    virtual ReferenceProgram reference(const TargetVariant& variant) const = 0;
};

/// The cases for all kinds of targets.
class AllCases
{
public:
    /// `options` must outlive this object.
    static Result<std::unique_ptr<AllCases>> make(const JudgeOptions& options);

    KindCases& of(TargetKind kind) { return *m_kinds.at(kind); }
    /// Returns a small float32 matrix for code that needs any contents.
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

/// Returns a lower bound for the time of any program, in microseconds: a launch, and the transfer of the
/// compulsory bytes from L2 if they fit, otherwise from DRAM.
double floorMicroseconds(const DeviceModel& model, const Workload& work);

} // namespace sparserl
