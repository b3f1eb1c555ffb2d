// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/record.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace sparserl {

/// The program and run to export as a bundle.
struct ExportRequest
{
    /// Run directory, or a project's folder for programs outside its runs.
    std::filesystem::path run;
    std::string program;       ///< Hash or hash prefix; empty: the fastest correct one.
    std::string matrix;        ///< Name or digest of a matrix of the run; empty: the program's best matrix.
    std::int64_t columns = 0;  ///< Dense columns of the verdict; 0: those of its best result.
    std::filesystem::path out; ///< New or empty folder; empty: exports/MATRIX-PROGRAM in the run's project.
    std::string licence = "Apache-2.0";
    std::filesystem::path runner; ///< Path of sparserl-runner; empty: see findRunner.
};

/// A written bundle.
struct ExportOutcome
{
    std::filesystem::path directory;
    VerdictRecord evidence; ///< Names program and matrix.
};

/// Exports a correct and measured program of the run, with its newest verdict (including later verifications)
/// as evidence. Compiles it again in a sandboxed runner; the PTX must pass the gate and equal that of the
/// verdict. Fails if it differs, if there is no such program, or if its matrix cannot be loaded. Accepts a
/// folder that already contains exactly this bundle. Fails for an untrusted project and, without `out`, for a
/// run outside the project that it names.
Result<ExportOutcome> exportFromRun(const ExportRequest& request);

} // namespace sparserl
