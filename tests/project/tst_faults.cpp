// SPDX-License-Identifier: Apache-2.0
// Something goes wrong before each single file operation of a run's life in turn, from its creation to its
// end: the next start goes on, and the run says the same as an undisturbed one. Each operation always meets
// one of the kinds, by lot; SPARSERL_TEST_SHARE=1 makes it meet all of them.
#include "lives.h"

#include "project/files/unlisted.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <array>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace fixture;
namespace fs = std::filesystem;

class TestFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyOperation_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::newRow("killed before it") << m_kinds[0];
        QTest::newRow("torn in the middle of it") << m_kinds[1];
        QTest::newRow("disk full from it on") << m_kinds[2];
        QTest::newRow("input/output error") << m_kinds[3];
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
            if (!meets(operations, kind)) // What comes after the last one says that it was the last.
                continue;
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

    void everyOperationOfAnImport_data() { everyOperation_data(); }

    /// The next import ends what was begun: one entry, one file, and nothing in matrices/ that nobody knows
    /// of.
    void everyOperationOfAnImport()
    {
        QFETCH(QByteArray, kind);
        const bool inMemory = ::access("/dev/shm", W_OK) == 0;
        const auto dir = must(TempDir::create("faults", inMemory ? "/dev/shm" : ""));
        const fs::path file = dir.path() / "m.mtx", mark = dir.path() / "mark";
        const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1.5\n";
        mustDo(writeFileAtomic(file, text));
        int operations = 0, left = 0;
        for (bool reached = true; reached; ++operations) {
            const fs::path root = dir.path() / "p";
            must(Project::create(root, "p"));
            const auto import = [&](std::vector<std::pair<std::string, std::string>> environment) {
                SpawnOptions options;
                options.argv = {SPARSERL_CRASHER, "import", root.string(), file.string()};
                options.extraEnvironment = std::move(environment);
                return must(runToEnd(std::move(options), {}, 60));
            };
            import({{"LD_PRELOAD", SPARSERL_FAULTS},
                    {"SPARSERL_FAULT_ROOT", root.string()},
                    {"SPARSERL_FAULT_KIND", kind.toStdString()},
                    {"SPARSERL_FAULT_AT", std::to_string(operations + 1)},
                    { "SPARSERL_FAULT_MARK",
                      mark.string() }});
            reached = fs::exists(mark);
            const std::string where = fmt::format("operation {}", operations + 1);
            const auto before = must(Project::open(root));
            left += unlistedFiles(root, before.matrices()).empty() ? 0 : 1;
            if (before.matrices().empty() &&
                (kind == "full" || kind == "eio")) // was refused: room for others
                QVERIFY2(namesIn(root / "cache").empty(), where.c_str());
            const auto again = import({});
            QVERIFY2(again.status.ok() || before.matrices().size() == 1, (where + again.error).c_str());
            const auto after = must(Project::open(root));
            QCOMPARE(after.matrices().size(), std::size_t(1));
            QVERIFY2(unlistedFiles(root, after.matrices()).empty(), where.c_str());
            QCOMPARE(must(readFile(root / after.matrices().front().file)), text);
            for (const std::string& name : namesIn(root / "matrices"))
                QVERIFY2(name == "m.mtx" || name.find(".tmp-") != std::string::npos, (where + name).c_str());
            fs::remove_all(root);
            fs::remove(mark);
        }
        qInfo("%d operations, %d of them leave a file that is not listed", operations - 1, left);
        QVERIFY(operations > 5);
        QVERIFY(kind != "kill" || left > 0);
    }

private:
    /// Whether an operation is to meet this kind.
    bool meets(int operation, const QByteArray& kind) const
    {
        std::vector<std::pair<std::string, std::string>> ways;
        for (const QByteArray& one : m_kinds)
            ways.emplace_back("", std::to_string(operation) + one.toStdString());
        return m_share.everything() ||
               m_share.oneOfEach(ways).contains(std::to_string(operation) + kind.toStdString());
    }

    const std::array<QByteArray, 4> m_kinds{"kill", "torn", "full", "eio"};
    const sparserl::test::DrawnShare m_share{4};
};

QTEST_GUILESS_MAIN(TestFaults)
#include "tst_faults.moc"
