// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/scaled_calls.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/further_calls.h"
#include "evaluation/steps/judge_state.h"

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace sparserl {

/// Runs programs on the simulated device through the pool. Judges on every device use it: correctness with
/// every check exists only there.
class Simulation
{
public:
    /// Makes the battery shapes. `control`: of the role sim.
    static Result<std::unique_ptr<Simulation>> make(JobTrials& trials, Machinery& machinery,
                                                    std::shared_ptr<Control> control,
                                                    const JudgeOptions& options);

    /// The fixed shapes of docs/design.md 5.2, with every check. `lineCounters`: a failure has those of its
    /// case.
    Flow<CaseFindings> battery(const ProgramState& state, TargetVariant variant, bool lineCounters);
    /// Adds one call in the orders in which blocks and warps may come. With `everyOrder`: in order, as timed
    /// calls come, and shuffled, both with every check, and without checks in some shuffled orders more, as
    /// results that depend on who is last show in some of several. Otherwise one of the first two by lot.
    void addOrders(CasePlan& cases, const SharedMatrix& shared, const Numbers& x, const CaseCheck& check,
                   std::int64_t columns, std::uint64_t seed, bool everyOrder) const;
    /// The same of a call with factors.
    void addOrders(CasePlan& cases, const SharedMatrix& shared, const ScaledInput& input,
                   const CaseCheck& check, std::int64_t columns, std::uint64_t seed, bool everyOrder) const;
    /// Adds further calls by their turns, in each in an order by lot: no program can tell which of them run
    /// with checks or at all. A program that takes long is met by fewer of them. Programs that take factors
    /// meet half of them with other alpha and beta, but for those that have to be exact.
    void addFurther(CasePlan& cases, std::vector<FurtherCalls> calls, std::int64_t columns,
                    std::uint64_t seed, FactorUse use) const;
    /// Adds the target's small relative, with every check: exact and linear, then in two schedules, and with
    /// the target's values and inputs of all kinds; with `large` the other one as well, exact with every
    /// check (in verdicts that count in every order) and with the target's values without; in verdicts that
    /// count also with special inputs and with values of each kind, as further calls.
    /// Programs that take factors meet both with other alpha and beta.
    Status addRelatives(CasePlan& cases, TargetContext& matrix, std::int64_t columns, std::uint64_t seed,
                        bool large, FactorUse use) const;
    /// Adds calls of y = alpha A x + beta y, some to a case: prepare kernels run for each. `drawnBlocks`: as
    /// in SimulationCase.
    void addScaled(CasePlan& cases, const SharedMatrix& shared, std::vector<ScaledInput> inputs,
                   const CaseCheck& check, Checks checks, bool drawnBlocks, std::int64_t columns,
                   std::uint64_t seed) const;
    /// Sends cases to a sim runner; `state` is the caller's meanwhile. Where none gets through with them it
    /// becomes a failure of the program. `lineCounters`: of all cases, not of those alone that ask for them.
    Flow<CaseFindings> run(const ProgramState& state, CasePlan cases, TargetVariant variant,
                           bool lineCounters = false);

    /// A schedule, shuffled or in order, and a layout of addresses by the seed.
    SimulationCase settings(std::uint64_t seed, Checks checks, const Csr& matrix, std::int64_t columns) const;
    /// A battery shape, for what needs any small matrix.
    const SharedMatrix& smallMatrix() const { return m_shapes.begin()->second.front().shared; }

private:
    /// A battery shape with its values.
    struct Shape
    {
        std::string name;
        bool exact = false;
        CaseValues values = CaseValues::Ordinary;
        SharedMatrix shared;
        ExactValues exactValues;      ///< Where exact, without its matrix.
        std::vector<InputKind> kinds; ///< Otherwise; some shape meets every kind.
        InputRange range;
    };

    /// The settings of the calls that addOrders adds.
    std::vector<SimulationCase> orders(const SharedMatrix& shared, std::int64_t columns, std::uint64_t seed,
                                       bool everyOrder) const;
    /// Shapes with values of a type. They depend on the secret and the type only.
    Result<std::vector<Shape>> makeShapes(ElementType type) const;
    /// What a shape asks of programs that take factors.
    struct ScaledShape
    {
        SharedMatrix integers;                 ///< Of withSmallIntegers.
        std::vector<ScaledInput> exact, drawn; ///< For it; for the shape, or for it where that is exact.
    };
    Result<std::vector<ScaledShape>> makeScaledShapes(const std::vector<Shape>& shapes,
                                                      const TargetVariant& variant, FactorUse use) const;
    /// The same cases with other alpha and beta.
    Status addScaledBattery(CasePlan& cases, const std::vector<Shape>& shapes, const TargetVariant& variant,
                            FactorUse use);
    /// Of each shape; they depend on the secret and the variant only, so programs share them.
    const std::vector<InputMixture>& batteryInputs(const std::vector<Shape>& shapes,
                                                   const TargetVariant& variant);

    Simulation(JobTrials& trials, Machinery& machinery, std::shared_ptr<Control> control,
               const JudgeOptions& options);

    JobTrials& m_trials;
    Machinery& m_machinery;
    std::shared_ptr<Control> m_control;
    const JudgeOptions& m_options;
    std::map<ElementType, std::vector<Shape>> m_shapes; ///< Of F32; of others when first asked for.
    std::map<std::pair<std::int64_t, ElementType>, std::vector<InputMixture>> m_batteryInputs;
    std::map<std::tuple<std::int64_t, ElementType, bool, bool>, std::vector<ScaledShape>> m_scaledShapes;
};

} // namespace sparserl
