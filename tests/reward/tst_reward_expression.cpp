// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "reward/reward.h"

#include <QTest>
#include <cmath>
#include <thread>

using namespace sparserl;

namespace {

double valueOf(const char* text, const RewardValues& values = {})
{
    const auto expression = RewardExpression::parse(text);
    if (!expression)
        qFatal("%s", expression.error().sentence().c_str());
    return expression->value(values);
}

VerdictRecord correctRecord(double microseconds)
{
    VerdictRecord record;
    record.verdict = Verdict::Correct;
    record.baselineMicroseconds = 12;
    record.defaultRoutineMicroseconds = 15;
    record.bestRoutineMicroseconds = 12;
    record.warm = Timing{microseconds, microseconds, microseconds, 5};
    record.shareOfLimit = 0.25;
    record.compulsoryBytes = 1000;
    record.setupMicroseconds = 7;
    record.staticShared = 40000;
    record.dynamicShared = 20000;
    record.registers = 40;
    record.occupancy = 0.75;
    return record;
}

} // namespace

class TestRewardExpression : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void values_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("expected");
        const auto row = [](const char* text, double expected) {
            QTest::newRow(text) << QByteArray(text) << expected;
        };
        row("1 + 2 * 3 ^ 2", 19);
        row("correct ? min(speedup, 3) : -1", 2.5);
        row("compiled && correct && speedup > 2 ? 4 : 5", 4);
        row("ln(exp(z)) - abs(-2)", -1);
        row("sqrt(t) + max(1, t_base)", 12);
        row("tokens / 100 - truncated", 2);
        row("1e9 * compiled", 1000); // no program outweighs all others
        row("-1e9 * compiled", -1000);
    }

    void values()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, expected);
        const RewardValues values{{"correct", 1}, {"compiled", 1}, {"speedup", 2.5}, {"z", 1},
                                  {"t", 4},       {"t_base", 10},  {"tokens", 200}};
        QCOMPARE(valueOf(text.constData(), values), expected);
    }

    void everyQuantityComesFromTheRecord()
    {
        VerdictRecord record = correctRecord(4);
        record.flags.add(VerdictFlag::Copied);
        MatrixRewardStats stats{0.1, 2, 5, 3.5};
        const RewardExtras extras{0.3, 0.6, 123, true};
        const std::map<std::string_view, double> expected{
            {"compiled", 1},
            {"correct", 1},
            {"wrong_result", 0},
            {"speedup", 3},
            {"z", (std::log(3.0) - 0.1) / 2},
            {"t", 4},
            {"t_base", 12},
            {"t_default", 15},
            {"t_best", 12},
            {"record", 3.5},
            {"share", 0.25},
            {"bytes", 1000},
            {"setup", 7},
            {"shared", 60000},
            {"over_shared", 1},
            {"registers", 40},
            {"occupancy", 0.75},
            {"copied", 1},
            {"tokens", 123},
            {"truncated", 1},
            {"syntax_match", 0.3},
            {"dataflow_match", 0.6},
        };
        QCOMPARE(rewardQuantities().size(), expected.size());
        for (const RewardQuantity& quantity : rewardQuantities()) {
            // Scaled, as rewards are clamped.
            const auto model = RewardModel::preset("expression", {}, std::string(quantity.name) + " / 1000");
            QVERIFY2(model.has_value(), quantity.name.data());
            const double got = 1000 * model->reward(record, &stats, extras).total;
            QVERIFY2(std::abs(got - expected.at(quantity.name)) < 1e-9, quantity.name.data());
            QCOMPARE(model->usesReference(), quantity.name.ends_with("_match"));
        }
        // Of a wrong program no time counts, even if it has one; of one that does not compile nothing does.
        record.verdict = Verdict::WrongResult;
        const auto timed =
            RewardModel::preset("expression", {},
                                "correct + speedup + z + t + t_base + t_default + t_best + share "
                                "+ setup");
        QCOMPARE(timed->reward(record, &stats, extras).total, 0.0);
        record.verdict = Verdict::CompileError;
        const auto built =
            RewardModel::preset("expression", {}, "compiled + shared + over_shared + registers + occupancy");
        QCOMPARE(built->reward(record, &stats, extras).total, 0.0);
        VerdictRecord suspicious = correctRecord(0.01);
        suspicious.flags.add(VerdictFlag::Suspicious);
        QCOMPARE(timed->reward(suspicious, &stats, extras).total, 0.0);
    }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QByteArray& text, const char* says) {
            QTest::newRow(name) << text << QByteArray(says);
        };
        row("empty", "", "is empty");
        row("spaces", " \n", "is empty");
        row("unknown name", "speed + 1", "speed");
        row("syntax", "1 + (2", "cannot be read");
        row("two values", "1, 2", "2 values");
        row("assignment", "z = 3", "cannot be read");
        row("text", "\"correct\"", "cannot be read");
        row("infinite", "1 / compiled", "no finite value for a program that does not compile");
        row("of wrong programs", "compiled - correct > 0 ? sqrt(-1) : 1",
            "a program that fails when it runs");
        row("of slow programs", "correct ? 1 / (speedup - 0.5) : 0", "half as fast");
        row("long", QByteArray("1").repeated(5000), "has 5000 bytes");
        row("deep", QByteArray("(").repeated(4000), "cannot be read");
        row("deep conditions", QByteArray("correct?").repeated(500) + "1", "cannot be read");
        row("bytes", QByteArray("\xff\xfe 1"), "cannot be read");
    }

    void refused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const auto expression = RewardExpression::parse(text.toStdString());
        QVERIFY(!expression.has_value());
        const std::string sentence = expression.error().sentence();
        QVERIFY2(sentence.find(says.constData()) != std::string::npos, sentence.c_str());
        QVERIFY(!expression.error().remedy.empty());
        QVERIFY(!RewardModel::preset("expression", {}, text.toStdString()).has_value());
    }

    void whatHasNoValueGetsTheLeast()
    {
        // Finite for the usual outcomes, not for this record.
        const auto model =
            RewardModel::preset("expression", {}, "correct ? ln(4000 - tokens) : compiled - 2");
        QVERIFY(model.has_value());
        QCOMPARE(model->reward(correctRecord(4), nullptr, {0, 0, 5000, false}).total, -2.0);
    }

    void orderOfOutcomes()
    {
        QVERIFY(RewardExpression::parse("compiled + correct + min(speedup, 3)")->orderWarning().empty());
        QVERIFY(RewardExpression::parse("correct")->orderWarning().empty());
        const auto slow = RewardExpression::parse("correct ? ln(speedup) : compiled - 1")->orderWarning();
        QVERIFY2(slow.find("50 times as slow") != std::string::npos, slow.c_str());
        const auto wrong = RewardExpression::parse("3 * correct - compiled")->orderWarning();
        QVERIFY2(wrong.find("does not compile 0") != std::string::npos, wrong.c_str());
        QVERIFY(RewardModel::preset("sparserl")->orderWarning().empty());
        QVERIFY(!RewardModel::preset("expression", {}, "-correct")->orderWarning().empty());
    }

    void sameAsThePreset()
    {
        const auto preset = RewardModel::preset("sparserl");
        const auto formula = RewardModel::preset("expression", {},
                                                 "(compiled ? 0.5 : -0.5) + (correct ? 0.5 : -0.5 * "
                                                 "compiled) + (z >= 0 ? z / 2 : 0.3 * z) - 0.3 * "
                                                 "over_shared");
        QVERIFY(formula.has_value());
        Rng rng(7);
        for (int i = 0; i < 2000; ++i) {
            VerdictRecord record = correctRecord(std::exp(rng.uniform() * 6 - 3));
            record.verdict = std::array{Verdict::Correct, Verdict::WrongResult, Verdict::CompileError,
                                        Verdict::Timeout}[rng.below(4)];
            record.staticShared = static_cast<std::int64_t>(rng.below(60000));
            const MatrixRewardStats stats{rng.uniform() - 0.5, rng.uniform(), static_cast<int>(rng.below(4)),
                                          2};
            const double a = preset->reward(record, &stats).total, b = formula->reward(record, &stats).total;
            QVERIFY2(std::abs(a - b) < 1e-12, std::to_string(b - a).c_str());
        }
        const std::vector samples{correctRecord(3), correctRecord(6)};
        QCOMPARE(formula->statistics(samples).mu, preset->statistics(samples).mu);
    }

    void threadsDoNotDisturbEachOther()
    {
        const auto expression = *RewardExpression::parse("correct ? speedup * tokens : 0");
        std::vector<std::jthread> threads;
        std::atomic<int> wrong = 0;
        for (int t = 1; t <= 4; ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 200; ++i)
                    if (expression.value({{"correct", 1}, {"speedup", t}, {"tokens", i}}) !=
                        std::min(1000.0, static_cast<double>(t) * i))
                        ++wrong;
            });
        threads.clear();
        QCOMPARE(wrong.load(), 0);
    }
};

QTEST_GUILESS_MAIN(TestRewardExpression)
#include "tst_reward_expression.moc"
