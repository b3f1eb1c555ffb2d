// SPDX-License-Identifier: Apache-2.0
// The order of blocks and warps, at every level of checks.
#include "harness.h"

#include <QTest>

using namespace sparserl;
using namespace sparserl::harness;

class TestSchedules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void mistakes_data();
    void mistakes();
    void whatIsRightStaysRight_data();
    void whatIsRightStaysRight();
    void usual();
    void sameSeedSameRun();
};

namespace {

struct Program
{
    Bench bench;
    std::vector<float> input, expected;
};

using Maker = Program (*)();

std::vector<float> counting(int count)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        x[static_cast<std::size_t>(i)] = static_cast<float>(i % 7 + 1);
    return x;
}

Program lastByNumber()
{
    const TestMatrix m = randomMatrix(5000, 5000, 0, 40, 3);
    Program program{Bench(fixture("schedules.ptx")), counting(m.cols), {}};
    program.expected = m.multiply(program.input);
    Bench& bench = program.bench;
    const auto nnz = static_cast<std::int64_t>(m.col.size());
    const int ptr = bench.matrix("csr.row_ptr", m.rowPtr), col = bench.matrix("csr.col", m.col),
              val = bench.matrix("csr.val", m.val), x = bench.x(m.cols), y = bench.y(m.rows),
              part = bench.buffer("part", BufferRole::Scratch, ElementType::F32, m.rows, true);
    bench.launch(
        "last_by_number", (nnz + 4095) / 4096, 256,
        {number(m.rows), number(nnz), array(ptr), array(col), array(val), array(x), array(y), array(part)});
    return program;
}

Program lookBack()
{
    constexpr int blocks = 200;
    Program program{Bench(fixture("schedules.ptx")), counting(blocks), {}};
    float sum = 0;
    for (const float value : program.input)
        program.expected.push_back(sum += value);
    Bench& bench = program.bench;
    const int x = bench.x(blocks), y = bench.y(blocks),
              ready = bench.buffer("ready", BufferRole::Scratch, ElementType::U32, blocks, true),
              prefix = bench.buffer("prefix", BufferRole::Scratch, ElementType::F32, blocks, true);
    bench.launch("look_back", blocks, 1, {array(x), array(y), array(ready), array(prefix)});
    return program;
}

Program tickets()
{
    constexpr int blocks = 200;
    Program program{Bench(fixture("schedules.ptx")), counting(blocks), {}};
    program.expected = program.input;
    Bench& bench = program.bench;
    const int x = bench.x(blocks), y = bench.y(blocks),
              next = bench.buffer("next", BufferRole::Scratch, ElementType::U32, 1, true);
    bench.launch("tickets", blocks, 1, {array(x), array(y), array(next)});
    return program;
}

Program warps()
{
    constexpr int blocks = 50;
    Program program{Bench(fixture("schedules.ptx")), counting(32 * blocks), {}};
    program.expected = program.input;
    const int x = program.bench.x(32 * blocks), y = program.bench.y(32 * blocks);
    program.bench.launch("warps", blocks, 64, {array(x), array(y)});
    return program;
}

Program lastBlock()
{
    Program program{Bench(fixture("last_block.ptx")), counting(5000), {0}};
    for (const float value : program.input)
        program.expected[0] += value;
    Bench& bench = program.bench;
    const int x = bench.x(5000), partial = bench.buffer("partial", BufferRole::Scratch, ElementType::F32, 37),
              count = bench.buffer("count", BufferRole::Scratch, ElementType::U32, 1, true), y = bench.y(1);
    bench.launch("good", 37, 128, {number(5000), array(x), array(partial), array(count), array(y)});
    return program;
}

Program csrWarp()
{
    const TestMatrix m = randomMatrix(3000, 500, 0, 90, 3);
    Program program{Bench(fixture("csr_warp.ptx")), counting(m.cols), {}};
    program.expected = m.multiply(program.input);
    Bench& bench = program.bench;
    const int ptr = bench.matrix("csr.row_ptr", m.rowPtr), col = bench.matrix("csr.col", m.col),
              val = bench.matrix("csr.val", m.val), x = bench.x(m.cols), y = bench.y(m.rows);
    bench.launch("spmv", (m.rows * 32 + 127) / 128, 128,
                 {number(m.rows), array(ptr), array(col), array(val), array(x), array(y)});
    return program;
}

constexpr int seeds = 20;

/// In how many runs, each with a seed of its own, the program gives another result than it should.
int wrongRuns(Program& program, Checks checks, Schedule schedule)
{
    program.bench.request.schedule = schedule;
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const ExecutionResult result = program.bench.run(program.input, seed, checks);
        wrong += result.fault || floats(result.outputs.at(0)) != program.expected ? 1 : 0;
    }
    return wrong;
}

} // namespace

void TestSchedules::mistakes_data()
{
    QTest::addColumn<Maker>("make");
    QTest::newRow("the last block by its number") << &lastByNumber;
    QTest::newRow("a look-back that does not wait") << &lookBack;
    QTest::newRow("tickets by block") << &tickets;
    QTest::newRow("the order of warps") << &warps;
}

void TestSchedules::mistakes()
{
    QFETCH(const Maker, make);
    Program program = make();
    QCOMPARE(wrongRuns(program, Checks::None, Schedule::InOrder), 0);
    for (const Checks checks : {Checks::None, Checks::Counters}) {
        const int wrong = wrongRuns(program, checks, Schedule::Shuffled);
        QVERIFY2(wrong >= seeds * 3 / 4, qPrintable(QString::number(wrong)));
    }
}

void TestSchedules::whatIsRightStaysRight_data()
{
    QTest::addColumn<Maker>("make");
    QTest::newRow("the last block by a ticket") << &lastBlock;
    QTest::newRow("a warp for each row") << &csrWarp;
}

void TestSchedules::whatIsRightStaysRight()
{
    QFETCH(const Maker, make);
    Program program = make();
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        for (const Schedule schedule : {Schedule::InOrder, Schedule::Shuffled})
            QCOMPARE(wrongRuns(program, checks, schedule), 0);
    }
}

void TestSchedules::usual()
{
    // Nobody asks: results and times are those of the schedule that the level of checks has.
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        Program program = lastBlock();
        const ExecutionResult usual = program.bench.run(program.input, 5, checks);
        program.bench.request.schedule = checks == Checks::All ? Schedule::Shuffled : Schedule::InOrder;
        const ExecutionResult asked = program.bench.run(program.input, 5, checks);
        QCOMPARE(usual.steps, asked.steps);
        QCOMPARE(usual.warmMicroseconds, asked.warmMicroseconds);
    }
    // With every check and in order, times are those of counters alone.
    Program program = csrWarp();
    program.bench.request.schedule = Schedule::InOrder;
    QCOMPARE(program.bench.run(program.input, 5, Checks::All).warmMicroseconds,
             program.bench.run(program.input, 5, Checks::Counters).warmMicroseconds);
}

void TestSchedules::sameSeedSameRun()
{
    Program program = lookBack();
    program.bench.request.schedule = Schedule::Shuffled;
    const auto outputs = [&](std::uint64_t seed) {
        return floats(program.bench.run(program.input, seed, Checks::None).outputs.at(0));
    };
    QCOMPARE(outputs(7), outputs(7));
    QVERIFY(outputs(7) != outputs(8));
}

QTEST_GUILESS_MAIN(TestSchedules)
#include "tst_schedules.moc"
