// SPDX-License-Identifier: Apache-2.0
// What orders accesses and what does not: scopes, fences, volatile and relaxed accesses, barriers of a grid;
// and what following all that costs.
#include "device/simulator/memory/knowledge.h"
#include "ptx_text.h"

#include <QTest>
#include <fmt/format.h>
#include <functional>

using namespace sparserl;
using namespace sparserl::harness;

class TestMemoryModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void races_data();
    void races();
    void noRaces_data();
    void noRaces();
    void messages_data();
    void messages();
    void lateBlocks_data();
    void lateBlocks();
    void gridBarriers_data();
    void gridBarriers();
    void knowledgeIsShared();
    void stormsEnd_data();
    void stormsEnd();
};

namespace {

/// A spin until the 32-bit word at %a10 is not zero, by `load`.
std::string spin(const std::string& load, const std::string& label = "S")
{
    return fmt::format("{1}: {0} %r20, [%a10]; setp.eq.u32 %p1, %r20, 0; @%p1 bra {1};\n", load, label);
}

/// The first thread of each block only, up to the label "END".
const std::string firstThread = "setp.ne.u32 %p0, %r1, 0; @%p0 bra END;\n";
const std::string flagAddress = "add.u64 %a10, %a2, 0; add.u64 %a11, %a2, 64;\n";

/// Block 0 writes data, fences and sets a flag; block 1 waits for the flag, fences and reads the data.
std::string handOver(const std::string& fence, const std::string& set, const std::string& get,
                     const std::string& fenceBehind)
{
    return firstThread + flagAddress +
           "setp.ne.u32 %p2, %r2, 0; @%p2 bra READ;\nmov.u32 %r21, 1; st.global.u32 [%a11], 5; " + fence +
           "\n" + set + "\nbra END;\nREAD:\n" + spin(get) + fenceBehind +
           "ld.global.u32 %r22, [%a11]; st.global.u32 [%a1], %r22;\nEND:\n";
}

ExecutionResult execute(const std::string& text, std::int64_t blocks, std::int64_t threads,
                        std::uint64_t seed, Checks checks = Checks::All, std::uint64_t budget = 400'000)
{
    Bench bench = kernelBench(text, blocks, threads, 1 << 16);
    if (const auto problem = ptx::firstUnsupported(bench.module))
        throw std::runtime_error(problem->reason);
    bench.request.stepBudget = budget;
    return bench.run(std::vector<float>(1 << 16, 1.0f), seed, checks);
}

void row(const char* name, int blocks, int threads, const std::string& body)
{
    QTest::newRow(name) << blocks << threads << QString::fromStdString(body);
}

} // namespace

void TestMemoryModel::races_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("body");
    // A read, an addition and a write that are not one.
    for (const char* form : {"volatile.global", "relaxed.gpu.global", "relaxed.sys.global", "volatile"}) {
        const std::string add = fmt::format("add.u32 %r4, %r0, 1; cvt.rn.f32.u32 %f1, %r4; ld.{0}.f32 %f0, "
                                            "[%a1]; add.f32 %f0, %f0, %f1; st.{0}.f32 [%a1], %f0;",
                                            form);
        row(fmt::format("add by {} in two blocks", form).c_str(), 2, 1, add);
    }
    row("add by volatile in two blocks, one of which comes late", 2, 1,
        "mov.u32 %r10, 0; setp.eq.u32 %p0, %r2, 0; @%p0 bra ADD;\nL: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, "
        "%r10, 50000; "
        "@%p1 bra L;\nADD: add.u32 %r5, %r2, 1; ld.volatile.global.u32 %r6, [%a1]; add.u32 %r6, %r6, %r5; "
        "st.volatile.global.u32 [%a1], %r6;");
    row("add by volatile in two warps", 1, 64,
        "and.b32 %r4, %r1, 31; setp.ne.u32 %p0, %r4, 0; @%p0 bra END; add.u32 %r5, %r1, 1; "
        "ld.volatile.global.u32 %r6, "
        "[%a1]; add.u32 %r6, %r6, %r5; st.volatile.global.u32 [%a1], %r6;\nEND:\n");
    row("add by volatile in two warps, shared", 1, 64,
        ".shared .align 4 .b32 v; setp.ne.u32 %p0, %r1, 0; @!%p0 st.volatile.shared.u32 [v], 0; bar.sync 0; "
        "and.b32 %r4, "
        "%r1, 31; setp.ne.u32 %p0, %r4, 0; @%p0 bra END; ld.volatile.shared.u32 %r5, [v]; add.u32 %r5, %r5, "
        "%r1; add.u32 "
        "%r5, %r5, 1; st.volatile.shared.u32 [v], %r5;\nEND:\n");
    // The half that is read is the one that another warp writes, beside readers of the other half.
    row("half of a word", 1, 64,
        ".shared .align 4 .b16 v[2]; mov.b16 %h1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra W; mov.u32 %r5, 1; "
        "st.shared.u32 [v], %r5;\nW: bar.sync 0; mov.u32 %r4, v; and.b32 %r5, %r1, 1; mul.lo.u32 %r5, %r5, "
        "2; "
        "add.u32 %r4, %r4, %r5; ld.shared.u16 %h2, [%r4]; setp.ne.u32 %p1, %r1, 33; @%p1 bra END; "
        "st.shared.u16 [v], "
        "%h1;\nEND:\n");
    row("add by volatile in two lanes", 1, 2,
        "ld.volatile.global.f32 %f0, [%a1]; cvt.rn.f32.u32 %f1, %r1; add.f32 %f0, %f0, %f1; "
        "st.volatile.global.f32 [%a1], "
        "%f0;");
    row("add by volatile behind a fence", 2, 1,
        "add.u32 %r5, %r2, 1; membar.gl; ld.volatile.global.u32 %r6, [%a1]; add.u32 %r6, %r6, %r5; "
        "membar.gl; "
        "st.volatile.global.u32 [%a1], %r6; membar.gl;");
    row("last relaxed store wins", 2, 1,
        "st.relaxed.gpu.global.u32 [%a1], %r2; ld.relaxed.gpu.global.u32 %r4, [%a1]; "
        "st.relaxed.gpu.global.u32 [%a1+4], %r4;");
    row("atomics against plain stores", 2, 1,
        "setp.eq.u32 %p0, %r2, 0; @%p0 atom.global.add.u32 %r4, [%a1], 1; @!%p0 st.global.u32 [%a1], 7;");
    row("weak read of what a volatile store writes", 2, 1,
        "setp.eq.u32 %p0, %r2, 0; @%p0 st.volatile.global.u32 [%a1], 1; @!%p0 ld.global.u32 %r4, [%a1]; "
        "@!%p0 "
        "st.global.u32 [%a1+4], %r4;");
    row("bytes of a word that others add to", 4, 1,
        "atom.global.add.u32 %r4, [%a1], 1; ld.volatile.global.u8 %h1, [%a1]; st.volatile.global.u8 [%a1], "
        "%h1;");
    row("read-only path to what is written", 1, 32,
        "mul.wide.u32 %a10, %r0, 4; add.u64 %a11, %a1, %a10; st.global.u32 [%a11], 1; bar.sync 0; "
        "ld.global.nc.u32 %r4, "
        "[%a11]; st.global.u32 [%a11], %r4;");
    // Scopes.
    row("atomics of block scope in two blocks", 2, 1, "atom.global.cta.add.u32 %r4, [%a1], 1;");
    row("reductions of block scope in two blocks", 2, 1, "red.global.cta.add.f32 [%a1], 0f3F800000;");
    row("one atomic of block scope", 2, 1,
        "setp.eq.u32 %p0, %r2, 0; @%p0 atom.global.add.u32 %r4, [%a1], 1; @!%p0 atom.global.cta.add.u32 %r4, "
        "[%a1], 1;");
    row("relaxed accesses of block scope", 2, 1,
        "setp.eq.u32 %p0, %r2, 0; @%p0 st.relaxed.cta.global.u32 [%a1], 1; @!%p0 ld.relaxed.cta.global.u32 "
        "%r4, [%a1]; "
        "@!%p0 st.global.u32 [%a1+4], %r4;");
    row("fence of block scope between blocks", 2, 32,
        handOver("membar.cta;", "st.volatile.global.u32 [%a10], %r21;", "ld.volatile.global.u32",
                 "membar.cta;\n"));
    row("fence.acq_rel.cta between blocks", 2, 32,
        handOver("fence.acq_rel.cta;", "st.relaxed.gpu.global.u32 [%a10], %r21;", "ld.relaxed.gpu.global.u32",
                 "fence.acq_rel.gpu;\n"));
    row("no fence between blocks", 2, 32,
        handOver("", "atom.global.exch.b32 %r23, [%a10], %r21;", "ld.volatile.global.u32", ""));
    row("release of block scope between blocks", 2, 32,
        handOver("", "st.release.cta.global.u32 [%a10], %r21;", "ld.acquire.cta.global.u32", ""));
    // The reader's weak load may have been done before its load of the flag, or hit an old copy in L1.
    for (const char* form : {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32"}) {
        row(fmt::format("{} of the flag, no fence behind it", form).c_str(), 2, 32,
            handOver("membar.gl;", "st.volatile.global.u32 [%a10], %r21;", form, ""));
        row(fmt::format("{} of the flag, an acquire of another word behind a weak load", form).c_str(), 2, 32,
            handOver("membar.gl;", "st.volatile.global.u32 [%a10], %r21;", form,
                     "ld.global.u32 %r22, [%a11]; ld.acquire.gpu.global.u32 %r23, [%a11+4];\n"));
    }
    row("fence of block scope before a counter", 2, 32,
        handOver("membar.cta;", "atom.global.add.u32 %r23, [%a10], %r21;", "ld.volatile.global.u32",
                 "membar.gl;\n"));
}

void TestMemoryModel::races()
{
    QFETCH(int, blocks);
    QFETCH(int, threads);
    QFETCH(QString, body);
    // Whatever the schedule, but where a chance of one half must come up in one of several seeds.
    int found = 0;
    constexpr int seeds = 16;
    for (int seed = 1; seed <= seeds; ++seed) {
        const ExecutionResult result = execute(kernelText(body.toStdString()), blocks, threads, seed);
        if (result.fault) {
            QVERIFY2(result.fault->kind == FaultKind::Race, result.fault->message.c_str());
            ++found;
        }
    }
    QVERIFY2(found >= seeds / 4, std::to_string(found).c_str());
}

void TestMemoryModel::noRaces_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("body");
    row("flag by volatile", 2, 32,
        handOver("membar.gl;", "st.volatile.global.u32 [%a10], %r21;", "ld.volatile.global.u32",
                 "membar.gl;\n"));
    row("flag by relaxed", 2, 32,
        handOver("fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32 [%a10], %r21;", "ld.relaxed.gpu.global.u32",
                 "fence.acq_rel.gpu;\n"));
    row("flag by release and acquire", 2, 32,
        handOver("", "st.release.gpu.global.u32 [%a10], %r21;", "ld.acquire.gpu.global.u32", ""));
    // The usual ways of waiting without a fence of the reader's own.
    row("flag read by an atomic, no fence behind it", 2, 32,
        handOver("membar.gl;", "atom.global.exch.b32 %r23, [%a10], %r21;", "ld.volatile.global.u32",
                 "atom.global.add.u32 %r23, [%a10], 0;\n"));
    row("flag by volatile, a barrier behind it", 2, 32,
        handOver("membar.gl;", "st.volatile.global.u32 [%a10], %r21;", "ld.volatile.global.u32",
                 "bar.warp.sync 1;\n"));
    row("flag by an atomic", 2, 32,
        handOver("membar.gl;", "atom.global.exch.b32 %r23, [%a10], %r21;", "ld.volatile.global.u32",
                 "membar.gl;\n"));
    row("many set one flag", 8, 64, "st.volatile.global.u32 [%a1], 1;");
    row("atomics", 8, 64, "atom.global.add.u32 %r4, [%a1], 1; red.global.add.f32 [%a1+4], 0f3F800000;");
    row("atomics of block scope in one block", 1, 256, "atom.global.cta.add.u32 %r4, [%a1], 1;");
    row("atomics of block scope on words of each block", 4, 64,
        "mul.wide.u32 %a10, %r2, 4; add.u64 %a11, %a1, %a10; atom.global.cta.add.u32 %r4, [%a11], 1;");
    // Lanes and warps that work on their own halves of words.
    row("halves of words", 1, 64,
        ".shared .align 4 .b16 v[64]; mov.u32 %r4, v; mul.lo.u32 %r5, %r1, 2; add.u32 %r4, %r4, %r5; "
        "mov.b16 %h1, 1; st.shared.u16 [%r4], %h1; mov.u32 %r6, %r1;\n"
        "L: ld.shared.u16 %h2, [%r4]; add.u16 %h2, %h2, %h1; st.shared.u16 [%r4], %h2; sub.u32 %r6, %r6, 1; "
        "setp.gt.s32 %p1, %r6, 0; @%p1 bra L;");
    row("halves of a word of two warps", 1, 64,
        ".shared .align 4 .b16 v[2]; mov.u32 %r4, v; shr.u32 %r5, %r1, 5; mul.lo.u32 %r5, %r5, 2; add.u32 "
        "%r4, %r4, "
        "%r5; and.b32 %r6, %r1, 31; setp.ne.u32 %p1, %r6, 0; @%p1 bra END; mov.b16 %h1, 1; st.shared.u16 "
        "[%r4], %h1; "
        "ld.shared.u16 %h2, [%r4]; add.u16 %h2, %h2, %h1; st.shared.u16 [%r4], %h2; ld.shared.u16 %h2, "
        "[%r4]; "
        "st.shared.u16 [%r4], %h2;\nEND:\n");
    // A lock that is given back by a volatile store, while others try to take it.
    row("lock", 8, 32,
        firstThread + flagAddress +
            "TAKE: atom.global.cas.b32 %r20, [%a10], 0, 1; setp.ne.u32 %p1, %r20, 0; @%p1 bra TAKE; "
            "membar.gl;\n"
            "ld.global.u32 %r21, [%a11]; add.u32 %r21, %r21, 1; st.global.u32 [%a11], %r21;\nmembar.gl; "
            "st.volatile.global.u32 [%a10], 0;\nEND:\n");
    // A token that every block hands on by a store to the same word.
    row("token", 8, 32,
        firstThread + flagAddress +
            "T: ld.volatile.global.u32 %r20, [%a10]; setp.ne.u32 %p1, %r20, %r2; @%p1 bra T; membar.gl;\n"
            "ld.global.u32 %r21, [%a11]; add.u32 %r21, %r21, 1; st.global.u32 [%a11], %r21;\nmembar.gl; "
            "add.u32 %r22, "
            "%r2, 1; st.volatile.global.u32 [%a10], %r22;\nEND:\n");
    // Look-back: a word of each block, written twice, read by the blocks behind it.
    row("look-back", 24, 32,
        firstThread +
            "mul.wide.u32 %a12, %r2, 8; add.u64 %a12, %a2, %a12;\n"
            "setp.eq.u32 %p2, %r2, 0; mov.u32 %r24, 1; selp.u32 %r25, 2, 1, %p2;\n"
            "st.volatile.global.v2.u32 [%a12], {%r25, %r24}; @%p2 bra END; mov.u32 %r26, 1; sub.u64 %a13, "
            "%a12, 8;\n"
            "L: ld.volatile.global.v2.u32 {%r27, %r28}, [%a13]; setp.eq.u32 %p1, %r27, 0; @%p1 bra L; "
            "add.u32 "
            "%r26, %r26, %r28; sub.u64 %a13, %a13, 8; setp.eq.u32 %p1, %r27, 1; @%p1 bra L;\n"
            "mov.u32 %r25, 2; st.volatile.global.v2.u32 [%a12], {%r25, %r26}; mul.wide.u32 %a14, %r2, 4; "
            "add.u64 %a14, %a1, %a14; st.global.u32 [%a14], %r26;\nEND:\n");
    // Old style: lanes of one warp add through volatile shared memory, each to its own word.
    row("warp sum by volatile", 1, 32,
        ".shared .align 4 .b32 v[64]; mov.u32 %r4, v; mul.lo.u32 %r5, %r1, 4; add.u32 %r4, %r4, %r5; "
        "st.volatile.shared.u32 [%r4], 1; st.volatile.shared.u32 [%r4+128], 0;\n"
        "ld.volatile.shared.u32 %r6, [%r4]; ld.volatile.shared.u32 %r7, [%r4+64]; add.u32 %r6, %r6, %r7; "
        "st.volatile.shared.u32 [%r4], %r6; ld.volatile.shared.u32 %r6, [%r4]; ld.volatile.shared.u32 %r7, "
        "[%r4+32]; "
        "add.u32 %r6, %r6, %r7; st.volatile.shared.u32 [%r4], %r6;");
    // The last block to arrive reads what all have written; only the writers' threads have fenced.
    row("last block", 12, 64,
        "mul.wide.u32 %a20, %r0, 4; add.u64 %a21, %a2, %a20; st.global.u32 "
        "[%a21+128], 1; "
        "membar.gl; bar.sync 0; setp.ne.u32 %p0, %r1, 0; @%p0 bra END; atom.global.add.u32 %r4, [%a2], 1; "
        "setp.ne.u32 %p1, "
        "%r4, 11; @%p1 bra END; mov.u32 %r5, 0; mov.u32 %r6, 0; add.u64 %a22, %a2, 128;\n"
        "SUM: ld.global.u32 %r7, [%a22]; add.u32 %r5, %r5, %r7; add.u64 %a22, %a22, 4; add.u32 %r6, %r6, 1; "
        "setp.lt.u32 "
        "%p2, %r6, 768; @%p2 bra SUM; st.global.u32 [%a1+4], %r5;\nEND:\n");
}

