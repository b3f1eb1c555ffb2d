// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/box_view.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/evaluation/evaluation_charts.h"
#include "widgets/evaluation/policy_list.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace sparserl {

BoxView::BoxView(QWidget* parent)
    : QWidget(parent)
    , m_chart(new ChartWidget(this))
    , m_table(new QTableView(this))
{
    using Line = BoxLine;
    std::vector<RowColumn<Line>> columns;
    columns.push_back({tr("Non-zeros"), tr("Non-zeros of the matrices, from small to large."),
                       [](const Line& line, int role) -> QVariant {
                           return role == Qt::DisplayRole ? QVariant(line.bin) : QVariant();
                       }});
    columns.push_back({tr("Policy"), {}, [](const Line& line, int role) -> QVariant {
                           if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
                               return line.label;
                           return role == SwatchRole ? QVariant(line.colour.value_or(-1)) : QVariant();
                       }});
    const auto count = [](double v) { return formatCount(static_cast<std::int64_t>(v)); };
    const auto add = [&](const QString& title, const QString& tip, double BoxFigures::*member) {
        columns.push_back(numberColumn<Line>(
            title, tip,
            [member](const Line& line) {
                return line.box.count > 0 ? line.box.*member : std::numeric_limits<double>::quiet_NaN();
            },
            [](double v) { return QLocale().toString(v, 'f', 2); }));
    };
    columns.push_back(numberColumn<Line>(
        tr("Matrices"), tr("Evaluated matrices of this size; for the baseline, those on which it was timed."),
        [](const Line& line) { return static_cast<double>(line.matrices); }, count));
    columns.push_back(numberColumn<Line>(
        tr("Solved"), tr("Matrices with a correct program; only these have GFLOPS."),
        [](const Line& line) { return static_cast<double>(line.box.count); }, count));
    add(tr("Smallest"), tr("GFLOPS: the lower whisker."), &BoxFigures::low);
    add(tr("Lower quartile"), tr("GFLOPS: the lower edge of the box."), &BoxFigures::lowerQuartile);
    add(tr("Median"), tr("GFLOPS: the line in the box."), &BoxFigures::median);
    add(tr("Upper quartile"), tr("GFLOPS: the upper edge of the box."), &BoxFigures::upperQuartile);
    add(tr("Largest"), tr("GFLOPS: the upper whisker."), &BoxFigures::high);
    add(tr("Mean"), tr("GFLOPS: the mean, as in the paper's tables."), &BoxFigures::mean);
    m_model = new RowModel<Line>(
        std::move(columns),
        [](const Line& line) { return QString(line.bin + QLatin1Char('\n') + line.label); }, this);
    styleTable(m_table);
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(1, new SwatchDelegate(m_table));
    m_table->setAccessibleName(tr("GFLOPS by non-zeros"));
    const QString number = QStringLiteral("0,000.00");
    fitColumns(m_table,
               {QStringLiteral("200,000 to 1,000,000"), QStringLiteral("a-run/step-000000"),
                QStringLiteral("0,000"), QStringLiteral("0,000"), number, number, number, number, number,
                number},
               1);
    auto* card = makeCard(this);
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 6, 1, 1);
    inside->addWidget(m_table);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(QStringLiteral("evaluation.boxes"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_chart);
    splitter->addWidget(card);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->addWidget(splitter);
}

void BoxView::showView(const EvaluationView& view)
{
    m_chart->setData(boxChart(view));
    m_model->setRows(view.boxLines());
}

} // namespace sparserl
