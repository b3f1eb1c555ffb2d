// SPDX-License-Identifier: Apache-2.0
// Several real processes that train one run: the same curve as one alone, one that is killed, commands to a
// run, other numbers of processes after a resume, those that never come.
#include "base/files.h"
#include "programs.h"
#include "project/files/project.h"
#include "project/run/control.h"
#include "project/run/journal.h"
#include "project/run/metrics.h"
#include "project/run/run_directory.h"
#include "tests/patience.h"

#include <QTemporaryDir>
#include <QTest>

#include <arpa/inet.h>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <netinet/in.h>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace sparserl;
using namespace sparserl::test;

namespace fs = std::filesystem;

namespace {

/// Metrics by split, step and name, without those that measure the machine.
std::map<std::string, double> metricsOf(const fs::path& run)
{
    std::map<std::string, double> all;
    const auto entries = readWholeJournal(run);
    if (!entries)
        qFatal("%s", entries.error().sentence().c_str());
    for (const auto& entry : *entries) {
        const auto* metric = std::get_if<MetricEvent>(&entry.event);
        if (metric == nullptr || metric->split == systemSplit)
            continue;
        for (const auto& [name, value] : metric->values) {
            if (!name.starts_with("timing") && !name.starts_with("perf/time") &&
                !name.starts_with("perf/throughput"))
                all[metric->split + " " + std::to_string(entry.step) + " " + name] = value;
        }
    }
    return all;
}

std::string lastReason(const fs::path& run)
{
    const auto opened = RunDirectory::open(run);
    const auto state = opened ? opened->lastState() : std::nullopt;
    return state ? std::string(nameOf(state->state)) + " " + state->reason : std::string();
}

/// Programs that were sampled, in the journal's order.
std::vector<std::string> samplesOf(const fs::path& run)
{
    std::vector<std::string> hashes;
    const auto entries = readWholeJournal(run);
    for (const auto& entry : *entries) {
        if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
            hashes.push_back(sample->target.name + " " + sample->programHash);
    }
    return hashes;
}

/// Children of a process.
std::vector<pid_t> childrenOf(pid_t parent)
{
    std::vector<pid_t> children;
    std::error_code code;
    for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", parent), code)) {
        std::istringstream text(readFile(task.path() / "children").value_or(""));
        for (pid_t child = 0; text >> child;)
            children.push_back(child);
    }
    return children;
}

/// Those of them that are processes of a run, not runners.
std::vector<pid_t> workersOf(pid_t parent)
{
    auto children = childrenOf(parent);
    std::erase_if(children, [](pid_t child) {
        const auto line = readFile(fmt::format("/proc/{}/cmdline", child)).value_or("");
        return line.find(std::string("\0worker\0", 8)) == std::string::npos;
    });
    return children;
}

} // namespace

class CliProcessesTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path folder() const { return m_folder.path().toStdString(); }
    fs::path run(const std::string& name) const { return folder() / "runs" / name; }
    RunOutput mustRun(const std::string& line) const
    {
        auto output = shell(folder(), line, 240);
        if (!output.status.ok())
            qFatal("%s: %s%s", line.c_str(), output.output.c_str(), output.error.c_str());
        return output;
    }
    void compareCurves(const std::string& one, const std::string& several) const
    {
        const auto a = metricsOf(run(one)), b = metricsOf(run(several));
        QVERIFY(a.size() > 20);
        QCOMPARE(b.size(), a.size());
        for (const auto& [name, value] : a) {
            // Extremes over micro-batches: those are other ones.
            if (name.find("low_min") != std::string::npos || name.find("high_max") != std::string::npos ||
                name.find("ratio_var") != std::string::npos)
                continue;
            QVERIFY2(b.contains(name), name.c_str());
            const double other = b.at(name);
            QVERIFY2((std::isnan(value) && std::isnan(other)) ||
                         std::abs(value - other) <= 1e-4 * std::max(1.0, std::abs(value)),
                     fmt::format("{}: {} and {}", name, value, other).c_str());
        }
    }
    /// Whether a checkpoint of this step or a later one comes.
    bool comesTo(const std::string& name, std::int64_t step) const
    {
        return test::comesTrue([&] {
            const auto checkpoints = listCheckpoints(run(name));
            return !checkpoints.empty() && checkpoints.back().step >= step;
        });
    }
    /// A long SFT run, started in the background, once it has its first checkpoints.
    Subprocess longRun(const std::string& name, int processes) const
    {
        SpawnOptions options;
        options.argv = {
            "/bin/bash", "-c",
            fmt::format("exec $SPARSERL train quickstart-sft --project . --run runs/{} --nproc {} {} "
                        "--set sft.steps=100000 --set checkpoint.every=2 --set eval.every=0 "
                        "> {}.out 2>&1",
                        name, processes, tinySft, name)};
        options.workingDirectory = folder();
        options.extraEnvironment = {{"SPARSERL", SPARSERL_BIN_DIR "/sparserl"}};
        auto process = spawn(options);
        if (!process)
            qFatal("%s", process.error().sentence().c_str());
        if (comesTo(name, 2))
            return std::move(*process);
        qFatal("%s", readFile(folder() / (name + ".out")).value_or("no output").c_str());
    }

