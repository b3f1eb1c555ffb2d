// SPDX-License-Identifier: Apache-2.0
// The test of groups against tables and planted differences; and on a driver of our own, whether what a
// program reads tells compared calls from others, with a control that does.
#include "base/rng.h"
#include "evaluation/audit/observations.h"

#include <QTest>
#include <cmath>

using namespace sparserl;

namespace {

/// Runs of 6 samples with 12 calls each, a third of them in the first group; `word` draws what a call
/// observes.
template <typename Draw>
std::vector<std::vector<Observed>> runsOf(int count, std::uint64_t seed, const Draw& word)
{
    Rng rng(seed);
    std::vector<std::vector<Observed>> runs;
    for (int run = 0; run < count; ++run) {
        auto& calls = runs.emplace_back();
        const auto ofRun = static_cast<std::uint32_t>(rng.next());
        for (int sample = 0; sample < 6; ++sample)
            for (int call = 0; call < 12; ++call) {
                const bool first = rng.chance(1.0 / 3);
                calls.push_back({first, word(rng, ofRun, first), sample});
            }
    }
    return runs;
}

} // namespace

class TestObservations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// From tables of Student's t.
    void studentsTails()
    {
        const struct
        {
            double t, degrees, tail;
        } table[] = {{12.706, 1, 0.05},  {2.228, 10, 0.05},    {3.169, 10, 0.01},
                     {4.587, 10, 0.001}, {3.850, 30, 0.00057}, {0, 5, 1}};
        for (const auto& [t, degrees, tail] : table)
            QVERIFY2(std::abs(studentTail(t, degrees) - tail) < 0.01 * tail, qPrintable(QString::number(t)));
        for (const double degrees : {2.0, 11.0, 40.0})
            for (const double p : {0.5, 0.01, 1e-6})
                QVERIFY(std::abs(studentTail(studentQuantile(p, degrees), degrees) - p) < 1e-3 * p);
    }

    void groupsThatAreAlikeDoNotDiffer()
    {
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            // Words of a run are far from independent of each other.
            const auto runs = runsOf(12, seed, [](Rng& rng, std::uint32_t ofRun, bool) {
                return ofRun ^ static_cast<std::uint32_t>(rng.below(4)) << 9;
            });
            const auto difference = compareGroups(runs, 1, 1e-3);
            QVERIFY(difference.first > 100 && difference.second > 300 && !difference.feature.empty());
            found += difference.p < 0.05;
        }
        QVERIFY2(found <= 6, qPrintable(QString::number(found)));
    }

    void fewRunsSayLittle()
    {
        // Alike in each of so many runs: of four by chance, of forty not. `device observe` refuses the four.
        QVERIFY(fewestRuns(37, 1e-3) > 4 && fewestRuns(37, 1e-3) <= 24); // 24: what it takes if not asked.
        QVERIFY(fewestRuns(1, 1e-3) < fewestRuns(37, 1e-3));
        for (const int runs : {4, 40}) {
            const auto fixed = compareGroups(
                runsOf(runs, 9, [](Rng&, std::uint32_t, bool first) { return first ? 32u : 0u; }), 37, 1e-3);
            QCOMPARE(fixed.p < 1e-3, runs == 40);
        }
    }

    void plantedDifferencesAreFound()
    {
        // One bit, a tenth more often in the first group.
        const auto shifted = compareGroups(runsOf(60, 3,
                                                  [](Rng& rng, std::uint32_t, bool first) {
                                                      return rng.chance(first ? 0.65 : 0.5) ? 16u : 0u;
                                                  }),
                                           20, 1e-3);
        QVERIFY(shifted.p < 1e-3 && (shifted.feature == "bit 4" || shifted.feature == "zero"));
        QVERIFY(std::abs(std::abs(shifted.distance) - 0.15) < 0.05);
        // Fixed in the first group, another in each run: no mean shows it.
        const auto fixed =
            compareGroups(runsOf(24, 4,
                                 [](Rng& rng, std::uint32_t ofRun, bool first) {
                                     return first ? ofRun : static_cast<std::uint32_t>(rng.next());
                                 }),
                          20, 1e-3);
        QCOMPARE(fixed.feature, std::string("all"));
        QVERIFY(fixed.p < 1e-3 && fixed.excess > 5);
    }

    void everyObservableIsARightProgram()
    {
        for (const Observable& one : observables())
            for (const bool toOutput : {false, true}) {
                const auto program = parseProgram(observingProgram(one, toOutput));
                QVERIFY2(program.has_value(), std::string(one.name).c_str());
            }
    }

    void comparedCallsAreLikeOthers()
    {
        qputenv("SPARSERL_CUDA_DIR", SPARSERL_FAKE_CUDA);
        qputenv("SPARSERL_FAKE_DRIVER", SPARSERL_FAKE_DRIVER);
        qputenv("SPARSERL_REAL_NVJITLINK", SPARSERL_REAL_NVJITLINK);
        qputenv("SPARSERL_FAKE_GPU", "");
        auto device = CudaDevice::create(0, SPARSERL_FAKE_DRIVER);
        QVERIFY2(device.has_value(), device ? "" : device.error().sentence().c_str());
        ObservationOptions options;
        options.runs = 6;
        options.samples = 3;
        options.rows = 520;
        options.sampleMicroseconds = 1e9; // Many calls, on the slowest machine too.
        for (const char* name : {"signs of x", "distance of y and x"}) {
            options.only = name;
            const auto rows = observeTimedCalls(**device, options);
            QVERIFY2(rows.has_value(), rows ? "" : rows.error().sentence().c_str());
            QCOMPARE(rows->size(), std::size_t(1));
            const GroupDifference& d = rows->front().difference;
            QVERIFY(d.first >= 6 * 3 * 4 && d.second > d.first);
            QVERIFY2(d.p >= options.level, qPrintable(QString::number(d.p)));
            QVERIFY(!d.feature.empty());
        }
        options.control = ObserveRequest::Control::Signs;
        options.only = "signs after x";
        options.samples = 6;
        options.runs = 24; // Of fewer runs nothing is certain at this level.
        const auto rows = observeTimedCalls(**device, options);
        QVERIFY(rows && rows->front().difference.p < options.level);
    }
};

QTEST_GUILESS_MAIN(TestObservations)
#include "observations_test.moc"
