// SPDX-License-Identifier: Apache-2.0
// Whole kernels, as NVRTC compiles them, against sums in double.
#include "harness.h"
#include "ptx_text.h"

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
    void gathersByCopies();
    void constantsOneAfterAnother();
    void spillsAreNoGain();
    void copiesMeetTheirThread_data();
    void copiesMeetTheirThread();
    void fragmentsNeedAllLanes();
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

/// A copy waits for its address as a load does: a gather does not become faster by asynchronous copies that
/// are waited for at once.
void TestKernels::gathersByCopies()
{
    std::string loads, copies = "mov.u32 %r20, sh; mad.lo.u32 %r20, %r1, 4, %r20;\n";
    for (std::string* body : {&loads, &copies}) {
        *body += "mov.f32 %f0, 0f00000000; mov.u32 %r10, %r0;\n";
        for (int i = 0; i < 8; ++i) {
            *body += "mul.wide.u32 %a10, %r10, 4; add.u64 %a11, %a2, %a10; ld.global.u32 %r11, [%a11];\n"
                     "mul.wide.u32 %a12, %r11, 4; add.u64 %a13, %a0, %a12;\n";
            *body += body == &loads ? "ld.global.f32 %f1, [%a13];\n"
                                    : "cp.async.ca.shared.global [%r20], [%a13], 4; cp.async.wait_all; "
                                      "ld.shared.f32 %f1, [%r20];\n";
            // As in a loop, where nothing of the next round begins before a round has ended.
            *body += "add.f32 %f0, %f0, %f1; add.u32 %r10, %r10, 64; bra L" + std::to_string(i) + ";\nL" +
                     std::to_string(i) + ":\n";
        }
        *body += "mov.b32 %r12, %f0;\n" + toOutput("%r12");
    }
    const std::vector<float> x(1024, 1.0f);
    const ExecutionResult plain = kernelBench(kernelText(loads), 2, 64).run(x),
                          copied = kernelBench(kernelText(copies, ".shared .align 16 .b8 sh[256];\n"), 2, 64)
                                       .run(x);
    QVERIFY(!plain.fault && !copied.fault);
    QCOMPARE(copied.outputs, plain.outputs);
    QVERIFY2(copied.warmMicroseconds >= plain.warmMicroseconds,
             qPrintable(QString::number(copied.warmMicroseconds) + QStringLiteral(" against ") +
                        QString::number(plain.warmMicroseconds)));
}

/// Constant memory serves one address at a time: a table there that each lane reads elsewhere is slower than
/// the same table in global memory, one that all read at one place is not.
void TestKernels::constantsOneAfterAnother()
{
    std::string numbers;
    for (int i = 0; i < 1024; ++i)
        numbers += (i ? "," : "") + std::to_string(i % 97);
    const auto time = [&](const std::string& space, bool same) {
        std::string body =
            "mov.u32 %r12, 0; mov.u32 %r10, " + std::string(same ? "5" : "%r0") + ";\nmov.u64 %a10, table;\n";
        for (int i = 0; i < 8; ++i)
            body += "mul.wide.u32 %a12, %r10, 4; add.u64 %a13, %a10, %a12; ld." + space +
                    ".u32 %r11, [%a13]; add.u32 %r12, %r12, %r11; add.u32 %r10, %r10, 64; bra L" +
                    std::to_string(i) + ";\nL" + std::to_string(i) + ":\n";
        body += toOutput("%r12");
        const auto result =
            kernelBench(kernelText(body, "." + space + " .align 4 .u32 table[1024] = {" + numbers + "};\n"),
                        2, 64)
                .run(std::vector<float>(1024, 1.0f));
        return result.fault ? -1 : result.warmMicroseconds;
    };
    const double lanes = time("const", false), global = time("global", false), one = time("const", true);
    QVERIFY(one > 0 && global > 0);
    QVERIFY2(lanes > global + 0.05, qPrintable(QStringLiteral("%1 us, %2 us").arg(lanes).arg(global)));
    QVERIFY2(one <= global, qPrintable(QStringLiteral("%1 us, %2 us").arg(one).arg(global)));
}

/// Registers that do not fit are written and read, and leave no room for more blocks.
void TestKernels::spillsAreNoGain()
{
    std::string body = "mov.f32 %f0, 0f00000000; mov.u32 %r10, %r0;\n";
    for (int i = 0; i < 16; ++i)
        body += "and.b32 %r11, %r10, 1023; mul.wide.u32 %a12, %r11, 4; add.u64 %a13, %a0, %a12; "
                "ld.global.f32 %f1, [%a13]; add.f32 %f0, %f0, %f1; add.u32 %r10, %r10, 64;\n";
    body += "and.b32 %r0, %r0, 1023; mov.b32 %r12, %f0;\n";
    const auto run = [&](int registers, std::int64_t local) {
        Bench bench = kernelBench(kernelText(body), 8000, 64);
        bench.request.resources = {{"k", registers, 0, local, 0}};
        return bench.run(std::vector<float>(1024, 1.0f));
    };
    const auto all = run(128, 0), spilled = run(32, 384), few = run(32, 0);
    QVERIFY2(!all.fault && !spilled.fault && !few.fault, all.fault ? all.fault->message.c_str() : "");
    QVERIFY(few.warmMicroseconds < all.warmMicroseconds);
    QVERIFY2(
        spilled.warmMicroseconds > all.warmMicroseconds,
        qPrintable(QStringLiteral("%1 us, %2 us").arg(spilled.warmMicroseconds).arg(all.warmMicroseconds)));
    QCOMPARE(spilled.launches.front().localBytes, std::int64_t(384));
    QCOMPARE(spilled.launches.front().registers, 32);
}

