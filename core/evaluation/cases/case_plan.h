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

/// Name of a case with another pattern that has the target's sizes.
inline constexpr const char* siblingCase = "sizes-of-the-target";

/// What is checked in a case, in addition to faults.
struct CaseCheck
{
    std::string name; ///< Name of the battery case, or siblingCase; empty for the matrix itself.
    bool exact = false;
    std::vector<std::shared_ptr<const Expectation>> references; ///< One reference per call.
    bool linear = false;      ///< Calls 0, 1 and 2 must satisfy y2 = 2 y0 - 3 y1.
    bool mayNotApply = false; ///< A format-error in this case is ignored if enough other cases ran.
    bool sibling = false;     ///< If the plan does not bind in this case, the case is ignored.
    int repeats = -1;         ///< Index of an earlier case with the same inputs and another schedule, or -1.
    int sameWorkAs = -1;      ///< Index of an earlier case that differs only in the values of A and x, or -1.
    bool timed = false;       ///< This case provides the times and counters of the record.
    // For audits:
    CaseValues values = CaseValues::Ordinary;
    std::vector<InputKind> kinds = {}; ///< Kind of each input; if empty, all are Random.
    /// Factors of the inputs in a case of y = alpha A x + beta y.
    std::vector<CallFactors> factors = {};
};

/// The work of a call.
struct MeasuredWork
{
    std::uint64_t steps = 0;       ///< Warp instructions.
    std::int64_t sectors = 0;      ///< 32-byte sectors that its launches access.
    std::uint64_t failedSwaps = 0; ///< Compare-and-swap operations that found another value
                                   ///< (ExecutionResult).
};

/// The first failure of a program in its cases.
struct CaseFailure
{
    std::string caseName;
    std::optional<BindFailure> bind;
    std::optional<Fault> fault;
    std::optional<WrongElement> wrong;
    std::optional<CallFactors> factors; ///< Factors of the failed call, if they differ from 1 and 0.
    bool nonLinear = false;
    /// The work with the target's values, and the different work with other values.
    std::optional<std::pair<MeasuredWork, MeasuredWork>> otherWork;
    std::vector<LineCounters> lines;    ///< Counters of the completed part of the case, if requested.
    std::vector<LineCounters> ptxLines; ///< The same counters per line of the PTX.
};

struct CaseFindings
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false; ///< Repeated calls differed in bits (within the bound).
    double boundShare = 0;         ///< Largest ratio of error to bound.
    std::optional<CaseAnswer> timed;
};

/// The numbers of all inputs of a call, in the order of the task's tensors.
using CallNumbers = std::vector<Numbers>;

/// The cases of one simulation job. Creates the shared memory, with the inputs and space for the outputs, and
/// judges the answers.
class CasePlan
{
public:
    /// Adds a case: its calls with their inputs, and one reference per call (in `check`). The step budget in
    /// `settings` is for one call.
    void add(const SharedContents& contents, std::vector<CallNumbers> calls, SimulationCase settings,
             CaseCheck check);
    /// The same for a target with one input; `inputs` has the numbers of this input for each call.
    void add(const SharedContents& contents, std::vector<Numbers> inputs, SimulationCase settings,
             CaseCheck check);
    /// Adds a case of y = alpha A x + beta y.
    void add(const SharedContents& contents, std::vector<ScaledInput> inputs, SimulationCase settings,
             CaseCheck check);
    bool empty() const { return m_cases.empty(); }
    std::size_t size() const { return m_cases.size(); }

    /// Adds the cases to the job. Creates and returns the job's memory with all inputs.
    Result<std::shared_ptr<SharedBuffer>> fill(SimulationJob& job, const TargetVariant& variant);
    const JobFiles& files() const { return m_files; }
    std::uint64_t totalSteps() const;
    /// Reports to an observer what the calls of a program have written.
    void tell(const JudgeObserver& observer, std::string_view program,
              const std::vector<CaseAnswer>& answers) const;

    /// Judges the answers, one per case. Skips a case with a format-error if `mayNotApply` is set. At least
    /// five sevenths of the cases with `mayNotApply` must run; otherwise, the failure is the first
    /// format-error. `flushes` says that the program has float atomics (CodeTraits::flushes).
    Result<CaseFindings> judge(const std::vector<CaseAnswer>& answers, const SharedBuffer& memory,
                               bool flushes) const;

private:
    struct Case
    {
        SimulationCase settings;
        CaseCheck check;
        std::vector<CallNumbers> inputs;
        std::vector<Numbers> before; ///< Initial contents of the outputs, if specified.
    };
    std::vector<Case> m_cases;
    JobFiles m_files;
};

/// Returns the number of warp instructions after which a program counts as endless: many times what the
/// slowest sensible mapping needs (a block of 1,024 threads per row, or one thread for everything).
std::uint64_t defaultStepBudget(const Workload& work);

/// Returns the steps to add to the budget for the padding of the plan's formats and for idle warps of its
/// grids. Threads process padding like entries, and with 32 columns a warp may process a padding entry once
/// per column.
std::uint64_t paddingSteps(const BoundPlan& plan, const Workload& work);

} // namespace sparserl