void TestMemoryModel::noRaces()
{
    QFETCH(int, blocks);
    QFETCH(int, threads);
    QFETCH(QString, body);
    for (int seed = 1; seed <= 16; ++seed) {
        const ExecutionResult result = execute(kernelText(body.toStdString()), blocks, threads, seed);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
    }
}

void TestMemoryModel::messages_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("ordered");
    const auto add = [](const std::string& name, int threads, const std::string& body, bool ordered) {
        QTest::newRow(name.c_str()) << 2 << threads << QString::fromStdString(body) << ordered;
    };
    // Block 0 writes a word and then a flag; block 1 waits for the flag and reads the word, all by strong
    // accesses. Only fences order the two.
    const auto message = [](const std::string& form, const std::string& set, const std::string& behindWord,
                            const std::string& behindFlag) {
        return firstThread + flagAddress +
               fmt::format("mov.u32 %r21, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra READ;\nst.{0}.u32 [%a11], "
                           "%r21; {1} {2} bra END;\nREAD:\nS: ld.{0}.u32 %r20, [%a10]; setp.eq.u32 %p1, "
                           "%r20, 0; @%p1 bra S;\n{3} ld.{0}.u32 %r22, [%a11]; st.global.u32 [%a1], "
                           "%r22;\nEND:\n",
                           form, behindWord, set, behindFlag);
    };
    for (const char* form : {"volatile.global", "relaxed.gpu.global", "relaxed.sys.global", "volatile"}) {
        const std::string store = fmt::format("st.{}.u32 [%a10], %r21;", form);
        add(fmt::format("{}, no fence", form), 32, message(form, store, "", ""), false);
        add(fmt::format("{}, the reader's fence only", form), 32, message(form, store, "", "membar.gl;"),
            false);
        add(fmt::format("{}, fences of the block", form), 32,
            message(form, store, "membar.cta;", "membar.cta;"), false);
        add(fmt::format("{}, a flag by an atomic, no fence", form), 32,
            message(form, "atom.global.add.u32 %r23, [%a10], 1;", "", ""), false);
        add(fmt::format("{}, both fences", form), 32, message(form, store, "membar.gl;", "membar.gl;"), true);
        // The usual form of those who let the last block finish: volatile reads need no second fence.
        add(fmt::format("{}, the writer's fence only", form), 32, message(form, store, "membar.gl;", ""),
            true);
        add(fmt::format("{}, a release", form), 32,
            message(form, "st.release.gpu.global.u32 [%a10], %r21;", "", "membar.gl;"), true);
    }
    // The flag is seen by one thread, the word read by another behind a barrier.
    const auto throughBarrier = [](const std::string& fence) {
        return flagAddress +
               "setp.ne.u32 %p0, %r1, 0; mov.u32 %r21, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra READ;\n@%p0 bra "
               "END; st.volatile.global.u32 [%a11], %r21; " +
               fence +
               " st.volatile.global.u32 [%a10], %r21; bra END;\nREAD: @%p0 bra MEET;\nS: "
               "ld.volatile.global.u32 %r20, [%a10]; setp.eq.u32 %p1, %r20, 0; @%p1 bra S;\nMEET: bar.sync "
               "0; ld.volatile.global.u32 %r22, [%a11]; mul.wide.u32 %a12, %r1, 4; add.u64 %a13, %a1, %a12; "
               "st.global.u32 [%a13], %r22;\nEND:\n";
    };
    add("through a barrier, no fence", 64, throughBarrier(""), false);
    add("through a barrier, a fence", 64, throughBarrier("membar.gl;"), true);
    // Value and flag in one access; a flag that is polled and looked at again.
    add("both in one access", 32,
        firstThread + "mov.u32 %r21, 1; mov.u32 %r24, 7; setp.ne.u32 %p2, %r2, 0; @%p2 bra READ;\n"
                      "st.volatile.global.v2.u32 [%a2], {%r21, %r24}; bra END;\nREAD:\nS: "
                      "ld.volatile.global.v2.u32 {%r20, %r22}, [%a2]; setp.eq.u32 %p1, %r20, 0; @%p1 bra "
                      "S;\nld.volatile.global.v2.u32 {%r20, %r22}, [%a2]; st.global.u32 [%a1], %r22;\nEND:\n",
        true);
    add("a status word that changes twice", 32,
        firstThread + flagAddress +
            "setp.ne.u32 %p2, %r2, 0; mov.u32 %r21, 1; @%p2 bra READ;\nst.volatile.global.u32 [%a10], %r21; "
            "mov.u32 %r21, 2; st.volatile.global.u32 [%a10], %r21; bra END;\nREAD:\nS: "
            "ld.volatile.global.u32 %r20, [%a10]; setp.lt.u32 %p1, %r20, 2; @%p1 bra S;\nst.global.u32 "
            "[%a1], %r20;\nEND:\n",
        true);
    // Nobody counts on an order between sums that are added to one after another.
    add("atomics on several words", 32,
        "atom.global.add.u32 %r4, [%a2], 1; atom.global.add.u32 %r5, [%a2+4], 1; atom.global.add.u32 %r6, "
        "[%a2], 1; red.global.add.f32 [%a2+8], 0f3F800000;",
        true);
}

