// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "project/queries/run_figures.h"
#include "widgets/common/row_model.h"

#include <memory>

namespace sparserl {

/// The row above a group of runs (run_groups.h).
struct RunGroupHead
{
    QString key;             ///< Unique among all rows, because it begins with a slash.
    QString title;           ///< "rl.lr = 0.001"
    std::vector<RunId> runs; ///< The runs that pass the filter, in the order of the list.
    std::string headline;    ///< The main metric of most of these runs; empty: none.
    std::size_t measured = 0;
    /// Best and median of the last values of `measured` runs. Omits NaN and infinities.
    double best = 0, median = 0;
    int colour = 0; ///< Colour of the group's curve on charts, for Theme::seriesColour().
    bool collapsed = false, charted = false;
    bool operator==(const RunGroupHead&) const = default;
};

/// A row of the list: a run, or the head of a group.
struct RunRow : RunSummary
{
    int depth = 0;                            ///< Number of ancestors above it.
    bool charted = false;                     ///< Whether it is currently on the charts, for any reason.
    int group = 0;                            ///< Index of the group, counted from the top.
    bool hidden = false;                      ///< Whether its group is collapsed.
    std::shared_ptr<const RunGroupHead> head; ///< Null for a run.
    /// The metrics and parameters that were requested; null: none.
    std::shared_ptr<const RunFigures> figures;
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
    RunColourRole = Qt::UserRole + 200, ///< int: for Theme::seriesColour().
    RunDepthRole,
    RunShownRole,    ///< bool: stays on the charts.
    RunChartedRole,  ///< bool
    RunHeadRole,     ///< bool: whether the row is the head of a group.
    RunCollapsedRole ///< bool: whether the group of a head is collapsed.
};

RunModel* makeRunModel(QObject* parent);
/// Adds a column for each of these figures after the columns of RunColumn.
void setFigureColumns(RunModel* model, const std::vector<RunFigure>& figures);
/// The name of a column or an axis: "correct_rate · held-out", "rl.lr", "good".
QString figureName(const RunFigure& figure);
/// The position of a run in the ascending order of a figure.
struct FigureOrder
{
    bool missing = false; ///< The run has no value. It is last in both orders.
    double number = 0;
    QString text; ///< The value if it is not a number. Texts follow all numbers.
    bool operator<(const FigureOrder& other) const;
};
FigureOrder figureOrder(const RunRow& run, const RunFigure& figure);
/// The name of a column whose header has no room for a title.
QString runColumnName(int column);

/// Arranges runs by lineage: the newest tree first, each run after its parent, siblings by age. A run without
/// a chosen colour gets a colour that is derived from its name.
std::vector<RunRow> inLineage(std::vector<RunSummary> runs);

QString statusText(RunStatus status);
Tone statusTone(RunStatus status);
/// The title of a run, or the name of its folder if it has no title.
QString runLabel(const RunSummary& run);
/// The name of the checkpoint or policy from which a run started; empty: from scratch.
QString parentText(const RunSummary& run);
QString stageText(const std::string& stage);
/// The colour of a run on charts, for Theme::seriesColour().
int runColour(const RunSummary& run);

} // namespace sparserl
