// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/subprocess.h"
#include "base/time.h"
#include "tests/patience.h"

#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace sparserl;

namespace {

SpawnOptions shell(const std::string& script)
{
    SpawnOptions options;
    options.argv = {"sh", "-c", script};
    return options;
}

} // namespace

class TestSubprocess : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void collectsOutputs()
    {
        const auto run = runToEnd(shell("cat; echo err >&2; exit 3"), "hello");
        QVERIFY(run.has_value());
        QCOMPARE(run->output, std::string("hello"));
        QCOMPARE(run->error, std::string("err\n"));
        QCOMPARE(run->status.code, 3);
        QCOMPARE(run->status.sentence(), std::string("ended with status 3"));
        QVERIFY(!run->timedOut);
    }

    void largeInputAndOutputDoNotDeadlock()
    {
        const std::string input(3 << 20, 'x');
        const auto run = runToEnd(shell("cat"), input, 30);
        QVERIFY(run.has_value());
        QCOMPARE(run->output.size(), input.size());
        QVERIFY(run->status.ok());
    }

    void aChildThatDoesNotReadIsNoSigpipe()
    {
        const auto run = runToEnd(shell("exit 0"), std::string(1 << 20, 'x'), 30);
        QVERIFY(run.has_value());
        QVERIFY(run->status.ok());
        auto child = spawn([] {
            auto options = shell("exec <&-; sleep 0.2");
            options.input = StreamEnd::pipe();
            return options;
        }());
        QVERIFY(child.has_value());
        QVERIFY(child->wait(test::patienceSeconds()).has_value());
        QVERIFY(!writeAll(child->inputFd(), std::string(1 << 20, 'x')).has_value());
    }

    void missingProgramsAreErrors()
    {
        SpawnOptions options;
        options.argv = {"/no/such/program"};
        const auto child = spawn(options);
        QVERIFY(!child.has_value());
        QVERIFY(child.error().sentence().find("/no/such/program") != std::string::npos);
        QVERIFY(!spawnDetached(options).has_value());
        options.argv = {};
        QVERIFY(!spawn(options).has_value());
        options = shell("true");
        options.workingDirectory = "/no/such/folder";
        QVERIFY(!spawn(options).has_value());
    }

    void timeLimitKillsTheWholeGroup()
    {
        // The grandchild holds the pipe open: only a group kill ends the run early.
        const auto run = runToEnd(shell("sleep 1000 & sleep 1000"), {}, 0.2);
        QVERIFY(run.has_value());
        QVERIFY(run->timedOut);
        QVERIFY(run->status.signalled);
        QCOMPARE(run->status.code, SIGKILL);
    }

    void theFirstWordHasALimitOfItsOwn()
    {
        const auto silent = runToEnd(shell("echo banner >&2; sleep 60"), {}, 600, 0.2);
        QVERIFY(silent && silent->timedOut && silent->isSilent);
        const auto spoke = runToEnd(shell("echo here; sleep 1; echo end"), {}, 600, 0.9);
        QVERIFY(spoke && !spoke->timedOut && !spoke->isSilent);
        QCOMPARE(spoke->output, std::string("here\nend\n"));
        const auto late = runToEnd(shell("echo here; sleep 60"), {}, 0.5, 0.2);
        QVERIFY(late && late->timedOut && !late->isSilent);
    }

    void environmentFolderAndFiles()
    {
        auto dir = TempDir::create();
        auto options = shell("echo $ONE$TWO; pwd; cat");
        options.environment = std::vector<std::string>{"ONE=1", "PATH=/usr/bin:/bin"};
        options.extraEnvironment = {{"TWO", "2"}};
        options.workingDirectory = dir->path();
        QVERIFY(writeFileAtomic(dir->path() / "in", "input\n").has_value());
        options.input = StreamEnd::toFile(dir->path() / "in");
        options.output = StreamEnd::toFile(dir->path() / "out");
        auto child = spawn(options);
        QVERIFY(child.has_value());
        QVERIFY(child->wait(test::patienceSeconds()).value().ok());
        QCOMPARE(readFile(dir->path() / "out").value(),
                 "12\n" + std::filesystem::canonical(dir->path()).string() + "\ninput\n");
    }

    void onlyKeptDescriptorsReachTheChild()
    {
        const int leaked = ::open("/dev/null", O_RDONLY); // Without O_CLOEXEC, as a careless library would.
        const int kept = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        auto options = shell("ls /proc/self/fd | tr '\\n' ' '");
        options.keepDescriptors = {kept};
        const auto run = runToEnd(options);
        ::close(leaked);
        ::close(kept);
        QVERIFY(run.has_value());
        const std::string list = " " + run->output;
        QVERIFY(list.find(" " + std::to_string(leaked) + " ") == std::string::npos);
        QVERIFY(list.find(" " + std::to_string(kept) + " ") != std::string::npos);
    }

    void limits()
    {
        auto options = shell("ulimit -v; ulimit -n; ulimit -t");
        options.addressSpaceBytes = 1024 * 1024 * 1024;
        options.openFiles = 50;
        options.cpuSeconds = 7;
        const auto run = runToEnd(options);
        QVERIFY(run.has_value());
        QCOMPARE(run->output, std::string("1048576\n50\n7\n"));
    }

    void destructorEndsTheGroup()
    {
        pid_t pid = 0;
        {
            auto child = spawn(shell("sleep 60"));
            QVERIFY(child.has_value());
            pid = child->pid();
            QVERIFY(processExists(pid));
            QVERIFY(!child->poll().has_value());
            QVERIFY(!child->wait(0.01).has_value());
        }
        QVERIFY(!processExists(pid));
    }

    void detachedProcessesAreNobodysChildren()
    {
        auto dir = TempDir::create();
        auto options = shell("echo started; exec sleep 60");
        options.output = StreamEnd::toFile(dir->path() / "log");
        const auto pid = spawnDetached(options);
        QVERIFY(pid.has_value());
        QTRY_COMPARE_WITH_TIMEOUT(readFile(dir->path() / "log").value_or(""), std::string("started\n"),
                                  test::patience());
        QCOMPARE(::getsid(*pid), *pid);
        QVERIFY(processExists(*pid));
        ::kill(*pid, SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(
            !processExists(*pid) ||
                readFile("/proc/" + std::to_string(*pid) + "/stat").value_or("").find(") Z ") !=
                    std::string::npos,
            test::patience());
    }

    void streamsEndWithASentence()
    {
        std::array<int, 2> ends{};
        QCOMPARE(::pipe(ends.data()), 0);
        QVERIFY(writeAll(ends[1], "abc").has_value());
        ::close(ends[1]);
        std::array<char, 8> buffer{};
        QVERIFY(readExactly(ends[0], buffer.data(), 2).has_value());
        const auto torn = readExactly(ends[0], buffer.data(), 2);
        QCOMPARE(torn.error().what, std::string("the stream ended in the middle of a message"));
        const auto ended = readExactly(ends[0], buffer.data(), 2);
        QCOMPARE(ended.error().what, std::string("end of stream"));
        ::close(ends[0]);
    }

    void knowsItself() { QCOMPARE(executablePath().filename().string(), std::string("tst_base_subprocess")); }
};

QTEST_GUILESS_MAIN(TestSubprocess)
#include "tst_subprocess.moc"