void TestMemoryModel::messages()
{
    QFETCH(int, blocks);
    QFETCH(int, threads);
    QFETCH(QString, body);
    QFETCH(bool, ordered);
    for (int seed = 1; seed <= 16; ++seed) {
        const ExecutionResult result = execute(kernelText(body.toStdString()), blocks, threads, seed);
        if (ordered) {
            QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
            continue;
        }
        QVERIFY(result.fault);
        QVERIFY2(result.fault->kind == FaultKind::Race, result.fault->message.c_str());
        QVERIFY2(result.fault->message.find("fence between") != std::string::npos,
                 result.fault->message.c_str());
    }
}

namespace {

/// In each phase every block writes a word, all meet by counting, each adds up the word of the next block;
/// the last phase waits for `waited` blocks.
std::string gridBarrier(int blocks, int waited, int phases, const std::string& poll)
{
    std::string body = "add.u64 %a10, %a2, 0; mul.wide.u32 %a12, %r2, 4; add.u64 %a13, %a2, %a12; "
                       "setp.ne.u32 %p0, %r1, 0; mov.u32 %r9, 0;\n";
    for (int phase = 0; phase < phases; ++phase) {
        // Only the last of several counts too few.
        const int target = blocks * phase + (phase + 1 == phases ? waited : blocks);
        body += fmt::format(
            "add.u32 %r8, %r2, {2}; @!%p0 st.global.u32 [%a13+{3}], %r8; membar.gl; bar.sync 0; @%p0 bra "
            "M{0}; atom.global.add.u32 %r20, [%a10], 1;\nS{0}: {4} setp.lt.u32 %p1, %r20, {1}; @%p1 bra "
            "S{0};\nM{0}: bar.sync 0; membar.gl; add.u32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, {5}; selp.u32 "
            "%r4, 0, %r4, %p2; mul.wide.u32 %a14, %r4, 4; add.u64 %a15, %a2, %a14; ld.global.u32 %r5, "
            "[%a15+{3}]; add.u32 %r9, %r9, %r5;\n",
            phase, target, 100 * phase, 256 + 256 * phase, poll, blocks);
    }
    return body + "add.u64 %a16, %a1, %a12; @!%p0 st.global.u32 [%a16], %r9;";
}

} // namespace

