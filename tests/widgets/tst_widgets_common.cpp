// SPDX-License-Identifier: Apache-2.0
#include "tests/patience.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/background.h"
#include "widgets/common/chart_curves.h"
#include "widgets/common/chart_dates.h"
#include "widgets/common/chart_lines.h"
#include "widgets/common/chart_scale.h"
#include "widgets/common/chart_table.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/colormap.h"
#include "widgets/common/column_share.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/row_model.h"
#include "widgets/common/settings.h"
#include "widgets/common/unused_mnemonics.h"
#include "widgets/common/whole_titles.h"
#include "widgets/common/width_loan.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDateTime>
#include <QFontMetrics>
#include <QFormLayout>
#include <QGraphicsScene>
#include <QGraphicsTextItem>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLegendMarker>
#include <QtCharts/QValueAxis>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <semaphore>
#include <set>

using namespace sparserl;

namespace {

ChartData oneCurve(const QList<QPointF>& points)
{
    ChartData data;
    data.title = QStringLiteral("Loss");
    data.xLabel = QStringLiteral("step");
    ChartSeries series;
    series.name = QStringLiteral("train");
    for (const QPointF& p : points)
        series.curve->append(p.x(), p.y());
    data.series.append(series);
    return data;
}

/// Values with a period of their own, now and then none.
double unruly(std::size_t i)
{
    const auto mixed = static_cast<std::uint32_t>(i * 2654435761u);
    if (mixed % 997 == 0)
        return mixed % 2 ? std::nan("") : -std::numeric_limits<double>::infinity();
    return static_cast<double>(mixed >> 7) / (1 << 20) + std::sin(static_cast<double>(i) * 0.01);
}

/// Of WCAG 2.
double contrast(const QColor& a, const QColor& b)
{
    const auto luminance = [](const QColor& c) {
        const auto linear = [](double v) {
            return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

} // namespace

class TestWidgetsCommon : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Every column of the picture holds the lowest and the highest of what is drawn in it, whatever the
    // width, the zoom and the holes.
    // Whatever comes to a curve, and however the view moves: what is kept and added to shows what is drawn
    // anew.
    void keptLinesShowWhatNewOnesDo()
    {
        const auto curve = std::make_shared<Curve>();
        const int columns = 300;
        const QRectF plot(0, 0, columns, 500);
        struct Column
        {
            double low = 1e300, high = -1e300;
            bool operator==(const Column&) const = default;
        };
        const auto seen = [&](const ScreenLines& lines) {
            std::map<int, Column> found;
            for (const QPolygonF& piece : lines.pieces)
                for (const QPointF& p : piece) {
                    Column& column = found[static_cast<int>(p.x())];
                    column.low = std::min(column.low, p.y());
                    column.high = std::max(column.high, p.y());
                }
            return found;
        };
        const auto marks = [](const ScreenLines& lines) {
            std::set<int> found;
            for (const double x : lines.nonFinite)
                found.insert(static_cast<int>(x));
            return found;
        };
        LineCache cache;
        std::size_t next = 0;
        const auto grow = [&](std::size_t count) {
            for (const std::size_t end = next + count; next < end; ++next)
                curve->append(static_cast<double>(next), unruly(next));
        };
        grow(20'000);
        AxisScale x{0, 30'000, false}, y{-1, 40, false};
        const std::size_t steps[] = {0, 1, 1, 7, 100, 3, 900, 1, 5000, 64, 128, 1, 250, 9000};
        for (int round = 0; round < 3; ++round) {
            for (const std::size_t step : steps) {
                grow(step);
                const ScreenLines& kept = cache.lines(curve, Curve::Values::Measured, x, y, plot, columns);
                const ScreenLines fresh = linesOnScreen(*curve, Curve::Values::Measured, x, y, plot, columns);
                QVERIFY2(seen(kept) == seen(fresh), qPrintable(QString::number(next)));
                QVERIFY(marks(kept) == marks(fresh));
            }
            x.high = round == 0 ? 45'000 : 20'000; // further out, then into the past
            y.high += round;
        }
        // An average that is another one, and one curve in the place of another.
        curve->setSmoothing(0.5);
        const auto average = [&] {
            return seen(cache.lines(curve, Curve::Values::Average, x, y, plot, columns));
        };
        const auto first = average();
        curve->setSmoothing(0.99);
        QVERIFY(average() != first);
        const auto other = std::make_shared<Curve>();
        other->append(1, 1);
        QCOMPARE(cache.lines(other, Curve::Values::Measured, x, y, plot, columns).pieces.size(), 1);
    }

    void axesThatLookTheSame()
    {
        const AxisScale axis{0, 1000, false};
        QVERIFY(looksSame(axis, {0, 1000.9, false}, 500) && !looksSame(axis, {0, 1001.1, false}, 500));
        QVERIFY(!looksSame(axis, {-1.1, 1000, false}, 500) && !looksSame(axis, {0, 1000.1, false}, 0));
        QVERIFY(!looksSame({1, 10, false}, {1, 10, true}, 500));
        QVERIFY(looksSame({1, 100, true}, {1, 100.4, true}, 500) &&
                !looksSame({1, 100, true}, {1, 100.6, true}, 500));
    }

    void columnsHoldMinimumAndMaximum_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<int>("columns");
        QTest::addRow("all of a million") << 1'000'000 << 0.0 << 999'999.0 << 400;
        QTest::addRow("a tenth") << 1'000'000 << 412'345.0 << 512'345.5 << 613;
        QTest::addRow("two a column") << 2000 << 0.0 << 1999.0 << 1000;
        QTest::addRow("fewer than columns") << 300 << 0.0 << 299.0 << 1000;
        QTest::addRow("one more than a node") << 129 << 0.0 << 128.0 << 10;
    }
    void columnsHoldMinimumAndMaximum()
    {
        QFETCH(int, points);
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(int, columns);
        Curve curve;
        for (int i = 0; i < points; ++i)
            curve.append(i, unruly(static_cast<std::size_t>(i)));
        const QRectF plot(0, 0, columns, 500);
        const AxisScale x{from, to, false}, y{-1, 40, false};
        const ScreenLines lines = linesOnScreen(curve, Curve::Values::Measured, x, y, plot, columns);
        struct Extent
        {
            double low = 1e300, high = -1e300;
        };
        std::vector<Extent> expected(static_cast<std::size_t>(columns)), drawn = expected;
        std::set<int> holes, marked;
        for (int i = 0; i < points; ++i) {
            const double pixel = (i - from) / (to - from) * columns;
            if (pixel < 0 || pixel >= columns)
                continue;
            const double value = unruly(static_cast<std::size_t>(i));
            Extent& column = expected[static_cast<std::size_t>(pixel)];
            if (std::isfinite(value)) {
                column.low = std::min(column.low, value);
                column.high = std::max(column.high, value);
            } else {
                holes.insert(static_cast<int>(pixel));
            }
        }
        qsizetype count = 0;
        for (const QPolygonF& piece : lines.pieces) {
            count += piece.size();
            for (const QPointF& p : piece) {
                if (p.x() < 0 || p.x() >= columns)
                    continue; // the point beyond each edge
                Extent& column = drawn[static_cast<std::size_t>(p.x())];
                const double value = 40 - p.y() / 500 * 41;
                column.low = std::min(column.low, value);
                column.high = std::max(column.high, value);
            }
        }
        for (const double pixel : lines.nonFinite)
            marked.insert(static_cast<int>(pixel));
        for (std::size_t c = 0; c < expected.size(); ++c) {
            QVERIFY2(std::abs(expected[c].low - drawn[c].low) < 1e-6 &&
                         std::abs(expected[c].high - drawn[c].high) < 1e-6,
                     qPrintable(QStringLiteral("column %1").arg(c)));
        }
        for (const int hole : holes)
            QVERIFY2(marked.contains(hole), qPrintable(QStringLiteral("hole in column %1").arg(hole)));
        QVERIFY(count <= 8 * columns + 3);
        QCOMPARE(lines.dense, to - from + 1 > columns);
    }

    void curveBreaksAtNaN()
    {
        const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
        const ChartData data = oneCurve({{0, 1}, {1, 2}, {2, nan}, {3, 3}, {4, inf}, {5, 1}, {6, 1}});
        const ScreenLines lines = linesOnScreen(*data.series[0].curve, Curve::Values::Measured, {0, 6, false},
                                                {0, 6, false}, QRectF(0, 0, 60, 60), 60);
        QCOMPARE(lines.pieces.size(), 3);
        QCOMPARE(lines.pieces[1].size(), 1); // a single point between two holes is still there
        QCOMPARE(lines.nonFinite, (QList<double>{20, 40}));
    }

    void curveOfARangeTouchesTheFrame()
    {
        Curve curve;
        for (int i = 0; i <= 10; ++i)
            curve.append(i, i);
        const ScreenLines lines = linesOnScreen(curve, Curve::Values::Measured, {3.5, 6.5, false},
                                                {0, 10, false}, QRectF(350, 0, 300, 100), 300);
        QCOMPARE(lines.pieces.first().first().x(), 300.0);
        QVERIFY(lines.pieces.first().last().x() >= 700.0);
    }

    void ticks_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<QStringList>("labels");
        const auto list = [](std::initializer_list<const char*> texts) {
            QStringList result;
            for (const char* t : texts)
                result.append(QString::fromUtf8(t));
            return result;
        };
        QTest::newRow("unit") << 0.0 << 1.0 << list({"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
        QTest::newRow("steps of 25") << 0.0 << 100.0 << list({"0", "20", "40", "60", "80", "100"});
        QTest::newRow("negative") << -0.35 << 0.1 << list({"-0.3", "-0.2", "-0.1", "0", "0.1"});
        QTest::newRow("thousands") << 0.0 << 40'000.0 << list({"0", "10 k", "20 k", "30 k", "40 k"});
        QTest::newRow("far from zero")
            << 1000.1 << 1000.2
            << list({"1,000.10", "1,000.12", "1,000.14", "1,000.16", "1,000.18", "1,000.20"});
    }
    void ticks()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(QStringList, labels);
        QStringList shown;
        for (const AxisTick& tick : niceTicks({low, high, false}, 6)) {
            QVERIFY(tick.value >= low - 1e-9 * std::abs(low) - 1e-12 &&
                    tick.value <= high * (1 + 1e-9) + 1e-12);
            shown.append(tick.label);
        }
        for (QString& label : labels)
            label.remove(QLatin1Char(','));
        for (QString& label : shown)
            label.remove(QLatin1Char(','));
        QCOMPARE(shown, labels);
    }

    // Ticks of the clock stand at whole minutes, hours and days of this machine's time.
    // Anybody's journal may hold them: differences of such numbers are beyond all numbers.
    void theLargestNumbersHaveAPlace()
    {
        constexpr double most = std::numeric_limits<double>::max();
        for (AxisScale scale : {AxisScale{-most, most, false}, AxisScale{0, most, false},
                                AxisScale{most, most, false}, AxisScale{5e-324, most, true}}) {
            padRange(scale, 0.08);
            QVERIFY(std::isfinite(scale.high - scale.low) && scale.high > scale.low);
            for (const double value : {-most, 0.0, 1.0, most})
                QVERIFY(std::isfinite(scale.toUnit(value)));
            QVERIFY(std::isfinite(scale.fromUnit(0.5)));
            for (const AxisTick& tick : niceTicks(scale, 5))
                QVERIFY(std::isfinite(tick.value));
        }
        for (const bool zeroBased : {false, true})
            for (const bool logarithmic : {false, true})
                for (const ChartKind kind : {ChartKind::Lines, ChartKind::Bars}) {
                    ChartData data;
                    data.zeroBased = zeroBased;
                    data.logY = logarithmic;
                    ChartSeries series;
                    series.kind = kind;
                    series.curve->append(0, logarithmic ? 5e-324 : -most);
                    series.curve->append(1, most);
                    data.series.append(series);
                    const AxisScale y = fullView(data, {}).y;
                    QVERIFY(std::isfinite(y.high - y.low) && y.high > y.low);
                }
    }

    void dateTicksAreRound()
    {
        const auto at = [](int day, int hour, int minute, int second = 0) {
            return static_cast<double>(
                QDateTime(QDate(2026, 11, day), QTime(hour, minute, second)).toSecsSinceEpoch());
        };
        const auto labels = [](double low, double high) {
            QStringList texts;
            for (const AxisTick& tick : dateTicks(low, high, 6)) {
                texts.append(tick.label);
                if (tick.value < low || tick.value > high)
                    texts.append(QStringLiteral("outside"));
            }
            return texts;
        };
        const auto list = [](std::initializer_list<const char*> texts) {
            QStringList result;
            for (const char* t : texts)
                result.append(QString::fromLatin1(t));
            return result;
        };
        QCOMPARE(labels(at(26, 9, 58, 30), at(26, 10, 1)),
                 list({"09:58:30", "09:59:00", "09:59:30", "10:00:00", "10:00:30", "10:01:00"}));
        QCOMPARE(labels(at(26, 21, 10), at(27, 1, 30)), list({"22:00", "23:00", "27 Nov", "01:00"}));
        QCOMPARE(labels(at(24, 7, 0), at(29, 7, 0)),
                 list({"25 Nov", "26 Nov", "27 Nov", "28 Nov", "29 Nov"}));
        QVERIFY(dateTicks(0, 0, 6).isEmpty());
        QVERIFY(dateTicks(0, qInf(), 6).isEmpty());
        QVERIFY(dateTicks(0, 1e15, 6).size() < 20);
        QCOMPARE(dateText(at(26, 9, 58, 30)), QStringLiteral("26 Nov 09:58:30"));
        QCOMPARE(dateTitle(at(26, 9, 0), at(26, 10, 0)), QStringLiteral("26 Nov 2026"));
    }

    void longLabelsEndInDots()
    {
        const QString all = QStringLiteral("random-held, a matrix with a long name");
        QLabel label(all), written;
        letShrink(&label);
        for (QLabel* one : {&label, &written}) {
            one->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
            one->resize(90, 24);
        }
        written.setText(label.fontMetrics().elidedText(all, Qt::ElideRight, 90));
        QVERIFY(written.text() != all);
        QCOMPARE(label.grab().toImage(), written.grab().toImage());
        QCOMPARE(label.text(), all); // what a screen reader says
        for (QLabel* one : {&label, &written})
            one->resize(600, 24);
        written.setText(all);
        QCOMPARE(label.grab().toImage(), written.grab().toImage());
    }

    // A logarithmic axis labels whole decades only: a narrow range still has two of them.
    void logarithmicAxisHasTwoLabels()
    {
        for (const auto& [low, high] : {std::pair{0.02, 0.08}, {1.5, 1.6}, {3e-7, 5e-7}, {0.5, 70.0}}) {
            ChartData data = oneCurve({{0, low}, {1, high}, {2, -1}, {3, 0}});
            data.logY = true;
            const AxisScale y = fullView(data, {}).y;
            QVERIFY(y.low <= low && y.high >= high && y.low > 0);
            QVERIFY(std::floor(std::log10(y.high) + 1e-9) - std::ceil(std::log10(y.low) - 1e-9) >= 1);
        }
    }

    void chartShowsNaNAsMark()
    {
        ChartWidget chart;
        chart.resize(400, 240);
        chart.setData(oneCurve({{0, 1}, {1, 1}, {2, std::nan("")}, {3, 1}, {4, 1}}));
        const QColor bad = Theme::of(&chart).bad;
        const auto redPixels = [&] {
            const QImage image = chart.toImage({400, 240}, 1);
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    count += std::abs(QColor(image.pixel(x, y)).hslHue() - bad.hslHue()) < 6 &&
                             QColor(image.pixel(x, y)).hslSaturation() > 80;
            return count;
        };
        QVERIFY(redPixels() > 10);
        chart.setData(oneCurve({{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}}));
        QCOMPARE(redPixels(), 0);
    }

    void chartKeepsZoomOverNewData()
    {
        ChartWidget chart;
        chart.resize(400, 240);
        QList<QPointF> points;
        for (int i = 0; i < 100; ++i)
            points.append({static_cast<double>(i), std::sin(i * 0.1)});
        chart.setData(oneCurve(points));
        QSignalSpy ranges(&chart, &ChartWidget::xRangeChanged);
        QTest::keyClick(&chart, Qt::Key_Plus);
        QCOMPARE(ranges.size(), 1);
        const ChartView zoomed = chart.view();
        points.append({100, 5});
        chart.setData(oneCurve(points));
        QCOMPARE(chart.view().x.low, zoomed.x.low);
        QCOMPARE(chart.view().x.high, zoomed.x.high);
        QTest::keyClick(&chart, Qt::Key_0);
        QVERIFY(chart.view().x.high >= 100 && chart.view().y.high >= 5);
        QVERIFY(chart.accessibleDescription().contains(QLatin1String("5 at 100")));
    }

    // Steps are whole: no axis says half a step.
    void stepAxisHasWholeTicks()
    {
        ChartData data = oneCurve({{0, 1}, {1, 2}, {2, 3}});
        data.x = ChartX::Whole;
        ChartWidget chart;
        chart.resize(900, 300);
        chart.setData(data);
        chart.show();
        const auto axes = chart.chart()->axes(Qt::Horizontal);
        QCOMPARE(axes.size(), 1);
        auto* axis = qobject_cast<QValueAxis*>(axes.first());
        QVERIFY(axis && axis->tickInterval() >= 1);
        QCOMPARE(axis->labelFormat(), QStringLiteral("%.0f"));
        for (int i = 0; i < 30; ++i) // and no zoom ends between two
            QTest::keyClick(&chart, Qt::Key_Plus);
        QVERIFY(chart.view().x.high - chart.view().x.low > 1);
    }

    // Small steps have long labels: there are as few as have room, and nothing counts below nought.
    void labelsOfSmallStepsHaveRoom()
    {
        for (const double where : {0.0, 1.0, 0.001}) {
            ChartWidget chart;
            chart.resize(420, 200);
            chart.setData(oneCurve({{where, 1}, {where, 2}}));
            chart.show();
            QVERIFY(QTest::qWaitForWindowExposed(&chart, test::patience()));
            auto* axis = qobject_cast<QValueAxis*>(chart.chart()->axes(Qt::Horizontal).first());
            QVERIFY(axis);
            const double labels = (axis->max() - axis->min()) / axis->tickInterval();
            const QString one = QString::asprintf(qPrintable(axis->labelFormat()), axis->max());
            const double width = QFontMetricsF(axis->labelsFont()).horizontalAdvance(one);
            QVERIFY2(labels * width < chart.width(),
                     qPrintable(QStringLiteral("%1 labels like %2").arg(labels).arg(one)));
            QVERIFY(axis->min() > -0.5);
        }
    }

    // Marks at one place have one label with all they say, and neighbouring labels do not touch.
    void labelsOfMarksAreApart()
    {
        ChartData data = oneCurve({{0, 1}, {10, 2}});
        const QString checkpoint = QStringLiteral("checkpoint");
        for (const char* text : {"rl.lr = 5e-5", "pause", "resume"})
            data.marks.append({4, QString::fromLatin1(text)});
        data.marks.append({8.6, checkpoint});
        data.marks.append({9.7, checkpoint});
        ChartView view;
        view.x = {0, 10, false};
        const QFontMetricsF metrics(QApplication::font());
        for (int width = 200; width <= 900; width += 20) {
            const QRectF plot(20, 10, width, 200);
            const auto labels = markLabels(data, view, plot, metrics);
            QCOMPARE(labels.size(), 3);
            if (width > 700)
                QCOMPARE(labels[0].text, QStringLiteral("rl.lr = 5e-5, pause, resume"));
            double end = plot.left() - 8;
            for (const MarkLabel& label : labels) {
                if (label.text.isEmpty())
                    continue;
                QVERIFY2(label.left >= end + 8, qPrintable(QString::number(width)));
                end = label.left + metrics.horizontalAdvance(label.text);
                QVERIFY2(end <= plot.right() + 1, qPrintable(QString::number(width)));
            }
        }
    }

    // Curves of different size have an axis each, and one curve has a legend too.
    void secondAxisHasARangeOfItsOwn()
    {
        ChartData data = oneCurve({{0, 1}, {1, 2}});
        ChartWidget chart;
        chart.resize(500, 300);
        chart.setData(data);
        QCOMPARE(chart.chart()->axes(Qt::Vertical).size(), 1);
        QCOMPARE(chart.chart()->legend()->markers().size(), 1);
        QVERIFY(chart.chart()->legend()->isVisible());
        // One that would only repeat the title has none.
        ChartData titled = data;
        titled.title = QStringLiteral("KL to the reference policy");
        titled.series.first().name = QStringLiteral("KL to reference");
        ChartWidget plain;
        plain.setData(titled);
        QVERIFY(!plain.chart()->legend()->isVisible());
        ChartSeries small;
        small.name = QStringLiteral("small");
        small.rightAxis = true;
        small.curve->append(0, 0.001);
        small.curve->append(1, 0.002);
        data.series.append(small);
        chart.setData(data);
        QCOMPARE(chart.chart()->axes(Qt::Vertical).size(), 2);
        QVERIFY(chart.view().right.high < 0.01 && chart.view().y.high > 1);
        chart.show();
        chart.followCursor(1);
        const Readout read = chart.readout();
        QCOMPARE(read.lines.size(), 2);
        // Each at the height that its own axis gives it: nearly the same.
        QVERIFY(std::abs(read.lines[0].at.y() - read.lines[1].at.y()) < 1);
    }

    // Every entry of a legend is seen, above the plot, whatever the names and the width.
    void legendEntriesAreSeen_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<int>("width");
        const QString longer = QStringLiteral("PPO, second seed · held-out"),
                      shorter = QStringLiteral("0002-rl");
        for (const int width : {200, 320, 500, 900}) {
            QTest::addRow("one, %d", width) << QStringList{shorter} << width;
            QTest::addRow("short and long, %d", width) << QStringList{shorter, longer, shorter} << width;
            QTest::addRow("long and short, %d", width) << QStringList{longer, shorter} << width;
            QTest::addRow("three long, %d", width) << QStringList{longer, longer, longer} << width;
            QTest::addRow("three short, %d", width) << QStringList{shorter, shorter, shorter} << width;
            if (width > 200)
                QTest::addRow("six, %d", width)
                    << QStringList{shorter, shorter, shorter, shorter, shorter, shorter} << width;
        }
    }
    void legendEntriesAreSeen()
    {
        QFETCH(QStringList, names);
        QFETCH(int, width);
        ChartData data;
        data.title = QStringLiteral("Reward");
        for (const QString& name : names) {
            data.series.append(oneCurve({{0, 1}, {1, 2}}).series);
            data.series.last().name = name;
        }
        ChartWidget chart;
        chart.resize(width, 260);
        chart.setData(data);
        chart.show();
        QTest::qWait(30);
        QStringList seen;
        std::function<void(QGraphicsItem*)> walk = [&](QGraphicsItem* item) {
            if (auto* text = qgraphicsitem_cast<QGraphicsTextItem*>(item)) {
                const QRectF area = text->sceneBoundingRect().adjusted(4, 4, -4, -4);
                const bool inside = QRectF(chart.rect()).contains(area) &&
                                    chart.chart()->legend()->geometry().contains(area) &&
                                    area.bottom() <= chart.chart()->plotArea().top() + 2;
                if (inside)
                    seen.append(text->toPlainText());
            }
            for (QGraphicsItem* child : item->childItems())
                walk(child);
        };
        walk(chart.chart()->legend());
        QCOMPARE(seen, names);
    }

    // The cursor reads what was measured, at the step that is nearest, however far out the zoom.
    void cursorReadsMeasuredValues()
    {
        ChartData data = oneCurve({});
        Curve& curve = *data.series[0].curve;
        for (int i = 0; i < 100'000; ++i)
            curve.append(i, unruly(static_cast<std::size_t>(i)));
        curve.setSmoothing(0.96);
        ChartWidget chart;
        chart.resize(400, 240);
        chart.setData(data);
        for (const double x : {0.0, 51'234.4, 77'776.6, 99'999.0}) {
            chart.followCursor(x);
            const Readout read = chart.readout();
            const auto step = static_cast<std::size_t>(std::lround(x));
            QCOMPARE(read.x, static_cast<double>(step));
            QVERIFY2(read.lines[0].text.contains(formatNumber(unruly(step), 5)),
                     qPrintable(read.lines[0].text));
        }
        // By keys from point to point.
        chart.followCursor(qQNaN());
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(chart.readout().x, 0.0);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.readout().x, 1.0);
        QTest::keyClick(&chart, Qt::Key_End);
        QTest::keyClick(&chart, Qt::Key_Left);
        QCOMPARE(chart.readout().x, 99'998.0);
    }

    void mouseZoomsHidesAndShows()
    {
        ChartData data = oneCurve({});
        for (int i = 0; i <= 100; ++i)
            data.series[0].curve->append(i, i == 70 ? 100 : std::sin(i * 0.1));
        ChartWidget chart;
        chart.resize(600, 300);
        chart.setData(data);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart, test::patience()));
        QSignalSpy ranges(&chart, &ChartWidget::xRangeChanged);
        const QRectF plot = chart.chart()->plotArea();
        QVERIFY(plot.width() > 300);
        const auto at = [&](double share) {
            return QPoint(static_cast<int>(plot.left() + share * plot.width()),
                          static_cast<int>(plot.center().y()));
        };
        const ChartView whole = chart.view();
        // A click is no zoom; a drag shows what it covers, and y fits it.
        QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, at(0.5));
        QCOMPARE(ranges.size(), 0);
        QTest::mousePress(chart.viewport(), Qt::LeftButton, {}, at(0.2));
        QTest::mouseMove(chart.viewport(), at(0.3));
        QTest::mouseMove(chart.viewport(), at(0.4));
        QTest::mouseRelease(chart.viewport(), Qt::LeftButton, {}, at(0.4));
        QVERIFY(ranges.size() >= 1);
        QVERIFY(std::abs(chart.view().x.low - whole.x.fromUnit(0.2)) < 1);
        QVERIFY(std::abs(chart.view().x.high - whole.x.fromUnit(0.4)) < 1);
        QVERIFY(chart.view().y.high < 2);
        QTest::mouseDClick(chart.viewport(), Qt::LeftButton, {}, at(0.5));
        QCOMPARE(chart.view(), whole);
        // The legend's mark hides the curve, a digit shows it again.
        const QRectF legend = chart.chart()->legend()->geometry();
        QTest::mouseClick(
            chart.viewport(), Qt::LeftButton, {},
            QPoint(static_cast<int>(legend.left()) + 16, static_cast<int>(legend.center().y())));
        QCOMPARE(chart.hiddenSeries(), QList<int>{0});
        QTest::keyClick(&chart, Qt::Key_1);
        QCOMPARE(chart.hiddenSeries(), QList<int>());
    }

    // Points that are appended to a curve that the chart has show up; nothing is copied.
    void chartFollowsAGrowingCurve()
    {
        ChartData data = oneCurve({{0, 1}, {1, 2}});
        ChartWidget chart;
        chart.resize(400, 240);
        chart.setData(data);
        data.series[0].curve->append(2, 9);
        chart.setData(data);
        QVERIFY(chart.view().x.high > 2 && chart.view().y.high > 9);
        QCOMPARE(chart.data().series[0].curve.get(), data.series[0].curve.get());
    }

    void drawingsAreLines()
    {
        ChartWidget chart;
        chart.resize(400, 240);
        chart.setData(oneCurve({{0, 1}, {1, 3}, {2, std::nan("")}, {3, 1}}));
        const QByteArray svg = chart.toSvg();
        QVERIFY(svg.contains("<polyline") || svg.contains("<path"));
        QVERIFY2(!svg.contains("<image"), "a picture of pixels inside the drawing");
        QVERIFY(svg.contains("Loss"));
        const QImage image = chart.toImage({400, 240}, 2);
        QCOMPARE(image.size(), QSize(800, 480));
    }

    void barsStandOnCategories()
    {
        ChartData data;
        data.logY = true;
        ChartSeries bars;
        bars.kind = ChartKind::Bars;
        bars.name = QStringLiteral("rows");
        const double heights[] = {1, 0, 1000, std::nan("")};
        for (int i = 0; i < 4; ++i) {
            bars.curve->append(i, heights[i]);
            bars.labels.append(i == 2 ? QStringLiteral("other")
                                      : QStringLiteral("same")); // labels may repeat
        }
        data.series.append(bars);
        ChartWidget chart;
        chart.resize(400, 240);
        chart.setData(data);
        chart.show();
        QCOMPARE(chart.chart()->series().size(), 1);
        auto* series = qobject_cast<QBarSeries*>(chart.chart()->series().first());
        QVERIFY(series && series->barSets().size() == 1);
        const QBarSet& set = *series->barSets().first();
        QCOMPARE(set.count(), 4);
        QVERIFY(set.at(0) > chart.view().y.low); // a bar of one has a height
        QCOMPARE(set.at(1), chart.view().y.low);
        QCOMPARE(set.at(2), 1000.0);
        auto* axis = qobject_cast<QBarCategoryAxis*>(chart.chart()->axes(Qt::Horizontal).first());
        QVERIFY(axis);
        QCOMPARE(axis->count(), 4);
        // Qt leaves out the labels of a logarithmic axis for some formats: they are in the drawing.
        QVERIFY(chart.toSvg().contains(">1,000<"));
        QVERIFY(!chart.grab().isNull());
    }

    /// A chart without data shows why, and nothing of its axes.
    void emptyChartsHaveNoAxes()
    {
        ChartData data;
        data.title = QStringLiteral("Value loss");
        data.xLabel = QStringLiteral("step");
        ChartWidget chart;
        chart.resize(400, 300);
        chart.setData(data);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        QVERIFY(!chart.grab().isNull());
        for (const QGraphicsItem* item : chart.scene()->items()) {
            const auto* label = qgraphicsitem_cast<const QGraphicsTextItem*>(item);
            QVERIFY(!label || !label->isVisible() || label->toPlainText() != data.xLabel);
        }
    }

    /// However narrow the bars are, no name is the dots of a text that Qt cut. Where they fit, there are
    /// names.
    void narrowBarsHaveNames()
    {
        for (const int bars : {3, 8, 12}) {
            ChartData data;
            ChartSeries series;
            series.kind = ChartKind::Bars;
            series.name = QStringLiteral("rows");
            for (int i = 0; i < bars; ++i) {
                series.curve->append(i, i + 1);
                series.labels.append(QStringLiteral("%1–%2").arg(1 << i).arg((2 << i) - 1));
            }
            data.series.append(series);
            ChartWidget chart;
            QFont large = chart.font();
            large.setPointSizeF(20);
            chart.setFont(large);
            chart.resize(400, 300);
            chart.setData(data);
            chart.show();
            QVERIFY(QTest::qWaitForWindowExposed(&chart));
            QVERIFY(!chart.grab().isNull());
            int names = 0;
            for (const QGraphicsItem* item : chart.scene()->items()) {
                const auto* label = qgraphicsitem_cast<const QGraphicsTextItem*>(item);
                if (!label || !label->isVisible())
                    continue;
                QVERIFY2(!label->toPlainText().endsWith(QLatin1String("...")),
                         qPrintable(label->toPlainText()));
                names += label->toPlainText().startsWith(QLatin1String("1")) ? 1 : 0;
            }
            QVERIFY(bars > 8 || names > 0);
        }
    }

    /// Widgets follow each other like words; one that grows takes what its line leaves.
    void linesOfWidgets()
    {
        QWidget box;
        auto* flow = new FlowLayout(&box, 6);
        flow->setContentsMargins(12, 3, 10, 5);
        struct Word : QWidget
        {
            Word(QWidget* parent, int width)
                : QWidget(parent)
                , hint(width, 20)
            {
            }
            QSize sizeHint() const override { return hint; }
            QSize hint;
        };
        const auto add = [&](int width, bool grows) {
            auto* one = new Word(&box, width);
            one->setSizePolicy(grows ? QSizePolicy::Expanding : QSizePolicy::Fixed, QSizePolicy::Fixed);
            flow->addWidget(one);
            return one;
        };
        const QWidget* first = add(60, false);
        const QWidget* grows = add(40, true);
        const QWidget* last = add(80, false);
        box.show();
        constexpr int hint = 40, line = 60 + 6 + hint + 6 + 80;
        for (const int rest : {0, 25}) { // one line
            const int width = 12 + line + rest + 10;
            QCOMPARE(flow->heightForWidth(width), 3 + 20 + 5);
            box.resize(width, 28);
            flow->setGeometry(QRect(0, 0, width, 28));
            QCOMPARE(first->geometry(), QRect(12, 3, 60, 20));
            QCOMPARE(grows->geometry(), QRect(78, 3, hint + rest, 20));
            QCOMPARE(last->geometry(), QRect(78 + hint + rest + 6, 3, 80, 20));
        }
        const int narrow = 12 + line - 1 + 10; // two
        QCOMPARE(flow->heightForWidth(narrow), 3 + 20 + 6 + 20 + 5);
        flow->setGeometry(QRect(0, 0, narrow, 54));
        QCOMPARE(grows->width(), line - 1 - 66);
        QCOMPARE(last->geometry(), QRect(12, 29, 80, 20));
    }

    void chartCsvIsExact()
    {
        QCOMPARE(chartCsv(oneCurve({{1, 0.1}, {2, std::nan("")}})),
                 QStringLiteral("series,x,y\n\"train\",1,0.10000000000000001\n\"train\",2,nan\n"));
    }

    void chartTableShowsAllSeries()
    {
        ChartData data = oneCurve({{1, 0.1}, {2, std::nan("")}});
        ChartSeries second;
        second.name = QStringLiteral("held-out");
        second.curve->append(2, 7);
        data.series.append(second);
        ChartTableModel model(data);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 3);
        const auto text = [&](int row, int column) {
            return model.index(row, column).data(Qt::DisplayRole).toString();
        };
        QCOMPARE(text(1, 2), QStringLiteral("NaN"));
        QCOMPARE(text(2, 0), QStringLiteral("held-out"));
        QCOMPARE(text(2, 2), QStringLiteral("7"));
        second.curve->append(3, 8); // a live curve grows: the table stays what it was
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(text(2, 2), QStringLiteral("7"));
    }

