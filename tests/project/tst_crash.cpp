// SPDX-License-Identifier: Apache-2.0
// kill -9 at random moments: of a worker in the middle of its journal, and of the indexer.
#include "lives.h"

#include "project/run/generation.h"
#include "tests/patience.h"

#include <QTest>
#include <chrono>
#include <csignal>
#include <thread>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

Subprocess start(const std::vector<std::string>& arguments)
{
    SpawnOptions options;
    options.argv = {SPARSERL_CRASHER};
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    return must(spawn(options));
}

constexpr int kills = 20;
constexpr const char* steps = "200";

} // namespace

class TestCrash : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Each gets numbers of its own.
    void eightMakeRunsAtOnce()
    {
        const auto dir = must(TempDir::create());
        must(Project::create(dir.path() / "p", "test"));
        std::vector<Subprocess> all;
        for (int i = 0; i < 8; ++i) {
            SpawnOptions options;
            options.argv = {SPARSERL_CRASHER, "make", (dir.path() / "p").string()};
            all.push_back(must(spawn(options)));
        }
        for (Subprocess& one : all) {
            const auto status = one.wait(test::patienceSeconds());
            QVERIFY(status && status->ok());
        }
        const auto runs = must(Project::open(dir.path() / "p")).runDirectories();
        QCOMPARE(runs.size(), std::size_t{40});
        QCOMPARE(runs.back().filename().string(), std::string("0040-rl"));
        QCOMPARE(must(listDirectory(dir.path() / "p/runs")).size(), std::size_t{40}); // nothing half-made
    }

    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        m_project = m_dir->path() / "p";
        must(Project::create(m_project));
    }
    void cleanup() { m_dir.reset(); }

    void killedWorkerLosesAndDoublesNothing()
    {
        // What an undisturbed worker writes.
        auto calm = must(RunDirectory::create(m_project / "runs/calm", config("rl")));
        const auto begin = std::chrono::steady_clock::now();
        QVERIFY(start({"work", calm.path().string(), steps}).wait(test::patienceSeconds())->ok());
        const double calmSeconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

        auto indexer = must(Indexer::open(m_project));
        Rng rng(20240611);
        int killed = 0;
        // Another run each time one came to its end before the last kill.
        for (int number = 1; killed < kills; ++number) {
            auto run =
                must(RunDirectory::create(m_project / fmt::format("runs/killed-{}", number), config("rl")));
            bool done = false;
            while (!done) {
                Subprocess worker = start({"work", run.path().string(), steps});
                if (killed < kills) {
                    // Some die at once, some far in, so that all of the work is covered.
                    std::this_thread::sleep_for(
                        std::chrono::duration<double>(rng.uniform() * calmSeconds / 5));
                    if (!worker.poll()) {
                        worker.killGroup(SIGKILL);
                        ++killed;
                    }
                }
                const auto ended = worker.wait(test::patienceSeconds());
                QVERIFY(ended && (ended->ok() || ended->signalled));
                done = ended->ok();
                // The index follows at any state that a kill leaves behind.
                must(indexer.update());
            }
            qInfo("%d kills, generation %d", killed, readGeneration(run.path()));
            const auto entries = must(readWholeJournal(run.path()));
            for (std::size_t i = 0; i < entries.size(); ++i)
                QCOMPARE(entries[i].seq, static_cast<std::int64_t>(i));
            QVERIFY(contentOf(run.path()) == contentOf(calm.path()));
            // Checkpoints hold what belongs to their step.
            QVERIFY(!run.checkpoints().empty());
            for (const auto& info : run.checkpoints())
                QCOMPARE(must(readFile(info.path / "weights")), std::to_string(info.step));
        }

        const auto update = must(indexer.update());
        QVERIFY(update.problems.empty());
        const std::string dump = must(dumpIndex(m_project));
        must(indexer.rebuild());
        QVERIFY(must(dumpIndex(m_project)) == dump);
        QCOMPARE(must(indexer.integrityCheck()), std::string("ok"));
    }

    void killedIndexerLeavesASoundIndex()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        QVERIFY(start({"work", run.path().string(), "60"}).wait(test::patienceSeconds())->ok());
        must(must(Indexer::open(m_project)).update());
        const std::string sound = must(dumpIndex(m_project));
        Rng rng(7);
        for (int i = 0; i < kills; ++i) {
            Subprocess indexer = start({"index", m_project.string()});
            std::this_thread::sleep_for(std::chrono::duration<double>(rng.uniform() * 0.15));
            QVERIFY(!indexer.poll());
            indexer.killGroup(SIGKILL);
            QVERIFY(indexer.wait(test::patienceSeconds()).has_value());
        }
        auto indexer = must(Indexer::open(m_project));
        QVERIFY(!indexer.wasRebuilt()); // WAL recovery was enough
        must(indexer.update());
        QCOMPARE(must(indexer.integrityCheck()), std::string("ok"));
        QVERIFY(must(dumpIndex(m_project)) == sound);
    }

private:
    std::unique_ptr<TempDir> m_dir;
    fs::path m_project;
};

QTEST_GUILESS_MAIN(TestCrash)
#include "tst_crash.moc"
