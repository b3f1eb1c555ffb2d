// SPDX-License-Identifier: Apache-2.0
// Programs of the families for operators are right on the simulated device, at every choice of parameters.
#include "corpus/operators/operator_families.h"
#include "evaluation/cases/operator_target.h"
#include "evaluation/judge.h"
#include "tests/evaluation/simulator_judge.h"

#include <QTest>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace sparserl;

namespace {

/// The graph and another size of it.
OperatorTask taskOf(const OperatorFamily& family, std::string_view op)
{
    OperatorTask task;
    task.own.graph = family.derive(op, 24, 40);
    task.others.emplace_back().graph = family.derive(op, 13, 37);
    task.others.front().graph.size = "odd1";
    return task;
}

} // namespace

class OperatorFamiliesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void right_data();
    void right();
    void unfit();

private:
    std::unique_ptr<Judge> m_judge;
};

void OperatorFamiliesTest::right_data()
{
    m_judge = sparserl::tests::simulatorJudge();
    QVERIFY(m_judge);
    QTest::addColumn<int>("family");
    for (int i = 0; i < static_cast<int>(operatorFamilies().size()); ++i)
        QTest::newRow(std::string(operatorFamilies()[static_cast<std::size_t>(i)].id).c_str()) << i;
}

/// Judges each program of a family: every operator with every choice of parameters.
void OperatorFamiliesTest::right()
{
    QFETCH(const int, family);
    const OperatorFamily of = operatorFamilies()[static_cast<std::size_t>(family)];
    int judged = 0;
    for (const std::string_view op : of.operators) {
        const auto target = operatorTarget(std::make_shared<const OperatorTask>(taskOf(of, op)));
        QVERIFY2(target.has_value(), target ? "" : target.error().sentence().c_str());
        std::vector<JudgeRequest> requests;
        for (const OperatorParameters& parameters : parameterChoices(of)) {
            const auto text = of.write(target->operation->own.graph, parameters);
            QVERIFY(text.has_value());
            JudgeRequest& request = requests.emplace_back();
            request.program = *text;
            request.target = *target;
            request.seed = 1;
        }
        const auto records = m_judge->judge(requests, {});
        QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
        for (const VerdictRecord& record : *records) {
            QVERIFY2(record.verdict == Verdict::Correct,
                     fmt::format("{} {}: {}: {}", of.id, op, nameOf(record.verdict), record.message).c_str());
            ++judged;
        }
    }
    QCOMPARE(judged, static_cast<int>(of.operators.size() * parameterChoices(of).size()));
}

/// A family writes only programs for graphs that it computes.
void OperatorFamiliesTest::unfit()
{
    const std::vector<OperatorFamily> families = operatorFamilies();
    for (const OperatorFamily& of : families)
        for (const std::string_view op : of.operators)
            for (const OperatorFamily& other : families)
                QCOMPARE(other.write(of.derive(op, 5, 6), parameterChoices(other).front()).has_value(),
                         other.id == of.id);
    OperatorGraph halves = families.front().derive("relu", 5, 6);
    halves.values.front().element = TensorElement::F16;
    QVERIFY(!families.front().write(halves, parameterChoices(families.front()).front()));
}

QTEST_GUILESS_MAIN(OperatorFamiliesTest)
#include "operator_families_test.moc"
