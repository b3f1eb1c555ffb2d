// SPDX-License-Identifier: Apache-2.0
#include "training/data/kept_samples.h"

#include <QtTest>

using namespace sparserl;

namespace {

RatedSample sample(const char* matrix, const char* text, double reward)
{
    RatedSample s;
    s.target.contents = matrix;
    s.text = text;
    s.reward = reward;
    s.finished = true;
    s.record.verdict = Verdict::Correct;
    return s;
}

std::string textsOf(const std::vector<RatedSample>& samples)
{
    std::string all;
    for (const auto& s : samples)
        all += s.target.contents + s.text + " ";
    return all;
}

} // namespace

class TestKeptSamples : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void outcomesAndPatterns()
    {
        const RejectionRules rules;
        QVERIFY(!rejected(sample("a", "x\ny\n", 0.1), rules));
        QVERIFY(rejected(sample("a", "x", 0), rules)); // R > 0, not R >= 0
        QVERIFY(rejected(sample("a", "x", -1), rules));
        auto open = sample("a", "x", 1);
        open.finished = false;
        QCOMPARE(*rejected(open, rules), std::string("it does not end"));
        for (const VerdictFlag flag : {VerdictFlag::Suspicious, VerdictFlag::Nondeterministic}) {
            auto doubtful = sample("a", "x", 1);
            doubtful.record.flags = {flag};
            QCOMPARE(*rejected(doubtful, rules), "it is " + std::string(nameOf(flag)));
        }
        auto slow = sample("a", "x", 1);
        slow.record.flags = {VerdictFlag::SlowerThanBaseline};
        QVERIFY(!rejected(slow, rules));
        QCOMPARE(*rejected(sample("a", "s();\ns();\n\ns();\ns();\n", 1), rules),
                 std::string("it repeats a line"));
        QVERIFY(!rejected(sample("a", "s();\ns();\ns();\nt();\ns();\n", 1), rules));
        QVERIFY(!rejected(sample("a", "s();\ns();\n\ns();\ns();\n", 1), {.repeatLimit = 0}));
        QCOMPARE(longestRepeat(""), std::int64_t(0));
        QCOMPARE(longestRepeat("a\n  \na\na"), std::int64_t(3));
    }
    void onceForEachMatrixAndTheBestFirst()
    {
        const std::vector<RatedSample> samples{sample("a", "1", 0.5), sample("a", "2", 2),
                                               sample("a", "1", 0.5), sample("b", "1", 1),
                                               sample("a", "3", -1),  sample("a", "4", 2)};
        QCOMPARE(textsOf(keepSamples(samples, {})), std::string("a1 a2 b1 a4 "));
        QCOMPARE(textsOf(keepSamples(samples, {.perMatrix = 1})), std::string("a2 b1 "));
        QCOMPARE(textsOf(keepSamples(samples, {.above = 1.5})), std::string("a2 a4 "));
        QVERIFY(keepSamples({}, {}).empty());
    }
};

QTEST_GUILESS_MAIN(TestKeptSamples)
#include "tst_training_kept_samples.moc"
