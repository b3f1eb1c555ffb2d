// SPDX-License-Identifier: Apache-2.0
// What a run takes of its machine: from files of /proc that are written by hand, and from a driver of our
// own.
#include "base/files.h"
#include "base/limits.h"
#include "base/subprocess.h"
#include "machine/gpu_readings.h"
#include "machine/process_usage.h"
#include "machine/system_monitor.h"
#include "machine/system_sampler.h"
#include "tests/patience.h"

#include <QtTest>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    if (const auto status = writeFileAtomic(path, text); !status)
        qFatal("%s", status.error().sentence().c_str());
}

/// A line of /proc/PID/stat as proc(5) has it.
std::string statLine(int process, const std::string& name, const std::string& times, const std::string& pages)
{
    return std::to_string(process) + " (" + name + ") S 1 200 200 34816 -1 4194304 11 22 33 44 " + times +
           " 20 0 4 0 987654 18446744073 " + pages + " 18446744073709551615 1 1 0 0 0\n";
}

/// A folder like /proc, with times in 1/100 s and pages of 4 KiB.
class FakeProc
{
public:
    explicit FakeProc(fs::path path)
        : m_path(std::move(path))
    {
        fs::remove_all(m_path);
    }
    const fs::path& path() const { return m_path; }
    ProcessSource source(int process = 200) const { return {m_path, process, 100, 4096}; }

    /// `children` of each of its threads.
    void add(int process, const std::string& times, int pages, const std::vector<std::string>& children = {},
             const std::string& name = "sparserl")
    {
        const fs::path folder = m_path / std::to_string(process);
        write(folder / "stat", statLine(process, name, times, std::to_string(pages)));
        for (std::size_t thread = 0; thread < std::max<std::size_t>(1, children.size()); ++thread)
            write(folder / "task" / std::to_string(process + static_cast<int>(thread)) / "children",
                  children.empty() ? "" : children[thread]);
    }
    void addIo(int process, long read, long written)
    {
        write(m_path / std::to_string(process) / "io",
              "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: " + std::to_string(read) +
                  "\nwrite_bytes: " + std::to_string(written) + "\ncancelled_write_bytes: 7\n");
    }
    void addMemory(long kib)
    {
        write(m_path / "meminfo", "MemTotal:       99999999 kB\nMemFree:        11 kB\nMemAvailable:   " +
                                      std::to_string(kib) + " kB\nBuffers: 5 kB\n");
    }

private:
    fs::path m_path;
};

constexpr double gib = 1 << 30;

} // namespace

