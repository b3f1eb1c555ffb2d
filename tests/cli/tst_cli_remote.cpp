// SPDX-License-Identifier: Apache-2.0
// Runs that work "on another machine": the real programs on both sides of a pretended ssh
// (tests/remote/fake_ssh.py), against the same runs here. Connections that break in the middle of anything,
// followers that are killed, commands, names made to do harm.
#include "base/hash.h"
#include "base/lock.h"
#include "project/files/run_files.h"
#include "project/run/checkpoint_files.h"
#include "project/run/control.h"
#include "project/run/journal.h"
#include "project/run/remote_mark.h"
#include "project/run/run_directory.h"
#include "remote/remote_host.h"
#include "remote/wire.h"
#include "tests/cli/programs.h"
#include "tests/patience.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>
#include <signal.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

const std::string tinyRun =
    std::string(test::tinySft) +
    " --set judge.seed=7 --set sft.steps=8 --set eval.every=4 --set checkpoint.every=2 --set system.every=0";

/// What a run says, the clock aside.
std::vector<std::string> essence(const fs::path& run)
{
    std::vector<std::string> lines;
    const auto entries = readWholeJournal(run);
    if (!entries)
        return {entries.error().sentence()};
    for (const JournalEntry& entry : *entries) {
        nlohmann::json json = toJson(entry);
        json.erase("t");
        if (json["kind"] == "metric") {
            for (auto value = json["values"].begin(); value != json["values"].end();) {
                const std::string& name = value.key();
                const bool ofTheClock =
                    name.starts_with("timing") || name.starts_with("perf/") || name.starts_with("judge/");
                value = ofTheClock ? json["values"].erase(value) : std::next(value);
            }
        } else if (json["kind"] == "verdict") {
            json["record"].erase("judge_seconds");
        }
        lines.push_back(json.dump());
    }
    return lines;
}

/// Checksums of the weights of the last checkpoint.
std::string weightsOf(const fs::path& run)
{
    const auto checkpoints = listCheckpoints(run);
    if (checkpoints.empty())
        return "no checkpoint";
    std::string sums = checkpoints.back().name;
    const auto files = listCheckpointFiles(checkpoints.back().path);
    for (const auto& [name, file] : files->items())
        if (name.ends_with(".safetensors") && name.find("policy") != std::string::npos)
            sums += " " + file["sha256"].get<std::string>();
    return sums;
}

} // namespace

class TestCliRemote : public QObject
{
    Q_OBJECT

    fs::path folder() const { return m_folder.path().toStdString(); }

    /// A shell line with the pretended ssh first on PATH.
    RunOutput shell(const std::string& line, double seconds = 120) const
    {
        return test::shell(folder(),
                           "export PATH=" + folder().string() +
                               "/path:/usr/bin:/bin FAKE_SSH=" + folder().string() +
                               "/fake XDG_CONFIG_HOME=" + folder().string() + "/config; " + line,
                           seconds);
    }
    void mode(const std::string& text) const { QVERIFY(writeFileAtomic(folder() / "fake/mode", text)); }
    fs::path makeProject(const char* name) const
    {
        const fs::path project = folder() / name;
        if (!makeDirectories(project) || !writeFileAtomic(project / "project.toml", test::tinyProject))
            qFatal("no project");
        return project;
    }
    static void compare(const fs::path& here, const fs::path& there)
    {
        const auto a = essence(here), b = essence(there);
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
            QCOMPARE(b[i], a[i]);
        QCOMPARE(b.size(), a.size());
        QVERIFY(a.size() > 10);
        QCOMPARE(weightsOf(there), weightsOf(here));
    }
    static bool waitFor(const std::function<bool()>& holds, int seconds = 60)
    {
        return QTest::qWaitFor(holds, test::patience(seconds * 1000));
    }
    static bool ended(const fs::path& run)
    {
        const auto mark = readRemoteMark(run);
        return mark && mark->ended;
    }

