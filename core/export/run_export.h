// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/record.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace sparserl {

/// Which program of which run goes into a bundle.
struct ExportRequest
{
    /// Run directory; or a project's folder, for programs that were written outside of its runs.
    std::filesystem::path run;
    std::string program;       ///< Hash or the start of one; empty: the fastest correct one.
    std::string matrix;        ///< Name or digest of a matrix of the run; empty: where the program does best.
    std::int64_t columns = 0;  ///< Dense columns that it was judged with; 0: those that it does best with.
    std::filesystem::path out; ///< New or empty folder; empty: exports/MATRIX-PROGRAM of the run's project.
    std::string licence = "Apache-2.0";
    std::filesystem::path runner; ///< sparserl-runner; empty: where findRunner looks.
};

/// A bundle that was written.
struct ExportOutcome
{
    std::filesystem::path directory;
    VerdictRecord evidence; ///< Names program and matrix.
};

/// Exports a program that the run found correct and measured, with its newest verdict (a later verification
/// included) as evidence. It is compiled again in a locked runner; the PTX must pass the gate and be the one
/// of the verdict. Fails with a sentence where it is not, where there is no such program, or where its
/// matrix cannot be loaded. A folder that holds this very bundle and nothing else is taken as it is. Fails
/// for a project that the user does not trust and, without `out`, for a run outside of the project that it
/// names.
Result<ExportOutcome> exportFromRun(const ExportRequest& request);

} // namespace sparserl
