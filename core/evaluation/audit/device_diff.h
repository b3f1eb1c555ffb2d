// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "target/element_type.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Options of `sparserl device diff` (docs/evaluation.md 3 #33).
struct DiffOptions
{
    std::filesystem::path runnerPath; ///< As in JudgeOptions.
    std::size_t pairs = 500;          ///< Minimum number of pairs of program and matrix.
    std::uint64_t seed = 1;
    std::string model = "h200"; ///< Device model whose limits the simulator uses to bind programs.
    int gpu = 0;
    std::vector<std::string> families;   ///< Family ids; empty: all.
    ElementType type = ElementType::F32; ///< Type of programs, matrices and vectors.
    CancelToken cancel;
    std::function<void(double fraction)> progress;
    std::function<void(std::string_view)> log;
};

/// A program whose results on the two devices differ more than allowed.
struct DiffMismatch
{
    std::string family, parameters, matrix, text;
    std::int64_t columns = 1;
    std::string sentence; ///< "y[17] is 1.5 on the GPU and 1.25 in the simulator; 1.25 is right within 1e-6"
};

struct DiffReport
{
    std::string gpu; ///< "NVIDIA H200 (driver 580.159.04)"
    std::size_t programs = 0;
    std::size_t exact = 0; ///< Bitwise equal pairs.
    /// Pairs within the bound, with a free order of summation or with approximations.
    std::size_t within = 0;
    std::size_t notApplicable = 0; ///< Pairs that both devices refuse to bind for the same reason.
    std::vector<DiffMismatch> mismatches;
    std::map<std::string, std::size_t> byFamily; ///< Number of compared pairs of each family.
    double seconds = 0;

    std::size_t compared() const { return exact + within + mismatches.size(); }
};

/// Runs the same PTX of sampled corpus programs on the GPU and on the simulator: SpMV, and SpMM with 8 and 32
/// columns, on generated matrices and the battery's shapes. Outputs must be bitwise equal, with three
/// exceptions, for which both devices must merely satisfy the row bound: PTX with float atomics, PTX with
/// `.approx`, and plans that use the number of SMs if the GPU has another number of them. The simulator runs
/// on all cores while the GPU runs.
Result<DiffReport> deviceDiff(const DiffOptions& options);

/// Returns whether results of two correct devices may differ in the last bits.
bool mayDiffer(std::string_view ptx);

} // namespace sparserl
