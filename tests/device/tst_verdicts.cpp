// SPDX-License-Identifier: Apache-2.0
// Kernels that go wrong get the right verdict, line, block and thread; those that only look wrong do not.
#include "harness.h"

#include <QTest>
#include <map>

using namespace sparserl;
using namespace sparserl::harness;

class TestVerdicts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void faults_data();
    void faults();
    void fineAfterAll_data();
    void fineAfterAll();
    void launchLimits();
    void preparedIsReadOnly();
    void sameSeedSameEverything();
};

namespace {

/// Lines that carry "FAULT(name)".
std::vector<int> faultLines(const std::string& name)
{
    std::istringstream text(fixture("faults.cu"));
    std::vector<int> lines;
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        if (line.find("FAULT(" + name + ")") != std::string::npos)
            lines.push_back(number);
    }
    return lines;
}

std::vector<float> ones(int count)
{
    return std::vector<float>(count, 1.0f);
}

Bench bench(const std::string& kernel, std::int64_t blocks, std::int64_t threads, int n = 128,
            int outputs = 128)
{
    Bench result(fixture("faults.ptx"));
    const int x = result.x(128), y = result.y(outputs);
    result.launch(kernel, blocks, threads, {number(n), array(x), array(y)});
    return result;
}

} // namespace

void TestVerdicts::faults_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("thread");
    QTest::addColumn<QByteArray>("message");
    auto row = [](const char* name, FaultKind kind, int blocks, int n, int thread, const char* message) {
        QTest::newRow(name) << int(kind) << blocks << n << thread << QByteArray(message);
    };
    row("oob_read", FaultKind::OutOfBounds, 1, 128, 127, "read of x[128], which has 128 elements");
    row("oob_write", FaultKind::OutOfBounds, 2, 128, -1, "which has 128 elements");
    row("write_input", FaultKind::OutOfBounds, 1, 128, -1, "write to x[0], which may only be read here");
    row("null_pointer", FaultKind::OutOfBounds, 1, 100, -1, "belongs to no array");
    row("misaligned", FaultKind::OutOfBounds, 1, 128, 3, "misaligned write of 8 bytes at y[1]");
    row("shared_oob", FaultKind::OutOfBounds, 1, 65, -1, "which has 256 bytes");
    row("uninitialised_shared", FaultKind::Uninitialised, 1, 128, 41, "byte 160 of the shared array");
    row("uninitialised_output", FaultKind::Uninitialised, 1, 128, -1, "y[");
    row("missing_barrier", FaultKind::Race, 1, 128, -1, "of the shared array");
    row("barrier_too_late", FaultKind::Race, 1, 128, -1, "of the shared array");
    row("racy_blocks", FaultKind::Race, 2, 128, 0, "race on y[0]");
    row("divergent_barrier", FaultKind::SyncError, 1, 128, -1, "divergent barrier");
    row("two_barriers", FaultKind::SyncError, 1, 128, -1, "divergent barrier");
    row("wrong_mask", FaultKind::SyncError, 1, 128, -1, "the mask 0xffffffff names lane 16");
    row("endless", FaultKind::Timeout, 1, 128, -1, "did not end within 100000 warp instructions");
    row("trapping", FaultKind::LaunchError, 1, 128, 5, "trap");
    row("inlined", FaultKind::OutOfBounds, 1, 128, -1, "read of x[");
}

void TestVerdicts::faults()
{
    QFETCH(int, kind);
    QFETCH(int, blocks);
    QFETCH(int, n);
    QFETCH(int, thread);
    QFETCH(QByteArray, message);
    const std::string name = QTest::currentDataTag();
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Bench one = bench(name, blocks, 128, n);
        one.request.stepBudget = 100000;
        const ExecutionResult result = one.run(ones(128), seed);
        QVERIFY2(result.fault, name.c_str());
        // A read of memory that another thread has yet to write is a race or uninitialised, as it happens.
        const bool early = result.fault->kind == FaultKind::Uninitialised && kind == int(FaultKind::Race);
        QVERIFY2(int(result.fault->kind) == kind || early, result.fault->message.c_str());
        const std::vector<int> lines = faultLines(name);
        const bool either = name == "barrier_too_late"; // the read or the write, whichever comes second
        QVERIFY2(std::find(lines.begin(), lines.end(), result.fault->line) != lines.end() ||
                     (either && result.fault->line == lines[0] + 2),
                 std::to_string(result.fault->line).c_str());
        QVERIFY(result.fault->block && result.fault->thread);
        QVERIFY((*result.fault->block)[0] < blocks && (*result.fault->thread)[0] < 128);
        if (thread >= 0)
            QCOMPARE((*result.fault->thread)[0], std::int64_t(thread));
        if (!early)
            QVERIFY2(result.fault->message.find(message.toStdString()) != std::string::npos,
                     result.fault->message.c_str());
        QCOMPARE(result.fault->kernel, name);
    }
}