void TestMemoryModel::lateBlocks_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QList<quint32>>("expected");
    QTest::addColumn<bool>("right");
    // `expected(i)` is y[i] of a program without faults, for i below `count`.
    const auto add = [](const std::string& name, int blocks, int threads, const std::string& body, int count,
                        const std::function<int(int)>& expected, bool right) {
        QList<quint32> values;
        for (int i = 0; i < count; ++i)
            values.push_back(static_cast<quint32>(expected(i)));
        QTest::newRow(name.c_str()) << blocks << threads << QString::fromStdString(body) << values << right;
    };
    const auto barrier = [&](const std::string& name, int blocks, int waited, int phases,
                             const std::string& poll) {
        add(
            fmt::format("{}: {} blocks, {} phases, {}", name, blocks, phases, poll), blocks, 64,
            gridBarrier(blocks, waited, phases, poll), blocks,
            [=](int b) { return phases * ((b + 1) % blocks) + 50 * phases * (phases - 1); },
            waited == blocks);
    };
    const std::string polls[] = {"atom.global.add.u32 %r20, [%a10], 0;",
                                 "ld.volatile.global.u32 %r20, [%a10];",
                                 "ld.acquire.gpu.global.u32 %r20, [%a10];"};
    for (const std::string& poll : polls) {
        for (const int blocks : {4, 8, 32}) {
            for (const int phases : {1, 2, 3})
                barrier("barrier", blocks, blocks, phases, poll);
            barrier("barrier for one less", blocks, blocks - 1, 1, poll);
        }
        barrier("second barrier for one less", 8, 7, 2, poll);
    }
    // Each block reads the flag of the one before it, once; or until it is there.
    const auto lookBack = [](bool waits) {
        return firstThread +
               fmt::format(
                   "mul.wide.u32 %a12, %r2, 8; add.u64 %a12, %a2, %a12; mov.u32 %r26, 1; setp.eq.u32 %p2, "
                   "%r2, 0; @%p2 bra DONE; sub.u64 %a13, %a12, 8;\nL: ld.volatile.global.v2.u32 {{%r27, "
                   "%r28}}, [%a13]; {} add.u32 %r26, %r26, %r28;\nDONE: mov.u32 %r25, 2; "
                   "st.volatile.global.v2.u32 [%a12], {{%r25, %r26}}; mul.wide.u32 %a14, %r2, 4; add.u64 "
                   "%a14, %a1, %a14; st.global.u32 [%a14], %r26;\nEND:\n",
                   waits ? "setp.eq.u32 %p1, %r27, 0; @%p1 bra L;" : "");
    };
    add(
        "look-back that waits", 24, 32, lookBack(true), 24, [](int i) { return i + 1; }, true);
    add(
        "look-back that does not wait", 24, 32, lookBack(false), 24, [](int i) { return i + 1; }, false);
    // The block that counts `last` sums what all have added; blocks that come later are left out.
    const auto lastBlock = [](int last) {
        return firstThread +
               fmt::format("red.global.add.u32 [%a2+128], 3; membar.gl; atom.global.add.u32 %r4, [%a2], 1; "
                           "setp.ne.u32 %p1, %r4, {}; @%p1 bra END; membar.gl; atom.global.add.u32 %r5, "
                           "[%a2+128], 0; st.global.u32 [%a1], %r5;\nEND:\n",
                           last);
    };
    add(
        "last block", 12, 64, lastBlock(11), 1, [](int) { return 36; }, true);
    add(
        "last block but one", 12, 64, lastBlock(10), 1, [](int) { return 36; }, false);
    // A queue: each that comes takes the next piece, until there are none left.
    add(
        "tickets", 12, 32,
        firstThread + "T: atom.global.add.u32 %r4, [%a2], 1; setp.ge.u32 %p1, %r4, 40; @%p1 bra END; "
                      "mul.wide.u32 %a12, %r4, 4; add.u64 %a13, %a1, %a12; st.global.u32 [%a13], %r4; bra "
                      "T;\nEND:\n",
        40, [](int i) { return i; }, true);
    // Warps of one block that hand over through a flag in shared memory; or do not wait for it.
    const auto warps = [](bool waits) {
        return fmt::format(
            ".shared .align 8 .b8 v[8]; setp.eq.u32 %p0, %r1, 0; @%p0 st.volatile.shared.v2.u32 [v], {{0, "
            "0}}; bar.sync 0; and.b32 %r4, %r1, 31; setp.ne.u32 %p1, %r4, 0; @%p1 bra END; @%p0 bra GIVE;\n"
            "L: ld.volatile.shared.v2.u32 {{%r5, %r6}}, [v]; {} mul.wide.u32 %a12, %r0, 4; add.u64 %a13, "
            "%a1, %a12; st.global.u32 [%a13], %r6; bra END;\nGIVE: mov.u32 %r7, 1; mov.u32 %r8, 9; "
            "st.volatile.shared.v2.u32 [v], {{%r7, %r8}};\nEND:\n",
            waits ? "setp.eq.u32 %p2, %r5, 0; @%p2 bra L;" : "");
    };
    const auto given = [](int i) { return i % 32 == 0 && i % 128 ? 9 : 0; };
    add("warps that wait", 16, 128, warps(true), 16 * 128, given, true);
    add("warps that do not wait", 16, 128, warps(false), 16 * 128, given, false);
}

