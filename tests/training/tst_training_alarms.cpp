// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/alarms.h"

#include <QtTest>

#include <limits>
#include <nlohmann/json.hpp>

using namespace sparserl;

namespace {

ParameterSet rl(std::initializer_list<const char*> changes = {})
{
    ParameterSet p(stageParameters(StageKind::Rl));
    for (const char* change : changes) {
        if (auto status = p.setAssignment(change); !status)
            qFatal("%s", status.error().sentence().c_str());
    }
    return p;
}

/// What a healthy iteration looks like, with one value changed.
Metrics healthy(MetricId changed = metric::reward, double value = 0.9)
{
    Metrics metrics{{metric::policyLoss, 0.02},
                    {metric::valueLoss, 0.1},
                    {metric::entropy, 0.2},
                    {metric::klSftK1, 0.1},
                    {metric::reward, 0.9},
                    {metric::compileRate, 0.9},
                    {metric::explainedVariance, 0.4},
                    {metric::actorGradNorm, 1.0},
                    {metric::rolloutFamilyEntropy, 1.2},
                    {metric::logProbDifference.part("mean"), 1e-5}};
    metrics[changed] = value;
    return metrics;
}

} // namespace

class TestTrainingAlarms : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aHealthyRunIsSilent()
    {
        const auto p = rl();
        Alarms alarms(p);
        for (int step = 1; step <= 30; ++step) {
            const auto report =
                alarms.observe("train", step, healthy(metric::entropy, 0.2 - 0.004 * step), step == 30);
            QVERIFY(report.warnings.empty() && !report.pause && !report.stop);
            QVERIFY(alarms.sound());
        }
    }
    void eachAlarmHasItsBound_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<double>("inside");
        QTest::addColumn<double>("outside");
        QTest::newRow("loss") << "alarm.loss"
                              << "actor/pg_loss" << 2.3 << -2.5; // 20 * (0.02 + 0.1) = 2.4
        QTest::newRow("critic") << "alarm.loss"
                                << "critic/vf_loss" << 3.9 << 4.1;
        QTest::newRow("gradient") << "alarm.gradient"
                                  << "actor/grad_norm" << 1e-9 << 0.0;
        QTest::newRow("entropy low") << "alarm.entropy_low"
                                     << "actor/entropy" << 0.0011 << 0.0009;
        QTest::newRow("entropy high") << "alarm.entropy_high"
                                      << "actor/entropy" << 0.89 << 0.91; // 4 * 0.2 + 0.1
        QTest::newRow("kl") << "alarm.kl"
                            << "kl/sft_k1" << 2.9 << 3.1;
        QTest::newRow("compile rate") << "alarm.compile_rate"
                                      << "kernel/compile_rate" << 0.1 << 0.08; // 0.1 * 0.9
        QTest::newRow("families") << "alarm.families"
                                  << "rollout/family_entropy" << 0.13 << 0.0;
        QTest::newRow("reward") << "alarm.reward"
                                << "reward" << 0.41 << 0.39;
        QTest::newRow("sampler") << "alarm.sampler"
                                 << "sampling/sampling_logp_difference/mean" << 0.04 << 0.06;
        QTest::newRow("explained variance") << "alarm.explained_variance"
                                            << "critic/vf_explained_var" << -0.9 << -1.1;
    }
    void eachAlarmHasItsBound()
    {
        QFETCH(QString, key);
        QFETCH(QString, metric);
        QFETCH(double, inside);
        QFETCH(double, outside);
        for (const char* action : {"off", "warn", "pause", "stop"}) {
            auto p = rl({"alarm.patience=2"});
            QVERIFY(p.setText(key.toStdString() + "_action", action));
            Alarms alarms(p);
            auto good = healthy(), bad = healthy(), edge = healthy();
            bad[metric.toStdString()] = outside;
            edge[metric.toStdString()] = inside;
            QVERIFY(alarms.observe("train", 1, good, false).warnings.empty());
            QVERIFY(alarms.observe("train", 2, edge, false).warnings.empty());
            Alarms fresh(p);
            fresh.observe("train", 1, good, false);
            const auto first = fresh.observe("train", 2, bad, false);
            QVERIFY(!first.pause && !first.stop); // patience
            const bool grave = std::string(action) == "pause" || std::string(action) == "stop";
            QCOMPARE(first.warnings.size(), std::size_t(grave ? 1 : 0));
            QCOMPARE(fresh.sound(), !grave);
            QCOMPARE(fresh.since().has_value(), grave);
            const auto second = fresh.observe("train", 3, bad, false);
            QCOMPARE(second.warnings.size(), std::size_t(std::string(action) == "warn" ? 1 : 0)); // told once
            for (const auto* report : {&first, &second})
                for (const auto& warning : report->warnings)
                    QVERIFY2(warning.find(key.toStdString()) != std::string::npos, warning.c_str());
            QCOMPARE(second.pause.has_value(), std::string(action) == "pause");
            QCOMPARE(second.stop.has_value(), std::string(action) == "stop");
            if (grave)
                QCOMPARE(*fresh.since(), std::int64_t(2));
            fresh.observe("train", 4, good, false);
            QVERIFY(fresh.sound());
        }
    }
    void theEndOfTheRunWaitsForNothing()
    {
        const auto p = rl();
        Alarms alarms(p);
        alarms.observe("held-out", 0, healthy(), false);
        QVERIFY(alarms.observe("held-out", 9, healthy(metric::compileRate, 0), true).stop);
    }
    /// Iterations that have nothing to learn from, from the first one on: nothing falls that was never there.
    void aRunWithoutASignalIsTold_data()
    {
        QTest::addColumn<QString>("metric");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("said");
        QTest::newRow("nothing compiles") << "kernel/compile_rate" << 0.0 << "no program compiles";
        QTest::newRow("equal rewards") << "frac_reward_zero_std" << 1.0 << "the same reward";
    }
    void aRunWithoutASignalIsTold()
    {
        QFETCH(QString, metric);
        QFETCH(double, value);
        QFETCH(QString, said);
        for (const char* action : {"off", "warn", "pause", "stop"}) {
            auto p = rl();
            QVERIFY(p.setText("alarm.silent_action", action));
            Alarms alarms(p);
            auto mute = healthy();
            mute[metric.toStdString()] = value;
            const std::string name = action;
            int told = 0;
            for (int step = 1; step <= 12; ++step) {
                const auto report = alarms.observe("train", step, mute, false);
                for (const auto& warning : report.warnings) {
                    QVERIFY2(warning.find(said.toStdString()) != std::string::npos, warning.c_str());
                    QCOMPARE(step, 10);
                    ++told;
                }
                QCOMPARE(report.pause.has_value(), name == "pause" && step >= 10);
                QCOMPARE(report.stop.has_value(), name == "stop" && step >= 10);
            }
            QCOMPARE(told, name == "off" ? 0 : 1);
            QCOMPARE(alarms.sound(), name == "off" || name == "warn");
            // The count goes on after a resume; one iteration with a signal ends it.
            Alarms again(p);
            again.restore(alarms.state());
            QCOMPARE(again.sound(), alarms.sound());
            again.observe("train", 13, healthy(), false);
            QVERIFY(again.sound());
            for (int step = 14; step < 23; ++step)
                QVERIFY(again.observe("train", step, mute, false).warnings.empty());
        }
    }
    /// One program of sixteen compiled at first, and none does later: chance.
    void oneProgramMoreOrLessIsChance()
    {
        const auto p = rl();
        Alarms alarms(p);
        alarms.observe("train", 1, healthy(metric::compileRate, 1.0 / 16), false);
        for (int step = 2; step < 9; ++step) {
            const auto report = alarms.observe("train", step, healthy(metric::compileRate, 0), false);
            QVERIFY(report.warnings.empty() && !report.stop);
        }
        Alarms several(p);
        several.observe("train", 1, healthy(metric::compileRate, 3.0 / 16), false);
        QVERIFY(!several.observe("train", 2, healthy(metric::compileRate, 0), false).warnings.empty());
    }
    void splitsHaveTheirOwnFirst()
    {
        const auto p = rl({"alarm.patience=1"});
        Alarms alarms(p);
        alarms.observe("train", 1, healthy(), false);
        // A policy that compiles nothing on matrices that it has never seen has not collapsed there.
        QVERIFY(!alarms.observe("held-out", 1, healthy(metric::compileRate, 0.2), false).stop);
        QVERIFY(!alarms.observe("held-out", 2, healthy(metric::compileRate, 0.05), false).stop);
        QVERIFY(alarms.observe("held-out", 3, healthy(metric::compileRate, 0.01), false).stop);
    }
    void whatIsNotFiniteEndsTheRun()
    {
        for (const double value :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            for (const MetricId metric :
                 {metric::policyLoss, metric::entropy, metric::klSftK1, metric::actorGradNorm}) {
                auto p = rl({"alarm.kl_action=off", "alarm.loss_action=off"});
                Alarms alarms(p);
                const auto report = alarms.observe("train", 4, healthy(metric, value), false);
                QVERIFY2(report.stop && report.stop->find("not finite at step 4") != std::string::npos,
                         std::string(metric.text).c_str());
            }
        }
    }
    void equalRewardsHaveNoGradient()
    {
        const auto p = rl({"alarm.patience=1"});
        Alarms alarms(p);
        auto still = healthy(metric::actorGradNorm, 0);
        still[metric::rewardZeroStd] = 1;
        QVERIFY(!alarms.observe("train", 1, still, false).stop);
        still[metric::rewardZeroStd] = 0.5;
        QVERIFY(alarms.observe("train", 2, still, false).stop);
    }
    void aFrozenPolicyHasNoCriticToComplainOf()
    {
        const auto p = rl({"alarm.patience=1", "alarm.explained_variance_action=stop"});
        Alarms alarms(p);
        auto pretraining = healthy(metric::explainedVariance, -40);
        pretraining.erase(std::string(metric::policyLoss.text));
        QVERIFY(!alarms.observe("train", 1, pretraining, false).stop);
    }
    void sftWatchesItsLoss()
    {
        const ParameterSet p(stageParameters(StageKind::Sft));
        Alarms alarms(p);
        for (int step = 1; step <= 50; ++step)
            QVERIFY(alarms.observe("train", step, {{metric::loss, 7.0 / step}}, false).warnings.empty());
        QCOMPARE(alarms.observe("train", 51, {{metric::loss, 900.0}}, false).warnings.size(), std::size_t(1));
        QVERIFY(!alarms.observe("train", 52, {{metric::loss, 800.0}}, false).stop);
        QVERIFY(alarms.observe("train", 53, {{metric::loss, 850.0}}, false).stop);
    }
    void aPolicyThatLearnsNothingIsTold()
    {
        const ParameterSet p(stageParameters(StageKind::Sft));
        Alarms alarms(p);
        std::vector<std::string> told;
        for (int step = 1; step <= 160; ++step) { // as with a hundred times the rate of quickstart-sft
            const auto report =
                alarms.observe("train", step, {{metric::loss, 2.4 + 0.1 * (step % 3)}}, step == 160);
            QVERIFY(!report.stop && !report.pause);
            QVERIFY(step > 100 || report.warnings.empty());
            told.insert(told.end(), report.warnings.begin(), report.warnings.end());
        }
        QCOMPARE(told.size(), std::size_t(1));
        QVERIFY2(told[0].find("above 2 (alarm.unlearned)") != std::string::npos, told[0].c_str());
        Alarms learns(p);
        for (int step = 1; step <= 160; ++step)
            QVERIFY(learns.observe("train", step, {{metric::loss, 7.0 / (1 + step / 20)}}, false)
                        .warnings.empty());
    }
    void stateGoesOnWhereItWas()
    {
        const auto p = rl({"alarm.kl_action=stop", "alarm.patience=3"});
        Alarms whole(p);
        for (int step = 1; step <= 4; ++step)
            whole.observe("train", step, healthy(metric::klSftK1, step > 2 ? 5 : 0.1), false);
        Alarms resumed(p);
        resumed.restore(nlohmann::json::parse(whole.state().dump()));
        QVERIFY(!resumed.sound());
        QCOMPARE(*resumed.since(), std::int64_t(3));
        QVERIFY(resumed.observe("train", 5, healthy(metric::klSftK1, 5), false).stop);
        QVERIFY(whole.observe("train", 5, healthy(metric::klSftK1, 5), false).stop);
        QCOMPARE(QString::fromStdString(whole.state().dump()),
                 QString::fromStdString(resumed.state().dump()));
        resumed.restore(nlohmann::json::array()); // of another version
        QVERIFY(resumed.sound());
    }
};

QTEST_GUILESS_MAIN(TestTrainingAlarms)
#include "tst_training_alarms.moc"
