// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_axes.h"

#include "widgets/common/chart_curves.h"
#include "widgets/common/chart_dates.h"
#include "widgets/common/plain_text.h"

#include <QFontMetricsF>
#include <QRegularExpression>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QCategoryAxis>
#include <QtCharts/QChart>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QValueAxis>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

/// What an axis of seconds counts in.
struct TimeUnit
{
    double seconds;
    QString name;
};

TimeUnit unitFor(double span)
{
    if (span > 3 * 86400.0)
        return {86400, ChartAxes::tr("days")};
    if (span > 3 * 3600.0)
        return {3600, ChartAxes::tr("hours")};
    if (span > 3 * 60.0)
        return {60, ChartAxes::tr("minutes")};
    return {1, ChartAxes::tr("seconds")};
}

/// What Qt Charts wants to have free around a label; with less it cuts the label off.
constexpr double labelRoom = 26;
/// Pixels, and lines of text: a chart that is lower leaves the name of its x axis away, or Qt Charts cuts off
/// all that stands below the plot.
constexpr double roomForTitle = 200, linesForTitle = 11;

/// "16" of "16–31"; another name as it is.
QString beginningOf(const QString& name)
{
    static const QRegularExpression range(QStringLiteral("^([\\d.,]+ ?[kMG]?)\u2013[\\d.,]+ ?[kMG]?$"));
    const auto match = range.match(name);
    return match.hasMatch() ? match.captured(1) : name;
}

QLogValueAxis* makeLogarithmic()
{
    auto* axis = new QLogValueAxis;
    axis->setBase(10);
    axis->setLabelFormat(QStringLiteral("%.6g")); // localised "%g" gives no label at all
    return axis;
}

void setTitle(QAbstractAxis* axis, const QString& text)
{
    const QString title = chartText(text);
    // An empty title that counts as visible takes a line of text from the labels, which are then cut.
    if (axis->titleText() == title && axis->isTitleVisible() == !title.isEmpty())
        return;
    axis->setTitleText(title);
    axis->setTitleVisible(!title.isEmpty());
}

} // namespace

ChartAxes::ChartAxes(QChart* chart)
    : QObject(chart)
    , m_chart(chart)
{
}

void ChartAxes::rebuild(const ChartData& data)
{
    const auto old = m_chart->axes();
    for (QAbstractAxis* axis : old) {
        m_chart->removeAxis(axis);
        delete axis;
    }
    m_x = nullptr;
    m_dates = nullptr;
    m_logX = nullptr;
    m_categories = nullptr;
    m_right = nullptr;
    const auto makeY = [&](Qt::Alignment side) {
        QAbstractAxis* axis = nullptr;
        if (data.logY)
            axis = makeLogarithmic();
        else
            axis = new QValueAxis;
        m_chart->addAxis(axis, side);
        return axis;
    };
    if (data.onCategories()) {
        auto* categories = new QBarCategoryAxis;
        m_names = data.categoryNames();
        m_categories = categories;
        m_shortened = true; // they have no names yet
        nameCategories(false);
        m_chart->addAxis(categories, Qt::AlignBottom);
    } else if (data.logX) {
        m_logX = makeLogarithmic();
        m_chart->addAxis(m_logX, Qt::AlignBottom);
    } else if (data.x == ChartX::Date) {
        m_dates = new QCategoryAxis; // labels anywhere; it draws a line at each
        m_dates->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
        m_x = m_dates;
        m_chart->addAxis(m_x, Qt::AlignBottom);
    } else {
        m_x = new QValueAxis;
        m_chart->addAxis(m_x, Qt::AlignBottom);
    }
    m_y = makeY(Qt::AlignLeft);
    if (data.hasRightAxis())
        m_right = makeY(Qt::AlignRight);
}

void ChartAxes::nameCategories(bool shortened)
{
    if (shortened == m_shortened)
        return;
    m_shortened = shortened;
    QStringList names;
    QString suffix; // a category axis drops what it has already: an invisible character tells them apart
    for (const QString& whole : m_names) {
        const QString name = chartText(shortened ? beginningOf(whole) : whole);
        while (names.contains(name + suffix))
            suffix += QChar(0x200b);
        names.append(name + suffix);
    }
    if (names != m_categories->categories())
        m_categories->setCategories(names);
}

