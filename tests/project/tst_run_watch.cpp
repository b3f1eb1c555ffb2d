// SPDX-License-Identifier: Apache-2.0
// Which runs the index looks at, and that nothing is passed over for long.
#include "fixture.h"

#include "project/index/run_watch.h"

#include <QTest>
#include <fstream>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

void makeOld(const fs::path& run)
{
    for (const fs::path& path : {run / "journal.jsonl", run})
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(10));
}

void append(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::app) << text;
}

} // namespace

class TestRunWatch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        m_run = m_dir->path() / "r";
        fs::create_directories(m_run);
        append(m_run / "journal.jsonl", "{}\n");
    }
    void cleanup() { m_dir.reset(); }

    void freshStampsAreNotTrusted()
    {
        RunWatch watch;
        watch.begin(true);
        QVERIFY(watch.mayHaveNews(m_run)); // never read
        watch.wasRead(m_run, false);
        // What is written within the same tick of the clock would have the same time.
        QVERIFY(watch.mayHaveNews(m_run));
        makeOld(m_run);
        QVERIFY(watch.mayHaveNews(m_run));
        watch.wasRead(m_run, false);
        QVERIFY(!watch.mayHaveNews(m_run));
    }

    void everyChangeIsSeen()
    {
        RunWatch watch;
        watch.begin(true);
        const auto settle = [&] {
            makeOld(m_run);
            if (watch.mayHaveNews(m_run))
                watch.wasRead(m_run, false);
            return !watch.mayHaveNews(m_run);
        };
        QVERIFY(settle());
        append(m_run / "journal.jsonl", "{}\n");
        makeOld(m_run); // the length alone tells
        QVERIFY(watch.mayHaveNews(m_run));
        QVERIFY(settle());
        append(m_run / "new", "1");
        fs::rename(m_run / "new", m_run / "generation.json"); // as a resume does
        QVERIFY(watch.mayHaveNews(m_run));
        QVERIFY(settle());
        fs::remove(m_run / "journal.jsonl");
        QVERIFY(watch.mayHaveNews(m_run));
        watch.forget();
        QVERIFY(watch.mayHaveNews(m_run));
    }

    void silentRunsArePassedOver()
    {
        const auto start = RunWatch::Clock::now();
        RunWatch watch;
        watch.begin(true, start);
        makeOld(m_run);
        QVERIFY(watch.mayHaveNews(m_run));
        watch.wasRead(m_run, true);
        watch.begin(false, start + std::chrono::seconds(1));
        QVERIFY(watch.mayHaveNews(m_run)); // something was read: look once more
        watch.wasRead(m_run, false);
        append(m_run / "journal.jsonl", "{}\n");
        QVERIFY(watch.mayHaveNews(m_run)); // not silent for half a minute yet
        watch.begin(false, start + std::chrono::seconds(40));
        QVERIFY(!watch.mayHaveNews(m_run));
        watch.begin(true, start + std::chrono::seconds(40));
        QVERIFY(watch.mayHaveNews(m_run));
    }

    /// As a window does: whatever happens to a project is in the index eight glances later at most.
    void glancesMissNothing()
    {
        const fs::path project = m_dir->path() / "p";
        must(Project::create(project, "test"));
        std::vector<RunDirectory> runs;
        for (int i = 0; i < 3; ++i)
            runs.push_back(must(RunDirectory::create(project / "runs" / std::to_string(i), config("sft"))));
        auto indexer = must(Indexer::open(project));
        QCOMPARE(must(indexer.glance()).changedRuns, std::int64_t(3)); // new ones at once
        for (const auto& run : runs)
            append(run.path() / "journal.jsonl", "");
        for (int i = 0; i < 10; ++i) {
            for (const auto& run : runs)
                makeOld(run.path());
            must(indexer.glance());
        }
        const auto within = [&](const auto& happened) {
            for (int i = 0; i < 8; ++i) {
                if (happened(must(indexer.glance())))
                    return true;
            }
            return false;
        };
        {
            auto session = must(runs[1].beginWork());
            mustDo(session.journal().append(1, MetricEvent{"train", {{"loss", 1.5}}}));
            mustDo(session.journal().flush());
            QVERIFY(within([](const IndexUpdate& u) { return u.entries > 0 && u.changed.front() == "1"; }));
        }
        fs::remove_all(runs[2].path());
        const auto update = must(indexer.glance()); // the folder of the runs tells at once
        QCOMPARE(update.runs, std::int64_t(2));
        QVERIFY(update.changed == std::vector<std::string>{"2"});
        // And a complete look after all of that finds nothing that glances had left.
        QCOMPARE(must(indexer.update()).entries, std::int64_t(0));
        const auto before = must(dumpIndex(project));
        must(indexer.rebuild());
        QCOMPARE(must(dumpIndex(project)), before);
    }

private:
    std::unique_ptr<TempDir> m_dir;
    fs::path m_run;
};

QTEST_GUILESS_MAIN(TestRunWatch)
#include "tst_run_watch.moc"
