// SPDX-License-Identifier: Apache-2.0
// Where arrays lie, what a program can read of that, and what lies around them.
#include "ptx_text.h"

#include <QTest>
#include <fmt/format.h>
#include <set>

using namespace sparserl;
using namespace sparserl::harness;

class TestAddressLayouts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void distances_data();
    void distances();
    void addressesFollowTheSeed();
    void bitsSayNothing();
    void oneAllocation();
    void around_data();
    void around();
    void betweenArrays();
    void intoAnotherArray();
    void windows();
    void constants();
    void sharedMemory();
    void sameProgram();
};

namespace {

constexpr AddressLayout layouts[] = {AddressLayout::Apart, AddressLayout::Together, AddressLayout::Far};
constexpr int words = 1024;
constexpr std::uint64_t seeds = 20;

const std::string firstThread = "setp.ne.u32 %p0, %r0, 0; @%p0 bra END;\n";

ExecutionResult execute(const std::string& body, AddressLayout layout, std::uint64_t seed,
                        Checks checks = Checks::All, const std::string& before = {})
{
    Bench bench = kernelBench(kernelText(body, before), 1, 32, words);
    if (const auto problem = ptx::firstUnsupported(bench.module))
        throw std::runtime_error(problem->reason);
    bench.request.layout = layout;
    return bench.run(std::vector<float>(words, 1.0f), seed, checks);
}

std::vector<std::int64_t> numbers(const ExecutionResult& result, std::size_t count)
{
    if (result.fault)
        throw std::runtime_error(result.fault->message);
    const std::vector<float> y = floats(result.outputs.at(0));
    std::vector<std::int64_t> values(count);
    std::memcpy(values.data(), y.data(), 8 * count);
    return values;
}

struct Addresses
{
    std::int64_t x = 0, y = 0, s = 0;

    std::array<std::int64_t, 3> distances() const { return {y - x, s - x, s - y}; }
    bool operator==(const Addresses&) const = default;
};

Addresses addresses(AddressLayout layout, std::uint64_t seed)
{
    const auto values = numbers(
        execute(
            firstThread +
                "st.global.b64 [%a1], %a0; st.global.b64 [%a1+8], %a1; st.global.b64 [%a1+16], %a2;\nEND:\n",
            layout, seed),
        3);
    return {values[0], values[1], values[2]};
}

/// The fault that a body meets.
Fault faultOf(const std::string& body, AddressLayout layout, std::uint64_t seed, Checks checks = Checks::All)
{
    return execute(body, layout, seed, checks).fault.value_or(Fault{FaultKind::Timeout, "no fault"});
}

} // namespace

void TestAddressLayouts::distances_data()
{
    QTest::addColumn<int>("layout");
    QTest::addColumn<std::int64_t>("least");
    QTest::addColumn<std::int64_t>("most");
    const std::int64_t gib = std::int64_t(1) << 30;
    QTest::newRow("apart") << int(AddressLayout::Apart) << 32 * gib << 1024 * gib;
    QTest::newRow("together") << int(AddressLayout::Together) << std::int64_t(4 * words + 4096) << 2 * gib;
    QTest::newRow("far") << int(AddressLayout::Far) << 4 * gib << 64 * gib;
}

void TestAddressLayouts::distances()
{
    QFETCH(const int, layout);
    QFETCH(const std::int64_t, least);
    QFETCH(const std::int64_t, most);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Addresses found = addresses(static_cast<AddressLayout>(layout), seed);
        for (const std::int64_t distance : found.distances()) {
            QVERIFY(std::abs(distance) >= least);
            QVERIFY(std::abs(distance) < most);
        }
        for (const std::int64_t address : {found.x, found.y, found.s})
            QCOMPARE(address % 256, 0);
    }
}

void TestAddressLayouts::addressesFollowTheSeed()
{
    for (const AddressLayout layout : layouts) {
        QCOMPARE(addresses(layout, 3), addresses(layout, 3));
        QVERIFY(!(addresses(layout, 3) == addresses(layout, 4)));
    }
    // Arrays lie in any order.
    std::set<bool> together, far;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        together.insert(addresses(AddressLayout::Together, seed).distances()[0] > 0);
        far.insert(addresses(AddressLayout::Far, seed).distances()[0] > 0);
    }
    QCOMPARE(together.size(), std::size_t(2));
    QCOMPARE(far.size(), std::size_t(2));
}

