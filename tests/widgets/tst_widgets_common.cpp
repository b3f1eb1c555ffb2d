// SPDX-License-Identifier: Apache-2.0
#include "tests/widgets/gui_test.h"
#include "widgets/common/background.h"
#include "widgets/common/chart_lines.h"
#include "widgets/common/chart_scale.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/colormap.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/row_model.h"
#include "widgets/common/settings.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <semaphore>

using namespace sparserl;

namespace {

ChartData oneCurve(const QList<QPointF>& points)
{
    ChartData data;
    data.title = QStringLiteral("Loss");
    data.xLabel = QStringLiteral("step");
    ChartSeries series;
    series.name = QStringLiteral("train");
    series.points = points;
    data.series.append(series);
    return data;
}

} // namespace

class TestWidgetsCommon : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // A spike of one point among a hundred thousand survives in a picture of 300 columns.
    void decimationKeepsSpikes()
    {
        QList<QPointF> points;
        for (int i = 0; i < 100'000; ++i)
            points.append({static_cast<double>(i), i == 70'123 ? 9.0 : i == 20'002 ? -5.0 : 0.5});
        const auto x = [](double v) { return v * 300 / 100'000; };
        const auto y = [](double v) { return 100 - 10 * v; };
        const ScreenLines lines = decimateToScreen(points, 0, 100'000, x, y);
        QCOMPARE(lines.pieces.size(), 1);
        QVERIFY(lines.pieces.first().size() <= 4 * 301);
        double top = 1e9, bottom = -1e9;
        for (const QPointF& p : lines.pieces.first()) {
            top = std::min(top, p.y());
            bottom = std::max(bottom, p.y());
        }
        QCOMPARE(top, 10.0);
        QCOMPARE(bottom, 150.0);
    }

    void decimationBreaksAtNaN()
    {
        const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
        const QList<QPointF> points{{0, 1}, {1, 2}, {2, nan}, {3, 3}, {4, inf}, {5, 1}, {6, 1}};
        const auto same = [](double v) { return v * 10; };
        const ScreenLines lines = decimateToScreen(points, 0, 6, same, same);
        QCOMPARE(lines.pieces.size(), 3);
        QCOMPARE(lines.pieces[1].size(), 1); // a single point between two holes is still there
        QCOMPARE(lines.nonFinite, (QList<double>{20, 40}));
    }

    void decimationOfRangeTouchesFrame()
    {
        QList<QPointF> points;
        for (int i = 0; i <= 10; ++i)
            points.append({static_cast<double>(i), static_cast<double>(i)});
        const auto same = [](double v) { return v * 100; };
        const ScreenLines lines = decimateToScreen(points, 3.5, 6.5, same, same);
        QCOMPARE(lines.pieces.first().first().x(), 300.0);
        QVERIFY(lines.pieces.first().last().x() >= 700.0);
    }

    void ticks_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<bool>("logarithmic");
        QTest::addColumn<QStringList>("labels");
        const auto list = [](std::initializer_list<const char*> texts) {
            QStringList result;
            for (const char* t : texts)
                result.append(QString::fromUtf8(t));
            return result;
        };
        QTest::newRow("unit") << 0.0 << 1.0 << false << list({"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
        QTest::newRow("steps of 25") << 0.0 << 100.0 << false << list({"0", "20", "40", "60", "80", "100"});
        QTest::newRow("negative") << -0.35 << 0.1 << false << list({"-0.3", "-0.2", "-0.1", "0", "0.1"});
        QTest::newRow("thousands") << 0.0 << 40'000.0 << false << list({"0", "10 k", "20 k", "30 k", "40 k"});
        QTest::newRow("far from zero")
            << 1000.1 << 1000.2 << false
            << list({"1,000.10", "1,000.12", "1,000.14", "1,000.16", "1,000.18", "1,000.20"});
        QTest::newRow("decades") << 1.0 << 1000.0 << true << list({"1", "10", "100", "1000"});
        QTest::newRow("below one") << 0.001 << 0.1 << true << list({"0.001", "0.01", "0.1"});
    }
    void ticks()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(bool, logarithmic);
        QFETCH(QStringList, labels);
        QStringList shown;
        for (const AxisTick& tick : niceTicks({low, high, logarithmic}, 6)) {
            QVERIFY(tick.value >= low - 1e-9 * std::abs(low) - 1e-12 &&
                    tick.value <= high * (1 + 1e-9) + 1e-12);
            if (!tick.label.isEmpty())
                shown.append(tick.label);
        }
        for (QString& label : labels)
            label.remove(QLatin1Char(','));
        for (QString& label : shown)
            label.remove(QLatin1Char(','));
        QCOMPARE(shown, labels);
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

    void chartCsvIsExact()
    {
        ChartWidget chart;
        chart.setData(oneCurve({{1, 0.1}, {2, std::nan("")}}));
        QCOMPARE(chart.toCsv(),
                 QStringLiteral("series,x,y\n\"train\",1,0.10000000000000001\n\"train\",2,nan\n"));
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

    // Viridis and cividis rise in lightness from end to end: that is what makes them readable in grey.
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
        const auto luminance = [](const QColor& c) {
            const auto linear = [](double v) {
                return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
            };
            return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
        };
        const auto contrast = [&](const QColor& a, const QColor& b) {
            const double x = luminance(a), y = luminance(b);
            return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
        };
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
        QTRY_COMPARE(answers, QList<int>{2});
        QVERIFY(!jobs.running());
        jobs.start<int>(
            thread, [] { return 3; }, [&](int v) { answers.append(v); });
        jobs.cancel();
        QTRY_COMPARE(thread.pending(), 0);
        QCOMPARE(answers, QList<int>{2});
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
            settings.setState(QStringLiteral("x"), "state");
        }
        Settings settings(file);
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QCOMPARE(settings.recentProjects().size(), 10);
        QCOMPARE(settings.recentProjects().first(), QStringLiteral("5"));
        QCOMPARE(settings.state(QStringLiteral("x")), QByteArray("state"));
        settings.resetLayout();
        QVERIFY(settings.state(QStringLiteral("x")).isEmpty());
    }

    void cleanup() { QCOMPARE(test::takeWarnings(), QStringList()); }
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsCommon)
#include "tst_widgets_common.moc"
