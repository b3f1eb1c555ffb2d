// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "reward/reward.h"

#include <QTest>
#include <cmath>

using namespace sparserl;

namespace {

VerdictRecord record(Verdict verdict, double speedup = 0, std::int64_t shared = 0)
{
    VerdictRecord r;
    r.verdict = verdict;
    r.staticShared = shared;
    if (speedup > 0) {
        r.baselineMicroseconds = 10;
        r.warm = Timing{10 / speedup, 10 / speedup, 10 / speedup, 1};
    }
    return r;
}

/// The preset `sparserl` as a formula of the user.
constexpr const char* asExpression =
    "compiled - 0.5 + (correct ? 0.5 + (z >= 0 ? z / 2 : 0.3 * z) : compiled * -0.5) - 0.3 * over_shared";

RewardModel model(const char* name)
{
    return *RewardModel::preset(name, {}, std::string_view(name) == "expression" ? asExpression : "");
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

} // namespace

class RewardTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void names();
    void orderHoldsForEveryTime_data();
    void orderHoldsForEveryTime();
    void orderHoldsForEveryWeight();
    void weightVectors();
    void sparserlVectors();
    void sparserlIsMonotone();
    void literalVectors();
    void discretePresets();
    void milestoneBars();
    void milestoneBarsOfTheLibrary();
    void hierarchicalClasses();
    void ppocoderMatches();
    void statistics();
    void suspiciousIsNotRewarded();
    void missingTimes();
    void overlongPenaltyVectors();
};

void RewardTest::names()
{
    QCOMPARE(RewardModel::presets().size(), std::size_t(8));
    for (const auto& preset : RewardModel::presets()) {
        QCOMPARE(RewardModel::preset(preset.name).has_value(), preset.name != "expression");
        QCOMPARE(RewardModel::preset(preset.name, {}, "correct").has_value(), preset.name == "expression");
        QVERIFY(!preset.formula.empty() && !preset.source.empty());
    }
    const auto unknown = RewardModel::preset("best");
    QVERIFY(!unknown.has_value());
    QVERIFY(unknown.error().remedy.find("hierarchical") != std::string::npos);
}

void RewardTest::orderHoldsForEveryTime_data()
{
    QTest::addColumn<QByteArray>("name");
    for (const auto& preset : RewardModel::presets())
        QTest::newRow(preset.name.c_str()) << QByteArray::fromStdString(preset.name);
}

