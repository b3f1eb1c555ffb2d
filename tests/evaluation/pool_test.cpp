// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "base/subprocess.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/judge/make_judge.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/runners/runner_pool.h"
#include "judge_programs.h"

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

std::unique_ptr<RunnerPool> makePool(int programs = 64)
{
    PoolOptions options;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.jobsPerRunner[0] = programs;
    auto pool = RunnerPool::start(options);
    if (!pool) {
        qWarning("%s", pool.error().sentence().c_str());
        return nullptr;
    }
    return std::move(*pool);
}

PoolJob compileJob(const std::string& code, std::vector<JobOutcome>& outcomes)
{
    PoolJob job;
    job.body = toJson(CompileRequest{code, {}, {"k"}});
    job.done = [&outcomes](JobOutcome outcome) { outcomes.push_back(std::move(outcome)); };
    return job;
}

std::string kernel(int i)
{
    return "extern \"C\" __global__ void k(float* y) { y[threadIdx.x] = " + std::to_string(i) + "; }";
}

bool drain(RunnerPool& pool)
{
    while (pool.pending() > 0)
        if (!pool.pump(100))
            return false;
    return true;
}

/// Processes below this one that run sparserl-runner, from /proc.
std::vector<pid_t> runnersOf(pid_t parent)
{
    std::vector<pid_t> ids;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        const auto end = line.rfind(')');
        if (line.find("(sparserl-runner)") == std::string::npos || end == std::string::npos)
            continue;
        std::istringstream rest(line.substr(end + 2));
        char state = 0;
        pid_t owner = 0;
        rest >> state >> owner;
        if (owner == parent && state != 'Z')
            ids.push_back(static_cast<pid_t>(std::stol(name)));
    }
    return ids;
}

} // namespace

class PoolTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void locked();
    void lessThanIsRequired();
    void answersAndReplacement();
    void hungRunnersAreReplaced();
    void hangingTwiceIsToldApart();
    void killedAgainAndAgain();
    void rubbishIsAProtocolError();
    void abandonForgets();
    void killNineDuringABatch();
};

void PoolTest::locked()
{
    auto pool = makePool();
    QVERIFY(pool);
    const auto active = pool->sandbox()["active"].get<std::vector<std::string>>();
    QVERIFY(std::find(active.begin(), active.end(), "seccomp") != active.end());
    for (const auto& missing : pool->sandbox()["missing"])
        qInfo("sandbox: %s", missing.get<std::string>().c_str());
    // Every runner: no new privileges, a filter, and nothing open but 0, 1, 2 and its socket.
    for (const pid_t id : pool->processes()) {
        for (int i = 0; i < 100; ++i) {
            QVERIFY(pool->pump(20).has_value());
            std::ifstream status("/proc/" + std::to_string(id) + "/status");
            const std::string text{std::istreambuf_iterator<char>(status), {}};
            if (text.find("Seccomp:\t2") != std::string::npos &&
                text.find("NoNewPrivs:\t1") != std::string::npos)
                break;
            QVERIFY2(i < 99, text.c_str());
        }
        std::error_code error;
        int files = 0;
        for ([[maybe_unused]] const auto& entry :
             std::filesystem::directory_iterator("/proc/" + std::to_string(id) + "/fd", error))
            ++files;
        QVERIFY(error || files <= 4); // Hidden from users other than root: not dumpable.
    }
}

/// On a machine without Landlock the runners say so, and who requires it gets a sentence.
void PoolTest::lessThanIsRequired()
{
    const QTemporaryDir folder;
    const std::string script = folder.filePath(QStringLiteral("runner")).toStdString();
    std::ofstream(script) << "#!/bin/sh\nexec " SPARSERL_BIN_DIR
                             "/sparserl-runner --without landlock \"$@\"\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    PoolOptions options;
    options.runnerPath = script;
    const auto pool = RunnerPool::start(options);
    QVERIFY2(pool.has_value(), pool ? "" : pool.error().sentence().c_str());
    for (const RoleSandbox& one : (*pool)->sandboxes()) {
        QVERIFY2(one.level == SandboxLevel::Files, one.words().c_str());
        QVERIFY2(one.words().find("no Landlock") != std::string::npos, one.words().c_str());
    }
    QCOMPARE((*pool)->sandboxes().size(), std::size_t(2));
    options.requiredSandbox = SandboxLevel::Files;
    QVERIFY(RunnerPool::start(options).has_value());
    options.requiredSandbox = SandboxLevel::Full;
    const auto refused = RunnerPool::start(options);
    QVERIFY(!refused);
    const std::string sentence = refused.error().sentence();
    QVERIFY2(sentence.find(" runner is locked at level files (no Landlock") != std::string::npos &&
                 sentence.find("full is required") != std::string::npos,
             sentence.c_str());
}

