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
    /// CUDA that sets `unsigned o`. In it: rows, cols, nnz, n (dense columns), row_ptr, col, val, x (B), y
    /// (C), seen, ticket, and `at(i)`, an index below cols for i below 32.
    std::string_view code;
    enum class By
    {
        OneThread,  ///< Run by the first thread of the first block.
        FirstBlock, ///< By all its threads; `o` of the first one counts.
        EveryBlock  ///< By the first thread of each block; `o` of the first block counts.
    } by = By::OneThread;
    bool spmm = false;
    /// The contract lets a program be for this, so tests and target may differ in it.
    bool allowed = false;
    std::string_view refusal = {}; ///< The verdict that a program gets which reads it; empty: it may.
};
const std::vector<JudgeObservable>& judgeObservables();

/// A right product that writes what it observes to the scratch array `seen`.
std::string judgedProgram(const JudgeObservable& observable);

struct JudgeObservationOptions
{
    /// As JudgeObserver::Control.
    enum class Control
    {
        None,
        Signs,
        Mark
    };
    int judges = 32;        ///< Each with a secret and targets of its own.
    int rows = 400;         ///< Of targets, about.
    std::uint64_t seed = 1; ///< Of the secrets.
    double level = 1e-3;
    std::string only; ///< Part of the names of observables; empty: all.
    Control control = Control::None;
    std::filesystem::path runnerPath;
    CancelToken cancel;
    std::function<void(double share)> progress;
};

struct JudgeObservationRow
{
    JudgeObservable observable;
    std::string verdict;        ///< Where the program was not judged correct; then nothing is compared.
    GroupDifference difference; ///< Calls of tests against calls on the target.
    /// Of what a twentieth of calls on the target or more see in a feature: the least share of tests that see
    /// it too.
    double covered = 1;
};

/// How calls are made: whose values, which kind of x, where arrays lie. Both tests and target have each, in
/// shares of their own; within one design all else must be alike.
struct JudgeDesign
{
    std::string name;
    bool compared = false;        ///< The target's alone: the timed call, in order. It is compared itself.
    double tests = 0, target = 0; ///< Shares of calls.
};

struct JudgeObservations
{
    std::vector<JudgeObservationRow> rows;
    std::vector<JudgeDesign> designs;
};

/// Judges programs that observe with many judges on the simulated device, and compares what calls of tests
/// (battery and relatives) and calls on the target have seen, design by design (docs/evaluation.md 4).
Result<JudgeObservations> observeJudges(const JudgeObservationOptions& options);

/// The target has it and no test.
bool stands(const JudgeDesign& design);
/// Differs although nothing lets it, or was judged otherwise than it should be.
bool stands(const JudgeObservationRow& row, double level);

} // namespace sparserl
