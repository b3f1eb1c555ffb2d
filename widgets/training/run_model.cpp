// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_model.h"

#include "base/hash.h"
#include "base/time.h"
#include "project/run/default_policy.h"
#include "training/parameters/stage_parameters.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/common/translate.h"
#include "widgets/training/metric_panels.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace sparserl {

namespace {

/// The colour that a run has by itself, by the number in front of its name, or by the name: no run that comes
/// or goes gives it another. The sixth of Theme::series is too grey for it.
int ownColour(const std::string& name)
{
    constexpr std::size_t vivid = 5, each = 6, shades = 3;
    std::size_t number = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (code != std::errc() || (end != name.data() + name.size() && *end != '-'))
        number = static_cast<std::size_t>(seedFrom(name) >> 16);
    const std::size_t colour = (number + vivid * shades - 1) % (vivid * shades);
    return static_cast<int>(colour / vivid * each + colour % vivid);
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
    if (run.remote)
        lines.append(tr("Works on: %1").arg(toQString(run.remote->host)));
    if (!run.parentRun.empty())
        lines.append(tr("Continues: %1, %2").arg(toQString(run.parentRun), toQString(run.parentCheckpoint)));
    else if (!run.parentCheckpoint.empty())
        lines.append(tr("Started from: %1").arg(parentText(run)));
    if (!run.notes.tags.empty()) {
        QStringList tags;
        for (const std::string& tag : run.notes.tags)
            tags.append(toQString(tag));
        lines.append(tr("Tags: %1").arg(tags.join(QStringLiteral(", "))));
    }
    if (!run.notes.note.empty())
        lines.append(toQString(run.notes.note));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

QString statusText(RunStatus status)
{
    return tr(nameOf(status).data()); // the words of filters and of the terminal
}

Tone statusTone(RunStatus status)
{
    switch (status) {
    case RunStatus::Running:
        return Tone::Accent;
    case RunStatus::Silent:
    case RunStatus::Unreached:
    case RunStatus::Paused:
    case RunStatus::Stopped:
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

QString parentText(const RunSummary& run)
{
    const bool isDefault = run.parentRun.empty() && run.parentCheckpoint == defaultPolicyName;
    return isDefault ? tr("the default policy") : toQString(parentName(run));
}

QString stageText(const std::string& stage)
{
    if (const StageDescription* known = findStage(stage))
        return toQString(known->label);
    return toQString(stage);
}

int runColour(const RunSummary& run)
{
    return std::max(0, run.notes.colour);
}

std::vector<RunRow> inLineage(std::vector<RunSummary> runs)
{
    std::map<std::string, std::vector<std::size_t>> children;
    std::vector<std::size_t> order(runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(runs[a].created, runs[a].name) < std::pair(runs[b].created, runs[b].name);
    });
    for (RunSummary& run : runs)
        if (run.notes.colour < 0)
            run.notes.colour = ownColour(run.name);
    // A parent that is gone, or not older, is none: no circles.
    std::map<std::string, double> made;
    for (const RunSummary& run : runs)
        made[run.name] = run.created;
    std::vector<std::size_t> roots;
    for (const std::size_t i : order) {
        const RunSummary& run = runs[i];
        const auto parent = made.find(run.parentRun);
        if (parent != made.end() &&
            std::pair(parent->second, parent->first) < std::pair(run.created, run.name))
            children[run.parentRun].push_back(i);
        else
            roots.push_back(i);
    }
    std::vector<RunRow> rows;
    rows.reserve(runs.size());
    const auto addTree = [&](std::size_t root) {
        std::vector<std::pair<std::size_t, int>> open{{root, 0}};
        double newest = 0;
        while (!open.empty()) {
            const auto [at, depth] = open.back();
            open.pop_back();
            newest = std::max(newest, runs[at].created);
            RunRow row{runs[at]};
            row.depth = depth;
            rows.push_back(std::move(row));
            const auto found = children.find(runs[at].name);
            if (found != children.end())
                for (auto child = found->second.rbegin(); child != found->second.rend(); ++child)
                    open.emplace_back(*child, depth + 1);
        }
        return newest;
    };
    std::vector<std::pair<double, std::vector<RunRow>>> trees;
    for (const std::size_t root : roots) {
        const double newest = addTree(root);
        trees.emplace_back(newest, std::exchange(rows, {}));
    }
    std::stable_sort(trees.begin(), trees.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [newest, tree] : trees)
        std::move(tree.begin(), tree.end(), std::back_inserter(rows));
    return rows;
}

QString runColumnName(int column)
{
    switch (column) {
    case RunShown:
        return tr("On the charts");
    case RunColour:
        return tr("Colour");
    case RunStar:
        return tr("Star");
    case RunName:
        return tr("Run");
    case RunStatusColumn:
        return tr("Status");
    case RunLast:
        return tr("Last");
    case RunCourse:
        return tr("Course");
    case RunStage:
        return tr("Stage");
    case RunStep:
        return tr("Step");
    case RunFrom:
        return tr("From");
    case RunTags:
        return tr("Tags");
    case RunNote:
        return tr("Note");
    case RunPrograms:
        return tr("Programs");
    default:
        return tr("Changed");
    }
}

namespace {

// What the columns show.

QVariant shownData(const RunRow& run, int role)
{
    switch (role) {
    case RunShownRole:
        return run.notes.shown;
    case RunChartedRole:
        return run.charted;
    case SortRole:
        return run.notes.shown ? 0 : 1;
    case Qt::AccessibleTextRole:
        return run.notes.shown ? tr("stays on the charts")
               : run.charted   ? tr("on the charts while it is selected")
                               : tr("not on the charts");
    default:
        return {};
    }
}

QVariant colourData(const RunRow& run, int role)
{
    switch (role) {
    case RunColourRole:
    case SortRole:
        return runColour(run);
    case RunChartedRole:
        return run.charted;
    case Qt::AccessibleTextRole:
        return tr("colour %1").arg(Theme::withoutPalette(runColour(run)) + 1);
    default:
        return {};
    }
}

QVariant starData(const RunRow& run, int role)
{
    switch (role) {
    case SortRole:
        return run.notes.starred ? 0 : 1;
    case Qt::AccessibleTextRole:
        return run.notes.starred ? tr("starred") : tr("not starred");
    default:
        return {};
    }
}

QVariant nameData(const RunRow& run, int role)
{
    switch (role) {
    case Qt::DisplayRole:
        return runLabel(run);
    case Qt::ToolTipRole:
        return nameTip(run);
    case RunDepthRole:
        return run.depth;
    default:
        return {};
    }
}

QVariant statusData(const RunRow& run, int role)
{
    if (role == Qt::DisplayRole)
        return statusText(run.status);
    if (role == ToneRole)
        return static_cast<int>(statusTone(run.status));
    if (role == Qt::ToolTipRole && !run.reason.empty())
        return toQString(run.reason);
    return {};
}

QVariant lastData(const RunRow& run, int role)
{
    if (role == Qt::DisplayRole)
        return run.headline.empty()
                   ? QStringLiteral("–")
                   : metricWords(run.headline) + QLatin1Char(' ') + formatNumber(run.lastValue, 3);
    if (role == Qt::ToolTipRole && !run.headline.empty())
        return QStringLiteral("%1 (%2)").arg(toQString(run.headline), toQString(run.headlineSplit));
    if (role == SortRole)
        return run.headline.empty() || std::isnan(run.lastValue) ? -1e300 : run.lastValue;
    return {};
}

QVariant courseData(const RunRow& run, int role)
{
    if (role == SparkRole) {
        QVariantList values;
        for (const float v : run.spark)
            values.append(static_cast<double>(v));
        return values;
    }
    if (role == RunColourRole)
        return runColour(run);
    if (role == Qt::AccessibleTextRole)
        return counted(static_cast<std::int64_t>(run.spark.size()), tr("one point"), tr("%1 points"));
    if (role == SortRole)
        return run.lastValue;
    return {};
}

QVariant stageData(const RunRow& run, int role)
{
    if (role != Qt::DisplayRole)
        return {};
    const QString algorithm = toQString(run.algorithm);
    return algorithm.isEmpty() ? toQString(run.stage)
                               : QString(toQString(run.stage) + QStringLiteral(" · ") + algorithm);
}

QVariant stepData(const RunRow& run, int role)
{
    if (role == Qt::DisplayRole)
        return stepText(run);
    if (role == SortRole)
        return static_cast<qlonglong>(run.step);
    return {};
}

QVariant fromData(const RunRow& run, int role)
{
    if (role == Qt::DisplayRole)
        return run.parentCheckpoint.empty() && run.parentRun.empty() ? QStringLiteral("–") : parentText(run);
    if (role == Qt::ToolTipRole && run.parentCheckpoint != defaultPolicyName)
        return toQString(run.parentCheckpoint);
    return {};
}

QVariant tagsData(const RunRow& run, int role)
{
    if (role != Qt::DisplayRole)
        return {};
    QStringList tags;
    for (const std::string& tag : run.notes.tags)
        tags.append(toQString(tag));
    return tags.join(QStringLiteral(", "));
}

QVariant noteData(const RunRow& run, int role)
{
    if (role == Qt::DisplayRole)
        return toQString(run.notes.note).simplified();
    if (role == Qt::ToolTipRole && !run.notes.note.empty())
        return toQString(run.notes.note);
    return {};
}

QVariant programsData(const RunRow& run, int role)
{
    if (role == Qt::DisplayRole)
        return formatCount(run.samples);
    if (role == SortRole)
        return static_cast<qlonglong>(run.samples);
    return {};
}

QVariant updatedData(const RunRow& run, int role)
{
    if (role == Qt::DisplayRole)
        return formatAgo(run.updated, unixSeconds());
    if (role == SortRole)
        return run.updated;
    return {};
}

// What the columns show of a group.
QVariant headData(const RunGroupHead& head, int column, int role)
{
    if (role == RunHeadRole)
        return true;
    if (role == RunCollapsedRole)
        return head.collapsed;
    if (role == RunChartedRole)
        return head.charted;
    if (role == RunColourRole)
        return head.colour;
    const auto count = static_cast<std::int64_t>(head.runs.size());
    const QString runs = counted(count, tr("one run"), tr("%1 runs"));
    const bool measured = head.measured > 0;
    const QString best = formatNumber(head.best, 3), median = formatNumber(head.median, 3);
    if (role == Qt::ToolTipRole || (role == Qt::AccessibleTextRole && column == RunName)) {
        QStringList parts{head.title, runs};
        if (measured)
            parts.append(tr("%1: best %2, median %3").arg(toQString(head.headline), best, median));
        if (role == Qt::AccessibleTextRole)
            parts.append(head.collapsed ? tr("collapsed") : tr("expanded"));
        return parts.join(role == Qt::ToolTipRole ? QStringLiteral("\n") : QStringLiteral(", "));
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case RunName:
        return head.title;
    case RunStatusColumn:
        return runs;
    case RunLast:
        return measured ? best : QStringLiteral("–");
    case RunCourse:
        return measured ? tr("med. %1").arg(formatNumber(head.median, 2)) : QString();
    default:
        return {};
    }
}

} // namespace

RunModel* makeRunModel(QObject* parent)
{
    using Column = RowColumn<RunRow>;
    std::vector<Column> columns;
    for (int c = 0; c < RunColumns; ++c) {
        const bool icon = c == RunShown || c == RunColour || c == RunStar;
        columns.push_back({icon ? QString() : runColumnName(c), {}, {}, false});
    }
    const auto define = [&](RunColumn column, const QString& tip,
                            std::function<QVariant(const RunRow&, int)> data, bool numeric = false) {
        columns[column].toolTip = tip;
        columns[column].data = [column, data = std::move(data)](const RunRow& run, int role) {
            return run.head ? headData(*run.head, column, role) : data(run, role);
        };
        columns[column].numeric = numeric;
    };
    define(RunShown, tr("A run with an open eye stays on the charts, whatever is selected (Space)."),
           shownData);
    define(RunColour, tr("The run's colour on the charts. Click it to choose another colour."), colourData);
    define(RunStar, tr("A star for the runs that matter."), starData);
    define(
        RunName,
        tr("Title of the run, or the name of its folder. Until the list is sorted, a run is listed below its "
           "parent."),
        nameData);
    define(RunStatusColumn, tr("What the run is doing now."), statusData);
    define(RunLast, tr("Last value of the run's main metric: reward, or loss for stages without rewards."),
           lastData, true);
    define(RunCourse, tr("The curve of the main metric; a red line marks a value that is not a number."),
           courseData);
    define(RunStage, tr("Stage and algorithm of the run."), stageData);
    define(RunStep, tr("Last step, and total number of steps."), stepData, true);
    define(RunFrom, tr("The run from whose checkpoint this one started."), fromData);
    define(RunTags, tr("Tags that you gave the run."), tagsData);
    define(RunNote, tr("Your note about the run."), noteData);
    define(RunPrograms, tr("Number of programs that the run sampled."), programsData, true);
    define(RunUpdated, tr("When the run last wrote something."), updatedData);
    return new RunModel(
        std::move(columns), [](const RunRow& run) { return run.head ? run.head->key : toQString(run.name); },
        parent);
}

} // namespace sparserl
