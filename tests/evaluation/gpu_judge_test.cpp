// SPDX-License-Identifier: Apache-2.0
// The judge with a GPU whose times and troubles the test decides (fake_gpu.h): protocol, quarantine, drift,
// baselines, replacement of runners.
#include "base/rng.h"
#include "evaluation/audit/device_diff.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/judge/make_judge.h"
#include "fake_gpu.h"
#include "judge_programs.h"
#include "tests/patience.h"

#include <QTest>
#include <csignal>
#include <set>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

const std::string runner = SPARSERL_TEST_DIR "/fake_gpu_runner";

Csr makeMatrix()
{
    Rng rng(11);
    Csr m;
    m.rows = m.cols = 500;
    for (int row = 0; row < m.rows; ++row) {
        std::set<std::int32_t> columns;
        for (std::uint64_t i = rng.below(15); i > 0; --i)
            columns.insert(static_cast<std::int32_t>(rng.below(500)));
        m.col.insert(m.col.end(), columns.begin(), columns.end());
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val = randomVector(m.nnz(), rng);
    return m;
}

/// The warp-per-row program with a kernel of another name, and `extra` in its text.
std::string named(const std::string& kernel, const std::string& extra = {})
{
    std::string text = warpPerRow(extra);
    for (std::size_t at = 0; (at = text.find("spmv", at)) != std::string::npos; at += 4)
        if (text.compare(at - 5, 5, "task ") != 0)
            text.replace(at, 4, kernel);
    return text;
}

/// The same program in double precision.
std::string inDouble(std::string text)
{
    for (std::size_t at = 0; (at = text.find("float", at)) != std::string::npos;)
        text.replace(at, 5, "double");
    return text.replace(text.find("task spmv"), 9, "task spmv f64");
}

bool has(const VerdictRecord& record, const char* flag)
{
    return record.flags.has(flag);
}

bool believed(const VerdictRecord& record)
{
    return record.correct() && !has(record, "suspicious");
}

} // namespace

class GpuJudgeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void correctProgram();
    void withoutTimes();
    void wrongOnlyOnTheGpu();
    void otherAlphaAndBeta_data();
    void otherAlphaAndBeta();
    void doublePrecision();
    void simulatorGuardsTheGpu();
    void quarantine();
    void corpusIsNoSurprise();
    void oneQuarantineAtATime();
    void luckIsMeasuredAgain();
    void poisonedRunnersAreReplaced();
    void hangingIsTimeoutOnlyTwice();
    void crashes();
    void failuresOfTheMachinery();
    void matricesWithoutABaseline();
    void smallStepsAddUp();
    void simulatedOnTheMatrix();
    void driftInvalidates();
    void paperProtocol();
    void noGpu();
    void killedRunner();
    void differences();
    void lockThatIsTooTight();
    void lockThatIsNotToBlame();
    void requiredLock();
    void locked();

private:
    VerdictRecord judgeOne(Judge& judge, const std::string& program, std::uint64_t seed = 1,
                           ElementType type = ElementType::F32, bool fromCorpus = false)
    {
        JudgeRequest request;
        request.fromCorpus = fromCorpus;
        request.program = program;
        request.target.matrix = m_matrix;
        request.target.id.contents = digest(*m_matrix);
        request.target.id.name = "random";
        request.target.id.variant.type = type;
        request.seed = seed;
        const auto records = judge.judge({request}, {});
        if (records)
            return records->at(0);
        qWarning("%s", records.error().sentence().c_str());
        VerdictRecord none;
        none.message = records.error().sentence();
        return none;
    }
    std::unique_ptr<Judge> makeOne(JudgeOptions options = {})
    {
        options.runnerPath = runner;
        options.everyKind = false; // The simulator is looked at in judge_test.cpp.
        options.compileRunners = options.simRunners = 1;
        options.metrics = m_metrics = std::make_shared<JudgeMetrics>();
        options.log = [this](std::string_view sentence) { m_log += std::string(sentence) + "\n"; };
        auto judge = makeCudaJudge(options);
        if (!judge) {
            qWarning("%s", judge.error().sentence().c_str());
            m_log += judge.error().sentence() + "\n";
        }
        return judge ? std::move(*judge) : nullptr;
    }

    FakeControl* m_control = nullptr;
    std::shared_ptr<const Csr> m_matrix;
    std::shared_ptr<JudgeMetrics> m_metrics;
    std::string m_log;
};

