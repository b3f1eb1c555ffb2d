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

/// The checks of a case, besides faults.
struct CaseCheck
{
    std::string name; ///< Battery case, or siblingCase; empty for the matrix itself.
    bool exact = false;
    std::vector<std::shared_ptr<const Expectation>> references; ///< One per call.
    bool linear = false;                                        ///< For calls 0, 1, 2: y2 = 2 y0 - 3 y1.
    bool mayNotApply = false; ///< A format-error here is ignored if enough other cases ran.
    bool sibling = false;     ///< A plan that does not bind here is always ignored.
    int repeats = -1;         ///< Index of an earlier case with the same inputs and another schedule.
    int sameWorkAs = -1;      ///< Index of an earlier case that differs only in the values of A and x.
    bool timed = false;       ///< Provides the times and counters of the record.
    // For audits:
    CaseValues values = CaseValues::Ordinary;
    std::vector<InputKind> kinds = {}; ///< Kinds of the inputs; Random if empty.
    /// Factors of the inputs in a case of y = alpha A x + beta y.
    std::vector<CallFactors> factors = {};
};

/// The work of a call.
struct MeasuredWork
{
    std::uint64_t steps = 0;       ///< Warp instructions.
    std::int64_t sectors = 0;      ///< 32-byte sectors touched by its launches.
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
    std::optional<std::pair<MeasuredWork, MeasuredWork>>
        otherWork;                      ///< Work with the target's values, and with others.
    std::vector<LineCounters> lines;    ///< If requested: counters of the completed part of the case.
    std::vector<LineCounters> ptxLines; ///< The same per line of the PTX.
};

struct CaseFindings
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false; ///< Repeated calls differed in bits (within the bound).
    double boundShare = 0;         ///< Largest ratio of error to bound.
    std::optional<CaseAnswer> timed;
};

/// The numbers of each input of a call, in the order of the task's tensors.
using CallNumbers = std::vector<Numbers>;

/// The cases of one simulation job. Builds the shared memory with inputs and space for outputs, and judges
/// the answers.
class CasePlan
{
public:
    /// Adds a case of calls with their inputs and one reference for each. The step budget is that of one
    /// call.
    void add(const SharedContents& contents, std::vector<CallNumbers> calls, SimulationCase settings,
             CaseCheck check);
    /// The same for a target with one input: the numbers of each call.
    void add(const SharedContents& contents, std::vector<Numbers> inputs, SimulationCase settings,
             CaseCheck check);
    /// Adds a case of y = alpha A x + beta y.
    void add(const SharedContents& contents, std::vector<ScaledInput> inputs, SimulationCase settings,
             CaseCheck check);
    bool empty() const { return m_cases.empty(); }
    std::size_t size() const { return m_cases.size(); }

    /// Fills the job with the cases and creates its memory with all inputs.
    Result<std::shared_ptr<SharedBuffer>> fill(SimulationJob& job, const TargetVariant& variant);
    const JobFiles& files() const { return m_files; }
    std::uint64_t totalSteps() const;
    /// Reports to an observer what the calls of a program have written.
    void tell(const JudgeObserver& observer, std::string_view program,
              const std::vector<CaseAnswer>& answers) const;

    /// A test matrix that a format does not apply to is skipped if permitted, but five of seven such cases
    /// must run; otherwise the failure is that format-error. `flushes`: the program has float atomics
    /// (CodeTraits::flushes).
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

/// Warp instructions after which a program counts as endless: many times the need of the slowest sensible
/// mapping (a block of 1,024 threads per row, or one thread for everything).
std::uint64_t defaultStepBudget(const Workload& work);

/// An addition to the step budget for padding of the plan's formats and for idle warps of its grids. Threads
/// process padding like entries, in step, and with 32 columns a warp may process one padding entry per
/// column.
std::uint64_t paddingSteps(const BoundPlan& plan, const Workload& work);

} // namespace sparserl
