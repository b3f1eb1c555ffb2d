// SPDX-License-Identifier: Apache-2.0
// What atomics on shared memory cost that the assembler turns into loops, by the loops written by hand.
#include "ptx_text.h"

#include <QTest>

using namespace sparserl;
using namespace sparserl::harness;

class TestSharedAtomics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void costsWhatTheLoopCosts_data();
    void costsWhatTheLoopCosts();
    void lanesOfOtherWordsGoTogether();
    void whatHasAnInstructionIsCheap();
    void waitsWithoutAResult();
};

namespace {

constexpr int threads = 32, times = 20;

/// `body` in a loop, beside a clear array `v` in shared memory; %r5 is the address of the thread's word of
/// it, where `lanes` threads share one. Gives what the model says, in microseconds.
double cost(const std::string& body, int lanes, std::vector<std::uint32_t>* output = nullptr)
{
    const std::string text =
        ".shared .align 8 .b64 v[32]; mov.u32 %r5, v; mul.lo.u32 %r4, %r1, 8; add.u32 %r4, %r4, %r5; "
        "st.shared.u64 [%r4], 0; bar.sync 0;\ndiv.u32 %r6, %r1, " +
        std::to_string(lanes) +
        "; mul.lo.u32 %r6, %r6, 8; add.u32 %r5, %r5, %r6; mov.u32 %r7, 0; mov.u64 %a9, 1;\nL: " + body +
        " add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, " + std::to_string(times) +
        "; @%p1 bra L;\nbar.sync 0; ld.shared.u32 %r10, [%r5];\n" + toOutput("%r10");
    Bench bench = kernelBench(kernelText(text), 1, threads);
    const ExecutionResult result = bench.run(std::vector<float>(1024, 1.0f));
    if (result.fault)
        throw std::runtime_error(result.fault->message);
    if (output)
        *output = bitsOf(floats(result.outputs.at(0)));
    return result.warmMicroseconds;
}

const std::string addFloat = "red.shared.add.f32 [%r5], 0f3F800000;";

} // namespace

void TestSharedAtomics::costsWhatTheLoopCosts_data()
{
    QTest::addColumn<QByteArray>("atomic");
    QTest::addColumn<QByteArray>("loop");
    QTest::newRow("float") << QByteArray("red.shared.add.f32 [%r5], 0f3F800000;")
                           << QByteArray(
                                  "ld.volatile.shared.b32 %r13, [%r5];\nM: mov.b32 %r11, %r13; add.f32 "
                                  "%r12, %r11, 0f3F800000; atom.shared.cas.b32 %r13, [%r5], %r11, %r12; "
                                  "setp.ne.u32 %p2, %r13, %r11; @%p2 bra M;");
    QTest::newRow("64 bits") << QByteArray("atom.shared.add.u64 %a12, [%r5], %a9;")
                             << QByteArray(
                                    "ld.volatile.shared.u64 %a10, [%r5];\nM: mov.u64 %a11, %a10; add.u64 "
                                    "%a12, %a11, %a9; atom.shared.cas.b64 %a10, [%r5], %a11, %a12; "
                                    "setp.ne.u64 %p2, %a10, %a11; @%p2 bra M;");
}

void TestSharedAtomics::costsWhatTheLoopCosts()
{
    QFETCH(QByteArray, atomic);
    QFETCH(QByteArray, loop);
    const double nothing = cost("", 1);
    for (const int lanes : {1, 2, 8, 32}) {
        std::vector<std::uint32_t> one, other;
        const double ours = cost(atomic.toStdString(), lanes, &one) - nothing;
        const double byHand = cost(loop.toStdString(), lanes, &other) - nothing;
        QCOMPARE(one, other);
        const std::string told = std::to_string(lanes) + " lanes: " + std::to_string(ours) + " us, by hand " +
                                 std::to_string(byHand);
        // By hand a value is loaded once for every addition, not once a round.
        QVERIFY2(ours > 0.7 * byHand && ours < 1.3 * byHand, told.c_str());
    }
}

void TestSharedAtomics::lanesOfOtherWordsGoTogether()
{
    const double nothing = cost("", 1), alone = cost(addFloat, 1) - nothing,
                 two = cost(addFloat, 2) - nothing, all = cost(addFloat, threads) - nothing;
    QVERIFY2(two > 1.5 * alone && two < 2.5 * alone, std::to_string(two / alone).c_str());
    QVERIFY2(all > 20 * alone, std::to_string(all / alone).c_str());
}

void TestSharedAtomics::whatHasAnInstructionIsCheap()
{
    const double nothing = cost("", 1), loop = cost(addFloat, threads) - nothing;
    for (const char* atomic :
         {"red.shared.add.u32 [%r5], 1;", "red.shared.max.s32 [%r5], %r1;", "red.shared.or.b32 [%r5], %r1;",
          "atom.shared.exch.b64 %a12, [%r5], %a9;", "atom.shared.cas.b64 %a12, [%r5], %a9, %a9;",
          "atom.shared.exch.b32 %r12, [%r5], %r1;"})
        QVERIFY2(cost(atomic, threads) - nothing < loop / 10, atomic);
}

void TestSharedAtomics::waitsWithoutAResult()
{
    // Nothing uses a result, yet the warp is in the loop until its last lane has succeeded.
    const double nothing = cost("", 1);
    const double without = cost(addFloat, threads) - nothing,
                 with = cost("atom.shared.add.f32 %f1, [%r5], 0f3F800000;", threads) - nothing;
    QVERIFY2(without > 0.95 * with && without < 1.05 * with, std::to_string(without / with).c_str());
}

QTEST_GUILESS_MAIN(TestSharedAtomics)
#include "tst_shared_atomics.moc"
