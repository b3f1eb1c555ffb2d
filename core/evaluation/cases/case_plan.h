// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/expectation.h"
#include "evaluation/cases/judged_call.h"
#include "evaluation/cases/scaled_calls.h"
#include "evaluation/cases/shared_contents.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/protocol/shared_buffer.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// Name of a case with another pattern of the target's sizes.
inline constexpr const char* siblingCase = "sizes-of-the-target";

/// What a case is checked for, beside faults.
struct CaseCheck
{
    std::string name; ///< Battery case, or siblingCase; empty: the matrix itself.
    bool exact = false;
    std::vector<std::shared_ptr<const Expectation>> references; ///< One a call.
    bool linear = false;                                        ///< Of calls 0, 1, 2: y2 = 2 y0 - 3 y1.
    bool mayNotApply = false; ///< A format-error here says nothing yet, as long as enough others ran.
    bool sibling = false;     ///< A plan that does not bind here says nothing, however many others ran.
    int repeats = -1;         ///< Index of an earlier case that ran the same inputs with another schedule.
    int sameWorkAs = -1;      ///< Index of an earlier case that differs in values of A and x alone.
    bool timed = false;       ///< Its times and counters are the record's.
    // For audits:
    CaseValues values = CaseValues::Ordinary;
    std::vector<InputKind> kinds = {}; ///< Of its inputs; Random where none is named.
    /// Of its inputs, where it is a case of y = alpha A x + beta y.
    std::vector<CallFactors> factors = {};
};

/// What a call took.
struct MeasuredWork
{
    std::uint64_t steps = 0;       ///< Warp instructions.
    std::int64_t sectors = 0;      ///< Of 32 bytes, that its launches touched.
    std::uint64_t failedSwaps = 0; ///< Compare-and-swaps that found another value (ExecutionResult).
};

/// The first thing wrong with a program on its cases.
struct CaseFailure
{
    std::string caseName;
    std::optional<BindFailure> bind;
    std::optional<Fault> fault;
    std::optional<WrongElement> wrong;
    std::optional<CallFactors> factors; ///< Of the call with that element, where it had other than 1 and 0.
    bool nonLinear = false;
    std::optional<std::pair<MeasuredWork, MeasuredWork>>
        otherWork;                      ///< What it does with the target's values, and with others.
    std::vector<LineCounters> lines;    ///< Where they were asked for: of what ran of the case.
    std::vector<LineCounters> ptxLines; ///< The same by line of the PTX.
};

struct CaseFindings
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false; ///< Repeats differed in bits (within the bound).
    double boundShare = 0;         ///< Largest error over its bound.
    std::optional<CaseAnswer> timed;
};

/// The numbers of each input of a call, in the order of the task's tensors.
using CallNumbers = std::vector<Numbers>;

/// Cases of one simulation job: builds the shared memory with inputs and rooms for outputs, and judges the
/// answers.
class CasePlan
{
public:
    /// Adds a case of calls with their inputs, one reference for each; the step budget is that of one of
    /// them.
    void add(const SharedContents& contents, std::vector<CallNumbers> calls, SimulationCase settings,
             CaseCheck check);
    /// Of a target with one input: the numbers of each call.
    void add(const SharedContents& contents, std::vector<Numbers> inputs, SimulationCase settings,
             CaseCheck check);
    /// Adds a case of y = alpha A x + beta y.
    void add(const SharedContents& contents, std::vector<ScaledInput> inputs, SimulationCase settings,
             CaseCheck check);
    bool empty() const { return m_cases.empty(); }
    std::size_t size() const { return m_cases.size(); }

    /// The job's memory with all inputs in it, and its cases.
    Result<std::shared_ptr<SharedBuffer>> fill(SimulationJob& job, const TargetVariant& variant);
    const JobFiles& files() const { return m_files; }
    std::uint64_t totalSteps() const;
    /// Tells an observer what the calls of a program have written.
    void tell(const JudgeObserver& observer, std::string_view program,
              const std::vector<CaseAnswer>& answers) const;

    /// A test matrix that a format does not apply to says nothing about the program and is passed over, where
    /// it may be; but five of seven such cases must run, or the failure is that format-error. `flushes`: the
    /// program has float atomics (CodeTraits::flushes).
    Result<CaseFindings> judge(const std::vector<CaseAnswer>& answers, const SharedBuffer& memory,
                               bool flushes) const;

private:
    struct Case
    {
        SimulationCase settings;
        CaseCheck check;
        std::vector<CallNumbers> inputs;
        std::vector<Numbers> before; ///< What outputs hold, where that is asked for.
    };
    std::vector<Case> m_cases;
    JobFiles m_files;
};

/// Warp instructions after which a program counts as endless: many times what the slowest sensible mapping
/// needs (a block of 1,024 threads for each row, or one thread for everything).
std::uint64_t defaultStepBudget(const Workload& work);

/// What is added to it for padding of the formats that a plan uses (threads go over that as over entries, in
/// step, and with 32 columns a warp may have one of them for each) and for the warps of its grids, which may
/// have nothing to do.
std::uint64_t paddingSteps(const BoundPlan& plan, const Workload& work);

} // namespace sparserl
