// SPDX-License-Identifier: Apache-2.0
// What nine live charts of four series of a million points cost: CPU time of an update (100 points are
// appended to every series, everything is painted again) and of a move of the linked cursor. The peer gives
// the same decimated points to Qt Charts' own curves. Usage: bench_chart_frames [PICTURE.png]; off screen.
#include "base/time.h"
#include "widgets/common/chart_lines.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/theme.h"

#include <QApplication>
#include <QGridLayout>
#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

using namespace sparserl;

namespace {

constexpr int chartCount = 9, seriesCount = 4, rounds = 20;
constexpr std::size_t points = 1'000'000;

/// A noisy fall with a spike and a NaN.
double valueAt(std::size_t i, int series)
{
    auto bits = static_cast<std::uint32_t>(i * 2654435761u + static_cast<std::size_t>(series) * 97u);
    bits ^= bits >> 15;
    bits *= 2246822519u;
    bits ^= bits >> 13;
    if (i == points / 2)
        return std::nan("");
    if (i == points / 3)
        return 5;
    const double place = static_cast<double>(i) / static_cast<double>(points);
    return 2 * std::exp(-3 * place) + 0.2 * (bits / 4294967296.0 - 0.5) + 0.3 * series;
}

void grow(Curve& curve, int series, std::size_t count)
{
    std::vector<double> x, y;
    for (std::size_t i = curve.size(); i < curve.size() + count && x.size() < count; ++i) {
        x.push_back(static_cast<double>(i));
        y.push_back(valueAt(i, series));
    }
    curve.append(x, y);
}

struct Times
{
    double median = 0, worst = 0; ///< Milliseconds.
};

template <typename F>
Times measure(F&& work)
{
    std::vector<double> times;
    for (int round = 0; round < rounds + 2; ++round) {
        const double begin = threadCpuSeconds();
        work(round);
        QCoreApplication::processEvents();
        if (round >= 2) // fonts and caches are warm then
            times.push_back(1e3 * (threadCpuSeconds() - begin));
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.back()};
}

void report(const char* what, const Times& update, const Times& cursor)
{
    constexpr double percentAtTenHertz = 1; // 10 / 1000 ms, times 100
    fmt::print("{:<34} update {:6.1f} ms (worst {:6.1f}), at 10 Hz {:5.1f} % of a core; cursor {:5.1f} ms\n",
               what, update.median, update.worst, percentAtTenHertz * update.median, cursor.median);
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, ThemeChoice::Light);
    QWidget window;
    QGridLayout grid(&window);
    window.resize(1500, 1000);
    std::vector<ChartWidget*> charts;
    std::vector<ChartData> data(chartCount);
    const double begin = threadCpuSeconds();
    for (int c = 0; c < chartCount; ++c) {
        charts.push_back(new ChartWidget(&window));
        grid.addWidget(charts.back(), c / 3, c % 3);
        data[c].title = QStringLiteral("Metric %1").arg(c + 1);
        data[c].xLabel = QStringLiteral("step");
        data[c].x = ChartX::Whole;
        for (int s = 0; s < seriesCount; ++s) {
            ChartSeries series;
            series.name = QStringLiteral("run %1").arg(s + 1);
            series.colour = s;
            series.dash = s % 2;
            grow(*series.curve, s, points);
            data[c].series.append(series);
        }
    }
    fmt::print("{} points made and taken up: {:.2f} s\n", chartCount * seriesCount * points,
               threadCpuSeconds() - begin);
    window.show();
    const auto update = [&](std::size_t appended) {
        return [&, appended](int) {
            for (int c = 0; c < chartCount; ++c) {
                for (int s = 0; s < seriesCount; ++s)
                    grow(*data[c].series[s].curve, s, appended);
                charts[c]->setData(data[c]);
            }
        };
    };
    const Times frame = measure(update(100));
    const Times cursor = measure([&](int round) {
        for (ChartWidget* chart : charts)
            chart->followCursor(static_cast<double>(points) * (0.1 + 0.03 * round));
    });
    report("ChartWidget", frame, cursor);
    report("ChartWidget, axes moving", measure(update(10'000)), cursor);
    if (argc > 1)
        window.grab().save(QString::fromLocal8Bit(argv[1]));

    // The peer: curves by Qt Charts, given what the screen can show.
    QWidget peerWindow;
    QGridLayout peerGrid(&peerWindow);
    peerWindow.resize(1500, 1000);
    std::vector<QChartView*> views;
    std::vector<QList<QLineSeries*>> lines(chartCount);
    for (int c = 0; c < chartCount; ++c) {
        auto* view = new QChartView(&peerWindow);
        view->setRenderHint(QPainter::Antialiasing);
        for (int s = 0; s < seriesCount; ++s) {
            lines[c].append(new QLineSeries);
            lines[c].last()->setName(data[c].series[s].name);
            QPen pen = lines[c].last()->pen();
            pen.setWidthF(1);
            pen.setCosmetic(true);
            lines[c].last()->setPen(pen);
            view->chart()->addSeries(lines[c].last());
        }
        view->chart()->createDefaultAxes();
        peerGrid.addWidget(view, c / 3, c % 3);
        views.push_back(view);
    }
    peerWindow.show();
    const auto peerUpdate = [&](int) {
        for (int c = 0; c < chartCount; ++c) {
            for (int s = 0; s < seriesCount; ++s) {
                Curve& curve = *data[c].series[s].curve;
                grow(curve, s, 100);
                // Pixels of a unit square are data again: the same points as above.
                const AxisScale x{0, static_cast<double>(curve.size()), false}, y{5.5, -0.5, false};
                const QRectF plot(0, -0.5, static_cast<double>(curve.size()), 6);
                QList<QPointF> shown;
                const int columns = static_cast<int>(views[c]->chart()->plotArea().width());
                for (const QPolygonF& piece :
                     linesOnScreen(curve, Curve::Values::Measured, x, y, plot, columns).pieces)
                    shown += piece;
                lines[c][s]->replace(shown);
            }
            views[c]
                ->chart()
                ->axes(Qt::Horizontal)
                .first()
                ->setRange(0, static_cast<double>(data[c].series[0].curve->size()));
            views[c]->chart()->axes(Qt::Vertical).first()->setRange(-0.5, 5.5);
        }
    };
    const Times peerFrame = measure(peerUpdate);
    const Times peerCursor = measure([&](int) {
        for (QChartView* view : views)
            view->viewport()->update();
    });
    report("QLineSeries::replace, same points", peerFrame, peerCursor);
    return 0;
}
