// SPDX-License-Identifier: Apache-2.0
// The index: incremental equals rebuilt, resumes are followed, migrations, damage, locks.
#include "fixture.h"
#include "index_sql.h"

#include "base/json.h"
#include "base/lock.h"
#include "base/rng.h"
#include "base/subprocess.h"
#include "project/files/index_file.h"
#include "project/index/index_library.h"
#include "project/index/index_run.h"
#include "project/index/schema.h"
#include "project/index/sqlite.h"
#include "tests/base/without_rights.h"
#include "tests/patience.h"

#include <QTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <random>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

/// An index becomes one of before programs had numbers.
const std::string withoutNumbers =
    "DROP TABLE advantage; DROP INDEX sample_list; ALTER TABLE sample DROP COLUMN program_number; DROP TABLE "
    "program_number; "
    "CREATE "
    "INDEX sample_list ON sample(verdict, target, run, family, flags, origin, split, target_name, task, "
    "repeated, program, speedup, micros, reward, step, t, tokens);";

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

    /// Texts that are shown are as long as a person reads.
    void titlesWithoutAnEnd()
    {
        RunConfig endless = config("rl", std::string(100'000, 't'));
        endless.preset = std::string(100'000, 'p');
        auto run = must(RunDirectory::create(m_project / "runs/r", endless));
        auto session = must(run.beginWork());
        mustDo(session.journal().append(1, StateEvent{RunState::Failed, std::string(100'000, 'w'), 0}));
        must(must(Indexer::open(m_project)).update());
        const auto runs = must(must(ProjectReader::open(m_project)).runs());
        QCOMPARE(runs.size(), std::size_t(1));
        for (const std::string& text : {runs[0].title, runs[0].preset, runs[0].reason})
            QVERIFY2(text.size() > 100 && text.size() < 1100, std::to_string(text.size()).c_str());
    }

    /// What takes long by itself is left to those who ask for it; what cannot be read says why.
    void matricesThatTakeLong()
    {
        const fs::path file = m_project / "matrices/long.mtx";
        mustDo(writeFileAtomic(file, "%%MatrixMarket matrix coordinate real general\n9 9 9\n" +
                                         std::string(std::size_t(3) << 20, '\n')));
        mustDo(appendFile(m_project / "project.toml",
                          "[[matrix]]\nname = 'long'\nfile = 'matrices/long.mtx'\n"));
        {
            const auto indexer = must(Indexer::open(m_project)); // makes the tables
        }
        sql::Database db(m_project / "project.sqlite", sql::Database::Mode::Write);
        std::vector<std::string> problems;
        indexMatrices(db, m_project, problems);
        const char* const ask = "SELECT count(*) FROM matrix WHERE name='long' AND problem<>''";
        MatrixScout hasty, patient;
        QVERIFY(!hasty.read(db, m_project, 10, {}, 0));
        QCOMPARE(db.integer(ask), std::int64_t{0});
        QVERIFY(!hasty.read(db, m_project, 10, {}, 60)); // once is enough
        QVERIFY(patient.read(db, m_project, 10, {}, 60));
        QCOMPARE(db.integer(ask), std::int64_t{1});
    }

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
                                                           {.contents = "m0", .name = "name"},
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
            std::thread impatient(
                [&cancel, interruptions] { // later and later: so it ends on a busy machine too
                    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 10 * interruptions));
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
                        "SELECT COUNT(*) FROM sample s JOIN verdict v USING (run, program, target_key) WHERE "
                        "s.verdict IS NOT v.verdict OR s.speedup <> v.speedup"),
                 std::int64_t{0});
        // One number for each program.
        QCOMPARE(askSql(file, "SELECT COUNT(*) FROM sample s LEFT JOIN program_number n ON "
                              "n.number=s.program_number WHERE n.program IS NOT s.program"),
                 std::int64_t{0});
        QCOMPARE(askSql(file, "SELECT COUNT(DISTINCT program) FROM sample"),
                 askSql(file, "SELECT max(number) FROM program_number"));
        QCOMPARE(askSql(file, "SELECT COUNT(*) FROM sample WHERE repeated=0"),
                 askSql(file, "SELECT COUNT(*) FROM (SELECT DISTINCT run, program, target_key FROM sample)"));
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

    /// The lists of a long journal come first; its programs follow, in as many steps as it takes, and then
    /// the index is the one that was made at once.
    void listsComeBeforePrograms()
    {
        constexpr int steps = 400;
        for (const char* name : {"a", "b"}) {
            auto run = must(RunDirectory::create(m_project / "runs" / name, config("rl")));
            auto session = must(run.beginWork());
            for (int step = 0; step < steps; ++step)
                writeStep(session.journal(), step, 2, 8);
        }
        auto indexer = must(Indexer::open(m_project));
        const auto lists = must(indexer.updateLists({}, {}, 0));
        QCOMPARE(lists.unreadRuns, std::int64_t(2));
        QVERIFY(lists.unreadBytes > 0);
        {
            auto reader = must(ProjectReader::open(m_project));
            for (const RunSummary& run : must(reader.runs())) {
                QCOMPARE(run.step, std::int64_t(steps - 1));
                QVERIFY(run.samples > 0); // they are counted, not read
                QVERIFY(!run.spark.empty());
                for (const MetricName& metric : must(reader.metricNames(run.id)))
                    QVERIFY(metric.points >= steps / 5); // evaluations are every fifth step
            }
            QVERIFY(must(reader.candidateOrder({}, CandidateSort::Time, true)).empty());
        }
        // Steps without any time read nothing and lose nothing; then one after another.
        QCOMPARE(must(indexer.glance({}, 0)).unreadRuns, std::int64_t(2));
        std::int64_t before = INT64_MAX;
        int rounds = 0;
        for (;; ++rounds) {
            const auto update = must(indexer.glance({}, 0.001));
            QVERIFY(update.unreadBytes <= before);
            before = update.unreadBytes;
            if (update.unreadRuns == 0)
                break;
        }
        QVERIFY(rounds > 0);
        QCOMPARE(must(indexer.update()).entries, std::int64_t(0));
        const std::string stepwise = must(dumpIndex(m_project));
        must(indexer.rebuild());
        QVERIFY(must(dumpIndex(m_project)) == stepwise);
        // What comes behind is read as always.
        {
            auto run = must(RunDirectory::open(m_project / "runs/a"));
            auto session = must(run.beginWork());
            writeStep(session.journal(), steps, 2, 8);
        }
        must(indexer.update());
        const std::string later = must(dumpIndex(m_project));
        QVERIFY(later != stepwise);
        must(indexer.rebuild());
        QVERIFY(must(dumpIndex(m_project)) == later);
    }

    /// A run that goes away while a part of it is to be read is waited for no longer.
    void vanishedRunsAreNotUnread()
    {
        for (const char* name : {"a", "b"}) {
            auto run = must(RunDirectory::create(m_project / "runs" / name, config("rl")));
            auto session = must(run.beginWork());
            for (int step = 0; step < 50; ++step)
                writeStep(session.journal(), step, 2, 8);
        }
        auto indexer = must(Indexer::open(m_project));
        QCOMPARE(must(indexer.updateLists({}, {}, 0)).unreadRuns, std::int64_t(2)); // not the programs
        fs::remove_all(m_project / "runs/b");
        QCOMPARE(must(indexer.updateLists({}, {}, 0)).unreadRuns, std::int64_t(1));
        fs::remove_all(m_project / "runs/a");
        const auto none = must(indexer.updateLists({}, {}, 0));
        QCOMPARE(none.unreadRuns, std::int64_t(0));
        QCOMPARE(none.unreadBytes, std::int64_t(0));
        // One that no row tells of yet, either.
        {
            auto run = must(RunDirectory::create(m_project / "runs/c", config("rl")));
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 2, 8);
        }
        QCOMPARE(must(indexer.glance({}, 0)).unreadRuns, std::int64_t(1));
        fs::remove_all(m_project / "runs/c");
        QCOMPARE(must(indexer.glance({}, 0)).unreadRuns, std::int64_t(0));
    }

    /// A run that was moved away and back is as it was, times included, and yet it is read again.
    void runsComeBack()
    {
        {
            auto run = must(RunDirectory::create(m_project / "runs/a", config("rl")));
            auto session = must(run.beginWork());
            for (int step = 0; step < 20; ++step)
                writeStep(session.journal(), step, 2, 8);
        }
        const fs::path run = m_project / "runs/a", away = m_project / "away";
        const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
        fs::last_write_time(run / "journal.jsonl", old);
        fs::last_write_time(run, old);
        auto indexer = must(Indexer::open(m_project));
        for (int i = 0; i < 3; ++i) // until it is known to have no news
            must(indexer.update());
        const std::string there = must(dumpIndex(m_project));
        fs::rename(run, away);
        QCOMPARE(must(indexer.update()).runs, std::int64_t(0));
        QVERIFY(must(dumpIndex(m_project)) != there);
        fs::rename(away, run);
        QVERIFY(must(indexer.update()).entries > 0);
        QVERIFY(must(dumpIndex(m_project)) == there);
    }

    /// Points in any order and repeated, in batches of any length: the index holds the last point of each
    /// step, and the latest value is that of the highest step.
    void metricPointsInAnyOrder()
    {
        using Series = std::pair<std::string, std::string>;
        const auto seed = std::random_device()();
        Rng rng(seed);
        auto db = sql::Database::inMemory();
        migrate(db);
        std::map<Series, std::map<std::int64_t, double>> expected;
        for (int batch = 0; batch < 20; ++batch) {
            std::vector<JournalEntry> entries;
            for (auto lines = rng.below(40); lines > 0; --lines) {
                MetricEvent event;
                event.split = rng.chance(0.5) ? "train" : "dev";
                JournalEntry entry;
                entry.step = static_cast<std::int64_t>(rng.below(30));
                for (const char* name : {"a", "b", "c"})
                    if (rng.chance(0.6))
                        event.values[name] = expected[{name, event.split}][entry.step] = rng.normal();
                entry.event = event;
                entries.push_back(entry);
            }
            indexEntries(db, 7, entries);
        }
        std::map<Series, std::map<std::int64_t, double>> kept;
        auto points = db.prepare("SELECT name, split, step, value FROM metric WHERE run=7");
        while (points.step())
            kept[{points.text(0), points.text(1)}][points.integer(2)] = points.real(3);
        QVERIFY2(kept == expected, fmt::format("seed {}", seed).c_str());
        auto latest = db.prepare("SELECT name, split, step, value, points FROM metric_latest WHERE run=7");
        std::size_t rows = 0;
        for (; latest.step(); ++rows) {
            const auto& series = expected.at({latest.text(0), latest.text(1)});
            QCOMPARE(latest.integer(2), series.rbegin()->first);
            QCOMPARE(latest.real(3), series.rbegin()->second);
            QCOMPARE(latest.integer(4), static_cast<std::int64_t>(series.size()));
        }
        QCOMPARE(rows, expected.size());
    }

    /// What a column of the list means does not change when an evaluation reports other metrics; an index of
    /// before learns that, too.
    void headlinesKeepTheirMeaning()
    {
        const auto headline = [&](const char* name) {
            auto reader = must(ProjectReader::open(m_project));
            return must(reader.runByName(name)).headline;
        };
        auto indexer = must(Indexer::open(m_project));
        for (const auto& [stage, name, first] : {std::tuple{"sft", "0001-sft", "loss"},
                                                 {"pretrain", "0002-pretrain", "loss"},
                                                 {"rl", "0003-rl", "reward"}}) {
            auto run = must(RunDirectory::create(m_project / "runs" / name, config(stage)));
            auto session = must(run.beginWork());
            mustDo(session.journal().append(1, MetricEvent{"train", {{first, 1.5}}}));
            mustDo(session.journal().flush());
            must(indexer.update());
            QCOMPARE(headline(name), std::string(first));
            mustDo(session.journal().append(
                2, MetricEvent{"held-out", {{"reward", 0.5}, {"kernel/correct_rate", 0.25}}}));
            mustDo(session.journal().append(
                2, MetricEvent{"train", {{"kernel/correct_rate", 0.25}, {"loss", 1.25}}}));
            mustDo(session.journal().flush());
            must(indexer.update());
            QCOMPARE(headline(name), std::string(first));
        }
        const std::string now = must(dumpIndex(m_project));
        { // as the version before left it
            auto closed = std::move(indexer);
        }
        executeSql(m_project / "project.sqlite",
                   withoutNumbers +
                       "UPDATE run SET headline='reward', headline_split='held-out', last_value=0.5 WHERE "
                       "stage<>'rl'; ALTER TABLE run DROP COLUMN candidates; "
                       "ALTER TABLE sample DROP COLUMN proposal; PRAGMA user_version=9");
        QCOMPARE(must(must(Indexer::open(m_project)).update()).entries,
                 std::int64_t(0)); // no journal is read again
        QCOMPARE(headline("0001-sft"), std::string("loss"));
        QVERIFY(must(dumpIndex(m_project)) == now);
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

    /// Another program that closes the database last would write and delete its log, in use as it is.
    void theIndexStaysLocked()
    {
        must(RunDirectory::create(m_project / "runs/r", config("rl")));
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        must(indexer.update());
        const auto reader = must(ProjectReader::open(m_project));
        // A lock of its own handle meets those of this process, too.
        const int file = ::open((m_project / "project.sqlite").c_str(), O_RDWR | O_CLOEXEC);
        QVERIFY(file >= 0);
        struct flock shared
        {
        };
        shared.l_type = F_WRLCK;
        shared.l_whence = SEEK_SET;
        shared.l_start = 0x40000002; // the bytes that SQLite's readers share
        shared.l_len = 510;
        const int code = ::fcntl(file, F_OFD_GETLK, &shared);
        ::close(file);
        QCOMPARE(code, 0);
        QVERIFY2(shared.l_type == F_RDLCK, "nobody holds the index");
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
        QVERIFY(refused.error().remedy.find("Move it away") != std::string::npos);
        // Where writing works again, all of it does.
        fs::remove(memory);
        fs::remove(log);
        must(RunDirectory::create(project / "runs/second", config("rl")));
        must(must(Indexer::open(project)).update());
        QCOMPARE(must(must(ProjectReader::open(project)).runs()).size(), std::size_t{2});
    }

    /// Without the files that programs share beside an index a reader sees nothing of what another one
    /// writes: half of it might be of before and half of after.
    void whatIsKeptIsNotReadAlone()
    {
        must(RunDirectory::create(m_project / "runs/new", config("rl")));
        must(must(Indexer::open(m_project)).update());
        const fs::path file = m_project / "project.sqlite";
        const auto mode = [&](fs::perms perms) { fs::permissions(m_project, perms); };
        const auto open = fs::perms::owner_all, closed = fs::perms(0555);
        fs::permissions(m_dir->path(), fs::perms(0755));
        const auto reads = [](auto&& read) {
            const test::WithoutRights without;
            return read();
        };
        const auto refuses = [](const auto& result) {
            return !result && result.error().what.find("another program writes it") != std::string::npos &&
                   result.error().remedy.find("try again") != std::string::npos;
        };
        mode(closed);
        auto reader = must(reads([&] { return ProjectReader::open(m_project); }));
        const auto runs = [&] { return reads([&] { return reader.runs(); }); };
        QCOMPARE(must(runs()).size(), std::size_t{1});
        {
            const auto keeper = must(FileLock::tryLock(m_project / "index.lock"));
            QVERIFY(keeper.has_value());
            QVERIFY(refuses(reads([&] { return ProjectReader::open(m_project); })));
            QVERIFY(refuses(runs())); // it came while that was open
        }
        QCOMPARE(must(runs()).size(), std::size_t{1});
        // What a keeper that has come and gone has written is read, not what was there before.
        const auto version = must(reads([&] { return reader.dataVersion(); }));
        mode(open);
        must(RunDirectory::create(m_project / "runs/second", config("rl")));
        must(must(Indexer::open(m_project)).update());
        mode(closed);
        QCOMPARE(must(runs()).size(), std::size_t{2});
        QVERIFY(must(reads([&] { return reader.dataVersion(); })) != version);
        // A log that somebody left says that the file is not the whole index.
        mode(open);
        mustDo(writeFileAtomic(file.string() + "-wal", std::string(4096, 'x')));
        mode(closed);
        QVERIFY(!runs());
        mode(open);
    }

    /// To migrate or to check a large index takes minutes: others open it meanwhile, or are told the truth.
    void theIndexIsNotClosedWhileItIsMigrated()
    {
        must(RunDirectory::create(m_project / "runs/old", config("rl")));
        const fs::path file = m_project / "project.sqlite", lock = m_project / "index.lock";
        executeSql(file, must(readFile(fs::path(SPARSERL_SOURCE_DIR) / "tests/project/index_v1.sql")));
        executeSql(file, "PRAGMA journal_mode=WAL");
        std::atomic<bool> migrated = false;
        std::thread keeper;
        {
            sql::Database other(file, sql::Database::Mode::Write);
            const sql::Transaction writing(other); // the migration waits for this, some seconds at a time
            keeper = std::thread([&] {
                while (!migrated)
                    migrated = Indexer::open(m_project).has_value();
            });
            // The migration waits nearly all of the time: it must be free to be opened at nearly all times.
            int opened = 0;
            const bool often = test::comesTrue([&] {
                const bool kept = FileLock::isLocked(lock);
                const FolderLock together(m_project, FolderLock::Kind::Shared, 0);
                opened = !kept ? opened : together.isHeld() ? opened + 1 : 0;
                return opened > 20;
            });
            const bool told = test::comesTrue([&] {
                const auto reader = ProjectReader::open(m_project);
                return !reader && reader.error().what.find("is renewing it") != std::string::npos &&
                       reader.error().sentence().find("reindex") == std::string::npos;
            });
            const bool waited = !migrated;
            if (!often || !told || !waited)
                migrated = true; // ends the thread
            if (migrated)
                keeper.join();
            QVERIFY(often);
            QVERIFY(told);
            QVERIFY(waited);
        }
        keeper.join();
        QVERIFY(migrated);
        must(must(Indexer::open(m_project)).update());
        QCOMPARE(must(must(ProjectReader::open(m_project)).runs()).size(), std::size_t{1});
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

    // Indexes of before `not-finite` was a facet get it from the records that they hold.
    void flagsOfOldIndexes()
    {
        auto run = must(RunDirectory::create(m_project / "runs/old", config("rl")));
        {
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 1, 30);
            int n = 0;
            for (const double got : {std::nan(""), 2.0, HUGE_VAL}) {
                const std::string program = fmt::format("program {}", ++n);
                VerdictRecord wrong = record(program, "m1", Verdict::WrongResult, 0);
                wrong.wrong = WrongElement{3, 0, 1, got, 1e-6};
                if (n == 1)
                    wrong.flags = {VerdictFlag::Copied};
                SampleEvent sample;
                sample.programHash = program;
                sample.target = wrong.target;
                mustDo(session.journal().append(1, sample));
                mustDo(session.journal().append(1, VerdictEvent{wrong}));
            }
        }
        const fs::path file = m_project / "project.sqlite";
        {
            must(must(Indexer::open(m_project)).update());
        }
        const std::string now = must(dumpIndex(m_project));
        for (const char* table : {"sample", "verdict"})
            executeSql(file, fmt::format("UPDATE {} SET flags=iif(flags=',not-finite,', '', replace(flags, "
                                         "'not-finite,', ''))",
                                         table));
        executeSql(file,
                   withoutNumbers +
                       "ALTER TABLE sample DROP COLUMN proposal;"
                       "ALTER TABLE run DROP COLUMN candidates; ALTER TABLE run DROP COLUMN columns; DROP "
                       "INDEX sample_program;"
                       "ALTER TABLE sample DROP COLUMN target_key;"
                       "ALTER TABLE sample ADD COLUMN dense_columns INTEGER NOT NULL DEFAULT 1;"
                       "CREATE INDEX sample_program ON sample(run, program, target);"
                       "ALTER TABLE verdict RENAME COLUMN target_key TO target;"
                       "ALTER TABLE verdict ADD COLUMN dense_columns INTEGER NOT NULL DEFAULT 1;"
                       "PRAGMA user_version=6");
        QVERIFY(now != must(dumpIndex(m_project)));
        {
            auto indexer = must(Indexer::open(m_project));
            QVERIFY(!indexer.wasRebuilt());
            must(indexer.update());
        }
        QVERIFY(now == must(dumpIndex(m_project)));
        QCOMPARE(askSql(file, "SELECT count(*) FROM sample WHERE instr(flags, ',not-finite,')"),
                 std::int64_t{2});
    }

    // Features that an older version did not know come by themselves, from the matrix in the cache.
    void featuresOfOldCaches()
    {
        auto project = must(Project::open(m_project));
        const auto entry = must(project.addGenerated("stencil2d(n=5)", {}));
        const fs::path features = m_project / "cache" / (entry.digest + ".features.json");
        const auto whole = must(readJson(features));
        QCOMPARE(whole["strong_components"], 1);
        auto older = whole;
        older.erase("strong_components");
        older.erase("main_diagonal");
        mustDo(writeFileAtomic(features, older.dump()));
        must(must(Indexer::open(m_project)).update());
        QCOMPARE(must(readJson(features)), whole);
        const auto row = must(must(ProjectReader::open(m_project)).matrices()).at(0);
        QVERIFY(row.featuresJson.find("strong_components") != std::string::npos);
        // Where the matrix is not in the cache any more, the list is as it was.
        mustDo(writeFileAtomic(features, older.dump()));
        for (const auto& item : fs::directory_iterator(m_project / "cache"))
            if (item.path().filename().string().starts_with(entry.digest) && item.path() != features)
                fs::remove_all(item.path());
        fs::remove(m_project / "project.sqlite");
        must(must(Indexer::open(m_project)).update());
        QCOMPARE(must(must(ProjectReader::open(m_project)).matrices()).at(0).rows, std::int64_t{25});
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

    /// SQLite itself changes a file that it opens for writing: these are looked at before.
    void databasesOfOthersStayAsTheyAre()
    {
        const fs::path file = m_project / "project.sqlite";
        executeSql(file, "CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES ('precious')");
        const std::string before = must(readFile(file));
        QVERIFY(must(Indexer::open(m_project)).wasRebuilt());
        QCOMPARE(must(readFile(m_project / "project.sqlite.broken-1")), before);
        QVERIFY(!fs::exists(m_project / "project.sqlite.broken-1-wal"));
        // Of a newer program.
        executeSql(file, "PRAGMA journal_mode=DELETE; PRAGMA user_version=999");
        const std::string newer = must(readFile(file));
        QVERIFY(!Indexer::open(m_project));
        QCOMPARE(must(readFile(file)), newer);
        QVERIFY(!fs::exists(m_project / "project.sqlite-wal"));
    }

    /// Times that are no numbers, in every kind of entry: the rest of it is in the index.
    void timesThatAreNoNumbers()
    {
        auto run = must(RunDirectory::create(m_project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 1, 3);
            writeCheckpoint(run, session.journal(), 1);
            mustDo(session.journal().append(1, ControlEvent{}));
            mustDo(session.journal().append(1, LogEvent{"info", "text"}));
            mustDo(session.journal().append(1, EvaluationEvent{}));
            mustDo(session.journal().append(1, StateEvent{RunState::Done, {}, 1}));
        }
        must(must(Indexer::open(m_project)).update());
        const auto rows = [&] {
            std::map<std::string, std::int64_t> count;
            for (const char* table : {"run", "metric", "program", "sample", "verdict", "evaluation",
                                      "checkpoint", "control", "log"})
                count[table] =
                    askSql(m_project / "project.sqlite", fmt::format("SELECT count(*) FROM {}", table));
            return count;
        };
        const auto before = rows();
        for (const auto& [table, count] : before)
            QVERIFY2(count > 0, table.c_str());
        const fs::path journal = m_project / "runs/r/journal.jsonl";
        for (const char* time : {"\"nan\"", "\"inf\"", "\"-inf\"", "null"}) {
            std::string text;
            for (const JournalEntry& entry : must(readWholeJournal(m_project / "runs/r"))) {
                auto json = toJson(entry);
                json["t"] = parseJson(time).value();
                text += dumpJson(json) + "\n";
            }
            mustDo(writeFileAtomic(journal, text));
            const auto update = must(Indexer::reindex(m_project));
            QCOMPARE(update.problems, std::vector<std::string>());
            QVERIFY2(rows() == before, time);
        }
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