    void formats_data()
    {
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("expected");
        QTest::newRow("us") << formatMicroseconds(12.34) << QStringLiteral("12.3 µs");
        QTest::newRow("ms") << formatMicroseconds(4567) << QStringLiteral("4.57 ms");
        QTest::newRow("ratio") << formatRatio(1.523) << QStringLiteral("1.52×");
        QTest::newRow("no ratio") << formatRatio(0) << QStringLiteral("–");
        QTest::newRow("all") << formatPercent(1) << QStringLiteral("100 %");
        QTest::newRow("some") << formatPercent(0.1234) << QStringLiteral("12.3 %");
        QTest::newRow("none") << formatPercent(0) << QStringLiteral("0.0 %");
        QTest::newRow("a sparse matrix") << formatPercent(0.0000123) << QStringLiteral("0.0012 %");
        QTest::newRow("nearly nothing") << formatPercent(2e-11) << QStringLiteral("2E-09 %");
        QTest::newRow("nearly all") << formatPercent(0.99972) << QStringLiteral("99.97 %");
        QTest::newRow("more than all") << formatPercent(1.2) << QStringLiteral("120 %");
        QTest::newRow("a distance") << formatDigits(123456.7, 3) << QStringLiteral("123,457");
        QTest::newRow("a small one") << formatDigits(1.2345, 3) << QStringLiteral("1.23");
        QTest::newRow("a tiny one") << formatDigits(0.00012345, 3) << QStringLiteral("0.000123");
        QTest::newRow("beyond plain numbers") << formatDigits(1.5e20, 3) << QStringLiteral("1.5E+20");
        QTest::newRow("nan") << formatNumber(std::nan("")) << QStringLiteral("NaN");
        QTest::newRow("time") << formatDuration(192) << QStringLiteral("3 min 12 s");
        QTest::newRow("hours") << formatDuration(7500) << QStringLiteral("2 h 05 min");
        QTest::newRow("KiB") << formatBytes(2048) << QStringLiteral("2.00 KiB");
    }
    void formats()
    {
        QFETCH(QString, shown);
        QFETCH(QString, expected);
        QCOMPARE(shown.replace(QChar(0x00a0), QLatin1Char(' ')), expected);
    }

