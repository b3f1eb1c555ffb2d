// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <CLI/CLI.hpp>
#include <cstdint>

namespace sparserl::cli {

/// Adds `--columns`, the number of dense columns of SpMM. Returns the option.
inline CLI::Option* addColumns(CLI::App& command, std::int64_t& columns)
{
    return command.add_option("--columns", columns, "Dense columns of SpMM")
        ->check(CLI::Range(2, 1024))
        ->capture_default_str();
}

/// Prints a note if --columns was given but no program computes SpMM.
inline void noteUnusedColumns(const Context& context, bool given, bool spmm)
{
    if (given && !spmm)
        context.note("warning: --columns is only for SpMM, and nothing here computes it");
}

} // namespace sparserl::cli
