// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "evaluation/audit/group_difference.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Something that a program can read while it is judged on the simulated device.
struct JudgeObservable
{
    std::string_view name;
    std::string_view help;
    /// CUDA code that sets `unsigned o`. It can use rows, cols, nnz, n (dense columns), row_ptr, col, val, x
    /// (B), y (C), seen, ticket, and `at(i)`, an index below cols for i below 32.
    std::string_view code;
    enum class By
    {
        OneThread,  ///< Read by the first thread of the first block.
        FirstBlock, ///< Read by all threads of the first block; `o` of the first thread counts.
        EveryBlock  ///< Read by the first thread of each block; `o` of the first block counts.
    } by = By::OneThread;
    bool spmm = false;
    /// The contract allows programs to depend on this observable, so tests and target may differ.
    bool allowed = false;
    std::string_view refusal = {}; ///< Verdict on programs that read it; empty if they may.
};
const std::vector<JudgeObservable>& judgeObservables();

/// Returns a program that computes the product correctly and writes its observation to the scratch array
/// `seen`.
std::string judgedProgram(const JudgeObservable& observable);

struct JudgeObservationOptions
{
    /// See JudgeObserver::Control.
    enum class Control
    {
        None,
        Signs,
        Mark
    };
    int judges = 32;        ///< Number of judges, each with its own secret and targets.
    int rows = 400;         ///< Approximate number of rows of the targets.
    std::uint64_t seed = 1; ///< Seed of the secrets.
    double level = 1e-3;
    std::string only; ///< Observes only names that contain this text; empty: all.
    /// Selects the names to observe among those that `only` allows; empty: all. The results for an observable
    /// do not depend on which others are observed.
    std::function<bool(std::string_view name)> wanted;
    Control control = Control::None;
    std::filesystem::path runnerPath;
    CancelToken cancel;
    std::function<void(double share)> progress;
};

struct JudgeObservationRow
{
    JudgeObservable observable;
    std::string verdict; ///< Set if the program was not judged correct. In that case, nothing is compared.
    GroupDifference difference; ///< Difference between test calls and calls on the target.
    /// Smallest share of tests with the same value of a feature, over all values that at least a twentieth of
    /// the target's calls have.
    double covered = 1;
};

/// The conditions of a call: source of values, kind of x, placement of arrays. Tests and target use the same
/// conditions in different proportions. Within one design, everything else must be equal.
struct JudgeDesign
{
    std::string name;
    bool compared = false; ///< The design occurs only on the target: the timed call, in order. It is compared
                           ///< with itself.
    double tests = 0, target = 0; ///< Shares of calls with this design.
};

struct JudgeObservations
{
    std::vector<JudgeObservationRow> rows;
    std::vector<JudgeDesign> designs;
};

/// Lets many judges on the simulated device judge the programs of judgedProgram(). Compares the observations
/// of test calls (battery and relatives) with those of calls on the target, design by design
/// (docs/evaluation.md 4).
Result<JudgeObservations> observeJudges(const JudgeObservationOptions& options);

/// Returns whether the design is a finding: the target has it, but no test has it.
bool stands(const JudgeDesign& design);
/// Returns whether the row is a finding: an unexplained difference, or an unexpected verdict.
bool stands(const JudgeObservationRow& row, double level);

} // namespace sparserl
