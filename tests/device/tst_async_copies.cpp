// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies (cp.async) read their source and write their destination until they are waited for.
#include "ptx_text.h"

#include <QTest>
#include <fmt/format.h>

using namespace sparserl;
using namespace sparserl::harness;

class TestAsyncCopies : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sources_data();
    void sources();
    void sourceOfAnotherBlock();
    void destinations_data();
    void destinations();
};

namespace {

/// %r4: 16 bytes of shared memory of each thread; %a21: 16 bytes of s of each thread, %a31 of the next lane,
/// %a41 of the same lane in the other of two warps.
const std::string places =
    ".shared .align 16 .b8 v[2048]; mov.u32 %r4, v; mul.lo.u32 %r5, %r1, 16; add.u32 %r4, %r4, %r5;\n"
    "mul.wide.u32 %a20, %r1, 16; add.u64 %a21, %a2, %a20;\n"
    "xor.b32 %r6, %r1, 1; mul.wide.u32 %a30, %r6, 16; add.u64 %a31, %a2, %a30;\n"
    "xor.b32 %r7, %r1, 32; mul.wide.u32 %a40, %r7, 16; add.u64 %a41, %a2, %a40; mov.u32 %r21, 0;\n";
const std::string copy = "cp.async.ca.shared.global [%r4], [%a21], 16;\n";
const std::string second = "cp.async.ca.shared.global [%r4+1024], [%a21+4096], 16;\n";
const std::string commit = "cp.async.commit_group;\n";
const std::string wait = "cp.async.wait_all;\n";

ExecutionResult execute(const std::string& body, std::int64_t blocks, std::uint64_t seed)
{
    Bench bench = kernelBench(kernelText(body), blocks, 64, 1 << 12);
    if (const auto problem = ptx::firstUnsupported(bench.module))
        throw std::runtime_error(problem->reason);
    return bench.run(std::vector<float>(1 << 12, 1.0f), seed, Checks::All);
}

} // namespace

void TestAsyncCopies::sources_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("right");
    const auto add = [](const char* name, bool right, const std::string& body) {
        QTest::newRow(name) << QString::fromStdString(places + body) << right;
    };
    // While the copy may be under way nobody may write to what it reads.
    add("stored over", false, copy + "st.global.u32 [%a21], 1;\n" + wait);
    add("its last word stored over", false, copy + "st.global.u32 [%a21+12], 1;\n" + wait);
    add("a byte of it stored over", false, copy + "st.global.u8 [%a21+5], %r21;\n" + wait);
    add("stored over by a vector", false, copy + "st.global.v2.u32 [%a21+8], {%r21, %r21};\n" + wait);
    add("stored over with what is there", false, copy + "st.global.u32 [%a21], %r21;\n" + wait);
    add("changed by an atomic", false, copy + "atom.global.add.u32 %r8, [%a21+4], 1;\n" + wait);
    add("changed by a reduction", false, copy + "red.global.add.u32 [%a21+4], 1;\n" + wait);
    add("stored over by a volatile store", false, copy + "st.volatile.global.u32 [%a21], 1;\n" + wait);
    add("stored over by another lane", false, copy + "bar.warp.sync -1; st.global.u32 [%a31], 1;\n" + wait);
    add("stored over by another warp", false, copy + "bar.sync 0; st.global.u32 [%a41], 1;\n" + wait);
    add("stored over by another warp, waited for there only", false,
        copy + "bar.sync 0;\n" + wait + "st.global.u32 [%a41], 1;\n");
    add("stored over while the second group may be under way", false,
        copy + commit + second + commit + "cp.async.wait_group 1; st.global.u32 [%a21+4096], 1;\n" + wait);
    add("stored over between two copies of it", false,
        copy + "st.global.u32 [%a21], 1; cp.async.ca.shared.global [%r4+1024], [%a21], 16;\n" + wait);
    // Waiting and what orders threads make it right.
    add("stored before", true, "st.global.u32 [%a21], 1;\n" + copy + wait);
    add("stored over after the wait", true, copy + wait + "st.global.u32 [%a21], 1;\n");
    add("changed by an atomic after the wait", true, copy + wait + "atom.global.add.u32 %r8, [%a21], 1;\n");
    add("stored over by another lane after the wait", true,
        copy + wait + "bar.warp.sync -1; st.global.u32 [%a31], 1;\n");
    add("stored over by another warp after the wait", true,
        copy + wait + "bar.sync 0; st.global.u32 [%a41], 1;\n");
    add("stored over after the first group", true,
        copy + commit + second + commit + "cp.async.wait_group 1; st.global.u32 [%a21], 1;\n" + wait);
    add("read meanwhile", true, copy + "ld.global.u32 %r8, [%a21]; ld.global.u32 %r8, [%a31];\n" + wait);
    add("stored next to it", true, copy + "st.global.u32 [%a21+4096], 1;\n" + wait);
    add("stored over what it leaves out", true,
        "cp.async.ca.shared.global [%r4], [%a21], 16, 8; st.global.u32 [%a21+8], 1;\n" + wait);
    add("nothing of it read", true,
        "cp.async.ca.shared.global [%r4], [%a21], 16, 0; st.global.u32 [%a21], 1;\n" + wait);
}

