// SPDX-License-Identifier: Apache-2.0
// Does a policy read its matrix? Tables small enough to work out by hand.
#include "base/json.h"
#include "base/rng.h"
#include "target/workload.h"
#include "training/data/matrix_information.h"
#include "training/evaluated/evaluated_matrix.h"
#include "training/evaluated/evaluation_tables.h"

#include <QtTest>

#include <cmath>

using namespace sparserl;

namespace {

std::vector<FamilyChoice> table(const std::vector<std::pair<int, std::map<std::string, int>>>& counts)
{
    std::vector<FamilyChoice> choices;
    for (const auto& [matrix, families] : counts) {
        for (const auto& [family, count] : families) {
            for (int i = 0; i < count; ++i)
                choices.push_back({matrix, family});
        }
    }
    return choices;
}

bool near(double a, double b, double tolerance = 1e-12)
{
    if (std::abs(a - b) <= tolerance)
        return true;
    qWarning("%.15g is not %.15g", a, b);
    return false;
}

EvaluatedSample sample(const char* family, double microseconds, const char* kernel, bool verbatim)
{
    EvaluatedSample s;
    s.compiled = true;
    s.correct = microseconds > 0;
    s.family = family;
    s.microseconds = microseconds;
    s.kernel = kernel;
    s.verbatim = verbatim;
    s.reward = microseconds > 0 ? 1 : 0.5;
    return s;
}

} // namespace