    void whatProgramsSayBecomesSentences()
    {
        QCOMPARE(asSentence(QStringLiteral("byte 0x19 has no meaning in a plan line")),
                 QStringLiteral("Byte 0x19 has no meaning in a plan line."));
        for (const char* named : {"model_type is missing.", "rl.lr must be positive.", "add20 is not here.",
                                  "x is too short.", "m: it is empty.", "rowPtr is not read."})
            QCOMPARE(asSentence(QString::fromLatin1(named)), QString::fromLatin1(named));
        QCOMPARE(asSentence(QStringLiteral("a run ended")), QStringLiteral("A run ended."));
        QCOMPARE(asSentence(QStringLiteral("non-zeros are missing")),
                 QStringLiteral("Non-zeros are missing."));
        QCOMPARE(asSentence(QStringLiteral("It ended.")), QStringLiteral("It ended."));
        QCOMPARE(asSentence({}), QString());
    }

    // Viridis and cividis rise in lightness from end to end: that is what makes them readable in grey.
    /// Alt and a letter are a button's, also while it is disabled; a letter alone and Alt with an arrow are
    /// the box's.
    void mnemonicsOfDisabledButtonsChooseNothing()
    {
        UnusedMnemonics filter;
        qApp->installEventFilter(&filter);
        QComboBox box;
        box.addItems({QStringLiteral("sft"), QStringLiteral("rft"), QStringLiteral("search")});
        QListWidget list;
        list.addItems({QStringLiteral("sft"), QStringLiteral("rft")});
        list.setCurrentRow(0);
        for (QWidget* one : {static_cast<QWidget*>(&box), static_cast<QWidget*>(&list)}) {
            one->show();
            QTest::keyClick(one, Qt::Key_R, Qt::AltModifier);
        }
        QCOMPARE(box.currentIndex(), 0);
        QCOMPARE(list.currentRow(), 0);
        for (QWidget* one : {static_cast<QWidget*>(&box), static_cast<QWidget*>(&list)})
            QTest::keyClick(one, Qt::Key_R);
        QCOMPARE(box.currentIndex(), 1);
        QCOMPARE(list.currentRow(), 1);
        qApp->removeEventFilter(&filter);
    }