void TestAsyncCopies::sources()
{
    QFETCH(QString, body);
    QFETCH(bool, right);
    for (int seed = 1; seed <= 8; ++seed) {
        const ExecutionResult result = execute(body.toStdString(), 1, seed);
        if (right) {
            QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
            continue;
        }
        QVERIFY(result.fault);
        QVERIFY2(result.fault->kind == FaultKind::Race, result.fault->message.c_str());
        QVERIFY2(result.fault->message.find("race on s[") != std::string::npos,
                 result.fault->message.c_str());
    }
}

void TestAsyncCopies::sourceOfAnotherBlock()
{
    // Block 0 issues a copy, says so and waits for block 1, which stores over the source: everything is
    // ordered, except that the copy is waited for after all that (`late`) or before.
    for (const bool late : {true, false}) {
        const std::string body =
            places +
            "setp.ne.u32 %p0, %r1, 0; @%p0 bra END; add.u64 %a10, %a2, 8192;\nsetp.ne.u32 %p2, %r2, 0; @%p2 "
            "bra OTHER;\n" +
            copy + (late ? "" : wait) +
            "membar.gl; st.volatile.global.u32 [%a10], 1;\nA: ld.volatile.global.u32 %r20, [%a10+4]; "
            "setp.eq.u32 %p1, %r20, 0; @%p1 bra A;\nmembar.gl;\n" +
            wait +
            "bra END;\nOTHER:\nB: ld.volatile.global.u32 %r20, [%a10]; setp.eq.u32 %p1, %r20, 0; @%p1 bra "
            "B;\nmembar.gl; st.global.u32 [%a21], 7; membar.gl; st.volatile.global.u32 [%a10+4], 1;\nEND:\n";
        for (int seed = 1; seed <= 8; ++seed) {
            const ExecutionResult result = execute(body, 2, seed);
            QVERIFY2(late == result.fault.has_value(), result.fault ? result.fault->message.c_str() : "");
            QVERIFY(!late || result.fault->message.find("asynchronous copy") != std::string::npos);
        }
    }
}

void TestAsyncCopies::destinations_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("right");
    // %r30, %r31: the destinations of the next lane and of the other warp; all is written at first.
    const std::string before = places + "shl.b32 %r8, %r6, 4; mov.u32 %r30, v; add.u32 %r30, %r30, %r8; "
                                        "shl.b32 %r8, %r7, 4; mov.u32 %r31, v; add.u32 %r31, %r31, %r8;\n"
                                        "st.shared.v4.u32 [%r4], {%r21, %r21, %r21, %r21}; bar.sync 0;\n";
    const auto add = [&](const char* name, bool right, const std::string& body) {
        QTest::newRow(name) << QString::fromStdString(before + body) << right;
    };
    const std::string meet = "bar.warp.sync -1;\n", barrier = "bar.sync 0;\n";
    const std::string read = "ld.shared.u32 %r9, [%r30+4];\n", write = "st.shared.u32 [%r30+4], 1;\n";
    const std::string change = "atom.shared.add.u32 %r9, [%r30+4], 1;\n";
    for (const auto& [name, access] : {std::pair("read", read), {"written", write}, {"changed", change}}) {
        const std::string text = std::string(name) + " by another lane ";
        add((text + "meanwhile, which meets before and after").c_str(), false,
            copy + meet + access + meet + wait);
        add((text + "meanwhile, which meets before").c_str(), false, copy + meet + access + wait);
        add((text + "before").c_str(), true, access + meet + copy + wait);
        add((text + "before, which meets too late").c_str(), false, access + copy + meet + wait);
        add((text + "after the wait").c_str(), true, copy + wait + meet + access);
    }
    add("read by another warp meanwhile", false,
        copy + barrier + "ld.shared.u32 %r9, [%r31];\n" + barrier + wait);
    add("written by another warp meanwhile", false,
        copy + barrier + "st.shared.u32 [%r31], 1;\n" + barrier + wait);
    add("read by another warp before and after", true,
        "ld.shared.u32 %r9, [%r31];\n" + barrier + copy + wait + barrier + "ld.shared.u32 %r9, [%r31];\n");
    add("two copies to one place", false, copy + "cp.async.ca.shared.global [%r4], [%a31], 16;\n" + wait);
    add("one copy after another", true,
        copy + wait + "cp.async.ca.shared.global [%r4], [%a31], 16;\n" + wait);
    add("the first group read while the second is under way", true,
        copy + commit + second + commit + "cp.async.wait_group 1;\n" + meet + read + meet + wait);
}

void TestAsyncCopies::destinations()
{
    QFETCH(QString, body);
    QFETCH(bool, right);
    for (int seed = 1; seed <= 8; ++seed) {
        const ExecutionResult result = execute(body.toStdString(), 1, seed);
        QVERIFY2(right != result.fault.has_value(), result.fault ? result.fault->message.c_str() : "");
        QVERIFY2(right || result.fault->kind == FaultKind::Race, right ? "" : result.fault->message.c_str());
    }
}

QTEST_GUILESS_MAIN(TestAsyncCopies)
#include "tst_async_copies.moc"
