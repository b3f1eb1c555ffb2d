// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_frame.h"

#include "widgets/common/chart_curves.h"
#include "widgets/common/plain_text.h"

#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QGraphicsSimpleTextItem>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <QtCharts/QBoxPlotSeries>
#include <QtCharts/QBoxSet>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLegendMarker>
#include <QtCharts/QLineSeries>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr double sideMargin = 12, topMargin = 7;
constexpr double legendMargin = 24, legendInset = 8;
/// What does not fit into so many rows is cut by name; a low chart leaves the room to its curves.
constexpr int mostRows = 3, mostRowsIfLow = 2;
constexpr double lowChart = 260;

/// A legend entry besides its text: its mark, which is as large as the letters, and spacing.
double entryWidth(const QFontMetricsF& letters)
{
    return letters.height() + 12;
}

// Series and axes are made anew when this changes.
QString structureOf(const ChartData& data)
{
    QString text = QStringLiteral("%1 %2 %3 %4 %5")
                       .arg(data.x == ChartX::Date)
                       .arg(data.logX)
                       .arg(data.logY)
                       .arg(data.hasRightAxis())
                       .arg(data.series.size());
    for (const ChartSeries& series : data.series) {
        text += QStringLiteral(" %1%2").arg(static_cast<int>(series.kind)).arg(series.rightAxis);
        if (data.hasRightAxis()) // axes have the colours of their curves
            text += QStringLiteral(" %1").arg(series.colour);
        text += series.labels.join(QChar(0));
    }
    text += data.categories.join(QChar(0));
    for (const ChartLegendEntry& entry : data.legend) {
        text += QLatin1Char(';');
        for (const int series : entry.series)
            text += QStringLiteral(" %1").arg(series);
    }
    return text;
}

QList<ChartLegendEntry> entriesOf(const ChartData& data)
{
    if (!data.legend.isEmpty() && !data.onCategories())
        return data.legend;
    QList<ChartLegendEntry> entries;
    for (int i = 0; i < data.series.size(); ++i) {
        const ChartSeries& series = data.series[i];
        entries.append({series.name, {i}, series.colour, series.dash, series.strong});
    }
    return entries;
}

bool isHidden(const ChartLegendEntry& entry, const QList<int>& hidden)
{
    return std::all_of(entry.series.begin(), entry.series.end(), [&](int i) { return hidden.contains(i); });
}

// Bars stand on whole numbers from 0.
qsizetype categoriesOf(const ChartData& data)
{
    double last = -1;
    for (const ChartSeries& series : data.series)
        if (!series.curve->empty())
            last = std::max(last, series.curve->x(series.curve->size() - 1));
    return static_cast<qsizetype>(last) + 1;
}

// A mark is ten pixels long: its dashes are shorter than the curve's.
QPen legendPen(const ChartLegendEntry& series, const Theme& theme)
{
    QPen pen(series.colour < 0 ? theme.muted : theme.seriesColour(series.colour), series.strong ? 3 : 2);
    pen.setCapStyle(Qt::FlatCap);
    if (series.dash == 1)
        pen.setDashPattern({1.4, 0.8});
    else if (series.dash == 2)
        pen.setDashPattern({0.6, 0.6});
    else if (series.dash == 3)
        pen.setDashPattern({1.8, 0.7, 0.6, 0.7});
    return pen;
}

// A bar on a logarithmic axis begins at its lower end; a value that has no logarithm is no bar.
double barHeight(const Curve& curve, std::size_t i, const ChartView& view)
{
    const double value = curve.y(i);
    if (view.y.logarithmic)
        return std::isfinite(value) && value > view.y.low ? value : view.y.low;
    return std::isfinite(value) ? value : 0;
}

/// Whether all words of a name are in the title, such as "Speed-up" in "Speed-up of correct programs".
bool saysNoMoreThan(const QString& name, const QString& title)
{
    const QStringList words = name.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QStringList known = title.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return !words.isEmpty() &&
           std::all_of(words.begin(), words.end(), [&](const QString& word) { return known.contains(word); });
}

} // namespace