private Q_SLOTS:
    /// A run that cannot even begin has failed, and its journal says why: nobody waits for it.
    void aRunThatCannotBegin()
    {
        const fs::path project = folder() / "without matrices";
        const auto made = Project::create(project, "empty");
        QVERIFY(made.has_value());
        RunConfig config;
        config.stage = "sft";
        config.project = project.string();
        const fs::path at = project / "runs" / "0001-sft";
        QVERIFY(RunDirectory::create(at, config).has_value());
        const auto ended = shell(folder(), "$SPARSERL worker 'without matrices/runs/0001-sft'", 120);
        QVERIFY(!ended.status.ok());
        QVERIFY2(lastReason(at).starts_with("failed") &&
                     lastReason(at).find("no matrices") != std::string::npos,
                 lastReason(at).c_str());
        // Not even made where that is known before.
        const auto refused =
            shell(folder(), "$SPARSERL train quickstart-sft --project 'without matrices'", 120);
        QVERIFY2(refused.error.find("The project has no matrices") != std::string::npos,
                 refused.error.c_str());
        QVERIFY(writeFileAtomic(project / "project.toml",
                                "[project]\ntitle='x'\n[[matrix]]\nname='m'\ngenerator='stencil2d(n=5)'\n"
                                "split='held-out'\n")
                    .has_value());
        const auto untrained =
            shell(folder(), "$SPARSERL train quickstart-sft --project 'without matrices'", 120);
        QVERIFY2(untrained.error.find("no training matrices") != std::string::npos, untrained.error.c_str());
        QCOMPARE(made->runDirectories().size(), std::size_t{1});
    }

    void initTestCase()
    {
        QVERIFY(writeFileAtomic(folder() / "project.toml", tinyProject));
        mustRun(std::string("$SPARSERL train quickstart-sft --project . --run runs/sft1 --set sft.steps=12 "
                            "--set eval.every=6 --set sft.contrast=0.5 --set sft.contrast_margin=0 ") +
                tinySft);
    }

    void twoProcessesFineTuneAsOneDoes()
    {
        mustRun(std::string(
                    "$SPARSERL train quickstart-sft --project . --run runs/sft2 --nproc 2 --set sft.steps=12 "
                    "--set eval.every=6 --set sft.contrast=0.5 --set sft.contrast_margin=0 ") +
                tinySft);
        compareCurves("sft1", "sft2");
        QCOMPARE(samplesOf(run("sft2")), samplesOf(run("sft1")));
    }

    void twoProcessesReinforceAsOneDoes_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::newRow("ppo") << "quickstart-ppo";
        QTest::newRow("reinforce++") << "reinforce-plus-plus";
    }
    void twoProcessesReinforceAsOneDoes()
    {
        QFETCH(QString, preset);
        const auto name = preset.toStdString();
        const std::string line =
            "$SPARSERL train " + name +
            " --project . --parent runs/sft1 --set threads=1 --set rl.iterations=3 "
            "--set rl.matrices=2 --set rl.samples=4 --set eval.every=3 --set eval.samples=2 "
            "--set rl.max_tokens=60 --set rl.value_pretrain=1 --run runs/" +
            name;
        mustRun(line + "1");
        mustRun(line + "2 --nproc 2");
        QCOMPARE(samplesOf(run(name + "2")), samplesOf(run(name + "1")));
        compareCurves(name + "1", name + "2");
    }

    /// A fork that changes nothing is its run, from the checkpoint on: the same steps with the same values,
    /// KL to the same reference. One that changes what the checkpoint's state depends on starts again, and
    /// says so.
    void aForkGoesOnWhereItsCheckpointIs()
    {
        mustRun("$SPARSERL train quickstart-ppo --project . --parent runs/sft1 --set threads=1 "
                "--set rl.iterations=4 --set rl.matrices=2 --set rl.samples=4 --set eval.every=2 "
                "--set eval.samples=2 --set rl.max_tokens=60 --set rl.value_pretrain=1 "
                "--set checkpoint.every=2 --set checkpoint.keep=9 --run runs/forked");
        const auto fork = [&](const std::string& words) {
            const auto output = shell(folder(), "$SPARSERL control runs/forked fork " + words, 120);
            return std::pair(output, run(output.output.substr(0, output.output.find(' '))));
        };
        const auto [said, made] = fork("--checkpoint step-000002");
        QVERIFY2(said.status.ok() && said.output.find("Continues at step 2") != std::string::npos,
                 (said.output + said.error).c_str());
        const auto ended = [](const fs::path& at) {
            const std::string last = lastReason(at);
            return last.starts_with("done") || last.starts_with("failed");
        };
        QTRY_VERIFY_WITH_TIMEOUT(ended(made), test::patience(240'000));
        auto wanted = metricsOf(run("forked"));
        std::erase_if(wanted, [](const auto& one) {
            return std::stoi(one.first.substr(one.first.find(' ') + 1)) <= 2;
        });
        const auto got = metricsOf(made);
        QVERIFY(wanted.size() > 20);
        QVERIFY2(wanted.contains("train 3 kl/sft_k1"), "the KL to the reference is not there");
        std::string differs;
        for (const auto& [name, value] : wanted)
            if (name.ends_with("judge/cache_hits")) // what one process remembers
                continue;
            else if (!got.contains(name) || (got.at(name) != value && !std::isnan(value)))
                differs += fmt::format("{}: {} and {}\n", name, value,
                                       got.contains(name) ? fmt::format("{}", got.at(name)) : "nothing");
        for (const auto& [name, value] : got)
            if (!wanted.contains(name))
                differs += fmt::format("{}: nothing and {}\n", name, value);
        QVERIFY2(differs.empty(), differs.c_str());
        const auto config = RunDirectory::open(made)->config();
        QCOMPARE(config.forkOf, std::string("forked"));
        QCOMPARE(config.parentCheckpoint, RunDirectory::open(run("forked"))->config().parentCheckpoint);

        // Its own values hold, not those that the checkpoint's run had.
        const auto [changing, changed] =
            fork("--checkpoint step-000002 rl.lr=0.0123 rl.kl_coef=0.5 rl.iterations=3");
        QVERIFY2(changing.status.ok() && changing.output.find("Continues at step 2") != std::string::npos,
                 (changing.output + changing.error).c_str());
        QTRY_VERIFY_WITH_TIMEOUT(ended(changed), test::patience(240'000));
        auto own = metricsOf(changed);
        QVERIFY(own.contains("train 3 kl/sft_k1") && !own.contains("train 4 kl/sft_k1"));
        QCOMPARE(own.at("train 3 objective/kl_coef"), 0.5);
        QVERIFY(own.at("train 3 actor/lr") != wanted.at("train 3 actor/lr"));

        const auto [nothing, same] = fork("");
        QCOMPARE(nothing.status.code, 2);
        QVERIFY2(nothing.error.find("Raise rl.iterations") != std::string::npos, nothing.error.c_str());
        const auto [fresh, other] = fork("--checkpoint step-000002 rl.algorithm=grpo rl.iterations=1");
        QVERIFY2(fresh.status.ok() &&
                     fresh.output.find("does not fit another rl.algorithm") != std::string::npos,
                 (fresh.output + fresh.error).c_str());
        QTRY_VERIFY_WITH_TIMEOUT(ended(other), test::patience(240'000));
        QVERIFY2(lastReason(other).starts_with("done"), lastReason(other).c_str());
        QVERIFY(RunDirectory::open(other)->config().forkOf.empty());
    }

    void aKilledProcessEndsTheRunWithASentence()
    {
        auto process = longRun("killed", 2);
        const auto workers = workersOf(process.pid());
        QCOMPARE(workers.size(), std::size_t(1));
        QCOMPARE(::kill(workers[0], SIGKILL), 0);
        const auto status = process.wait(test::patienceSeconds());
        QVERIFY(status && !status->ok());
        const auto reason = lastReason(run("killed"));
        QVERIFY2(reason.starts_with("failed Process 1 was killed by signal 9"), reason.c_str());
        // The last checkpoint is whole, and another number of processes goes on from it.
        const auto opened = RunDirectory::open(run("killed"));
        const auto step = opened->latestCheckpoint()->step;
        auto other = spawnResume("killed", 3);
        waitForStep("killed", step + 4);
        QVERIFY(appendControl(run("killed"), {"", 0, ControlCommand::Kind::Stop, {}, {}}));
        const auto end = other.wait(test::patienceSeconds());
        QVERIFY2(end && end->ok(), readFile(folder() / "killed.out").value_or("").c_str());
        QVERIFY2(lastReason(run("killed")).starts_with("paused Stopped on request"),
                 lastReason(run("killed")).c_str());
    }

    void commandsReachAllProcesses()
    {
        auto process = longRun("steered", 2);
        const auto send = [&](ControlCommand::Kind kind, const char* key = "", const char* value = "") {
            QVERIFY(appendControl(run("steered"), {"", 0, kind, key, value}));
        };
        send(ControlCommand::Kind::Set, "sft.lr", "0.000125");
        send(ControlCommand::Kind::Pause);
        QTRY_VERIFY_WITH_TIMEOUT(lastReason(run("steered")).starts_with("paused"), test::patience());
        send(ControlCommand::Kind::Resume);
        QTRY_VERIFY_WITH_TIMEOUT(lastReason(run("steered")).starts_with("running"), test::patience());
        const auto before = listCheckpoints(run("steered")).back().step;
        waitForStep("steered", before + 54); // the weights are compared at every 50th step
        QCOMPARE(::kill(process.pid(), SIGTERM), 0);
        const auto status = process.wait(test::patienceSeconds());
        QVERIFY(status && !status->signalled);
        QCOMPARE(status->code, 130);
        QVERIFY2(lastReason(run("steered")).starts_with("paused Interrupted"),
                 lastReason(run("steered")).c_str());
    }

    void theOthersEndWithTheCommand()
    {
        auto process = longRun("orphaned", 2);
        const auto workers = workersOf(process.pid());
        QCOMPARE(workers.size(), std::size_t(1));
        QCOMPARE(::kill(process.pid(), SIGKILL), 0);
        // What is dead has no command line, whichever process has to take note of it.
        QTRY_VERIFY_WITH_TIMEOUT(readFile(fmt::format("/proc/{}/cmdline", workers[0])).value_or("").empty(),
                                 test::patience());
        QVERIFY(RunDirectory::open(run("orphaned"))->latestCheckpoint());
    }

    void thoseThatNeverComeAreNamed()
    {
        const auto output =
            shell(folder(), "RANK=0 WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=" + freePort() +
                                " $SPARSERL worker runs/sft1 --join-seconds 0.5");
        QVERIFY(!output.status.ok());
        QVERIFY2(output.error.find(" within 0.5 seconds: 1 and 2") != std::string::npos,
                 output.error.c_str());
    }

    /// As torchrun starts them: the same command line for all, and only the environment differs.
    void processesOfAnEnvironmentFindEachOther()
    {
        const auto line =
            "for r in 1 0; do RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r LOCAL_WORLD_SIZE=2 "
            "MASTER_ADDR=127.0.0.1 MASTER_PORT=" +
            freePort() +
            " $SPARSERL train quickstart-sft --project . --run runs/env --set sft.steps=4 "
            "--set eval.every=0 " +
            tinySft + " > env$r.out 2>&1 & all=\"$all $!\"; done; for p in $all; do wait $p || exit 1; done";
        const auto output = shell(folder(), line, 120);
        const auto said =
            readFile(folder() / "env0.out").value_or("") + readFile(folder() / "env1.out").value_or("");
        QVERIFY2(output.status.ok(), said.c_str());
        QVERIFY2(lastReason(run("env")).starts_with("done"), said.c_str());
    }

private:
    Subprocess spawnResume(const std::string& name, int processes) const
    {
        return startShell(folder(), fmt::format("exec $SPARSERL train --run runs/{} --nproc {} > {}.out 2>&1",
                                                name, processes, name));
    }
    void waitForStep(const std::string& name, std::int64_t step) const
    {
        if (!comesTo(name, step))
            qFatal("%s", readFile(folder() / (name + ".out")).value_or("no output").c_str());
    }
    /// A port that nobody listens at, of those that the system gives nobody by itself (they begin at 32,768):
    /// it stays free until the processes that are told of it come.
    static std::string freePort()
    {
        constexpr int first = 10'000, count = 20'000;
        for (int i = 0; i < count; ++i) {
            const int port = first + (::getpid() * 13 + i) % count;
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            address.sin_port = htons(static_cast<std::uint16_t>(port));
            const int trial = ::socket(AF_INET, SOCK_STREAM, 0);
            const bool free = ::bind(trial, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
            ::close(trial);
            if (free)
                return std::to_string(port);
        }
        qFatal("no port is free");
    }
};

QTEST_GUILESS_MAIN(CliProcessesTest)
#include "tst_cli_processes.moc"