void TestAddressLayouts::bitsSayNothing()
{
    // Every bit from 256 bytes to 256 MiB is set in some of the runs and clear in others, of every array; but
    // an allocation begins at a multiple of 2 MiB, and small arrays follow soon.
    for (const AddressLayout layout : layouts) {
        std::int64_t all[3] = {-1, -1, -1}, any[3] = {};
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const Addresses found = addresses(layout, seed);
            const std::int64_t one[3] = {found.x, found.y, found.s};
            for (int i = 0; i < 3; ++i) {
                all[i] &= one[i];
                any[i] |= one[i];
            }
        }
        std::int64_t bits = (std::int64_t(1) << 28) - 256;
        if (layout == AddressLayout::Together)
            bits &= ~((std::int64_t(1) << 21) - (std::int64_t(1) << 16));
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(all[i] & bits, 0);
            QCOMPARE(any[i] & bits, bits);
        }
    }
}

void TestAddressLayouts::oneAllocation()
{
    // What a program of the attacks asks: do x and y lie within 2 GiB of each other?
    const std::string body =
        firstThread + "sub.s64 %a10, %a0, %a1; abs.s64 %a10, %a10; setp.lt.s64 %p1, %a10, 2147483648;\n"
                      "@%p1 mov.u32 %r4, 1; @!%p1 mov.u32 %r4, 0; st.global.b32 [%a1], %r4;\nEND:\n";
    for (const AddressLayout layout : layouts) {
        const auto found = numbers(execute(body, layout, 5), 1);
        QCOMPARE(found[0], std::int64_t(layout == AddressLayout::Together));
    }
}

void TestAddressLayouts::around_data()
{
    QTest::addColumn<QByteArray>("access");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const char* access, const char* says) {
        QTest::newRow(name) << QByteArray(access) << QByteArray(says);
    };
    row("before x", "ld.global.b32 %r4, [%a0+-4]; st.global.b32 [%a1], %r4;",
        "read of x[-1], which has 1024 elements");
    row("behind x", "ld.global.b32 %r4, [%a0+4096]; st.global.b32 [%a1], %r4;",
        "read of x[1024], which has 1024 elements");
    row("across the end of x", "ld.global.b64 %a10, [%a0+4096]; st.global.b64 [%a1], %a10;",
        "read of x[1024]");
    row("before y", "st.global.b32 [%a1+-4], 1;", "write to y[-1], which has 1024 elements");
    row("behind y", "st.global.b32 [%a1+4096], 1;", "write to y[1024], which has 1024 elements");
    row("behind s, generic", "st.b32 [%a2+4096], 1;", "write to s[1024], which has 1024 elements");
    row("an atomic behind s", "atom.global.add.u32 %r4, [%a2+4096], 1;", "atomic on s[1024]");
    row("a little further", "ld.global.b32 %r4, [%a0+4108]; st.global.b32 [%a1], %r4;", "read of x[1027]");
    row("a write to x", "st.global.b32 [%a0+8], 1;", "write to x[2], which may only be read here");
}

void TestAddressLayouts::around()
{
    QFETCH(const QByteArray, access);
    QFETCH(const QByteArray, says);
    for (const AddressLayout layout : layouts) {
        for (const Checks checks : {Checks::None, Checks::All}) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                const Fault fault =
                    faultOf(firstThread + access.toStdString() + "\nEND:\n", layout, seed, checks);
                QCOMPARE(fault.kind, FaultKind::OutOfBounds);
                QVERIFY2(fault.message.find(says.toStdString()) != std::string::npos, fault.message.c_str());
            }
        }
    }
}

void TestAddressLayouts::betweenArrays()
{
    // One lane of a warp is outside, the others are not.
    const std::string body = "mov.u64 %a10, %a0; setp.eq.u32 %p1, %r0, 7; @%p1 add.u64 %a10, %a10, 4100;\n"
                             "ld.global.f32 %f0, [%a10]; mov.b32 %r4, %f0;" +
                             toOutput("%r4");
    for (const AddressLayout layout : layouts) {
        const Fault fault = faultOf(body, layout, 2);
        QCOMPARE(fault.kind, FaultKind::OutOfBounds);
        QVERIFY2(fault.message.find("x[1025]") != std::string::npos, fault.message.c_str());
        QCOMPARE(fault.thread.value_or(std::array<std::int64_t, 3>{})[0], 7);
    }
    // Far from everything.
    const Fault fault = faultOf("mov.u64 %a10, 4096; ld.global.b32 %r4, [%a10];" + toOutput("%r4"),
                                AddressLayout::Together, 2);
    QCOMPARE(fault.kind, FaultKind::OutOfBounds);
    QVERIFY2(fault.message.find("belongs to no array") != std::string::npos, fault.message.c_str());
}

