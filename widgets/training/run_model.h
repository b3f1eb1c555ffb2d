// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/row_model.h"

namespace sparserl {

/// A run as the list has it.
struct RunRow : RunSummary
{
    int depth = 0;        ///< How many ancestors stand above it.
    bool charted = false; ///< On the charts now, for whatever reason.
};

using RunModel = RowModel<RunRow>;
enum RunColumn
{
    RunShown,
    RunColour,
    RunStar,
    RunName,
    RunStatusColumn,
    RunLast,
    RunCourse,
    RunStage,
    RunStep,
    RunFrom,
    RunTags,
    RunNote,
    RunPrograms,
    RunUpdated,
    RunColumns
};
/// Roles of the run list besides those of ItemRole.
enum RunRole
{
    RunColourRole = Qt::UserRole + 200, ///< int: of Theme::seriesColour().
    RunDepthRole,
    RunShownRole,  ///< bool: laid over the charts of others.
    RunChartedRole ///< bool
};

RunModel* makeRunModel(QObject* parent);
/// What a column is called where its header has no room for it.
QString runColumnName(int column);

/// Newest tree first; in it every run behind its parent, siblings by age. A run without a chosen colour gets
/// one by its age.
std::vector<RunRow> inLineage(std::vector<RunSummary> runs);

QString statusText(RunStatus status);
Tone statusTone(RunStatus status);
/// Title, or the folder's name where there is none.
QString runLabel(const RunSummary& run);
QString stageText(const std::string& stage);
/// The colour of a run on charts, of Theme::seriesColour().
int runColour(const RunSummary& run);

} // namespace sparserl
