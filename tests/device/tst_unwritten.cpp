// SPDX-License-Identifier: Apache-2.0
// What nothing has written holds nothing that a program could count on: registers, local and shared memory.
#include "device/simulator/decode/flow_graph.h"
#include "ptx_text.h"

#include <QTest>
#include <set>

using namespace sparserl;
using namespace sparserl::harness;

class TestUnwritten : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void registersAreAnything_data();
    void registersAreAnything();
    void unusedIsHarmless();
    void memoryIsFault_data();
    void memoryIsFault();
    void sharedOfAnEarlierBlock();
    void loadedAndUsed_data();
    void loadedAndUsed();
    void loadedAndLost_data();
    void loadedAndLost();
    void globalLoadedAndLost();
    void theLoadIsNamed();
    void paths();
    void effortIsBounded();
};

namespace {

constexpr int blocks = 24, threads = 64;

ExecutionResult execute(const std::string& body, std::uint64_t seed, Checks checks)
{
    Bench bench = kernelBench(kernelText(body), blocks, threads, blocks * threads);
    if (const auto problem = ptx::firstUnsupported(bench.module))
        throw std::runtime_error(problem->reason);
    return bench.run(std::vector<float>(blocks * threads, 1.0f), seed, checks);
}

} // namespace

void TestUnwritten::registersAreAnything_data()
{
    QTest::addColumn<QByteArray>("body");
    // Each puts something that comes of an unwritten register into %r10.
    QTest::newRow("32 bits") << QByteArray("mov.b32 %r10, %r20; add.u32 %r20, %r20, 1;");
    QTest::newRow("64 bits") << QByteArray(
        "mov.b64 {_, %r10}, %a20; mov.b64 {%r11, _}, %a20; xor.b32 %r10, %r10, %r11; "
        "add.u64 %a20, %a20, 1;");
    QTest::newRow("16 bits") << QByteArray("cvt.u32.u16 %r10, %h3; add.u16 %h3, %h3, 1;");
    QTest::newRow("float") << QByteArray("mov.b32 %r10, %f20; add.f32 %f20, %f20, 0f3F800000;");
    QTest::newRow("predicates") << QByteArray(
        "selp.u32 %r10, 1, 0, %p5; selp.u32 %r11, 2, 0, %p6; or.b32 %r10, %r10, %r11; selp.u32 %r11, 4, 0, "
        "%p7; or.b32 "
        "%r10, %r10, %r11; selp.u32 %r11, 8, 0, %p8; or.b32 %r10, %r10, %r11; not.pred %p5, %p5;");
    QTest::newRow("guard") << QByteArray(
        "mov.u32 %r10, 1; @%p5 mov.u32 %r10, 2; @%p6 add.u32 %r10, %r10, 2; @%p7 add.u32 "
        "%r10, %r10, 4; @!%p8 add.u32 %r10, %r10, 8; not.pred %p5, %p5;");
    QTest::newRow("carry") << QByteArray("addc.u32 %r10, %r1, 0; add.cc.u32 %r11, %r2, -1;");
    QTest::newRow("one half") << QByteArray("mov.b32 %r10, {%h2, %h3}; add.u16 %h3, %h3, 1;");
    QTest::newRow("written under a predicate") << QByteArray(
        "setp.eq.u32 %p1, %r2, 99; @%p1 mov.u32 %r20, 0; mov.u32 %r10, %r20; add.u32 %r20, %r20, 1;");
    QTest::newRow("written on one path")
        << QByteArray("setp.eq.u32 %p1, %r2, 99; @!%p1 bra M; mov.u32 %r20, 0;\nM: mov.u32 "
                      "%r10, %r20; add.u32 %r20, %r20, 1;");
    QTest::newRow("shuffled") << QByteArray(
        "shfl.sync.idx.b32 %r10, %r20, 0, 31, -1; add.u32 %r20, %r20, 1;");
    QTest::newRow("of a matrix") << QByteArray(
        "mov.u32 %r4, 0x3c003c00; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
        "{%r4, %r4, %r4, "
        "%r4}, {%r4, %r4}, {%f20, %f20, %f20, %f20}; mov.b32 %r10, %f0; add.f32 %f20, %f20, 0f3F800000;");
    QTest::newRow("of lanes that left")
        << QByteArray("mov.u32 %r10, 7; and.b32 %r4, %r1, 31; setp.ge.u32 %p1, %r4, 8; @%p1 bra E; "
                      "shfl.sync.idx.b32 %r10, %r2, 20, 31, "
                      "255;\nE:");
}

