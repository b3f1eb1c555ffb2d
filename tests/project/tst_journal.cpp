// SPDX-License-Identifier: Apache-2.0
// Journals: every event comes back, and what a crash or another writer leaves spoils nothing.
#include "fixture.h"

#include "base/time.h"
#include "project/files/annotations.h"
#include "project/files/file_handle.h"
#include "project/files/json_lines.h"
#include "project/files/line_reader.h"
#include "project/run/generation.h"
#include "project/run/journal_tail.h"
#include "project/run/metrics.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace fixture;
namespace fs = std::filesystem;

class TestJournal : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A number has the names of other programs, too, and their descriptions are the original's.
    void metricsUnderOtherNames()
    {
        std::map<std::string, double> metrics{{"reward", 0.5},
                                              {"critic/rewards/mean", 0.25},
                                              {"actor/pg_clipfrac", 0.125},
                                              {"rollout_corr/rollout_is_min", 0.75}};
        addAliases(metrics);
        const std::map<std::string, double> expected{{"reward", 0.5},
                                                     {"objective/scores", 0.5},
                                                     {"critic/rewards/mean", 0.25},
                                                     {"objective/rlhf_reward", 0.25},
                                                     {"actor/pg_clipfrac", 0.125},
                                                     {"policy/clipfrac_avg", 0.125},
                                                     {"val/clipfrac_avg", 0.125},
                                                     {"clip_ratio/region_mean", 0.125},
                                                     {"rollout_corr/rollout_is_min", 0.75},
                                                     {"sampling/importance_sampling_ratio/min", 0.75}};
        QCOMPARE(metrics, expected);
        // Each original is a metric.
        int aliases = 0;
        for (const MetricDescription& one : metricDescriptions()) {
            QVERIFY2(!one.panel.empty(), std::string(one.name).c_str());
            if (one.help.rfind("As ", 0) != 0)
                continue;
            ++aliases;
            std::map<std::string, double> both;
            std::string originals = one.help.substr(3, one.help.size() - 4);
            for (std::size_t end = 0; end != std::string::npos;) {
                end = originals.find(", ");
                const std::string original = originals.substr(0, end);
                QVERIFY2(findMetric(original), original.c_str());
                QCOMPARE(findMetric(original)->unit, one.unit);
                both[original] = 1;
                if (end != std::string::npos)
                    originals.erase(0, end + 2);
            }
            addAliases(both);
            for (const std::string& name : one.names())
                QVERIFY2(both.contains(name), name.c_str());
        }
        QCOMPARE(aliases, 11);
    }

    void init() { m_dir = std::make_unique<TempDir>(must(TempDir::create())); }
    void cleanup() { m_dir.reset(); }

    /// A line of others must not grow in the index: names and values that no program of ours writes.
    void metricsThatWouldGrow()
    {
        const auto line = [](const std::string& split, std::size_t values, const std::string& name = "m") {
            nlohmann::json json{{"seq", 0},  {"gen", 0},         {"t", 1.0},
                                {"step", 1}, {"kind", "metric"}, {"split", split}};
            for (std::size_t i = 0; i < values; ++i)
                json["values"][name + std::to_string(i)] = 1.0;
            return json.dump();
        };
        for (const std::string& bad :
             {line(std::string(201, 's'), 1), line("train", 1001), line("train", 1, std::string(200, 'n'))}) {
            mustDo(writeFileAtomic(m_dir->path() / "journal.jsonl", bad + "\n" + line("train", 1000) + "\n"));
            const auto batch = must(readJournal(m_dir->path(), {}));
            QCOMPARE(batch.entries.size(), std::size_t{1});
            QCOMPARE(batch.problems.size(), std::size_t{1});
            QVERIFY(batch.problems.front().find("are read at most") != std::string::npos);
        }
    }

    void everyKindComesBack()
    {
        VerdictRecord record;
        record.programHash = "p1";
        record.target.contents = "m1";
        record.verdict = Verdict::OutOfBounds;
        record.line = 7;
        record.message = "store out of bounds";
        record.lines = {{7, 10, 320, 40, 4, 3, 2, 1, 0, 5}};
        const std::string text = std::string("kernel\0bytes \xff\n", 15) + std::string(5000, 'x');
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        const TargetId target{.contents = "m1", .name = "bcsstk01", .variant = {.columns = 8}};
        SampleEvent sample{"p1",
                           target,
                           "policy",
                           "train",
                           "S3",
                           -12.5,
                           210,
                           nan,
                           {{"compile", 0.5}},
                           {{40, 1.25}, {7, nan}, {0, -0.5}},
                           true};
        EvaluationEvent evaluation{"sft",
                                   target,
                                   "held-out",
                                   400,
                                   16,
                                   12,
                                   9,
                                   3,
                                   2.5,
                                   4.5,
                                   "p1",
                                   {"S1", "S3"},
                                   {{"S1", 2}, {"S3", 7}},
                                   "S3",
                                   0.75};
        const std::vector<Event> events{
            StateEvent{RunState::Failed, "the disk is full", 100},
            MetricEvent{"held-out", {{"critic/rewards/mean", 0.1}, {"loss", nan}, {"a", inf}, {"b", -inf}}},
            ProgramEvent{"p1", text},
            sample,
            VerdictEvent{record},
            evaluation,
            ControlEvent{"c1", "set", "lr", "0.1", "refused", "out of range", 12},
            CheckpointEvent{"step-000004"},
            LogEvent{"warning", "tab\tand \"quotes\""}};
        auto writer = must(JournalWriter::open(m_dir->path() / "journal.jsonl", 3));
        for (const Event& event : events)
            mustDo(writer.append(4, event));
        mustDo(writer.sync());
        mustDo(writeGeneration(m_dir->path(), 3));
        const auto entries = must(readWholeJournal(m_dir->path()));
        QCOMPARE(entries.size(), events.size());
        for (std::size_t i = 0; i < entries.size(); ++i) {
            QCOMPARE(entries[i].seq, static_cast<std::int64_t>(i));
            QCOMPARE(entries[i].gen, 3);
            QCOMPARE(entries[i].step, 4);
            QVERIFY(std::abs(entries[i].t - unixSeconds()) < 60);
            QCOMPARE(entries[i].event.index(), events[i].index());
        }
        const auto& state = std::get<StateEvent>(entries[0].event);
        QVERIFY(state.state == RunState::Failed && state.reason == "the disk is full" &&
                state.totalSteps == 100);
        const auto& metric = std::get<MetricEvent>(entries[1].event);
        QCOMPARE(metric.split, std::string("held-out"));
        QCOMPARE(metric.values.at("critic/rewards/mean"), 0.1);
        QVERIFY(std::isnan(metric.values.at("loss")));
        QVERIFY(metric.values.at("a") == inf && metric.values.at("b") == -inf);
        QCOMPARE(std::get<ProgramEvent>(entries[2].event).text, text);
        const auto& s = std::get<SampleEvent>(entries[3].event);
        QVERIFY(s.programHash == "p1" && s.target.name == "bcsstk01" && s.target.key() == "m1/8" &&
                s.family == "S3" && s.tokens == 210);
        QVERIFY(s.logProb == -12.5 && std::isnan(s.reward) && s.rewardParts.at("compile") == 0.5 &&
                s.truncated);
        QVERIFY(s.advantages.size() == 3 && s.advantages[0] == (AdvantageRun{40, 1.25}) &&
                s.advantages[1].bytes == 7 && std::isnan(s.advantages[1].advantage) &&
                s.advantages[2] == (AdvantageRun{0, -0.5}));
        const auto& verdict = std::get<VerdictEvent>(entries[4].event).record;
        QVERIFY(verdict.verdict == Verdict::OutOfBounds && verdict.line == 7 && verdict.lines.size() == 1);
        QCOMPARE(verdict.lines[0].threadInstructions, 320);
        const auto& e = std::get<EvaluationEvent>(entries[5].event);
        QVERIFY(e.samples == 16 && e.correct == 9 && e.families.size() == 2 && e.familyCounts.at("S3") == 7 &&
                e.bestFamily == "S3" && e.baselineMicroseconds == 4.5 && e.target.variant.columns == 8);
        const auto& control = std::get<ControlEvent>(entries[6].event);
        QVERIFY(control.id == "c1" && control.value == "0.1" && control.outcome == "refused" &&
                control.effectiveStep == 12);
        QCOMPARE(std::get<LogEvent>(entries[8].event).text, std::string("tab\tand \"quotes\""));
    }

    void programsAreStoredOnce()
    {
        const fs::path file = m_dir->path() / "journal.jsonl";
        {
            auto writer = must(JournalWriter::open(file, 0));
            mustDo(writer.appendProgram(1, "h1", "text"));
            mustDo(writer.appendProgram(2, "h1", "text"));
            mustDo(writer.appendProgram(2, "h2", "other"));
        }
        auto writer = must(JournalWriter::open(file, 0));
        QVERIFY(writer.hasProgram("h1") && writer.hasProgram("h2") && !writer.hasProgram("h3"));
        QCOMPARE(writer.nextSeq(), 2);
        mustDo(writer.appendProgram(3, "h2", "other"));
        mustDo(writer.sync());
        QCOMPARE(must(readWholeJournal(m_dir->path())).size(), std::size_t{2});
    }

    void tornEndIsCutAndSeqGoesOn_data()
    {
        QTest::addColumn<QByteArray>("torn");
        QTest::newRow("half a line") << QByteArray("{\"gen\":0,\"kind\":\"log\",\"seq\":3,\"te");
        QTest::newRow("only a brace") << QByteArray("{");
        QTest::newRow("zeros after power loss") << QByteArray("\0\0\0\0\n\0\0\0", 8);
        QTest::newRow("broken but ended") << QByteArray("{\"gen\":0,\"ki\n");
        QTest::newRow("nothing") << QByteArray();
    }

    void tornEndIsCutAndSeqGoesOn()
    {
        QFETCH(QByteArray, torn);
        const fs::path file = m_dir->path() / "journal.jsonl";
        {
            auto writer = must(JournalWriter::open(file, 0));
            for (int i = 0; i < 3; ++i)
                mustDo(writer.append(i, LogEvent{"info", "line"}));
        }
        tear(file, torn.toStdString());
        const auto before = must(readJournal(m_dir->path(), {}));
        QCOMPARE(before.entries.size(), std::size_t{3});
        {
            auto writer = must(JournalWriter::open(file, 0));
            QCOMPARE(writer.nextSeq(), 3);
            mustDo(writer.append(9, LogEvent{"info", "after"}));
        }
        const auto entries = must(readWholeJournal(m_dir->path()));
        QCOMPARE(entries.size(), std::size_t{4});
        for (std::size_t i = 0; i < entries.size(); ++i)
            QCOMPARE(entries[i].seq, static_cast<std::int64_t>(i));
        if (!torn.isEmpty())
            QCOMPARE(must(readFile(m_dir->path() / "journal.torn")), torn.toStdString());
    }

    void whatIsNoFileIsASentence_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"journal.jsonl", "control.jsonl"}) {
            QTest::addRow("%s, a named pipe", name) << QByteArray(name);
            QTest::addRow("%s, a folder", name) << QByteArray(name);
        }
    }

    /// Nothing waits for a pipe that nobody writes to, and nothing takes a folder for an empty file.
    void whatIsNoFileIsASentence()
    {
        QFETCH(QByteArray, name);
        const bool pipe = QByteArray(QTest::currentDataTag()).endsWith("pipe");
        auto run = must(RunDirectory::create(m_dir->path() / "r", config("rl")));
        const fs::path file = run.path() / name.toStdString();
        fs::remove(file);
        if (pipe)
            QCOMPARE(::mkfifo(file.c_str(), 0644), 0);
        else
            fs::create_directory(file);
        const std::string what = pipe ? "named pipe" : "folder";
        for (const auto& handle : {FileHandle::openRead(file), FileHandle::openAppend(file)}) {
            QVERIFY(!handle);
            QVERIFY2(handle.error().sentence().find(what) != std::string::npos,
                     handle.error().sentence().c_str());
        }
        QVERIFY(!run.lastState() || name == "control.jsonl");
        auto session = run.beginWork();
        if (name == "journal.jsonl") {
            QVERIFY(!session);
            QVERIFY(!readWholeJournal(run.path()));
        } else { // what it says can wait; the run goes on
            QVERIFY(session->control().poll().empty());
            QCOMPARE(session->control().problems().size(), std::size_t{1});
        }
        QVERIFY(pipe ? fs::is_fifo(file) : fs::is_directory(file));
    }

    /// Lines that a person's tools wrote count as the reader counts them: with blanks around and behind the
    /// colons.
    void linesOfOtherWritersStay()
    {
        const fs::path file = m_dir->path() / "journal.jsonl";
        const std::string line =
            "{\"seq\": 41, \"gen\": 0, \"t\": 1, \"step\": 0, \"kind\": \"log\", \"text\": \"x\"}";
        mustDo(appendFile(file, line + " \n \t" + line + "\t\r\n"));
        QCOMPARE(must(readWholeJournal(m_dir->path())).size(), std::size_t{2});
        {
            auto writer = must(JournalWriter::open(file, 0));
            QCOMPARE(writer.nextSeq(), std::int64_t{42});
            mustDo(writer.append(9, LogEvent{"info", "after"}));
        }
        QCOMPARE(must(readWholeJournal(m_dir->path())).size(), std::size_t{3});
        QVERIFY(!fs::exists(m_dir->path() / "journal.torn"));
    }

    void fullDiskIsASentenceAndNothingIsForgotten()
    {
        auto writer = must(JournalWriter::open("/dev/full", 0));
        const auto status = writer.append(0, StateEvent{RunState::Running, {}, 1});
        QVERIFY(!status);
        QVERIFY(status.error().sentence().find("/dev/full") != std::string::npos);
        QCOMPARE(status.error().remedy, std::string("Give another place")); // a device has no space to free
        QVERIFY(writer.length() > 0);                                       // still there for another try
        QVERIFY(!writer.sync());
    }

    void halfALineOfACrashedSenderSpoilsNothing()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", config("rl")));
        auto session = must(run.beginWork());
        tear(run.path() / "control.jsonl", "{\"command\":\"pau");
        const auto id = must(appendControl(run.path(), {"", 0, ControlCommand::Kind::Pause, "", ""}));
        const auto commands = session.control().poll();
        QCOMPARE(commands.size(), std::size_t{1});
        QCOMPARE(commands[0].id, id);
        tear(m_dir->path() / "annotations.jsonl", "{\"id\":");
        must(addAnnotation(m_dir->path(),
                           {"", 0, Annotation::Target::Run, "r", Annotation::Field::Star, "1"}));
        QCOMPARE(must(readAnnotations(m_dir->path())).size(), std::size_t{1});
    }

    void readerTailsAndWaitsForWholeLines()
    {
        const fs::path file = m_dir->path() / "journal.jsonl";
        auto writer = must(JournalWriter::open(file, 0));
        JournalPosition at;
        QCOMPARE(must(readJournal(m_dir->path(), at)).entries.size(), std::size_t{0});
        mustDo(writer.append(0, LogEvent{"info", "one"}));
        mustDo(writer.flush());
        auto batch = must(readJournal(m_dir->path(), at));
        QCOMPARE(batch.entries.size(), std::size_t{1});
        at = batch.next;
        tear(file, "{\"gen\":0,\"kind\":\"log\",\"seq\":1");
        batch = must(readJournal(m_dir->path(), at));
        QVERIFY(batch.entries.empty() && batch.atEnd && batch.problems.empty());
        QCOMPARE(batch.next.offset, at.offset);
        tear(file, ",\"step\":0,\"t\":1,\"text\":\"two\"}\nnot json\n");
        batch = must(readJournal(m_dir->path(), at));
        QCOMPARE(batch.entries.size(), std::size_t{1});
        QCOMPARE(batch.problems.size(), std::size_t{1});
        QVERIFY(batch.problems[0].find("journal.jsonl") != std::string::npos);
        // A line longer than a batch still arrives.
        mustDo(writer.append(1, LogEvent{"info", std::string(20000, 'y')}));
        mustDo(writer.flush());
        batch = must(readJournal(m_dir->path(), batch.next, 4096));
        QCOMPARE(batch.entries.size(), std::size_t{1});
    }

    void everyChunkOfAJournalIsRead_data()
    {
        QTest::addColumn<int>("lines");
        QTest::addColumn<int>("longest");
        QTest::addColumn<int>("chunk");
        QTest::newRow("short lines, small chunks") << 20000 << 80 << 4096;
        QTest::newRow("lines about as long as a chunk") << 500 << 9000 << 4096;
        QTest::newRow("lines of many chunks") << 40 << 300000 << 4096;
        QTest::newRow("beyond 16 MiB") << 100000 << 400 << (4 << 20);
        QTest::newRow("one line") << 1 << 10 << (4 << 20);
        QTest::newRow("nothing") << 0 << 10 << (4 << 20);
    }

    /// In chunks of any size, interrupted and gone on with at any of them, with and without a torn end.
    void everyChunkOfAJournalIsRead()
    {
        QFETCH(int, lines);
        QFETCH(int, longest);
        QFETCH(int, chunk);
        const fs::path file = m_dir->path() / "journal.jsonl";
        Rng rng(5);
        {
            auto writer = must(JournalWriter::open(file, 0));
            for (int i = 0; i < lines; ++i)
                mustDo(writer.append(
                    i, LogEvent{"info", std::string(rng.below(static_cast<std::uint64_t>(longest)), 'x')}));
        }
        for (const char* torn : {"", "{\"gen\":0,\"kind\":\"log"}) {
            tear(file, torn);
            std::int64_t next = 0;
            for (JournalPosition at;;) {
                const auto batch = must(readJournal(m_dir->path(), at, chunk));
                QVERIFY(batch.problems.empty() && !batch.rewound);
                for (const auto& entry : batch.entries)
                    QCOMPARE(entry.seq, next++);
                at = batch.next;
                if (batch.atEnd)
                    break;
                QVERIFY(!batch.entries.empty());
            }
            QCOMPARE(next, std::int64_t{lines});
            QCOMPARE(must(readWholeJournal(m_dir->path())).size(), static_cast<std::size_t>(lines));
        }
        QCOMPARE(must(JournalWriter::open(file, 0)).nextSeq(), std::int64_t{lines});
    }

    void aLineWithoutEndIsSkipped()
    {
        const fs::path file = m_dir->path() / "journal.jsonl";
        {
            auto writer = must(JournalWriter::open(file, 0));
            mustDo(writer.append(0, LogEvent{"info", "before"}));
        }
        tear(file, std::string(LineReader::longest + (3 << 20), '\0') + "\n");
        tear(file, R"({"gen":0,"kind":"log","level":"info","seq":1,"step":0,"t":1,"text":"after"})"
                   "\n");
        const auto entries = must(readWholeJournal(m_dir->path()));
        QCOMPARE(entries.size(), std::size_t{2});
        QCOMPARE(must(JournalWriter::open(file, 0)).nextSeq(), std::int64_t{2});
    }

    /// A hole of a terabyte takes no place, and must take no time, no memory and no place either where it is
    /// read.
    void aJournalMadeToBeReadForEver()
    {
        constexpr std::int64_t giant = std::int64_t(1) << 40;
        const fs::path file = m_dir->path() / "journal.jsonl";
        {
            auto writer = must(JournalWriter::open(file, 0));
            mustDo(writer.append(0, StateEvent{RunState::Running, "before", 7}));
        }
        const auto length = static_cast<std::int64_t>(fs::file_size(file));
        const auto sparse = [&] { fs::resize_file(file, static_cast<std::uintmax_t>(giant)); };
        sparse();
        auto batch = must(readJournal(m_dir->path(), {}));
        QCOMPARE(batch.entries.size(), std::size_t{1});
        QVERIFY(batch.atEnd);
        QCOMPARE(batch.problems.size(), std::size_t{1});
        QVERIFY2(batch.problems[0].find(fmt::format("from byte {} on", length)) != std::string::npos,
                 batch.problems[0].c_str());
        QVERIFY(!lastState(m_dir->path(), {}));
        // What follows the hole is there.
        tear(file, "\n"
                   R"({"gen":0,"kind":"log","level":"info","seq":1,"step":0,"t":1,"text":"after"})"
                   "\n");
        QCOMPARE(must(readWholeJournal(m_dir->path())).size(), std::size_t{2});
        // Cut off, it fills no disk.
        fs::resize_file(file, static_cast<std::uintmax_t>(length));
        sparse();
        QCOMPARE(must(JournalWriter::open(file, 0)).nextSeq(), std::int64_t{1});
        QCOMPARE(static_cast<std::int64_t>(fs::file_size(file)), length);
        const fs::path torn = m_dir->path() / "journal.torn";
        QVERIFY(!fs::exists(torn) || fs::file_size(torn) <= (1 << 20));
        // Commands and notes of such a file are refused with a sentence.
        const fs::path lines = m_dir->path() / "annotations.jsonl";
        tear(lines, "{}\n");
        fs::resize_file(lines, static_cast<std::uintmax_t>(giant));
        const auto objects = readJsonLines(lines);
        QVERIFY(!objects && objects.error().sentence().find("from byte 3 on") != std::string::npos);
    }

    void theLastStateIsFoundFromTheEnd()
    {
        const fs::path file = m_dir->path() / "journal.jsonl";
        QVERIFY(!lastState(m_dir->path(), {}));
        auto writer = must(JournalWriter::open(file, 0));
        mustDo(writer.append(0, StateEvent{RunState::Running, "the first", 7}));
        for (int i = 0; i < 30; ++i) { // windows end at all places of the state's line
            mustDo(writer.append(0, StateEvent{RunState::Paused, fmt::format("number {}", i), 7}));
            for (int n = 0; n < 40; ++n)
                mustDo(writer.append(
                    0, LogEvent{"info", std::string(static_cast<std::size_t>(64950 + i), 'x')}));
            mustDo(writer.flush());
            QCOMPARE(lastState(m_dir->path(), {})->reason, fmt::format("number {}", i));
        }
    }

private:
    std::unique_ptr<TempDir> m_dir;
};

QTEST_GUILESS_MAIN(TestJournal)
#include "tst_journal.moc"