void PoolTest::answersAndReplacement()
{
    auto pool = makePool(3);
    QVERIFY(pool);
    const auto startedBefore = pool->statistics().started;
    std::vector<JobOutcome> outcomes;
    for (int i = 0; i < 10; ++i)
        pool->submit(compileJob(kernel(i), outcomes));
    QVERIFY(drain(*pool));
    QCOMPARE(outcomes.size(), std::size_t(10));
    for (const auto& outcome : outcomes) {
        QCOMPARE(outcome.kind, JobOutcome::Kind::Answered);
        QVERIFY(compileAnswerFromJson(outcome.answer)->has_value());
    }
    // Three programs each, then replaced: ten need four lives, and two were there before.
    QVERIFY(pool->statistics().started >= startedBefore + 2);
    QCOMPARE(pool->statistics().retried, std::int64_t(0));
}

void PoolTest::hungRunnersAreReplaced()
{
    auto pool = makePool();
    QVERIFY(pool);
    for (const pid_t id : pool->processes())
        ::kill(id, SIGSTOP);
    std::vector<JobOutcome> outcomes;
    auto job = compileJob(kernel(1), outcomes);
    job.wallSeconds = 0.5;
    pool->submit(std::move(job));
    // A spare runner that came up meanwhile ends a pump early.
    for (int i = 0; i < 100 && pool->statistics().hung == 0; ++i)
        QVERIFY(pool->pump(100).has_value());
    // The other stopped runners would hang the retries too.
    for (const pid_t id : pool->processes())
        ::kill(id, SIGCONT);
    while (pool->pending() > 0)
        QVERIFY(pool->pump(100).has_value());
    QCOMPARE(outcomes.size(), std::size_t(1));
    QCOMPARE(outcomes[0].kind, JobOutcome::Kind::Answered);
    QVERIFY(pool->statistics().hung >= 1);
}

void PoolTest::hangingTwiceIsToldApart()
{
    auto pool = makePool();
    QVERIFY(pool);
    std::vector<JobOutcome> outcomes;
    auto job = compileJob(kernel(1), outcomes);
    job.wallSeconds = 0; // Nothing answers at once.
    pool->submit(std::move(job));
    QVERIFY(drain(*pool));
    QCOMPARE(outcomes.size(), std::size_t(1));
    QCOMPARE(outcomes[0].kind, JobOutcome::Kind::Hung);
    QVERIFY2(outcomes[0].reason.find("in time twice") != std::string::npos, outcomes[0].reason.c_str());
    QCOMPARE(pool->statistics().hung, std::int64_t(2));
    // And it is no verdict on anything else.
    pool->submit(compileJob(kernel(2), outcomes));
    QVERIFY(drain(*pool));
    QCOMPARE(outcomes[1].kind, JobOutcome::Kind::Answered);
}

void PoolTest::killedAgainAndAgain()
{
    auto pool = makePool();
    QVERIFY(pool);
    std::vector<JobOutcome> outcomes;
    for (int round = 0; round < 8; ++round) {
        for (int i = 0; i < 3; ++i)
            pool->submit(compileJob(kernel(10 * round + i), outcomes));
        for (const pid_t id : pool->processes())
            ::kill(id, SIGKILL);
        QVERIFY(drain(*pool));
    }
    QCOMPARE(outcomes.size(), std::size_t(24));
    for (const auto& outcome : outcomes)
        QCOMPARE(outcome.kind, JobOutcome::Kind::Answered);
    QVERIFY(pool->statistics().retried >= 8);
}

void PoolTest::rubbishIsAProtocolError()
{
    auto pool = makePool();
    QVERIFY(pool);
    std::vector<JobOutcome> outcomes;
    auto job = compileJob(kernel(1), outcomes);
    job.body = {{"type", "compile"}, {"code", 7}};
    pool->submit(std::move(job));
    auto unknown = compileJob(kernel(1), outcomes);
    unknown.body = {{"type", "dance"}};
    pool->submit(std::move(unknown));
    QVERIFY(drain(*pool));
    QCOMPARE(outcomes.size(), std::size_t(2));
    for (const auto& outcome : outcomes)
        QCOMPARE(outcome.kind, JobOutcome::Kind::Failed);
}

