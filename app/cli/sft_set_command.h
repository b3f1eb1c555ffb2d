// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <string>
#include <vector>

namespace sparserl::cli {

struct SftSetOptions
{
    std::string folder = ".";          ///< The project, or a folder in it.
    std::vector<std::string> from;     ///< Names of runs whose fastest programs are added.
    std::vector<std::string> programs; ///< Hashes or hash prefixes of programs to add.
    std::vector<std::string> matrices; ///< Names; empty: all that are not held out.
    std::vector<std::string> remove;   ///< Hashes or hash prefixes of programs to remove.
    int best = 4;                      ///< Number of programs to add from each run, per target.
    double within = 1.25; ///< Maximum time of a program, as a multiple of the time of the target's fastest.
    bool clear = false;   ///< Removes all programs first.
};

/// `sparserl project sft-set`: changes the project's SFT set as requested, then lists it.
int changeSftSet(const Context& context, const SftSetOptions& options);

} // namespace sparserl::cli
