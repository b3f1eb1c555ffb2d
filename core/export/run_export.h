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
    /// The folder of a run, or the folder of a project for programs outside its runs.
    std::filesystem::path run;
    std::string program; ///< Hash or hash prefix of the program; empty: the fastest correct program.
    std::string matrix;  ///< Name or digest of a matrix of the run; empty: the matrix of the best result.
    std::int64_t columns = 0;  ///< Dense columns of the verdict; 0: the columns of its best result.
    std::filesystem::path out; ///< New or empty folder; "": exports/MATRIX-PROGRAM in the run's project.
    std::string licence = "Apache-2.0";
    std::filesystem::path runner; ///< Path of sparserl-runner; empty: as findRunner() finds it.
};

/// A written bundle.
struct ExportOutcome
{
    std::filesystem::path directory;
    VerdictRecord evidence; ///< Names the program and the matrix.
};

/// Exports a correct and measured program of the run, with its newest verdict (including later verifications)
/// as evidence. Compiles the program again in a sandboxed runner; the PTX must pass the gate and equal the
/// verdict's PTX. Fails if the PTX differs, if the run has no program that matches the request, or if the
/// program's matrix cannot be loaded. Accepts a folder that already contains exactly this bundle. Fails for
/// an untrusted project and, if `out` is empty, for a run that lies outside the project that it names.
Result<ExportOutcome> exportFromRun(const ExportRequest& request);

} // namespace sparserl
