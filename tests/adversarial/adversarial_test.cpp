// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "evaluation/audit/attacks.h"
#include "evaluation/judge/make_judge.h"
#include "reward/reward.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

using namespace sparserl;

/// Of each kind of attack one program that is drawn, and of all a drawn sixteenth, meet the judge as it works
/// in training, which looks for some faults by lot. A part of these meet the one of verdicts that count;
/// SPARSERL_TEST_SHARE=1 gives all to that. Each program got through once, so no kind is ever left out.
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
    using Records = std::map<std::size_t, VerdictRecord>; ///< By the place in m_attacks.
    /// Records of the attacks that are wanted, by one judge.
    Result<Records> judged(bool everyKind, const std::function<bool(std::size_t)>& wanted) const;

    std::vector<Attack> m_attacks;
    Records m_inTraining, m_counted;
};

Result<AdversarialTest::Records> AdversarialTest::judged(bool everyKind,
                                                         const std::function<bool(std::size_t)>& wanted) const
{
    std::vector<Attack> some;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < m_attacks.size(); ++i)
        if (wanted(i)) {
            some.push_back(m_attacks[i]);
            places.push_back(i);
        }
    JudgeOptions options;
    options.secretSeed = 3; // Others are tried by `sparserl device attack --judge-seed`.
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.everyKind = everyKind;
    SPARSERL_TRY(auto judge, makeSimulatorJudge(options));
    SPARSERL_TRY(auto records, judgeAttacks(*judge, some, 1));
    Records all;
    for (std::size_t i = 0; i < places.size(); ++i)
        all.emplace(places[i], std::move(records[i]));
    return all;
}

void AdversarialTest::initTestCase()
{
    // README.md of this folder says which attack each one is and what stops it.
    auto attacks = loadAttacks(SPARSERL_SOURCE_DIR "/tests/adversarial");
    QVERIFY2(attacks.has_value(), attacks ? "" : attacks.error().sentence().c_str());
    m_attacks = std::move(*attacks);
    const test::DrawnShare share(96);
    std::vector<std::pair<std::string, std::string>> kinds;
    for (const Attack& attack : m_attacks)
        kinds.emplace_back(attack.attack, attack.program);
    const std::set<std::string> ofEachKind = share.oneOfEach(kinds);
    QVERIFY(ofEachKind.size() > 80);
    const auto judgedOf = [&](bool everyKind, const test::DrawnShare& part) {
        std::set<std::string> drawn; // With what they must be judged after.
        for (const Attack& attack : m_attacks)
            if (part.has(attack.program) || (!everyKind && ofEachKind.contains(attack.program))) {
                drawn.insert(attack.program);
                drawn.insert(attack.after);
            }
        return judged(everyKind, [&](std::size_t i) { return drawn.contains(m_attacks[i].program); });
    };
    auto counted = judgedOf(true, share);
    QVERIFY2(counted.has_value(), counted ? "" : counted.error().sentence().c_str());
    m_counted = std::move(*counted);
    if (share.everything())
        return;
    auto inTraining = judgedOf(false, share.wider(6));
    QVERIFY2(inTraining.has_value(), inTraining ? "" : inTraining.error().sentence().c_str());
    QVERIFY(inTraining->size() >= ofEachKind.size());
    m_inTraining = std::move(*inTraining);
}

void AdversarialTest::attacked_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < m_attacks.size(); ++i)
        if (m_counted.contains(i) || m_inTraining.contains(i))
            QTest::newRow(m_attacks[i].program.c_str()) << static_cast<int>(i);
}

void AdversarialTest::attacked()
{
    QFETCH(int, index);
    const auto place = static_cast<std::size_t>(index);
    const Attack& attack = m_attacks.at(place);
    const auto check = [&](const VerdictRecord& record, bool counts) {
        qInfo("%s line %lld: %s", std::string(nameOf(record.verdict)).c_str(),
              static_cast<long long>(record.line), record.message.c_str());
        // In training some programs get through by lot; the verdict that counts is another.
        const auto wrong = complaint(attack, record);
        QVERIFY2(!wrong || (!counts && record.correct()), wrong ? wrong->c_str() : "");
        if (!record.correct())
            QVERIFY(!paidMoreThanWrong(record));
    };
    if (const auto found = m_inTraining.find(place); found != m_inTraining.end())
        check(found->second, false);
    if (const auto found = m_counted.find(place); found != m_counted.end())
        check(found->second, true);
}

/// What is correct is so, and takes as long, without everything else in the batch.
void AdversarialTest::correctOnesAreJudgedAsAlone()
{
    const bool counted = m_inTraining.empty();
    const Records& before = counted ? m_counted : m_inTraining;
    std::vector<std::size_t> correct;
    for (const auto& [place, record] : before)
        if (record.correct() && m_attacks[place].after.empty())
            correct.push_back(place);
    std::set<std::size_t> some;
    const std::size_t step = counted ? 3 : std::max<std::size_t>(1, correct.size() / 12);
    for (std::size_t i = 0; i < correct.size(); i += step)
        some.insert(correct[i]);
    QVERIFY(some.size() > 8);
    const auto records = judged(counted, [&](std::size_t i) { return some.contains(i); });
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    for (const auto& [place, record] : *records) {
        const std::string& program = m_attacks[place].program;
        QVERIFY2(record.correct(), (program + ": " + record.message).c_str());
        QVERIFY2(record.warm->median == before.at(place).warm->median, program.c_str());
        QVERIFY2(record.flags == before.at(place).flags, program.c_str());
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
