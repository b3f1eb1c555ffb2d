// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "evaluation/bench/bench.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl::cli {

/// Why the best program of a matrix is the best: what its features say for the family, how far the next
/// family is, and what is left to the physical limit. Empty without one.
std::string whyItWon(const BenchMatrix& matrix);

/// Writes the winner of each matrix as a program file, and as a bundle: of `bench` and of `search`.
class BenchWinners
{
public:
    /// Empty: not wanted.
    BenchWinners(std::filesystem::path programs, std::filesystem::path bundles);

    /// Writes the program file. Gives its path; empty where there is no winner or none is wanted.
    Result<std::string> keep(const BenchMatrix& matrix, std::size_t index);
    /// The same for a program of a family, or of none ("other"), on the matrix of that name.
    Result<std::string> keep(const std::string& matrix, const std::string& family, const std::string& text,
                             std::size_t index);
    /// Writes a bundle for each winner; reads their matrices again, in double precision with the doubles that
    /// were imported. Gives the status of the command.
    int exportAll(const Context& context, const std::vector<ListedMatrix>& matrices,
                  const TargetVariant& variant);

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
