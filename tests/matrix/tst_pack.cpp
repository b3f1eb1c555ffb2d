// SPDX-License-Identifier: Apache-2.0
// Pattern packs and what words on the command line stand for.
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "matrices.h"
#include "matrix/generate.h"
#include "matrix/matrix_list.h"
#include "matrix/pack.h"
#include "matrix/values.h"
#include "matrix/write.h"

#include <QTest>
#include <cstring>
#include <sys/resource.h>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

class TestPack : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        auto folder = TempDir::create();
        QVERIFY(folder);
        m_folder = std::make_unique<TempDir>(std::move(*folder));
    }

    void patternsComeBack()
    {
        std::vector<Csr> matrices = {ragged(1, 60, 45, 0.2), ragged(2, 1, 300, 0.5),
                                     ragged(3, 300, 1, 0.5), fromDense({}, 0),
                                     fromDense({}, 7),       fromDense({{0, 0}, {0, 0}})};
        for (const char* text : {"stencil2d(n=30,points=9)", "rmat(scale=9)", "lp(rows=400,cols=900,long=2)"})
            matrices.push_back(*generate(text));
        // Columns jump back and forth over the whole range.
        Csr wide;
        wide.rows = 3;
        wide.cols = 2147483647;
        wide.rowPtr = {0, 2, 3, 5};
        wide.col = {0, 2147483646, 2147483646, 0, 1};
        wide.val.resize(5);
        matrices.push_back(wide);

        PackWriter writer(3);
        for (std::size_t i = 0; i < matrices.size(); ++i)
            QVERIFY(writer.add(matrices[i], "m" + std::to_string(i), "irregular", "here"));
        QVERIFY(!writer.add(matrices[0], "m0"));
        const fs::path path = m_folder->path() / "a.pack";
        QVERIFY(writer.write(path));

        const auto pack = Pack::open(path);
        QVERIFY(pack);
        QCOMPARE(pack->entries().size(), matrices.size());
        QVERIFY(!pack->find("m99"));
        for (std::size_t i = 0; i < matrices.size(); ++i) {
            const PackEntry& entry = pack->entries()[i];
            QCOMPARE(entry.name, "m" + std::to_string(i));
            QCOMPARE(entry.structure, std::string("irregular"));
            QCOMPARE(entry.source, std::string("here"));
            auto got = pack->load(entry);
            QVERIFY(got);
            fillSeededValues(matrices[i]);
            QCOMPARE(got->rows, matrices[i].rows);
            QCOMPARE(got->cols, matrices[i].cols);
            QVERIFY(got->rowPtr == matrices[i].rowPtr && got->col == matrices[i].col);
            QVERIFY(got->val == matrices[i].val);
        }
    }

    /// Any damaged byte and any truncation is noticed, and nothing crashes.
    void damageIsRefused()
    {
        PackWriter writer(3);
        QVERIFY(writer.add(ragged(5, 40, 40, 0.3), "a"));
        QVERIFY(writer.add(ragged(6, 20, 70, 0.1), "b"));
        const fs::path path = m_folder->path() / "a.pack";
        QVERIFY(writer.write(path));
        const std::string good = *readFile(path);
        const auto refused = [&](const std::string& bytes) {
            if (!writeFileAtomic(path, bytes))
                return false;
            const auto pack = Pack::open(path);
            if (!pack)
                return !pack.error().what.empty() && pack.error().file == path.string();
            for (const PackEntry& entry : pack->entries()) {
                if (!pack->load(entry))
                    return true;
            }
            return false;
        };
        for (std::size_t i = 0; i < good.size(); i += i < 40 ? 1 : 7) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ 0x15);
            QVERIFY2(refused(bad), qPrintable(QStringLiteral("byte %1").arg(i)));
        }
        for (const std::size_t length :
             {std::size_t(0), std::size_t(5), std::size_t(19), good.size() / 2, good.size() - 1})
            QVERIFY2(refused(good.substr(0, length)), qPrintable(QStringLiteral("length %1").arg(length)));
        QVERIFY(!refused(good));
    }

    void smallPacksClaimNoMemory_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        for (const char* key : {"rows", "nnz", "cols"}) {
            for (const char* value :
                 {"2147483647", "2147483648", "4294967299", "-1", "1e300", "\"x\"", "null", "2.5"})
                QTest::addRow("%s = %s", key, value) << QByteArray(key) << QByteArray(value);
        }
        for (const char* key : {"offset", "bytes"}) {
            for (const char* value : {"18446744073709551615", "9223372036854775807", "-1", "1e300", "[]"})
                QTest::addRow("%s = %s", key, value) << QByteArray(key) << QByteArray(value);
        }
        QTest::newRow("content of 3 GB") << QByteArray("data") << QByteArray();
    }

    /// What a pack of some hundred bytes claims takes no gigabytes, and is refused where it is not so.
    void smallPacksClaimNoMemory()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        PackWriter writer(3);
        QVERIFY(writer.add(ragged(5, 6, 6, 0.5), "a"));
        const fs::path path = m_folder->path() / "a.pack";
        QVERIFY(writer.write(path));
        std::string bytes = *readFile(path);
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data() + 12, 8);
        auto index = *parseJson(bytes.substr(20, length));
        std::string data = bytes.substr(20 + length);
        auto& entry = index["matrices"][0];
        if (key == "data") { // a Zstandard frame of one empty block (RFC 8878) that names its content's size
            const std::uint64_t claimed = 3u << 30;
            data = std::string("\x28\xb5\x2f\xfd\xe0", 5);
            data.append(reinterpret_cast<const char*>(&claimed), 8);
            data.append("\x01\x00\x00", 3);
            entry["rows"] = entry["nnz"] = 2147483647;
            entry["offset"] = 0;
            entry["bytes"] = data.size();
        } else {
            entry[key.toStdString()] = *parseJson(value.toStdString());
        }
        const std::string text = index.dump();
        const std::uint32_t checksum = crc32Of(text.data(), text.size());
        length = text.size();
        bytes.resize(8);
        bytes.append(reinterpret_cast<const char*>(&checksum), 4);
        bytes.append(reinterpret_cast<const char*>(&length), 8);
        QVERIFY(writeFileAtomic(path, bytes + text + data));

        rusage before{}, after{};
        ::getrusage(RUSAGE_SELF, &before);
        const auto pack = Pack::open(path);
        const bool loads = pack && pack->load(pack->entries()[0]);
        ::getrusage(RUSAGE_SELF, &after);
        QVERIFY2(after.ru_maxrss - before.ru_maxrss < 64 << 10, "more than 64 MiB");
        QVERIFY(!loads);
    }

    /// A few bytes can hold millions of empty rows; who has not that much memory gets a sentence.
    void manyRowsNeedMemory()
    {
        Csr empty;
        empty.rows = 1000000;
        empty.cols = 1;
        empty.rowPtr.assign(1000001, 0);
        PackWriter writer(1);
        QVERIFY(writer.add(empty, "empty"));
        const fs::path path = m_folder->path() / "empty_rows.pack";
        QVERIFY(writer.write(path));
        QVERIFY(fs::file_size(path) < 1000);
        const auto pack = Pack::open(path);
        QVERIFY(pack);
        QVERIFY(pack->load(pack->entries().front()));
        const auto refused = pack->load(pack->entries().front(), 4'000'000);
        QVERIFY(!refused && refused.error().sentence().find("memory") != std::string::npos);
        ReadOptions options;
        options.memory = 4'000'000;
        const auto listed = listMatrices(path.string());
        QVERIFY(listed && !listed->front().load(options));
    }

    void wordsStandForMatrices()
    {
        const Csr a = ragged(7, 30, 20, 0.3);
        const fs::path file = m_folder->path() / "small.mtx", packed = m_folder->path() / "two.pack";
        QVERIFY(writeMatrixMarket(file, a));
        PackWriter writer(3);
        QVERIFY(writer.add(a, "first", "rectangular"));
        QVERIFY(writer.add(ragged(8, 9, 9, 0.4), "second"));
        QVERIFY(writer.write(packed));

        auto one = listMatrices(file.string());
        QVERIFY(one);
        QCOMPARE(one->size(), std::size_t(1));
        QCOMPARE(one->front().name, std::string("small"));
        QVERIFY(one->front().load({})->val == a.val);

        auto all = listMatrices(packed.string());
        QVERIFY(all);
        QCOMPARE(all->size(), std::size_t(2));
        QCOMPARE(all->front().structure, std::string("rectangular"));
        QCOMPARE(all->front().nnz, a.nnz());
        auto second = listMatrices(packed.string() + "#second");
        QVERIFY(second);
        QCOMPARE(second->size(), std::size_t(1));
        QCOMPARE(second->front().load({})->rows, 9);
        QVERIFY(!listMatrices(packed.string() + "#third"));

        auto generated = listMatrices("stencil2d(n=8)");
        QVERIFY(generated && generated->front().generated);
        QCOMPARE(generated->front().load({})->rows, 64);
        QVERIFY(!listMatrices("stencil2d(n=-1)"));
        const auto nothing = listMatrices("no/such/file.mtx");
        QVERIFY(!nothing && !nothing.error().remedy.empty());
    }

    void classesByThresholds()
    {
        const auto classOf = [](const char* text) { return structureClass(*generate(text)); };
        QCOMPARE(classOf("stencil2d(n=100)"), std::string("banded/narrow"));
        QCOMPARE(classOf("banded(n=4000,band=300,fill=0.02)"), std::string("banded/wide"));
        QCOMPARE(classOf("blockfem(nodes=900,block=4)"), std::string("block-structured"));
        QCOMPARE(classOf("rmat(scale=12,degree=8)"), std::string("power-law/skewed"));
        QCOMPARE(classOf("random(rows=3000,cols=3000,mean=8)"), std::string("irregular"));
        QCOMPARE(classOf("pruned(rows=256,cols=256,sparsity=0.7)"), std::string("dense-ish"));
        QCOMPARE(classOf("random(rows=3000,cols=30000,mean=8)"), std::string("rectangular"));
        QCOMPARE(classOf("random(rows=30000,cols=30000,mean=0.5)"), std::string("hyper-sparse"));
        QCOMPARE(structureClass(fromDense({{1, 0}, {0, 1}})), std::string("diagonal"));
    }

private:
    std::unique_ptr<TempDir> m_folder;
};

QTEST_GUILESS_MAIN(TestPack)
#include "tst_pack.moc"
