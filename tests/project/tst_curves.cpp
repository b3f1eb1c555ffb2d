// SPDX-License-Identifier: Apache-2.0
// What charts and lists are told: moving averages of all points, and the state of a run that the index has
// not read to its end.
#include "project/curves/curve.h"
#include "project/curves/curve_band.h"
#include "project/run/journal_tail.h"
#include "project/run/metrics.h"
#include "tests/project/fixture.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

using namespace sparserl;
using namespace fixture;
namespace fs = std::filesystem;

class TestCurves : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void averageIsDebiased()
    {
        MovingAverage average(0.5);
        QCOMPARE(average.next(4), 4.0);
        QCOMPARE(average.next(4), 4.0);
        QVERIFY(std::isnan(average.next(std::nan(""))));
        // Weights 0.125, 0.25, 0.5 of 0.875.
        QCOMPARE(average.next(8), (0.125 * 4 + 0.25 * 4 + 0.5 * 8) / 0.875);
    }

    void bandOfCurvesOfDifferentLength()
    {
        const auto curve = [](std::vector<double> x, std::vector<double> y) {
            auto made = std::make_shared<Curve>();
            made->append(x, y);
            return made;
        };
        QVERIFY(!bandOf({}).mean);
        const auto one = bandOf({curve({1, 2}, {3, 4})});
        QVERIFY(one.mean && !one.low && !one.high);
        QCOMPARE(one.mean->y(1), 4.0);
        // Between its points a curve counts where the line is; outside of them it does not count.
        const auto band = bandOf({curve({0, 2, 4}, {0, 2, 8}), curve({1, 2}, {3, 6}), curve({4, 5}, {2, 7})});
        const std::vector<double> x{0, 1, 2, 4, 5}, mean{0, 2, 4, 5, 7}, low{0, 1, 2, 2, 7},
            high{0, 3, 6, 8, 7};
        QCOMPARE(band.mean->size(), x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            QCOMPARE(band.mean->x(i), x[i]);
            QCOMPARE(band.mean->y(i), mean[i]);
            QCOMPARE(band.low->y(i), low[i]);
            QCOMPARE(band.high->y(i), high[i]);
        }
        // A NaN is seen at its place; around it the curve it is of does not count.
        const auto broken =
            bandOf({curve({0, 1, 2}, {1, std::nan(""), 1}), curve({0, 0.5, 1, 2}, {3, 3, 3, 3})});
        QCOMPARE(broken.mean->y(0), 2.0);
        QCOMPARE(broken.mean->y(1), 3.0);
        QVERIFY(std::isnan(broken.mean->y(2)) && std::isnan(broken.low->y(2)));
        QCOMPARE(broken.mean->y(3), 2.0);
    }

    // Ranges of a pyramid that grew by pieces of all sizes, against a walk over the values.
    void pyramidFindsExtremesOfAnyRange()
    {
        std::mt19937_64 random(7);
        std::vector<double> values;
        MinMaxPyramid pyramid;
        constexpr std::size_t most = 30'000;
        while (values.size() < most) {
            const std::size_t piece = 1 + random() % (values.size() < 300 ? 5 : 3000);
            for (std::size_t i = 0; i < piece; ++i) {
                const auto kind = random() % 60;
                values.push_back(kind == 0   ? std::nan("")
                                 : kind == 1 ? std::numeric_limits<double>::infinity()
                                             : static_cast<double>(random() % 1'000'000) / 1000 - 300);
            }
            if (values.size() % 4 == 0) // a long hole
                values.insert(values.end(), 70, std::nan(""));
            pyramid.extend(values);
            for (int trial = 0; trial < 40; ++trial) {
                const std::size_t a = random() % (values.size() + 1), b = random() % (values.size() + 1);
                const std::size_t begin = std::min(a, b), end = std::max(a, b);
                CurveExtremes expected;
                for (std::size_t i = begin; i < end; ++i) {
                    if (!std::isfinite(values[i])) {
                        expected.nonFinite = std::min(expected.nonFinite, i);
                        continue;
                    }
                    expected.low = std::min(expected.low, values[i]);
                    expected.high = std::max(expected.high, values[i]);
                    if (values[i] > 0)
                        expected.lowestPositive = std::min(expected.lowestPositive, values[i]);
                }
                const CurveExtremes found = pyramid.over(values, begin, end);
                QCOMPARE(found.low, expected.low);
                QCOMPARE(found.high, expected.high);
                QCOMPARE(found.lowestPositive, expected.lowestPositive);
                QCOMPARE(found.nonFinite, expected.nonFinite);
                QCOMPARE(found.lowest == CurveExtremes::none, !(expected.low <= expected.high));
                if (found.lowest != CurveExtremes::none) {
                    QCOMPARE(values[found.lowest], expected.low);
                    QCOMPARE(values[found.highest], expected.high);
                    QVERIFY(found.lowest >= begin && found.lowest < end && found.highest >= begin &&
                            found.highest < end);
                }
            }
        }
    }

    // Rare spikes pull an average of extremes up by as much as there are columns; that of all points hardly.
    // In whatever pieces the points came, and whether it was asked for before or behind them.
    void averageIsOfAllPoints()
    {
        constexpr double weight = 0.96;
        Curve before, behind, changed;
        before.setSmoothing(weight);
        changed.setSmoothing(0.6);
        std::vector<double> steps, values;
        for (int step = 0; step < 6000; ++step) {
            steps.push_back(step);
            values.push_back(step == 3000     ? std::nan("")
                             : step % 50 == 7 ? 100
                                              : 1 + 0.001 * static_cast<double>(step % 3));
        }
        behind.append(steps, values);
        behind.setSmoothing(weight);
        changed.append(steps, values);
        changed.setSmoothing(weight);
        for (std::size_t at = 0; at < steps.size(); at += 13) {
            const std::size_t count = std::min<std::size_t>(13, steps.size() - at);
            before.append(std::span(steps).subspan(at, count), std::span(values).subspan(at, count));
        }
        for (const std::size_t i : {std::size_t{0}, std::size_t{7}, std::size_t{2999}, std::size_t{5999}}) {
            // By its definition: sum_j w^(i-j) v_j over sum_j w^(i-j).
            double sum = 0, total = 0;
            for (std::size_t j = 0; j <= i; ++j) {
                if (std::isnan(values[j]))
                    continue;
                // A value that is none does not count as a step either.
                const double age = static_cast<double>(i - j) - (j < 3000 && i >= 3000 ? 1 : 0);
                sum += std::pow(weight, age) * values[j];
                total += std::pow(weight, age);
            }
            for (const Curve* curve : {&before, &behind, &changed}) {
                const double average = curve->value(i, Curve::Values::Average);
                QVERIFY2(std::abs(average - sum / total) < 1e-9 * std::abs(average),
                         qPrintable(QStringLiteral("%1: %2, not %3").arg(i).arg(average).arg(sum / total)));
            }
        }
        QVERIFY(std::isnan(behind.value(3000, Curve::Values::Average)));
        behind.setSmoothing(0);
        QVERIFY(!behind.smoothed());
    }

    void curveFindsPointsByX()
    {
        Curve curve;
        for (const double x : {1.0, 2.0, 4.0, 3.0, 8.0}) // a clock that went back once
            curve.append(x, 10 * x);
        QCOMPARE(curve.size(), std::size_t{5});
        QCOMPARE(curve.x(3), 4.0);
        QCOMPARE(curve.y(3), 30.0);
        QCOMPARE(curve.firstFrom(2), std::size_t{1});
        QCOMPARE(curve.firstFrom(2.1), std::size_t{2});
        QCOMPARE(curve.firstFrom(9), std::size_t{5});
        for (const double x : {0.0, 1.0, 1.5, 2.0, 3.9, 4.0, 4.1, 8.0, 9.0})
            for (std::size_t from = 0; from <= curve.firstFrom(x); ++from)
                for (std::size_t guess = 0; guess < 8; ++guess)
                    QCOMPARE(curve.firstFrom(x, from, guess), curve.firstFrom(x));
        QCOMPARE(curve.nearest(-5), std::size_t{0});
        QCOMPARE(curve.nearest(1.4), std::size_t{0});
        QCOMPARE(curve.nearest(5.9), std::size_t{3});
        QCOMPARE(curve.nearest(6.1), std::size_t{4});
        QCOMPARE(curve.nearest(99), std::size_t{4});
    }

    // Who has some points asks for those behind them.
    void pointsComeOnce()
    {
        const TempDir directory = must(TempDir::create());
        const fs::path path = directory.path() / "p";
        must(Project::create(path, "p"));
        auto run = must(RunDirectory::create(path / "runs" / "0001-rl", config("rl")));
        auto session = must(run.beginWork());
        for (int step = 0; step < 1000; ++step)
            mustDo(session.journal().append(
                step, MetricEvent{"train", {{"reward", step == 500 ? std::nan("") : 0.5 * step}}}));
        mustDo(session.journal().flush());
        auto indexer = must(Indexer::open(path));
        must(indexer.update());
        auto reader = must(ProjectReader::open(path));
        const RunId id = must(reader.runs()).front().id;
        const auto first = must(reader.points(id, "reward", "train", INT64_MIN, 600));
        QCOMPARE(first.steps.size(), std::size_t{600});
        QCOMPARE(first.steps.back(), 599.0);
        QCOMPARE(first.values[7], 3.5);
        QVERIFY(std::isnan(first.values[500]));
        QCOMPARE(first.times.size(), std::size_t{600});
        QVERIFY(first.times.front() > 1e9 && first.times.front() <= first.times.back());
        const auto rest = must(reader.points(id, "reward", "train", 599));
        QCOMPARE(rest.steps.size(), std::size_t{400});
        QCOMPARE(rest.steps.front(), 600.0);
        QCOMPARE(must(reader.points(id, "reward", "train", 999)).steps.size(), std::size_t{0});
        QCOMPARE(must(reader.points(id, "loss", "train")).steps.size(), std::size_t{0});
    }

    // What an index that grew keeps of a live run, against one that is made at once: also where a value is
    // told again, where a point comes late, and behind the end.
    void sparklineOfALiveRunIsOfAllPoints()
    {
        const TempDir directory = must(TempDir::create());
        const fs::path path = directory.path() / "p";
        must(Project::create(path, "p"));
        auto run = must(RunDirectory::create(path / "runs" / "0001-rl", config("rl")));
        auto session = must(run.beginWork());
        JournalWriter& journal = session.journal();
        mustDo(journal.append(0, StateEvent{RunState::Running, {}, 5000}));
        auto indexer = must(Indexer::open(path));
        int copies = 0;
        const auto compare = [&] {
            mustDo(journal.flush());
            must(indexer.update());
            const fs::path copy = directory.path() / std::to_string(++copies);
            fs::create_directories(copy / "runs");
            fs::copy(path / "project.toml", copy / "project.toml");
            fs::copy(path / "runs" / "0001-rl", copy / "runs" / "0001-rl", fs::copy_options::recursive);
            must(must(Indexer::open(copy)).update());
            const auto grown = must(must(ProjectReader::open(path)).runs()).front();
            const auto fresh = must(must(ProjectReader::open(copy)).runs()).front();
            QCOMPARE(grown.spark, fresh.spark);
            QVERIFY(!grown.spark.empty());
            QVERIFY(grown.lastValue == fresh.lastValue);
        };
        const auto add = [&](std::int64_t step, double value) {
            mustDo(journal.append(step, MetricEvent{"train", {{"reward", value}}}));
        };
        std::int64_t step = 0;
        for (int round = 0; round < 5; ++round) {
            for (int i = 0; i < 40 * (round + 1); ++i, step += 2)
                add(step, std::sin(0.1 * static_cast<double>(step)));
            compare();
        }
        add(step, 7);
        add(100, 50); // told again
        compare();
        add(step + 2, 1);
        add(101, -50); // late
        compare();
        add(step + 4, 2);
        compare();
        mustDo(journal.append(step + 4, StateEvent{RunState::Done, {}, 5000}));
        compare();
        add(step + 6, 3);
        compare();
    }

    void lastStateIsFoundFromTheEnd_data()
    {
        QTest::addColumn<int>("between"); // Bytes of log lines behind the state.
        for (const int between : {0, 100, 1 << 20, 3 << 20})
            QTest::addRow("%d bytes behind", between) << between;
    }
    void lastStateIsFoundFromTheEnd()
    {
        QFETCH(int, between);
        const TempDir directory = must(TempDir::create());
        auto run = must(RunDirectory::create(directory.path() / "r", config("rl")));
        std::int64_t middle = 0, behind = 0;
        int gen = 0;
        {
            auto session = must(run.beginWork());
            gen = session.generation();
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 9}));
            mustDo(session.journal().flush());
            middle = session.journal().length();
            mustDo(session.journal().append(9, StateEvent{RunState::Failed, "the disk is full", 9}));
            mustDo(session.journal().flush());
            behind = session.journal().length();
            for (int written = 0; written < between; written += 500)
                mustDo(session.journal().append(9, LogEvent{"info", std::string(440, 'x')}));
        }
        auto state = lastState(run.path(), {gen, middle});
        QVERIFY(state);
        QCOMPARE(state->state, RunState::Failed);
        QCOMPARE(state->reason, std::string("the disk is full"));
        QVERIFY(!lastState(run.path(), {gen, behind}));     // Read to there already.
        QVERIFY(!lastState(run.path(), {gen + 1, middle})); // Of another history.
        QCOMPARE(lastState(run.path(), {gen, middle}, 50).has_value(), false);
        QCOMPARE(run.lastState()->state, RunState::Failed);
        // Half a line at the end is no line.
        std::ofstream(run.path() / "journal.jsonl", std::ios::app)
            << "{\"seq\":99,\"kind\":\"state\",\"state\":\"do";
        QCOMPARE(lastState(run.path(), {gen, middle})->state, RunState::Failed);
    }

    // The last one of any split, whatever was logged behind it.
    void lastCorrectRateIsFoundFromTheEnd()
    {
        const TempDir directory = must(TempDir::create());
        auto run = must(RunDirectory::create(directory.path() / "r", config("sft")));
        QVERIFY(!lastCorrectRate(run.path()));
        {
            auto session = must(run.beginWork());
            for (const double rate : {0.5, 0.0})
                mustDo(session.journal().append(
                    9, MetricEvent{rate > 0 ? "train" : "held-out",
                                   {{std::string(metric::correctRate), rate}, {"loss", 1}}}));
            for (int written = 0; written < (3 << 20); written += 500)
                mustDo(session.journal().append(9, LogEvent{"info", std::string(440, 'x')}));
            mustDo(session.journal().append(10, MetricEvent{"train", {{"loss", 1}}}));
        }
        QVERIFY(lastCorrectRate(run.path()));
        QCOMPARE(*lastCorrectRate(run.path()), 0.0);
        QVERIFY(!lastCorrectRate(directory.path() / "none"));
    }

    // While the index is behind, a run that has ended is not called interrupted.
    void finishedRunIsDoneWhileTheIndexCatchesUp()
    {
        const TempDir directory = must(TempDir::create());
        const fs::path path = directory.path() / "p";
        must(Project::create(path, "p"));
        auto run = must(RunDirectory::create(path / "runs" / "0001-rl", config("rl")));
        {
            auto session = must(run.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 100}));
            mustDo(session.journal().flush());
            must(must(Indexer::open(path)).update());
            for (int step = 0; step < 100; ++step)
                writeStep(session.journal(), step, 1, 2);
            mustDo(session.journal().append(100, StateEvent{RunState::Done, {}, 100}));
        }
        auto reader = must(ProjectReader::open(path));
        QCOMPARE(must(reader.runs()).front().status, RunStatus::Done);
        QCOMPARE(must(reader.runs()).front().reason, std::string());
        must(must(Indexer::open(path)).update());
        QCOMPARE(must(reader.runs()).front().status, RunStatus::Done);
        // One that was killed stays interrupted.
        auto killed = must(RunDirectory::create(path / "runs" / "0002-rl", config("rl")));
        {
            auto session = must(killed.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 100}));
            mustDo(session.journal().flush());
            must(must(Indexer::open(path)).update());
            for (int step = 0; step < 100; ++step)
                writeStep(session.journal(), step, 1, 2);
        }
        QCOMPARE(must(reader.runByName("0002-rl")).status, RunStatus::Failed);
    }
};

QTEST_APPLESS_MAIN(TestCurves)
#include "tst_curves.moc"
