// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "evaluation/bench/bench.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl::cli {

/// Why the best program of a matrix wins: the features that favour its family, the distance to the next
/// family, and the remaining distance to the physical limit. Empty if there is none.
std::string whyItWon(const BenchMatrix& matrix);

/// Writes the winner of each matrix as a program file and as a bundle, for `bench` and `search`.
class BenchWinners
{
public:
    /// Empty: not wanted.
    BenchWinners(std::filesystem::path programs, std::filesystem::path bundles);

    /// Writes the program file and returns its path; empty if there is no winner or none is wanted.
    Result<std::string> keep(const BenchMatrix& matrix, std::size_t index);
    /// The same for a program of a family, or of none ("other"), on the matrix with this name.
    Result<std::string> keep(const std::string& matrix, const std::string& family, const std::string& text,
                             std::size_t index);
    /// Writes a bundle for each winner. Reads the matrices again, in double precision with the imported
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