void GpuJudgeTest::initTestCase()
{
    m_control = FakeControl::map(runner);
    QVERIFY(m_control);
    m_matrix = std::make_shared<const Csr>(makeMatrix());
}

void GpuJudgeTest::init()
{
    m_control->reset();
    m_log.clear();
}

void GpuJudgeTest::correctProgram()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    const auto r = judgeOne(*judge, warpPerRow());
    QVERIFY2(r.correct(), r.message.c_str());
    QCOMPARE(r.device, std::string("Fake GPU (driver 1.0)"));
    QVERIFY(!r.simulated);
    QVERIFY(!has(r, "suspicious"));
    QCOMPARE(r.warm->median, 8.0);
    QCOMPARE(r.warm->n, 30);
    QCOMPARE(r.cold->median, 16.0);
    QCOMPARE(r.baselineName, std::string("fake cuSPARSE 12"));
    QCOMPARE(r.baselineAlgorithm, std::string("CSR_ALG2, preprocessed"));
    QCOMPARE(r.speedup(), 1.25);
    QCOMPARE(r.occupancy, 0.5);
    QCOMPARE(r.occupancyLimiter, std::string("shared memory"));
    QVERIFY(r.setupMicroseconds >= 3);
    // An empty call takes 1 us, and some bytes have to move.
    QVERIFY(r.shareOfLimit > 1.0 / 8 && r.shareOfLimit < 1.1 / 8);
    QVERIFY(m_metrics->measured == 1 && m_metrics->quarantined == 0 && m_metrics->baselines == 1);
    QVERIFY(m_metrics->measuringSeconds > 0 && m_metrics->compileCpuSeconds > 0);
    // The same program again is not measured again, a slower one is said to be slower.
    QVERIFY(judgeOne(*judge, warpPerRow()).correct());
    QCOMPARE(m_metrics->measured, std::int64_t(1));
    const auto slow = judgeOne(*judge, named("t12000_"));
    QVERIFY(slow.correct() && has(slow, "slower-than-baseline"));
    // One so slow that an estimate will do.
    const auto hopeless = judgeOne(*judge, named("t2000000_"));
    QVERIFY(hopeless.correct() && has(hopeless, "slower-than-baseline"));
    QCOMPARE(hopeless.warm->n, 1);
    // For figures that count, in turn with the baseline.
    JudgeOptions options;
    options.secretSeed = 1;
    options.gpuInTurn = true;
    const auto final = makeOne(options);
    QVERIFY(final);
    const auto counted = judgeOne(*final, warpPerRow());
    QVERIFY2(counted.correct(), counted.message.c_str());
    QCOMPARE(counted.warm->median, 8.8);
    QCOMPARE(counted.baselineMicroseconds, 10.5);
}

/// Correctness alone runs on the GPU too, without a measuring section; a time that is asked for later comes
/// without another simulation.
void GpuJudgeTest::withoutTimes()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    JudgeRequest request;
    request.program = warpPerRow();
    request.target.matrix = m_matrix;
    request.target.id.contents = digest(*m_matrix);
    request.seed = 1;
    request.measured = false;
    const auto records = judge->judge({request}, {});
    QVERIFY2(records, records ? "" : records.error().sentence().c_str());
    QVERIFY((*records)[0].correct() && !(*records)[0].warm);
    QCOMPARE((*records)[0].baselineMicroseconds, 10.0);
    QCOMPARE(m_metrics->measured, std::int64_t(0));
    const auto simulated = m_metrics->simulated;
    const auto measured = judgeOne(*judge, warpPerRow());
    QVERIFY(measured.correct() && measured.warm);
    QCOMPARE(measured.warm->median, 8.0);
    QCOMPARE(m_metrics->measured, std::int64_t(1));
    QCOMPARE(m_metrics->simulated, simulated);
}

