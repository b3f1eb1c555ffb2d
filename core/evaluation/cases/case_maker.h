// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_plan.h"
#include "evaluation/judge_options.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Derives the settings of cases from a judge's options, for every kind of target: schedules, layouts, step
/// budgets and checks.
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

    /// Returns settings whose schedule (shuffled or in order) and address layout are drawn from the seed.
    SimulationCase settings(std::uint64_t seed, Checks checks, const Workload& work) const;
    /// Returns the settings of a timed call: blocks run in order, and arrays are placed with
    /// AddressLayout::Apart.
    SimulationCase inOrder(std::uint64_t seed, Checks checks, const Workload& work) const;
    /// Adds one call in several orders of blocks and warps. With `everyOrder`, these are the order of timed
    /// calls and a shuffled order, both with every check, and several shuffled orders without checks, because
    /// a result that depends on the last writer changes only in some orders. Otherwise, adds one of the first
    /// two at random.
    void addOrders(CasePlan& cases, const SharedContents& contents, const CallNumbers& inputs,
                   const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                   bool everyOrder) const;
    /// The same for a call of y = alpha A x + beta y.
    void addOrders(CasePlan& cases, const SharedContents& contents, const ScaledInput& input,
                   const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                   bool everyOrder) const;
    /// Adds calls of y = alpha A x + beta y. Each case has several calls, because prepare kernels run once
    /// per case. `drawnBlocks` is as in SimulationCase.
    void addScaled(CasePlan& cases, const SharedContents& contents, std::vector<ScaledInput> inputs,
                   const CaseCheck& check, Checks checks, bool drawnBlocks, const TargetVariant& variant,
                   std::uint64_t seed) const;

private:
    /// Returns the settings of the calls that addOrders() adds.
    std::vector<SimulationCase> orders(const Workload& work, std::uint64_t seed, bool everyOrder) const;

    const JudgeOptions& m_options;
};

} // namespace sparserl