void TestMemoryModel::lateBlocks()
{
    QFETCH(int, blocks);
    QFETCH(int, threads);
    QFETCH(QString, body);
    QFETCH(QList<quint32>, expected);
    QFETCH(bool, right);
    const std::string text = kernelText(body.toStdString());
    const auto good = [&](const ExecutionResult& result) {
        if (result.fault)
            return false;
        const auto bits = bitsOf(floats(result.outputs.at(0)));
        return std::equal(expected.begin(), expected.end(), bits.begin());
    };
    constexpr int seeds = 20;
    int found = 0;
    const std::uint64_t plainSteps = execute(text, blocks, threads, 1, Checks::Counters, 2'000'000).steps;
    for (int seed = 1; seed <= seeds; ++seed) {
        const ExecutionResult result = execute(text, blocks, threads, seed, Checks::All, 2'000'000);
        if (right)
            QVERIFY2(good(result), result.fault ? result.fault->message.c_str() : "wrong result");
        // Only who waits for the late does more than without them, and not without bound.
        if (right && text.find("bra T;") != std::string::npos)
            QCOMPARE(result.steps, plainSteps);
        QVERIFY2(!right || result.steps < 30 * plainSteps, std::to_string(result.steps).c_str());
        found += good(result) ? 0 : 1;
    }
    QVERIFY2(right || found >= seeds - 1, std::to_string(found).c_str());
}

