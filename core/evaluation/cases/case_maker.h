// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_plan.h"
#include "evaluation/judge_options.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// How cases of every kind of target run, by what a judge's options say: in which schedules and layouts, how
/// long, and with which checks.
class CaseMaker
{
public:
    /// `options` live longer.
    explicit CaseMaker(const JudgeOptions& options)
        : m_options(options)
    {
    }
    const JudgeOptions& options() const { return m_options; }
    std::uint64_t secret() const { return m_options.secret(); }

    /// A schedule, shuffled or in order, and a layout of addresses by the seed.
    SimulationCase settings(std::uint64_t seed, Checks checks, const Workload& work) const;
    /// As a call runs whose time counts: in order, each array apart.
    SimulationCase inOrder(std::uint64_t seed, Checks checks, const Workload& work) const;
    /// Adds one call in the orders in which blocks and warps may come. With `everyOrder`: in order, as timed
    /// calls come, and shuffled, both with every check, and without checks in some shuffled orders more, as
    /// results that depend on who is last show in some of several. Otherwise one of the first two by lot.
    void addOrders(CasePlan& cases, const SharedContents& contents, const CallNumbers& inputs,
                   const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                   bool everyOrder) const;
    /// The same of a call of y = alpha A x + beta y.
    void addOrders(CasePlan& cases, const SharedContents& contents, const ScaledInput& input,
                   const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                   bool everyOrder) const;
    /// Adds calls of y = alpha A x + beta y, some to a case: prepare kernels run for each. `drawnBlocks`: as
    /// in SimulationCase.
    void addScaled(CasePlan& cases, const SharedContents& contents, std::vector<ScaledInput> inputs,
                   const CaseCheck& check, Checks checks, bool drawnBlocks, const TargetVariant& variant,
                   std::uint64_t seed) const;

private:
    /// The settings of the calls that addOrders adds.
    std::vector<SimulationCase> orders(const Workload& work, std::uint64_t seed, bool everyOrder) const;

    const JudgeOptions& m_options;
};

} // namespace sparserl
