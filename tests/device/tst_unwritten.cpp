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
        << QByteArray(".local .align 4 .b32 v[8]; st.local.u32 [v], 1; ld.local.v2.u32 {%r10, %r11}, [v];");
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