ChartFrame::ChartFrame(QChart* chart)
    : QObject(chart)
    , m_chart(chart)
    , m_axes(new ChartAxes(chart))
    , m_title(new QGraphicsSimpleTextItem(chart))
    , m_hint(new QGraphicsSimpleTextItem(chart))
{
    chart->setAnimationOptions(QChart::NoAnimation);
    chart->setLocalizeNumbers(true);
    chart->setLocale(QLocale());
    chart->layout()->setContentsMargins(0, 0, 0, 0);
    chart->setBackgroundRoundness(7);
    chart->setDropShadowEnabled(false);
    chart->legend()->setBackgroundVisible(false);
    chart->legend()->detachFromChart();
}

QFont ChartFrame::smallFont(const QFont& font)
{
    QFont small = font;
    small.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.86));
    return small;
}

void ChartFrame::rebuild(const ChartData& data)
{
    m_chart->removeAllSeries();
    m_lines.clear();
    m_boxes.clear();
    m_bars = nullptr;
    m_axes->rebuild(data);
    // From the series, marks of curves are lines, and those of bars and boxes have no colour at all.
    m_chart->legend()->setMarkerShape(data.onCategories() ? QLegend::MarkerShapeRectangle
                                                          : QLegend::MarkerShapeFromSeries);
    if (data.hasBoxes()) {
        for (qsizetype i = 0; i < data.series.size(); ++i) {
            auto* boxes = new QBoxPlotSeries;
            boxes->setBoxWidth(0.66);
            for (qsizetype category = 0; category < data.categories.size(); ++category)
                boxes->append(new QBoxSet(1, 1, 1, 1, 1)); // of 0 there is no logarithm
            m_chart->addSeries(boxes);
            m_axes->attach(boxes, false);
            m_boxes.append(boxes);
        }
    } else if (data.hasBars()) {
        m_bars = new QBarSeries;
        m_bars->setBarWidth(0.74);
        for (const ChartSeries& series : data.series) {
            m_bars->append(new QBarSet(chartText(series.name)));
        }
        m_chart->addSeries(m_bars);
        m_axes->attach(m_bars, false);
    } else {
        bool leftAttached = false, rightAttached = false;
        for (const ChartLegendEntry& entry : m_entries) {
            auto* line = new QLineSeries;
            m_lines.append(line);
            m_chart->addSeries(line);
            const bool right = std::all_of(entry.series.begin(), entry.series.end(),
                                           [&](int i) { return data.series[i].rightAxis; });
            bool& attached = right ? rightAttached : leftAttached;
            if (!std::exchange(attached, true))
                m_axes->attach(line, right);
        }
    }
    connectMarkers();
}

QList<QLegendMarker*> ChartFrame::markers() const
{
    return m_chart->legend()->markers();
}

void ChartFrame::connectMarkers()
{
    const auto all = markers();
    for (int i = 0; i < all.size(); ++i)
        connect(all[i], &QLegendMarker::clicked, this, [this, i] {
            if (i < m_entries.size())
                Q_EMIT legendClicked(m_entries[i].series);
        });
}

void ChartFrame::setData(const ChartData& data, const ChartView& view, const QList<int>& hidden)
{
    m_entries = entriesOf(data);
    if (const QString structure = structureOf(data); structure != m_structure) {
        m_structure = structure;
        rebuild(data);
        setLook(data, m_theme, m_font);
    }
    if (m_bars)
        updateBars(data, view, hidden);
    else if (!m_boxes.isEmpty())
        updateBoxes(data, view, hidden);
    else
        updateLines(hidden);
    // A legend of one set of bars would only repeat the title, as that of one curve may do.
    const bool repeats = m_entries.size() == 1 && saysNoMoreThan(m_entries.first().name, data.title);
    const bool legend = !data.empty() && !repeats && (!data.onCategories() || data.series.size() > 1);
    m_chart->legend()->setVisible(legend);
    const auto all = markers();
    for (int i = 0; i < all.size() && i < m_entries.size(); ++i) {
        QColor text = m_theme.text;
        if (isHidden(m_entries[i], hidden))
            text = blend(m_theme.base, text, 0.35);
        if (all[i]->labelBrush().color() != text)
            all[i]->setLabelBrush(text);
        if (m_bars || !m_boxes.isEmpty()) { // what got its colour later does not tell its mark
            all[i]->setPen(m_bars ? QPen(Qt::NoPen) : m_boxes[i]->pen());
            all[i]->setBrush(m_bars ? m_bars->barSets().at(i)->brush() : m_boxes[i]->brush());
        }
    }
}