    void colourMapsRise()
    {
        for (const ColorMap map : {ColorMap::Viridis, ColorMap::Cividis}) {
            double before = -1;
            for (int i = 0; i <= 20; ++i) {
                const QColor c = QColor::fromRgb(mapColor(map, i / 20.0));
                const double luminance = 0.2126 * c.redF() + 0.7152 * c.greenF() + 0.0722 * c.blueF();
                QVERIFY(luminance > before);
                before = luminance;
            }
        }
    }

    // Contrast of text in both themes (WCAG AA: 4.5).
    void themesAreReadable()
    {
        for (const Theme* t : {&Theme::light(), &Theme::darkTheme()}) {
            for (const QColor& c : {t->text, t->muted, t->accent, t->good, t->warn, t->bad}) {
                QVERIFY2(contrast(c, t->base) >= 4.5, qPrintable(c.name()));
                QVERIFY2(contrast(c, t->window) >= 4.4, qPrintable(c.name()));
            }
            QVERIFY(contrast(t->onAccent, t->accent) >= 4.5);
            for (const QColor& c : t->series)
                QVERIFY2(contrast(c, t->base) >= 3, qPrintable(c.name()));
        }
    }

    /// A name that hides something looks as its escaped form does, wherever the style draws it.
    void whatNamesHideIsShown()
    {
        applyTheme(*qobject_cast<QApplication*>(qApp), ThemeChoice::Light);
        const QString hidden = QString::fromUtf8("a\xe2\x80\x8b"
                                                 "b\xe2\x80\xae"
                                                 "c \xcc\x81"),
                      shown = QStringLiteral("a\\u200bb\\u202ec \\u0301");
        QCOMPARE(visibleText(hidden), shown);
        for (const char* plain : {"a b", "M\xc3\xbcller\n\xe2\x80\xa6", "e\xcc\x81",
                                  "1\xe2\x80\xaf"
                                  "234"})
            QCOMPARE(visibleText(QString::fromUtf8(plain)), QString::fromUtf8(plain));
        QCOMPARE(visibleText(QStringLiteral("a\u2028b")),
                 QStringLiteral("a\u2028b")); // a line break of a table
        const auto picture = [](auto&& widget) {
            widget.resize(300, 60);
            return widget.grab().toImage();
        };
        const auto table = [](const QString& text) {
            auto made = std::make_unique<QTableWidget>(1, 1);
            made->setItem(0, 0, new QTableWidgetItem(text));
            made->setHorizontalHeaderLabels({text});
            made->setColumnWidth(0, 200);
            return made;
        };
        const auto combo = [](const QString& text) {
            auto made = std::make_unique<QComboBox>();
            made->addItem(text);
            return made;
        };
        QCOMPARE(picture(QLabel(hidden)), picture(QLabel(shown)));
        QVERIFY(picture(QLabel(shown)) != picture(QLabel(QStringLiteral("abc"))));
        QCOMPARE(picture(QPushButton(hidden)), picture(QPushButton(shown)));
        QCOMPARE(picture(*table(hidden)), picture(*table(shown)));
        QCOMPARE(picture(*combo(hidden)), picture(*combo(shown)));
    }

