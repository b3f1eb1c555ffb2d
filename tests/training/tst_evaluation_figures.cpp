// SPDX-License-Identifier: Apache-2.0
#include "project/queries/queries.h"
#include "training/evaluated/evaluated_matrix.h"
#include "training/evaluated/evaluation_baselines.h"
#include "training/evaluated/evaluation_figures.h"
#include "training/evaluated/job_report.h"

#include <QtTest>
#include <cmath>

using namespace sparserl;

namespace {

EvaluationEvent row(const char* matrix, std::int64_t samples, std::int64_t correct, double best = 0,
                    double baseline = 0, std::int64_t nnz = 1000)
{
    EvaluationEvent e;
    e.target.name = e.target.contents = matrix;
    e.nnz = nnz;
    e.samples = samples;
    e.compiled = std::min(samples, correct + 1);
    e.correct = correct;
    e.faster = correct / 2;
    e.bestMicroseconds = best;
    e.baselineMicroseconds = baseline;
    return e;
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-9;
}

/// Chance that k drawn of n without replacement hold one of the first c, counted out.
double counted(int n, int c, int k)
{
    int all = 0, hit = 0;
    for (int set = 0; set < 1 << n; ++set) {
        if (__builtin_popcount(static_cast<unsigned>(set)) != k)
            continue;
        ++all;
        hit += (set & ((1 << c) - 1)) != 0 ? 1 : 0;
    }
    return static_cast<double>(hit) / all;
}

const PairedFigure& figureOf(const std::vector<PairedFigure>& figures, const std::string& measure)
{
    return *std::find_if(figures.begin(), figures.end(),
                         [&](const PairedFigure& figure) { return figure.measure == measure; });
}

} // namespace

class EvaluationFiguresTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// By the width too, where there are several; in every table alike.
    void targetsAreToldApart()
    {
        std::vector<EvaluationEvent> rows{row("m", 4, 2), row("m", 4, 1), row("n", 4, 0)};
        using Names = std::vector<std::string>;
        QVERIFY(targetNames({}).empty());
        QCOMPARE(targetNames(rows), (Names{"m", "m", "n"}));
        for (auto& one : rows)
            one.target.variant.columns = 8;
        QCOMPARE(targetNames(rows), (Names{"m", "m", "n"}));
        rows[0].target.variant.columns = 1;
        rows[2].target.variant.columns = 32;
        const Names names = targetNames(rows);
        QCOMPARE(names, (Names{"m", "m (8 columns)", "n (32 columns)"}));
        EvaluationResult result;
        result.rows = rows;
        EvaluationReport report;
        report.rows = rows;
        const auto table = matrixTable({&result, 1});
        const auto text = tableText(report);
        for (std::size_t i = 0; i < names.size(); ++i) {
            QCOMPARE(table.rows[i][1], names[i]);
            QVERIFY(text.find("\n" + names[i] + " ") != std::string::npos);
        }
    }

    void passCurveIsWhatCountingGives()
    {
        for (int c = 0; c <= 6; ++c) {
            const auto only = row("a", 6, c);
            const auto curve = passCurve({&only, 1}, false);
            QCOMPARE(curve.size(), std::size_t(6));
            for (int k = 1; k <= 6; ++k)
                QVERIFY(near(curve[static_cast<std::size_t>(k - 1)], counted(6, c, k)));
            const auto faster = passCurve({&only, 1}, true);
            QVERIFY(near(faster[2], counted(6, c / 2, 3)));
        }
        // As far as every matrix has samples, each matrix as much as another.
        const std::vector<EvaluationEvent> rows{row("a", 6, 3), row("b", 4, 0)};
        const auto curve = passCurve(rows, false);
        QCOMPARE(curve.size(), std::size_t(4));
        QVERIFY(near(curve[1], (counted(6, 3, 2) + 0) / 2));
        QVERIFY(passCurve({}, false).empty());
    }

    // What the window works out of rows is what the stage has in its journal.
    void figuresAreThoseOfTheStage()
    {
        std::vector<EvaluatedMatrix> stage;
        std::vector<EvaluationEvent> rows;
        for (int m = 0; m < 5; ++m) {
            EvaluatedMatrix matrix;
            matrix.target = matrix.name = std::string(1, static_cast<char>('a' + m));
            matrix.baselineMicroseconds = 10;
            for (int s = 0; s < 10; ++s) {
                EvaluatedSample sample;
                sample.compiled = (s + m) % 3 != 0;
                sample.correct = sample.compiled && (s * m) % 4 == 1;
                sample.microseconds = sample.correct ? 4.0 + s : 0;
                matrix.add(sample);
            }
            EvaluationEvent event = row(matrix.name.c_str(), matrix.samples, matrix.correct,
                                        matrix.bestSpeedup > 0 ? 10 / matrix.bestSpeedup : 0, 10);
            event.compiled = matrix.compiled;
            event.faster = matrix.faster;
            rows.push_back(event);
            stage.push_back(std::move(matrix));
        }
        const std::vector<std::int64_t> ks{1, 5, 10};
        const auto expected = totalsOf(stage, ks);
        const auto result = resultOf("p", "b", rows);
        QVERIFY(result.ks == ks);
        for (const auto& [name, value] : result.metrics) {
            QVERIFY2(expected.contains(name), name.c_str());
            QVERIFY2(near(value, expected.at(name)), name.c_str());
        }
        QCOMPARE(result.metrics.size(), std::size_t(6)); // three rates, three pass@k
        QVERIFY(near(figuresOf(result).speedup, expected.at(metric::bestSpeedupGeomean)));
        QVERIFY(resultOf("p", "b", {}).metrics.empty());
    }

    void ratesOfSplitsAreApart()
    {
        auto train = row("t", 10, 8);
        train.split = "train";
        const std::vector<EvaluationEvent> rows{train, row("a", 4, 2), row("b", 6, 0)};
        const auto rates = ratesBySplit(rows);
        QCOMPARE(rates.size(), std::size_t(2));
        QCOMPARE(rates[0].split, std::string("held-out"));
        QCOMPARE(rates[0].samples, std::int64_t(10));
        QCOMPARE(rates[0].solved, std::int64_t(1));
        QVERIFY(near(rates[0].correct, 0.2) && near(rates[0].compiled, 0.4) && near(rates[0].faster, 0.1));
        QVERIFY(near(rates[1].correct, 0.8) && near(rates[1].compiled, 0.9));
    }

    void boxesHaveQuartiles()
    {
        const auto box = boxOf({4, 1, 3, 2});
        QVERIFY(near(box.low, 1) && near(box.lowerQuartile, 1.75) && near(box.median, 2.5));
        QVERIFY(near(box.upperQuartile, 3.25) && near(box.high, 4) && near(box.mean, 2.5));
        QCOMPARE(boxOf({}).count, std::int64_t(0));
        const auto one = boxOf({7});
        QVERIFY(one.low == 7 && one.lowerQuartile == 7 && one.median == 7 && one.high == 7);
    }

    // GFLOPS = 2 nnz / time: 1,000 non-zeros in 1 us are 2.
    void boxesStandInTheirBins()
    {
        std::vector<EvaluationResult> results;
        results.push_back(resultOf(
            "p", "csr", {row("a", 4, 2, 1, 2), row("b", 4, 0, 0, 4), row("big", 4, 4, 100, 50, 100'000)}));
        results.push_back(resultOf("q", "csr", {row("a", 4, 1, 0.5, 1), row("c", 4, 1, 2, 1)}));
        const auto bins = gflopsBySize(results);
        QCOMPARE(bins.size(), std::size_t(2));
        QCOMPARE(bins[0].bin, std::string("below 10,000"));
        QCOMPARE(bins[1].bin, std::string("50,000 to 200,000"));
        QCOMPARE(bins[0].policies[0].matrices, std::int64_t(2));
        QCOMPARE(bins[0].policies[0].box.count, std::int64_t(1)); // b is not solved
        QVERIFY(near(bins[0].policies[0].box.median, 2));
        QVERIFY(near(bins[0].policies[1].box.low, 1) && near(bins[0].policies[1].box.high, 4));
        QCOMPARE(bins[0].baseline.count, std::int64_t(3)); // a once, by the first that has it: 1, 0.5 and 2
        QVERIFY(near(bins[0].baseline.low, 0.5) && near(bins[0].baseline.median, 1));
        QVERIFY(near(bins[0].baseline.high, 2));
        QCOMPARE(bins[1].policies[1].matrices, std::int64_t(0));
        QVERIFY(near(bins[1].policies[0].box.median, 2) && near(bins[1].baseline.median, 4));
        const auto table = boxTable(results);
        QCOMPARE(table.rows.size(), std::size_t(5)); // p, q and baseline; p and baseline
        const std::vector<std::string> q{"below 10,000", "q",    "2",    "2",    "1.00",
                                         "1.75",         "2.50", "3.25", "4.00", "2.50"};
        QVERIFY(table.rows[1] == q);
        QCOMPARE(table.rows[2][1], std::string("csr"));
        QVERIFY(gflopsBySize({}).empty());
    }

    // Four matrices; three with a time of cuSPARSE's DEFAULT, of which one has no correct program.
    void speedupsOverEveryReference()
    {
        std::vector<EvaluationEvent> rows{row("a", 4, 2, 2, 4), row("b", 4, 1, 5, 5), row("c", 4, 3, 8, 4),
                                          row("d", 4, 0, 0, 9)};
        rows[0].references = {{reference::defaultRoutine, 8.0}, {reference::bestOfCorpus, 1.0}};
        rows[2].references = {{reference::defaultRoutine, 8.0}};
        rows[3].references = {{reference::defaultRoutine, 3.0}};
        QCOMPARE(speedupOver(rows[0], ""), 2.0);
        QCOMPARE(speedupOver(rows[0], reference::defaultRoutine), 4.0);
        QCOMPARE(speedupOver(rows[1], reference::defaultRoutine), 0.0);
        QCOMPARE(speedupOver(rows[3], reference::defaultRoutine), 0.0);
        // Over the baseline: 2, 1 and 0.5, so the geometric mean is 1.
        const auto base = speedupFigures(rows, "");
        QVERIFY(base && base->matrices == 3 && near(base->geomean, 1) && near(base->faster, 1.0 / 3));
        QVERIFY(near(base->worst, 0.5) && near(base->median, 1) && near(base->best, 2));
        QVERIFY(near(base->lowerQuartile, 0.75) && near(base->upperQuartile, 1.5));
        // Over DEFAULT: 4 and 1. As fast is not faster.
        const auto first = speedupFigures(rows, reference::defaultRoutine);
        QVERIFY(first && first->matrices == 2 && near(first->geomean, 2) && near(first->faster, 0.5));
        QVERIFY(!speedupFigures(rows, reference::bestRoutine));

        const std::vector<EvaluationResult> results{resultOf("p", "csr", rows),
                                                    resultOf("q", "csr", {row("a", 4, 2, 2, 4)})};
        QVERIFY(referencesOf(results) ==
                (std::vector<std::string>{reference::defaultRoutine, reference::bestOfCorpus}));
        const auto table = baselineTable(results);
        QCOMPARE(table.rows.size(), std::size_t(4)); // p: baseline, DEFAULT, corpus; q: baseline
        const std::vector<std::string> second{
            "p", "cuSPARSE DEFAULT", "2", "50.00", "2.000", "1.000", "1.750", "2.500", "3.250", "4.000"};
        QVERIFY(table.rows[1] == second);
        QCOMPARE(table.rows[0][1], std::string("csr (the baseline)"));
        QCOMPARE(table.rows[2][4], std::string("0.500"));
        for (const auto& one : table.rows)
            QCOMPARE(one.size(), table.header.size());
        // A line for each matrix has each reference's time and speed-up.
        const auto matrices = matrixTable(results);
        const auto at = [&](std::size_t i, const char* column) {
            const auto found = std::find(matrices.header.begin(), matrices.header.end(), column);
            return found == matrices.header.end()
                       ? std::string("no column")
                       : matrices.rows[i][static_cast<std::size_t>(found - matrices.header.begin())];
        };
        QCOMPARE(at(0, "default_routine_us"), std::string("8.000"));
        QCOMPARE(at(0, "speedup_over_default_routine"), std::string("4.000"));
        QCOMPARE(at(0, "speedup_over_best_of_corpus"), std::string("0.500"));
        QCOMPARE(at(3, "default_routine_us"), std::string("3.000"));
        QCOMPARE(at(3, "speedup_over_default_routine"), std::string("-"));
        QCOMPARE(at(1, "best_of_corpus_us"), std::string("-"));
        QCOMPARE(at(0, "best_routine_us"), std::string("no column"));
    }

    // Every matrix is 25 points better, so is every resample of them; and every speed-up twice as high.
    void differencesArePaired()
    {
        std::vector<EvaluationEvent> better, worse;
        for (int m = 0; m < 8; ++m) {
            const std::string name(1, static_cast<char>('a' + m));
            better.push_back(row(name.c_str(), 8, m % 4 + 4, 2.0 + m, 12));
            worse.push_back(row(name.c_str(), 8, m % 4 + 2, 4.0 + 2 * m, 12));
        }
        better.push_back(row("only here", 8, 8, 1, 1));
        worse.push_back(row("a", 8, 8, 1, 1));
        worse.back().split = "train"; // the same matrix of another split is another
        const auto a = resultOf("a", "", better), b = resultOf("b", "", worse);
        const auto figures = comparePolicies(a, b);
        const auto& correct = figureOf(figures, "correct");
        QCOMPARE(correct.matrices, std::int64_t(8));
        QVERIFY(near(correct.difference, 0.25) && near(correct.policy - correct.other, 0.25));
        QVERIFY(correct.interval && near((*correct.interval)[0], 0.25) && near((*correct.interval)[1], 0.25));
        QCOMPARE(correct.direction(), 1);
        const auto& speedup = figureOf(figures, "speed-up");
        QVERIFY(speedup.kind == PairedFigure::Kind::Ratio && near(speedup.difference, 2));
        QVERIFY(near((*speedup.interval)[0], 2) && near(speedup.policy / speedup.other, 2));
        QCOMPARE(figureOf(comparePolicies(b, a), "correct").direction(), -1);
        QCOMPARE(figureOf(comparePolicies(b, a), "speed-up").direction(), -1);
        QVERIFY(near(figureOf(figures, "pass@8").policy, 1)); // each has a correct one among eight
        // In whatever order the rows come, the interval is the same.
        auto turned = a;
        std::reverse(turned.rows.begin(), turned.rows.end());
        turned.ks = {8, 1, 5};
        const auto again = comparePolicies(turned, b);
        QCOMPARE(again.size(), figures.size());
        for (std::size_t i = 0; i < figures.size(); ++i)
            QVERIFY(again[i].measure == figures[i].measure && again[i].interval == figures[i].interval);
        // Differences that cancel out are not told apart, and one matrix has no interval.
        const auto x = resultOf("x", "", {row("a", 4, 1), row("b", 4, 3)});
        const auto y = resultOf("y", "", {row("a", 4, 3), row("b", 4, 1)});
        QCOMPARE(figureOf(comparePolicies(x, y), "correct").direction(), 0);
        QCOMPARE(figureOf(comparePolicies(x, y), "speed-up").matrices, std::int64_t(0));
        const auto single = resultOf("s", "", {row("a", 4, 1)});
        QVERIFY(!figureOf(comparePolicies(single, y), "correct").interval);
    }

    void comparisonsAreNeverOfOneWithItself()
    {
        const std::vector<EvaluationResult> results{resultOf("p", "", {row("a", 4, 1), row("b", 4, 2)}),
                                                    resultOf("q", "", {row("a", 4, 3), row("b", 4, 4)})};
        const auto table = comparisonTable(results, 0);
        QVERIFY(!table.rows.empty());
        for (const auto& cells : table.rows)
            QCOMPARE(cells[0], std::string("q"));
        const std::vector<std::string> correct{"q",     "correct", "2",      "87.50",
                                               "37.50", "+50.00",  "+50.00", "+50.00"};
        QVERIFY(table.rows[1] == correct);
        QVERIFY(table.title.find("to p:") != std::string::npos);
        QVERIFY(comparisonTable({results.data(), 1}, 0).rows.empty());
    }
};

QTEST_GUILESS_MAIN(EvaluationFiguresTest)
#include "tst_evaluation_figures.moc"