void TestUnwritten::registersAreAnything()
{
    QFETCH(QByteArray, body);
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        std::set<std::vector<std::uint32_t>> outputs;
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const ExecutionResult result = execute(body.toStdString() + toOutput("%r10"), seed, checks);
            QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
            const auto bits = bitsOf(floats(result.outputs.at(0)));
            outputs.insert(bits);
            // Never what blocks before have counted, and the same seed gives the same.
            int counted = 0;
            for (int b = 1; b < blocks; ++b)
                counted += bits[b * threads] == bits[(b - 1) * threads] + 1;
            QVERIFY2(counted < blocks / 2, std::to_string(counted).c_str());
            QCOMPARE(
                bitsOf(floats(execute(body.toStdString() + toOutput("%r10"), seed, checks).outputs.at(0))),
                bits);
        }
        QCOMPARE(outputs.size(), std::size_t(3));
    }
}

void TestUnwritten::unusedIsHarmless()
{
    // A compiler reads registers that hold nothing where the value does not matter.
    const std::string body = "setp.lt.u32 %p1, %r1, 10; @%p1 mov.u32 %r20, 5; selp.u32 %r10, %r20, 3, %p1;\n"
                             "and.b32 %r21, %r21, 0; add.u32 %r10, %r10, %r21;\n" +
                             toOutput("%r10");
    for (const Checks checks : {Checks::None, Checks::All}) {
        const auto bits = bitsOf(floats(execute(body, 1, checks).outputs.at(0)));
        for (int i = 0; i < blocks * threads; ++i)
            QCOMPARE(bits[i], i % threads < 10 ? 5u : 3u);
    }
}

void TestUnwritten::memoryIsFault_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("local") << QByteArray(
        ".local .align 4 .b32 v[8]; ld.local.u32 %r10, [v+8]; add.u32 %r11, %r10, 1; "
        "st.local.u32 [v+8], %r11;");
    QTest::newRow("local by a generic address")
        << QByteArray(".local .align 4 .b32 v[8]; mov.u64 %a10, v; cvta.local.u64 %a11, %a10; ld.u32 %r10, "
                      "[%a11]; st.u32 [%a11], 1;");
    QTest::newRow("other part of local")
        << QByteArray(".local .align 8 .b32 v[8]; st.local.u32 [v], 1; ld.local.v2.u32 {%r11, %r10}, [v];");
    QTest::newRow("parameter of a call") << QByteArray(
        "{ .param .b32 a; ld.param.b32 %r10, [a]; add.u32 %r11, %r10, 1; st.param.b32 [a], %r11; }");
}

void TestUnwritten::memoryIsFault()
{
    QFETCH(QByteArray, body);
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        const ExecutionResult result = execute(body.toStdString() + toOutput("%r10"), 1, checks);
        QVERIFY(result.fault);
        QVERIFY2(result.fault->kind == FaultKind::Uninitialised, result.fault->message.c_str());
    }
}

void TestUnwritten::sharedOfAnEarlierBlock()
{
    // Every block would count on where the one before it stopped.
    const std::string body =
        ".shared .align 4 .b32 v[64]; mov.u32 %r4, v; mul.lo.u32 %r5, %r1, 4; add.u32 %r4, %r4, %r5; "
        "ld.shared.u32 %r10, [%r4]; add.u32 %r11, %r10, 1; st.shared.u32 [%r4], %r11;\n" +
        toOutput("%r10");
    const ExecutionResult watched = execute(body, 1, Checks::All);
    QVERIFY(watched.fault && watched.fault->kind == FaultKind::Uninitialised);
    const auto bits = bitsOf(floats(execute(body, 1, Checks::None).outputs.at(0))),
               other = bitsOf(floats(execute(body, 2, Checks::None).outputs.at(0)));
    QVERIFY(bits != other);
    for (int b = 1; b < blocks; ++b)
        QVERIFY(bits[b * threads] != bits[(b - 1) * threads] + 1);
}

