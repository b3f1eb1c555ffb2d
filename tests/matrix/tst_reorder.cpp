// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"
#include "matrix/features.h"
#include "matrix/generate.h"
#include "matrix/reorder.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace sparserl;
using namespace sparserl::test;

namespace {

Order shuffled(int n, std::uint64_t seed)
{
    Order order(n);
    std::iota(order.begin(), order.end(), 0);
    Rng rng(seed);
    rng.shuffle(order);
    return order;
}

} // namespace

class TestReorder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void entriesMoveAsTold()
    {
        const Csr a = ragged(3, 30, 20, 0.3);
        const auto rows = shuffled(30, 1);
        const auto cols = shuffled(20, 2);
        const Csr b = reordered(a, rows, cols);
        QVERIFY(b.valid());
        const auto before = toDense(a);
        const auto after = toDense(b);
        for (int i = 0; i < 30; ++i) {
            for (int j = 0; j < 20; ++j) {
                QCOMPARE(after[i][j], before[rows[i]][cols[j]]);
            }
        }
        QCOMPARE(digest(reordered(a, {}, {})), digest(a));
    }

    void longestFirst()
    {
        const Csr a = fromDense({{1, 0, 0}, {1, 1, 1}, {0, 0, 0}, {0, 1, 0}});
        QCOMPARE(longestRowsFirst(a), (Order{1, 0, 3, 2}));
    }

    void aShuffledPathBecomesTridiagonal()
    {
        const Csr path = generate("stencil2d(n=40,m=1)").value(); // Tridiagonal.
        const auto mix = shuffled(40, 3);
        const Csr mixed = reordered(path, mix, mix);
        QVERIFY(computeFeatures(mixed).bandwidthMax > 5);
        const auto order = reverseCuthillMcKee(mixed);
        QCOMPARE(computeFeatures(reordered(mixed, order, order)).bandwidthMax, std::int64_t(1));
    }

    void meshesGetNarrow()
    {
        const Csr mesh = generate("stencil2d(n=30)").value();
        const auto mix = shuffled(900, 4);
        const Csr mixed = reordered(mesh, mix, mix);
        const auto order = reverseCuthillMcKee(mixed);
        auto sorted = order;
        std::sort(sorted.begin(), sorted.end());
        for (int i = 0; i < 900; ++i) {
            QCOMPARE(sorted[i], i);
        }
        // A grid of n x n has bandwidth n at best; Cuthill-McKee walks its diagonals and gets close.
        const auto f = computeFeatures(reordered(mixed, order, order));
        QVERIFY(f.bandwidthMax <= 60);
        QCOMPARE(f.nnz, mesh.nnz());
    }

    /// A shuffled matrix has the same entries elsewhere, by the seed; so has one with its longest rows first.
    void wholeMatricesInAnyOrder()
    {
        for (const auto order :
             {MatrixOrder::AsIs, MatrixOrder::LongestFirst, MatrixOrder::CuthillMcKee, MatrixOrder::Shuffled})
            QVERIFY(matrixOrderFromName(nameOf(order)) == order);
        QVERIFY(!matrixOrderFromName("upside-down"));
        for (const int columns : {40, 25}) {
            const Csr a = ragged(7, 40, columns, 0.2);
            const auto values = [](const Csr& m) {
                std::vector<float> sorted = m.val;
                std::sort(sorted.begin(), sorted.end());
                return sorted;
            };
            const auto lengths = [](const Csr& m) {
                std::vector<int> all;
                for (int r = 0; r < m.rows; ++r)
                    all.push_back(m.rowLength(r));
                return all;
            };
            QCOMPARE(digest(inOrder(a, MatrixOrder::AsIs, 1)), digest(a));
            const Csr first = inOrder(a, MatrixOrder::LongestFirst, 1);
            auto sorted = lengths(a);
            std::sort(sorted.begin(), sorted.end(), std::greater<>());
            QCOMPARE(lengths(first), sorted);
            QCOMPARE(values(first), values(a));
            const Csr mixed = inOrder(a, MatrixOrder::Shuffled, 1);
            auto mixedLengths = lengths(mixed);
            QVERIFY(mixedLengths != lengths(a));
            std::sort(mixedLengths.begin(), mixedLengths.end(), std::greater<>());
            QCOMPARE(mixedLengths, sorted);
            QCOMPARE(values(mixed), values(a));
            QCOMPARE(digest(inOrder(a, MatrixOrder::Shuffled, 1)), digest(mixed));
            QVERIFY(digest(inOrder(a, MatrixOrder::Shuffled, 2)) != digest(mixed));
            const Csr near = inOrder(a, MatrixOrder::CuthillMcKee, 1);
            QCOMPARE(values(near), values(a));
            QVERIFY((digest(near) == digest(a)) == (columns != 40));
            // Doubles go where their floats go.
            Csr wide = a;
            for (const float value : a.val)
                wide.val64.push_back(value * (1 + 0x1p-40));
            const Csr moved = inOrder(wide, MatrixOrder::Shuffled, 1);
            QCOMPARE(digest(moved), digest(mixed));
            QCOMPARE(moved.val64.size(), moved.val.size());
            for (std::size_t k = 0; k < moved.val.size(); ++k)
                QCOMPARE(moved.val64[k], moved.val[k] * (1 + 0x1p-40));
        }
    }

    void anyMatrixIsPossible()
    {
        for (const Csr& a : {Csr(), ragged(1, 12, 12, 0.0), ragged(2, 50, 50, 0.02), fromDense({{1}})}) {
            auto order = reverseCuthillMcKee(a); // One-sided entries, many components, empty rows.
            QCOMPARE(order.size(), std::size_t(a.rows));
            std::sort(order.begin(), order.end());
            for (int i = 0; i < a.rows; ++i) {
                QCOMPARE(order[i], i);
            }
        }
        const auto identity = reverseCuthillMcKee(ragged(1, 3, 5, 0.5));
        QCOMPARE(identity, (Order{0, 1, 2}));
    }

    void whatCannotBeReorderedSaysSo()
    {
        const auto rectangular = reorder(ragged(1, 3, 5, 0.5), MatrixOrder::CuthillMcKee);
        QVERIFY(!rectangular && rectangular.error().what.find("square") != std::string::npos);
        const Csr a = ragged(3, 40, 40, 0.2);
        const auto sorted = reorder(a, MatrixOrder::LongestFirst);
        QVERIFY(sorted && sorted->columns.empty());
        for (int r = 0; r < a.rows; ++r) {
            QCOMPARE(sorted->matrix.rowLength(r), a.rowLength(sorted->rows[r]));
            QVERIFY(r == 0 || sorted->matrix.rowLength(r) <= sorted->matrix.rowLength(r - 1));
        }
        CancelToken cancelled;
        cancelled.cancel();
        QVERIFY(!reorder(a, MatrixOrder::CuthillMcKee, cancelled));
        Csr damaged = a;
        damaged.col[7] = -3;
        QVERIFY(!reorder(damaged, MatrixOrder::CuthillMcKee));
    }
};

QTEST_GUILESS_MAIN(TestReorder)
#include "tst_reorder.moc"
