// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/runners/oracle_process.h"
#include "operator/import/task_folder.h"
#include "operator/import/task_import.h"

#include <string>
#include <string_view>

namespace sparserl {

struct CheckedTask
{
    ImportedTask task;
    TaskRecord record;
};

/// Imports a task and runs each of its sizes but the full one in the oracle: its outputs must be those that
/// the task returned. A size whose outputs are little more than rounding gives way to a larger one, or goes
/// if it is not the smallest; if none is better, it stays and is flagged. An Error says why the task cannot
/// be imported.
Result<CheckedTask> importChecked(const ImportPython& python, const TaskSource& source,
                                  const ImportOptions& options, OracleProcess& oracle);

} // namespace sparserl
