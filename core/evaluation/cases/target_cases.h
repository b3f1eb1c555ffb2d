// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// What a program is asked on a target.
struct CaseRequest
{
    TargetVariant variant;
    FactorUse factors;         ///< That the program takes.
    std::uint64_t seed = 0;    ///< Of the request.
    bool checked = false;      ///< Found correct before: only its time is missing.
    bool measured = true;      ///< Its time is asked for.
    bool lineCounters = false; ///< With counters for each line, where its time is taken.
};

/// What programs are judged on: calls on a target and on what is like it, each with what it should give.
/// Judges, devices and timing loop over them and do not know what a target of a kind is.
class TargetCases
{
public:
    virtual ~TargetCases() = default;

    /// Equal for targets that share these cases (KindCases::digestOf).
    virtual const std::string& digest() const = 0;
    virtual std::int64_t bytes() const = 0; ///< Of memory, about.
    virtual const SharedContents& own() const = 0;
    /// What a variant of these contents asks of a call.
    virtual Workload workload(const TargetVariant& variant) const = 0;

    /// Everything that one evaluation runs on the simulated device.
    virtual Result<CasePlan> onSimulator(const CaseRequest& request) = 0;
    /// What runs there before anything runs on a GPU. `whole`: the target itself, too.
    virtual Result<CasePlan> beforeGpu(const CaseRequest& request, bool whole) = 0;
    /// Whether it is small enough for that (JudgeOptions::gpuSimulateAll).
    virtual bool isCheap(const TargetVariant& variant) const = 0;
    /// The target, or what of it can be afforded, with every check and inputs of its own.
    virtual Result<CasePlan> fullCheck(const CaseRequest& request) = 0;
    /// What runs on a GPU. `again`: with inputs that were never used, as a time is not believed.
    virtual Result<GpuCases> onGpu(const CaseRequest& request, bool again) = 0;
};

/// What the targets of a kind have in common.
class KindCases
{
public:
    virtual ~KindCases() = default;
    /// The part of a target's identity that its cases depend on.
    virtual std::string digestOf(const TargetId& id) const = 0;
    /// Cases of a target. Fails where it has no contents of this kind.
    virtual Result<std::unique_ptr<TargetCases>> make(const Target& target) = 0;
    /// Small targets that every program of a variant meets, whatever it is judged on.
    virtual Result<CasePlan> battery(const TargetVariant& variant, FactorUse factors) = 0;
    /// What programs are compared with where no library is. An empty text: nothing.
    virtual ReferenceProgram reference(const TargetVariant& variant) const = 0;
};

/// The kinds of targets that there are.
class AllCases
{
public:
    /// `options` live longer.
    static Result<std::unique_ptr<AllCases>> make(const JudgeOptions& options);

    KindCases& of(TargetKind kind) { return *m_kinds.at(kind); }
    /// A small matrix, for what needs any contents: it is float32.
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

/// Microseconds no program can beat: the launch, and the bytes that it has to move from L2 where all fits,
/// else from DRAM.
double floorMicroseconds(const DeviceModel& model, const Workload& work);

} // namespace sparserl
