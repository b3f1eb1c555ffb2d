// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "evaluation/runners/oracle_process.h"

#include <string>
#include <vector>

namespace sparserl::cli {

struct OperatorImportOptions
{
    std::string path, out, mode;
    std::vector<int> levels; ///< Of a checkout of KernelBench; empty: all.
    OracleOptions oracle;
};

/// Imports a task, all tasks of a folder, or those of a checkout of KernelBench.
int importTasks(const Context& context, const OperatorImportOptions& options);

} // namespace sparserl::cli
