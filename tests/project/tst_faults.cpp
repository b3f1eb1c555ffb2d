// SPDX-License-Identifier: Apache-2.0
// Something goes wrong before each single file operation of a run's life in turn, from its creation to its
// end: the next start goes on, and the run says the same as an undisturbed one.
#include "lives.h"

#include <QTest>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

class TestFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyOperation_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::newRow("killed before it") << QByteArray("kill");
        QTest::newRow("torn in the middle of it") << QByteArray("torn");
        QTest::newRow("disk full from it on") << QByteArray("full");
        QTest::newRow("input/output error") << QByteArray("eio");
    }

    void everyOperation()
    {
        QFETCH(QByteArray, kind);
        const bool inMemory = ::access("/dev/shm", W_OK) == 0;
        const auto dir = must(TempDir::create("faults", inMemory ? "/dev/shm" : ""));
        QVERIFY(live(dir.path() / "calm/runs/r", {}).status.ok());
        const auto calm = contentOf(dir.path() / "calm/runs/r");
        QVERIFY(calm.size() > 15);

        int operations = 0;
        for (bool reached = true; reached; ++operations) {
            const fs::path root = dir.path() / "p", run = root / "runs/r", mark = dir.path() / "mark";
            live(run, {{"LD_PRELOAD", SPARSERL_FAULTS},
                       {"SPARSERL_FAULT_ROOT", root.string()},
                       {"SPARSERL_FAULT_KIND", kind.toStdString()},
                       {"SPARSERL_FAULT_AT", std::to_string(operations + 1)},
                       {"SPARSERL_FAULT_MARK", mark.string()}});
            reached = fs::exists(mark);
            const std::string where = fmt::format("operation {}", operations + 1);
            // Nothing that is not a whole run is taken for one.
            std::error_code code;
            if (fs::exists(run / "run.toml", code))
                QVERIFY2(RunDirectory::open(run).has_value(), where.c_str());
            const auto again = live(run, {});
            QVERIFY2(again.status.ok(), (where + ": " + again.error).c_str());
            QVERIFY2(contentOf(run) == calm, where.c_str());
            QVERIFY2(namesIn(root / "runs") == std::set<std::string>{"r"}, where.c_str());
            // A pruning that was disturbed leaves an older one at most.
            const auto checkpoints = must(RunDirectory::open(run)).checkpoints();
            QVERIFY2(!checkpoints.empty() && checkpoints.back().step == 6, where.c_str());
            for (const auto& info : checkpoints)
                QCOMPARE(must(readFile(info.path / "weights")), std::to_string(info.step));
            QVERIFY2(!fs::exists(run / "checkpoints.set-aside"), where.c_str());
            must(must(RunDirectory::open(run)).beginWork());
            for (const auto& name : namesIn(run / "checkpoints"))
                QVERIFY2(name.starts_with("step-"), (where + ": " + name).c_str());
            fs::remove_all(root);
            fs::remove(mark);
        }
        qInfo("%d operations", operations - 1);
        QVERIFY(operations > 50);
    }
};

QTEST_GUILESS_MAIN(TestFaults)
#include "tst_faults.moc"