    void curvesOfEachPalette()
    {
        using enum CurvePalette;
        // Okabe and Ito's, by their own values; white stands in for black on black.
        const QStringList published{
            QStringLiteral("#000000"), QStringLiteral("#e69f00"), QStringLiteral("#56b4e9"),
            QStringLiteral("#009e73"), QStringLiteral("#f0e442"), QStringLiteral("#0072b2"),
            QStringLiteral("#d55e00"), QStringLiteral("#cc79a7"), QStringLiteral("#ffffff")};
        // As people without green cones see them (Machado et al. 2009, severity 1), in linear light.
        const auto withoutGreen = [](const QColor& c) {
            const auto linear = [](double v) {
                return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
            };
            const double r = linear(c.redF()), g = linear(c.greenF()), b = linear(c.blueF());
            return std::array{0.367322 * r + 0.860646 * g - 0.227968 * b,
                              0.280085 * r + 0.672501 * g + 0.047413 * b,
                              -0.011820 * r + 0.042940 * g + 0.968881 * b};
        };
        const auto apart = [&](const QColor& x, const QColor& y) {
            const auto a = withoutGreen(x), b = withoutGreen(y);
            double sum = 0;
            for (std::size_t i = 0; i < 3; ++i)
                sum += std::pow(std::cbrt(std::max(0.0, a[i])) - std::cbrt(std::max(0.0, b[i])), 2);
            return std::sqrt(sum);
        };
        for (const bool dark : {false, true}) {
            const QColor base = (dark ? Theme::darkTheme() : Theme::light()).base;
            const auto closest = [&](CurvePalette palette) {
                double least = 10;
                const auto& colours = curveColours(palette, dark);
                for (int i = 0; i < colours.size(); ++i)
                    for (int j = 0; j < i; ++j)
                        least = std::min(least, apart(colours[i], colours[j]));
                return least;
            };
            QVERIFY2(closest(ColourBlind) > 0.12, qPrintable(QString::number(closest(ColourBlind))));
            QVERIFY(closest(ColourBlind) > closest(Standard));
            for (const QColor& c : curveColours(ColourBlind, dark)) {
                QVERIFY2(published.contains(c.name()), qPrintable(c.name()));
                QVERIFY2(contrast(c, base) >= 2.2, qPrintable(c.name())); // orange on white
            }
            for (const QColor& c : curveColours(HighContrast, dark))
                QVERIFY2(contrast(c, base) >= 7, qPrintable(c.name()));
            for (const CurvePalette palette : curvePalettes) {
                const Theme& theme = dark ? Theme::darkTheme(palette) : Theme::light(palette);
                QCOMPARE(theme.series, curveColours(palette, dark));
                QCOMPARE(theme.series.size(), 6); // as many as runs count on for their own colours
                QCOMPARE(&Theme::of(theme.palette()), &theme); // what a widget sees of it
                QCOMPARE(curvePaletteFromName(nameOf(palette)), palette);
            }
        }
        QCOMPARE(curvePaletteFromName(QStringLiteral("infrared")), Standard);
    }