void GpuJudgeTest::wrongOnlyOnTheGpu()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    const auto differs = judgeOne(*judge, named("differs_"));
    QCOMPARE(differs.verdict, Verdict::Race);
    QVERIFY2(differs.message.find("another") != std::string::npos, differs.message.c_str());
    // With atomics the order is free.
    const auto atomic =
        judgeOne(*judge, "//! task spmv\n//! zero y\n//! launch differs_a<<<ceil_div(nnz, 64), "
                         "64>>>(nnz, rows, csr.row_ptr, csr.col, csr.val, x, y)\n"
                         "extern \"C\" __global__ void differs_a(int nnz, int rows, const int* p, "
                         "const int* c, const float* v, const float* x, float* y) {\n"
                         "  int k = blockIdx.x * 64 + threadIdx.x; if (k >= nnz) return;\n"
                         "  int a = 0, b = rows; while (b - a > 1) { int m = (a + b) / 2; if (p[m] "
                         "<= k) a = m; else b = m; }\n"
                         "  atomicAdd(y + a, v[k] * x[c[k]]); }\n");
    QVERIFY2(atomic.correct(), atomic.message.c_str());
    QVERIFY(has(atomic, "nondeterministic"));
    const auto ring = judgeOne(*judge, named("ring_"));
    QCOMPARE(ring.verdict, Verdict::WrongResult);
}

void GpuJudgeTest::otherAlphaAndBeta_data()
{
    QTest::addColumn<bool>("doubles");
    QTest::newRow("float32") << false;
    QTest::newRow("float64") << true;
}

/// A program that takes alpha and beta meets others than 1 and 0 on the GPU, too, where y is filled before.
void GpuJudgeTest::otherAlphaAndBeta()
{
    QFETCH(bool, doubles);
    const auto judge = makeOne();
    QVERIFY(judge);
    const auto scaled = [&](const std::string& name) {
        const std::string text =
            "//! task spmv\n//! launch " + name +
            "<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, alpha, beta)\n"
            "extern \"C\" __global__ void " +
            name +
            "(int rows, const int* p, const int* c, const float* v, const float* x, float* y, float alpha, "
            "float beta) {\n"
            "  int r = blockIdx.x * 64 + threadIdx.x; if (r >= rows) return;\n"
            "  float s = 0; for (int i = p[r]; i < p[r + 1]; ++i) s += v[i] * x[c[i]];\n"
            "  y[r] = alpha * s + (beta != 0 ? beta * y[r] : 0); }\n";
        return judgeOne(*judge, doubles ? inDouble(text) : text, 1,
                        doubles ? ElementType::F64 : ElementType::F32);
    };
    const auto good = scaled("axpby");
    QVERIFY2(believed(good), good.message.c_str());
    QVERIFY(good.warm);
    const auto bad = scaled("forgets_axpby");
    QCOMPARE(bad.verdict, Verdict::WrongResult);
    // On the target itself, or on another pattern of its sizes: both have other factors.
    QVERIFY2(bad.message.find(", with alpha = ") != std::string::npos &&
                 (bad.batteryCase.empty() || bad.batteryCase == siblingCase),
             bad.message.c_str());
}

/// The same in double precision: inputs, outputs and what is compared are doubles, and the baseline is that
/// of the target in this type.
void GpuJudgeTest::doublePrecision()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    const auto judged = [&](const std::string& kernel) {
        return judgeOne(*judge, inDouble(named(kernel)), 1, ElementType::F64);
    };
    const auto right = judged("t8000_");
    QVERIFY2(believed(right), right.message.c_str());
    QCOMPARE(right.speedup(), 1.25);
    QVERIFY(right.boundShare > 0 && right.boundShare < 1);
    QVERIFY(believed(judgeOne(*judge, named("t8000_"))));
    QCOMPARE(m_metrics->baselines, std::int64_t(2));
    QVERIFY(believed(judged("t2000_"))); // By way of the quarantine.
    QCOMPARE(judged("differs_").verdict, Verdict::Race);
    QCOMPARE(judged("ring_").verdict, Verdict::WrongResult);
    m_control->lastBits = true;
    const auto wrong = judged("t7000_");
    QCOMPARE(wrong.verdict, Verdict::WrongResult);
    QVERIFY2(wrong.message.find("exactly") != std::string::npos || !wrong.message.empty(),
             wrong.message.c_str());
}

void GpuJudgeTest::simulatorGuardsTheGpu()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    const int before = m_control->runs, known = m_control->baselines; // Of the self-test.
    const auto r = judgeOne(*judge, threadPerRow("    y[row] = s;"));
    QCOMPARE(r.verdict, Verdict::OutOfBounds);
    QCOMPARE(int(m_control->runs), before);
    // What it would have been compared with was measured meanwhile: a GPU that waits has nothing else to do.
    test::comesTrue([&] { return m_control->baselines != known; });
    QCOMPARE(int(m_control->baselines), known + 1);
}

