// SPDX-License-Identifier: Apache-2.0
// Density grids and the binary cache.
#include "base/files.h"
#include "matrices.h"
#include "matrix/cache.h"
#include "matrix/density.h"

#include <QTest>

#include <fstream>
#include <numeric>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

class TestStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tilesCountWhatIsThere()
    {
        const Csr a = ragged(3, 60, 45, 0.2);
        const auto dense = toDense(a);
        Rng rng(4);
        for (int i = 0; i < 200; ++i) {
            const auto r0 = rng.between(-5, 65);
            const auto r1 = rng.between(-5, 65);
            const auto c0 = rng.between(-5, 50);
            const auto c1 = rng.between(-5, 50);
            const auto grid = densityTile(a, r0, r1, c0, c1, static_cast<int>(rng.between(0, 70)),
                                          static_cast<int>(rng.between(0, 70)));
            std::uint32_t most = 0;
            for (int y = 0; y < grid.height; ++y) {
                for (int x = 0; x < grid.width; ++x) {
                    std::uint32_t count = 0;
                    for (auto r = grid.firstRow(y); r < grid.firstRow(y + 1); ++r) {
                        for (auto c = grid.firstCol(x); c < grid.firstCol(x + 1); ++c) {
                            count += dense[r][c] != 0;
                        }
                    }
                    QCOMPARE(grid.at(y, x), count);
                    most = std::max(most, count);
                    QVERIFY(grid.firstRow(y + 1) > grid.firstRow(y)); // No empty cells.
                }
            }
            QCOMPARE(grid.most, most);
            QVERIFY(grid.rowBegin >= 0 && grid.rowEnd <= a.rows && grid.colEnd <= a.cols);
        }
        // High zoom: one cell an entry.
        const auto exact = densityTile(a, 10, 20, 5, 15, 640, 480);
        QCOMPARE(exact.width, 10);
        QCOMPARE(exact.height, 10);
        QCOMPARE(exact.at(3, 4), dense[13][9] != 0 ? 1u : 0u);
        QCOMPARE(exact.fill(3, 4), dense[13][9] != 0 ? 1.0 : 0.0);
    }

    void pyramidsKeepEveryEntry()
    {
        for (const auto& [rows, cols] :
             std::vector<std::pair<int, int>>{{300, 100}, {1, 500}, {90, 1}, {64, 64}}) {
            const Csr a = ragged(5, rows, cols, 0.1);
            const auto pyramid = buildDensityPyramid(a, 128);
            QVERIFY(!pyramid.levels.empty());
            QVERIFY(pyramid.levels.front().width <= 128 && pyramid.levels.front().height <= 128);
            QVERIFY(pyramid.levels.back().width <= 64 && pyramid.levels.back().height <= 64);
            for (const auto& level : pyramid.levels) {
                QCOMPARE(std::accumulate(level.counts.begin(), level.counts.end(), std::int64_t(0)), a.nnz());
                // Every level is the grid that a tile of its size would be.
                const auto direct = densityTile(a, 0, rows, 0, cols, level.width, level.height);
                QVERIFY(direct.counts == level.counts);
                QCOMPARE(direct.most, level.most);
            }
            const auto back = parseDensityPyramid(serialize(pyramid));
            QVERIFY(back.has_value());
            QCOMPARE(back->levels.size(), pyramid.levels.size());
            QVERIFY(back->levels.back().counts == pyramid.levels.back().counts);
            QVERIFY(pyramid.levelFor(10000, 10000) == &pyramid.levels.front());
            QVERIFY(pyramid.levelFor(1, 1) == &pyramid.levels.back());
            for (const auto& level : pyramid.levels)
                QVERIFY(pyramid.levelFor(level.width, level.height) == &level);
        }
        const auto empty = buildDensityPyramid(Csr());
        QVERIFY(empty.levels.empty());
        QVERIFY(empty.levelFor(10, 10) == nullptr);
        QVERIFY(parseDensityPyramid(serialize(empty)).has_value());
    }

    void damagedPyramidsAreRefused()
    {
        const std::string good = serialize(buildDensityPyramid(ragged(5, 50, 60, 0.1)));
        Rng rng(1);
        for (int i = 0; i < 500; ++i) {
            std::string bad = good;
            if (rng.chance(0.5)) {
                bad.resize(rng.below(bad.size()));
            } else {
                const auto at = rng.below(bad.size());
                bad[at] = static_cast<char>(bad[at] ^ (1 << rng.below(8)));
            }
            QVERIFY(!parseDensityPyramid(bad).has_value());
        }
    }

    void entriesUnderACursor()
    {
        const Csr a = fromDense({{1, 0, 2}, {0, 3, 0}});
        float value = 0;
        QVERIFY(findEntry(a, 0, 2, value));
        QCOMPARE(value, 2.0f);
        QVERIFY(!findEntry(a, 1, 2, value));
        QVERIFY(!findEntry(a, -1, 0, value));
        QVERIFY(!findEntry(a, 0, 3, value));
        QVERIFY(!findEntry(a, 2, 0, value));
    }

    void cacheRoundTrip()
    {
        auto dir = TempDir::create();
        const MatrixCache cache(dir->path() / "cache");
        for (const Csr& a : {ragged(1, 70, 33, 0.2), Csr(), ragged(2, 5, 5, 0.0), fromDense({{1}})}) {
            QVERIFY(!cache.has(digest(a)));
            const auto name = cache.store(a);
            QVERIFY2(name.has_value(), name ? "" : name.error().sentence().c_str());
            QCOMPARE(*name, digest(a));
            QVERIFY(cache.has(*name));
            const auto back = cache.load(*name);
            QVERIFY2(back.has_value(), back ? "" : back.error().sentence().c_str());
            QCOMPARE(digest(*back), *name);
            QVERIFY(back->rowPtr == a.rowPtr && back->col == a.col && back->val == a.val);
            QVERIFY(cache.loadPyramid(*name).has_value());
            QVERIFY(cache.store(a).has_value()); // Again: nothing to do.
        }
        QVERIFY(!cache.load(std::string(64, '0')).has_value());
    }

    /// Doubles that floats cannot hold lie beside the matrix, whose file and digest are as without them.
    void doublesLieBesideTheMatrix()
    {
        auto dir = TempDir::create();
        const MatrixCache cache(dir->path()), plain(dir->path() / "plain");
        Csr a = fromDense({{1, 0, 2}, {0, 3, 0}});
        const std::string name = plain.store(a).value();
        QVERIFY(!fs::exists(plain.doublesPath(name)) && doublesDigest(a).empty());
        a.val64 = {1 + 0x1p-30, 2, 3};
        QCOMPARE(cache.store(a).value(), name);
        QCOMPARE(readFile(cache.matrixPath(name)).value(), readFile(plain.matrixPath(name)).value());
        QVERIFY(cache.load(name)->val64.empty());
        QVERIFY(cache.load(name, true)->val64 == a.val64);
        QVERIFY(plain.load(name, true)->val64.empty());
        // Others that round to the same floats take their place, and are told apart.
        Csr other = a;
        other.val64[1] = 2 + 0x1p-40;
        QVERIFY(doublesDigest(a) != doublesDigest(other));
        QCOMPARE(doublesDigest(inType(a, ElementType::F64)), doublesDigest(a));
        QCOMPARE(cache.store(other).value(), name);
        QVERIFY(cache.load(name, true)->val64 == other.val64);

        const fs::path path = cache.doublesPath(name);
        const std::string good = readFile(path).value();
        std::vector<std::string> damaged{"", "garbage", good.substr(0, 100), good.substr(0, good.size() - 1),
                                         good + "x"};
        for (const std::size_t at : {0, 8, 12, 16, 24, 130, 150})
            damaged.push_back(std::string(good).replace(at, 1, 1, static_cast<char>(good[at] ^ 1)));
        for (const std::string& bytes : damaged) {
            QVERIFY(writeFileAtomic(path, bytes).has_value());
            const auto refused = cache.load(name, true);
            QVERIFY(!refused &&
                    refused.error().sentence().find("mport the matrix again") != std::string::npos);
            QVERIFY(cache.load(name).has_value()); // Floats need none of it.
        }
        // Whole, but of values that the matrix does not have.
        QVERIFY(writeDoublesFile(path, {1, 2, 4}, name).has_value());
        QVERIFY(!cache.load(name, true));
    }

    void mappedMatricesAreTheSame()
    {
        auto dir = TempDir::create();
        const MatrixCache cache(dir->path());
        for (const Csr& a : {ragged(1, 70, 33, 0.2), Csr(), ragged(2, 5, 5, 0.0), fromDense({{1}})}) {
            const std::string name = cache.store(a).value();
            const auto mapped = cache.map(name);
            QVERIFY2(mapped.has_value(), mapped ? "" : mapped.error().sentence().c_str());
            const CsrView& view = mapped->view();
            QCOMPARE(view.rows, a.rows);
            QCOMPARE(view.cols, a.cols);
            QVERIFY(std::equal(view.rowPtr.begin(), view.rowPtr.end(), a.rowPtr.begin(), a.rowPtr.end()));
            QVERIFY(std::equal(view.col.begin(), view.col.end(), a.col.begin(), a.col.end()));
            QVERIFY(std::equal(view.val.begin(), view.val.end(), a.val.begin(), a.val.end()));
        }
        QVERIFY(!cache.map(std::string(64, '0')).has_value());
    }

    void aLostPyramidIsRebuilt()
    {
        auto dir = TempDir::create();
        const MatrixCache cache(dir->path());
        const Csr a = ragged(1, 70, 33, 0.2);
        const std::string name = cache.store(a).value();
        const std::string good = readFile(cache.pyramidPath(name)).value();
        QVERIFY(writeFileAtomic(cache.pyramidPath(name), "garbage").has_value());
        QVERIFY(cache.loadPyramid(name).has_value());
        QCOMPARE(readFile(cache.pyramidPath(name)).value(), good);
        fs::remove(cache.pyramidPath(name));
        QCOMPARE(serialize(cache.loadPyramid(name).value()), good);
    }

    void damagedFilesAreRefusedWithASentence()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "m.csr";
        const Csr a = ragged(1, 70, 33, 0.2);
        QVERIFY(writeMatrixFile(path, a, digest(a)).has_value());
        const std::string good = readFile(path).value();
        Rng rng(1);
        for (int i = 0; i < 300; ++i) {
            std::string bad = good;
            if (rng.chance(0.3)) {
                bad.resize(rng.below(bad.size()));
            } else if (rng.chance(0.1)) {
                bad += 'x';
            } else {
                auto at = rng.below(bad.size());
                while (at >= 32 && at < 128) { // The digest and what is reserved carry no data.
                    at = rng.below(bad.size());
                }
                bad[at] = static_cast<char>(bad[at] ^ (1 << rng.below(8)));
            }
            std::ofstream(path, std::ios::binary) << bad; // Without the fsync of an atomic write: many times.
            const auto read = readMatrixFile(path);
            QVERIFY(!read.has_value());
            QVERIFY(read.error().what.find("matrix file") != std::string::npos);
        }
        // What is mapped is not read whole: row pointers are checked, and a column that lies leads nowhere.
        for (int i = 0; i < 300; ++i) {
            std::string bad = good;
            const auto at = rng.between(128, static_cast<std::int64_t>(bad.size()) - 1);
            bad[static_cast<std::size_t>(at)] =
                static_cast<char>(bad[static_cast<std::size_t>(at)] ^ (1 << rng.below(8)));
            std::ofstream(path, std::ios::binary) << bad;
            const auto mapped = MappedMatrix::open(path);
            if (!mapped) {
                QVERIFY(mapped.error().what.find("row pointers") != std::string::npos);
                continue;
            }
            const auto grid = densityTile(mapped->view(), 0, a.rows, 0, a.cols, 20, 30);
            QVERIFY(std::accumulate(grid.counts.begin(), grid.counts.end(), std::int64_t(0)) <= a.nnz());
            (void)densityTile(mapped->view(), 10, 60, 5, 20, 50, 50);
            float value = 0;
            for (int r = 0; r < a.rows; ++r)
                (void)findEntry(mapped->view(), r, r % a.cols, value);
        }
        std::ofstream(path, std::ios::binary) << good.substr(0, good.size() - 1);
        QVERIFY(!MappedMatrix::open(path).has_value());
        // Cut while it is mapped: its rows hold, and what is missing leads nowhere.
        for (const std::size_t left : {good.size() - 1, good.size() / 2, std::size_t(4096), std::size_t(0)}) {
            std::ofstream(path, std::ios::binary) << good;
            const auto mapped = MappedMatrix::open(path);
            QVERIFY(mapped && mapped->whole());
            fs::resize_file(path, left);
            const auto grid = densityTile(mapped->view(), 0, a.rows, 0, a.cols, 20, 30);
            QVERIFY(std::accumulate(grid.counts.begin(), grid.counts.end(), std::int64_t(0)) <= a.nnz());
            float value = 0;
            for (int r = 0; r < a.rows; ++r)
                (void)findEntry(mapped->view(), r, r % a.cols, value);
            if (left == 0)
                QVERIFY(!mapped->whole());
        }
        // A checksum that fits wrong contents does not help either.
        Csr lies = a;
        lies.col[5] = lies.cols;
        QVERIFY(writeMatrixFile(path, lies, digest(a)).has_value());
        QVERIFY(!readMatrixFile(path).has_value());
    }
};

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
