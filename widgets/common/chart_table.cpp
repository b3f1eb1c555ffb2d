// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_table.h"

#include "base/csv.h"
#include "widgets/common/chart_readout.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

enum Column
{
    CurveName,
    X,
    Value,
    Columns
};
/// Of boxes.
enum BoxColumn
{
    Low = X + 1,
    LowerQuartile,
    Median,
    UpperQuartile,
    High,
    Count,
    BoxColumns
};

double boxValue(const ChartSeries& series, qsizetype i, int column)
{
    const ChartBox box = series.boxes.value(i);
    switch (column) {
    case Low:
        return box.low;
    case LowerQuartile:
        return box.lowerQuartile;
    case Median:
        return series.curve->y(static_cast<std::size_t>(i));
    case UpperQuartile:
        return box.upperQuartile;
    case High:
        return box.high;
    default:
        return static_cast<double>(box.count);
    }
}

} // namespace

ChartTableModel::ChartTableModel(const ChartData& data, QObject* parent)
    : QAbstractTableModel(parent)
    , m_chart(data)
{
    qsizetype rows = 0;
    for (const ChartSeries& series : data.series)
        m_ends.append(rows += series.size());
}

int ChartTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_ends.isEmpty() ? 0 : static_cast<int>(m_ends.last());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const
{
    if (parent.isValid())
        return 0;
    return m_chart.hasBoxes() ? int(BoxColumns) : int(Columns);
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole && index.column() != CurveName)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    const auto at = std::upper_bound(m_ends.begin(), m_ends.end(), qsizetype(index.row())) - m_ends.begin();
    const ChartSeries& series = m_chart.series[at];
    const qsizetype i = index.row() - (at > 0 ? m_ends[at - 1] : 0);
    const auto point = static_cast<std::size_t>(i);
    if (index.column() == CurveName)
        return series.name;
    if (index.column() == X)
        return pointName(m_chart, series, point);
    if (m_chart.hasBoxes())
        return formatNumber(boxValue(series, i, index.column()), 7);
    return formatNumber(series.curve->y(point), 7);
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal)
        return QVariant::fromValue(
            Qt::Alignment((section == CurveName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case CurveName:
        return tr("Curve");
    case X:
        if (m_chart.x == ChartX::Seconds)
            return tr("Seconds");
        if (m_chart.x == ChartX::Date)
            return tr("Unix seconds");
        return m_chart.xLabel.isEmpty() ? tr("x") : m_chart.xLabel;
    default:
        break;
    }
    if (!m_chart.hasBoxes())
        return tr("Value");
    const QString names[] = {tr("Smallest"),       tr("Lower quartile"), tr("Median"),
                             tr("Upper quartile"), tr("Largest"),        tr("Values")};
    return names[section - Low];
}

QString chartCsv(const ChartData& data)
{
    const auto number = [](double v) {
        return std::isnan(v) ? QStringLiteral("nan") : QString::number(v, 'g', 17);
    };
    const auto quoted = [](const QString& text) { return toQString(csvQuoted(text.toStdString())); };
    if (data.hasBoxes()) {
        QString text =
            QStringLiteral("series,category,low,lower_quartile,median,upper_quartile,high,count\n");
        for (const ChartSeries& s : data.series)
            for (qsizetype i = 0; i < s.size(); ++i) {
                QStringList cells{quoted(s.name), quoted(pointName(data, s, static_cast<std::size_t>(i)))};
                for (int column = Low; column < BoxColumns; ++column)
                    cells.append(number(boxValue(s, i, column)));
                text += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
            }
        return text;
    }
    QString text = QStringLiteral("series,x,y\n");
    for (const ChartSeries& s : data.series) {
        const QString name = quoted(s.name);
        for (std::size_t i = 0; i < s.curve->size(); ++i)
            text += name + QLatin1Char(',') + number(s.curve->x(i)) + QLatin1Char(',') +
                    number(s.curve->y(i)) + QLatin1Char('\n');
    }
    return text;
}

void showChartTable(const ChartData& data, QWidget* parent)
{
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(ChartTableModel::tr("%1 as a table").arg(data.title));
    dialog->resize(480, 520);
    auto* layout = new QVBoxLayout(dialog);
    auto* table = new QTableView(dialog);
    styleTable(table);
    table->setModel(new ChartTableModel(data, table));
    table->setAccessibleName(dialog->windowTitle());
    table->horizontalHeader()->setSectionResizeMode(CurveName, QHeaderView::Stretch);
    layout->addWidget(table);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    layout->addWidget(buttons);
    dialog->open();
}

} // namespace sparserl
