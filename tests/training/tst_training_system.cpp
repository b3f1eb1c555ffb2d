// SPDX-License-Identifier: Apache-2.0
// When a run says what it takes of its machine, and how that is called.
#include "project/run/metrics.h"
#include "tests/patience.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/system_watch.h"

#include <QtTest>

using namespace sparserl;

namespace {

constexpr double gib = 1 << 30;

SystemUse someUse()
{
    SystemUse use;
    use.seconds = 10;
    use.samples = 10;
    use.cores = 2.5;
    use.readPerSecond = 3.0 * (1 << 20);
    use.writtenPerSecond = 0.5 * (1 << 20);
    use.processes.ownBytes = std::int64_t(2) << 30;
    use.processes.descendantBytes = std::int64_t(1) << 29;
    use.freeBytes = std::int64_t(7) << 30;
    use.diskFreeBytes = std::int64_t(70) << 30;
    use.gpus = {{87, 41 * gib, 139 * gib, 412.25, 64, 1980}, {}, {std::nullopt, 3 * gib, 139 * gib}};
    return use;
}

/// Asks until there is something: the first sample takes a moment.
std::optional<Metrics> soon(SystemWatch& watch, std::int64_t step, double every, bool end = false)
{
    std::optional<Metrics> said;
    test::comesTrue([&] {
        said = watch.due(step, every, end);
        return said.has_value();
    });
    return said;
}

} // namespace

class TestTrainingSystem : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void unitsAreWhatIsDeclared()
    {
        const Metrics expected = {
            {"system/cpu", 2.5},
            {"system/memory/worker", 2},
            {"system/memory/runners", 0.5},
            {"system/disk/read", 3},
            {"system/disk/written", 0.5},
            {"system/free_memory", 7},
            {"system/free_disk", 70},
            {"system/gpu_utilisation/0", 87},
            {"system/gpu_memory/0", 41},
            {"system/gpu_memory_total/0", 139},
            {"system/gpu_power/0", 412.25},
            {"system/gpu_temperature/0", 64},
            {"system/gpu_sm_clock/0", 1980},
            {"system/gpu_memory/2", 3}, // the one in between fails, and keeps its number
            {"system/gpu_memory_total/2", 139},
        };
        QCOMPARE(systemMetrics(someUse()), expected);
        for (const auto& [name, value] : expected) {
            const MetricDescription* description = findMetric(name);
            QVERIFY2(description, name.c_str());
            QCOMPARE(description->panel, std::string_view("System"));
            QVERIFY(!description->unit.empty());
            QVERIFY(description->better == MetricDescription::Better::Neither);
        }
        QCOMPARE(findMetric("system/gpu_power/0")->unit, std::string_view("W"));
        QVERIFY(systemMetrics({}).empty()); // nothing known, nothing said
    }

    void otherProcessesCount()
    {
        ProcessUsage before, now;
        before.cpuSeconds = 100;
        before.readBytes = 5 << 20;
        now.cpuSeconds = 115;
        now.ownBytes = std::int64_t(3) << 30;
        now.readBytes = 15 << 20;
        const auto metrics = systemMetrics(someUse(), now, before);
        QCOMPARE(metrics.at("system/cpu"), 2.5 + 1.5);
        QCOMPARE(metrics.at("system/memory/worker"), 5.0);
        QCOMPARE(metrics.at("system/memory/runners"), 0.5);
        QCOMPARE(metrics.at("system/disk/read"), 4.0);
        QCOMPARE(metrics.at("system/gpu_power/0"), 412.25); // of the machine, not of a process
        now.cpuSeconds = 50;                                // one of them lost a child
        QCOMPARE(systemMetrics(someUse(), now, before).at("system/cpu"), 2.5);
    }

    void saidOnceAStepAndNotTooOften()
    {
        SystemWatch watch({}, true);
        watch.begin(-1, 3600);
        QVERIFY(!watch.due(0, 3600, false));          // an hour is not over
        const auto last = soon(watch, 1, 3600, true); // the end is said in any case
        QVERIFY(last.has_value());
        QVERIFY(last->at("system/memory/worker") > 0);
        QVERIFY(!watch.due(1, 3600, true)); // one point a step
        const auto next = soon(watch, 2, 0.001);
        QVERIFY(next.has_value());
        QVERIFY(next->at("system/cpu") >= 0);
        QVERIFY(!watch.due(3, 0, true));     // switched off while the run goes on
        QVERIFY(!watch.due(3, 3600, false)); // and on again: from now
        QVERIFY(soon(watch, 4, 1e-9).has_value());
    }

    void aResumedRunDoesNotSayItTwice()
    {
        SystemWatch watch({}, true);
        watch.begin(5, 1e-9);
        QTest::qSleep(50);
        QVERIFY(!watch.due(5, 1e-9, true));
        QVERIFY(soon(watch, 6, 1e-9).has_value());
    }

    void onlyTheLeaderSaysIt()
    {
        SystemWatch other({}, false), leader({}, true);
        other.begin(-1, 1e-9);
        leader.begin(-1, 1e-9);
        QVERIFY(!other.due(0, 1e-9, true));
        QVERIFY(other.tell(0).empty());
        QVERIFY(leader.tell(5).empty());
        const std::string told = other.tell(5);
        QVERIFY(!told.empty());
        QCOMPARE(other.tell(5), told); // looked up once a second
        const auto alone = soon(leader, 0, 1e-9);
        QVERIFY(alone.has_value());
        leader.hear(std::vector<std::string>{"", told, told});
        const auto together = leader.due(1, 1e-9, false);
        QVERIFY(together.has_value());
        // Each of the two is this very process.
        const double ratio = together->at("system/memory/worker") / alone->at("system/memory/worker");
        QVERIFY2(ratio > 2.5 && ratio < 3.5, qPrintable(QString::number(ratio)));
        QVERIFY(together->at("system/cpu") < 64); // what they did before the leader asked is not counted
    }

    void everyStageHasTheParameter()
    {
        for (const StageKind kind : stageKinds()) {
            const ParameterSpec* spec = stageParameters(kind).find("system.every");
            QVERIFY(spec);
            QCOMPARE(spec->defaultValue, ParameterValue(5.0));
            QCOMPARE(spec->sourceText, std::string("ours"));
            QVERIFY(spec->effect == ParameterEffect::NextIteration);
            QVERIFY(!spec->helpText.empty());
            QVERIFY(!spec->check(ParameterValue(-1.0)));
            QVERIFY(spec->check(ParameterValue(0.0)).has_value());
        }
    }
};

QTEST_GUILESS_MAIN(TestTrainingSystem)
#include "tst_training_system.moc"