void TestUnwritten::loadedAndUsed_data()
{
    QTest::addColumn<QByteArray>("use");
    // %r10 was loaded from nothing; %p1 is false in every thread and %p2 true, and 5 is in %r13.
    const auto row = [](const char* name, const char* use) { QTest::newRow(name) << QByteArray(use); };
    row("stored", "st.global.u32 [%a1], %r10;");
    row("stored in shared memory", "st.shared.u32 [other], %r10;");
    row("stored and loaded again", "st.local.u32 [mine], %r10; ld.local.u32 %r11, [mine];");
    row("stored as a part", "st.global.v2.u32 [%a1], {%r13, %r10};");
    row("moved", "mov.u32 %r11, %r10; st.global.u32 [%a1], %r11;");
    row("chosen", "selp.u32 %r11, %r10, 3, %p2; st.global.u32 [%a1], %r11;");
    row("chosen where the predicate is false", "selp.u32 %r11, 3, %r10, %p1; st.global.u32 [%a1], %r11;");
    row("both to choose from", "selp.u32 %r11, %r10, %r10, %p1; st.global.u32 [%a1], %r11;");
    row("chooses", "setp.eq.u32 %p3, %r10, 9; selp.u32 %r11, 1, 2, %p3; st.global.u32 [%a1], %r11;");
    row("chooses between equals",
        "setp.eq.u32 %p3, %r10, 9; selp.u32 %r11, 1, 1, %p3; st.global.u32 [%a1], %r11;");
    row("added", "add.u32 %r11, %r10, 1; st.global.u32 [%a1], %r11;");
    row("added with carry", "add.cc.u32 %r11, %r10, -1; addc.u32 %r12, 0, 0; st.global.u32 [%a1], %r12;");
    row("and 0", "and.b32 %r11, %r10, 0; st.global.u32 [%a1], %r11;");
    row("times 0", "mul.lo.u32 %r11, %r10, 0; st.global.u32 [%a1], %r11;");
    row("less itself", "sub.u32 %r11, %r10, %r10; st.global.u32 [%a1], %r11;");
    row("shifted out", "shr.u32 %r11, %r10, 31; shr.u32 %r11, %r11, 1; st.global.u32 [%a1], %r11;");
    row("converted", "cvt.u32.u8 %r11, %r10; st.global.u32 [%a1], %r11;");
    row("converted and widened", "cvt.s64.s8 %a10, %r10; st.global.u64 [%a1], %a10;");
    row("a float", "cvt.rn.f32.u32 %f1, %r10; add.rm.f32 %f1, %f1, %f1; st.global.f32 [%a1], %f1;");
    row("a byte of it", "prmt.b32 %r11, %r10, %r13, 0x7770; st.global.u32 [%a1], %r11;");
    row("a bit of it", "bfe.u32 %r11, %r10, 3, 1; st.global.u32 [%a1], %r11;");
    row("no bit of it", "bfi.b32 %r11, %r13, %r10, 0, 32; st.global.u32 [%a1], %r11;");
    row("half of a pair",
        "mov.b64 %a10, {%r13, %r10}; mov.b64 {%r11, %r12}, %a10; st.global.u32 [%a1], %r12;");
    row("branched on", "setp.eq.u32 %p3, %r10, 9; @%p3 bra M; add.u32 %r11, %r13, 1;\nM:");
    row("a guard", "setp.eq.u32 %p3, %r10, 9; @%p3 mov.u32 %r11, 1;");
    row("a guard of a predicate", "setp.eq.u32 %p3, %r10, 9; or.pred %p3, %p3, %p1; @%p3 mov.u32 %r11, 1;");
    row("a predicate the other way", "setp.eq.u32 %p3, %r10, 9; and.pred %p3, %p2, %p3; not.pred %p3, %p3; "
                                     "@!%p3 mov.u32 %r11, 1;");
    row("exclusive or", "setp.eq.u32 %p3, %r10, 9; xor.pred %p3, %p3, %p3; @%p3 mov.u32 %r11, 1;");
    row("loaded from", "cvt.u64.u32 %a10, %r10; and.b64 %a10, %a10, 0; add.u64 %a10, %a10, %a0; "
                       "ld.global.u32 %r11, [%a10];");
    row("stored to", "and.b32 %r11, %r10, 0; st.shared.u32 [%r11], %r13;");
    row("added by an atomic", "red.global.add.u32 [%a1], %r10;");
    row("compared by an atomic", "atom.global.cas.b32 %r11, [%a1], %r10, %r13;");
    row("an atomic at it", "and.b32 %r11, %r10, 0; atom.shared.add.u32 %r12, [%r11], 1;");
    row("copied", "cp.async.ca.shared.global [other], [%a0], 4, %r10;");
    row("copied to it", "and.b32 %r11, %r10, 0; cp.async.ca.shared.global [%r11], [%a0], 4;");
    row("shuffled", "shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1;");
    row("shuffled by it", "shfl.sync.idx.b32 %r11, %r13, %r10, 31, -1;");
    row("voted", "setp.eq.u32 %p3, %r10, 9; vote.sync.any.pred %p4, %p3, -1;");
    row("balloted", "setp.eq.u32 %p3, %r10, 9; vote.sync.ballot.b32 %r11, %p3, -1;");
    row("matched", "match.any.sync.b32 %r11, %r10, -1;");
    row("reduced", "redux.sync.add.u32 %r11, %r10, -1;");
    row("members", "or.b32 %r11, %r10, -1; bar.warp.sync %r11;");
    row("a barrier counts it", "setp.eq.u32 %p3, %r10, 9; bar.red.popc.u32 %r11, 0, %p3;");
    row("multiplied as a matrix",
        "mov.b32 %f1, %r10; mov.u32 %r4, 0x3c003c00; mov.f32 %f2, 0f00000000; "
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f3, %f4, %f5, %f6}, {%r4, %r4, %r4, %r4}, {%r4, "
        "%r4}, {%f1, %f2, %f2, %f2};");
    row("after more of it was written", "mov.b32 {%h1, %h2}, %r10; mov.u16 %h1, 1; mov.b32 %r11, {%h1, %h2}; "
                                        "st.global.u32 [%a1], %r11;");
    row("round a loop",
        "mov.u32 %r11, 0; mov.u32 %r12, 0;\nL: add.u32 %r11, %r11, %r10; add.u32 %r12, %r12, 1; "
        "setp.lt.u32 %p3, %r12, 3; @%p3 bra L; st.global.u32 [%a1], %r11;");
    row("in one lane", "setp.eq.u32 %p3, %r1, 41; @%p3 st.global.u32 [%a1], %r10;");
    row("after another lane lost it",
        "setp.lt.u32 %p3, %r1, 63; @%p3 mov.u32 %r10, 4; st.global.u32 [%a1], %r10;");
}

