// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_model.h"

#include "base/time.h"
#include "training/stage_parameters.h"
#include "widgets/common/format.h"

#include <QCoreApplication>
#include <cmath>

namespace sparserl {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("RunModel", text);
}

QString stepText(const RunSummary& run)
{
    return run.totalSteps > 0
               ? QStringLiteral("%1 / %2").arg(formatCount(run.step), formatCount(run.totalSteps))
               : formatCount(run.step);
}

QString nameTip(const RunSummary& run)
{
    QStringList lines{toQString(run.name)};
    lines.append(tr("Stage: %1").arg(stageText(run.stage)));
    if (!run.preset.empty())
        lines.append(tr("Preset: %1").arg(toQString(run.preset)));
    if (!run.parentRun.empty())
        lines.append(tr("Continues: %1, %2").arg(toQString(run.parentRun), toQString(run.parentCheckpoint)));
    if (!run.notes.note.empty())
        lines.append(toQString(run.notes.note));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

QString statusText(RunStatus status)
{
    switch (status) {
    case RunStatus::Queued:
        return tr("queued");
    case RunStatus::Live:
        return tr("running");
    case RunStatus::Stale:
        return tr("silent");
    case RunStatus::Paused:
        return tr("paused");
    case RunStatus::Lost:
        return tr("interrupted");
    case RunStatus::Done:
        return tr("done");
    case RunStatus::Failed:
        return tr("failed");
    }
    return {};
}

Tone statusTone(RunStatus status)
{
    switch (status) {
    case RunStatus::Live:
        return Tone::Accent;
    case RunStatus::Stale:
    case RunStatus::Lost:
    case RunStatus::Paused:
        return Tone::Warn;
    case RunStatus::Done:
        return Tone::Good;
    case RunStatus::Failed:
        return Tone::Bad;
    case RunStatus::Queued:
        break;
    }
    return Tone::Neutral;
}

QString runLabel(const RunSummary& run)
{
    return toQString(run.title.empty() ? run.name : run.title);
}

QString stageText(const std::string& stage)
{
    if (const StageDescription* known = findStage(stage))
        return toQString(known->label);
    return toQString(stage);
}

RunModel* makeRunModel(QObject* parent)
{
    using Column = RowColumn<RunSummary>;
    const std::vector<Column> columns{
        Column{tr("Run"), tr("Folder of the run, or the title you gave it."),
               [](const RunSummary& run, int role) -> QVariant {
                   if (role == Qt::DisplayRole)
                       return QString(runLabel(run) + (run.notes.starred ? QStringLiteral(" ★") : QString()));
                   if (role == Qt::ToolTipRole)
                       return nameTip(run);
                   return {};
               }},
        Column{tr("Status"), tr("What the run is doing now."),
               [](const RunSummary& run, int role) -> QVariant {
                   if (role == Qt::DisplayRole)
                       return statusText(run.status);
                   if (role == ToneRole)
                       return static_cast<int>(statusTone(run.status));
                   if (role == Qt::ToolTipRole && !run.reason.empty())
                       return toQString(run.reason);
                   return {};
               }},
        Column{tr("Step"), tr("Last step, of how many."),
               [](const RunSummary& run, int role) -> QVariant {
                   if (role == Qt::DisplayRole)
                       return stepText(run);
                   if (role == SortRole)
                       return static_cast<qlonglong>(run.step);
                   return {};
               },
               true},
        Column{tr("Last"),
               tr("Last value of the run's main measure: reward, or loss where nothing is rewarded."),
               [](const RunSummary& run, int role) -> QVariant {
                   if (role == Qt::DisplayRole)
                       return run.headline.empty() ? QStringLiteral("–") : formatNumber(run.lastValue, 3);
                   if (role == Qt::ToolTipRole && !run.headline.empty())
                       return QStringLiteral("%1 (%2)").arg(toQString(run.headline),
                                                            toQString(run.headlineSplit));
                   if (role == SortRole)
                       return run.headline.empty() || std::isnan(run.lastValue) ? -1e300 : run.lastValue;
                   return {};
               },
               true},
        Column{tr("Course"), tr("The course of that measure; a red line is a value that is not a number."),
               [](const RunSummary& run, int role) -> QVariant {
                   if (role == SparkRole) {
                       QVariantList values;
                       for (const float v : run.spark)
                           values.append(static_cast<double>(v));
                       return values;
                   }
                   if (role == Qt::AccessibleTextRole)
                       return tr("%1 points").arg(run.spark.size());
                   if (role == SortRole)
                       return run.lastValue;
                   return {};
               }},
        Column{tr("From"), tr("The run whose checkpoint this one started from."),
               [](const RunSummary& run, int role) -> QVariant {
                   if (role == Qt::DisplayRole)
                       return run.parentRun.empty() ? QStringLiteral("–") : toQString(run.parentRun);
                   if (role == Qt::ToolTipRole && !run.parentRun.empty())
                       return toQString(run.parentCheckpoint);
                   return {};
               }},
        Column{tr("Changed"), tr("When the run last wrote something."),
               [](const RunSummary& run, int role) -> QVariant {
                   if (role == Qt::DisplayRole)
                       return formatAgo(run.updated, unixSeconds());
                   if (role == SortRole)
                       return run.updated;
                   return {};
               }},
    };
    return new RunModel(
        columns, [](const RunSummary& run) { return toQString(run.name); }, parent);
}

} // namespace sparserl
