// SPDX-License-Identifier: Apache-2.0
// Run directory, control and checkpoints: what is written is read back, and what a crash leaves is repaired.
#include "fixture.h"

#include "base/subprocess.h"
#include "base/time.h"
#include "project/files/leftovers.h"
#include "project/run/default_policy.h"
#include "project/run/generation.h"

#include <QScopeGuard>
#include <QTest>
#include <fmt/format.h>
#include <limits>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

RunConfig smallConfig()
{
    RunConfig config;
    config.title = "a \"quoted\" title";
    config.stage = "rl";
    config.preset = "sparserl-ppo";
    config.parentRun = "0001-sft";
    config.parentCheckpoint = "runs/0001-sft/checkpoints/step-000010";
    config.parentDigest = "0123";
    config.created = 1700000000.5;
    config.parameters = {{"ppo.clip_range", 0.2},
                         {"rollout.samples", std::int64_t{8}},
                         {"eval.enabled", true},
                         {"reward.preset", std::string("sparserl")},
                         {"lr", 1e-5},
                         {"cap", std::numeric_limits<double>::infinity()}};
    config.versions = {{"sparserl", "0.1.0"}, {"torch", "2.11.0"}};
    return config;
}

} // namespace

class TestRun : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_dir = std::make_unique<TempDir>(must(TempDir::create())); }
    void cleanup() { m_dir.reset(); }

    void configRoundTrip()
    {
        const fs::path file = m_dir->path() / "run.toml";
        const RunConfig config = smallConfig();
        mustDo(writeRunConfig(file, config));
        const RunConfig back = must(readRunConfig(file));
        QCOMPARE(back.title, config.title);
        QCOMPARE(back.stage, config.stage);
        QCOMPARE(back.preset, config.preset);
        QCOMPARE(back.parentRun, config.parentRun);
        QCOMPARE(back.parentCheckpoint, config.parentCheckpoint);
        QCOMPARE(back.parentDigest, config.parentDigest);
        QCOMPARE(back.created, config.created);
        QVERIFY(back.parameters == config.parameters); // types included: 8 stays an integer, 0.2 a real
        QVERIFY(back.versions == config.versions);
    }

    void configErrorsNameFileAndLine()
    {
        const fs::path file = m_dir->path() / "run.toml";
        mustDo(writeFileAtomic(file, "[run]\nstage = \"rl\"\n[parameters]\nlr = = 3\n"));
        auto broken = readRunConfig(file);
        QVERIFY(!broken);
        QCOMPARE(broken.error().line, 4);
        QCOMPARE(broken.error().file, file.string());
        mustDo(writeFileAtomic(file, "[run]\ntitle = \"x\"\n"));
        auto missing = readRunConfig(file);
        QVERIFY(!missing);
        QVERIFY(missing.error().what.find("stage") != std::string::npos);
        mustDo(writeFileAtomic(file, "[run]\nformat = 99\nstage = \"rl\"\n"));
        QVERIFY(!readRunConfig(file));
        for (const char* odd : {"'2'", "1.0", "true", "0", "-5"}) {
            mustDo(writeFileAtomic(file, fmt::format("[run]\nformat = {}\nstage = \"rl\"\n", odd)));
            const auto refused = readRunConfig(file);
            QVERIFY2(!refused, odd);
            QVERIFY(refused.error().what.find("must be a whole number from 1") != std::string::npos);
        }
        QVERIFY(!RunDirectory::open(m_dir->path() / "nothing"));
    }

    /// A copy of an earlier run.toml would lose what a newer version wrote.
    void aNewerFormatGetsNoOtherAdvice()
    {
        const fs::path path = m_dir->path() / "run", step = path / "checkpoints/step-000001";
        must(RunDirectory::create(path, smallConfig()));
        const std::string own = must(readFile(path / "run.toml"));
        mustDo(writeFileAtomic(step / "run.toml", own));
        mustDo(writeFileAtomic(step / "checkpoint.json", R"({"step":1})"));
        mustDo(writeFileAtomic(step / "DONE", ""));
        const auto remedy = [&](const std::string& format) {
            std::string text = own;
            text.replace(text.find("format = 1"), 10, "format = " + format);
            mustDo(writeFileAtomic(path / "run.toml", text));
            const auto run = RunDirectory::open(path);
            return run ? std::string("none") : run.error().remedy;
        };
        QCOMPARE(remedy("2"), std::string("Use a newer version of SparseRL Workbench"));
        QVERIFY(remedy("'2'").find("Replace it with its copy") != std::string::npos);
    }

    /// What no reader of run.toml refuses may still be no parameter of the stage: the copy helps there, too.
    void aValueThatTheStageRefusesNamesTheCopy()
    {
        const fs::path path = m_dir->path() / "run", step = path / "checkpoints/step-000001";
        const auto run = must(RunDirectory::create(path, smallConfig()));
        const Error why{"there is no parameter \"lq\"", {}, 0, "Did you mean lr?"};
        QCOMPARE(run.configError(why).remedy, why.remedy); // there is none yet
        const std::string own = must(readFile(path / "run.toml"));
        mustDo(writeFileAtomic(step / "run.toml", own + "# of the checkpoint\n"));
        mustDo(writeFileAtomic(step / "checkpoint.json", R"({"step":1})"));
        mustDo(writeFileAtomic(step / "DONE", ""));
        const Error error = run.configError(why);
        QCOMPARE(error.file, (path / "run.toml").string());
        QVERIFY2(error.remedy.starts_with(why.remedy) &&
                     error.remedy.find("Replace it with its copy") != std::string::npos,
                 error.remedy.c_str());
        mustDo(writeFileAtomic(step / "run.toml", own));
        QCOMPARE(run.configError(why).remedy, why.remedy); // the copy is no other
    }

    void freshRunKeepsGenerationZero()
    {
        const fs::path path = m_dir->path() / "run";
        auto run = must(RunDirectory::create(path, smallConfig()));
        QVERIFY(!RunDirectory::create(path, smallConfig()));
        QVERIFY(run.lastState() && run.lastState()->state == RunState::Queued);
        auto session = must(run.beginWork());
        QCOMPARE(session.generation(), 0);
        QVERIFY(!session.checkpoint());
        QVERIFY(run.hasWorker());
        auto second = RunDirectory(run).beginWork();
        QVERIFY(!second);
        QVERIFY(second.error().what.find(std::to_string(getpid())) != std::string::npos);
    }

    void resumeGoesBackToTheCheckpoint()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        {
            auto session = must(run.beginWork());
            work(run, session, 0, 4, true);
            work(run, session, 4, 8, true);
            work(run, session, 8, 11, false); // lost with the crash
            tear(run.path() / "journal.jsonl", "{\"torn");
        }
        QVERIFY(!run.hasWorker());
        {
            auto session = must(run.beginWork());
            QCOMPARE(session.generation(), 1);
            QVERIFY(session.checkpoint() && session.checkpoint()->step == 8);
            QCOMPARE(must(readFile(session.checkpoint()->path / "weights")), std::string("weights 8"));
            QCOMPARE(session.journal().nextSeq(), session.checkpoint()->journalSeq);
            work(run, session, 8, 12, true);
        }
        checkContiguous(run.path(), 12);
        const auto discarded = must(readFile(run.path() / "journal.discarded.1.jsonl"));
        QVERIFY(discarded.find("\"step\":10") != std::string::npos);
        QVERIFY(discarded.find("{\"torn") != std::string::npos);
        // A reader that had read the lost part is told to forget it.
        const auto batch = must(readJournal(run.path(), {0, 100}));
        QVERIFY(batch.rewound && batch.next.gen == 1 && batch.next.offset == 0);
    }

    void resumeWithoutCheckpointStartsAgain()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        {
            auto session = must(run.beginWork());
            work(run, session, 0, 3, false);
        }
        auto session = must(run.beginWork());
        QVERIFY(!session.checkpoint());
        QCOMPARE(session.generation(), 1);
        QCOMPARE(session.journal().nextSeq(), 1); // the queued state stays
        work(run, session, 0, 3, false);
        mustDo(session.journal().sync());
        checkContiguous(run.path(), 3);
    }

    void resumeIsRepeatableAfterACrashInTheMiddle()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        {
            auto session = must(run.beginWork());
            work(run, session, 0, 2, true);
            work(run, session, 2, 3, false);
        }
        const auto checkpoint = run.latestCheckpoint();
        QVERIFY(checkpoint.has_value());
        const fs::path journal = run.path() / "journal.jsonl";
        const std::string whole = must(readFile(journal));
        const std::string tail = whole.substr(static_cast<std::size_t>(checkpoint->journalLength));
        // Died after the tail was copied and cut, before the generation was raised.
        mustDo(writeFileAtomic(run.path() / "journal.discarded.1.jsonl", tail));
        fs::resize_file(journal, static_cast<std::uintmax_t>(checkpoint->journalLength));
        auto session = must(run.beginWork());
        QCOMPARE(session.generation(), 1);
        QCOMPARE(must(readFile(run.path() / "journal.discarded.1.jsonl")), tail);
    }

    void halfWrittenCheckpointsDoNotCount()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        auto session = must(run.beginWork());
        {
            auto abandoned = must(run.beginCheckpoint(1));
            mustDo(writeFileAtomic(abandoned.directory() / "weights", "half"));
        }
        QVERIFY(run.checkpoints().empty());
        work(run, session, 0, 2, true);
        fs::create_directories(run.path() / "checkpoints/step-000009"); // renamed, but no DONE yet
        QCOMPARE(run.checkpoints().size(), std::size_t{1});
        QVERIFY(!run.checkpoint("step-000009"));
        QVERIFY(!run.checkpoint("../checkpoints/step-000002"));
        QVERIFY(run.checkpoint("step-000002").has_value());
    }

    void pruneKeepsTheNewestAndThePinned()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        auto session = must(run.beginWork());
        for (int i = 0; i < 5; ++i)
            work(run, session, i, i + 1, true);
        mustDo(run.pinCheckpoint("step-000001", true));
        mustDo(run.pruneCheckpoints(2));
        std::vector<std::string> names;
        for (const auto& info : run.checkpoints())
            names.push_back(info.name);
        QVERIFY((names == std::vector<std::string>{"step-000001", "step-000004", "step-000005"}));
        mustDo(run.pinCheckpoint("step-000001", false));
        mustDo(run.pruneCheckpoints(0)); // at least one stays
        QCOMPARE(run.checkpoints().size(), std::size_t{1});
        QCOMPARE(run.checkpoints()[0].step, 5);
    }

    // Commands may be written by other programs: a value is what stands there, of whatever type it is.
    void valuesOfCommandsMayBeNumbers_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("arrives"); // null: the line is not understood, and that is said
        QTest::newRow("text") << QByteArray("\"0.5\"") << QByteArray("0.5");
        QTest::newRow("number") << QByteArray("0.5") << QByteArray("0.5");
        QTest::newRow("whole number") << QByteArray("-12") << QByteArray("-12");
        QTest::newRow("truth value") << QByteArray("true") << QByteArray("true");
        QTest::newRow("beyond 64 bits")
            << QByteArray("18446744073709551615") << QByteArray("18446744073709551615");
        QTest::newRow("beyond real numbers") << QByteArray("1e400") << QByteArray();
    }
    void valuesOfCommandsMayBeNumbers()
    {
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, arrives);
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        auto session = must(run.beginWork());
        mustDo(appendFile(run.path() / "control.jsonl",
                          "{\"command\":\"set\",\"key\":\"lr\",\"value\":" + value.toStdString() + "}\n"));
        const auto commands = session.control().poll();
        QCOMPARE(commands.size(), std::size_t(arrives.isNull() ? 0 : 1));
        QCOMPARE(session.control().problems().size(), std::size_t(arrives.isNull() ? 1 : 0));
        if (!arrives.isNull())
            QCOMPARE(commands[0].value, arrives.toStdString());
    }

    // What a killed evaluation left goes, what somebody works on or what is another's stays.
    void abandonedScratchRunsGo()
    {
        const auto& folder = m_dir->path();
        const auto scratch = [&](const char* name) {
            must(RunDirectory::create(folder / name / "run", smallConfig()));
            return folder / name;
        };
        const auto left = scratch("sparserl-evaluate-abcdef"), busy = scratch("sparserl-evaluate-uvwxyz"),
                   other = scratch("sparserl-evaluated-abcdef");
        fs::create_directories(folder / "sparserl-evaluate-nothin");
        fs::create_directory_symlink(other, folder / "sparserl-evaluate-linked");
        auto worked = must(RunDirectory::open(busy / "run"));
        const auto session = must(worked.beginWork());
        removeScratchRuns(folder, "sparserl-evaluate", std::chrono::hours(1));
        QVERIFY(fs::exists(left)); // it may be just begun
        removeScratchRuns(folder, "sparserl-evaluate", std::chrono::seconds(0));
        QVERIFY(!fs::exists(left));
        QVERIFY(fs::exists(busy / "run/run.toml") && fs::exists(other / "run/run.toml"));
        QVERIFY(fs::exists(folder / "sparserl-evaluate-nothin") &&
                fs::exists(folder / "sparserl-evaluate-linked"));
    }

    void controlArrivesOnceAndSetIsDurable()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        using Kind = ControlCommand::Kind;
        must(appendControl(run.path(), {"", 0, Kind::Stop, "", ""})); // before the worker was started
        const auto early = must(appendControl(run.path(), {"", 0, Kind::Set, "lr", "0.5"}));
        run = must(RunDirectory::open(run.path()));
        {
            auto session = must(run.beginWork());
            auto commands = session.control().poll();
            QCOMPARE(commands.size(), std::size_t{1});
            QVERIFY(commands[0].id == early && commands[0].key == "lr" && commands[0].value == "0.5");
            QVERIFY(session.control().poll().empty());
            // Sent by one whose clock is years behind: it is the order that counts.
            const auto stop = must(appendControl(run.path(), {"", 1000, Kind::Stop, "", ""}));
            QVERIFY(appendFile(run.path() / "control.jsonl", "{\"command\":\"dance\"}\n").has_value());
            commands = session.control().poll();
            QCOMPARE(commands.size(), std::size_t{1});
            QVERIFY(commands[0].kind == Kind::Stop);
            QCOMPARE(session.control().problems().size(), std::size_t{1});
            mustDo(session.journal().append(1, ControlEvent{early, "set", "lr", "0.5", "applied", "", 1}));
            mustDo(session.journal().append(1, ControlEvent{stop, "stop", "", "", "applied", "", 1}));
        }
        // No checkpoint was written, so the change was rolled back and comes again; the stop does not.
        auto session = must(run.beginWork());
        auto commands = session.control().poll();
        QCOMPARE(commands.size(), std::size_t{1});
        QCOMPARE(commands[0].id, early);
        mustDo(session.journal().append(1, ControlEvent{early, "set", "lr", "0.5", "applied", "", 1}));
        auto pending = must(run.beginCheckpoint(1));
        must(pending.commit(session.journal()));
        {
            auto moved = std::move(session);
        }
        QVERIFY(must(run.beginWork()).control().poll().empty());
        QVERIFY(!appendControl(run.path(), {"", 0, Kind::Set, "", "1"}));
        QVERIFY(!appendControl(m_dir->path() / "none", {"", 0, Kind::Pause, "", ""}));
        QCOMPARE(must(readControl(run.path())).size(), std::size_t{3});
    }

    void controlThatWasSentWhileAWorkerStartsIsForIt()
    {
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        using Kind = ControlCommand::Kind;
        must(appendControl(run.path(), {"", 0, Kind::Pause, "", ""}));
        const auto begin =
            controlLength(run.path()); // the launcher looks, starts the worker, and the user stops it
        const auto stop = must(appendControl(run.path(), {"", 0, Kind::Stop, "", ""}));
        run = must(RunDirectory::open(run.path()));
        run.setControlBegin(begin);
        auto session = must(run.beginWork());
        const auto commands = session.control().poll();
        QCOMPARE(commands.size(), std::size_t{1});
        QCOMPARE(commands[0].id, stop);
    }

    void controlSurvivesDamage_data()
    {
        QTest::addColumn<QByteArray>("damage");
        QTest::newRow("deleted") << QByteArray();
        QTest::newRow("emptied") << QByteArray("");
        QTest::newRow("garbage") << QByteArray("\x01\x02 not json\n{\"command\":5}\n[1]\n\n");
        QTest::newRow("NULs") << QByteArray(5000, '\0');
        QTest::newRow("CRLF") << QByteArray("{\"command\":\"pause\",\"id\":\"p\"}\r\n");
        QTest::newRow("other types") << QByteArray(
            "{\"command\":\"set\",\"id\":5,\"key\":[],\"value\":{}}\n");
    }

    /// Whatever becomes of the file while a worker lives, the next stop arrives, once.
    void controlSurvivesDamage()
    {
        QFETCH(QByteArray, damage);
        auto run = must(RunDirectory::create(m_dir->path() / "run", smallConfig()));
        using Kind = ControlCommand::Kind;
        for (int i = 0; i < 50; ++i)
            must(appendControl(run.path(), {"", 0, Kind::Pause, "", ""}));
        run = must(RunDirectory::open(run.path()));
        auto session = must(run.beginWork());
        QVERIFY(session.control().poll().empty());
        if (damage.isNull())
            fs::remove(run.path() / "control.jsonl");
        else
            mustDo(writeFileAtomic(run.path() / "control.jsonl", damage.toStdString()));
        session.control().poll();
        const auto stop = must(appendControl(run.path(), {"", 0, Kind::Stop, "", ""}));
        int stops = 0;
        for (int i = 0; i < 3; ++i) {
            for (const auto& command : session.control().poll())
                stops += command.id == stop ? 1 : 0;
        }
        QCOMPARE(stops, 1);
    }

    void aProjectThatWasMovedIsAtHomeInItself()
    {
        const fs::path old = m_dir->path() / "old", moved = m_dir->path() / "new",
                       copied = m_dir->path() / "copy";
        mustDo(writeFileAtomic(old / "project.toml", "[project]\nformat = 1\n"));
        RunConfig config = smallConfig();
        config.project = old.string();
        config.parentCheckpoint = (old / "runs/0001-sft/checkpoints/step-000010").string();
        must(RunDirectory::create(old / "runs/r", config));
        const auto check = [](const fs::path& project) {
            const auto run = must(RunDirectory::open(project / "runs/r"));
            QCOMPARE(run.config().project, project.string());
            QCOMPARE(run.config().parentCheckpoint,
                     (project / "runs/0001-sft/checkpoints/step-000010").string());
        };
        check(old);
        fs::copy(old, copied, fs::copy_options::recursive);
        check(copied); // though the old one is still there
        fs::rename(old, moved);
        check(moved);
        // A parent outside stays where it is, and so does the project of a run that lies elsewhere.
        config.project = moved.string();
        config.parentCheckpoint = "/elsewhere/policy";
        must(RunDirectory::create(moved / "runs/s", config));
        QCOMPARE(must(RunDirectory::open(moved / "runs/s")).config().parentCheckpoint,
                 config.parentCheckpoint);
        must(RunDirectory::create(m_dir->path() / "alone", config));
        QCOMPARE(must(RunDirectory::open(m_dir->path() / "alone")).config().project, moved.string());
    }

    // A path of the installation would not outlive its next update.
    void theDefaultPolicyIsKeptByItsName()
    {
        const fs::path policy = m_dir->path() / "policy";
        for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"})
            mustDo(writeFileAtomic(policy / file, "{}"));
        qputenv(defaultPolicyVariable, policy.c_str());
        const auto unset = qScopeGuard([] { qunsetenv(defaultPolicyVariable); });
        RunConfig config = smallConfig();
        config.parentRun.clear();
        config.parentCheckpoint = "default";
        config.parentDigest.clear();
        const auto made = must(RunDirectory::create(m_dir->path() / "a", config)).config();
        QCOMPARE(made.parentCheckpoint, std::string("default"));
        QCOMPARE(made.parentDigest, must(digestOfPolicy(policy)));
        QCOMPARE(must(readRunConfig(m_dir->path() / "a/run.toml")).parentDigest, made.parentDigest);
        QCOMPARE(policyPlace("default"), policy);
        // Another one now; a fork keeps what its run began with, and so does a resume.
        mustDo(writeFileAtomic(policy / "model.safetensors", "{ }"));
        QVERIFY(must(RunDirectory::create(m_dir->path() / "b", config)).config().parentDigest !=
                made.parentDigest);
        config.parentDigest = made.parentDigest;
        QCOMPARE(must(RunDirectory::create(m_dir->path() / "c", config)).config().parentDigest,
                 made.parentDigest);
        // A folder of the user's is a folder, whatever the variable says of it.
        config.parentCheckpoint = policy.string();
        const auto named = must(RunDirectory::create(m_dir->path() / "d", config)).config();
        QCOMPARE(named.parentCheckpoint, policy.string());
        QVERIFY(named.parentDigest.empty());
        QCOMPARE(
            keptPolicy((executablePath().parent_path().parent_path() / "share/sparserl/policy").string()),
            std::string("default"));
    }

    void heartbeatComesBack()
    {
        QVERIFY(!readHeartbeat(m_dir->path()));
        mustDo(writeHeartbeat(m_dir->path(), {0, 0, "", "sampling 37/64", 0.57, 12, 100, 321.5}));
        const auto beat = readHeartbeat(m_dir->path());
        QVERIFY(beat && beat->phase == "sampling 37/64" && beat->step == 12 && beat->totalSteps == 100);
        QVERIFY(beat->pid == getpid() && !beat->host.empty() && std::abs(beat->t - unixSeconds()) < 60);
        mustDo(writeFileAtomic(m_dir->path() / "heartbeat.json", "{"));
        QVERIFY(!readHeartbeat(m_dir->path()));
    }

private:
    /// Writes one metric per step in [from, to) and, if asked, a checkpoint at `to`.
    static void work(RunDirectory& run, RunSession& session, int from, int to, bool checkpoint)
    {
        for (int step = from; step < to; ++step)
            mustDo(session.journal().append(step, MetricEvent{"train", {{"loss", 1.0 / (1 + step)}}}));
        if (!checkpoint)
            return;
        auto pending = must(run.beginCheckpoint(to));
        mustDo(writeFileAtomic(pending.directory() / "weights", "weights " + std::to_string(to)));
        must(pending.commit(session.journal()));
    }

    /// Every seq and every metric step from 0 on is there exactly once.
    static void checkContiguous(const fs::path& run, int steps)
    {
        const auto entries = must(readWholeJournal(run));
        std::int64_t step = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            QCOMPARE(entries[i].seq, static_cast<std::int64_t>(i));
            if (std::holds_alternative<MetricEvent>(entries[i].event))
                QCOMPARE(entries[i].step, step++);
        }
        QCOMPARE(step, steps);
    }

    std::unique_ptr<TempDir> m_dir;
};

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