/// What a thread does with bytes that a copy of its own may still write to is a race, whichever instruction
/// it is; once the copy is waited for it is none.
void TestKernels::copiesMeetTheirThread_data()
{
    QTest::addColumn<QString>("copy");
    QTest::addColumn<QString>("access");
    const QString each = QStringLiteral("cp.async.ca.shared.global [%r20], [%a0], 16;\n");
    const QString one = QStringLiteral("setp.eq.u32 %p0, %r1, 9; mov.u32 %r22, sh;\n"
                                       "@%p0 cp.async.ca.shared.global [%r22], [%a0], 16;\n");
    const QString matrix = QStringLiteral("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r21}, [%r20];\n");
    QTest::newRow("load") << each << QStringLiteral("ld.shared.u32 %r21, [%r20];\n");
    QTest::newRow("store") << each << QStringLiteral("st.shared.u32 [%r20], %r1;\n");
    QTest::newRow("atomic") << each << QStringLiteral("atom.shared.add.u32 %r21, [%r20+12], 1;\n");
    QTest::newRow("reduction") << each << QStringLiteral("red.shared.max.u32 [%r20+4], 1;\n");
    QTest::newRow("matrix") << each << matrix;
    // Its rows are read by all lanes together.
    QTest::newRow("matrix of another lane's row") << one << matrix;
}

void TestKernels::copiesMeetTheirThread()
{
    QFETCH(QString, copy);
    QFETCH(QString, access);
    const std::string before = "mov.u32 %r20, sh; mad.lo.u32 %r20, %r1, 16, %r20; mov.u32 %r21, 0;\n"
                               "st.shared.u32 [%r20], %r21; st.shared.u32 [%r20+4], %r21;\n"
                               "st.shared.u32 [%r20+8], %r21; st.shared.u32 [%r20+12], %r21;\n"
                               "bar.warp.sync 0xffffffff;\n",
                      wait = "cp.async.wait_all; bar.warp.sync 0xffffffff;\n";
    const std::vector<float> x(1024, 1.0f);
    for (const bool waits : {true, false}) {
        const std::string body = before + copy.toStdString() + (waits ? wait : "") + access.toStdString() +
                                 (waits ? "" : wait) + toOutput("%r21");
        const ExecutionResult result =
            kernelBench(kernelText(body, ".shared .align 16 .b8 sh[512];\n"), 1, 32).run(x);
        QCOMPARE(result.fault.has_value(), !waits);
        if (!result.fault)
            continue;
        QCOMPARE(int(result.fault->kind), int(FaultKind::Race));
        QVERIFY2(result.fault->message.find("asynchronous copy of the same thread") != std::string::npos,
                 result.fault->message.c_str());
    }
}

/// wmma waits for all lanes of a warp, as mma does: where some of them do not come it is a fault.
void TestKernels::fragmentsNeedAllLanes()
{
    const std::string load =
        "wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
        "[%a0], 16;\nwmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%a1], "
        "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, 16;\n";
    std::vector<float> x(1024);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i);
    const ExecutionResult all = kernelBench(kernelText(load), 1, 32).run(x);
    QVERIFY2(!all.fault, all.fault ? all.fault->message.c_str() : "");
    const std::vector<float> y = floats(all.outputs.at(0));
    for (std::size_t i = 0; i < 256; ++i)
        QCOMPARE(y[i], x[i % 16 * 16 + i / 16]); // transposed
    const ExecutionResult some = kernelBench(kernelText("setp.lt.u32 %p1, %r1, 16; @%p1 bra END;\n" + load +
                                                        "END: bar.warp.sync -1;\n"),
                                             1, 32)
                                     .run(x);
    QVERIFY(some.fault && some.fault->kind == FaultKind::SyncError);
    const ExecutionResult few =
        kernelBench(
            kernelText("setp.lt.u32 %p1, %r1, 16; @%p1 ret; mov.u32 %r20, 0; mov.f32 %f0, 0f00000000;\n"
                       "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r20, "
                       "%r20, %r20, %r20}, "
                       "{%r20, %r20}, {%f0, %f0, %f0, %f0};"),
            1, 32)
            .run(x);
    QVERIFY(few.fault && few.fault->kind == FaultKind::SyncError);
}

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"