/// Programs of our grammar are believed at once, and what follows is compared with them. What no program can
/// be is no more believed of them.
void GpuJudgeTest::corpusIsNoSurprise()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    const auto ours = [&](const char* name) {
        return judgeOne(*judge, named(name), 1, ElementType::F32, true);
    };
    QVERIFY(ours("t8000_").correct());
    const int processes = m_control->processes;
    const auto fast = ours("t5000_");
    QVERIFY(fast.correct() && !has(fast, "suspicious"));
    QVERIFY(!has(judgeOne(*judge, named("t4900_")), "suspicious")); // 1.02 times faster than the best
    QCOMPARE(m_metrics->quarantined, std::int64_t(0));
    QCOMPARE(int(m_control->processes), processes);
    QVERIFY(has(ours("t900_"), "suspicious"));
    QCOMPARE(m_metrics->quarantined, std::int64_t(1));
}

void GpuJudgeTest::quarantine()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    QVERIFY(judgeOne(*judge, named("t8000_")).correct());
    const int processes = m_control->processes;
    // Faster than anything can be: a fresh process finds it again, and still nobody believes it.
    const auto impossible = judgeOne(*judge, named("t900_"));
    QVERIFY(impossible.correct());
    QVERIFY(has(impossible, "suspicious"));
    QVERIFY2(impossible.message.find("less than the device could need") != std::string::npos,
             impossible.message.c_str());
    QCOMPARE(m_metrics->quarantined, std::int64_t(1));
    QCOMPARE(int(m_control->processes), processes + 1);
    // 1.3 times faster than the best: checked and believed.
    const auto fast = judgeOne(*judge, named("t5000_"));
    QVERIFY(fast.correct() && !has(fast, "suspicious"));
    QCOMPARE(m_metrics->quarantined, std::int64_t(2));
    // Now nothing new.
    QVERIFY(!has(judgeOne(*judge, named("t4900_")), "suspicious"));
    QCOMPARE(m_metrics->quarantined, std::int64_t(2));
    // A race that every check of the simulator finds on the matrix itself, but not on the battery.
    const auto race = judgeOne(*judge, threadPerRow("    if (row < rows) y[row == 499 ? 498 : row] = s;\n"
                                                    "    if (row == 498 && rows > 400) y[499] = 0;"));
    QVERIFY(!race.correct());
}

/// Twelve programs that are all 1.3 times faster than the baseline: the first that is verified vouches for
/// the others.
void GpuJudgeTest::oneQuarantineAtATime()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < 12; ++i) {
        JudgeRequest request;
        request.program = named("t" + std::to_string(6000 - 100 * i) + "_");
        request.target.matrix = m_matrix;
        request.target.id.contents = digest(*m_matrix);
        requests.push_back(std::move(request));
    }
    const auto records = judge->judge(requests, {});
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    for (std::size_t i = 0; i < records->size(); ++i) {
        QVERIFY(records->at(i).correct() && !has(records->at(i), "suspicious"));
        QCOMPARE(records->at(i).warm->median, (6000 - 100 * double(i)) / 1000);
    }
    QVERIFY2(m_metrics->quarantined >= 1 && m_metrics->quarantined <= 2,
             std::to_string(m_metrics->quarantined).c_str());
}

void GpuJudgeTest::luckIsMeasuredAgain()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    m_control->lucky = 1;
    const auto r = judgeOne(*judge, named("t9000_lucky_"));
    QVERIFY(r.correct() && !has(r, "suspicious"));
    QCOMPARE(r.warm->median, 9.0);
    QCOMPARE(m_metrics->quarantined, std::int64_t(1));
}

void GpuJudgeTest::poisonedRunnersAreReplaced()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    // Once: a fresh process finds nothing wrong. Twice: it is the program.
    m_control->poisons = 1;
    QVERIFY(judgeOne(*judge, named("poison_")).correct());
    QCOMPARE(int(m_control->processes), 2);
    m_control->poisons = 2;
    const auto r = judgeOne(*judge, named("poison_", "// again\n"), 2);
    QCOMPARE(r.verdict, Verdict::OutOfBounds);
    QVERIFY2(r.message.find("illegal address") != std::string::npos, r.message.c_str());
    // Work goes on.
    QVERIFY(judgeOne(*judge, named("t8500_")).correct());
}

