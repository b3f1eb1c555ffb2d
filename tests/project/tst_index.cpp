// SPDX-License-Identifier: Apache-2.0
// The index: incremental equals rebuilt, resumes are followed, migrations, damage, locks.
#include "fixture.h"

#include "base/json.h"
#include "base/subprocess.h"
#include "project/index_file.h"

#include <QTest>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

void executeSql(const fs::path& file, const std::string& text)
{
    sqlite3* db = nullptr;
    if (sqlite3_open(file.c_str(), &db) != SQLITE_OK)
        qFatal("cannot open");
    char* message = nullptr;
    if (sqlite3_exec(db, text.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
        qFatal("%s", message);
    sqlite3_close(db);
}

std::int64_t askSql(const fs::path& file, const std::string& query)
{
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_open(file.c_str(), &db) != SQLITE_OK ||
        sqlite3_prepare_v2(db, query.c_str(), -1, &statement, nullptr) != SQLITE_OK)
        qFatal("%s", sqlite3_errmsg(db));
    const std::int64_t value =
        sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

} // namespace

class TestIndex : public QObject
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

    void incrementalEqualsRebuilt()
    {
        auto a = must(RunDirectory::create(m_project / "runs/0001-sft", config("sft", "first")));
        auto b = must(RunDirectory::create(m_project / "runs/0002-rl", config("rl")));
        auto indexer = must(Indexer::open(m_project));
        {
            auto sa = must(a.beginWork());
            auto sb = must(b.beginWork());
            for (int step = 0; step < 30; ++step) {
                writeStep(sa.journal(), step, 1, 4);
                writeStep(sb.journal(), step, 2, 3);
                if (step % 10 == 9)
                    writeCheckpoint(b, sb.journal(), step + 1);
                if (step % 4 == 0) {
                    mustDo(sa.journal().flush());
                    must(indexer.update());
                }
            }
            mustDo(sa.journal().append(30, StateEvent{RunState::Done, {}, 30}));
            mustDo(sb.journal().append(29, ControlEvent{"c1", "set", "lr", "0.1", "applied", "", 29}));
            mustDo(sb.journal().append(29, EvaluationEvent{"sft",
                                                           {.digest = "m0", .name = "name"},
                                                           "held-out",
                                                           5,
                                                           16,
                                                           10,
                                                           8,
                                                           2,
                                                           1,
                                                           2,
                                                           "",
                                                           {"S1"},
                                                           {{"S1", 8}},
                                                           "S1",
                                                           0.5}));
            mustDo(sb.journal().append(29, LogEvent{"info", "hello"}));
        }
        must(addAnnotation(m_project,
                           {"", 0, Annotation::Target::Run, "0001-sft", Annotation::Field::Tag, "good"}));
        must(addAnnotation(m_project,
                           {"", 0, Annotation::Target::Run, "0001-sft", Annotation::Field::Shown, "1"}));
        const auto colour = [&](const std::string& value) {
            return must(addAnnotation(
                m_project, {"", 0, Annotation::Target::Run, "0001-sft", Annotation::Field::Colour, value}));
        };
        colour("7");
        const std::string last = colour("blue"); // no number: none was chosen
        must(indexer.update());
        const auto notesOf = [&] {
            return must(must(ProjectReader::open(m_project)).runByName("0001-sft")).notes;
        };
        QVERIFY(notesOf().shown);
        QCOMPARE(notesOf().colour, -1);
        mustDo(undoAnnotation(m_project, last));
        must(indexer.update());
        QCOMPARE(notesOf().colour, 7);
        const std::string incremental = must(dumpIndex(m_project));
        QVERIFY(incremental.size() > 10000);
        for (const char* table : {"run|", "metric|", "metric_latest|", "program|", "sample|", "verdict|",
                                  "evaluation|", "checkpoint|", "control|", "annotation|", "log|"})
            QVERIFY2(incremental.find(table) != std::string::npos, table);
        QVERIFY(!must(indexer.update()).anything());
        must(indexer.rebuild());
        QVERIFY(must(dumpIndex(m_project)) == incremental);
        QCOMPARE(must(indexer.integrityCheck()), std::string("ok"));

        // Resumed: step 30 of run b was checkpointed, what came after is discarded and written again
        // differently.
        {
            auto sb = must(b.beginWork());
            QCOMPARE(sb.generation(), 1);
            writeStep(sb.journal(), 30, 77, 5);
        }
        const auto update = must(indexer.update());
        QCOMPARE(update.changed, std::vector<std::string>{"0002-rl"});
        const std::string resumed = must(dumpIndex(m_project));
        QVERIFY(resumed != incremental);
        QVERIFY(resumed.find("log|") == std::string::npos); // the discarded log line went
        must(indexer.rebuild());
        QVERIFY(must(dumpIndex(m_project)) == resumed);
    }

    /// A journal beyond every chunk and batch, read in pieces between interruptions, and at once.
    void longJournalsAreReadWhole()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        constexpr std::int64_t steps = 12000;
        {
            auto session = must(run.beginWork());
            Rng rng(9);
            for (std::int64_t step = 0; step < steps; ++step) {
                mustDo(session.journal().append(
                    step, MetricEvent{"train", {{"loss", rng.normal()}, {"reward", rng.normal()}}}));
                mustDo(session.journal().append(step, LogEvent{"info", std::string(1500, 'x')}));
            }
        }
        const std::string text = must(readFile(run.path() / "journal.jsonl"));
        QVERIFY(text.size() > (16u << 20));
        const auto lines = static_cast<std::int64_t>(std::count(text.begin(), text.end(), '\n'));

        auto indexer = must(Indexer::open(m_project));
        std::int64_t entries = 0;
        int interruptions = 0;
        for (bool done = false; !done;) {
            const CancelToken cancel;
            std::thread impatient([&cancel] {
                std::this_thread::sleep_for(std::chrono::milliseconds(60));
                cancel.cancel();
            });
            const auto update = indexer.update(cancel);
            done = !cancel.cancelled();
            impatient.join();
            entries += must(update).entries;
            interruptions += done ? 0 : 1;
        }
        entries += must(indexer.update()).entries;
        qInfo("%d interruptions", interruptions);
        QCOMPARE(entries, lines);
        const fs::path file = m_project / "project.sqlite";
        QCOMPARE(askSql(file, "SELECT COUNT(*) FROM metric"), 2 * steps);
        QCOMPARE(askSql(file, "SELECT COUNT(*) FROM log"), steps);
        QCOMPARE(askSql(file, "SELECT position FROM run"), static_cast<std::int64_t>(text.size()));
        const std::string dump = must(dumpIndex(m_project));
        QCOMPARE(must(indexer.rebuild()).entries, lines);
        QVERIFY(must(dumpIndex(m_project)) == dump);
        QCOMPARE(must(indexer.rebuild()).entries, lines);
    }

    void journalCountsEqualTableCounts()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            for (int step = 0; step < 25; ++step)
                writeStep(session.journal(), step, 5, 6);
        }
        std::int64_t samples = 0, values = 0;
        for (const auto& entry : must(readWholeJournal(run.path()))) {
            samples += std::holds_alternative<SampleEvent>(entry.event) ? 1 : 0;
            if (const auto* metric = std::get_if<MetricEvent>(&entry.event))
                values += static_cast<std::int64_t>(metric->values.size());
        }
        must(must(Indexer::open(m_project)).update());
        const fs::path file = m_project / "project.sqlite";
        QCOMPARE(askSql(file, "SELECT COUNT(*) FROM sample"), samples);
        QCOMPARE(askSql(file, "SELECT COUNT(*) FROM metric"), values);
        QCOMPARE(askSql(file, "SELECT SUM(points) FROM metric_latest"), values);
        QCOMPARE(askSql(file, "SELECT samples FROM run"), samples);
        // NaN is NULL in the table, not a missing row.
        QVERIFY(askSql(file, "SELECT COUNT(*) FROM metric WHERE value IS NULL") > 0);
        // A judged program's samples all carry the verdict, whichever entry came first.
        QCOMPARE(askSql(file,
                        "SELECT COUNT(*) FROM sample s JOIN verdict v USING (run, program, target) WHERE "
                        "s.verdict IS NOT v.verdict OR s.speedup <> v.speedup"),
                 std::int64_t{0});
        QCOMPARE(askSql(file, "SELECT COUNT(*) FROM sample WHERE repeated=0"),
                 askSql(file, "SELECT COUNT(*) FROM (SELECT DISTINCT run, program, target FROM sample)"));
    }

    /// A journal that an editor or a copy has damaged: what stands there twice counts once, and the latest
    /// value is that of the last step, whatever the order of lines.
    void linesThatAreThereTwiceCountOnce()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            for (int step = 0; step < 12; ++step)
                writeStep(session.journal(), step, 5, 4);
        }
        const fs::path journal = run.path() / "journal.jsonl";
        const fs::path file = m_project / "project.sqlite";
        const auto ask = [&] {
            must(must(Indexer::open(m_project)).rebuild());
            std::vector<std::int64_t> values;
            for (const char* query :
                 {"SELECT COUNT(*) FROM sample", "SELECT samples FROM run", "SELECT COUNT(*) FROM metric",
                  "SELECT SUM(points) FROM metric_latest", "SELECT SUM(step) FROM metric_latest",
                  "SELECT CAST(1e9 * SUM(value) AS INTEGER) FROM metric_latest",
                  "SELECT COUNT(*) FROM sample WHERE repeated=0"})
                values.push_back(askSql(file, query));
            return values;
        };
        const auto sound = ask();
        const std::string text = must(readFile(journal));
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
            lines.push_back(text.substr(at, text.find('\n', at) + 1 - at));
        std::string doubled, reversed;
        for (const std::string& line : lines) {
            doubled += line + line;
            // Verdicts come before their samples now, and samples in the other order.
            if (line.find("\"kind\":\"metric\"") != std::string::npos)
                reversed.insert(0, line);
            else
                reversed += line;
        }
        mustDo(writeFileAtomic(journal, doubled));
        QCOMPARE(ask(), sound);
        mustDo(writeFileAtomic(journal, text + text));
        QCOMPARE(ask(), sound);
        mustDo(writeFileAtomic(journal, reversed));
        QCOMPARE(ask(), sound);
    }

    /// A longer journal in the place of the one that was read: found where no line ends at the old end.
    void anotherJournalIsReadFromItsStart()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        auto other = must(RunDirectory::create(m_project / "runs/other", config("rl")));
        for (const auto& [directory, steps] : {std::pair(&run, 6), std::pair(&other, 15)}) {
            auto session = must(directory->beginWork());
            for (int step = 0; step < steps; ++step)
                writeStep(session.journal(), step, static_cast<std::uint64_t>(steps), 4);
        }
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        fs::copy_file(other.path() / "journal.jsonl", run.path() / "journal.jsonl",
                      fs::copy_options::overwrite_existing);
        must(indexer.update());
        const std::string updated = must(dumpIndex(m_project));
        must(indexer.rebuild());
        QVERIFY(must(dumpIndex(m_project)) == updated);
    }

    /// Lines of the same lengths: where this run's journal was read to, a line of the other one ends too.
    void anotherJournalOfTheSameShapeIsReadFromItsStart()
    {
        const auto line = [](int run, int seq) {
            return fmt::format(
                "{{\"seq\":{},\"gen\":0,\"t\":{}.5,\"step\":{},\"kind\":\"metric\",\"split\":\"train\","
                "\"values\":{{\"loss\":{}.25}}}}\n",
                seq, 1000 * run + seq, seq, run);
        };
        auto run = must(RunDirectory::create(m_project / "runs/0001-sft", config("sft")));
        const auto journal = m_project / "runs/0001-sft/journal.jsonl";
        const auto write = [&](int number, int lines) {
            std::string text;
            for (int seq = 0; seq < lines; ++seq)
                text += line(number, seq);
            mustDo(writeFileAtomic(journal, text));
        };
        const auto isWhole = [&](Indexer& indexer, int entries) {
            const std::string updated = must(dumpIndex(m_project));
            must(indexer.rebuild());
            std::size_t found = 0;
            for (std::size_t at = 0; (at = updated.find("\nmetric|", at)) != std::string::npos; ++at)
                ++found;
            return must(dumpIndex(m_project)) == updated && found == static_cast<std::size_t>(entries);
        };
        auto indexer = must(Indexer::open(m_project));
        write(1, 5);
        must(indexer.update());
        QVERIFY(isWhole(indexer, 5));
        write(1, 7); // its own journal, grown: only what is new is read
        must(indexer.update());
        QVERIFY(isWhole(indexer, 7));
        write(2, 9);
        must(indexer.update());
        QVERIFY(isWhole(indexer, 9));
    }

    /// Bytes that are gone from the middle move all pages behind them.
    void anIndexWithoutWholePagesIsLookedThrough()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            for (int step = 0; step < 20; ++step)
                writeStep(session.journal(), step, 1, 8);
        }
        must(must(Indexer::open(m_project)).rebuild());
        const std::string sound = must(dumpIndex(m_project));
        const fs::path file = m_project / "project.sqlite";
        const std::string bytes = must(readFile(file));
        mustDo(writeFileAtomic(file, bytes.substr(0, bytes.size() * 3 / 5) +
                                         bytes.substr(bytes.size() * 3 / 5 + 100)));
        auto indexer = must(Indexer::open(m_project));
        QVERIFY(indexer.wasRebuilt());
        must(indexer.update());
        QVERIFY(must(dumpIndex(m_project)) == sound);
    }

    void vanishedRunsDisappear()
    {
        must(RunDirectory::create(m_project / "runs/a", config("rl")));
        must(RunDirectory::create(m_project / "runs/b", config("rl")));
        auto indexer = must(Indexer::open(m_project));
        QCOMPARE(must(indexer.update()).runs, 2);
        fs::remove_all(m_project / "runs/a");
        QCOMPARE(must(indexer.update()).changed, std::vector<std::string>{"a"});
        QCOMPARE(must(must(ProjectReader::open(m_project)).runs()).size(), std::size_t{1});
    }

    void brokenRunDoesNotStopOthers()
    {
        must(RunDirectory::create(m_project / "runs/good", config("rl")));
        mustDo(writeFileAtomic(m_project / "runs/bad/run.toml", "[run\n"));
        const auto update = must(must(Indexer::open(m_project)).update());
        QCOMPARE(update.problems.size(), std::size_t{1});
        QVERIFY(update.problems[0].find("bad/run.toml") != std::string::npos);
        QCOMPARE(update.changed, std::vector<std::string>{"good"});
    }

    void secondIndexerIsRefusedButReadingWorks()
    {
        QVERIFY(!ProjectReader::open(m_project)); // no index yet: a sentence, no crash
        auto first = must(Indexer::open(m_project));
        must(first.update());
        auto second = Indexer::open(m_project);
        QVERIFY(!second);
        QVERIFY(second.error().what.find(std::to_string(getpid())) != std::string::npos);
        auto reader = must(ProjectReader::open(m_project));
        const auto before = must(reader.dataVersion());
        QCOMPARE(must(reader.dataVersion()), before);
        must(RunDirectory::create(m_project / "runs/new", config("rl")));
        must(first.update());
        QVERIFY(must(reader.dataVersion()) != before);
        QCOMPARE(must(reader.runs()).size(), std::size_t{1});
    }

    void readerWorksAfterTheIndexerHasGone()
    {
        must(RunDirectory::create(m_project / "runs/new", config("rl")));
        must(must(Indexer::open(m_project)).update());
        QVERIFY(!fs::exists(m_project / "project.sqlite-wal"));
        QCOMPARE(must(must(ProjectReader::open(m_project)).runs()).size(), std::size_t{1});
    }

    // From a medium or a folder that is read-only: SQLite cannot make its files beside the index. What it has
    // is seen nevertheless, whatever the project is called.
    void readingNeedsNoWriting()
    {
        const fs::path project = m_dir->path() / "100% of a? #2";
        must(Project::create(project, "read-only"));
        must(RunDirectory::create(project / "runs/new", config("rl")));
        must(must(Indexer::open(project)).update());
        const fs::path memory = project / "project.sqlite-shm", log = project / "project.sqlite-wal";
        fs::create_symlink("/nowhere/at/all", memory); // as good as a folder that nothing can be made in
        auto reader = must(ProjectReader::open(project));
        QCOMPARE(must(reader.runs()).size(), std::size_t{1});
        QCOMPARE(must(reader.dataVersion()), must(reader.dataVersion()));
        // With a log of changes beside it the file is not the whole index.
        mustDo(writeFileAtomic(log, std::string(4096, 'x')));
        const auto refused = ProjectReader::open(project);
        QVERIFY(!refused);
        QVERIFY(refused.error().remedy.find("copy the project") != std::string::npos);
        // Where writing works again, all of it does.
        fs::remove(memory);
        fs::remove(log);
        must(RunDirectory::create(project / "runs/second", config("rl")));
        must(must(Indexer::open(project)).update());
        QCOMPARE(must(must(ProjectReader::open(project)).runs()).size(), std::size_t{2});
    }

    void oldVersionIsMigrated()
    {
        auto run = must(RunDirectory::create(m_project / "runs/old", config("rl")));
        {
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 1, 3);
            mustDo(session.journal().append(0, LogEvent{"info", "an old line"}));
        }
        const fs::path file = m_project / "project.sqlite";
        // An index as version 1 left it: no log table, the journal read to its end.
        executeSql(file, must(readFile(fs::path(SPARSERL_SOURCE_DIR) / "tests/project/index_v1.sql")));
        QCOMPARE(askSql(file, "PRAGMA user_version"), std::int64_t{1});
        auto tooOld = ProjectReader::open(m_project);
        QVERIFY(!tooOld);
        QVERIFY(tooOld.error().sentence().find("reindex") != std::string::npos);
        {
            auto indexer = must(Indexer::open(m_project));
            QVERIFY(!indexer.wasRebuilt());
            must(indexer.update());
            const std::string migrated = must(dumpIndex(m_project));
            must(indexer.rebuild());
            QVERIFY(migrated == must(dumpIndex(m_project)));
        }
        auto reader = must(ProjectReader::open(m_project));
        const auto runs = must(reader.runs());
        QCOMPARE(runs.size(), std::size_t{1}); // the fixture's made-up run has no folder and went
        QCOMPARE(must(reader.logTail(runs[0].id, 10)).size(), std::size_t{1});
    }

    void newerVersionIsRefused()
    {
        {
            must(Indexer::open(m_project));
        }
        const fs::path file = m_project / "project.sqlite";
        executeSql(file, "PRAGMA user_version=999");
        auto indexer = Indexer::open(m_project);
        QVERIFY(!indexer);
        QVERIFY(indexer.error().what.find("999") != std::string::npos);
        auto reader = ProjectReader::open(m_project);
        QVERIFY(!reader);
        QCOMPARE(askSql(file, "PRAGMA user_version"), std::int64_t{999}); // untouched
    }

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

    void warningAboutSqliteMatchesItsVersion()
    {
        const int number = sqlite3_libversion_number();
        QCOMPARE(sqliteWarning().empty(), number < 3007000 || number > 3051002);
        QCOMPARE(sqliteVersion(), std::string(sqlite3_libversion()));
    }

private:
    std::unique_ptr<TempDir> m_dir;
    fs::path m_project;
};

QTEST_GUILESS_MAIN(TestIndex)
#include "tst_index.moc"