void TestMemoryModel::gridBarriers_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QByteArray>("spins");
    QTest::addColumn<bool>("fits");
    // Blocks of an H200: 132 processors with room for 2,048 threads and 32 blocks each.
    for (const char* wait : {"atom.global.add.u32 %r20, [%a10], 0;", "ld.volatile.global.u32 %r20, [%a10];",
                             "ld.acquire.gpu.global.u32 %r20, [%a10];"}) {
        QTest::newRow(fmt::format("few, {}", wait).c_str()) << 16 << 64 << QByteArray(wait) << true;
        QTest::newRow(fmt::format("all that fit, {}", wait).c_str())
            << 264 << 1024 << QByteArray(wait) << true;
        QTest::newRow(fmt::format("one too many, {}", wait).c_str())
            << 265 << 1024 << QByteArray(wait) << false;
    }
    QTest::newRow("small blocks") << 132 * 32 << 32 << QByteArray("ld.volatile.global.u32 %r20, [%a10];")
                                  << true;
}

void TestMemoryModel::gridBarriers()
{
    QFETCH(int, blocks);
    QFETCH(int, threads);
    QFETCH(QByteArray, spins);
    QFETCH(bool, fits);
    // Two phases: each block writes its word, all meet, each reads its neighbour's. Thread 0 waits for the
    // other blocks while the others wait for it.
    const std::string body = fmt::format("add.u64 %a10, %a2, 0; mul.wide.u32 %a12, %r2, 4; add.u64 %a13, "
                                         "%a2, %a12; setp.ne.u32 %p0, %r1, 0; @!%p0 "
                                         "st.global.u32 [%a13+256], %r2; membar.gl; bar.sync 0; @%p0 bra "
                                         "MEET; atom.global.add.u32 %r20, [%a10], 1;\nS: {1} "
                                         "setp.lt.u32 %p1, %r20, {0}; @%p1 bra S;\nMEET: bar.sync 0; "
                                         "membar.gl; add.u32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, "
                                         "{0}; selp.u32 %r4, 0, %r4, %p2; mul.wide.u32 %a14, %r4, 4; add.u64 "
                                         "%a15, %a2, %a14; ld.global.u32 %r5, [%a15+256]; "
                                         "add.u64 %a16, %a1, %a12; @!%p0 st.global.u32 [%a16], %r5;",
                                         blocks, spins.toStdString());
    const bool large = blocks > 100;
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        for (int seed = 1; seed <= (large ? 1 : 6); ++seed) {
            const ExecutionResult result =
                execute(kernelText(body), blocks, threads, seed, checks, fits ? 20'000'000 : 1'000'000);
            if (!fits) {
                QVERIFY(result.fault);
                QVERIFY2(result.fault->kind == FaultKind::Timeout, result.fault->message.c_str());
                continue;
            }
            QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
            const auto bits = bitsOf(floats(result.outputs.at(0)));
            for (int b = 0; b < blocks; ++b)
                QCOMPARE(bits[b], std::uint32_t((b + 1) % blocks));
        }
    }
}