void TestVerdicts::fineAfterAll_data()
{
    QTest::addColumn<int>("outputs");
    QTest::newRow("same_value") << 1;
    QTest::newRow("early_return") << 100;
}

void TestVerdicts::fineAfterAll()
{
    QFETCH(int, outputs);
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Bench one = bench(QTest::currentDataTag(), 1, 128, 128, outputs);
        const ExecutionResult result = one.run(ones(128), seed);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        QCOMPARE(floats(result.outputs.at(0)), ones(outputs));
    }
}

void TestVerdicts::launchLimits()
{
    auto kind = [](Bench one) {
        const ExecutionResult result = one.run(ones(128));
        return result.fault ? int(result.fault->kind) : -1;
    };
    QCOMPARE(kind(bench("same_value", 1, 1025)), int(FaultKind::LaunchError));
    QCOMPARE(kind(bench("same_value", 1, 0)), int(FaultKind::LaunchError));
    Bench shared = bench("same_value", 1, 32);
    shared.plan.launches[0].dynamicSharedBytes = 1 << 20;
    QCOMPARE(kind(std::move(shared)), int(FaultKind::LaunchError));
    Bench skipped = bench("same_value", 0, 32);
    skipped.plan.launches[0].skipped = true;
    const ExecutionResult result = skipped.run(ones(128));
    QVERIFY(!result.fault);
    QVERIFY(floats(result.outputs.at(0)).at(5) != floats(result.outputs.at(0)).at(5)); // still poisoned
}

void TestVerdicts::preparedIsReadOnly()
{
    // same_value writes its third argument: as a prepared buffer that is right in a prepare call and wrong in
    // a launch.
    for (const bool prepare : {true, false}) {
        Bench one(fixture("faults.ptx"));
        const int x = one.x(128), y = one.y(1),
                  kept = one.buffer("kept", BufferRole::Prepared, ElementType::F32, 4);
        one.launch("same_value", 1, 32, {number(4), array(x), array(kept)});
        if (prepare) {
            one.plan.prepares.push_back(one.plan.launches.back());
            one.plan.launches.clear();
            one.launch("same_value", 1, 32, {number(4), array(x), array(y)});
        }
        const ExecutionResult result = one.run(ones(128));
        QCOMPARE(bool(result.fault), !prepare);
        if (!prepare)
            QCOMPARE(int(result.fault->kind), int(FaultKind::OutOfBounds));
        else
            QVERIFY(result.setupMicroseconds > 0);
    }
}

void TestVerdicts::sameSeedSameEverything()
{
    const TestMatrix m = randomMatrix(300, 300, 1, 60, 9);
    auto execute = [&](std::uint64_t seed) {
        Bench one(fixture("csr_warp.ptx"));
        const int rowPtr = one.matrix("csr.row_ptr", m.rowPtr), col = one.matrix("csr.col", m.col),
                  val = one.matrix("csr.val", m.val), x = one.x(m.cols), y = one.y(m.rows);
        one.launch("spmv", 75, 128,
                   {number(m.rows), array(rowPtr), array(col), array(val), array(x), array(y)});
        one.request.lineCounters = true;
        return one.run(ones(300), seed);
    };
    const ExecutionResult a = execute(3), b = execute(3), c = execute(4);
    QCOMPARE(a.warmMicroseconds, b.warmMicroseconds);
    QCOMPARE(a.coldMicroseconds, b.coldMicroseconds);
    QCOMPARE(a.steps, b.steps);
    QCOMPARE(a.outputs, b.outputs);
    QCOMPARE(a.outputs, c.outputs);
    QVERIFY(!a.lines.empty() && a.lines.size() == b.lines.size());
    for (std::size_t i = 0; i < a.lines.size(); ++i) {
        QCOMPARE(a.lines[i].warpInstructions, b.lines[i].warpInstructions);
        QCOMPARE(a.lines[i].l1Hits, b.lines[i].l1Hits);
        QCOMPARE(a.lines[i].l1Hits + a.lines[i].l2Hits + a.lines[i].dramSectors, a.lines[i].globalSectors);
    }
}

QTEST_GUILESS_MAIN(TestVerdicts)
#include "tst_verdicts.moc"
