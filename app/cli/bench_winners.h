// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "evaluation/bench/bench.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl::cli {

/// Explains why the best program of a matrix wins: the features that favour its family, its lead over the
/// next family, and the remaining distance to the physical limit. Empty if there is no best program.
std::string whyItWon(const BenchMatrix& matrix);

/// Writes the winner of each matrix as a program file and as a bundle, for `bench` and `search`.
class BenchWinners
{
public:
    /// The folders for program files and for bundles; empty: none are written.
    BenchWinners(std::filesystem::path programs, std::filesystem::path bundles);

    /// Writes the program file of a winner and returns its path. The path is empty if there is no winner, or
    /// if no program files are written.
    Result<std::string> keep(const BenchMatrix& matrix, std::size_t index);
    /// The same for a program of a family on the matrix with this name. `family`: "other" if the program
    /// belongs to none.
    Result<std::string> keep(const std::string& matrix, const std::string& family, const std::string& text,
                             std::size_t index);
    /// Writes a bundle for each winner. Reads the matrices again; in double precision, with the imported
    /// doubles. Returns the command's status. `kept` says what an interruption leaves besides the bundles.
    int exportAll(const Context& context, const std::vector<ListedMatrix>& matrices,
                  const TargetVariant& variant, const std::string& kept);

private:
    struct Winner
    {
        std::size_t index = 0;
        std::string name, stem, text;
    };
    std::filesystem::path m_programs, m_bundles;
    std::vector<Winner> m_winners;
};

} // namespace sparserl::cli