void TestMemoryModel::knowledgeIsShared()
{
    using namespace sim;
    const auto single = [](std::uint32_t epoch) {
        BlockKnown known;
        known.warps = {epoch, 0};
        known.lanes = {{1, {}}};
        known.lanes[0].second[5] = epoch + 3;
        return known;
    };
    // Everybody tells one word, then everybody takes it over: the work grows as the number of blocks, not as
    // its square.
    std::uint64_t before = 0;
    for (const std::uint32_t blocks : {1000u, 4000u}) {
        KnowledgeStore store(blocks);
        {
            Knowledge word;
            std::vector<Knowledge> each(blocks);
            for (std::uint32_t b = 0; b < blocks; ++b)
                word = store.join(word, store.of(b, single(b + 1)));
            for (std::uint32_t b = 0; b < blocks; ++b) {
                each[b] = store.join(each[b], word);
                QVERIFY(each[b].same(word));
                QVERIFY(store.join(word, store.of(b, single(1))).same(word)); // nothing new
            }
            // Against plain numbers.
            for (std::uint32_t b = 0; b < blocks; b += 37) {
                QVERIFY(store.knows(word, b, 0, 9, b));
                QVERIFY(!store.knows(word, b, 0, 9, b + 1));
                QVERIFY(store.knows(word, b, 1, 5, b + 3));
                QVERIFY(!store.knows(word, b, 1, 5, b + 4) && !store.knows(word, b, 1, 6, 0));
            }
            QVERIFY(!store.knows(Knowledge(), 3, 0, 0, 0));
        }
        QCOMPARE(store.liveBytes(), std::size_t(0));
        if (before)
            QVERIFY2(store.work() < 6 * before,
                     std::to_string(double(store.work()) / double(before)).c_str());
        before = store.work();
    }
    // What two have learned of one block is joined warp by warp and lane by lane.
    KnowledgeStore store(100);
    BlockKnown left = single(7), right;
    right.warps = {2, 9};
    right.lanes = {{0, {}}};
    right.lanes[0].second[1] = 20;
    const Knowledge both = store.join(store.of(42, left), store.of(42, right));
    QVERIFY(store.knows(both, 42, 0, 0, 6) && !store.knows(both, 42, 0, 0, 7));
    QVERIFY(store.knows(both, 42, 0, 1, 19) && !store.knows(both, 42, 0, 1, 20));
    QVERIFY(store.knows(both, 42, 1, 5, 9) && !store.knows(both, 42, 1, 5, 10));
    QVERIFY(store.knows(both, 42, 1, 6, 8) && !store.knows(both, 42, 1, 6, 9));
}

