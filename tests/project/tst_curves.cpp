// SPDX-License-Identifier: Apache-2.0
// What charts and lists are told: moving averages of all points, and the state of a run that the index has
// not read to its end.
#include "project/journal_tail.h"
#include "project/smooth.h"
#include "tests/project/fixture.h"

#include <QTest>
#include <cmath>
#include <fstream>

using namespace sparserl;
using namespace fixture;
namespace fs = std::filesystem;

class TestCurves : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void averageIsDebiased()
    {
        const double nan = std::nan("");
        const auto s = smoothed(std::vector<SeriesPoint>{{0, 4}, {1, 4}, {2, nan}, {3, 8}}, 0.5);
        QCOMPARE(s[0].value, 4.0);
        QCOMPARE(s[1].value, 4.0);
        QVERIFY(std::isnan(s[2].value));
        // Weights 0.125, 0.25, 0.5 of 0.875.
        QCOMPARE(s[3].value, (0.125 * 4 + 0.25 * 4 + 0.5 * 8) / 0.875);
    }

    void memoryHoldsAllButAMillionth()
    {
        for (const double weight : {0.6, 0.85, 0.96})
            QVERIFY(std::pow(weight, static_cast<double>(smoothingMemory(weight))) <= 1e-6);
        QCOMPARE(smoothingMemory(0), std::size_t{0});
    }

    // Rare spikes pull an average of extremes up by as much as there are buckets; that of all points hardly.
    void averageIsOfAllPointsWhateverTheRange()
    {
        const TempDir directory = must(TempDir::create());
        const fs::path path = directory.path() / "p";
        must(Project::create(path, "p"));
        constexpr std::int64_t steps = 6000;
        std::vector<SeriesPoint> all;
        {
            auto run = must(RunDirectory::create(path / "runs" / "0001-rl", config("rl")));
            auto session = must(run.beginWork());
            for (std::int64_t step = 0; step < steps; ++step) {
                const double value = step % 50 == 7 ? 100 : 1 + 0.001 * static_cast<double>(step % 3);
                all.push_back({step, value});
                mustDo(session.journal().append(step, MetricEvent{"train", {{"reward", value}}}));
            }
        }
        must(must(Indexer::open(path)).update());
        auto reader = must(ProjectReader::open(path));
        const RunId run = must(reader.runs()).front().id;
        constexpr double weight = 0.96;
        const auto truth = smoothed(all, weight);
        for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{INT64_MIN, INT64_MAX},
                                       {3000, 3400},
                                       {5990, 5999},
                                       {10, 200}}) {
            const auto series = must(reader.series(run, "reward", "train", 40, from, to, weight));
            QVERIFY(!series.average.empty());
            for (const SeriesPoint& point : series.average) {
                QVERIFY(point.step >= from && point.step <= to);
                const double expected = truth[static_cast<std::size_t>(point.step)].value;
                QVERIFY2(std::abs(point.value - expected) < 1e-3,
                         qPrintable(QStringLiteral("step %1: %2 instead of %3")
                                        .arg(point.step)
                                        .arg(point.value)
                                        .arg(expected)));
            }
            QCOMPARE(series.total, std::min(to, steps - 1) - std::max<std::int64_t>(from, 0) + 1);
            QCOMPARE(series.times.size(), series.points.size());
        }
        QVERIFY(must(reader.series(run, "reward", "train", 40)).average.empty());
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
        QCOMPARE(must(reader.runByName("0002-rl")).status, RunStatus::Lost);
    }
};

QTEST_APPLESS_MAIN(TestCurves)
#include "tst_curves.moc"