void TestUnwritten::loadedAndUsed()
{
    QFETCH(QByteArray, use);
    const std::string start = "mov.u32 %r13, 5; setp.eq.u32 %p1, %r1, 999; not.pred %p2, %p1;\n"
                              ".shared .align 4 .b32 other[64]; .local .align 4 .b32 mine[2];\n";
    const struct
    {
        const char* text;
        std::vector<Checks> at;
        const char* place;
    } loads[] = {
        {".shared .align 4 .b32 v[8]; ld.shared.u32 %r10, [v+4];",
         {Checks::All},
         "byte 4 of the shared array 'v'"},
        {".local .align 8 .b32 v[8]; st.local.u16 [v+4], 1; ld.local.u32 %r10, [v+4];",
         {Checks::None, Checks::All},
         "byte 12 of a thread's local memory"},
        {".local .align 8 .b32 v[8]; ld.local.v2.u32 {_, %r10}, [v];",
         {Checks::None, Checks::Counters, Checks::All},
         "byte 8 of a thread's local memory"},
    };
    for (const auto& load : loads) {
        for (const Checks checks : load.at) {
            const ExecutionResult result =
                execute(start + load.text + "\n" + use.toStdString() + "\n" + toOutput("%r13"), 1, checks);
            QVERIFY2(result.fault, load.text);
            QVERIFY2(result.fault->kind == FaultKind::Uninitialised, result.fault->message.c_str());
            QVERIFY2(result.fault->message ==
                         std::string(load.place) + " is read before anything was written there",
                     result.fault->message.c_str());
        }
    }
}

