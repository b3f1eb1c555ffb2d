// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "matrix/csr.h"
#include "verdict/record.h"

#include <filesystem>
#include <memory>
#include <string>

namespace sparserl::cli {

/// A program that belongs to no run, to be exported as a bundle.
struct ProgramExport
{
    std::string file; ///< The name of the program in messages.
    std::string text;
    /// The matrix of the verdict. For a program in double precision, it includes the doubles that floats
    /// cannot represent.
    std::shared_ptr<const Csr> matrix;
    std::string matrixName;
    std::filesystem::path out;
    std::string licence = "Apache-2.0", attribution;
    std::int64_t columns = 0; ///< Dense columns for SpMM; 0 means 8.
    bool unverified = false;  ///< Exports without a verdict.
};

/// Judges the program on the simulated device unless `unverified`, writes the bundle and reports its
/// location.
int exportProgram(const Context& context, const ProgramExport& request);

/// Reports the location of a bundle and its evidence.
int reportExport(const Context& context, const std::filesystem::path& directory,
                 const VerdictRecord* evidence);

} // namespace sparserl::cli
