// SPDX-License-Identifier: Apache-2.0
// Features by hand for one matrix, and against a plain computation on dense matrices for random ones.
#include "base/json.h"
#include "matrices.h"
#include "matrix/features.h"
#include "matrix/row_lengths.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace sparserl;
using namespace sparserl::test;

namespace {

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// Strongly connected components by the transitive closure (Warshall).
std::int64_t mutuallyReachable(const std::vector<std::vector<float>>& d)
{
    const std::size_t n = d.size();
    std::vector<std::vector<bool>> to(n, std::vector<bool>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            to[i][j] = i == j || d[i][j] != 0;
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                to[i][j] = to[i][j] || (to[i][k] && to[k][j]);
            }
        }
    }
    std::int64_t components = 0;
    for (std::size_t i = 0; i < n; ++i) { // Each is counted at its first row.
        bool first = true;
        for (std::size_t j = 0; j < i; ++j) {
            first = first && !(to[i][j] && to[j][i]);
        }
        components += first;
    }
    return components;
}

/// Every feature from the definition in features.h, on the dense matrix.
MatrixFeatures slowly(const std::vector<std::vector<float>>& d, int cols)
{
    MatrixFeatures f;
    const int rows = static_cast<int>(d.size());
    f.rows = rows;
    f.cols = cols;
    std::vector<double> lengths;
    std::set<int> diagonals;
    double distance = 0;
    double gaps = 0;
    double pairs = 0;
    double off = 0;
    double mirrored = 0;
    double equal = 0;
    for (int r = 0; r < rows; ++r) {
        int length = 0;
        int previous = -1;
        for (int c = 0; c < cols; ++c) {
            if (d[r][c] == 0) {
                continue;
            }
            ++length;
            ++f.nnz;
            diagonals.insert(c - r);
            distance += std::abs(c - r);
            f.bandwidthMax = std::max<std::int64_t>(f.bandwidthMax, std::abs(c - r));
            if (previous >= 0) {
                gaps += c - previous;
                ++pairs;
            }
            previous = c;
            if (rows == cols && r != c) {
                ++off;
                mirrored += d[c][r] != 0;
                equal += d[c][r] == d[r][c];
            }
        }
        lengths.push_back(length);
    }
    const auto nnz = static_cast<double>(f.nnz);
    f.diagonals = static_cast<std::int64_t>(diagonals.size());
    if (f.nnz > 0) {
        f.density = nnz / rows / cols;
        f.bandwidthMean = distance / nnz;
        f.diagonalFill = nnz / (static_cast<double>(diagonals.size()) * rows);
    }
    f.columnGap = pairs > 0 ? gaps / pairs : 0;
    if (rows == cols) {
        f.patternSymmetry = off > 0 ? mirrored / off : 1;
        f.valueSymmetry = off > 0 ? equal / off : 1;
    }
    if (rows > 0) {
        f.rowMean = nnz / rows;
        auto sorted = lengths;
        std::sort(sorted.begin(), sorted.end());
        f.rowMin = static_cast<std::int64_t>(sorted.front());
        f.rowMax = static_cast<std::int64_t>(sorted.back());
        double variance = 0;
        double differences = 0; // Gini: mean absolute difference over twice the mean.
        for (const double a : lengths) {
            variance += (a - f.rowMean) * (a - f.rowMean) / rows;
            for (const double b : lengths) {
                differences += std::abs(a - b);
            }
        }
        f.rowStd = std::sqrt(variance);
        if (f.nnz > 0) {
            f.rowCv = f.rowStd / f.rowMean;
            f.rowGini = differences / (2.0 * rows * nnz);
            f.ellRatio = sorted.back() / f.rowMean;
        }
        f.emptyRows = static_cast<double>(std::count(lengths.begin(), lengths.end(), 0.0)) / rows;
        const auto quantile = [&](int percent) {
            for (const double length : sorted) {
                const auto within = std::upper_bound(sorted.begin(), sorted.end(), length) - sorted.begin();
                if (within * 100 >= percent * rows) {
                    return static_cast<std::int64_t>(length);
                }
            }
            return std::int64_t(-1);
        };
        f.rowQ50 = quantile(50);
        f.rowQ80 = quantile(80);
        f.rowQ99 = quantile(99);
    }
    if (rows > 0 && cols > 0) {
        double main = 0;
        for (int i = 0; i < std::min(rows, cols); ++i) {
            main += d[i][i] != 0;
        }
        f.mainDiagonal = main / std::min(rows, cols);
    } else {
        f.mainDiagonal = 0;
    }
    if (rows == cols) {
        f.strongComponents = mutuallyReachable(d);
    }
    for (int size = 0; size < 4; ++size) {
        const int b = 2 << size;
        std::set<std::pair<int, int>> blocks;
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < cols; ++c) {
                if (d[r][c] != 0) {
                    blocks.insert({r / b, c / b});
                }
            }
        }
        f.blockFill[size] = blocks.empty() ? 0 : nnz / (static_cast<double>(blocks.size()) * b * b);
    }
    double distinct = 0;
    for (int w = 0; w < rows; w += 16) {
        std::set<int> columns;
        for (int r = w; r < std::min(rows, w + 16); ++r) {
            for (int c = 0; c < cols; ++c) {
                if (d[r][c] != 0) {
                    columns.insert(c);
                }
            }
        }
        distinct += static_cast<double>(columns.size());
    }
    f.windowColumns = rows > 0 ? distinct / ((rows + 15) / 16) : 0;
    f.windowReuse = distinct > 0 ? nnz / distinct : 0;
    return f;
}

} // namespace