class TestMatrixInformation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFamilyForEachMatrix()
    {
        const auto choices = table({{0, {{"A", 50}}}, {7, {{"B", 50}}}});
        const auto found = familyInformation(choices, 200, 1);
        QVERIFY(near(found.entropy, std::log(2)));
        QVERIFY(near(found.conditionalEntropy, 0));
        QVERIFY(near(found.information, std::log(2)));
        QVERIFY(found.permuted > 0 && found.permuted < 0.02);
    }

    void theSameForEachMatrix()
    {
        const auto choices = table({{0, {{"A", 1}, {"B", 1}}}, {1, {{"A", 1}, {"B", 1}}}});
        const auto found = familyInformation(choices, 20000, 1);
        QVERIFY(near(found.entropy, std::log(2)));
        QVERIFY(near(found.conditionalEntropy, std::log(2)));
        QVERIFY(near(found.information, 0));
        // Of the 6 ways to deal A A B B out to two matrices two separate them: ln 2 / 3 in the mean.
        QVERIFY(near(found.permuted, std::log(2) / 3, 0.01));
    }

    void oneSampleEachSaysNothing()
    {
        const auto found = familyInformation(table({{0, {{"A", 1}}}, {1, {{"B", 1}}}}), 50, 1);
        QVERIFY(near(found.information, std::log(2)));
        QVERIFY(near(found.corrected(), 0)); // however the two are dealt, the table looks like that
    }

    void threeToOne()
    {
        const auto found =
            familyInformation(table({{0, {{"A", 3}, {"B", 1}}}, {1, {{"A", 1}, {"B", 3}}}}), 10, 1);
        const double h = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
        QVERIFY(near(found.conditionalEntropy, h));
        QVERIFY(near(found.information, std::log(2) - h));
    }

    /// A matrix with twice the samples weighs twice as much: H(F) of (5, 1) in 6, H(F|M) = 1/3 ln 2.
    void matricesWeighBySamples()
    {
        const auto found = familyInformation(table({{0, {{"A", 4}}}, {1, {{"A", 1}, {"B", 1}}}}), 10, 1);
        QVERIFY(near(found.entropy, -5.0 / 6 * std::log(5.0 / 6) - 1.0 / 6 * std::log(1.0 / 6)));
        QVERIFY(near(found.conditionalEntropy, std::log(2) / 3));
    }

    /// Few samples of families drawn whatever the matrix: plain information is far above 0, the corrected one
    /// is 0 in the mean, and most intervals hold 0.
    void correctedIsUnbiasedUnderIndependence()
    {
        double plain = 0, corrected = 0;
        int holds = 0;
        constexpr int trials = 60;
        for (int trial = 0; trial < trials; ++trial) {
            Rng rng(static_cast<std::uint64_t>(trial));
            std::vector<FamilyChoice> choices;
            for (int m = 0; m < 16; ++m) {
                for (int i = 0; i < 4; ++i)
                    choices.push_back({m, std::string(1, static_cast<char>('A' + rng.below(4)))});
            }
            const auto found = familyInformation(choices, 100, 3);
            plain += found.information / trials;
            corrected += found.corrected() / trials;
            const auto interval = familyInformationInterval(choices, 0.95, 60, 4);
            holds += interval.low <= 0 && interval.high >= 0 ? 1 : 0;
        }
        QVERIFY2(plain > 0.3, std::to_string(plain).c_str());
        QVERIFY2(std::abs(corrected) < 0.02, std::to_string(corrected).c_str());
        QVERIFY2(holds > trials * 3 / 4, std::to_string(holds).c_str());
    }

    void intervalFollowsTheMatrices()
    {
        std::vector<FamilyChoice> choices;
        for (int m = 0; m < 20; ++m) {
            for (int i = 0; i < 8; ++i)
                choices.push_back({m, m % 2 == 0 ? "A" : "B"});
        }
        const auto interval = familyInformationInterval(choices, 0.95, 200, 1);
        QVERIFY(interval.low > 0.4 && interval.low < interval.mean && interval.mean < interval.high + 1e-9);
        QVERIFY(interval.high <= std::log(2));
        QCOMPARE(familyInformationInterval({}, 0.95, 10, 1).mean, 0.0);
        QCOMPARE(familyInformation({}, 10, 1).information, 0.0);
    }

    void bestFamilies()
    {
        // Matrix 2 has no known best family, matrix 3 no sample: both are left out.
        const auto choices = table({{0, {{"A", 3}, {"B", 1}}}, {1, {{"A", 2}}}, {2, {{"C", 9}}}});
        const std::vector<std::string> best{"A", "B", "", "A"};
        const auto shares = bestFamilyShares(choices, best);
        QCOMPARE(shares.matrices, 2);
        QVERIFY(near(shares.share, (0.75 + 0) / 2));
        QVERIFY(near(shares.hit, 0.5));
        QVERIFY(near(shares.chance, (5.0 / 6 + 1.0 / 6) / 2));
    }

    void readingsOfScores()
    {
        const double third = std::log(1.0 / 3);
        const auto readings =
            readingsOf({{{0, third}, {-1000, -1000}, {-3, -5, -2, -1}, {-2, -2, -2, -7}}, {0, 1, 0, 1}});
        QVERIFY(near(readings[0].information, std::log(1.5))); // ln 1 - ln((1 + 1/3) / 2)
        QVERIFY(near(readings[0].rank, 1));
        QVERIFY(near(readings[0].reciprocalRank, 1));
        QVERIFY(near(readings[1].information, 0)); // far below what exp() can hold
        QVERIFY(near(readings[1].rank, 0.5));
        QVERIFY(near(readings[1].reciprocalRank, reciprocalRankByChance(2)));
        QVERIFY(near(readings[2].rank, 1.0 / 3)); // third of four
        QVERIFY(near(readings[2].reciprocalRank, 1.0 / 3));
        QVERIFY(near(readings[3].rank, (1 + 2 * 0.5) / 3)); // one below, two ties
        QVERIFY(near(readings[3].reciprocalRank, (1 + 1.0 / 2 + 1.0 / 3) / 3));
        QVERIFY(near(reciprocalRankByChance(4), (1 + 0.5 + 1.0 / 3 + 0.25) / 4));
    }

    /// The expectation over programs is the mutual information of the table of probabilities.
    void readingIsTheInformation()
    {
        const std::vector<std::vector<double>> p{{0.6, 0.3, 0.1}, {0.1, 0.3, 0.6}};
        double expected = 0, mean = 0;
        for (std::size_t x = 0; x < 3; ++x) {
            for (std::size_t m = 0; m < 2; ++m) {
                const double joint = p[m][x] / 2, marginal = (p[0][x] + p[1][x]) / 2;
                expected += joint * std::log(joint / (marginal / 2));
                const auto reading =
                    readingsOf({{{std::log(p[0][x]), std::log(p[1][x])}}, {static_cast<int>(m)}});
                mean += joint * reading.front().information;
            }
        }
        QVERIFY(near(mean, expected));
    }

    void metricsOfScores()
    {
        const ProgramScores scores{{{0, -50, -50}, {-50, 0, -50}, {-50, -50, 0}}, {0, 1, 2}};
        const auto metrics = readingMetrics(scores, 1);
        QVERIFY(near(metrics.at(metric::programInformation), std::log(3)));
        QVERIFY(near(metrics.at(metric::ownRank), 1));
        QVERIFY(near(metrics.at(metric::ownReciprocalRankChance), 11.0 / 18));
        QVERIFY(near(metrics.at(metric::programInformationInterval.part("low")), std::log(3)));
        QVERIFY(readingMetrics({}, 1).empty());
    }

    void matricesCountAlike()
    {
        const std::vector<double> values{1, 1, 1, 0};
        const std::vector<int> matrices{4, 4, 4, 9};
        const auto interval = intervalByMatrix(values, matrices, 0.95, 500, 1);
        QVERIFY(near(interval.mean, 0.5));
        QCOMPARE(interval.low, 0.0);
        QCOMPARE(interval.high, 1.0);
    }

    void totalsAndFamiliesOfAnEvaluation()
    {
        std::vector<EvaluatedMatrix> rows(2);
        rows[0].baselineMicroseconds = 10;
        rows[0].bestFamily = "S2";
        rows[0].add(sample("S2", 5, "k1", true));
        rows[0].add(sample("S2", 20, "k1", false));
        rows[0].add(sample("S3", 0, "k2", false)); // wrong
        rows[0].add({});                           // does not compile
        rows[1].baselineMicroseconds = 10;
        rows[1].bestFamily = "S4";
        rows[1].add(sample("S3", 4, "k3", false));
        rows[1].add(sample("S4", 40, "k4", true));
        const std::vector<std::int64_t> ks{1, 4};
        const auto totals = totalsOf(rows, ks);
        QVERIFY(near(totals.at(metric::compileRate), 5.0 / 6));
        QVERIFY(near(totals.at(metric::correctRate), 4.0 / 6));
        QVERIFY(near(totals.at(metric::fastRate.part("1.2")), 2.0 / 6));
        QVERIFY(near(totals.at(metric::fastRate.part("2.0")), 1.0 / 6)); // 2.0 itself is not above
        QVERIFY(near(totals.at(metric::speedup.part("min")), 0.25));
        QVERIFY(near(totals.at(metric::speedup.part("max")), 2.5));
        QVERIFY(near(totals.at(metric::speedupGeomean), std::pow(2 * 0.5 * 2.5 * 0.25, 0.25)));
        QVERIFY(near(totals.at(metric::bestSpeedupGeomean), std::sqrt(2 * 2.5)));
        QVERIFY(near(totals.at(metric::passAt.part("@1")), (0.5 + 1) / 2));
        QVERIFY(near(totals.at(metric::passAt.part("@4")), 1)); // of the one matrix that has four
        const auto families = familyMetrics(rows, 1);
        QVERIFY(near(families.at(metric::novelRate), 0.5));
        QVERIFY(near(families.at(metric::distinctRate), 0.75));
        QVERIFY(near(families.at(metric::bestFamilyShare), (1 + 0.5) / 2));
        QVERIFY(near(families.at(metric::bestFamilyHit), 1));
        QVERIFY(near(families.at(metric::bestFamilyChance), (0.5 + 0.25) / 2));
        // Compiled: S2 S2 S3 of the first matrix, S3 S4 of the second.
        const double third = 1.0 / 3;
        const double conditional =
            0.6 * (-third * std::log(third) - 2 * third * std::log(2 * third)) + 0.4 * std::log(2);
        QVERIFY(near(families.at(metric::familyEntropy.part("conditional")), conditional));
    }

    void tablesInThreeFormats()
    {
        EvaluationResult result;
        result.label = "run_1";
        result.baseline = "reference";
        result.ks = {1, 8};
        result.metrics = {{metric::passAt.part("@1"), 0.1775},
                          {metric::compileRate, 0.575},
                          {metric::correctRate, 0.5},
                          {metric::fastRate.part("1.0"), 0.25}};
        EvaluationEvent row;
        row.target.name = "a,\"b\"";
        row.nnz = 5000;
        row.samples = 4;
        row.compiled = 3;
        row.correct = 2;
        row.bestMicroseconds = 2;
        row.baselineMicroseconds = 4;
        row.familyCounts = {{"S2", 1}, {"S3", 4}};
        row.bestFamily = "S3";
        result.rows.push_back(row);
        row.target.name = "unsolved";
        row.nnz = 2'000'000;
        row.correct = 0;
        row.bestMicroseconds = 0;
        row.familyCounts.clear();
        result.rows.push_back(row);
        row.target.name = "c";
        row.bestMicroseconds = 8;
        result.rows.push_back(row);

        TargetId target;
        QVERIFY(near(workloadOf(target, 5000).gflops(2), 5)); // 10,000 operations in 2 us
        target.variant.columns = 8;
        QVERIFY(near(workloadOf(target, 5000).gflops(2), 40));
        const auto policies = policyTable({&result, 1});
        const std::vector<std::string> header{"policy", "pass@1", "CR",       "correct",
                                              "faster", "GFLOPS", "speed-up", "worst matrix"};
        QVERIFY(policies.header == header); // nothing is known of pass@8
        const std::vector<std::string> values{"run_1", "17.75",  "57.50", "50.00",
                                              "25.00", "252.50", "1.000", "0.500"};
        QVERIFY(policies.rows.front() == values); // (5 + 500) / 2; sqrt(2 * 0.5)
        const auto sizes = sizeTable({&result, 1});
        QCOMPARE(sizes.rows.size(), std::size_t(2));
        const std::vector<std::string> large{"run_1", "1,000,000 or more", "2", "1", "500.00", "0.500",
                                             "0.500"};
        QVERIFY(sizes.rows[1] == large);

        auto other = result;
        other.label = "run_2";
        other.metrics[metric::passAt.part("@8")] = 0.5;
        const std::vector<EvaluationResult> both{result, other};
        const auto compared = policyTable(both);
        QCOMPARE(compared.header[2], std::string("pass@8")); // known of one of them
        QCOMPARE(compared.rows[0][2], std::string("-"));
        QCOMPARE(compared.rows[1][2], std::string("50.00"));
        QCOMPARE(matrixTable(both).rows.size(), std::size_t(6));

        const TextTable table{"50 % of a_b", {"x", "y"}, {{"a,\"b\"", "1|2"}, {"p_q", "3"}}};
        QCOMPARE(toCsv(table), std::string("x,y\n\"a,\"\"b\"\"\",1|2\np_q,3\n"));
        QCOMPARE(toMarkdown(table),
                 std::string("50 % of a_b\n\n| x | y |\n|---|---:|\n| a,\"b\" | 1\\|2 |\n| p_q | 3 |\n"));
        const TextTable hostile{"<b>", {"x"}, {{"<img src='/dev/zero'>"}, {"![a](/dev/zero)"}}};
        QCOMPARE(toMarkdown(hostile), std::string("&lt;b>\n\n| x |\n|---|\n| &lt;img src='/dev/zero'> |\n"
                                                  "| ![a]\\(/dev/zero) |\n"));
        const auto latex = toLatex(table);
        QVERIFY(latex.find("\\caption{50 \\% of a\\_b}") != std::string::npos);
        QVERIFY(latex.find("p\\_q & 3 \\\\") != std::string::npos);
        QVERIFY(!writeTables({&result, 1}, "table.xls"));
        for (const char* name : {"table.csv", "table.md", "table.tex"})
            QVERIFY(writeTables({&result, 1}, name));
        QCOMPARE(familiesText(result.rows.front()), std::string("4xS3 1xS2, fastest corpus family: S3"));
    }

    void rowsTravelInCheckpoints()
    {
        EvaluatedMatrix row;
        row.target = "d";
        row.baselineMicroseconds = 10;
        row.bestFamily = "S2";
        row.add(sample("S2", 5, "k1", true));
        row.programs = {{1, 2, 3}};
        const auto back = evaluatedMatrixFromJson(toJson(row));
        QVERIFY(toJson(back) == toJson(row));
        QVERIFY(back.each.front().verbatim && back.programs.front().size() == 3);
        QCOMPARE(back.bestSpeedup, 2.0);
        // What an earlier version wrote.
        const auto old = evaluatedMatrixFromJson({{"digest", "d"},
                                                  {"split", "train"},
                                                  {"samples", 4},
                                                  {"compiled", 3},
                                                  {"correct", 2},
                                                  {"faster", 1},
                                                  {"reward_sum", 2.5},
                                                  {"best_speedup", 1.5},
                                                  {"families", {"S1"}}});
        QCOMPARE(old.correct, std::int64_t(2));
        QVERIFY(near(totalsOf(std::vector{old}, {}).at(metric::bestSpeedupGeomean), 1.5));
        QVERIFY(familyMetrics(std::vector{old}, 1).empty());
    }
};

QTEST_GUILESS_MAIN(TestMatrixInformation)
#include "tst_matrix_information.moc"