void ChartAxes::attach(QAbstractSeries* series, bool right) const
{
    if (m_logX)
        series->attachAxis(m_logX);
    else
        series->attachAxis(m_x ? static_cast<QAbstractAxis*>(m_x) : m_categories);
    series->attachAxis(right && m_right ? m_right : m_y);
}

void ChartAxes::showTicks(QValueAxis* axis, double low, double high, double pixels, int wanted, double least)
{
    const double step = std::max(least, niceStep(high - low, wanted));
    const double largest = std::max(std::abs(low), std::abs(high));
    const QString format = largest >= 1e7 || largest < 1e-4 ? QStringLiteral("%.3g")
                                                            : QStringLiteral("%.%1f").arg(decimalsOf(step));
    if (axis->labelFormat() != format)
        axis->setLabelFormat(format);
    if (axis->tickType() != QValueAxis::TicksDynamic)
        axis->setTickType(QValueAxis::TicksDynamic);
    // Never a small step over a large range: it would be laid out with millions of ticks.
    if (axis->tickInterval() < step)
        axis->setTickInterval(step);
    // An axis makes all its labels anew: not for what moves none of them by half a pixel, as a few points
    // more of a million do.
    if (!looksSame({low, high, false}, {axis->min(), axis->max(), false}, std::max(1.0, pixels)))
        axis->setRange(low, high);
    if (axis->tickInterval() != step)
        axis->setTickInterval(step);
}

void ChartAxes::showDates(double low, double high, double pixels, double widest)
{
    if (looksSame({low, high, false}, {m_dates->min(), m_dates->max(), false}, std::max(1.0, pixels)) &&
        m_dates->count() > 0)
        return;
    const QStringList old = m_dates->categoriesLabels();
    for (const QString& label : old)
        m_dates->remove(label);
    m_dates->setRange(low, high);
    const auto ticks = dateTicks(low, high, std::max(2, static_cast<int>(pixels / (widest + labelRoom))));
    QString suffix; // equal labels would be one: an invisible character tells them apart
    for (const AxisTick& tick : ticks) {
        m_dates->append(tick.label + suffix, tick.value);
        suffix += QChar(0x200b);
    }
}

void ChartAxes::showScale(QAbstractAxis* axis, const AxisScale& scale, double pixels, int wanted)
{
    if (auto* value = qobject_cast<QValueAxis*>(axis)) {
        showTicks(value, scale.low, scale.high, pixels, wanted, 0);
    } else if (auto* logarithmic = qobject_cast<QLogValueAxis*>(axis)) {
        const int minor = scale.high / scale.low < 1e5 ? 8 : 0;
        if (logarithmic->minorTickCount() != minor)
            logarithmic->setMinorTickCount(minor);
        if (logarithmic->min() != scale.low || logarithmic->max() != scale.high)
            logarithmic->setRange(scale.low, scale.high);
    }
}

bool ChartAxes::namesX(double height) const
{
    return height >= std::max(roomForTitle, linesForTitle * QFontMetricsF(m_font).height());
}

