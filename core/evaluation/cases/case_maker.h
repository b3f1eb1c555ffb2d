// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_plan.h"
#include "evaluation/judge_options.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Turns a judge's options into settings for cases of every kind of target: schedules, layouts, step budgets
/// and checks.
class CaseMaker
{
public:
    /// `options` must outlive the maker.
    explicit CaseMaker(const JudgeOptions& options)
        : m_options(options)
    {
    }
    const JudgeOptions& options() const { return m_options; }
    std::uint64_t secret() const { return m_options.secret(); }

    /// Settings with a schedule (shuffled or in order) and an address layout drawn from the seed.
    SimulationCase settings(std::uint64_t seed, Checks checks, const Workload& work) const;
    /// Settings of a timed call: in order, with separate arrays.
    SimulationCase inOrder(std::uint64_t seed, Checks checks, const Workload& work) const;
    /// Adds one call in several orders of blocks and warps. With `everyOrder`: in order, as in timed calls,
    /// and shuffled, both with every check, plus several shuffled orders without checks, because a result
    /// that depends on the last writer changes only in some orders. Otherwise one of the first two at random.
    void addOrders(CasePlan& cases, const SharedContents& contents, const CallNumbers& inputs,
                   const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                   bool everyOrder) const;
    /// The same for a call of y = alpha A x + beta y.
    void addOrders(CasePlan& cases, const SharedContents& contents, const ScaledInput& input,
                   const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                   bool everyOrder) const;
    /// Adds calls of y = alpha A x + beta y, several per case: prepare kernels run for each case.
    /// `drawnBlocks`: as in SimulationCase.
    void addScaled(CasePlan& cases, const SharedContents& contents, std::vector<ScaledInput> inputs,
                   const CaseCheck& check, Checks checks, bool drawnBlocks, const TargetVariant& variant,
                   std::uint64_t seed) const;

private:
    /// The settings of the calls added by addOrders.
    std::vector<SimulationCase> orders(const Workload& work, std::uint64_t seed, bool everyOrder) const;

    const JudgeOptions& m_options;
};

} // namespace sparserl