void GpuJudgeTest::hangingIsTimeoutOnlyTwice()
{
    JudgeOptions options;
    options.secretSeed = 1;
    options.gpuWallSeconds = test::patienceSeconds(3); // Else a busy machine is a program that hangs.
    const auto judge = makeOne(options);
    QVERIFY(judge);
    QVERIFY(judgeOne(*judge, warpPerRow()).correct());
    m_control->hangs = 1;
    const auto once = judgeOne(*judge, named("hang_"));
    QVERIFY2(once.correct(), once.message.c_str());
    m_control->hangs = 2;
    const auto twice = judgeOne(*judge, named("hang_"), 2);
    QCOMPARE(twice.verdict, Verdict::Timeout);
    QVERIFY(judgeOne(*judge, named("t8500_")).correct());
}

void GpuJudgeTest::crashes()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    m_control->crashes = 1;
    QVERIFY(judgeOne(*judge, named("crash_")).correct());
    m_control->crashes = 2;
    QCOMPARE(judgeOne(*judge, named("crash_"), 2).verdict, Verdict::LaunchError);
}

void GpuJudgeTest::failuresOfTheMachinery()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    m_control->failures = 1;
    QVERIFY(judgeOne(*judge, named("fail_")).correct());
    QVERIFY2(m_log.find("out of memory") != std::string::npos, m_log.c_str());
    // Again and again, while a kernel of our own runs: the program's fault.
    m_control->failures = 2;
    const auto blamed = judgeOne(*judge, named("fail_"), 2);
    QCOMPARE(blamed.verdict, Verdict::LaunchError);
    QVERIFY2(blamed.message.find("cannot run this program, also not in a fresh process (out of memory)") !=
                 std::string::npos,
             blamed.message.c_str());
    QVERIFY(judgeOne(*judge, named("fail_"), 3).correct());
    // Ours does not run either: no verdict on anybody.
    m_control->broken = true;
    const auto broken = judgeOne(*judge, warpPerRow());
    QVERIFY(broken.programHash.empty());
    QVERIFY2(broken.message.find("the device fell off the bus") != std::string::npos, broken.message.c_str());
}

/// A reference that only evidence moves: steps of less than 1.3 that nobody looked at closely do not hide a
/// large one.
/// A matrix that no library routine takes is judged without one, and says so; others are judged as ever.
void GpuJudgeTest::matricesWithoutABaseline()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    std::vector<JudgeRequest> requests;
    for (const auto& [rows, columns] : {std::pair(40, 0), std::pair(0, 30), std::pair(40, 30)}) {
        auto empty = std::make_shared<Csr>();
        empty->rows = rows;
        empty->cols = columns;
        empty->rowPtr.assign(static_cast<std::size_t>(rows) + 1, 0);
        requests.emplace_back();
        requests.back().program = warpPerRow();
        requests.back().target.id.contents = digest(*empty);
        requests.back().target.id.name = "empty";
        requests.back().target.matrix = empty;
    }
    requests.push_back(requests.back());
    requests.back().target = {{.contents = digest(*m_matrix), .name = "random"}, m_matrix};
    const auto records = judge->judge(requests, {});
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    for (std::size_t i = 0; i < 3; ++i) {
        const VerdictRecord& r = records->at(i);
        QVERIFY2(r.correct(), (std::string(nameOf(r.verdict)) + ": " + r.message).c_str());
        QVERIFY2(r.message.find("nothing to compare with") != std::string::npos, r.message.c_str());
        QCOMPARE(r.speedup(), 0.0);
        QVERIFY(r.warm && r.warm->median > 0);
    }
    QVERIFY2(records->at(3).correct(), records->at(3).message.c_str());
    QCOMPARE(records->at(3).speedup(), 1.25);
    // Where the GPU does nothing at all it is the machine that fails.
    m_control->broken = true;
    auto other = std::make_shared<Csr>(*m_matrix); // A target whose baseline is not known yet.
    other->val[0] += 1;
    requests[3].target = {{.contents = digest(*other), .name = "other"}, other};
    const auto broken = judge->judge({requests[3]}, {});
    QVERIFY(!broken.has_value());
}

