// SPDX-License-Identifier: Apache-2.0
// The columns of the list of runs that the user chose among metrics, parameters and tags.
#include "project/run/metrics.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"
#include "widgets/training/run_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

bool hasTag(const RunRow& run, const std::string& tag)
{
    return std::find(run.notes.tags.begin(), run.notes.tags.end(), tag) != run.notes.tags.end();
}

QString figureText(const RunRow& run, const RunFigure& figure)
{
    const QString none = QStringLiteral("–");
    switch (figure.kind) {
    case RunFigure::Kind::Tag:
        return hasTag(run, figure.name) ? QStringLiteral("✓") : QString();
    case RunFigure::Kind::Parameter: {
        const std::string* text = run.figures ? run.figures->parameter(figure.name) : nullptr;
        return text ? toQString(*text) : none;
    }
    case RunFigure::Kind::Metric:
        break;
    }
    const auto value = run.figures ? run.figures->metric(figure.name, figure.split) : std::nullopt;
    return value ? formatNumber(*value, 4) : none;
}

QString figureTip(const RunFigure& figure)
{
    switch (figure.kind) {
    case RunFigure::Kind::Tag:
        return tr("Whether the run has the tag %1.").arg(toQString(figure.name));
    case RunFigure::Kind::Parameter:
        return tr("Value of the parameter %1 with which the run was started.").arg(toQString(figure.name));
    case RunFigure::Kind::Metric:
        break;
    }
    const MetricDescription* known = findMetric(figure.name);
    const QString last = tr("Last value of %1.").arg(figureName(figure));
    return known ? last + QLatin1Char('\n') +
                       QString::fromUtf8(known->help.data(), static_cast<qsizetype>(known->help.size()))
                 : last;
}

} // namespace

QString figureName(const RunFigure& figure)
{
    const QString name = toQString(figure.name);
    return figure.split.empty() ? name : name + QStringLiteral(" · ") + toQString(figure.split);
}

bool FigureOrder::operator<(const FigureOrder& other) const
{
    if (missing != other.missing)
        return other.missing;
    return number != other.number ? number < other.number : text < other.text;
}

FigureOrder figureOrder(const RunRow& run, const RunFigure& figure)
{
    FigureOrder order;
    if (figure.kind == RunFigure::Kind::Tag) {
        order.number = hasTag(run, figure.name) ? 0 : 1; // those that have it first
        return order;
    }
    const auto number = run.figures ? run.figures->number(figure) : std::nullopt;
    const std::string* text = run.figures && figure.kind == RunFigure::Kind::Parameter
                                  ? run.figures->parameter(figure.name)
                                  : nullptr;
    order.missing = !text && (!number || std::isnan(*number));
    if (number && !std::isnan(*number)) {
        order.number = *number;
    } else if (text) {
        order.number = std::numeric_limits<double>::infinity();
        order.text = toQString(*text);
    }
    return order;
}

void setFigureColumns(RunModel* model, const std::vector<RunFigure>& figures)
{
    std::vector<RowColumn<RunRow>> columns;
    for (const RunFigure& figure : figures) {
        const auto data = [figure](const RunRow& run, int role) -> QVariant {
            if (run.head)
                return role == RunHeadRole ? QVariant(true) : QVariant();
            if (role == Qt::DisplayRole)
                return figureText(run, figure);
            if (role == Qt::AccessibleTextRole && figure.kind == RunFigure::Kind::Tag)
                return hasTag(run, figure.name) ? tr("yes") : tr("no");
            return {};
        };
        columns.push_back(
            {figureName(figure), figureTip(figure), data, figure.kind == RunFigure::Kind::Metric});
    }
    model->setColumnsFrom(RunColumns, std::move(columns));
}

} // namespace sparserl