// Names that are wider are cut in their middle: run and split stand at the ends.
void ChartFrame::nameEntries(double width)
{
    m_nameWidth = width;
    for (int i = 0; i < m_entries.size(); ++i) {
        const QString name = chartText(entryName(i));
        if (i < m_lines.size() && m_lines[i]->name() != name)
            m_lines[i]->setName(name);
        if (i < m_boxes.size() && m_boxes[i]->name() != name)
            m_boxes[i]->setName(chartText(entryName(i)));
        if (m_bars && i < m_bars->count() && m_bars->barSets().at(i)->label() != name)
            m_bars->barSets().at(i)->setLabel(chartText(entryName(i)));
    }
}

QString ChartFrame::entryName(qsizetype entry) const
{
    const QFontMetricsF small(m_hint->font());
    return small.elidedText(m_entries[entry].name, Qt::ElideMiddle, m_nameWidth);
}

void ChartFrame::updateLines(const QList<int>& hidden)
{
    for (int i = 0; i < m_lines.size(); ++i) {
        auto* line = static_cast<QLineSeries*>(m_lines[i]);
        QPen pen = legendPen(m_entries[i], m_theme);
        if (isHidden(m_entries[i], hidden))
            pen.setColor(blend(m_theme.base, pen.color(), 0.35));
        if (line->pen() != pen)
            line->setPen(pen);
    }
}

void ChartFrame::updateBars(const ChartData& data, const ChartView& view, const QList<int>& hidden)
{
    const auto sets = m_bars->barSets();
    for (int s = 0; s < sets.size(); ++s) {
        const ChartSeries& series = data.series[s];
        QBarSet* set = sets[s];
        const bool off = hidden.contains(s);
        // One value for each category: a series may lack some.
        QList<double> heights(categoriesOf(data), view.y.logarithmic ? view.y.low : 0);
        for (std::size_t i = 0; !off && i < series.curve->size(); ++i)
            heights[static_cast<qsizetype>(series.curve->x(i))] = barHeight(*series.curve, i, view);
        for (int i = 0; i < heights.size(); ++i) {
            if (i >= set->count())
                set->append(heights[i]);
            else if (set->at(i) != heights[i])
                set->replace(i, heights[i]);
        }
        set->setLabel(chartText(entryName(s)));
        const QColor colour = seriesColour(series, m_theme);
        set->setBrush(blend(m_theme.base, colour, off ? 0.3 : 0.86));
        set->setPen(Qt::NoPen);
    }
}

void ChartFrame::updateBoxes(const ChartData& data, const ChartView& view, const QList<int>& hidden)
{
    for (qsizetype s = 0; s < m_boxes.size(); ++s) {
        const ChartSeries& series = data.series[s];
        QBoxPlotSeries* boxes = m_boxes[s];
        const bool off = hidden.contains(s);
        const QColor colour = seriesColour(series, m_theme);
        const QColor body = blend(m_theme.base, colour, off ? 0.2 : 0.45);
        const QPen pen(off ? blend(m_theme.base, colour, 0.35) : colour, 1.4);
        boxes->setName(chartText(entryName(s)));
        boxes->setBrush(body); // the legend's mark
        boxes->setPen(pen);
        const auto sets = boxes->boxSets();
        for (qsizetype category = 0; category < sets.size(); ++category) {
            QBoxSet* set = sets[category];
            qsizetype at = off ? -1 : 0;
            while (at >= 0 && at < series.size() && series.curve->x(static_cast<std::size_t>(at)) != category)
                ++at;
            const bool shown = at >= 0 && at < series.size();
            // Sets cannot be left out: what is not there lies unseen on the axis. A set's NoPen and NoBrush
            // would mean those of its series.
            set->setPen(shown ? pen : QPen(Qt::transparent));
            set->setBrush(shown ? QBrush(body) : QBrush(Qt::transparent));
            const ChartBox box = series.boxes.value(at);
            const double values[] = {box.low, box.lowerQuartile,
                                     shown ? series.curve->y(static_cast<std::size_t>(at)) : 0,
                                     box.upperQuartile, box.high};
            for (int i = 0; i < 5; ++i) {
                const double value = shown ? std::max(values[i], view.y.low) : view.y.low;
                if (set->at(i) != value)
                    set->setValue(i, value);
            }
        }
    }
}