void GpuJudgeTest::smallStepsAddUp()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    const std::pair<int, int> steps[] = {{9000, 0}, {8000, 0}, {7800, 0}, {7600, 1}, {7000, 1},
                                         {6000, 1}, {5800, 2}, {5000, 2}, {4500, 2}, {4400, 3}};
    for (const auto& [nanoseconds, quarantined] : steps) {
        QVERIFY(believed(judgeOne(*judge, named("t" + std::to_string(nanoseconds) + "_"))));
        QCOMPARE(m_metrics->quarantined, std::int64_t(quarantined));
    }
}

/// Half of the rows keep what they hold, on matrices of just so many rows: with every check on the matrix
/// itself, for all where that is cheap, and else before a record counts.
void GpuJudgeTest::simulatedOnTheMatrix()
{
    const auto keeping = [rows = std::to_string(m_matrix->rows)](int nanoseconds) {
        std::string text = threadPerRow("    if (row >= rows) return;\n    if (rows == " + rows +
                                        " && (row & 1) && y[row] == y[row]) return;\n"
                                        "    y[row] = s;");
        for (std::size_t at = 0; (at = text.find("spmv", at)) != std::string::npos; at += 4)
            if (text.compare(at - 5, 5, "task ") != 0)
                text.replace(at, 4, "t" + std::to_string(nanoseconds) + "_k");
        return text;
    };
    for (const bool all : {true, false}) {
        JudgeOptions options;
        options.secretSeed = 1;
        options.gpuSimulateAll = all ? m_matrix->nnz() : 0;
        const auto judge = makeOne(options);
        QVERIFY(judge);
        const auto runs = int(m_control->runs);
        QCOMPARE(judgeOne(*judge, keeping(9000)).verdict, Verdict::Uninitialised);
        QCOMPARE(m_control->runs > runs, !all);
        QVERIFY(believed(judgeOne(*judge, named("t8000_"))));
        const auto simulated = m_metrics->simulated;
        QVERIFY(believed(judgeOne(*judge, named("t7900_"))));
        QCOMPARE(m_metrics->simulated - simulated,
                 all ? std::int64_t(2) : std::int64_t(3)); // Battery, matrix.
        QCOMPARE(judgeOne(*judge, keeping(7800)).verdict, Verdict::Uninitialised);
        QCOMPARE(m_metrics->quarantined, std::int64_t(0));
    }
    // Rows of it where it is too large.
    JudgeOptions options;
    options.secretSeed = 1;
    options.gpuSimulateAll = 0;
    options.gpuSimulateWhole = m_matrix->nnz() - 1;
    const auto judge = makeOne(options);
    QVERIFY(judge);
    QVERIFY(believed(judgeOne(*judge, named("t5000_"))));
    QCOMPARE(m_metrics->quarantined, std::int64_t(1));
    QCOMPARE(m_metrics->simulated, std::int64_t(3));
}

void GpuJudgeTest::driftInvalidates()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    const auto all = [&](int from, int to) {
        std::vector<JudgeRequest> requests;
        for (int i = from; i < to; ++i) {
            JudgeRequest request;
            request.program = warpPerRow();
            request.target.matrix = m_matrix;
            request.target.id.contents = digest(*m_matrix);
            request.seed = static_cast<std::uint64_t>(i);
            requests.push_back(std::move(request));
        }
        return judge->judge(requests, {});
    };
    QVERIFY(all(0, 60).has_value());
    QCOMPARE(m_metrics->baselines, std::int64_t(2)); // The first, and after 50 candidates.
    QCOMPARE(m_metrics->drifts, std::int64_t(0));
    m_control->baselineMicroseconds = 10.2; // Within 3 %.
    QVERIFY(all(60, 110).has_value());
    QCOMPARE(m_metrics->drifts, std::int64_t(0));
    m_control->baselineMicroseconds = 11;
    const auto last = all(110, 160);
    QVERIFY(last.has_value());
    // The two measurements that make a drift may still be on their way.
    for (int i = 0; m_metrics->drifts == 0 && i < 20; ++i)
        QVERIFY(all(160 + i, 161 + i).has_value());
    const auto measured = m_metrics->measured, quarantined = m_metrics->quarantined;
    const auto after = judgeOne(*judge, warpPerRow(), 1);
    QCOMPARE(m_metrics->drifts, std::int64_t(1));
    QVERIFY2(m_log.find("drifted from 10 to 11") != std::string::npos, m_log.c_str());
    QCOMPARE(after.baselineMicroseconds, 11.0);
    // Seed 1 was measured before the drift, and again. Where the drift came last, it is also the first whose
    // time, now far below the best that is verified, goes to quarantine.
    QCOMPARE(m_metrics->measured, measured + 1 + (m_metrics->quarantined - quarantined));
}