    /// Starts a command that shows a run, and waits until that works, however long it takes: its process.
    pid_t showUntilItWorks(const std::string& command, const fs::path& run) const
    {
        const auto begun = shell("$SPARSERL --quiet " + command + " > shown.log 2>&1 & echo $!");
        const bool works = waitFor([&] {
            const auto mark = readRemoteMark(run);
            return mark && mark->worker && !mark->ended;
        });
        return works ? std::stoi(begun.output) : -1;
    }
    /// Ends the showing only. What it said.
    std::string interrupted(pid_t shown) const
    {
        const auto said = [&] { return readFile(folder() / "shown.log").value_or(std::string()); };
        if (shown > 0 && ::kill(shown, SIGINT) == 0)
            waitFor([&] {
                return said().find("continues on ") != std::string::npos;
            }); // warnings may stand before it
        return said();
    }

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(makeDirectories(folder() / "path") && makeDirectories(folder() / "fake/home") &&
                makeDirectories(folder() / "fake/bin"));
        fs::create_symlink(SPARSERL_FAKE_SSH, folder() / "path/ssh");
        fs::create_symlink(SPARSERL_BIN_DIR "/sparserl", folder() / "fake/bin/sparserl");
        const fs::path here = makeProject("here");
        const auto ran = shell("$SPARSERL --quiet train quickstart-sft --project here " + tinyRun);
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        QVERIFY(fs::exists(here / "runs/0001-sft/checkpoints"));
    }
    void init() { mode(""); }

    // The folder there has blanks, quotes and what a shell would run.
    void equalsARunHere_data()
    {
        QTest::addColumn<bool>("rsync");
        QTest::newRow("tar") << false;
        QTest::newRow("rsync") << true;
    }
    void equalsARunHere()
    {
        QFETCH(bool, rsync);
        if (rsync) {
            fs::create_symlink(SPARSERL_FAKE_SSH, folder() / "path/rsync");
            fs::create_symlink("/bin/true", folder() / "fake/bin/rsync"); // it is asked for by name only
        }
        const char* name = rsync ? "with rsync" : "with $(touch pwned) tar";
        const fs::path project = makeProject(name);
        const std::string host = rsync ? "gpu1" : "gpu1:-a 'b\" $(touch pwned)";
        const auto ran =
            shell("P=$(cat <<'END'\n" + project.string() + "\nEND\n); H=$(cat <<'END'\n" + host +
                  "\nEND\n); $SPARSERL train quickstart-sft --project \"$P\" --host \"$H\" " + tinyRun);
        QVERIFY2(ran.status.ok(), (ran.error + ran.output).c_str());
        QVERIFY2(ran.output.find("Done on gpu1") != std::string::npos, ran.output.c_str());
        compare(folder() / "here/runs/0001-sft", project / "runs/0001-sft");
        QVERIFY(ended(project / "runs/0001-sft"));
        QVERIFY(!fs::exists(folder() / "pwned") && !fs::exists(folder() / "fake/home/pwned"));
        const auto log = readFile(folder() / "fake/log");
        QCOMPARE(log->find("/path/rsync") != std::string::npos, rsync);
        const auto listed = shell("$SPARSERL runs --project '" + project.string() + "'");
        QVERIFY2(listed.output.find("on gpu1") != std::string::npos, listed.output.c_str());
        fs::remove(folder() / "path/rsync");
    }

    // A number that comes again is another run: nothing of the one that had it is taken over.
    void aNumberThatComesAgain()
    {
        const fs::path project = makeProject("again"), other = makeProject("again-here");
        const auto train = [&](const std::string& where) {
            const auto ran =
                shell("$SPARSERL --quiet train quickstart-sft --project " + where + " " + tinyRun, 300);
            QVERIFY2(ran.status.ok(), ran.error.c_str());
        };
        train("again --host gpu1");
        fs::remove_all(project / "runs/0001-sft");
        train("again --host gpu1 --set seed=5");
        train("again-here --set seed=5");
        compare(other / "runs/0001-sft", project / "runs/0001-sft");
        QVERIFY(essence(project / "runs/0001-sft") != essence(folder() / "here/runs/0001-sft"));
    }

    // It was rolled back there once: it is done all the same.
    void doneAfterARollBack()
    {
        const fs::path project = makeProject("rolled"), run = project / "runs/0001-sft";
        const auto ran =
            shell("$SPARSERL --quiet train quickstart-sft --project rolled --host gpu1 " + tinyRun, 300);
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        const fs::path there = folder() / "fake/home" / readRemoteMark(run)->run;
        QVERIFY(fs::exists(there / "run.toml"));
        for (const fs::path& one : {run, there})
            QVERIFY(writeFileAtomic(one / "generation.json", R"({"gen":1})"));
        const auto shown = shell("$SPARSERL train --run " + run.string(), 300);
        QVERIFY2(shown.status.ok(), (shown.error + shown.output).c_str());
        // What was said when it ran is not said again.
        QVERIFY2(ran.output.find("SFT data:") == std::string::npos && // --quiet
                     shown.output.find("SFT data:") == std::string::npos,
                 shown.output.c_str());
        QVERIFY(readFile(run / "journal.jsonl")->find("SFT data:") != std::string::npos);
    }

    // Where nobody has confirmed the host on this machine, it is not contacted, whatever the run says.
    void hostsThatNobodyConfirmed()
    {
        const fs::path project = makeProject("strange"), run = project / "runs/0001-sft";
        const auto made = shell("$SPARSERL --quiet train quickstart-sft --project strange " + tinyRun, 300);
        QVERIFY2(made.status.ok(), made.error.c_str());
        QVERIFY(writeFileAtomic(run / "remote.json",
                                R"({"host":"evil","folder":"x","program":"touch","run":"x/runs/0001-sft"})"));
        QVERIFY(writeFileAtomic(folder() / "fake/log", ""));
        for (const char* command : {"remote follow ", "train --run ", "remote stop "}) {
            const auto refused = shell("$SPARSERL " + std::string(command) + run.string());
            QVERIFY(!refused.status.ok());
            if (std::string(command) != "remote stop ") // no worker works there, which is said first
                QVERIFY2(refused.error.find("which you have not confirmed") != std::string::npos,
                         refused.error.c_str());
        }
        QCOMPARE(readFile(folder() / "fake/log").value(), std::string());
    }

    // A project that somebody sent, and that the user trusts: whatever its mark says, nothing of other runs
    // there is changed, read or steered.
    void marksOfOthers()
    {
        const fs::path victim = makeProject("victim"), sent = makeProject("sent");
        const auto made =
            shell("$SPARSERL --quiet train quickstart-sft --project victim --host gpu1 " + tinyRun, 300);
        QVERIFY2(made.status.ok(), made.error.c_str());
        const RemoteMark own = *readRemoteMark(victim / "runs/0001-sft");
        const std::string project = fs::path(own.run).parent_path().parent_path().string();
        fs::create_directories(sent / "runs");
        fs::copy(folder() / "here/runs/0001-sft", sent / "runs/0001-sft", fs::copy_options::recursive);
        QVERIFY(writeFileAtomic(sent / "annotations.jsonl", "{}\n"));
        QVERIFY(makeDirectories(sent / "sft_set") && writeFileAtomic(sent / "sft_set/evil.cu", "x"));
        fs::create_directories(folder() / "fake/home/sparserl-projects/local/runs/0001-rl"); // made there
        QVERIFY(writeFileAtomic(folder() / "fake/home/sparserl-projects/local/runs/0001-rl/run.toml", "x"));
        const std::vector<std::pair<std::string, std::string>> marks{
            {own.run, ""},
            {own.run, "0123456789abcdef"},
            {own.run, own.identity},
            {project + "/runs/0009-x", "0123456789abcdef"},
            {project + "/runs/..", "0123456789abcdef"},
            {project, own.identity},
            {"./sparserl-projects/local/runs/0001-rl", ""},
            {"./sparserl-projects/../.config/runs/x", ""},
            {"/etc/runs/x", "0123456789abcdef"},
            {project + "/runs/a\nb", "0123456789abcdef"},
            {project + "/runs/0009-y", "../../x\n"}};
        const auto tree = [&] {
            std::string all;
            const auto files = listTree(folder() / "fake/home/sparserl-projects").value();
            for (const fs::path& file : files)
                all += file.string() + " " + sha256Hex(readFile(file).value()) + "\n";
            return all;
        };
        const fs::path run = sent / "runs/0001-sft";
        const auto steered = [&] { return readFile(run / "control.jsonl").value_or("none"); };
        const std::string before = tree(), commands = steered();
        for (const auto& [place, identity] : marks) {
            RemoteMark mark;
            mark.host = own.host;
            mark.folder = own.folder;
            mark.run = place;
            mark.identity = identity;
            mark.wantsStart = mark.worker = true;
            QVERIFY(writeRemoteMark(run, mark));
            // With the identity of a run that was sent, it is a copy of it: what it says is not that run's.
            const bool copy = identity == own.identity && place == own.run;
            for (const char* command :
                 {"remote follow ", "remote stop ", "control --wait 0 pause ", "remote adopt "}) {
                const bool control = std::string(command).starts_with("control");
                const auto refused =
                    shell("$SPARSERL --quiet " +
                          (control ? "control " + run.string() + " pause --wait 0" : command + run.string()));
                const bool adopts = std::string(command) == "remote adopt ";
                if (adopts &&
                    refused.status.ok()) { // the user says that it is: it is held to what lies there
                    const auto follow = shell("$SPARSERL --quiet remote follow " + run.string());
                    QVERIFY(!follow.status.ok());
                    QVERIFY2(tree() == before, place.c_str());
                    continue;
                }
                QVERIFY2(!refused.status.ok(), command);
                QVERIFY2(refused.error.find(copy ? "this is a copy: the run works on gpu1 for the original"
                                            : adopts ? "names no run in the folder of gpu1"
                                                     : "this machine has not sent the run to gpu1") !=
                             std::string::npos,
                         refused.error.c_str());
            }
            QVERIFY2(tree() == before, place.c_str());
            QCOMPARE(steered(), commands);
        }
        // Resumed, it works in a folder of its own.
        RemoteMark mark = own;
        mark.run = project + "/runs/0009-z";
        mark.identity = "0123456789abcdef";
        QVERIFY(writeRemoteMark(run, mark));
        const auto resumed = shell("$SPARSERL train --run " + run.string(), 300);
        QVERIFY2(resumed.status.ok(), resumed.error.c_str());
        QVERIFY2(resumed.error.find("the run now uses a new folder there") != std::string::npos,
                 resumed.error.c_str());
        QVERIFY(readRemoteMark(run)->run.find(project + "/") == std::string::npos);
        std::string after;
        const auto files = listTree(folder() / "fake/home/sparserl-projects").value();
        for (const fs::path& file : files)
            if (before.find(file.string() + " ") != std::string::npos)
                after += file.string() + " " + sha256Hex(readFile(file).value()) + "\n";
        QCOMPARE(after, before);
    }

    // A policy that was trained here goes along.
    void ppoFromAParentHere()
    {
        const std::string tinyPpo =
            "--parent 0001-sft --set judge.seed=7 --set threads=1 --set rl.iterations=3 --set rl.matrices=2 "
            "--set "
            "rl.samples=3 --set eval.every=2 --set checkpoint.every=1 --set eval.samples=2 --set "
            "system.every=0";
        fs::copy(folder() / "here", folder() / "ppo", fs::copy_options::recursive);
        auto ran = shell("$SPARSERL --quiet train quickstart-ppo --project here " + tinyPpo, 300);
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        ran = shell("$SPARSERL --quiet train quickstart-ppo --project ppo --host gpu1 " + tinyPpo, 300);
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        compare(folder() / "here/runs/0002-rl", folder() / "ppo/runs/0002-rl");
    }

    // A project that somebody sent, and that the user trusts, to work on a host that is confirmed: its
    // run.toml has no folder of the user sent there.
    void foldersOfTheUserStayHere()
    {
        const fs::path guest = makeProject("guest"), secret = folder() / "secret",
                       run = guest / "runs/0002-rl";
        QVERIFY(writeFileAtomic(secret / "id_rsa", "private words") &&
                writeFileAtomic(secret / "sub/tax.txt", "private words") &&
                writeFileAtomic(secret / "config.json", R"({"private words":1})") &&
                writeFileAtomic(secret / "model.safetensors", "private words"));
        auto ran = shell("$SPARSERL --quiet remote check gpu1");
        const fs::path own = folder() / "here/runs/0001-sft";
        const std::string toml = readFile(own / "run.toml").value();
        const auto at = toml.find("[run]\n");
        QVERIFY(at != std::string::npos);
        fs::create_directories(guest / "runs");
        fs::create_directory_symlink(secret, guest / "linked");
        ran = shell("$SPARSERL --quiet project trust guest");
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        RemoteMark mark;
        mark.host = "gpu1";
        mark.folder = RemoteHost().folder; // as `remote check` has confirmed it
        for (const std::string& named :
             {"parent_checkpoint = '" + secret.string() + "'",
              "parent_checkpoint = '" + folder().string() + "'",
              std::string("parent_checkpoint = '../secret'"), std::string("parent_checkpoint = 'linked'"),
              std::string("parent_checkpoint = 'runs/../../secret/sub/..'"),
              std::string("parent_run = '../../secret'")}) {
            fs::remove_all(run);
            QVERIFY(makeDirectories(run) && writeFileAtomic(run / "journal.jsonl", "") &&
                    writeFileAtomic(run / "run.toml", std::string(toml).insert(at + 6, named + "\n")) &&
                    writeRemoteMark(run, mark));
            ran = shell("$SPARSERL --quiet train --run " + run.string());
            QVERIFY2(!ran.status.ok(), named.c_str());
            QVERIFY2(ran.error.find("not named it on this machine") != std::string::npos ||
                         ran.error.find("the policy to start from is not there") != std::string::npos,
                     (named + ran.error).c_str());
            const auto arrived = listTree(folder() / "fake/home").value();
            for (const fs::path& file : arrived)
                QVERIFY2(readFile(file).value_or("").find("private words") == std::string::npos,
                         file.c_str());
        }
    }

    // Connections end after any number of bytes, and the follower is killed again and again.
    void nothingIsLostNothingComesTwice()
    {
        const fs::path project = makeProject("broken"), run = project / "runs/0001-sft";
        const pid_t shown =
            showUntilItWorks("train quickstart-sft --project broken --host gpu1 " + tinyRun, run);
        QVERIFY(shown > 0); // what is sent must hold
        mode("drop 2000 90000");
        ::kill(shown, SIGINT); // which ends the showing only
        QVERIFY(!ended(run));
        for (int kills = 0; kills < 5 && !ended(run); ++kills) {
            if (const auto holder = FileLock::holder(run / followerLock))
                ::kill(*holder, SIGKILL);
            shell("timeout 3 $SPARSERL remote follow " + run.string());
        }
        mode("drop 60000 400000");
        const auto last = shell("$SPARSERL remote follow " + run.string(), 200);
        QVERIFY2(ended(run), last.error.c_str());
        mode("");
        compare(folder() / "here/runs/0001-sft", run);
    }

    void commandsArrive()
    {
        const fs::path project = makeProject("steered"), run = project / "runs/0001-sft";
        const std::string started = interrupted(showUntilItWorks(
            "train quickstart-sft --project steered --host gpu1 " + std::string(test::tinySft) +
                " --set sft.steps=100000 --set eval.every=50000 --set checkpoint.every=50",
            run));
        QVERIFY2(started.find("continues on gpu1") != std::string::npos, started.c_str());
        const auto says = [&](const char* word) {
            return waitFor([&] {
                for (const std::string& line : essence(run))
                    if (line.find(word) != std::string::npos)
                        return true;
                return false;
            });
        };
        ControlCommand change;
        change.kind = ControlCommand::Kind::Set;
        change.key = "sft.lr";
        change.value = "0.000123";
        const auto id = appendControl(run, change);
        QVERIFY(id && says("0.000123"));
        QVERIFY(says(id->c_str()));
        // Here nobody may work on it meanwhile.
        const auto here = shell("$SPARSERL worker " + run.string());
        QVERIFY(!here.status.ok() && here.error.find("another machine") != std::string::npos);
        // The connection is away: it says so, and the command waits.
        mode("refuse");
        ::kill(*FileLock::holder(run / followerLock), SIGKILL);
        QVERIFY(waitFor([&] { return !isReached(run, *readRemoteMark(run)); }));
        const auto away = shell("$SPARSERL runs --project steered");
        QVERIFY2(away.output.find("unreached") != std::string::npos &&
                     away.output.find("reached since") != std::string::npos,
                 away.output.c_str());
        mode("");
        auto stopped = shell("$SPARSERL remote stop " + run.string());
        QVERIFY2(stopped.status.ok(), stopped.error.c_str());
        QVERIFY(waitFor([&] { return ended(run); }));
        QVERIFY(says("paused"));
        // Resumed, the stop of before is not for it.
        const std::string resumed = interrupted(showUntilItWorks("train --run " + run.string(), run));
        QVERIFY2(resumed.find("continues on gpu1") != std::string::npos, resumed.c_str());
        stopped = shell("$SPARSERL remote stop " + run.string());
        QVERIFY(waitFor([&] { return ended(run); }));
    }

    // A worker that dies there before it has begun is known as failed, with its last words, once the other
    // side was heard of.
    void aWorkerThatDiesThereHasFailed()
    {
        makeProject("dies");
        mode("memory 400000"); // too little for LibTorch
        const auto ran =
            shell("$SPARSERL --quiet train quickstart-sft --project dies --host gpu1 " + tinyRun, 300);
        mode("");
        const fs::path run = folder() / "dies/runs/0001-sft";
        QVERIFY2(!ran.status.ok() && fs::exists(run), (ran.error + ran.output).c_str());
        const auto listed = shell("$SPARSERL --json runs --project dies");
        const auto json = nlohmann::json::parse(listed.output, nullptr, false);
        QVERIFY2(json.is_object(), (listed.output + listed.error).c_str());
        QCOMPARE(json.value("status", std::string()), std::string("failed"));
        const std::string reason = json.value("reason", std::string());
        QVERIFY2(reason.starts_with("gpu1 says: ") && reason.find("ulimit -v") != std::string::npos,
                 listed.output.c_str());
        QVERIFY(ended(run));
    }

    // What the other side itself answers ends a follower with that sentence: it says the same next time.
    void followersEndWithAnAnswer()
    {
        const fs::path project = makeProject("answered"), run = project / "runs/0001-sft";
        const auto made =
            shell("$SPARSERL --quiet train quickstart-sft --project answered --host gpu1 " + tinyRun, 300);
        QVERIFY2(made.status.ok(), made.error.c_str());
        auto mark = *readRemoteMark(run);
        const fs::path there = folder() / "fake/home" / mark.run, program = folder() / "fake/bin/sparserl";
        const auto follow = [&](bool start, const char* says) {
            mark.ended = false;
            mark.wantsStart = start;
            QVERIFY(writeRemoteMark(run, mark));
            const auto ends = shell("$SPARSERL --quiet remote follow " + run.string(), 60);
            QCOMPARE(ends.status.code, 1);
            QVERIFY2(ends.error.find(says) != std::string::npos, ends.error.c_str());
            QCOMPARE(std::count(ends.error.begin(), ends.error.end(), '\n'), 1);
            const auto noted = readRemoteMark(run);
            QVERIFY(noted && noted->answered && noted->problem.find(says) != std::string::npos);
            QVERIFY(!noted->connected && !noted->ended);
        };
        // No worker can be started there: its output has no place.
        fs::rename(there / "worker.log", there / "away.log");
        QVERIFY(makeDirectories(there / "worker.log"));
        follow(true, "worker.log");
        fs::remove(there / "worker.log");
        fs::rename(there / "away.log", there / "worker.log");
        // Another run, another version, no run.
        const auto identity = readFile(there / identityFile);
        QVERIFY(identity && writeFileAtomic(there / identityFile, "another\n"));
        follow(false, "holds another run");
        QVERIFY(writeFileAtomic(there / identityFile, *identity));
        const std::string greeting = encodeFrame({{"server", wireVersion + 1}, {"version", "99"}});
        fs::rename(program, folder() / "fake/bin/ours");
        QVERIFY(writeFileAtomic(program, "#!/bin/sh\ncat <<'END'\n" + greeting + "END\ncat > /dev/null\n"));
        fs::permissions(program, fs::perms::owner_all);
        follow(false, "has version 99");
        fs::remove(program);
        fs::rename(folder() / "fake/bin/ours", program);
        fs::rename(there, folder() / "gone");
        follow(false, "the run is not there any more");
        fs::rename(folder() / "gone", there);
        // Mended, it goes on.
        const auto again = shell("$SPARSERL --quiet remote follow " + run.string(), 60);
        QVERIFY2(again.status.ok() && ended(run), again.error.c_str());
    }

    void refusalsSayWhatToDo_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("says");
        QTest::newRow("no key") << "permission"
                                << "gpu1"
                                << "ssh-copy-id gpu1";
        QTest::newRow("unknown host key") << "hostkey"
                                          << "gpu1"
                                          << "compare the key";
        QTest::newRow("no server") << "refuse"
                                   << "gpu1"
                                   << "refuses connections";
        QTest::newRow("option") << ""
                                << "-oProxyCommand=touch${IFS}pwned"
                                << "is not the name of a host";
        QTest::newRow("shell") << ""
                               << "$(touch pwned)"
                               << "is not the name of a host";
        QTest::newRow("line break") << ""
                                    << "gpu1:a\nb"
                                    << "cannot be used on another machine";
    }
    void refusalsSayWhatToDo()
    {
        QFETCH(QString, how);
        QFETCH(QString, host);
        QFETCH(QString, says);
        mode(how.toStdString());
        const fs::path project = makeProject("refused");
        const auto ran = shell("H=$(cat <<'END'\n" + host.toStdString() +
                               "\nEND\n); $SPARSERL train quickstart-sft --project refused "
                               "--host=\"$H\" " +
                               tinyRun);
        QCOMPARE(ran.status.code, how.isEmpty() ? 2 : 1); // Without a machine to ask, the words are at fault.
        QVERIFY2(ran.error.find(says.toStdString()) != std::string::npos, ran.error.c_str());
        QVERIFY(!fs::exists(project / "runs/0001-sft"));
        QVERIFY(!fs::exists(folder() / "pwned") && !fs::exists(folder() / "fake/home/pwned"));
    }

    void checkSaysWhatIsThere()
    {
        mode("noisy"); // a login shell that prints is skipped
        const auto ran = shell("$SPARSERL --json remote check gpu1");
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        QVERIFY(ran.output.find("\"version\"") != std::string::npos);
        QVERIFY(ran.output.find("\"key\"") != std::string::npos);
        fs::rename(folder() / "fake/bin/sparserl", folder() / "fake/bin/away");
        const auto missing = shell("$SPARSERL remote check gpu1");
        fs::rename(folder() / "fake/bin/away", folder() / "fake/bin/sparserl");
        QCOMPARE(missing.status.code, 1);
        QVERIFY2(missing.error.find("no program") != std::string::npos, missing.error.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCliRemote)
#include "tst_cli_remote.moc"
