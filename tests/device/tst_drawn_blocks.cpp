// SPDX-License-Identifier: Apache-2.0
// Every check in some of the blocks only: no false alarm, and what goes wrong in all of them is found.
#include "device/simulator/execute/drawn_blocks.h"
#include "device/simulator/memory/memory.h"
#include "harness.h"

#include <QTest>

using namespace sparserl;
using namespace sparserl::harness;

class TestDrawnBlocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void draws_data();
    void draws();
    void drawsOfRows();
    void right_data();
    void right();
    void wrong_data();
    void wrong();
    void histories();
    void sameCounters();
    void sameSchedule();
};

namespace {

constexpr int many = 3000;
constexpr std::uint64_t seeds = 20;

std::vector<float> counting(int count)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        x[static_cast<std::size_t>(i)] = static_cast<float>(i % 5);
    return x;
}

/// A kernel of drawn.cu on so many blocks: x, y and what it works with, zeroed unless it says otherwise.
Bench benchOf(const std::string& kernel, int blocks = many)
{
    Bench bench(fixture("drawn.ptx"));
    const int x = bench.x(blocks), y = bench.y(blocks * 64, true);
    const auto scratch = [&](const char* name, ElementType type, std::int64_t count, bool zero = true) {
        return array(bench.buffer(name, BufferRole::Scratch, type, count, zero));
    };
    const auto launch = [&](std::int64_t threads, std::vector<BoundArgument> more) {
        std::vector<BoundArgument> arguments{array(x), array(y)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        bench.launch(kernel, blocks, threads, std::move(arguments));
    };
    if (kernel == "look_back") {
        launch(64,
               {scratch("state", ElementType::U32, blocks), scratch("own", ElementType::F32, blocks, false),
                scratch("prefix", ElementType::F32, blocks, false)});
    } else if (kernel == "turns") {
        launch(64, {scratch("done", ElementType::U32, blocks), scratch("sum", ElementType::F32, 1)});
    } else if (kernel == "handed") {
        launch(1, {scratch("number", ElementType::U32, 1), scratch("done", ElementType::U32, blocks)});
    } else if (kernel == "locked") {
        launch(1, {scratch("lock", ElementType::U32, 1), scratch("sum", ElementType::F32, 1)});
    } else if (kernel == "last_block") {
        launch(64, {scratch("part", ElementType::F32, blocks, false), scratch("count", ElementType::U32, 1)});
    } else if (kernel == "halves") {
        const BoundArgument part = scratch("part", ElementType::F32, blocks * 64, false);
        bench.launch("first_half", blocks, 64, {array(x), part});
        bench.launch("second_half", blocks, 64, {part, array(y)});
    } else if (kernel == "unwritten_scratch") {
        launch(1, {scratch("part", ElementType::F32, blocks, false)});
    } else if (kernel == "plain_ends_of_rows") {
        bench.launch(kernel, 500, 1, {array(x), array(y)}).grid = {500, 6, 1};
    } else {
        launch(kernel.ends_with("_ends") || kernel == "plain_halves" ? 1 : 64, {});
    }
    return bench;
}

constexpr std::pair<Checks, Schedule> ways[] = {{Checks::None, Schedule::InOrder},
                                                {Checks::None, Schedule::Shuffled},
                                                {Checks::Counters, Schedule::InOrder},
                                                {Checks::Counters, Schedule::Shuffled}};

} // namespace

void TestDrawnBlocks::draws_data()
{
    QTest::addColumn<int>("total");
    QTest::addColumn<int>("drawn");
    QTest::newRow("one block") << 1 << 1;
    QTest::newRow("eight blocks") << 8 << 8;
    QTest::newRow("a block on every SM") << 132 << 8;
    QTest::newRow("hundreds") << 800 << 50;
    QTest::newRow("thousands") << 3000 << 128;
    QTest::newRow("many") << (1 << 20) << 128;
}