void TestUnwritten::loadedAndLost_data()
{
    QTest::addColumn<QByteArray>("body");
    // What no result depends on; %p1 is false in every thread and %p2 true, and 3 is in %r13.
    const auto row = [](const char* name, const char* body) { QTest::newRow(name) << QByteArray(body); };
    row("never used", "ld.V.u32 %r10, [v+4]; mov.u32 %r10, %r13;");
    row("not chosen", "ld.V.u32 %r11, [v+4]; selp.u32 %r10, %r11, %r13, %p1;");
    row("not chosen as the second", "ld.V.u32 %r11, [v+4]; selp.u32 %r10, %r13, %r11, %p2;");
    row("a sum is not chosen",
        "ld.V.u32 %r11, [v+4]; mad.lo.u32 %r12, %r11, 5, %r13; selp.u32 %r10, %r12, %r13, %p1;");
    row("no other part of a predicate",
        "ld.V.u32 %r11, [v+4]; setp.gt.u32 %p3, %r11, 7; and.pred %p3, %p1, %p3; "
        "selp.u32 %r10, 9, %r13, %p3;");
    row("no other part of a false one",
        "ld.V.u32 %r11, [v+4]; setp.gt.u32 %p3, %r11, 7; or.pred %p3, %p3, %p2; "
        "@%p3 mov.u32 %r10, %r13;");
    row("a moved one is overwritten", "ld.V.u32 %r11, [v+4]; mov.u32 %r10, %r11; mov.u32 %r10, %r13;");
    row("loaded again when it is there", "ld.V.u32 %r10, [v+4]; st.V.u32 [v+4], %r13; ld.V.u32 %r10, [v+4];");
    row("another element", "st.V.u32 [v], %r13; ld.V.v2.u32 {%r10, %r11}, [v]; add.u32 %r12, %r11, 1;");
    row("another byte",
        "st.V.u8 [v+4], %r13; ld.V.u32 %r11, [v+4]; add.u32 %r12, %r11, %r11; ld.V.u8 %r10, [v+4];");
    row("two loads, two choices", "ld.V.u32 %r11, [v+4]; ld.V.u32 %r12, [v+8]; add.u32 %r14, %r11, %r12; "
                                  "selp.u32 %r15, %r14, %r11, %p1; "
                                  "selp.u32 %r10, %r13, %r15, %p2;");
    row("round a loop",
        "mov.u32 %r10, %r13; mov.u32 %r12, 0;\nL: ld.V.u32 %r11, [v+4]; add.u32 %r11, %r11, %r10; "
        "selp.u32 %r10, %r11, %r10, %p1; add.u32 %r12, %r12, 1; setp.lt.u32 %p3, %r12, 9; @%p3 bra L;");
    row("under a false guard", "ld.V.u32 %r11, [v+4]; mov.u32 %r10, %r13; @%p1 mov.u32 %r10, %r11; "
                               "@%p1 st.global.u32 [%a1], %r11;");
    row("on a path that no thread takes", "ld.V.u32 %r11, [v+4]; mov.u32 %r10, %r13; @%p2 bra M; "
                                          "shfl.sync.bfly.b32 %r10, %r11, 1, 31, -1;\nM:");
}

void TestUnwritten::loadedAndLost()
{
    QFETCH(QByteArray, body);
    for (const char* space : {"shared", "local"}) {
        std::string text = "mov.u32 %r13, 3; setp.eq.u32 %p1, %r1, 999; not.pred %p2, %p1;\n." +
                           std::string(space) + " .align 8 .b32 v[8]; " + body.toStdString() + "\n" +
                           toOutput("%r10");
        for (std::size_t at; (at = text.find(".V.")) != std::string::npos;)
            text.replace(at, 3, "." + std::string(space) + ".");
        for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
            // Of one warp: what one thread stores in shared memory, another would race with.
            Bench bench =
                kernelBench(kernelText(text), blocks, space[0] == 's' ? 1 : threads, blocks * threads);
            const ExecutionResult result = bench.run(std::vector<float>(blocks * threads, 1.0f), 1, checks);
            QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
            QCOMPARE(bitsOf(floats(result.outputs.at(0))).at(blocks - 1), 3u);
        }
    }
}

void TestUnwritten::globalLoadedAndLost()
{
    for (const bool used : {false, true}) {
        const std::string choice = used ? "%p2" : "%p1";
        Bench bench(kernelText("setp.eq.u32 %p1, %r1, 999; not.pred %p2, %p1; ld.global.u32 %r11, [%a2+8]; "
                               "add.u32 %r11, %r11, 1; selp.u32 %r10, %r11, 3, " +
                               choice + ";" + toOutput("%r10")));
        const int x = bench.x(threads), y = bench.y(threads, true),
                  s = bench.buffer("s", BufferRole::Scratch, ElementType::U32, threads, false);
        bench.launch("k", 1, threads, {array(x), array(y), array(s), number(threads)});
        const ExecutionResult result = bench.run(std::vector<float>(threads, 1.0f));
        QCOMPARE(result.fault.has_value(), used);
        if (used)
            QCOMPARE(result.fault->message, std::string("s[2] is read before anything was written there"));
        else
            QCOMPARE(bitsOf(floats(result.outputs.at(0))), std::vector<std::uint32_t>(threads, 3u));
    }
}