void ChartFrame::setLook(const ChartData& data, const Theme& theme, const QFont& font)
{
    m_theme = theme;
    m_font = font;
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    m_title->setFont(bold);
    m_title->setBrush(theme.text);
    m_hint->setFont(smallFont(font));
    m_hint->setBrush(theme.muted);
    m_chart->setBackgroundBrush(theme.base);
    m_chart->legend()->setFont(smallFont(font));
    m_chart->legend()->setLabelColor(theme.text);
    m_axes->setLook(data, theme, smallFont(font));
}

void ChartFrame::setBorder(const QPen& pen)
{
    m_chart->setBackgroundPen(pen);
}

void ChartFrame::layOut(const ChartData& data, QSizeF size)
{
    const QFontMetricsF bold(m_title->font()), small(m_hint->font());
    const double room = size.width() - 2 * sideMargin;
    const QString title = bold.elidedText(data.title, Qt::ElideRight, room);
    m_title->setText(title);
    m_title->setPos(sideMargin, topMargin);
    const double titleWidth = title.isEmpty() ? 0 : bold.horizontalAdvance(title) + 8;
    double top = topMargin + (title.isEmpty() ? 0 : bold.height());

    // The unit comes first in a hint, and where there is no room for more it stands alone.
    const QString unit = data.hint.section(QLatin1Char(','), 0, 0);
    double hintRoom = room - titleWidth;
    if (m_chart->legend()->isVisible()) {
        const double mark = entryWidth(small);
        double all = legendMargin, widest = 0;
        for (const ChartLegendEntry& entry : m_entries) {
            const double width = small.horizontalAdvance(entry.name) + mark;
            all += width;
            widest = std::max(widest, width);
        }
        const double line = small.height() + 7;
        const double unitWidth = unit.isEmpty() ? 0 : small.horizontalAdvance(unit) + 8;
        const bool beside = titleWidth + unitWidth + all <= room;
        if (beside)
            hintRoom -= all;
        // A legend ends a row where one more entry as wide as the last would not fit, however wide the next
        // one is. So a row is given more than it needs, and several rows are columns: entries are equally
        // high.
        const bool oneRow = beside || all <= room + legendMargin;
        const auto columns = [&](double rows) {
            return std::ceil(static_cast<double>(m_entries.size()) / rows);
        };
        double rows = oneRow ? 1 : 2;
        const int most = size.height() < lowChart ? mostRowsIfLow : mostRows;
        while (rows > 1 && rows < most && columns(rows) * widest > room)
            ++rows;
        // What still does not fit is cut off by name, not by the chart's edge.
        const double share = std::max(40.0, room / columns(rows) - mark);
        const bool cut = !oneRow && columns(rows) * widest > room;
        nameEntries(cut ? share : anyWidth);
        if (cut)
            widest = share + mark;
        const double left = beside ? size.width() - sideMargin - all + 22 : sideMargin - legendInset - 2;
        const double y = beside ? topMargin - legendInset - 4 : top - legendInset + 2;
        const Qt::Alignment alignment = oneRow ? Qt::AlignTop : Qt::AlignLeft;
        if (m_chart->legend()->alignment() != alignment)
            m_chart->legend()->setAlignment(alignment);
        m_chart->legend()->setGeometry(
            {left, y, oneRow ? all + widest : room + 2 * legendInset, (rows + 0.5) * line + legendMargin});
        if (!beside)
            top += rows * line + 2;
    }
    QStringList hints{data.hint, unit};
    if (!data.empty() && data.x != ChartX::Seconds && !data.xLabel.isEmpty() &&
        !m_axes->namesX(size.height())) // else nobody could tell what it is over
        hints.prepend(data.hint.isEmpty() ? tr("over %1").arg(data.xLabel)
                                          : tr("%1; over %2").arg(data.hint, data.xLabel));
    while (hints.size() > 1 && small.horizontalAdvance(hints.first()) > hintRoom)
        hints.removeFirst();
    m_hint->setText(hintRoom > 30 ? small.elidedText(hints.first(), Qt::ElideRight, hintRoom) : QString());
    m_hint->setPos(sideMargin + titleWidth, topMargin + bold.ascent() - small.ascent());
    m_chart->setMargins(QMargins(6, static_cast<int>(top) + 4, 8, 4));
}

} // namespace sparserl