void GpuJudgeTest::paperProtocol()
{
    JudgeOptions options;
    options.secretSeed = 1;
    options.timing = "paper";
    const auto judge = makeOne(options);
    QVERIFY(judge);
    const auto r = judgeOne(*judge, warpPerRow());
    QVERIFY2(r.correct(), r.message.c_str());
    QCOMPARE(r.baselineAlgorithm, std::string("DEFAULT, without preprocess"));
    QCOMPARE(r.baselineMicroseconds, 15.0);
    QCOMPARE(r.warm->n, 1000);
    options.timing = "best of three";
    options.runnerPath = runner;
    QVERIFY(!makeCudaJudge(options).has_value());
    options.timing = "paper";
    const auto simulated = makeSimulatorJudge(options);
    QVERIFY(!simulated && simulated.error().what.find("paper") != std::string::npos);
}

void GpuJudgeTest::noGpu()
{
    m_control->absent = true;
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = runner;
    options.simRunners = options.compileRunners = 1;
    options.log = [this](std::string_view sentence) { m_log += std::string(sentence) + "\n"; };
    const auto judge = makeJudge("cuda", options);
    QVERIFY(!judge);
    QCOMPARE(judge.error().what, std::string("this machine has no GPU"));
    const auto any = makeJudge("auto", options);
    QVERIFY(any.has_value());
    QVERIFY2(m_log.find("no GPU is used (this machine has no") != std::string::npos, m_log.c_str());
    QVERIFY(judgeOne(**any, warpPerRow()).simulated);
    QVERIFY(!makeJudge("tpu", options).has_value());
}

void GpuJudgeTest::killedRunner()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    // Killed by somebody again and again: always our trouble, never a verdict.
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < 12; ++i) {
        JudgeRequest request;
        request.program = named("t8" + std::to_string(100 + i) + "_");
        request.target.matrix = m_matrix;
        request.target.id.contents = digest(*m_matrix);
        requests.push_back(std::move(request));
    }
    int kills = 0;
    const auto records = judge->judge(requests, {}, [&](std::size_t, const VerdictRecord&) {
        if (kills < 3 && ++kills)
            ::system(
                ("pkill -9 -P " + std::to_string(::getpid()) + " -f 'fake_gpu_runner --role cuda'").c_str());
    });
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    for (const auto& r : *records)
        QVERIFY2(r.correct(), r.message.c_str());
}

/// `sparserl device diff` on a GPU that is the simulator, and on one that is off by the last bit.
void GpuJudgeTest::differences()
{
    DiffOptions options;
    options.runnerPath = runner;
    options.pairs = 30;
    options.families = {"S1", "S3", "S4", "M1"};
    const auto same = deviceDiff(options);
    QVERIFY2(same.has_value(), same ? "" : same.error().sentence().c_str());
    QVERIFY(same->compared() >= 30 && same->programs >= 6);
    QCOMPARE(same->mismatches.size(), std::size_t(0));
    QVERIFY(same->exact >= 30);
    QCOMPARE(same->gpu, std::string("Fake GPU (driver 1.0)"));
    QCOMPARE(same->byFamily.size(), std::size_t(4));
    options.type = ElementType::F64;
    options.pairs = 20;
    const auto wide = deviceDiff(options);
    QVERIFY2(wide.has_value(), wide ? "" : wide.error().sentence().c_str());
    QVERIFY(wide->exact >= 20 && wide->mismatches.empty());
    QCOMPARE(wide->byFamily.size(), std::size_t(4));
    m_control->lastBits = true;
    options.pairs = 10;
    options.families = {"S1"};
    QVERIFY(!deviceDiff(options)->mismatches.empty());
    options.type = ElementType::F32;
    const auto other = deviceDiff(options);
    QVERIFY2(other.has_value(), other ? "" : other.error().sentence().c_str());
    QVERIFY(!other->mismatches.empty());
    QVERIFY2(other->mismatches[0].sentence.find("differ in bits") != std::string::npos ||
                 other->mismatches[0].sentence.find("should be") != std::string::npos,
             other->mismatches[0].sentence.c_str());
    options.families = {"S99"};
    QVERIFY(!deviceDiff(options).has_value());
    QVERIFY(mayDiffer("  atom.global.add.f32 %f1, [%rd1], %f2;") &&
            mayDiffer("@%p1 red.global.add.f32 [%rd1], %f2;"));
    QVERIFY(mayDiffer("  atom.global.cas.b32 %r1, [%rd1], %r2, %r3;") &&
            mayDiffer("ex2.approx.f32 %f1, %f2;"));
    QVERIFY(!mayDiffer("  atom.global.add.u32 %r1, [%rd1], 1;\n  fma.rn.f32 %f1, %f2, %f3, %f4;"));
}

