// SPDX-License-Identifier: Apache-2.0
// Where the time of a run went.
#include "project/files/project.h"
#include "project/index/index.h"
#include "project/queries/run_cost.h"
#include "project/run/journal.h"
#include "project/run/run_directory.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

using namespace sparserl;

class TestRunCost : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addsUp()
    {
        QTemporaryDir directory;
        const auto path = std::filesystem::path(directory.path().toStdString()) / "project";
        auto project = Project::create(path, "cost");
        QVERIFY(project);
        const auto make = [&](const std::string& name, const std::string& stage, auto&& write) {
            RunConfig config;
            config.stage = stage;
            auto run = RunDirectory::create(path / "runs" / name, config);
            QVERIFY(run);
            auto session = run->beginWork();
            QVERIFY(session);
            write(session->journal());
            QVERIFY(session->journal().flush());
        };
        using Metrics = std::map<std::string, double>;
        make("0001-rl", "rl", [](JournalWriter& journal) {
            for (int step = 1; step <= 3; ++step)
                QVERIFY(journal.append(step, MetricEvent{"train",
                                                         {{"timing_s/step", 10.0},
                                                          {"timing_s/gen", 4.0},
                                                          {"timing_s/judge", 3.0},
                                                          {"timing_s/update_actor", 2.0}}}));
            QVERIFY(journal.append(
                3, MetricEvent{"held-out", {{"timing_s/testing", 6.0}, {"timing_s/gen", 5.0}}}));
        });
        make("0002-sft", "sft", [](JournalWriter& journal) {
            for (int step = 1; step <= 4; ++step)
                QVERIFY(journal.append(
                    step, MetricEvent{"train", {{"timing_s/step", step == 2 ? std::nan("") : 0.5}}}));
        });
        make("0003-rl", "rl", [](JournalWriter&) {});
        auto indexer = Indexer::open(path);
        QVERIFY(indexer && indexer->update());
        auto reader = ProjectReader::open(path);
        QVERIFY(reader);
        const auto costOf = [&](const std::string& name) {
            return *readRunCost(*reader, reader->runByName(name)->id);
        };
        const RunCost rl = costOf("0001-rl");
        QCOMPARE(rl.steps, std::int64_t{3});
        QCOMPARE(rl.seconds, 36.0);
        Metrics parts;
        for (const RunCost::Part& part : rl.parts)
            parts[part.metric] = part.seconds;
        QCOMPARE(parts, (Metrics{{"timing_s/gen", 12.0},
                                 {"timing_s/judge", 9.0},
                                 {"timing_s/update_actor", 6.0},
                                 {"", 3.0},
                                 {"timing_s/testing", 6.0}}));
        const RunCost sft = costOf("0002-sft");
        QCOMPARE(sft.seconds, 1.5); // what is no number took no time that is known
        QCOMPARE(sft.parts.size(), std::size_t{1});
        const RunCost nothing = costOf("0003-rl");
        QCOMPARE(nothing.steps, std::int64_t{0});
        QVERIFY(nothing.parts.empty());
    }
};

QTEST_APPLESS_MAIN(TestRunCost)
#include "tst_run_cost.moc"
