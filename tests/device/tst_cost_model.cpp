// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/profile/cost_model.h"

#include <QTest>
#include <vector>

using namespace sparserl;

namespace {

/// Blocks at positions from `first` to `last` whose chains take so many clocks.
BlockClass blocks(double count, double first, double last, double clocks)
{
    BlockClass group;
    group.count = count;
    group.first = first;
    group.last = last;
    group.steps[static_cast<std::size_t>(Step::Clocks)] = clocks;
    return group;
}

/// A launch of such blocks: latency decides, or the instructions that they issue.
LaunchProfile launchOf(const std::vector<BlockClass>& classes, double instructions, double busiest)
{
    LaunchProfile launch;
    launch.blocksPerSm = 8;
    launch.threadsPerBlock = 256;
    for (const BlockClass& group : classes) {
        launch.blocks += static_cast<std::int64_t>(group.count);
        launch.classes.push_back(group);
    }
    launch.total[static_cast<std::size_t>(Work::Instructions)] = instructions;
    launch.busiest[static_cast<std::size_t>(Work::Instructions)] = busiest;
    return launch;
}

double timeOf(const LaunchProfile& launch)
{
    return sim::launchTime(DeviceModel(), launch, 1).microseconds;
}

} // namespace

class CostModelTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void idleBlocksMakeNothingFaster_data();
    void idleBlocksMakeNothingFaster();
    void wavesOfEqualBlocks();
};

void CostModelTest::idleBlocksMakeNothingFaster_data()
{
    QTest::addColumn<double>("working");      ///< Blocks.
    QTest::addColumn<double>("idle");         ///< Blocks.
    QTest::addColumn<int>("place");           ///< -1: first, 1: last, 0: between the others.
    QTest::addColumn<double>("instructions"); ///< Where many, the busiest SM decides.
    for (const double working : {100.0, 1100.0, 1200.0, 2500.0, 20'000.0})
        for (const double idle : {1.0, 0.25, 3.0})
            for (const int place : {-1, 0, 1})
                for (const double instructions : {1e3, 1e8})
                    QTest::addRow("%.0f blocks and %.2f times idle ones at %d, %g instructions", working,
                                  idle, place, instructions)
                        << working << working * idle << place << instructions;
}

void CostModelTest::idleBlocksMakeNothingFaster()
{
    QFETCH(double, working);
    QFETCH(double, idle);
    QFETCH(int, place);
    QFETCH(double, instructions);
    const double all = working + idle;
    const double busiest = instructions / DeviceModel().smCount * 3;
    const double without = timeOf(launchOf({blocks(working, 0, working - 1, 6000)}, instructions, busiest));
    const BlockClass working_ =
                         blocks(working, place < 0 ? idle : 0, place > 0 ? working - 1 : all - 1, 6000),
                     idle_ = blocks(idle, place > 0 ? working : 0, place < 0 ? idle - 1 : all - 1, 20);
    const double with = timeOf(launchOf({idle_, working_}, instructions, busiest));
    QVERIFY2(with >= without * 0.999,
             qPrintable(QStringLiteral("%1 us instead of %2").arg(with).arg(without)));
    // They cost something, but no wave of working blocks.
    QVERIFY2(with < without * 2, qPrintable(QStringLiteral("%1 us instead of %2").arg(with).arg(without)));
}

void CostModelTest::wavesOfEqualBlocks()
{
    const double slots = DeviceModel().smCount * 8.0;
    const auto time = [&](double count) {
        return timeOf(launchOf({blocks(count, 0, count - 1, 60'000)}, 1, 1));
    };
    QVERIFY(time(slots) == time(1));
    QVERIFY(time(slots + 1) > 1.8 * time(slots));
    // Of different blocks the second wave fills the gaps of the first.
    const auto mixed = [&](double count) {
        return timeOf(launchOf(
            {blocks(count / 2, 0, count - 1, 40'000), blocks(count / 2, 0, count - 1, 80'000)}, 1, 1));
    };
    QVERIFY(mixed(slots + 2) < 1.8 * mixed(slots));
}

QTEST_GUILESS_MAIN(CostModelTest)
#include "tst_cost_model.moc"