void TestDrawnBlocks::draws()
{
    QFETCH(const int, total);
    QFETCH(const int, drawn);
    sim::LaunchShape shape;
    shape.grid = {total, 1, 1};
    const auto last = static_cast<std::uint32_t>(total) - 1;
    bool differ = false;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const sim::DrawnBlocks some(shape, seed), others(shape, seed + 1);
        QVERIFY(some.contains(0) && some.contains(last));
        int count = 0, neighbours = 0;
        for (std::uint32_t b = 0; b <= last; ++b) {
            count += some.contains(b) ? 1 : 0;
            neighbours +=
                some.contains(b) && ((b > 0 && some.contains(b - 1)) || some.contains(b + 1)) ? 1 : 0;
            differ = differ || some.contains(b) != others.contains(b);
        }
        QVERIFY2(count <= drawn && 2 * count >= drawn, qPrintable(QString::number(count))); // runs may meet
        QVERIFY(total == 1 || neighbours == count);
    }
    QCOMPARE(differ, total > 8);
}

void TestDrawnBlocks::drawsOfRows()
{
    // Of a grid with rows, blocks above each other.
    sim::LaunchShape shape;
    shape.grid = {500, 20, 1};
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const sim::DrawnBlocks some(shape, seed);
        int above = 0;
        for (std::uint32_t b = 500; b < 10000; ++b)
            above += some.contains(b) && some.contains(b - 500) ? 1 : 0;
        QVERIFY2(above >= 16, qPrintable(QString::number(above)));
    }
}

void TestDrawnBlocks::right_data()
{
    QTest::addColumn<QByteArray>("kernel");
    QTest::addColumn<int>("blocks");
    for (const char* kernel : {"last_block", "halves", "shared_ends"})
        QTest::newRow(kernel) << QByteArray(kernel) << many;
    for (const char* kernel : {"look_back", "turns", "handed", "locked"}) // everybody waits for those before
        QTest::newRow(kernel) << QByteArray(kernel) << 160;
}

void TestDrawnBlocks::right()
{
    QFETCH(const QByteArray, kernel);
    QFETCH(const int, blocks);
    Bench bench = benchOf(kernel.toStdString(), blocks);
    const std::vector<float> x = counting(blocks);
    bench.request.schedule = Schedule::InOrder;
    const ExecutionResult plain = bench.run(x, 1, Checks::None);
    QVERIFY2(!plain.fault, plain.fault ? plain.fault->message.c_str() : "");
    bench.request.schedule = Schedule::Shuffled;
    const ExecutionResult checked = bench.run(x, 1, Checks::All);
    QVERIFY2(!checked.fault, checked.fault ? checked.fault->message.c_str() : "");
    bench.request.drawnBlocks = true;
    for (const auto& [checks, schedule] : ways) {
        bench.request.schedule = schedule;
        for (std::uint64_t seed = 1; seed <= seeds / 2; ++seed) {
            const ExecutionResult result = bench.run(x, seed, checks);
            QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
            if (schedule == Schedule::InOrder)
                QCOMPARE(floats(result.outputs.at(0)), floats(plain.outputs.at(0)));
        }
    }
}

void TestDrawnBlocks::wrong_data()
{
    QTest::addColumn<QByteArray>("kernel");
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("inOrder");
    QTest::addColumn<int>("least");
    const auto row = [](const char* kernel, FaultKind kind, bool inOrder = true, int least = int(seeds)) {
        QTest::newRow(kernel) << QByteArray(kernel) << int(kind) << inOrder << least;
    };
    row("plain_ends", FaultKind::Race);
    row("plain_ends_of_rows", FaultKind::Race);
    row("plain_halves", FaultKind::Race, true, 8); // one distance of several
    row("volatile_ends", FaultKind::Race, false);  // seen where others come between
    row("unwritten_shared", FaultKind::Uninitialised);
    row("race_in_shared", FaultKind::Race);
    row("unwritten_scratch", FaultKind::Uninitialised);
}

void TestDrawnBlocks::wrong()
{
    QFETCH(const QByteArray, kernel);
    QFETCH(const int, kind);
    QFETCH(const bool, inOrder);
    QFETCH(const int, least);
    Bench bench = benchOf(kernel.toStdString());
    const std::vector<float> x = counting(many);
    for (const auto& [checks, schedule] : ways) {
        if (schedule == Schedule::InOrder && !inOrder)
            continue;
        bench.request.schedule = schedule;
        bench.request.drawnBlocks = false;
        QVERIFY(!bench.run(x, 1, checks).fault);
        bench.request.drawnBlocks = true;
        int found = 0;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const ExecutionResult result = bench.run(x, seed, checks);
            if (!result.fault)
                continue;
            QCOMPARE(int(result.fault->kind), kind);
            QVERIFY(result.fault->line > 0 && result.fault->block);
            ++found;
        }
        QVERIFY2(found >= least, qPrintable(QString::number(found)));
    }
}