void TestMemoryModel::stormsEnd_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("body");
    const std::string loop =
        "mov.u32 %r10, 0;\nL: {} add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 100000; @%p1 bra L;";
    const auto repeated = [&](const std::string& body) { return fmt::format(fmt::runtime(loop), body); };
    // The word of each step: (thread + 977 step) modulo 2^14.
    const std::string word =
        "mad.lo.u32 %r11, %r10, 977, %r0; and.b32 %r11, %r11, 16383; mul.wide.u32 %a10, %r11, 4; "
        "add.u64 %a10, %a2, %a10; ";
    row("acquire and release everywhere", 64, 64,
        repeated(word + "ld.acquire.gpu.global.u32 %r12, [%a10]; st.release.gpu.global.u32 [%a10], 0;"));
    row("fences and atomics everywhere", 64, 64,
        repeated(word + "membar.gl; atom.global.add.u32 %r12, [%a10], 1;"));
    row("counter of all", 512, 64, repeated("membar.gl; atom.global.add.u32 %r12, [%a2], 1;"));
    row("block scope", 64, 64, repeated(word + "membar.cta; red.release.gpu.global.add.u32 [%a10], 1;"));
    row("copies nobody waits for", 64, 64,
        ".shared .align 16 .b8 v[1024]; mov.u32 %r4, v; mul.lo.u32 %r5, %r1, 16; add.u32 %r4, %r4, %r5; " +
            repeated("cp.async.ca.shared.global [%r4], [%a2], 16; cp.async.commit_group;"));
    row("copies waited for but never committed", 1, 64,
        ".shared .align 16 .b8 v[1024]; mov.u32 %r4, v; mul.lo.u32 %r5, %r1, 16; add.u32 %r4, %r4, %r5; " +
            repeated("cp.async.ca.shared.global [%r4], [%a2], 16; cp.async.wait_group 0;"));
    row("signals without end", 1, 64,
        "setp.ge.u32 %p0, %r1, 32; @%p0 bra E;" + repeated("bar.arrive 3, 64;") + "\nE: bar.sync 3, 64;");
}

void TestMemoryModel::stormsEnd()
{
    QFETCH(int, blocks);
    QFETCH(int, threads);
    QFETCH(QString, body);
    // They end, as a fault of the program; the time limit of the test would tell otherwise.
    const ExecutionResult result =
        execute(kernelText(body.toStdString()), blocks, threads, 1, Checks::All, 300'000);
    QVERIFY(result.fault);
    QVERIFY2(result.fault->kind == FaultKind::Timeout, result.fault->message.c_str());
}

QTEST_GUILESS_MAIN(TestMemoryModel)
#include "tst_memory_model.moc"
