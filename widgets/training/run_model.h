// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/row_model.h"

namespace sparserl {

using RunModel = RowModel<RunSummary>;
enum RunColumn
{
    RunName,
    RunStatusColumn,
    RunStep,
    RunLast,
    RunCourse,
    RunFrom,
    RunUpdated
};

RunModel* makeRunModel(QObject* parent);

QString statusText(RunStatus status);
Tone statusTone(RunStatus status);
/// Title, or the folder's name where there is none.
QString runLabel(const RunSummary& run);
QString stageText(const std::string& stage);

} // namespace sparserl