void TestDrawnBlocks::histories()
{
    // Words that somebody asked for are remembered, as long as there is room; of others nothing is known.
    std::size_t room = 20 * sizeof(sim::WordHistory);
    sim::WordHistories some;
    some.resetSparse(1000, room);
    QVERIFY(!some.empty());
    some[3].writeWarp = 7;
    some[900].writeWarp = 7;
    QCOMPARE(some[3].writeWarp, 7u);
    QCOMPARE(some[900].writeWarp, 0u);
    some.forget(900);
    some.forget(3);
    QCOMPARE(some[3].writeWarp, 0u);
    sim::WordHistories all;
    all.reset(1000);
    all[3].writeWarp = all[999].writeWarp = 7;
    QCOMPARE(all[3].writeWarp + all[999].writeWarp, 14u);
    QCOMPARE(all[4].writeWarp, 0u);
}

void TestDrawnBlocks::sameCounters()
{
    // What is counted does not depend on who is checked.
    const TestMatrix m = randomMatrix(3000, 500, 0, 90, 3);
    const std::vector<float> x = counting(m.cols);
    Bench bench(fixture("csr_warp.ptx"));
    const int ptr = bench.matrix("csr.row_ptr", m.rowPtr), col = bench.matrix("csr.col", m.col),
              val = bench.matrix("csr.val", m.val), in = bench.x(m.cols), y = bench.y(m.rows);
    bench.launch("spmv", (m.rows * 32 + 127) / 128, 128,
                 {number(m.rows), array(ptr), array(col), array(val), array(in), array(y)});
    bench.request.lineCounters = true;
    for (const Checks checks : {Checks::None, Checks::Counters}) {
        bench.request.drawnBlocks = false;
        const ExecutionResult plain = bench.run(x, 5, checks);
        bench.request.drawnBlocks = true;
        const ExecutionResult drawn = bench.run(x, 5, checks);
        QCOMPARE(floats(drawn.outputs.at(0)), m.multiply(x));
        QCOMPARE(drawn.steps, plain.steps);
        QCOMPARE(drawn.warmMicroseconds, plain.warmMicroseconds);
        QCOMPARE(drawn.coldMicroseconds, plain.coldMicroseconds);
        QCOMPARE(drawn.lines.size(), plain.lines.size());
        QCOMPARE(drawn.launches.at(0).total.warpInstructions, plain.launches.at(0).total.warpInstructions);
        QCOMPARE(drawn.launches.at(0).total.globalSectors, plain.launches.at(0).total.globalSectors);
        QCOMPARE(drawn.launches.at(0).distinctSectors, plain.launches.at(0).distinctSectors);
    }
}

void TestDrawnBlocks::sameSchedule()
{
    // Who is checked does not change who runs when, so a program cannot tell.
    constexpr int blocks = many;
    Bench bench(fixture("schedules.ptx"));
    const int x = bench.x(blocks), y = bench.y(blocks),
              next = bench.buffer("next", BufferRole::Scratch, ElementType::U32, 1, true);
    bench.launch("tickets", blocks, 1, {array(x), array(y), array(next)});
    const std::vector<float> in = counting(blocks);
    for (const auto& [checks, schedule] : ways) {
        bench.request.schedule = schedule;
        bench.request.drawnBlocks = false;
        const ExecutionResult plain = bench.run(in, 3, checks);
        bench.request.drawnBlocks = true;
        const ExecutionResult drawn = bench.run(in, 3, checks);
        QVERIFY2(!drawn.fault, drawn.fault ? drawn.fault->message.c_str() : "");
        QCOMPARE(floats(drawn.outputs.at(0)), floats(plain.outputs.at(0)));
    }
}

QTEST_GUILESS_MAIN(TestDrawnBlocks)
#include "tst_drawn_blocks.moc"
