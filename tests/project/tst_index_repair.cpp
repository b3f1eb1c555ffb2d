// SPDX-License-Identifier: Apache-2.0
// The index after damage: found, moved aside, rebuilt, also while others read it.
#include "fixture.h"
#include "index_sql.h"

#include "base/time.h"
#include "project/files/index_file.h"
#include "tests/patience.h"

#include <QTest>
#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

class TestIndexRepair : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        m_project = m_dir->path() / "p";
        must(Project::create(m_project, "test"));
    }
    void cleanup() { m_dir.reset(); }

    void damagedIndexIsMovedAsideAndRebuilt()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 1, 3);
        }
        must(must(Indexer::open(m_project)).update());
        const std::string sound = must(dumpIndex(m_project));
        mustDo(writeFileAtomic(m_project / "project.sqlite",
                               "this is not a database, " + std::string(5000, 'x')));
        auto reader = ProjectReader::open(m_project);
        QVERIFY(!reader);
        QVERIFY(reader.error().sentence().find("reindex") != std::string::npos);
        auto indexer = must(Indexer::open(m_project));
        QVERIFY(indexer.wasRebuilt());
        QVERIFY(fs::exists(m_project / "project.sqlite.broken-1"));
        must(indexer.update());
        QVERIFY(must(dumpIndex(m_project)) == sound);
    }

    /// A number that no program can have: lists take no memory by it, and ask for a new index.
    void impossibleNumbersOfProgramsAreDamage_data()
    {
        QTest::addColumn<QString>("change");
        QTest::newRow("of a sample, huge") << "UPDATE sample SET program_number=1<<60 WHERE seq>3";
        QTest::newRow("of a sample, large") << "UPDATE sample SET program_number=3000000000 WHERE seq>3";
        QTest::newRow("of a sample, negative") << "UPDATE sample SET program_number=-1 WHERE seq>3";
        QTest::newRow("of a program") << "UPDATE program_number SET number=1<<60 WHERE number=2";
    }
    void impossibleNumbersOfProgramsAreDamage()
    {
        QFETCH(QString, change);
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 1, 8);
        }
        must(must(Indexer::open(m_project)).update());
        executeSql(m_project / "project.sqlite", change.toStdString());
        CandidateFilter filter;
        filter.distinctPrograms = true;
        {
            auto reader = must(ProjectReader::open(m_project));
            QVERIFY(!reader.candidateOrder(filter, CandidateSort::Time, true));
            QVERIFY(!reader.facets(filter));
        }
        must(must(Indexer::open(m_project)).update());
        auto reader = must(ProjectReader::open(m_project));
        QVERIFY(!must(reader.candidateOrder(filter, CandidateSort::Time, true)).empty());
        QVERIFY(must(reader.facets(filter)).total > 0);
    }

    void pageDamageIsFoundAfterACrash()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            for (int step = 0; step < 20; ++step)
                writeStep(session.journal(), step, 1, 8);
        }
        must(must(Indexer::open(m_project)).update());
        const std::string sound = must(dumpIndex(m_project));
        const fs::path file = m_project / "project.sqlite";
        executeSql(file, "UPDATE meta SET value='1' WHERE key='open'"); // as a killed writer leaves it
        {
            std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
            const auto pages = fs::file_size(file) / 4096;
            for (std::uintmax_t page = 5; page < pages; ++page) {
                bytes.seekp(static_cast<std::streamoff>(page * 4096));
                bytes << std::string(64, '\xee');
            }
        }
        auto indexer = must(Indexer::open(m_project));
        QVERIFY(indexer.wasRebuilt());
        must(indexer.update());
        QVERIFY(must(dumpIndex(m_project)) == sound);
    }

    void damageOfEveryPageIsRebuilt_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("bytes flipped") << 0;
        QTest::newRow("zeros") << 1;
        QTest::newRow("random bytes") << 2;
        QTest::newRow("cut here") << 3;
        QTest::newRow("another page instead") << 4;
    }

    /// Whatever befalls a page: reindex gives the sound index again, and one who has it open goes on.
    void damageOfEveryPageIsRebuilt()
    {
        QFETCH(int, kind);
        const bool inMemory = ::access("/dev/shm", W_OK) == 0;
        const auto dir = must(TempDir::create("index", inMemory ? "/dev/shm" : ""));
        const fs::path project = dir.path() / "p", file = project / "project.sqlite";
        must(Project::create(project, "test"));
        auto run = must(RunDirectory::create(project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            for (int step = 0; step < 4; ++step)
                writeStep(session.journal(), step, 1, 4);
        }
        must(must(Indexer::open(project)).update());
        const std::string sound = must(dumpIndex(project)), bytes = must(readFile(file));
        const std::size_t pages = bytes.size() / 4096;
        QVERIFY(pages > 20);
        Rng rng(static_cast<std::uint64_t>(kind));
        for (std::size_t page = 0; page < pages; ++page) {
            std::string damaged = bytes;
            const auto begin = damaged.begin() + static_cast<std::ptrdiff_t>(page * 4096);
            if (kind == 0)
                for (int i = 0; i < 60; ++i)
                    begin[static_cast<std::ptrdiff_t>(rng.below(4096))] ^=
                        static_cast<char>(1 + rng.below(255));
            else if (kind == 1)
                std::fill_n(begin, 4096, '\0');
            else if (kind == 2)
                std::generate_n(begin, 4096, [&] { return static_cast<char>(rng.below(256)); });
            else if (kind == 3)
                damaged.resize(page * 4096 + rng.below(4096));
            else
                std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>((page + 7) % pages * 4096), 4096,
                            begin);
            mustDo(writeFileAtomic(file, damaged));
            {
                // A window: the damage may show or not; what does is mended, and nothing fails.
                auto window = Indexer::open(project);
                QVERIFY2(window.has_value(), window ? "" : window.error().sentence().c_str());
                must(window->update());
                must(RunDirectory::create(project / "runs/other", config("rl")));
                must(window->update());
                fs::remove_all(project / "runs/other");
                const auto last = window->update();
                QVERIFY2(last.has_value(), last ? "" : last.error().sentence().c_str());
            }
            mustDo(writeFileAtomic(file, damaged));
            std::string integrity;
            const auto update = must(Indexer::reindex(project, {}, {}, &integrity));
            QVERIFY(update.rebuilt && integrity == "ok");
            QVERIFY2(must(dumpIndex(project)) == sound, std::to_string(page).c_str());
        }
    }

    void anIndexThatIsPulledAwayComesBack_data()
    {
        QTest::addColumn<int>("how");
        QTest::newRow("deleted") << 0;
        QTest::newRow("deleted with its companions") << 1;
        QTest::newRow("replaced by garbage") << 2;
        QTest::newRow("replaced by an old copy") << 3;
        QTest::newRow("replaced by a folder") << 4;
        QTest::newRow("emptied in place") << 5;
    }

    void anIndexThatIsPulledAwayComesBack()
    {
        QFETCH(int, how);
        const fs::path file = m_project / "project.sqlite", copy = m_project / "copy";
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        executeSql(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        fs::copy_file(file, copy);
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 1, 3);
        }
        must(indexer.update());
        const std::string sound = must(dumpIndex(m_project));
        auto reader = must(ProjectReader::open(m_project));
        const auto version = must(reader.dataVersion());
        if (how != 5)
            fs::remove(file);
        if (how == 1) {
            fs::remove(file.string() + "-wal");
            fs::remove(file.string() + "-shm");
        } else if (how == 2) {
            mustDo(writeFileAtomic(file, std::string(9000, 'x')));
        } else if (how == 3) {
            fs::rename(copy, file);
        } else if (how == 4) {
            fs::create_directory(file);
        } else if (how == 5) {
            fs::resize_file(file, 0);
        }
        must(RunDirectory::create(m_project / "runs/more", config("rl")));
        auto update = indexer.update();
        QVERIFY2(update.has_value(), update ? "" : update.error().sentence().c_str());
        QVERIFY(update->rebuilt || how == 5); // SQLite itself may mend that from its log
        // Who read the old one reads the new one.
        const auto runs = reader.runs();
        QVERIFY2(runs.has_value(), runs ? "" : runs.error().sentence().c_str());
        QCOMPARE(runs->size(), std::size_t{2});
        QVERIFY(must(reader.dataVersion()) > version);
        fs::remove_all(m_project / "runs/more");
        must(indexer.update());
        QVERIFY(must(dumpIndex(m_project)) == sound);
        QVERIFY(isShared(file));
    }

    void anIndexIsSharedWhateverItsReadersDo()
    {
        must(RunDirectory::create(m_project / "runs/r", config("rl")));
        const fs::path file = m_project / "project.sqlite";
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        auto old = std::make_unique<ProjectReader>(must(ProjectReader::open(m_project)));
        for (int round = 0; round < 3; ++round) {
            auto reader = must(ProjectReader::open(m_project));
            QCOMPARE(must(reader.runs()).size(), std::size_t{1});
            if (round == 0)
                must(indexer.rebuild());
            else if (round == 1)
                fs::remove(file);
            else
                fs::rename(file, m_project / "moved");
            must(indexer.update());
            QVERIFY(isShared(file));
            QCOMPARE(must(reader.runs()).size(), std::size_t{1}); // follows: closes the old one
            QVERIFY(isShared(file));
            old.reset();
            QVERIFY(isShared(file));
        }
    }

    /// On a full disk there is no room for a new one; what was asked for is still wanted when there is.
    void aRebuildThatFailedIsTriedAgain()
    {
        must(RunDirectory::create(m_project / "runs/r", config("rl")));
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        const fs::path hindrance = m_project / "project.sqlite.new/here";
        fs::create_directories(hindrance);
        requestRebuild(m_project);
        QVERIFY(!indexer.update());
        QVERIFY(!hasRebuildRequest(m_project));
        must(RunDirectory::create(m_project / "runs/more", config("rl")));
        // Meanwhile the old one is kept. On a busy machine it is time for another try, which fails, too.
        const auto meanwhile = indexer.update();
        QVERIFY(meanwhile ? !meanwhile->rebuilt
                          : meanwhile.error().file.find("project.sqlite.new") != std::string::npos);
        QVERIFY(fs::exists(hindrance));
        fs::remove_all(hindrance.parent_path());
        QVERIFY(test::comesTrue([&] { return must(indexer.update()).rebuilt; }));
        QVERIFY(!must(indexer.update()).rebuilt);
    }

    /// A keeper that builds an index looks for requests when that is done.
    void aKeeperThatBuildsIsWaitedFor()
    {
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        const double seconds = test::patienceSeconds(1);
        Result<bool> answer = false;
        std::thread asking([&] { answer = Indexer::askKeeper(m_project, seconds); });
        const double end = monotonicSeconds() + 3 * seconds;
        for (int i = 0; monotonicSeconds() < end; ++i) {
            tear(m_project / "project.sqlite.new-wal", "x");
            QTest::qSleep(20);
        }
        QVERIFY(must(indexer.update()).rebuilt);
        asking.join();
        QVERIFY(answer && *answer);
    }

    /// Nobody but the keeper may mend the index: a reader that meets damage asks it to, and so may a command.
    void theKeeperBuildsAnewWhenAsked()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            for (int step = 0; step < 20; ++step)
                writeStep(session.journal(), step, 1, 8);
        }
        auto indexer = must(Indexer::open(m_project));
        must(indexer.rebuild());
        const std::string sound = must(dumpIndex(m_project));
        const fs::path file = m_project / "project.sqlite";
        {
            std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
            for (std::uintmax_t page = 2; page < fs::file_size(file) / 4096; ++page) {
                bytes.seekp(static_cast<std::streamoff>(page * 4096));
                bytes << std::string(64, '\xee');
            }
        }
        QVERIFY(!hasRebuildRequest(m_project));
        auto reader = ProjectReader::open(m_project);
        QVERIFY(!reader || !reader->runs());
        QVERIFY(hasRebuildRequest(m_project));
        QVERIFY(must(indexer.update()).rebuilt);
        QVERIFY(!hasRebuildRequest(m_project));
        QVERIFY(must(dumpIndex(m_project)) == sound);
        QVERIFY(!must(indexer.update()).rebuilt);

        Result<bool> answer = false;
        std::thread asking([&] { answer = Indexer::askKeeper(m_project, 20); });
        bool rebuilt = false;
        for (int i = 0; i < 2000 && !rebuilt; ++i) {
            rebuilt = must(indexer.update()).rebuilt;
            QTest::qSleep(5);
        }
        asking.join();
        QVERIFY(rebuilt && answer && *answer);
        QVERIFY(!Indexer::askKeeper(m_project, 0.1)); // it does not look
        QVERIFY(!hasRebuildRequest(m_project));
        {
            const auto gone = std::move(indexer);
        }
        QCOMPARE(must(Indexer::askKeeper(m_project, 1)), false);
        QVERIFY(!hasRebuildRequest(m_project));
    }

    /// Without it the others see something else than the one who keeps it.
    void aLogThatIsPulledAwayIsNoticed()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        {
            auto session = must(run.beginWork());
            for (int step = 0; step < 20; ++step)
                writeStep(session.journal(), step, 1, 8);
        }
        must(indexer.update());
        const std::string sound = must(dumpIndex(m_project));
        fs::remove(m_project / "project.sqlite-wal");
        fs::remove(m_project / "project.sqlite-shm");
        QVERIFY(must(indexer.update()).rebuilt);
        QVERIFY(must(dumpIndex(m_project)) == sound);
        QVERIFY(!must(indexer.update()).rebuilt);
    }

    void aJournalThatGoesWhileItIsReadIsNotWaitedFor_data()
    {
        QTest::addColumn<int>("how");
        QTest::newRow("the run is removed") << 0;
        QTest::newRow("emptied") << 1;
        QTest::newRow("a torn line instead") << 2;
        QTest::newRow("cut in its first line") << 3;
    }

    /// Lists of a journal were read, and its programs are next: the process that keeps the index must come to
    /// an end, else nobody can have it rebuilt.
    void aJournalThatGoesWhileItIsReadIsNotWaitedFor()
    {
        QFETCH(int, how);
        for (const char* name : {"r", "stays"}) {
            auto run = must(RunDirectory::create(m_project / "runs" / name, config("rl")));
            auto session = must(run.beginWork());
            for (int step = 0; step < 20; ++step)
                writeStep(session.journal(), step, 1, 8);
        }
        const fs::path run = m_project / "runs/r", journal = run / "journal.jsonl";
        const std::uintmax_t bytes = fs::file_size(journal);
        auto indexer = must(Indexer::open(m_project));
        const CancelToken cancel; // only where it does not end by itself
        std::atomic<bool> ended = false;
        std::thread watch([&] {
            if (!test::comesTrue([&] { return ended.load(); }))
                cancel.cancel();
        });
        const auto result = indexer.rebuild(cancel, [&](double, std::string_view phase) {
            if (phase != "reading the programs of r")
                return;
            if (how == 0)
                fs::remove_all(run);
            else if (how == 1)
                fs::resize_file(journal, 0);
            else if (how == 2)
                mustDo(writeFileAtomic(journal, std::string(bytes + 100, 'x')));
            else
                fs::resize_file(journal, 20);
        });
        ended = true;
        watch.join();
        QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
        QVERIFY(!cancel.cancelled() && result->rebuilt);
        must(indexer.update());
        const std::string after = must(dumpIndex(m_project));
        must(indexer.rebuild());
        QVERIFY(must(dumpIndex(m_project)) == after);
    }

    void aSwapThatACrashInterruptedIsFinished()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        must(must(Indexer::open(m_project)).update());
        const fs::path file = m_project / "project.sqlite";
        const std::string sound = must(dumpIndex(m_project));
        // Died before the rename: the new one was whole; the old one's log must not get into it.
        fs::copy_file(file, file.string() + ".ready");
        mustDo(writeFileAtomic(file, "old"));
        mustDo(writeFileAtomic(file.string() + "-wal", "of the old one"));
        mustDo(writeFileAtomic(file.string() + ".new", "half built"));
        auto indexer = must(Indexer::open(m_project));
        QVERIFY(!indexer.wasRebuilt());
        QVERIFY(must(dumpIndex(m_project)) == sound);
        QVERIFY(!fs::exists(file.string() + ".ready") && !fs::exists(file.string() + ".new"));
    }

    void aCancelledReindexChangesNothing()
    {
        must(RunDirectory::create(m_project / "runs/r", config("rl")));
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        const std::string sound = must(dumpIndex(m_project));
        const CancelToken cancel;
        cancel.cancel();
        QVERIFY(!must(indexer.rebuild(cancel)).rebuilt);
        QVERIFY(must(dumpIndex(m_project)) == sound);
        QVERIFY(!fs::exists(m_project / "project.sqlite.new"));
    }

private:
    /// Memory that SQLite's users share is cleared by the first of them, and pages that are mapped elsewhere
    /// go with it: nobody else may take itself for the first, whatever was opened and closed here meanwhile.
    static bool isShared(const fs::path& file)
    {
        const pid_t child = ::fork(); // a handle that is closed in this process would take the locks with it
        if (child == 0) {
            constexpr off_t deadManSwitch = 128; // of SQLite's file format, UNIX_SHM_DMS
            struct flock lock
            {
            };
            lock.l_type = F_WRLCK;
            lock.l_whence = SEEK_SET;
            lock.l_start = deadManSwitch;
            lock.l_len = 1;
            const int fd = ::open((file.string() + "-shm").c_str(), O_RDWR | O_CLOEXEC);
            ::_exit(fd >= 0 && ::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
        }
        int status = 1;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        return child > 0 && status == 0;
    }

    std::unique_ptr<TempDir> m_dir;
    fs::path m_project;
};

QTEST_GUILESS_MAIN(TestIndexRepair)
#include "tst_index_repair.moc"
