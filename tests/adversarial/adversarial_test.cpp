// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "evaluation/audit/attacks.h"
#include "evaluation/judge/make_judge.h"
#include "reward/reward.h"

#include <QTest>
#include <memory>
#include <set>

using namespace sparserl;

class AdversarialTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void attacked_data();
    void attacked();
    void correctOnesAreJudgedAsAlone();
    void everyRowIsTried();
    void everyProgramIsListed();

private:
    JudgeOptions m_options;
    std::vector<Attack> m_attacks;
    std::vector<VerdictRecord> m_records;
};

void AdversarialTest::initTestCase()
{
    // README.md of this folder says which attack each one is and what stops it.
    auto attacks = loadAttacks(SPARSERL_SOURCE_DIR "/tests/adversarial");
    QVERIFY2(attacks.has_value(), attacks ? "" : attacks.error().sentence().c_str());
    m_attacks = std::move(*attacks);
    m_options.secretSeed = 3; // Others are tried by `sparserl device attack --judge-seed`.
    m_options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    auto judge = makeSimulatorJudge(m_options);
    QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
    auto records = judgeAttacks(**judge, m_attacks, 1);
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    m_records = std::move(*records);
}

void AdversarialTest::attacked_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < m_attacks.size(); ++i)
        QTest::newRow(m_attacks[i].program.c_str()) << static_cast<int>(i);
}

void AdversarialTest::attacked()
{
    QFETCH(int, index);
    const Attack& attack = m_attacks.at(static_cast<std::size_t>(index));
    const VerdictRecord& record = m_records.at(static_cast<std::size_t>(index));
    const std::string told =
        std::string(nameOf(record.verdict)) + " line " + std::to_string(record.line) + ": " + record.message;
    qInfo("%s", told.c_str());
    const auto wrong = complaint(attack, record);
    QVERIFY2(!wrong, wrong ? wrong->c_str() : "");
    if (!record.correct())
        QVERIFY(!paidMoreThanWrong(record));
}

/// What is correct is so, and takes as long, without everything else in the batch.
void AdversarialTest::correctOnesAreJudgedAsAlone()
{
    std::vector<Attack> some;
    std::vector<const VerdictRecord*> before;
    for (std::size_t i = 0; i < m_attacks.size(); ++i)
        if (m_records[i].correct() && m_attacks[i].after.empty() && i % 3 == 0) {
            some.push_back(m_attacks[i]);
            before.push_back(&m_records[i]);
        }
    QVERIFY(some.size() > 20);
    auto judge = makeSimulatorJudge(m_options);
    QVERIFY(judge.has_value());
    const auto records = judgeAttacks(**judge, some, 1);
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    for (std::size_t i = 0; i < some.size(); ++i) {
        const VerdictRecord& record = (*records)[i];
        QVERIFY2(record.correct(), (some[i].program + ": " + record.message).c_str());
        QVERIFY2(record.warm->median == before[i]->warm->median, some[i].program.c_str());
        QVERIFY2(record.flags == before[i]->flags, some[i].program.c_str());
    }
}

/// Every kind of attack that a program can try is here; the others are tested elsewhere (README.md).
void AdversarialTest::everyRowIsTried()
{
    std::set<int> rows;
    for (const auto& attack : m_attacks)
        rows.insert(attack.rows.begin(), attack.rows.end());
    for (int row = 1; row <= 33; ++row)
        if (row != 20 && row != 21 && row != 28 && row != 33) // Baselines, noise, the simulator itself.
            QVERIFY2(rows.contains(row), std::to_string(row).c_str());
}

void AdversarialTest::everyProgramIsListed()
{
    const auto readme = readFile(SPARSERL_SOURCE_DIR "/tests/adversarial/README.md");
    QVERIFY(readme.has_value());
    for (const auto& attack : m_attacks)
        QVERIFY2(readme->find("`" + attack.program + "`") != std::string::npos, attack.program.c_str());
}

QTEST_GUILESS_MAIN(AdversarialTest)
#include "adversarial_test.moc"