void ChartAxes::show(const ChartData& data, const ChartView& view, const QRectF& plot)
{
    const QFontMetricsF metrics(m_font);
    const int rows = std::max(2, static_cast<int>(plot.height() / (metrics.height() * 2.4)));
    const bool seen = !data.empty();
    // Qt shows a title that is set on an axis which is not shown.
    const QString xLabel = seen && namesX(m_chart->size().height()) ? data.xLabel : QString();
    for (QAbstractAxis* axis : m_chart->axes())
        if (axis->isVisible() != seen)
            axis->setVisible(seen);
    if (m_logX) {
        if (view.x.logarithmic) // else there is no point
            showScale(m_logX, view.x, plot.width(), 0);
        setTitle(m_logX, xLabel);
    } else if (m_dates) {
        showDates(view.x.low, view.x.high, plot.width(),
                  metrics.horizontalAdvance(QStringLiteral("00:00:00")));
        setTitle(m_dates, xLabel.isEmpty() ? QString() : dateTitle(view.x.low, view.x.high));
    } else if (m_x) {
        const TimeUnit unit = unitFor(view.x.high - view.x.low);
        const double per = data.x == ChartX::Seconds ? unit.seconds : 1;
        const double low = view.x.low / per, high = view.x.high / per;
        const double least = data.x == ChartX::Whole ? 1 : 0;
        int columns = 0;
        for (int decimals = 0, tries = 0; tries < 4; ++tries) { // the more labels, the more digits of each
            const QString widest = QLocale().toString(std::max(std::abs(low), std::abs(high)), 'f', decimals);
            columns = std::max(2, static_cast<int>(plot.width() / (metrics.horizontalAdvance(widest) + 18)));
            const int needed = decimalsOf(std::max(least, niceStep(high - low, columns)));
            if (needed <= decimals)
                break;
            decimals = needed;
        }
        showTicks(m_x, low, high, plot.width(), columns, least);
        setTitle(m_x, data.x == ChartX::Seconds ? tr("%1, %2").arg(data.xLabel, unit.name) : xLabel);
    } else {
        setTitle(m_categories, xLabel);
        // Names that do not fit beside each other stand upright rather than be cut off. Where that would cut
        // them off, too, a range is called by the number that it begins with.
        const auto widestOf = [&](bool shortened) {
            double widest = 0;
            for (const QString& name : m_names)
                for (const QString& line : (shortened ? beginningOf(name) : name).split(QLatin1Char('\n')))
                    widest = std::max(widest, metrics.horizontalAdvance(line));
            return widest;
        };
        const double step = plot.width() / static_cast<double>(std::max<qsizetype>(1, m_names.size()));
        const double whole = widestOf(false);
        constexpr double mostOfHeight = 0.3;
        const bool shorten = whole + labelRoom > step && whole > mostOfHeight * m_chart->size().height();
        if (plot.width() > 1)
            nameCategories(shorten);
        const double longest = shorten ? widestOf(true) : whole;
        const int angle = longest + labelRoom > step ? -90 : 0;
        if (m_categories->labelsAngle() != angle && plot.width() > 1)
            m_categories->setLabelsAngle(angle);
        // An upright name is as wide as its line is high. Qt shows only dots where that does not fit: names
        // become smaller, or vanish where nobody could read them.
        constexpr double aside = 10, leastFactor = 0.4, mostOfAxis = 0.33;
        const double room = plot.width() / static_cast<double>(m_names.size() + 1) - aside; // as Qt counts it
        // Qt gives an axis about a third of what the legend leaves of the chart, and cuts longer names.
        const double below = mostOfAxis * (m_chart->size().height() - plot.top());
        const double fits =
            angle == 0 ? 1 : std::min(room / metrics.height(), below / std::max(1.0, longest));
        QFont small = m_font;
        small.setPointSizeF(m_font.pointSizeF() * std::clamp(fits, leastFactor, 1.0));
        if (plot.width() > 1 && m_categories->labelsFont() != small)
            m_categories->setLabelsFont(small);
        if (plot.width() > 1 && m_categories->labelsVisible() != (fits >= leastFactor))
            m_categories->setLabelsVisible(fits >= leastFactor);
    }
    showScale(m_y, view.y, plot.height(), rows);
    setTitle(m_y, seen && (m_right || data.hasBoxes()) ? data.leftLabel : QString());
    if (m_right) {
        showScale(m_right, view.right, plot.height(), rows);
        setTitle(m_right, data.rightLabel);
    }
}

void ChartAxes::setLook(const ChartData& data, const Theme& theme, const QFont& font)
{
    m_font = font;
    const auto colourOf = [&](bool right) {
        // Of two axes each has the colour of what is measured on it, where that is one and the other's is
        // another.
        if (!m_right)
            return theme.muted;
        QList<int> here, there;
        for (const ChartSeries& series : data.series)
            (series.rightAxis == right ? here : there).append(series.colour);
        return here.isEmpty() || there.contains(here.first()) ? theme.muted
                                                              : theme.seriesColour(here.first());
    };
    for (QAbstractAxis* axis : m_chart->axes()) {
        const bool vertical = axis == m_y || axis == m_right;
        const QColor colour = vertical ? colourOf(axis == m_right) : theme.muted;
        axis->setLabelsFont(font);
        axis->setTitleFont(font);
        axis->setLabelsColor(colour);
        axis->setTitleBrush(colour);
        axis->setLinePen(QPen(theme.border, 1));
        axis->setLineVisible(!vertical);
        axis->setGridLinePen(QPen(theme.grid, 1));
        axis->setMinorGridLinePen(QPen(blend(theme.base, theme.grid, 0.5), 1));
        axis->setGridLineVisible(axis == m_y);
        axis->setMinorGridLineVisible(axis == m_y);
    }
}

} // namespace sparserl
