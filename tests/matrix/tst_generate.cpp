// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"
#include "matrix/features.h"
#include "matrix/generate.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace sparserl;
using namespace sparserl::test;

namespace {

Csr make(const std::string& text)
{
    auto matrix = generate(text);
    if (!matrix) {
        throw std::runtime_error(matrix.error().sentence());
    }
    if (!matrix->valid()) {
        throw std::runtime_error("not valid: " + text);
    }
    for (const float value : matrix->val) {
        if (value == 0 || !std::isfinite(value)) {
            throw std::runtime_error("zero or not finite: " + text);
        }
    }
    return std::move(*matrix);
}

} // namespace

class TestGenerate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Told before anything is made: every kind, at the size where it takes 64 MiB and more.
    void tooMuchIsToldBefore()
    {
        for (const std::string text :
             {"stencil2d(n=2000)", "stencil3d(n=120)", "banded(n=300000)", "wideband(n=900000)",
              "diagonals(n=1500000)", "blockfem(nodes=300000)", "rmat(scale=20)", "lp(rows=1000000)",
              "pruned(rows=9000,cols=9000)", "random(rows=900000)"}) {
            const auto refused = generate(text, std::int64_t(64) << 20);
            QVERIFY2(!refused, text.c_str());
            QVERIFY2(refused.error().sentence().find("of memory") != std::string::npos,
                     refused.error().sentence().c_str());
            const std::string kind = text.substr(0, text.find('('));
            QVERIFY(generate(kind, std::int64_t(64) << 20).has_value()); // as it is without numbers
        }
    }

    void stencils()
    {
        // Inner points have all neighbours; a grid of n x m has 2nm - n - m edges.
        const Csr five = make("stencil2d(n=7,m=5)");
        QCOMPARE(five.rows, 35);
        QCOMPARE(five.nnz(), std::int64_t(35 + 2 * (2 * 35 - 7 - 5)));
        const auto d = toDense(five);
        QVERIFY(d[12][12] != 0 && d[12][11] != 0 && d[12][13] != 0 && d[12][7] != 0 && d[12][17] != 0);
        QVERIFY(d[4][5] == 0); // No wrap around the end of a line.
        QCOMPARE(make("stencil2d(n=6,points=9)").nnz(), std::int64_t(16 * 16)); // (3 n - 2)^2
        const auto thirteen = computeFeatures(make("stencil2d(n=9,points=13)"));
        QCOMPARE(thirteen.rowMax, std::int64_t(13));
        QCOMPARE(thirteen.diagonals, std::int64_t(13));
        QCOMPARE(thirteen.patternSymmetry, 1.0);
        const auto seven = computeFeatures(make("stencil3d(n=5)"));
        QCOMPARE(seven.rows, std::int64_t(125));
        QCOMPARE(seven.nnz, std::int64_t(125 + 2 * 3 * 100));
        QCOMPARE(make("stencil3d(n=5,points=27)").nnz(), std::int64_t(13 * 13 * 13));
        QCOMPARE(computeFeatures(make("stencil3d(n=5,points=19)")).rowMax, std::int64_t(19));
    }

    void bands()
    {
        const auto f = computeFeatures(make("banded(n=500,band=10,fill=0.5)"));
        QVERIFY(f.bandwidthMax <= 10);
        const double expected = 500 + 0.5 * (500.0 * 20 - 110);
        QVERIFY(std::abs(static_cast<double>(f.nnz) - expected) < 5 * std::sqrt(expected / 2));
        QCOMPARE(make("banded(n=50,band=3,fill=0)").nnz(), std::int64_t(50));
        QCOMPARE(make("banded(n=5,band=100,fill=1)").nnz(), std::int64_t(25));
    }

    void wideBands()
    {
        // Drawn by gaps: as many entries as places times their probability, anywhere in the band.
        const auto f = computeFeatures(make("wideband(n=20000,band=3000,mean=12)"));
        const double expected = 20000 + 0.002 * (20000.0 * 6000 - 3000.0 * 3001);
        QVERIFY(std::abs(static_cast<double>(f.nnz) - expected) < 5 * std::sqrt(expected));
        QVERIFY(f.bandwidthMax <= 3000 && f.bandwidthMax > 2900);
        QCOMPARE(f.rowMin >= 1, true);
        QVERIFY(std::abs(f.bandwidthMean / (1500.0 * 12 / 13) - 1) < 0.05);
    }

    void scatteredDiagonals()
    {
        const auto f = computeFeatures(make("diagonals(n=3000,count=7,spread=900)"));
        QCOMPARE(f.diagonals, std::int64_t(7));
        QVERIFY(f.bandwidthMax <= 900);
        QVERIFY(f.rowMax == 7 && f.rowMin >= 1);
        const auto half = computeFeatures(make("diagonals(n=3000,count=7,spread=900,fill=0.5)"));
        QVERIFY(half.nnz < f.nnz * 2 / 3 && half.nnz > f.nnz / 2);
        QCOMPARE(make("diagonals(n=4,count=9,spread=1)").nnz(), std::int64_t(10));
    }

    void finiteElements()
    {
        const auto f = computeFeatures(make("blockfem(nodes=100,block=4)"));
        QCOMPARE(f.rows, std::int64_t(400));
        QCOMPARE(f.blockFill[1], 1.0); // Aligned 4x4 blocks are full.
        QCOMPARE(f.rowMax, std::int64_t(28));
        QCOMPARE(f.patternSymmetry, 1.0);
        QCOMPARE(f.valueSymmetry, 1.0);
        const auto scrambled = computeFeatures(make("blockfem(nodes=100,block=4,scramble=1)"));
        QCOMPARE(scrambled.nnz, f.nnz);
        QVERIFY(scrambled.bandwidthMean > 2 * f.bandwidthMean);
        QCOMPARE(scrambled.blockFill[1], 1.0);
    }

    void powerLaw()
    {
        const auto f = computeFeatures(make("rmat(scale=12,degree=8)"));
        QCOMPARE(f.rows, std::int64_t(4096));
        QVERIFY(f.nnz > 4096 * 6 && f.nnz <= 4096 * 8);
        QVERIFY(f.rowCv > 1.5);
        const auto flat = computeFeatures(make("rmat(scale=12,degree=8,a=0.25,b=0.25,c=0.25)"));
        QVERIFY(flat.rowCv < 0.5); // Poisson: 1 / sqrt(8)
    }

    void linearPrograms()
    {
        const auto f = computeFeatures(make("lp(rows=2000,cols=3000,mean=5,long=3,longfill=0.5)"));
        QCOMPARE(f.rowMax, std::int64_t(1500));
        QVERIFY(f.rowQ99 < 40);
        QVERIFY(f.rowMin >= 1);
        const Csr a = make("lp(rows=2000,cols=3000,mean=5,long=3,longfill=0.5)");
        int longRows = 0;
        double shortEntries = 0;
        for (int r = 0; r < a.rows; ++r) {
            longRows += a.rowLength(r) == 1500;
            shortEntries += a.rowLength(r) == 1500 ? 0 : a.rowLength(r);
        }
        QCOMPARE(longRows, 3);
        QVERIFY(std::abs(shortEntries / 1997 - 5) < 5 * std::sqrt(20.0 / 1997));
    }

    void networks()
    {
        const auto f = computeFeatures(make("pruned(rows=256,cols=1024,sparsity=0.9)"));
        QVERIFY(std::abs(f.density - 0.1) < 0.01);
        QVERIFY(f.rowCv > 0.1 && f.rowCv < 0.3);
        QCOMPARE(make("pruned(rows=20,cols=30,sparsity=0,spread=0)").nnz(), std::int64_t(600));
        QCOMPARE(make("pruned(rows=20,cols=30,sparsity=1)").nnz(), std::int64_t(0));
        const auto r = computeFeatures(make("random(rows=1000,cols=2000,mean=6)"));
        QVERIFY(r.nnz > 5900 && r.nnz <= 6000);
    }

    void sameTextSameMatrix()
    {
        std::set<std::string> digests;
        for (const auto& kind : generatorKinds()) {
            const Csr a = make(kind.name + "()");
            QCOMPARE(digest(a), digest(make(kind.name)));
            QVERIFY2(a.nnz() > 0, kind.name.c_str());
            QVERIFY2(digests.insert(digest(a)).second, kind.name.c_str());
            QVERIFY2(digests.insert(digest(make(kind.name + "(seed=2)"))).second, kind.name.c_str());
        }
    }

    void digestsNeverChange()
    {
        // Projects name generated matrices by text and expect the same bits for ever and everywhere. A change
        // here breaks their digests: give the generator a new name instead.
        const std::map<std::string, std::string> known{
            {"stencil2d(n=16)", "4902ab115e70"},         {"stencil3d(n=6)", "cb17b5b74af1"},
            {"banded(n=200)", "b0c8d8fe91c3"},           {"blockfem(nodes=64)", "81914821417a"},
            {"rmat(scale=8)", "c2d8d80fa2c3"},           {"lp(rows=200,cols=300)", "6a3f42e4059b"},
            {"pruned(rows=64,cols=64)", "585f367f8990"}, {"random(rows=100,cols=100)", "dbec7267df8a"},
            {"wideband(n=300)", "b44f1dcf5337"},         {"diagonals(n=300)", "315aecaa302e"}};
        for (const auto& [text, start] : known) {
            QVERIFY2(digest(make(text)).substr(0, 12) == start,
                     (text + " has " + digest(make(text))).c_str());
        }
    }

    void texts()
    {
        const auto spec = parseGenerator(" stencil2d ( points = 9 , n=32 ) ");
        QVERIFY(spec.has_value());
        QCOMPARE(spec->text(), std::string("stencil2d(n=32,points=9)"));
        QCOMPARE(parseGenerator(spec->text())->text(), spec->text());
        QCOMPARE(parseGenerator("rmat")->text(), std::string("rmat()"));
        QCOMPARE(parseGenerator("lp(mean=2.5,seed=7)")->text(), std::string("lp(mean=2.5,seed=7)"));
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "stencil", "stencil2d(n=0)", "stencil2d(n=8", "stencil2d(n)", "stencil2d(k=3)",
              "stencil2d(points=7)", "stencil2d(n=1e8)", "rmat(a=0.9,b=0.2)", "rmat(scale=26,degree=1000)",
              "random(rows=1e8,mean=1e6)", "banded(n=1e8,band=1e8)", "pruned(rows=1e8,cols=1e8)",
              "lp(rows=10)x"}) {
            QTest::newRow(text) << QString::fromLatin1(text);
        }
    }
    void refusals()
    {
        QFETCH(QString, text);
        const auto matrix = generate(text.toStdString());
        QVERIFY(!matrix.has_value());
        QVERIFY(!matrix.error().what.empty());
    }
};

QTEST_GUILESS_MAIN(TestGenerate)
#include "tst_generate.moc"