void PoolTest::abandonForgets()
{
    auto pool = makePool();
    QVERIFY(pool);
    std::vector<JobOutcome> outcomes;
    for (int i = 0; i < 5; ++i)
        pool->submit(compileJob(kernel(i), outcomes));
    pool->abandon();
    QCOMPARE(pool->pending(), std::size_t(0));
    for (int i = 0; i < 5; ++i)
        QVERIFY(pool->pump(20).has_value());
    QVERIFY(outcomes.empty());
    pool->submit(compileJob(kernel(9), outcomes));
    QVERIFY(drain(*pool));
    QCOMPARE(outcomes.size(), std::size_t(1));
}

/// 20 random kills of runners while a batch is judged: every verdict arrives once and equals an undisturbed
/// run's.
void PoolTest::killNineDuringABatch()
{
    Rng rng(4);
    Csr m;
    m.rows = m.cols = 400;
    for (int row = 0; row < m.rows; ++row) {
        for (int c = row % 7; c < m.cols; c += 31 + row % 5)
            m.col.push_back(c);
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val = randomVector(m.nnz(), rng);
    const auto matrix = std::make_shared<const Csr>(m);
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < 60; ++i) {
        JudgeRequest request;
        // Distinct programs, so that nothing comes from a cache; some are wrong in some way.
        const std::string number = std::to_string(i);
        const std::string last =
            i % 5 == 0   ? "    y[row] = s;"
            : i % 5 == 1 ? "    if (row < rows) y[row] = s * " + number + ".5f;"
            : i % 5 == 2 ? "    if (row < rows) y[row] = s + undeclared" + number + ";"
                         : "    if (row < rows) y[row] = s + (row > 5000000 ? " + number + ".0f : 0.0f);";
        request.program = threadPerRow(last);
        request.target.matrix = matrix;
        request.target.id.contents = digest(m);
        request.seed = 7;
        requests.push_back(request);
    }
    JudgeOptions options;
    options.secretSeed = 1; // Two judges are compared.
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.simRunners = 2;
    const auto judgeAll = [&](std::atomic<bool>& running, std::vector<int>& seen) {
        auto judge = makeSimulatorJudge(options);
        running = true;
        auto records =
            judge ? (*judge)->judge(requests, {}, [&](std::size_t i, const VerdictRecord&) { ++seen[i]; })
                  : fail(judge.error());
        running = false;
        return records;
    };
    std::atomic<bool> running = false;
    std::vector<int> seenQuiet(requests.size()), seen(requests.size());
    const auto quiet = judgeAll(running, seenQuiet);
    QVERIFY2(quiet.has_value(), quiet ? "" : quiet.error().sentence().c_str());

    std::atomic<bool> over = false;
    std::atomic<int> kills = 0;
    std::thread killer([&] {
        Rng random(99);
        while (!over && kills < 20) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10 + random.below(60)));
            if (!running)
                continue;
            const auto ids = runnersOf(::getpid());
            if (!ids.empty() && ::kill(ids[random.below(ids.size())], SIGKILL) == 0)
                ++kills;
        }
    });
    Result<std::vector<VerdictRecord>> disturbed = judgeAll(running, seen);
    // A fast machine may be done before the twentieth kill; then the same batch again.
    while (disturbed && kills < 20) {
        std::vector<int> more(requests.size());
        auto next = judgeAll(running, more);
        if (!next || more != seenQuiet)
            break;
        disturbed = std::move(next);
    }
    over = true;
    killer.join();
    QVERIFY2(disturbed.has_value(), disturbed ? "" : disturbed.error().sentence().c_str());
    QCOMPARE(kills.load(), 20);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        QCOMPARE(seen[i], 1);
        QCOMPARE(seenQuiet[i], 1);
        const auto &a = quiet->at(i), &b = disturbed->at(i);
        QCOMPARE(a.verdict, i % 5 == 0   ? Verdict::OutOfBounds
                            : i % 5 == 1 ? Verdict::WrongResult
                            : i % 5 == 2 ? Verdict::CompileError
                                         : Verdict::Correct);
        auto first = toJson(a), second = toJson(b);
        first.erase("judge_seconds");
        second.erase("judge_seconds");
        QCOMPARE(QString::fromStdString(second.dump()), QString::fromStdString(first.dump()));
    }
}

QTEST_GUILESS_MAIN(PoolTest)
#include "pool_test.moc"