    void iconsFollowTheTheme()
    {
        const auto ink = [] {
            const QImage image = themedIcon(QStringLiteral("plus")).pixmap(24, 24).toImage();
            return QColor(image.pixelColor(12, 12));
        };
        QCOMPARE(ink(), Theme::light().text);
        applyTheme(*qobject_cast<QApplication*>(qApp), ThemeChoice::Dark);
        QCOMPARE(ink(), Theme::darkTheme().text);
        applyTheme(*qobject_cast<QApplication*>(qApp), ThemeChoice::Light);
    }

    void formChecksRanges()
    {
        ParameterForm form;
        ParameterDeclarations declarations{
            ParameterSpec::real("ppo.clip_range", 0.2).range(0, 1).help("How far the ratio may move."),
            ParameterSpec::integer("seed", 1).atLeast(0),
            ParameterSpec::choice("algorithm", "ppo", {"ppo", "grpo"}),
            ParameterSpec::boolean("whiten", true)};
        form.setParameters(ParameterSet(declarations));
        QVERIFY(form.valid());
        form.enter("ppo.clip_range", QStringLiteral("1.5"));
        QVERIFY(!form.valid());
        QVERIFY2(form.problem().contains(QLatin1String("ppo.clip_range")), qPrintable(form.problem()));
        QCOMPARE(form.parameters().real("ppo.clip_range"), 0.2); // the last good value
        form.enter("ppo.clip_range", QStringLiteral("1e-1"));
        form.enter("algorithm", QStringLiteral("grpo"));
        form.enter("whiten", QStringLiteral("false"));
        QVERIFY2(form.valid(), qPrintable(form.problem()));
        QCOMPARE(form.parameters().real("ppo.clip_range"), 0.1);
        QCOMPARE(form.parameters().text("algorithm"), std::string("grpo"));
        QVERIFY(!form.parameters().boolean("whiten"));
        form.enter("seed", QStringLiteral("many"));
        QVERIFY(!form.valid());
    }

    // An answer to an older question never arrives, whatever the order of work.
    void staleAnswersAreDropped()
    {
        QObject context;
        BackgroundThread thread(QStringLiteral("test"));
        JobTracker jobs(&context);
        std::binary_semaphore first(0);
        QList<int> answers;
        jobs.start<int>(
            thread,
            [&] {
                first.acquire();
                return 1;
            },
            [&](int v) { answers.append(v); });
        jobs.start<int>(
            thread, [] { return 2; }, [&](int v) { answers.append(v); });
        first.release();
        QTRY_COMPARE_WITH_TIMEOUT(answers, QList<int>{2}, test::patience());
        QVERIFY(!jobs.running());
        jobs.start<int>(
            thread, [] { return 3; }, [&](int v) { answers.append(v); });
        jobs.cancel();
        QTRY_COMPARE_WITH_TIMEOUT(thread.pending(), 0, test::patience());
        QCOMPARE(answers, QList<int>{2});
    }

    // A name of a field is painted whole, also where the letter of its key stands close to the next one.
    void namesOfFieldsAreWhole()
    {
        const auto picture = [](QWidget& widget) { // as a screen of two pixels a point has it
            QImage image(widget.size() * 2, QImage::Format_RGB32);
            image.setDevicePixelRatio(2);
            widget.render(&image);
            return image;
        };
        for (const char* name : {"&Task", "&Tags", "&Verify", "&Folder", "&Year"}) {
            QWidget dialog;
            auto* form = new QFormLayout(&dialog);
            auto* field = new QLineEdit;
            form->addRow(QString::fromLatin1(name), field);
            levelLabels(form);
            dialog.show();
            QWidget* label = form->labelForField(field);
            const int width = picture(*label).width();
            label->resize(label->width() + 40, label->height());
            const QImage wide = picture(*label);
            int ink = 0;
            for (int y = 0; y < wide.height(); ++y)
                for (int x = 0; x < wide.width(); ++x)
                    if (wide.pixel(x, y) != wide.pixel(wide.width() - 1, 0))
                        ink = std::max(ink, x + 1);
            QVERIFY2(ink > 20 && ink <= width,
                     qPrintable(QStringLiteral("%1: %2 of %3").arg(QLatin1String(name)).arg(ink).arg(width)));
        }
    }

