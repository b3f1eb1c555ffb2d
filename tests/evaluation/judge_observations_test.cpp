// SPDX-License-Identifier: Apache-2.0
// Whether anything that a program can read on the simulated device tells tests from the target: a small
// sample with fixed secrets, of a drawn eighth of what can be read and of each kind, and the two controls, of
// which one that is drawn must be found. SPARSERL_TEST_SHARE=1: all of it, and twice as many secrets.
#include "evaluation/audit/judge_observations.h"
#include "kernel/plan.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace sparserl;

class TestJudgeObservations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyObservableIsAProgram()
    {
        for (const JudgeObservable& one : judgeObservables()) {
            const auto program = parseProgram(judgedProgram(one));
            QVERIFY2(program.has_value(), std::string(one.name).c_str());
        }
    }

    void testsAreLikeTheTarget()
    {
        const int judges = m_share.everything() ? 24 : 12;
        std::size_t count = 0;
        for (const JudgeObservable& one : judgeObservables())
            count += isDrawn(one.name) ? 1 : 0;
        const auto found = observe(judges, {}, JudgeObservationOptions::Control::None);
        QVERIFY2(found.has_value(), found ? "" : found.error().sentence().c_str());
        QCOMPARE(found->rows.size(), count);
        QVERIFY(count > 3);
        for (const JudgeObservationRow& row : found->rows)
            QVERIFY2(!stands(row, 1e-3),
                     (std::string(row.observable.name) + " " + row.verdict + row.difference.feature).c_str());
        QVERIFY(found->designs.size() > 8);
        for (const JudgeDesign& design : found->designs)
            QVERIFY2(!stands(design), design.name.c_str());
    }

    void controlsAreFound_data()
    {
        QTest::addColumn<int>("control");
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("signs") << static_cast<int>(JudgeObservationOptions::Control::Signs)
                               << QByteArray("signs at the end of x");
        QTest::newRow("mark") << static_cast<int>(JudgeObservationOptions::Control::Mark)
                              << QByteArray("zeroed scratch");
    }
    void controlsAreFound()
    {
        QFETCH(int, control);
        QFETCH(QByteArray, name);
        if (!m_share.everything() && m_share.has("signs") != (name == "signs at the end of x"))
            QSKIP("the other control is drawn");
        const auto found =
            observe(32, name.toStdString(), static_cast<JudgeObservationOptions::Control>(control));
        QVERIFY2(found.has_value(), found ? "" : found.error().sentence().c_str());
        QCOMPARE(found->rows.size(), std::size_t(1));
        QVERIFY2(found->rows.front().difference.p < 1e-3,
                 qPrintable(QString::number(found->rows.front().difference.p)));
        QVERIFY(stands(found->rows.front(), 1e-3));
    }

private:
    Result<JudgeObservations> observe(int judges, const std::string& only,
                                      JudgeObservationOptions::Control control) const
    {
        JudgeObservationOptions options;
        options.judges = judges;
        options.seed = 5;
        options.only = only;
        if (only.empty())
            options.wanted = [this](std::string_view name) { return isDrawn(name); };
        options.control = control;
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        return observeJudges(options);
    }

    bool isDrawn(std::string_view name) const
    {
        return m_share.has(name) || m_ofEach.contains(std::string(name));
    }

    /// Of what is read in another way, by other threads, of another task or against the rules, one each.
    std::set<std::string> ofEachKind() const
    {
        std::vector<std::pair<std::string, std::string>> all;
        for (const JudgeObservable& one : judgeObservables())
            all.emplace_back(std::to_string(static_cast<int>(one.by)) + (one.spmm ? " spmm" : "") +
                                 (one.allowed ? " allowed " : " ") + std::string(one.refusal),
                             one.name);
        return m_share.oneOfEach(all);
    }

    const test::DrawnShare m_share{8};
    const std::set<std::string> m_ofEach = ofEachKind();
};

QTEST_GUILESS_MAIN(TestJudgeObservations)
#include "judge_observations_test.moc"
