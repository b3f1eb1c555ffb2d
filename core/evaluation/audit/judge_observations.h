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
    /// The contract allows a program to depend on it, so tests and target may differ.
    bool allowed = false;
    std::string_view refusal = {}; ///< Verdict for a program that reads it; empty: allowed.
};
const std::vector<JudgeObservable>& judgeObservables();

/// A correct product that writes its observation to the scratch array `seen`.
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
    int rows = 400;         ///< Approximate rows of the targets.
    std::uint64_t seed = 1; ///< Seed of the secrets.
    double level = 1e-3;
    std::string only; ///< Part of the observables' names; empty: all.
    /// Of these, the names to observe; empty: all. What is found of one does not depend on the others.
    std::function<bool(std::string_view name)> wanted;
    Control control = Control::None;
    std::filesystem::path runnerPath;
    CancelToken cancel;
    std::function<void(double share)> progress;
};

struct JudgeObservationRow
{
    JudgeObservable observable;
    std::string verdict;        ///< Set if the program was not judged correct; then nothing is compared.
    GroupDifference difference; ///< Test calls against calls on the target.
    /// For each value of a feature that at least a twentieth of the target's calls show, some share of the
    /// tests shows the same value. This is the smallest of these shares.
    double covered = 1;
};

/// The conditions of a call: value source, kind of x, array placement. Tests and target use each condition in
/// their own proportions. Within one design, everything else must be equal.
struct JudgeDesign
{
    std::string name;
    bool compared = false; ///< A design that occurs only on the target: the timed call, in order. It is
                           ///< compared with itself.
    double tests = 0, target = 0; ///< Shares of calls.
};

struct JudgeObservations
{
    std::vector<JudgeObservationRow> rows;
    std::vector<JudgeDesign> designs;
};

/// Judges observing programs with many judges on the simulated device. Compares the observations of test
/// calls (battery and relatives) with those of calls on the target, design by design (docs/evaluation.md 4).
Result<JudgeObservations> observeJudges(const JudgeObservationOptions& options);

/// A finding: the target has this design and no test does.
bool stands(const JudgeDesign& design);
/// A finding: an unexplained difference, or an unexpected verdict.
bool stands(const JudgeObservationRow& row, double level);

} // namespace sparserl