    // A column that is hidden takes no room, nor does one whose kept width was a hole.
    void hiddenColumnsLeaveNoHole()
    {
        QStandardItemModel model(2, 4);
        model.setHorizontalHeaderLabels({QStringLiteral("Name"), QStringLiteral("Time"),
                                         QStringLiteral("Baseline"), QStringLiteral("Family")});
        QTableView table;
        styleTable(&table);
        table.setModel(&model);
        fitColumns(&table,
                   {QStringLiteral("name"), QStringLiteral("0000"), QStringLiteral("0000"), QString()}, 3);
        table.resize(500, 200);
        table.show();
        const auto widths = [&](QTableView& of) {
            QCoreApplication::processEvents();
            QList<int> all;
            for (int column = 0; column < 4; ++column)
                all.append(of.horizontalHeader()->sectionPosition(column));
            all.append(of.horizontalHeader()->length());
            return all;
        };
        const QList<int> whole = widths(table);
        table.setColumnHidden(1, true);
        table.setColumnHidden(2, true);
        QTRY_COMPARE_WITH_TIMEOUT(widths(table),
                                  (QList<int>{0, whole[1], whole[1], whole[1], table.viewport()->width()}),
                                  test::patience());
        table.setColumnHidden(1, false);
        table.setColumnHidden(2, false);
        QTRY_COMPARE_WITH_TIMEOUT(widths(table), whole, test::patience());
        // A state that was kept with such a hole has none when it comes back.
        QTableView other;
        other.setModel(&model);
        const auto hole = connect(other.horizontalHeader(), &QHeaderView::sectionResized, &other,
                                  [&other](int column, int, int size) {
                                      if (column == 1 && size == 0)
                                          other.horizontalHeader()->resizeSection(1, 70);
                                  });
        other.setColumnHidden(1, true);
        QVERIFY(widths(other)[2] - widths(other)[1] == 70);
        disconnect(hole);
        restoreColumns(&table, other.horizontalHeader()->saveState());
        QVERIFY(table.isColumnHidden(1));
        QTRY_COMPARE_WITH_TIMEOUT(widths(table)[2], widths(table)[1], test::patience());
    }

    // A project that is closed takes the model from its tables; the next one brings another.
    void aModelMayGo()
    {
        QStandardItemModel model(2, 3), next(1, 3);
        QTableView table;
        for (QStandardItemModel* one : {&model, &next}) {
            table.setModel(one);
            fitColumns(&table, {QStringLiteral("name"), QStringLiteral("0"), QStringLiteral("0")}, 2);
            table.resize(500, 200);
            table.show();
            QTRY_COMPARE_WITH_TIMEOUT(table.horizontalHeader()->length(), table.viewport()->width(),
                                      test::patience());
            table.setModel(nullptr);
            table.resize(400, 200);
            QCoreApplication::processEvents();
            QCOMPARE(table.horizontalHeader()->count(), 0);
        }
    }

    // A title is whole after the size of the text has changed, and with widths that were kept in another
    // font.
    void titlesAreWholeInEveryFont()
    {
        QStandardItemModel model(1, 2);
        model.setHorizontalHeaderLabels({QStringLiteral("Name"), QStringLiteral("Non-zeros")});
        QTableView table;
        styleTable(&table);
        table.setModel(&model);
        fitColumns(&table, {QStringLiteral("name"), QStringLiteral("0")}, 0);
        table.resize(500, 200);
        table.show();
        const auto title = [&] {
            return table.horizontalHeader()->fontMetrics().horizontalAdvance(QStringLiteral("Non-zeros"));
        };
        QVERIFY(scaleFittedColumns(&table, 5, 10));
        QVERIFY(table.columnWidth(1) >= title() + 18);
        QTableView narrow;
        narrow.setModel(&model);
        narrow.setColumnWidth(1, title() / 2);
        restoreColumns(&table, narrow.horizontalHeader()->saveState());
        QTRY_VERIFY_WITH_TIMEOUT(table.columnWidth(1) >= title() + 18, test::patience());
    }

    /// Hand-made cases: wishes, the view, and the widths; none where the table has to scroll.
    void widthIsShared_data()
    {
        using Wishes = std::vector<ColumnWish>;
        QTest::addColumn<Wishes>("wishes");
        QTest::addColumn<int>("view");
        QTest::addColumn<std::vector<int>>("widths");
        const auto text = [](int whole, int sample = 80, int least = 40) {
            return ColumnWish{sample, whole, least, false, false};
        };
        const auto number = [](int whole, int sample = 60) {
            return ColumnWish{sample, whole, 30, true, false};
        };
        const ColumnWish fixed{50, 500, 10, false, true};
        QTest::newRow("usual widths, the first one gets the rest")
            << Wishes{text(30), text(50), number(40)} << 400 << std::vector<int>{260, 80, 60};
        QTest::newRow("what contents do not need goes to a longer text")
            << Wishes{text(200), text(50), number(40)} << 300 << std::vector<int>{200, 60, 40};
        QTest::newRow("short texts are whole beside one that is cut")
            << Wishes{text(200), text(60), text(70), number(90)} << 300 << std::vector<int>{80, 60, 70, 90};
        QTest::newRow("long texts are cut to one width") << Wishes{text(200), text(60), text(300), number(90)}
                                                         << 350 << std::vector<int>{100, 60, 100, 90};
        QTest::newRow("a pixel over goes to the first one")
            << Wishes{text(200), text(300)} << 201 << std::vector<int>{101, 100};
        QTest::newRow("what the user made stays")
            << Wishes{text(200), fixed, text(200)} << 250 << std::vector<int>{100, 50, 100};
        QTest::newRow("to the least that can be read")
            << Wishes{text(200), text(300), number(90)} << 170 << std::vector<int>{40, 40, 90};
        QTest::newRow("less is none: it scrolls")
            << Wishes{text(200), text(300), number(90)} << 169 << std::vector<int>();
        QTest::newRow("a text shorter than the least needs no more than itself")
            << Wishes{text(20), text(300)} << 60 << std::vector<int>{20, 40};
    }
    void widthIsShared()
    {
        QFETCH(std::vector<ColumnWish>, wishes);
        QFETCH(int, view);
        QFETCH(std::vector<int>, widths);
        QCOMPARE(shareWidth(wishes, 0, view).value_or(std::vector<int>()), widths);
    }

