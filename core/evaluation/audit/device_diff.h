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

/// What `sparserl device diff` compares (docs/evaluation.md 3 #33).
struct DiffOptions
{
    std::filesystem::path runnerPath; ///< As in JudgeOptions.
    std::size_t pairs = 500;          ///< Programs on matrices, at least.
    std::uint64_t seed = 1;
    std::string model = "h200"; ///< Whose limits the simulator binds with.
    int gpu = 0;
    std::vector<std::string> families;   ///< Ids; empty: all.
    ElementType type = ElementType::F32; ///< Of programs, matrices and vectors.
    CancelToken cancel;
    std::function<void(double fraction)> progress;
    std::function<void(std::string_view)> log;
};

/// A program that does not do the same on both devices.
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
    std::size_t exact = 0;  ///< Pairs that are equal bit by bit.
    std::size_t within = 0; ///< Pairs whose order of summation is free, or that approximate: in the bound.
    std::size_t notApplicable = 0; ///< Pairs that both devices refuse to bind, with the same reason.
    std::vector<DiffMismatch> mismatches;
    std::map<std::string, std::size_t> byFamily; ///< Pairs compared.
    double seconds = 0;

    std::size_t compared() const { return exact + within + mismatches.size(); }
};

/// Runs the same PTX of sampled programs of the corpus on the GPU and on the simulator: SpMV, and SpMM with 8
/// and 32 columns, on generated matrices and the battery's shapes. Outputs must be the same bits, except
/// where float atomics or `.approx` are in the PTX, or the plan asks for the number of SMs and the GPU has
/// another: there both must be within the row bound. Simulation runs on all cores beside the GPU.
Result<DiffReport> deviceDiff(const DiffOptions& options);

/// True where two correct devices may differ in the last bits.
bool mayDiffer(std::string_view ptx);

} // namespace sparserl
