// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/case_maker.h"

#include "base/rng.h"
#include "evaluation/cases/target_context.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace sparserl {

namespace {

/// One run of so many is in order, as the timed one is: a program can tell by its blocks' tickets.
constexpr std::uint64_t inOrderShare = 4;
/// Shuffled orders without checks in which a call runs that must be right in every order.
constexpr std::uint64_t furtherOrders = 5;
constexpr std::size_t scaledOfCase = 4; ///< Calls of one case, of programs that take factors.

} // namespace

SimulationCase CaseMaker::settings(std::uint64_t seed, Checks checks, const Workload& work) const
{
    SimulationCase one;
    one.seed = seed;
    one.checks = checks;
    one.counters = checks == Checks::Counters;
    one.schedule =
        Rng(seed).derive("order").below(inOrderShare) == 0 ? Schedule::InOrder : Schedule::Shuffled;
    constexpr std::array layouts{AddressLayout::Apart, AddressLayout::Together, AddressLayout::Far};
    one.layout = layouts[Rng(seed).derive("layout").below(layouts.size())];
    one.stepBudget = m_options.stepBudget ? m_options.stepBudget : defaultStepBudget(work);
    return one;
}

SimulationCase CaseMaker::inOrder(std::uint64_t seed, Checks checks, const Workload& work) const
{
    SimulationCase one = settings(seed, checks, work);
    one.schedule = Schedule::InOrder;
    one.layout = AddressLayout::Apart;
    return one;
}

std::vector<SimulationCase> CaseMaker::orders(const Workload& work, std::uint64_t seed, bool everyOrder) const
{
    std::vector<SimulationCase> made;
    const auto seedOf = [&](std::uint64_t number) { return deriveSeed(seed, number, "order"); };
    const auto shuffled = [&](std::uint64_t number, Checks checks) {
        made.push_back(settings(seedOf(number), checks, work));
        made.back().schedule = Schedule::Shuffled;
    };
    const bool isInOrder = Rng(seed).derive("in order").chance(0.5);
    if (everyOrder || isInOrder) // As where time is taken: a program can read order and layout.
        made.push_back(inOrder(seedOf(0), Checks::All, work));
    if (everyOrder || !isInOrder)
        shuffled(1, Checks::All);
    for (std::uint64_t i = 0; everyOrder && i < furtherOrders; ++i)
        shuffled(2 + i, Checks::None);
    return made;
}

void CaseMaker::addOrders(CasePlan& cases, const SharedContents& contents, const CallNumbers& inputs,
                          const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                          bool everyOrder) const
{
    for (const SimulationCase& one : orders(contents.workload(variant), seed, everyOrder))
        cases.add(contents, std::vector<CallNumbers>{inputs}, one, check);
}

void CaseMaker::addOrders(CasePlan& cases, const SharedContents& contents, const ScaledInput& input,
                          const CaseCheck& check, const TargetVariant& variant, std::uint64_t seed,
                          bool everyOrder) const
{
    for (const SimulationCase& one : orders(contents.workload(variant), seed, everyOrder))
        cases.add(contents, std::vector<ScaledInput>{input}, one, check);
}

void CaseMaker::addScaled(CasePlan& cases, const SharedContents& contents, std::vector<ScaledInput> inputs,
                          const CaseCheck& check, Checks checks, bool drawnBlocks,
                          const TargetVariant& variant, std::uint64_t seed) const
{
    for (std::size_t from = 0; from < inputs.size(); from += scaledOfCase) {
        auto one = settings(seed + from, checks, contents.workload(variant));
        one.drawnBlocks = drawnBlocks;
        const auto end =
            inputs.begin() + static_cast<std::ptrdiff_t>(std::min(inputs.size(), from + scaledOfCase));
        cases.add(contents,
                  std::vector<ScaledInput>(
                      std::make_move_iterator(inputs.begin() + static_cast<std::ptrdiff_t>(from)),
                      std::make_move_iterator(end)),
                  one, check);
    }
}

} // namespace sparserl