    // A long name is not cut while other columns have room that their contents and titles do not need.
    void columnsGiveUpWhatTheyDoNotNeed()
    {
        QStandardItemModel model(2, 3);
        model.setHorizontalHeaderLabels(
            {QStringLiteral("Name"), QStringLiteral("State"), QStringLiteral("Family")});
        const auto fill = [&](const QString& name, const QString& family) {
            for (int row = 0; row < model.rowCount(); ++row) {
                model.setItem(row, 0, new QStandardItem(name));
                model.setItem(row, 1, new QStandardItem(QStringLiteral("ok")));
                model.setItem(row, 2, new QStandardItem(family));
            }
        };
        fill(QStringLiteral("a"), QStringLiteral("S1"));
        QTableView table;
        styleTable(&table);
        table.setModel(&model);
        const QString sample = QStringLiteral("interrupted for a while");
        fitColumns(&table, {QStringLiteral("name"), sample, QStringLiteral("S1")}, 0, 2);
        const int usual = table.columnWidth(1);
        table.resize(500, 200);
        table.show();
        const auto need = [&](int column) {
            return static_cast<QAbstractItemView&>(table).sizeHintForColumn(column);
        };
        const auto sum = [&] { return table.columnWidth(0) + table.columnWidth(1) + table.columnWidth(2); };
        QTRY_COMPARE_WITH_TIMEOUT(sum(), table.viewport()->width(), test::patience());
        QCOMPARE(table.columnWidth(1), usual);
        QByteArray state = saveColumns(&table);
        // 30 pixels more than there are beside the others.
        QString name = QStringLiteral("n");
        const QString family = QStringLiteral("S2 · a part of a warp");
        const int wide = QFontMetrics(table.font()).horizontalAdvance(family) + 17;
        while (QFontMetrics(table.font()).horizontalAdvance(name) < 500 - usual - wide + 10)
            name += QLatin1Char('n');
        fill(name, family);
        QTRY_VERIFY_WITH_TIMEOUT(table.columnWidth(1) < usual, test::patience());
        QVERIFY(table.columnWidth(0) >= need(0) && table.columnWidth(2) >= need(2));
        QVERIFY(table.columnWidth(1) >= need(1));
        QCOMPARE(sum(), table.viewport()->width());
        // What is kept are the widths where there is room, and keeping them changes nothing.
        const int given = table.columnWidth(1);
        state = saveColumns(&table);
        QCOMPARE(table.columnWidth(1), given);
        fill(QStringLiteral("a"), QStringLiteral("S1"));
        restoreColumns(&table, state);
        QTableView other;
        other.setModel(&model);
        restoreColumns(&other, state); // as a table without such columns has it
        QCOMPARE(other.columnWidth(1), usual);
        // There is not enough for all: both get some of it, and nothing is wider than the view.
        fill(QString(300, QLatin1Char('n')), QString(300, QLatin1Char('f')));
        QTRY_COMPARE_WITH_TIMEOUT(sum(), table.viewport()->width(), test::patience());
        QVERIFY(table.columnWidth(0) > 100 && table.columnWidth(2) > 100);
    }
    // A table that scrolls in any case shows names and families whole, but for such as are very long.
    void columnsThatScrollAreNotCut()
    {
        QStandardItemModel model(2, 3);
        model.setHorizontalHeaderLabels(
            {QStringLiteral("Name"), QStringLiteral("State"), QStringLiteral("Family")});
        model.setHeaderData(1, Qt::Horizontal,
                            QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)),
                            Qt::TextAlignmentRole); // is not cut
        const auto fill = [&](const QString& name, const QString& family) {
            for (int row = 0; row < model.rowCount(); ++row) {
                model.setItem(row, 0, new QStandardItem(name));
                model.setItem(row, 1, new QStandardItem(QString(40, QLatin1Char('s'))));
                model.setItem(row, 2, new QStandardItem(family));
            }
        };
        QTableView table;
        styleTable(&table);
        table.setModel(&model);
        fitColumns(&table,
                   {QStringLiteral("a name"), QString(40, QLatin1Char('s')), QStringLiteral("S1 · CSR")}, 0,
                   2);
        const int name = table.columnWidth(0), family = table.columnWidth(2);
        table.resize(340, 200);
        table.show();
        const auto need = [&](int column) {
            return static_cast<QAbstractItemView&>(table).sizeHintForColumn(column);
        };
        fill(QStringLiteral("a long name"), QStringLiteral("S1 · CSR, rows"));
        QVERIFY(need(0) > name && need(2) > family);
        QTRY_COMPARE_WITH_TIMEOUT(table.columnWidth(0), need(0), test::patience());
        QCOMPARE(table.columnWidth(2), need(2));
        fill(QString(300, QLatin1Char('n')), QString(300, QLatin1Char('f')));
        QTRY_COMPARE_WITH_TIMEOUT(table.columnWidth(0), 3 * name, test::patience());
        QCOMPARE(table.columnWidth(2), 3 * family);
    }
    // Where there is too little room, names and other texts are cut, and numbers are not: with large text,
    // too.
    void numbersAreWholeBeforeTexts()
    {
        QStandardItemModel model(2, 5);
        model.setHorizontalHeaderLabels({QStringLiteral("Name"), QStringLiteral("State"),
                                         QStringLiteral("Family"), QStringLiteral("Speed"),
                                         QStringLiteral("From")});
        model.setHeaderData(3, Qt::Horizontal,
                            QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)),
                            Qt::TextAlignmentRole);
        const auto fill = [&](const QStringList& texts) {
            for (int row = 0; row < model.rowCount(); ++row)
                for (int column = 0; column < 5; ++column)
                    model.setItem(row, column, new QStandardItem(texts[column]));
        };
        QTableView table;
        styleTable(&table);
        table.setModel(&model);
        fitColumns(&table,
                   {QStringLiteral("a name of a run"), QStringLiteral("interrupted"),
                    QStringLiteral("S1 · CSR, rows"), QStringLiteral("0.0"),
                    QStringLiteral("a run with a name")},
                   0, 2);
        const int name = table.columnWidth(0), state = table.columnWidth(1), number = table.columnWidth(3);
        table.resize(460, 200);
        table.show();
        const auto need = [&](int column) {
            return static_cast<QAbstractItemView&>(table).sizeHintForColumn(column);
        };
        const auto fits = [&] {
            int sum = 0;
            for (int column = 0; column < 5; ++column)
                sum += table.columnWidth(column);
            return sum == table.viewport()->width();
        };
        // A number that is wider than its sample takes what the name does not need.
        const QString value = QStringLiteral("reward 100,000.12");
        fill({QStringLiteral("rl"), QStringLiteral("done"), QStringLiteral("S1"), value, QString()});
        QTRY_VERIFY_WITH_TIMEOUT(table.columnWidth(3) > number, test::patience());
        QVERIFY(table.columnWidth(3) >= need(3));
        QVERIFY(fits());
        // Names give way first, then other texts.
        const QString text(40, QLatin1Char('t'));
        fill({text, QStringLiteral("interrupted"), text, value, QStringLiteral("rl")});
        QTRY_VERIFY_WITH_TIMEOUT(table.columnWidth(0) < name, test::patience());
        QVERIFY(fits());
        QVERIFY(table.columnWidth(3) >= need(3) && table.columnWidth(1) >= need(1));
        table.resize(380, 200);
        QTRY_VERIFY_WITH_TIMEOUT(table.columnWidth(1) < state, test::patience());
        QVERIFY(fits());
        QVERIFY(table.columnWidth(3) >= need(3));
        // In large text the table scrolls at this width; the number is whole all the same.
        QFont large = table.font();
        large.setPointSizeF(large.pointSizeF() * 1.5);
        table.setFont(large);
        QTRY_VERIFY_WITH_TIMEOUT(table.columnWidth(3) >= need(3), test::patience());
    }
    // The right side gets what it asks for, and gives it back; what a layout keeps knows nothing of that.
    void widthIsLent()
    {
        QSplitter splitter;
        auto *left = new QLabel, *right = new QLabel;
        left->setMinimumWidth(200);
        splitter.addWidget(left);
        splitter.addWidget(right);
        auto* loan = new WidthLoan(&splitter);
        splitter.resize(1000, 100);
        splitter.setSizes({600, 400 - splitter.handleWidth()});
        splitter.show();
        const QList<int> own = splitter.sizes();
        const QByteArray state = splitter.saveState();
        loan->ask(300);
        QCOMPARE(splitter.sizes(), own); // it has more
        loan->ask(500);
        QCOMPARE(splitter.sizes()[1], 500);
        loan->ask(5000);
        QCOMPARE(splitter.sizes()[0], 200);
        QCOMPARE(WidthLoan::ownState(&splitter), state);
        QCOMPARE(splitter.sizes()[0], 200);
        loan->ask(500);
        QCOMPARE(splitter.sizes()[1], 500);
        WidthLoan::restore(&splitter, state); // a layout while it is lent
        QCOMPARE(splitter.sizes()[1], 500);
        loan->ask(0);
        QCOMPARE(splitter.sizes(), own);
        loan->ask(500);
        Q_EMIT splitter.splitterMoved(450, 1); // as the user's dragging tells it
        splitter.setSizes({450, 550 - splitter.handleWidth()});
        const QList<int> dragged = splitter.sizes();
        loan->ask(0);
        QCOMPARE(splitter.sizes(), dragged);
    }

    void rowModelKeepsSelection()
    {
        using Model = RowModel<int>;
        Model model(
            {RowColumn<int>{QStringLiteral("n"),
                            {},
                            [](const int& v, int role) -> QVariant {
                                return role == Qt::DisplayRole ? QVariant(v) : QVariant();
                            }}},
            [](const int& v) { return QString::number(v); }, nullptr);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows({5, 6, 7});
        const QPersistentModelIndex six = model.index(1, 0);
        model.setRows({3, 4, 5, 6, 7}); // in front
        QCOMPARE(six.data().toInt(), 6);
        model.setRows({3, 4, 5, 6, 7, 8}); // behind
        QCOMPARE(six.data().toInt(), 6);
        model.setRows({9});
        QVERIFY(!six.isValid());
    }

    void settingsPersist()
    {
        QTemporaryDir directory;
        const QString file = directory.filePath(QStringLiteral("settings.ini"));
        {
            Settings settings(file);
            QCOMPARE(settings.theme(), ThemeChoice::System);
            settings.setTheme(ThemeChoice::Dark);
            for (int i = 0; i < 12; ++i)
                settings.addRecentProject(QString::number(i));
            settings.addRecentProject(QStringLiteral("5"));
            settings.setGeometry("state");
        }
        Settings settings(file);
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QCOMPARE(settings.recentProjects().size(), 10);
        QCOMPARE(settings.recentProjects().first(), QStringLiteral("5"));
        QCOMPARE(settings.geometry(), QByteArray("state"));
        settings.resetLayout();
        QVERIFY(settings.geometry().isEmpty());
    }

    void cleanup() { QCOMPARE(test::takeWarnings(), QStringList()); }
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsCommon)
#include "tst_widgets_common.moc"
