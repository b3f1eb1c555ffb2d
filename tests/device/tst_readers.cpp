// SPDX-License-Identifier: Apache-2.0
// A word may have any number of readers that nothing orders: a writer must be ordered after each of them.
#include "ptx_text.h"

#include <QTest>
#include <fmt/format.h>

using namespace sparserl;
using namespace sparserl::harness;

class TestReaders : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writers_data();
    void writers();
};

namespace {

constexpr int nobody = 99;

/// Warps read a word of shared memory; warp 0 writes to it after a barrier that leaves out warp `missing`.
std::string ofBlock(int warps, int missing, const std::string& load, const std::string& store)
{
    const int met = 32 * (missing == nobody ? warps : warps - 1);
    return fmt::format(".shared .align 4 .b8 v[4]; mov.u32 %r4, v; shr.u32 %r5, %r1, 5; setp.ne.u32 %p0, "
                       "%r1, 0; @!%p0 st.shared.u32 [%r4], 1; mov.u16 %h1, 3; bar.sync 0;\n{} setp.eq.u32 "
                       "%p1, %r5, {}; @%p1 bra MEET; bar.sync 1, {}; @!%p0 {}\nMEET: bar.sync 0;",
                       load, missing, met, store);
}

/// Blocks read a word of global memory and count; the last block writes to it when all have counted but
/// block `missing`, which does not count.
std::string ofGrid(int readers, int missing)
{
    const int counted = missing == nobody ? readers : readers - 1;
    return fmt::format("setp.ne.u32 %p0, %r1, 0; @%p0 bra END; setp.eq.u32 %p2, %r2, {0}; @%p2 bra WRITE; "
                       "ld.global.u32 %r22, [%a2+64]; setp.eq.u32 %p3, %r2, {1}; @%p3 bra END; membar.gl; "
                       "red.global.add.u32 [%a2], 1; bra END;\nWRITE:\nS: ld.volatile.global.u32 %r20, "
                       "[%a2]; setp.lt.u32 %p1, %r20, {2}; @%p1 bra S; membar.gl; st.global.u32 [%a2+64], "
                       "5;\nEND:\n",
                       readers, missing, counted);
}

/// Lane 0 reads, then, `between`, lane 1, which tells another block that it may write.
std::string ofLanes(const std::string& between)
{
    return "setp.ne.u32 %p0, %r1, 0; setp.ne.u32 %p3, %r1, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra WRITE; "
           "@!%p0 ld.global.u32 %r22, [%a2+64]; membar.gl; " +
           between +
           " @!%p3 ld.global.u32 %r22, [%a2+64]; membar.gl; @!%p3 st.volatile.global.u32 [%a2], 1; bra "
           "END;\nWRITE: @%p0 bra END;\nS: ld.volatile.global.u32 %r20, [%a2]; setp.eq.u32 %p1, %r20, 0; "
           "@%p1 bra S; membar.gl; st.global.u32 [%a2+64], 5;\nEND:\n";
}

} // namespace

void TestReaders::writers_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("right");
    const auto add = [](const std::string& name, int blocks, int threads, const std::string& body,
                        bool right) {
        QTest::newRow(name.c_str()) << blocks << threads << QString::fromStdString(body) << right;
    };
    const std::string word = "ld.shared.u32 %r6, [%r4];", low = "ld.shared.u16 %h0, [%r4];";
    const std::string writeWord = "st.shared.u32 [%r4], 2;";
    for (const int warps : {4, 8, 32}) {
        for (int missing = 1; missing < warps; missing += warps / 4)
            add(fmt::format("{} warps read, {} is not waited for", warps, missing), 1, 32 * warps,
                ofBlock(warps, missing, word, writeWord), false);
        add(fmt::format("{} warps read", warps), 1, 32 * warps, ofBlock(warps, nobody, word, writeWord),
            true);
    }
    for (int missing = 1; missing < 4; ++missing) {
        const std::string name = fmt::format("warp {} is not waited for: ", missing);
        add(name + "one half read and written", 1, 128, ofBlock(4, missing, low, "st.shared.u16 [%r4], %h1;"),
            false);
        add(name + "one half read, the word written", 1, 128, ofBlock(4, missing, low, writeWord), false);
        add(name + "one half read, the other written", 1, 128,
            ofBlock(4, missing, low, "st.shared.u16 [%r4+2], %h1;"), true);
        add(name + "read twice, with a barrier of the warp between", 1, 128,
            ofBlock(4, missing, word + "bar.warp.sync -1;" + word, writeWord), false);
        add(name + "strong and weak", 1, 128,
            ofBlock(4, missing, "ld.volatile.shared.u32 %r6, [%r4];", writeWord), false);
        add(name + "both strong", 1, 128,
            ofBlock(4, missing, "ld.volatile.shared.u32 %r6, [%r4];", "atom.shared.exch.b32 %r7, [%r4], 2;"),
            true);
    }
    // Readers that only signal do so at different times.
    add("three warps signal", 1, 128,
        ".shared .align 4 .b8 v[4]; mov.u32 %r4, v; setp.ne.u32 %p0, %r1, 0; @!%p0 st.shared.u32 [%r4], 1; "
        "bar.sync 0; ld.shared.u32 %r6, [%r4]; setp.lt.u32 %p1, %r1, 32; @%p1 bra WRITE; bar.arrive 1, 128; "
        "bra END;\nWRITE: bar.sync 1, 128; @!%p0 st.shared.u32 [%r4], 2;\nEND: bar.sync 0;",
        true);
    for (int missing = 0; missing < 5; ++missing)
        add(fmt::format("block {} of five is not waited for", missing), 6, 32, ofGrid(5, missing), false);
    add("five blocks", 6, 32, ofGrid(5, nobody), true);
    add("a lane reads, a later one tells", 2, 32, ofLanes(""), false);
    add("a lane reads, a later one tells after they have met", 2, 32, ofLanes("bar.warp.sync -1;"), true);
}

void TestReaders::writers()
{
    QFETCH(int, blocks);
    QFETCH(int, threads);
    QFETCH(QString, body);
    QFETCH(bool, right);
    for (int seed = 1; seed <= 8; ++seed) {
        Bench bench = kernelBench(kernelText(body.toStdString()), blocks, threads, 1 << 12);
        QVERIFY(!ptx::firstUnsupported(bench.module));
        const ExecutionResult result = bench.run(std::vector<float>(1 << 12, 1.0f), seed, Checks::All);
        QVERIFY2(right != result.fault.has_value(), result.fault ? result.fault->message.c_str() : "");
        QVERIFY2(right || result.fault->kind == FaultKind::Race, right ? "" : result.fault->message.c_str());
    }
}

QTEST_GUILESS_MAIN(TestReaders)
#include "tst_readers.moc"