/// A driver that does not work inside: the runner comes up again with less of the lock, step by step, says
/// so, and says which calls were refused.
void GpuJudgeTest::lockThatIsTooTight()
{
    {
        const auto judge = makeOne();
        QVERIFY(judge);
        if (m_log.find("no Landlock") != std::string::npos ||
            m_log.find("no root of its own") != std::string::npos ||
            m_log.find("no namespaces of its own") != std::string::npos)
            QSKIP("this kernel has no Landlock, or lets nobody have name spaces");
    }
    struct Trouble
    {
        int opening;
        bool timer;
        SandboxLevel level;
        const char *said, *lack;
    };
    for (const Trouble& trouble :
         {Trouble{0, false, SandboxLevel::Full, "", ""},
          {1, false, SandboxLevel::Files, "again without a root and a user of its own", "rights of its user"},
          {2, false, SandboxLevel::Files, "again with more system calls allowed", "more calls than needed"},
          {3, false, SandboxLevel::Calls, "again without limits on files", "no Landlock"},
          {0, true, SandboxLevel::Files, "it was refused", "more calls than needed"}}) {
        m_control->reset();
        m_control->lockedTrouble = trouble.opening;
        m_control->needsTimer = trouble.timer;
        m_log.clear();
        const auto judge = makeOne();
        QVERIFY2(judge, m_log.c_str());
        const auto all = judge->sandboxes();
        const auto cuda =
            std::find_if(all.begin(), all.end(), [](const auto& one) { return one.role == "cuda"; });
        QVERIFY(cuda != all.end());
        QVERIFY2(cuda->level == trouble.level, (cuda->words() + "\n" + m_log).c_str());
        QVERIFY2(m_log.find(trouble.said) != std::string::npos, m_log.c_str());
        QVERIFY2(cuda->words().find(trouble.lack) != std::string::npos, cuda->words().c_str());
        QCOMPARE(m_log.find("cannot open what it needs") != std::string::npos, trouble.opening > 0);
        QCOMPARE(m_log.find("it was refused timerfd_create") != std::string::npos, trouble.timer);
        QVERIFY(judgeOne(*judge, warpPerRow()).correct());
    }
}

/// Where no lock helps, because there is no driver, only the reason is said: nothing was started with less.
void GpuJudgeTest::lockThatIsNotToBlame()
{
    m_control->absent = true;
    QVERIFY(!makeOne());
    QVERIFY2(m_log.find("sandbox:") == std::string::npos, m_log.c_str());
}

/// Less of a lock than what is required is refused, with what is missing.
void GpuJudgeTest::requiredLock()
{
    JudgeOptions options;
    options.requiredSandbox = SandboxLevel::Files;
    m_control->lockedTrouble = 3;
    QVERIFY(!makeOne(options));
    QVERIFY2(m_log.find("the cuda runner is locked at level calls") != std::string::npos, m_log.c_str());
    QVERIFY2(m_log.find("files is required") != std::string::npos, m_log.c_str());
}

/// What runs beside the driver can reach neither files nor processes nor the network.
void GpuJudgeTest::locked()
{
    const auto judge = makeOne();
    QVERIFY(judge);
    if (m_log.find("no Landlock") != std::string::npos)
        QSKIP("this kernel has no Landlock");
    const auto r = judgeOne(*judge, named("escape_"));
    QVERIFY2(r.correct(), r.message.c_str());
    QVERIFY(m_control->escapes >= 1000);
    QCOMPARE(m_control->escapes % 1000, 0);
    QVERIFY2(m_log.find("is tried again") == std::string::npos, m_log.c_str());
}

QTEST_GUILESS_MAIN(GpuJudgeTest)
#include "gpu_judge_test.moc"