/// docs/rl.md 1, trap 1: correct >= compiled >= not compiled whatever the time, the statistics and the shared
/// memory.
void checkOrder(const RewardModel& reward, const QByteArray& name)
{
    const bool strict = name == "sparserl";
    Rng rng(17);
    const Verdict refused[] = {Verdict::PlanError,    Verdict::StoppedEarly,  Verdict::MachineError,
                               Verdict::CompileError, Verdict::AssembleError, Verdict::Rejected};
    const Verdict wrong[] = {Verdict::LaunchError, Verdict::OutOfBounds, Verdict::Uninitialised,
                             Verdict::Race,        Verdict::SyncError,   Verdict::Timeout,
                             Verdict::WrongResult, Verdict::FormatError};
    for (int i = 0; i < 20000; ++i) {
        const double speedup = std::exp(rng.uniform(-14, 14));
        MatrixRewardStats stats;
        stats.n = static_cast<int>(rng.below(4)) * 3;
        stats.mu = rng.uniform(-5, 5);
        stats.sigma = rng.chance(0.2) ? 0 : std::exp(rng.uniform(-10, 3));
        stats.bestSpeedup = rng.chance(0.3) ? 0 : std::exp(rng.uniform(-2, 2));
        const MatrixRewardStats* given = rng.chance(0.2) ? nullptr : &stats;
        const bool library = rng.chance(0.5);
        const auto shared = [&] { return rng.chance(0.5) ? 0 : 100'000; };
        const RewardExtras extras{rng.uniform(), rng.uniform()}, others{rng.uniform(), rng.uniform()};
        VerdictRecord correct = record(Verdict::Correct, speedup, shared());
        if (library) {
            correct.defaultRoutineMicroseconds = 10 * std::exp(rng.uniform(0, 1));
            correct.bestRoutineMicroseconds = 10 * std::exp(rng.uniform(-1, 0));
        }
        const double right = reward.reward(correct, given, extras).total;
        const double bad = reward.reward(record(wrong[rng.below(8)], 0, shared()), given, others).total;
        const double none = reward.reward(record(refused[rng.below(5)], 0, shared()), given).total;
        QVERIFY(std::isfinite(right) && std::isfinite(bad) && std::isfinite(none));
        if (strict) {
            QVERIFY2(right >= bad + 0.1 - 1e-12, qPrintable(QString::number(right)));
            QVERIFY(bad >= none + 0.05 - 1e-12);
        } else {
            QVERIFY2(right >= bad, qPrintable(QStringLiteral("%1 < %2").arg(right).arg(bad)));
            QVERIFY(bad >= none);
        }
    }
}

void RewardTest::orderHoldsForEveryTime()
{
    QFETCH(QByteArray, name);
    checkOrder(model(name.constData()), name);
}

void RewardTest::orderHoldsForEveryWeight()
{
    for (const char* name : {"sparserl", "sparserl-literal"})
        for (const double efficiency : {0.0, 0.5, 1.5, 10.0})
            for (const double penalty : {0.0, 0.1, 0.5})
                for (const double alpha : {0.0, 0.1, 0.9, 1.0}) {
                    const bool literal = QByteArray(name) == "sparserl-literal";
                    const auto reward =
                        RewardModel::preset(name, {efficiency, penalty, literal ? alpha : 0.5});
                    QVERIFY(reward);
                    checkOrder(*reward, name);
                    if (QTest::currentTestFailed())
                        return;
                }
}

/// A.4: what the weights of Tables 4 and 5 and of A.4.3 do, by hand.
void RewardTest::weightVectors()
{
    const MatrixRewardStats stats{0.5, 0.5, 10, 2};
    const auto total = [&](const char* name, RewardWeights weights, const VerdictRecord& r) {
        return RewardModel::preset(name, weights)->reward(r, &stats).total;
    };
    const auto fast = record(Verdict::Correct, 2), heavy = record(Verdict::Correct, 2, 60000);
    QVERIFY(near(total("sparserl-literal", {1.5, 0.3, 0.5}, fast), 0.5 + 0.5 * 1.5));
    QVERIFY(near(total("sparserl-literal", {1, 0.1, 0.5}, heavy), 0.9));
    QVERIFY(near(total("sparserl-literal", {1, 0.3, 0.9}, fast), 0.9 + 0.1));
    QVERIFY(near(total("sparserl-literal", {1, 0.3, 0.1}, record(Verdict::CompileError)), -0.05));
    QVERIFY(near(total("sparserl", {0, 0.3, 0.5}, fast), 1.0));
    const double z = (std::log(1.8) - 0.5) / 0.5;
    QVERIFY(near(total("sparserl", {0.5, 0.3, 0.5}, record(Verdict::Correct, 1.8)), 1 + 0.25 * z));
    QVERIFY(near(total("sparserl", {1, 0.5, 0.5}, record(Verdict::Correct, 1e-6, 60000)), 0.1));
    QVERIFY(near(total("sparserl", {1, 0.5, 0.5}, record(Verdict::WrongResult, 0, 60000)), -0.45));
    QVERIFY(!RewardModel::preset("coderl", {0.5, 0.3, 0.5}));
    QVERIFY(!RewardModel::preset("sparserl", {1, 0.3, 0.9}));
    QVERIFY(!RewardModel::preset("sparserl", {1, 0.6, 0.5}));
    QVERIFY(!RewardModel::preset("sparserl-literal", {std::nan(""), 0.3, 0.5}));
}

void RewardTest::sparserlVectors()
{
    const RewardModel reward = model("sparserl");
    const MatrixRewardStats stats{0.1, 0.4, 10, 2};
    const auto total = [&](const VerdictRecord& r) { return reward.reward(r, &stats).total; };
    QVERIFY(near(total(record(Verdict::CompileError)), -0.5));
    QVERIFY(near(total(record(Verdict::WrongResult)), 0.0));
    QVERIFY(near(total(record(Verdict::WrongResult, 0, 49153)), -0.3));
    QVERIFY(near(total(record(Verdict::WrongResult, 0, 49152)), 0.0)); // 48 KiB is the limit, not above it.
    // z = (ln s - 0.1) / 0.4: s = e^0.5 gives z = 1, s = e^-0.3 gives z = -1.
    QVERIFY(near(total(record(Verdict::Correct, std::exp(0.5))), 1.5));
    QVERIFY(near(total(record(Verdict::Correct, std::exp(-0.3))), 0.7));
    QVERIFY(near(total(record(Verdict::Correct, 1e6)), 2.0));
    QVERIFY(near(total(record(Verdict::Correct, 1e-6)), 0.4));
    QVERIFY(near(total(record(Verdict::Correct, 1e-6, 60000)), 0.1));
    const auto parts = reward.reward(record(Verdict::Correct, std::exp(0.5), 60000), &stats);
    QVERIFY(near(parts.compile, 0.5) && near(parts.test, 0.5) && near(parts.efficiency, 0.5) &&
            near(parts.memory, -0.3));
    QVERIFY(near(parts.total, 1.2) && near(parts.plan, 1.2) && near(parts.code, 1.2));
    // Without statistics: mean 0, one unit is 0.5 in the logarithm.
    QVERIFY(near(reward.reward(record(Verdict::Correct, std::exp(0.25))).total, 1.25));
    // A deviation of nothing is taken as 5 %, not as infinite precision.
    const MatrixRewardStats flat{0, 0, 10, 1};
    QVERIFY(near(reward.reward(record(Verdict::Correct, std::exp(0.05)), &flat).total, 1.5));
}

void RewardTest::sparserlIsMonotone()
{
    const RewardModel reward = model("sparserl");
    const MatrixRewardStats stats{0.2, 0.5, 20, 2};
    double last = -1;
    for (double log = -0.79; log < 1.19; log += 0.01) {
        const double total = reward.reward(record(Verdict::Correct, std::exp(log)), &stats).total;
        QVERIFY(total > last);
        last = total;
    }
}

void RewardTest::literalVectors()
{
    const RewardModel reward = model("sparserl-literal");
    const MatrixRewardStats stats{0.5, 0.5, 10, 2};
    const auto total = [&](const VerdictRecord& r, const MatrixRewardStats* s) {
        return reward.reward(r, s).total;
    };
    QVERIFY(near(total(record(Verdict::CompileError), &stats), -0.25)); // 0.5 * -0.5
    QVERIFY(near(total(record(Verdict::WrongResult), &stats), 0.0));
    QVERIFY(near(total(record(Verdict::Correct, 2), &stats), 1.0));  // z = 1: 0.5 + 0.5
    QVERIFY(near(total(record(Verdict::Correct, 10), &stats), 1.5)); // z = 2, truncated
    QVERIFY(near(total(record(Verdict::Correct, 2, 60000), &stats), 0.7));
    QVERIFY(
        near(total(record(Verdict::Correct, 0.01), &stats), 0.0)); // -0.49 as printed, raised to the floor
    QVERIFY(near(total(record(Verdict::WrongResult, 0, 60000), &stats), -0.25));
    QVERIFY(near(total(record(Verdict::Correct, 1.5), nullptr), 0.75)); // 0.5 + 0.5 * (1.5 - 1)
}

void RewardTest::discretePresets()
{
    const RewardModel coderl = model("coderl"), rft = model("rft-kernelbench");
    QVERIFY(near(coderl.reward(record(Verdict::CompileError)).total, -1));
    QVERIFY(near(coderl.reward(record(Verdict::Race)).total, -0.6));
    QVERIFY(near(coderl.reward(record(Verdict::WrongResult)).total, -0.3));
    QVERIFY(near(coderl.reward(record(Verdict::Correct, 0.1)).total, 1));
    QVERIFY(near(rft.reward(record(Verdict::Rejected)).total, 0));
    QVERIFY(near(rft.reward(record(Verdict::Timeout)).total, 0.5));
    QVERIFY(near(rft.reward(record(Verdict::Correct, 1)).total, 2.0));
    QVERIFY(near(rft.reward(record(Verdict::Correct, 2)).total, 2.5));
    QVERIFY(near(rft.reward(record(Verdict::Correct, 50)).total, 3.0)); // min(t0/t, 3)
}

void RewardTest::milestoneBars()
{
    const RewardModel reward = model("milestone");
    const MatrixRewardStats stats{0, 1, 5, 2};
    const auto total = [&](double speedup) {
        return reward.reward(record(Verdict::Correct, speedup), &stats).total;
    };
    QVERIFY(near(reward.reward(record(Verdict::WrongResult), &stats).total, -1));
    QVERIFY(near(reward.reward(record(Verdict::CompileError), &stats).total, -1));
    // (t0 - t)/t0 > 5 %: t0/t > 1/0.95 = 1.0526.
    QVERIFY(near(total(1.05), 1) && near(total(1.06), 2));
    QVERIFY(near(total(2.10), 2) && near(total(2.11), 3));
    QVERIFY(near(reward.reward(record(Verdict::Correct, 50)).total, 2)); // No second bar known.
}

/// On a GPU the bars are cuSPARSE's DEFAULT (eager) and its best routine (compile), whichever the baseline.
void RewardTest::milestoneBarsOfTheLibrary()
{
    const RewardModel reward = model("milestone");
    const MatrixRewardStats stats{0, 1, 5, 50}; // Not asked: a library was timed.
    for (const double baseline : {8.0, 10.0}) {
        const auto total = [&](double microseconds) {
            VerdictRecord r = record(Verdict::Correct);
            r.baselineMicroseconds = baseline;
            r.defaultRoutineMicroseconds = 10;
            r.bestRoutineMicroseconds = 8;
            r.warm = Timing{microseconds, microseconds, microseconds, 1};
            return reward.reward(r, &stats).total;
        };
        QVERIFY(near(total(9.51), 1)); // (10 - 9.51) / 10 is less than 5 %
        QVERIFY(near(total(9.49), 2));
        QVERIFY(near(total(7.61), 2));
        QVERIFY(near(total(7.59), 3));
    }
}

void RewardTest::overlongPenaltyVectors()
{
    // DAPO eq. 13 with a buffer of 50 before 250 tokens.
    QVERIFY(near(overlongPenalty(1, 250, 50, 1), 0));
    QVERIFY(near(overlongPenalty(200, 250, 50, 1), 0));
    QVERIFY(near(overlongPenalty(225, 250, 50, 1), -0.5));
    QVERIFY(near(overlongPenalty(250, 250, 50, 1), -1));
    QVERIFY(near(overlongPenalty(240, 250, 50, 0.5), -0.4));
    QVERIFY(near(overlongPenalty(250, 250, 0, 1), 0)); // Off.
}

void RewardTest::hierarchicalClasses()
{
    const RewardModel reward = model("hierarchical");
    const auto right = reward.reward(record(Verdict::Correct, 2.5));
    QVERIFY(near(right.plan, 2.5) && near(right.code, 1) && near(right.total, 1.25));
    const auto wrong = reward.reward(record(Verdict::WrongResult));
    QVERIFY(near(wrong.plan, 0) && near(wrong.code, 0) && near(wrong.total, 0));
}

void RewardTest::ppocoderMatches()
{
    const RewardModel reward = model("ppocoder");
    QVERIFY(near(reward.reward(record(Verdict::WrongResult), nullptr, {1, 1}).total, -0.01));
    QVERIFY(near(reward.reward(record(Verdict::CompileError), nullptr, {0.5, 0}).total, -0.9275));
    QVERIFY(near(reward.reward(record(Verdict::Correct, 1)).total, 1));
    QVERIFY(near(reward.reward(record(Verdict::Correct, 1), nullptr, {7, -3}).total,
                 1.145)); // Clamped to [0, 1].
}

void RewardTest::statistics()
{
    std::vector<VerdictRecord> samples{record(Verdict::Correct, std::exp(0.2)), record(Verdict::WrongResult),
                                       record(Verdict::Correct, std::exp(0.6)),
                                       record(Verdict::CompileError)};
    const auto log = model("sparserl").statistics(samples);
    QCOMPARE(log.n, 2);
    QVERIFY(near(log.mu, 0.4));
    QVERIFY(near(log.sigma, std::sqrt(0.08))); // ((0.2)^2 + (0.2)^2) / 1
    QVERIFY(near(log.bestSpeedup, std::exp(0.6)));
    samples = {record(Verdict::Correct, 1), record(Verdict::Correct, 2), record(Verdict::Correct, 6)};
    const auto plain = model("sparserl-literal").statistics(samples);
    QVERIFY(near(plain.mu, 2) && near(plain.sigma, std::sqrt(7.0)));
    QCOMPARE(model("sparserl").statistics({}).n, 0);
    samples.resize(1);
    QVERIFY(near(model("sparserl").statistics(samples).sigma, 0));
}

void RewardTest::suspiciousIsNotRewarded()
{
    for (const auto& preset : RewardModel::presets()) {
        const auto reward = model(preset.name.c_str());
        VerdictRecord cheat = record(Verdict::Correct, 100);
        cheat.flags = {VerdictFlag::Suspicious};
        QVERIFY(reward.reward(cheat).total <= reward.reward(record(Verdict::WrongResult)).total);
        QCOMPARE(reward.statistics(std::vector{cheat}).n, 0);
        cheat.flags = {VerdictFlag::SlowerThanBaseline, VerdictFlag::Nondeterministic};
        QVERIFY(reward.reward(cheat).total > reward.reward(record(Verdict::WrongResult)).total);
    }
}

void RewardTest::missingTimes()
{
    // A task without a reference program has no baseline: the efficiency says nothing.
    VerdictRecord untimed = record(Verdict::Correct);
    untimed.warm = Timing{5, 5, 5, 1};
    QVERIFY(near(model("sparserl").reward(untimed).total, 1));
    QVERIFY(near(model("sparserl-literal").reward(untimed).total, 0.5));
    const MatrixRewardStats stats{0.4, 0.2, 9, 2};
    QVERIFY(near(model("sparserl").reward(untimed, &stats).total, 1));
}

QTEST_GUILESS_MAIN(RewardTest)
#include "reward_test.moc"