class TestSystem : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void statHasAnyName_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("plain") << "sparserl";
        QTest::newRow("blanks") << "a worker";
        QTest::newRow("brackets") << "(sd-pam) 1 2 3)";
        QTest::newRow("numbers behind a bracket") << "x) S 9 9 9 9 9 9 9 9 9 9 9 9 9 9";
        QTest::newRow("a line feed") << "two\nlines";
        QTest::newRow("none") << "";
    }
    void statHasAnyName()
    {
        QFETCH(QString, name);
        const auto stat = parseProcessStat(statLine(7, name.toStdString(), "101 202 30 4", "55"));
        QVERIFY(stat.has_value());
        QCOMPARE(stat->ownTicks, 303);
        QCOMPARE(stat->waitedTicks, 34);
        QCOMPARE(stat->residentPages, 55);
        QVERIFY(!stat->ended);
    }

    void whatIsNoStatIsNone()
    {
        for (const char* text : {"", "200", "200 (sparserl", "200 (sparserl) S", "200 (sparserl) S 1 2 3",
                                 "200 (x) S 1 2 3 4 5 6 7 8 9 10 a b c d 1 2 3 4 5 6 7"})
            QVERIFY2(!parseProcessStat(text), text);
    }

    void aTreeIsAddedUp()
    {
        FakeProc proc("tree");
        proc.add(200, "1000 500 200 100", 1000, {"201 202 ", "", "203"}, "sparserl worker");
        proc.add(201, "100 50 0 0", 10, {}, "runner (1)");
        proc.add(202, "10 5 1 1", 20, {"204"});
        proc.add(203, "1 1 0 0", 40);
        proc.add(204, "7 0 0 0", 80);
        proc.add(999, "5000 5000 5000 5000", 9999); // somebody else's
        proc.addIo(200, 1000, 100);
        proc.addIo(202, 30, 3); // of the others there is none: they may not be looked at
        const auto usage = readProcessUsage(proc.source());
        QVERIFY(usage.has_value());
        QCOMPARE(usage->cpuSeconds, (1800 + 150 + 17 + 2 + 7) / 100.0);
        QCOMPARE(usage->ownBytes, 1000 * 4096);
        QCOMPARE(usage->descendantBytes, (10 + 20 + 40 + 80) * 4096);
        QCOMPARE(usage->readBytes, std::optional<std::int64_t>(1030));
        QCOMPARE(usage->writtenBytes, std::optional<std::int64_t>(103));
    }

    void oneThatVanishesIsLeftOut()
    {
        FakeProc proc("vanishing");
        proc.add(200, "1000 0 0 0", 10, {"201 202 203"});
        proc.add(202, "100 0 0 0", 5);                        // 201 is gone altogether
        fs::create_directories(proc.path() / "203" / "task"); // and 203 while it was looked at
        write(proc.path() / "203" / "stat", "");
        const auto usage = readProcessUsage(proc.source());
        QVERIFY(usage.has_value());
        QCOMPARE(usage->cpuSeconds, 11.0);
        QCOMPARE(usage->descendantBytes, 5 * 4096);
        QVERIFY(!usage->readBytes);
        QVERIFY(!readProcessUsage(proc.source(300)));
        QVERIFY(!readProcessUsage({"nowhere at all", 200}));
    }

    void freeMemory()
    {
        FakeProc proc("memory");
        const std::filesystem::path group = proc.path() / "group";
        QVERIFY(!machineMemory(proc.path(), group));
        proc.addMemory(2048);
        QCOMPARE(machineMemory(proc.path(), group).value_or(MachineMemory()).available,
                 std::int64_t(2048 * 1024));
        std::filesystem::create_directories(group);
        const auto available = [&](const char* limit) {
            return writeFileAtomic(group / "memory.max", limit) ? machineMemory(proc.path(), group)->available
                                                                : -1;
        };
        QCOMPARE(available("max\n"), std::int64_t(2048 * 1024));
        QCOMPARE(available("1048576\n"), std::int64_t(1048576)); // of a container
    }

    /// Against what the system itself says of this process and a child that works.
    void thisProcess()
    {
        const auto before = readProcessUsage();
        QVERIFY(before.has_value());
        QVERIFY(before->ownBytes > 1 << 20);
        int ready[2];
        QCOMPARE(pipe(ready), 0);
        const pid_t child = fork();
        if (child == 0) {
            while (std::clock() < CLOCKS_PER_SEC / 5) { // CPU time, of which a busy machine gives little
            }
            static_cast<void>(::write(ready[1], "x", 1));
            pause();
            _exit(0);
        }
        char byte = 0;
        QCOMPARE(::read(ready[0], &byte, 1), 1);
        const auto during = readProcessUsage();
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const auto after = readProcessUsage();
        close(ready[0]);
        close(ready[1]);
        QVERIFY(during && after);
        // The child counts while it lives and after it has ended; only its memory goes.
        const double worked = during->cpuSeconds - before->cpuSeconds;
        QVERIFY2(worked > 0.02, qPrintable(QString::number(worked)));
        QVERIFY(after->cpuSeconds >= during->cpuSeconds - 0.011);
        QVERIFY(during->descendantBytes > before->descendantBytes);
        QCOMPARE(after->descendantBytes, before->descendantBytes);
    }

    void samplesBecomeRates()
    {
        const auto sample = [](double at, double cpu, std::int64_t own, std::int64_t free) {
            SystemSample made;
            made.at = at;
            made.processes = ProcessUsage{cpu, own, own / 2, 1000 * std::int64_t(cpu), std::nullopt};
            made.freeBytes = free;
            return made;
        };
        SystemAccount account;
        QCOMPARE(account.take().samples, 0U);
        account.add(sample(100, 10, 500, 70));
        SystemUse use = account.take();
        QCOMPARE(use.samples, 1U); // memory is known at once, a rate is not
        QVERIFY(!use.cores);
        QCOMPARE(use.processes.ownBytes, 500);
        account.add(sample(101, 14, 900, 30));
        account.add(sample(104, 16, 600, 50));
        use = account.take();
        QCOMPARE(use.seconds, 4.0);
        QCOMPARE(use.cores, std::optional(1.5)); // from the sample that was taken before
        QCOMPARE(use.processes.ownBytes, 900);
        QCOMPARE(use.processes.descendantBytes, 450);
        QCOMPARE(use.freeBytes, std::optional<std::int64_t>(30));
        QCOMPARE(use.readPerSecond, std::optional(1500.0));
        QVERIFY(!use.writtenPerSecond);
        // A descendant that nobody waited for takes its seconds with it.
        account.add(sample(106, 12, 600, 50));
        QCOMPARE(account.take().cores, std::optional(0.0));
        SystemSample lost;
        lost.at = 108;
        account.add(lost);
        QVERIFY(!account.take().cores);
    }

    void gpusAreAveraged()
    {
        SystemAccount account;
        SystemSample sample;
        sample.gpus = {{10, 4 * gib, 139 * gib, 100, 50, 1000}, {}};
        account.add(sample);
        sample.at = 1;
        sample.gpus = {{90, 2 * gib, 139 * gib, std::nullopt, 60, 2000}, {}};
        account.add(sample);
        const SystemUse use = account.take();
        QCOMPARE(use.gpus.size(), 2U);
        QCOMPARE(use.gpus[0].utilisation, std::optional(50.0));
        QCOMPARE(use.gpus[0].memoryUsed, std::optional(4 * gib)); // the most
        QCOMPARE(use.gpus[0].watts, std::optional(100.0));        // of the one sample that has it
        QCOMPARE(use.gpus[0].celsius, std::optional(55.0));
        QCOMPARE(use.gpus[0].smClock, std::optional(1500.0));
        QVERIFY(!use.gpus[1].utilisation && !use.gpus[1].memoryUsed);
    }

    void gpusThatAnswerAndGpusThatDoNot()
    {
        qputenv("SPARSERL_FAKE_NVML", "good busy failing lost bare");
        {
            const auto gpus = GpuReadings::open(SPARSERL_FAKE_NVML);
            QVERIFY2(gpus, gpus ? "" : gpus.error().sentence().c_str());
            const auto all = gpus->read();
            QCOMPARE(all.size(), 5U);
            QCOMPARE(all[0].utilisation, std::optional(12.0));
            QCOMPARE(all[0].memoryUsed, std::optional(3 * gib));
            QCOMPARE(all[0].memoryTotal, std::optional(139 * gib));
            QCOMPARE(all[0].watts, std::optional(75.5));
            QCOMPARE(all[0].celsius, std::optional(31.0));
            QCOMPARE(all[0].smClock, std::optional(345.0));
            QCOMPARE(all[1].utilisation, std::optional(87.0));
            QCOMPARE(all[1].memoryUsed, std::optional(41 * gib));
            QCOMPARE(all[1].watts, std::optional(412.25));
            for (const std::size_t silent : {2, 3})
                QVERIFY(!all[silent].utilisation && !all[silent].memoryUsed && !all[silent].memoryTotal &&
                        !all[silent].watts && !all[silent].celsius && !all[silent].smClock);
            QVERIFY(!all[4].utilisation && !all[4].watts);
            QCOMPARE(all[4].memoryUsed, std::optional(3 * gib));
            QCOMPARE(started(), 1);
        }
        QCOMPARE(started(), 0); // shut down again
    }

    void noDriverIsNormal()
    {
        QVERIFY(!GpuReadings::open("/nowhere/libnvidia-ml.so.1"));
        qputenv("SPARSERL_FAKE_NVML", "broken");
        QVERIFY(!GpuReadings::open(SPARSERL_FAKE_NVML));
        const auto other = GpuReadings::open("libz.so.1");
        QVERIFY(!other);
        QVERIFY(other.error().sentence().find("libz.so.1") != std::string::npos);
        const SystemSampler sampler({{}, fs::current_path(), "/nowhere/libnvidia-ml.so.1"});
        const auto sample = sampler.sample();
        QVERIFY(sample.gpus.empty());
        QVERIFY(sample.processes && sample.freeBytes && sample.diskFreeBytes);
        QCOMPARE(*sample.diskFreeBytes / (1 << 30),
                 static_cast<std::int64_t>(fs::space(fs::current_path()).available) / (1 << 30));
    }

    void aMonitorWatches()
    {
        FakeProc proc("monitor");
        proc.add(200, "100 0 0 0", 10);
        proc.addMemory(1024);
        qputenv("SPARSERL_FAKE_NVML", "busy good");
        SystemMonitor monitor({proc.source(), {}, SPARSERL_FAKE_NVML}, std::chrono::hours(1));
        SystemUse use;
        QTRY_VERIFY_WITH_TIMEOUT((use = monitor.take()).samples > 0, test::patience());
        QCOMPARE(use.gpus.size(), 2U);
        QCOMPARE(use.gpus[0].utilisation, std::optional(87.0));
        // Asking is what makes it look: nothing is waited for.
        proc.add(200, "200 0 0 0", 30);
        use = monitor.take();
        QCOMPARE(use.samples, 1U);
        QCOMPARE(use.processes.ownBytes, 30 * 4096);
        QVERIFY(use.cores && *use.cores > 0);
    }

    /// The driver does not answer before the test lets it: what waited for it would never come back.
    void aDriverThatDoesNotAnswerHoldsNothingUp()
    {
        void* library = dlopen(SPARSERL_FAKE_NVML, RTLD_NOW);
        QVERIFY(library);
        const auto hold = reinterpret_cast<void (*)(int)>(dlsym(library, "fakeNvmlHold"));
        const auto waiting = reinterpret_cast<int (*)()>(dlsym(library, "fakeNvmlWaiting"));
        const auto started = reinterpret_cast<int (*)()>(dlsym(library, "fakeNvmlStarted"));
        QVERIFY(hold && waiting && started);
        qputenv("SPARSERL_FAKE_NVML", "held");
        hold(1);
        {
            SystemMonitor monitor({{}, {}, SPARSERL_FAKE_NVML});
            QVERIFY(test::comesTrue([&] { return waiting() == 1; }));
            static_cast<void>(monitor.take());
            QCOMPARE(waiting(), 1);
        }
        // Its thread is still in the driver, which must stay good for it until it has ended.
        QCOMPARE(waiting(), 1);
        hold(0);
        QVERIFY(test::comesTrue([&] { return started() == 0; }));
        dlclose(library);
    }

    /// No timed test: what one costs is said, to be read.
    void whatASampleCosts()
    {
        const SystemSampler sampler({{}, fs::current_path(), {}});
        static_cast<void>(sampler.sample());
        QElapsedTimer timer;
        timer.start();
        constexpr int count = 200;
        for (int i = 0; i < count; ++i)
            static_cast<void>(sampler.sample());
        qInfo("a sample takes %.3f ms", static_cast<double>(timer.nsecsElapsed()) / 1e6 / count);
    }

private:
    /// How often the fake library was started and not shut down.
    static int started()
    {
        void* library = dlopen(SPARSERL_FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
        const auto count = reinterpret_cast<int (*)()>(dlsym(library, "fakeNvmlStarted"));
        return count();
    }
};

QTEST_GUILESS_MAIN(TestSystem)
#include "tst_system.moc"
