// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_readout.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QEvent>
#include <QFontMetrics>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

namespace sparserl {

namespace {

constexpr int rowsSeen = 4;
constexpr int cellPadding = 17; ///< Of a cell of the house style, both sides.

/// The value at the measured x next to the cursor; NaN far from the curve's ends would be a guess, so there
/// is none.
std::optional<double> valueAt(const std::shared_ptr<const Curve>& curve, double x)
{
    if (!curve || curve->empty())
        return std::nullopt;
    if (!std::isfinite(x))
        return curve->y(curve->size() - 1);
    if (x < curve->x(0) || x > curve->x(curve->size() - 1))
        return std::nullopt;
    return curve->y(curve->nearest(x));
}

QString deltaText(double value, double baseline)
{
    const double delta = value - baseline;
    const QString sign = delta > 0 ? QStringLiteral("+") : QString();
    QString text = sign + formatNumber(delta, 3);
    if (baseline != 0 && std::isfinite(delta / baseline))
        text += QStringLiteral(", %1%2").arg(sign, formatPercent(delta / std::abs(baseline)));
    return QStringLiteral("  (%1)").arg(text);
}

} // namespace

RunReadout::RunReadout(QWidget* parent)
    : QWidget(parent)
    , m_where(makeMuted({}, this))
    , m_table(new QTableWidget(this))
{
    styleTable(m_table, 7);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    letShrink(m_where);
    m_table->setAccessibleName(tr("Values of the runs at the cursor"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_where);
    layout->addWidget(m_table, 1);
    setCursor(qQNaN(), {});
}

void RunReadout::setRuns(const QStringList& runs, const std::vector<int>& colours,
                         std::optional<int> baseline)
{
    const Theme& theme = Theme::of(this);
    m_baseline = baseline;
    m_table->setColumnCount(static_cast<int>(runs.size()) + 1);
    m_table->setHorizontalHeaderItem(0, new QTableWidgetItem(tr("Metric")));
    m_table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (int i = 0; i < runs.size(); ++i) {
        auto* item = new QTableWidgetItem(baseline == i ? tr("%1 (baseline)").arg(runs[i]) : runs[i]);
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        item->setToolTip(item->text());
        m_table->setHorizontalHeaderItem(i + 1, item);
    }
    fitValues();
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    // The colours stand in the line above: a header of the house style has none.
    m_names.clear();
    for (int i = 0; i < runs.size(); ++i)
        m_names.emplace_back(theme.seriesColour(colours[static_cast<std::size_t>(i)]).name(), runs[i]);
    m_where->setToolTip(wrappedTip(runs.join(QStringLiteral(", "))));
    showWhere();
    fill();
}

void RunReadout::setRows(std::vector<ReadoutRow> rows)
{
    m_rows = std::move(rows);
    m_table->setRowCount(static_cast<int>(m_rows.size()));
    const int seen = std::min<int>(rowsSeen, std::max<int>(1, m_table->rowCount()));
    m_table->setMinimumHeight(m_table->horizontalHeader()->sizeHint().height() +
                              seen * m_table->verticalHeader()->defaultSectionSize() + 4);
    fill();
}

void RunReadout::setCursor(double x, const QString& text)
{
    m_cursor = x;
    m_cursorText = text;
    showWhere();
    fill();
}

// As wide as a value, or the table scrolls; names that are longer end in dots.
void RunReadout::fitValues()
{
    const QString widest =
        m_baseline ? QStringLiteral("-0.00000  (-0.000, -000.0 %)") : QStringLiteral("-0.0000e-00");
    m_table->horizontalHeader()->setMinimumSectionSize(
        QFontMetrics(m_table->font()).horizontalAdvance(widest) + cellPadding);
}

void RunReadout::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    fitValues();
    showWhere();
}

void RunReadout::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showWhere();
}

// Names that have no room end in dots; the tool tip has all of them.
void RunReadout::showWhere()
{
    const QFontMetrics letters(m_where->font());
    const QString begin = std::isfinite(m_cursor) ? tr("Values at %1").arg(m_cursorText) : tr("Last values");
    const int mark = letters.horizontalAdvance(QStringLiteral("\u00a0\u00a0 ● "));
    const QString dots = QStringLiteral("…");
    const int least = letters.horizontalAdvance(QStringLiteral("nnn") + dots);
    int room = width() - letters.horizontalAdvance(begin);
    RichText where(QStringLiteral("%1"), {begin});
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        const auto& [colour, name] = m_names[i];
        const bool last = i + 1 == m_names.size();
        // After each but the last there must be room for the dots that stand for the rest.
        room -= mark;
        const int own = room - (last ? 0 : letters.horizontalAdvance(QStringLiteral(" ") + dots));
        const int needs = letters.horizontalAdvance(name);
        if (needs > own && own < least) {
            where += {QStringLiteral(" %1"), {dots}};
            break;
        }
        where += {QStringLiteral("&nbsp;&nbsp; <span style='color:%1'>●</span> %2"),
                  {colour, letters.elidedText(name, Qt::ElideRight, own)}};
        room -= needs;
    }
    setRichText(m_where, where);
}

void RunReadout::fill()
{
    const auto put = [this](int row, int column, const QString& text, bool number) {
        QTableWidgetItem* item = m_table->item(row, column);
        if (!item) {
            item = new QTableWidgetItem;
            item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
        if (item->text() != text)
            item->setText(text);
    };
    const int runs = m_table->columnCount() - 1;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const ReadoutRow& line = m_rows[static_cast<std::size_t>(row)];
        put(row, 0, line.metric, false);
        const auto valueOf = [&](int run) {
            return run < static_cast<int>(line.curves.size())
                       ? valueAt(line.curves[static_cast<std::size_t>(run)], m_cursor)
                       : std::nullopt;
        };
        const auto baseline = m_baseline ? valueOf(*m_baseline) : std::nullopt;
        for (int run = 0; run < runs; ++run) {
            const auto value = valueOf(run);
            QString text = value ? formatNumber(*value, 5) : QStringLiteral("–");
            if (value && baseline && run != *m_baseline)
                text += deltaText(*value, *baseline);
            put(row, run + 1, text, true);
        }
    }
}

} // namespace sparserl
