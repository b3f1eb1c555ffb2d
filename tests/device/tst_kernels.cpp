// SPDX-License-Identifier: Apache-2.0
// Whole kernels, as NVRTC compiles them, against sums in double.
#include "harness.h"

#include <QTest>

using namespace sparserl;
using namespace sparserl::harness;

class TestKernels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void csr_data();
    void csr();
    void syncwarp();
    void lastBlock();
};

namespace {

std::vector<float> smallIntegers(int count)
{
    std::vector<float> x(count);
    for (int i = 0; i < count; ++i)
        x[i] = static_cast<float>(i % 5 - 2);
    return x;
}

Bench csrBench(const std::string& text, const std::string& kernel, const TestMatrix& m, std::int64_t grid,
               std::int64_t block)
{
    Bench bench(text);
    const int rowPtr = bench.matrix("csr.row_ptr", m.rowPtr), col = bench.matrix("csr.col", m.col),
              val = bench.matrix("csr.val", m.val), x = bench.x(m.cols), y = bench.y(m.rows);
    bench.launch(kernel, grid, block,
                 {number(m.rows), array(rowPtr), array(col), array(val), array(x), array(y)});
    return bench;
}

} // namespace

void TestKernels::csr_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<int>("threadsPerRow");
    QTest::newRow("warp") << QByteArray("csr_warp.ptx") << 32;
    QTest::newRow("scalar") << QByteArray("csr_scalar.ptx") << 1;
}

void TestKernels::csr()
{
    QFETCH(QByteArray, file);
    QFETCH(int, threadsPerRow);
    const TestMatrix m = randomMatrix(333, 500, 0, 90, 3);
    const std::vector<float> x = smallIntegers(m.cols);
    Bench bench = csrBench(fixture(file.toStdString()), "spmv", m, (m.rows * threadsPerRow + 127) / 128, 128);
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        const ExecutionResult result = bench.run(x, 5, checks);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        QCOMPARE(floats(result.outputs.at(0)), m.multiply(x));
    }
}

void TestKernels::syncwarp()
{
    const TestMatrix m = randomMatrix(50, 300, 0, 100, 4);
    const std::vector<float> x = smallIntegers(m.cols);
    const std::string text = fixture("syncwarp_staging.ptx");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const ExecutionResult good = csrBench(text, "good", m, 13, 128).run(x, seed);
        QVERIFY2(!good.fault, good.fault ? good.fault->message.c_str() : "");
        QCOMPARE(floats(good.outputs.at(0)), m.multiply(x));
        const ExecutionResult bad = csrBench(text, "bad", m, 13, 128).run(x, seed);
        QVERIFY(bad.fault);
        QCOMPARE(int(bad.fault->kind), int(FaultKind::Race));
        QVERIFY(bad.fault->line == 24 || bad.fault->line > 0);
        QVERIFY(bad.fault->block && bad.fault->thread);
    }
}

void TestKernels::lastBlock()
{
    const std::vector<float> x = smallIntegers(5000);
    double expected = 0;
    for (float v : x)
        expected += static_cast<double>(v);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        for (const bool fenced : {true, false}) {
            Bench bench(fixture("last_block.ptx"));
            const int in = bench.x(5000),
                      partial = bench.buffer("partial", BufferRole::Scratch, ElementType::F32, 37),
                      count = bench.buffer("count", BufferRole::Scratch, ElementType::U32, 1, true),
                      y = bench.y(1);
            bench.launch(fenced ? "good" : "bad", 37, 128,
                         {number(5000), array(in), array(partial), array(count), array(y)});
            const ExecutionResult result = bench.run(x, seed);
            if (fenced) {
                QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
                QCOMPARE(floats(result.outputs.at(0)).at(0), static_cast<float>(expected));
            } else {
                QVERIFY(result.fault);
                QCOMPARE(int(result.fault->kind), int(FaultKind::Race));
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"
