// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "project/queries/run_figures.h"
#include "widgets/common/row_model.h"

#include <memory>

namespace sparserl {

/// A row above the runs that have something in common (run_groups.h).
struct RunGroupHead
{
    QString key;             ///< Unique among rows: begins with a slash.
    QString title;           ///< "rl.lr = 0.001"
    std::vector<RunId> runs; ///< Those that the filter leaves, in the order of the list.
    std::string headline;    ///< The measure that most of them have; empty: none.
    std::size_t measured = 0;
    double best = 0, median = 0; ///< Of the last values of `measured` runs; NaN and infinities do not count.
    int colour = 0;              ///< Of the group's curve on charts, of Theme::seriesColour().
    bool collapsed = false, charted = false;
    bool operator==(const RunGroupHead&) const = default;
};

/// A run as the list has it, or the head of a group.
struct RunRow : RunSummary
{
    int depth = 0;                            ///< How many ancestors stand above it.
    bool charted = false;                     ///< On the charts now, for whatever reason.
    int group = 0;                            ///< Which one, counted from the top.
    bool hidden = false;                      ///< Its group is collapsed.
    std::shared_ptr<const RunGroupHead> head; ///< Null for a run.
    /// Metrics and parameters that somebody wanted; null: nobody did.
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
    RunColourRole = Qt::UserRole + 200, ///< int: of Theme::seriesColour().
    RunDepthRole,
    RunShownRole,    ///< bool: laid over the charts of others.
    RunChartedRole,  ///< bool
    RunHeadRole,     ///< bool: the head of a group.
    RunCollapsedRole ///< bool, of a head.
};

RunModel* makeRunModel(QObject* parent);
/// Columns behind RunColumns: one for each of these.
void setFigureColumns(RunModel* model, const std::vector<RunFigure>& figures);
/// "correct_rate · held-out", "rl.lr", "good": what a column or an axis is called.
QString figureName(const RunFigure& figure);
/// Where a run stands in the ascending order of a figure.
struct FigureOrder
{
    bool missing = false; ///< Has no value: stands last in either order.
    double number = 0;
    QString text; ///< Where it is no number: behind all numbers.
    bool operator<(const FigureOrder& other) const;
};
FigureOrder figureOrder(const RunRow& run, const RunFigure& figure);
/// What a column is called where its header has no room for it.
QString runColumnName(int column);

/// Newest tree first; in it every run behind its parent, siblings by age. A run without a chosen colour gets
/// the one that its name gives it.
std::vector<RunRow> inLineage(std::vector<RunSummary> runs);

QString statusText(RunStatus status);
Tone statusTone(RunStatus status);
/// Title, or the folder's name where there is none.
QString runLabel(const RunSummary& run);
/// What it started from, as people call it; empty: from scratch.
QString parentText(const RunSummary& run);
QString stageText(const std::string& stage);
/// The colour of a run on charts, of Theme::seriesColour().
int runColour(const RunSummary& run);

} // namespace sparserl