void TestAddressLayouts::intoAnotherArray()
{
    // From x to y by the distance that this very seed gives: y's own rights hold there.
    for (const AddressLayout layout : layouts) {
        const std::int64_t distance = addresses(layout, 9).distances()[0];
        const std::string body =
            fmt::format("{}mov.u64 %a10, {}; add.u64 %a10, %a10, %a0; st.global.b32 [%a10+4], "
                        "77; ld.global.b32 %r4, [%a10+4]; st.global.b32 [%a1], %r4;\nEND:\n",
                        firstThread, distance);
        QCOMPARE(numbers(execute(body, layout, 9), 1)[0], (std::int64_t(77) << 32) + 77);
        const std::string back =
            fmt::format("{}mov.u64 %a10, {}; sub.u64 %a10, %a1, %a10; st.global.b32 [%a10+4], 77;\nEND:\n",
                        firstThread, distance);
        const Fault fault = faultOf(back, layout, 9);
        QVERIFY2(fault.message.find("write to x[1], which may only be read here") != std::string::npos,
                 fault.message.c_str());
    }
    // Lanes of one instruction in two arrays.
    const std::string both =
        "setp.lt.u32 %p1, %r0, 16; mov.u64 %a10, %a0; @!%p1 mov.u64 %a10, %a2; mul.wide.u32 "
        "%a11, %r0, 4; add.u64 %a10, %a10, %a11; ld.global.b32 %r4, [%a10];" +
        toOutput("%r4");
    for (const AddressLayout layout : layouts) {
        const ExecutionResult result = execute(both, layout, 4);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        const std::vector<float> y = floats(result.outputs.at(0));
        for (std::size_t i = 0; i < 32; ++i)
            QCOMPARE(y[i], i < 16 ? 1.0f : 0.0f);
    }
}

void TestAddressLayouts::windows()
{
    // Each of four generic addresses is in its own space only; what they look like is as on a GPU where the
    // arrays are.
    const std::string before =
        ".global .align 4 .b32 table[4] = {3, 5, 7, 9};\n.const .align 4 .b32 fixed[4] = "
        "{2, 4, 6, 8};\n";
    const std::string body =
        ".shared .align 8 .b8 held[64]; .local .align 8 .b8 mine[64];\n" + firstThread +
        "mov.u64 %a10, held; cvta.shared.u64 %a20, %a10; mov.u64 %a10, mine; cvta.local.u64 %a21, %a10;\n"
        "mov.u64 %a10, fixed; cvta.const.u64 %a22, %a10; mov.u64 %a10, table; cvta.global.u64 %a23, %a10; "
        "mov.u32 %r10, 0;\n" +
        [] {
            std::string tests;
            for (const char* space : {"shared", "local", "const", "global"}) {
                for (int address = 20; address < 24; ++address)
                    tests += fmt::format(
                        "isspacep.{} %p1, %a{}; shl.b32 %r10, %r10, 1; @%p1 or.b32 %r10, %r10, 1;\n", space,
                        address);
            }
            return tests;
        }() +
        "st.b32 [%a20+4], 11; ld.shared.b32 %r11, [held+4]; st.b32 [%a21+4], 13; ld.local.b32 %r12, "
        "[mine+4];\n"
        "ld.b32 %r13, [%a22+4]; ld.const.b32 %r14, [fixed+8]; ld.b32 %r15, [%a23+4]; ld.global.b32 %r16, "
        "[table+8];\n"
        "cvta.to.shared.u64 %a24, %a20; st.global.b64 [%a1], %a20; st.global.b64 [%a1+8], %a21; "
        "st.global.b64 [%a1+16], %a22; st.global.b64 [%a1+24], %a23; st.global.b64 [%a1+32], %a24;\n"
        "cvt.u64.u32 %a30, %r10; st.global.b64 [%a1+40], %a30;\n"
        "st.global.b32 [%a1+48], %r11; st.global.b32 [%a1+52], %r12; st.global.b32 [%a1+56], %r13; "
        "st.global.b32 [%a1+60], %r14; st.global.b32 [%a1+64], %r15; st.global.b32 [%a1+68], %r16;\nEND:\n";
    for (const AddressLayout layout : layouts) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto found = numbers(execute(body, layout, seed, Checks::All, before), 9);
            QCOMPARE(found[5], 0b1000'0100'0010'0001);
            const auto pair = [](std::int64_t low, std::int64_t high) { return low | high << 32; };
            QCOMPARE(found[6], pair(11, 13));
            QCOMPARE(found[7], pair(4, 6));
            QCOMPARE(found[8], pair(5, 7));
            if (layout == AddressLayout::Apart)
                continue;
            for (std::size_t i = 0; i < 4; ++i)
                QCOMPARE(found[i] >> 40, 0x7f);
            QCOMPARE(found[4], 1024); // what the system keeps of a block's shared memory lies before
            QCOMPARE(found[0] & 0xffffffff, found[4]);
        }
    }
}