void TestUnwritten::theLoadIsNamed()
{
    // Lanes 0 to 9 lose what they loaded, the others use it: the tenth is told of, with the line of the load.
    const std::string body = ".shared .align 4 .b32 v[64]; mul.lo.u32 %r4, %r1, 4; mov.u32 %r5, v; "
                             "add.u32 %r4, %r4, %r5; setp.lt.u32 %p1, %r1, 10;\n"
                             ".loc 1 7 1\nld.shared.u32 %r11, [%r4];\n.loc 1 8 1\nadd.u32 %r11, %r11, %r4; "
                             "selp.u32 %r10, 3, %r11, %p1;\n.loc 1 9 1\n" +
                             toOutput("%r10");
    Bench bench = kernelBench(kernelText(body) + ".file 1 \"program.cu\"\n", 1, 32);
    const ExecutionResult result = bench.run(std::vector<float>(1024, 1.0f));
    QVERIFY(result.fault);
    QCOMPARE(result.fault->kind, FaultKind::Uninitialised);
    QCOMPARE(result.fault->line, 7);
    QCOMPARE(result.fault->thread.value()[0], std::int64_t(10));
    QCOMPARE(result.fault->message,
             std::string("byte 40 of the shared array 'v' is read before anything was written "
                         "there"));
}

void TestUnwritten::paths()
{
    using namespace sim;
    // 0: if p0 -> 3; 1: write r1; 2: -> 4; 3: write r1 and r2; 4: read r1, r2, r3; 5: write r3; 6: if p0 ->
    // 4; 7: exit
    std::vector<Insn> code(8);
    auto branch = [&](int at, std::uint32_t target, bool guarded) {
        code[at].kind = Kind::Branch;
        code[at].target = target;
        code[at].guarded = guarded;
    };
    branch(0, 3, true);
    branch(2, 4, false);
    branch(6, 4, true);
    code[7].kind = Kind::Exit;
    std::vector<RegisterUse> uses{{1, 1, true},  {3, 1, true},  {3, 2, true}, {4, 1, false},
                                  {4, 2, false}, {4, 3, false}, {5, 3, true}};
    QCOMPARE(readBeforeWritten(code, uses, 5), (std::vector<std::uint32_t>{2, 3}));
    // A write under a predicate settles nothing; one in front of it does.
    code[1].guarded = true;
    QCOMPARE(readBeforeWritten(code, uses, 5), (std::vector<std::uint32_t>{1, 2, 3}));
    // An instruction that reads and writes the same register reads first.
    QCOMPARE(readBeforeWritten(code, {{1, 4, true}, {1, 4, false}}, 5), (std::vector<std::uint32_t>{4}));
    // Round a loop, what the round before wrote has been written; what the first one reads has not.
    QCOMPARE(readBeforeWritten(code, {{3, 4, true}, {1, 4, true}, {4, 4, false}}, 5),
             (std::vector<std::uint32_t>{4}));
    code[1].guarded = false;
    QVERIFY(readBeforeWritten(code, {{3, 4, true}, {1, 4, true}, {4, 4, false}}, 5).empty());
    // What cannot be reached asks for nothing.
    branch(0, 7, false);
    QVERIFY(readBeforeWritten(code, {{5, 0, false}}, 5).empty());
}

void TestUnwritten::effortIsBounded()
{
    using namespace sim;
    // Every register is read at the end of as many blocks as there are registers: all of them by all paths
    // would be the square. What cannot be followed counts as unwritten.
    constexpr std::uint32_t count = 60000;
    std::vector<Insn> code(count + 2);
    std::vector<RegisterUse> uses;
    for (std::uint32_t i = 0; i < count; ++i) {
        code[i].kind = Kind::Branch;
        code[i].guarded = true;
        code[i].target = i + 1;
        uses.push_back({0, i, true});
        uses.push_back({count, i, false});
    }
    code[0] = Insn();
    code[count + 1].kind = Kind::Exit;
    const auto result = readBeforeWritten(code, uses, count);
    QVERIFY(!result.empty() && result.size() <= count);
}

QTEST_GUILESS_MAIN(TestUnwritten)
#include "tst_unwritten.moc"