class TestFeatures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void byHand()
    {
        // Lengths 2 0 3 1.
        const auto f =
            computeFeatures(fromDense({{1, 0, 2, 0}, {0, 0, 0, 0}, {2, 3, 0, 4}, {6, 0, 0, 0}}), 8);
        QCOMPARE(f.nnz, std::int64_t(6));
        QCOMPARE(f.density, 6.0 / 16);
        QCOMPARE(f.rowMean, 1.5);
        QCOMPARE(f.rowStd, std::sqrt((0.25 + 2.25 + 2.25 + 0.25) / 4));
        QCOMPARE(f.emptyRows, 0.25);
        QCOMPARE(f.rowQ50, std::int64_t(1));
        QCOMPARE(f.rowQ80, std::int64_t(3));
        QCOMPARE(f.ellRatio, 2.0);
        QCOMPARE(f.rowGini,
                 (2 * (2 + 1 + 1) + 2 * (3 + 2) + 2 * 1) / (2.0 * 4 * 6)); // |2-0| |2-3| |2-1|, ...
        QCOMPARE(f.bandwidthMean, (0 + 2 + 2 + 1 + 1 + 3) / 6.0);
        QCOMPARE(f.bandwidthMax, std::int64_t(3));
        QCOMPARE(f.diagonals, std::int64_t(6)); // 0 2 -2 -1 1 -3
        QCOMPARE(f.diagonalFill, 6 / 24.0);
        QCOMPARE(f.blockFill[0], 6 / (4.0 * 4));
        QCOMPARE(f.columnGap, (2 + 1 + 2) / 3.0);
        QCOMPARE(f.windowColumns, 4.0);
        QCOMPARE(f.patternSymmetry, 2 / 5.0);
        QCOMPARE(f.valueSymmetry, 2 / 5.0);
        QCOMPARE(f.denseColumns, std::int64_t(8));
        QCOMPARE(f.mainDiagonal, 1 / 4.0);
        QCOMPARE(f.strongComponents, std::int64_t(2)); // 0, 2 and 3 reach each other; nobody else reaches 1
    }

    void strongComponentsByHand()
    {
        const auto count = [](const std::vector<std::vector<float>>& dense) {
            return computeFeatures(fromDense(dense)).strongComponents;
        };
        QCOMPARE(count({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}), std::int64_t(1)); // a ring
        QCOMPARE(count({{1, 1, 1}, {0, 1, 1}, {0, 0, 1}}), std::int64_t(3)); // triangular
        // Two rings and a bridge; Tarjan's own trap is an edge into a component that is complete.
        QCOMPARE(count({{0, 1, 0, 0}, {1, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}}), std::int64_t(2));
        QCOMPARE(count({{0, 0, 0, 1}, {0, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 1, 0}}), std::int64_t(2));
        QCOMPARE(computeFeatures(fromDense({{1, 0, 0}, {0, 1, 0}})).strongComponents, std::int64_t(-1));
    }

    // One path of a million rows, there and back: a search that calls itself would overflow its stack.
    void strongComponentsOfALongPath()
    {
        constexpr std::int32_t n = 1'000'000;
        Csr path;
        path.rows = path.cols = n;
        path.rowPtr.resize(n + 1);
        for (std::int32_t r = 0; r < n; ++r) {
            path.rowPtr[r + 1] = r + 1;
            path.col.push_back((r + 1) % n);
            path.val.push_back(1);
        }
        QCOMPARE(computeFeatures(path).strongComponents, std::int64_t(1));
        path.col[n - 1] = n - 1; // the ring is cut
        QCOMPARE(computeFeatures(path).strongComponents, std::int64_t(n));
    }

    void structures()
    {
        const auto of = [](const std::vector<std::vector<float>>& dense) {
            return structureOf(computeFeatures(fromDense(dense)));
        };
        QCOMPARE(of({{1, 2}, {2, 0}}), std::string_view("symmetric"));
        QCOMPARE(of({{1, 2}, {3, 0}}), std::string_view("symmetric pattern"));
        QCOMPARE(of({{1, 2}, {0, 0}}), std::string_view("unsymmetric"));
        QCOMPARE(of({{1, 2, 0}, {2, 0, 0}}), std::string_view("rectangular"));
    }

    void againstDefinitions_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::addColumn<double>("density");
        QTest::newRow("square") << 50 << 50 << 0.15;
        QTest::newRow("sparse") << 61 << 61 << 0.01;
        QTest::newRow("wide") << 17 << 90 << 0.2;
        QTest::newRow("tall") << 120 << 6 << 0.3;
        QTest::newRow("one") << 1 << 1 << 1.0;
        QTest::newRow("zero") << 30 << 30 << 0.0;
        QTest::newRow("no rows") << 0 << 30 << 0.0;
        QTest::newRow("no columns") << 30 << 0 << 0.0;
        QTest::newRow("dense") << 40 << 40 << 1.0;
    }
    void againstDefinitions()
    {
        QFETCH(int, rows);
        QFETCH(int, cols);
        QFETCH(double, density);
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            auto dense = toDense(ragged(seed, rows, cols, density));
            if (rows == cols && seed % 2 == 1) {
                for (int r = 0; r < rows; ++r) { // Partly symmetric, in pattern and in values.
                    for (int c = 0; c < r / 2; ++c) {
                        dense[c][r] = dense[r][c] == 0 ? 0 : (r + c) % 3 == 0 ? 9.f : dense[r][c];
                    }
                }
            }
            const auto fast = computeFeatures(fromDense(dense, cols));
            const auto slow = slowly(dense, cols);
            for (const auto& spec : featureSpecs()) {
                QVERIFY2(near(spec.value(fast), spec.value(slow)),
                         (std::string(spec.key) + ": " + std::to_string(spec.value(fast)) + " instead of " +
                          std::to_string(spec.value(slow)))
                             .c_str());
            }
        }
    }

    void declarationsAndJson()
    {
        std::set<std::string> keys;
        for (const auto& spec : featureSpecs()) {
            QVERIFY(keys.insert(std::string(spec.key)).second);
            QVERIFY(!spec.name.empty() && spec.help.ends_with('.'));
        }
        const auto f = computeFeatures(ragged(1, 30, 20, 0.3));
        const auto json = toJson(f);
        QCOMPARE(json.size(), keys.size());
        QVERIFY(json["nnz"].is_number_integer());
        const auto back = featuresFromJson(json);
        QVERIFY(back.has_value());
        QCOMPARE(toJson(*back).dump(), json.dump());
        QVERIFY(!featuresFromJson(nlohmann::json::object()).has_value());
        QVERIFY(json["strong_components"].is_null()); // not square
        QVERIFY(!lacksFeatures(json));
        // What an older version wrote is read; what it did not know is not known.
        auto older = toJson(computeFeatures(ragged(1, 30, 30, 0.3)));
        QVERIFY(older["strong_components"].is_number_integer());
        older.erase("strong_components");
        older.erase("main_diagonal");
        QVERIFY(lacksFeatures(older));
        const auto read = featuresFromJson(older);
        QVERIFY(read && read->rows == 30 && read->strongComponents == -1 && read->mainDiagonal < 0);
        QVERIFY(!findFeature("strong_components")->known(*read) && findFeature("rows")->known(*read));
        QVERIFY(findFeature("row_mean") != nullptr);
        QVERIFY(findFeature("nothing") == nullptr);
    }

    void histograms()
    {
        // Lengths 2 0 3 1: bins 0, 1, 2..3.
        const auto bins =
            rowLengthHistogram(fromDense({{1, 0, 2, 0}, {0, 0, 0, 0}, {0, 3, 5, 4}, {6, 0, 0, 0}}).rowPtr);
        QCOMPARE(bins.size(), std::size_t(3));
        QCOMPARE(bins[0].rows, std::int64_t(1));
        QCOMPARE(bins[1].rows, std::int64_t(1));
        QCOMPARE(bins[2].low, std::int64_t(2));
        QCOMPARE(bins[2].high, std::int64_t(3));
        QCOMPARE(bins[2].rows, std::int64_t(2));
        QCOMPARE(bins[2].entries, std::int64_t(5));
        QVERIFY(rowLengthHistogram(Csr().rowPtr).empty());
    }
};

QTEST_GUILESS_MAIN(TestFeatures)
#include "tst_features.moc"