void TestAddressLayouts::constants()
{
    const std::string before = ".const .align 4 .b32 fixed[4] = {2, 4, 6, 8};\n";
    for (const AddressLayout layout : layouts) {
        const ExecutionResult result =
            execute(firstThread + "ld.const.b32 %r4, [fixed+16]; st.global.b32 [%a1], %r4;\nEND:\n", layout,
                    1, Checks::All, before);
        QVERIFY(result.fault);
        QVERIFY2(result.fault->message.find("constant memory") != std::string::npos,
                 result.fault->message.c_str());
    }
}

void TestAddressLayouts::sharedMemory()
{
    const std::string held = ".shared .align 4 .b8 held[64];\n" + firstThread;
    for (const AddressLayout layout : layouts) {
        const Fault before =
            faultOf(held + "ld.shared.b32 %r4, [held+-4];" + toOutput("%r4") + "END:\n", layout, 1);
        QVERIFY2(before.message.find("shared memory at byte -4, which has 64 bytes") != std::string::npos,
                 before.message.c_str());
        const Fault behind = faultOf(held + "st.shared.b32 [held+64], 1;\nEND:\n", layout, 1);
        QVERIFY2(behind.message.find("shared memory at byte 64, which has 64 bytes") != std::string::npos,
                 behind.message.c_str());
        const Fault unwritten =
            faultOf(held + "ld.shared.b32 %r4, [held+8];" + toOutput("%r4") + "END:\n", layout, 1);
        QCOMPARE(unwritten.kind, FaultKind::Uninitialised);
        QVERIFY2(unwritten.message.find("byte 8 of the shared array 'held'") != std::string::npos,
                 unwritten.message.c_str());
    }
}

void TestAddressLayouts::sameProgram()
{
    // Results, counters and times do not depend on where arrays lie.
    const TestMatrix m = randomMatrix(333, 500, 0, 90, 3);
    const std::vector<float> x(static_cast<std::size_t>(m.cols), 2.0f);
    Bench bench(fixture("csr_warp.ptx"));
    const int ptr = bench.matrix("csr.row_ptr", m.rowPtr), col = bench.matrix("csr.col", m.col),
              val = bench.matrix("csr.val", m.val), in = bench.x(m.cols), y = bench.y(m.rows);
    bench.launch("spmv", (m.rows * 32 + 127) / 128, 128,
                 {number(m.rows), array(ptr), array(col), array(val), array(in), array(y)});
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        bench.request.layout = AddressLayout::Apart;
        const ExecutionResult apart = bench.run(x, 5, checks);
        QVERIFY(!apart.fault);
        for (const AddressLayout layout : layouts) {
            bench.request.layout = layout;
            const ExecutionResult result = bench.run(x, 5, checks);
            QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
            QCOMPARE(floats(result.outputs.at(0)), m.multiply(x));
            QCOMPARE(result.steps, apart.steps);
            QCOMPARE(result.warmMicroseconds, apart.warmMicroseconds);
            QCOMPARE(result.coldMicroseconds, apart.coldMicroseconds);
        }
    }
}

QTEST_GUILESS_MAIN(TestAddressLayouts)
#include "tst_address_layouts.moc"
