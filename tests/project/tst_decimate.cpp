// SPDX-License-Identifier: Apache-2.0
// Decimation never hides a spike or a NaN; pass@k agrees with counting.
#include "base/rng.h"
#include "project/curves/decimate.h"
#include "project/queries/queries.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

using namespace sparserl;

namespace {

std::vector<SeriesPoint> noise(std::size_t count, std::uint64_t seed)
{
    Rng rng(seed);
    std::vector<SeriesPoint> points;
    std::int64_t step = 0;
    for (std::size_t i = 0; i < count; ++i) {
        step += 1 + static_cast<std::int64_t>(rng.below(5));
        points.push_back({step, rng.normal()});
    }
    return points;
}

bool has(const std::vector<SeriesPoint>& points, std::int64_t step)
{
    return std::any_of(points.begin(), points.end(), [&](const SeriesPoint& p) { return p.step == step; });
}

/// Drawing k of n at random, counted over all subsets.
double passByCounting(int n, int c, int k)
{
    int all = 0, passed = 0;
    for (unsigned subset = 0; subset < (1u << n); ++subset) {
        if (__builtin_popcount(subset) != k)
            continue;
        ++all;
        passed += (subset & ((1u << c) - 1)) != 0 ? 1 : 0;
    }
    return double(passed) / all;
}

} // namespace

class TestDecimate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shortSeriesStaysAsItIs()
    {
        const auto points = noise(50, 1);
        QCOMPARE(decimate(points, 50).size(), points.size());
        QVERIFY(decimate({}, 10).empty());
        QCOMPARE(decimate(points, 0).size(), points.size());
    }

    void keepsExtremesOfEveryBucketInOrder()
    {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto points = noise(5000, seed);
            const std::size_t buckets = 1 + seed * 10;
            const auto thin = decimate(points, buckets);
            QVERIFY(thin.size() <= 7 * buckets);
            QVERIFY(std::is_sorted(thin.begin(), thin.end(),
                                   [](const auto& a, const auto& b) { return a.step < b.step; }));
            // Bucket by bucket, computed in another way than decimate does.
            const double from = double(points.front().step);
            const double width = (double(points.back().step) - from) / double(buckets);
            for (std::size_t b = 0; b < buckets; ++b) {
                const auto inside = [&](const SeriesPoint& p) {
                    return std::min(buckets - 1, std::size_t((double(p.step) - from) / width)) == b;
                };
                double low = 1e300, high = -1e300, thinLow = 1e300, thinHigh = -1e300;
                for (const auto& p : points)
                    if (inside(p))
                        low = std::min(low, p.value), high = std::max(high, p.value);
                for (const auto& p : thin)
                    if (inside(p))
                        thinLow = std::min(thinLow, p.value), thinHigh = std::max(thinHigh, p.value);
                QCOMPARE(thinLow, low);
                QCOMPARE(thinHigh, high);
            }
            QVERIFY(has(thin, points.front().step) && has(thin, points.back().step));
        }
    }

    void spikesAndNonFiniteValuesStay()
    {
        auto points = noise(100000, 3);
        points[777].value = 1e9;
        points[50000].value = -1e9;
        points[31000].value = std::nan("");
        points[31001].value = std::numeric_limits<double>::infinity();
        points[31002].value = -std::numeric_limits<double>::infinity();
        const auto thin = decimate(points, 100);
        for (const std::size_t i : {777, 50000, 31000, 31001, 31002})
            QVERIFY(has(thin, points[i].step));
        QVERIFY(thin.size() < 800);
    }

    void onlyNanIsStillVisible()
    {
        std::vector<SeriesPoint> points;
        for (int i = 0; i < 1000; ++i)
            points.push_back({i, std::nan("")});
        const auto thin = decimate(points, 10);
        QCOMPARE(thin.size(), std::size_t{10});
    }

    void passAtKCountsSubsets()
    {
        for (int n = 1; n <= 10; ++n)
            for (int c = 0; c <= n; ++c)
                for (int k = 1; k <= n; ++k)
                    QVERIFY(std::abs(passAtK(n, c, k) - passByCounting(n, c, k)) < 1e-12);
        QVERIFY(std::isnan(passAtK(5, 2, 6)));
        QVERIFY(std::isnan(passAtK(0, 0, 1)));
        QVERIFY(std::abs(passAtK(100000, 1, 1) - 1e-5) < 1e-12);
    }
};

QTEST_GUILESS_MAIN(TestDecimate)
#include "tst_decimate.moc"
