// SPDX-License-Identifier: Apache-2.0
// Matrices as other programs write them: SciPy, NumPy, PETSc, Harwell-Boeing, archives of all kinds, and what
// is none of them. The files and what is in them come from tests/tools/make_matrix_fixtures.py, that is from
// SciPy; hostile ones are made here.
#include "base/files.h"
#include "base/json.h"
#include "matrix/read.h"
#include "tests/matrix/archives.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <ctime>
#include <map>
#include <set>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(SPARSERL_SOURCE_DIR) / "tests/matrix/fixtures/formats";

nlohmann::json expectations(const char* part)
{
    auto json = readJson(folder / "expected.json");
    if (!json)
        qFatal("%s", json.error().sentence().c_str());
    return (*json)[part];
}

/// One sentence, no longer than a person reads.
void checkSentence(const Error& error)
{
    const std::string text = error.sentence();
    QVERIFY2(error.what.size() > 10 && text.size() < 1500, text.c_str());
    QVERIFY2(text.find('\n') == std::string::npos, text.c_str()); // what it quotes goes through printable()
}

std::string market(const std::string& rest = "3 3 2\n1 1 1.5\n3 2 -2\n")
{
    return "%%MatrixMarket matrix coordinate real general\n" + rest;
}

} // namespace

class TestInputFormats : public QObject
{
    Q_OBJECT

    static void addRows(const char* part)
    {
        QTest::addColumn<QByteArray>("file");
        const auto all = expectations(part);
        for (const auto& [name, value] : all.items())
            QTest::newRow(name.c_str()) << QByteArray::fromStdString(name);
    }

private Q_SLOTS:
    void whatOthersWriteIsRead_data() { addRows("read"); }
    void whatOthersWriteIsRead()
    {
        QFETCH(QByteArray, file);
        const auto expected = expectations("read")[file.toStdString()];
        const auto read = readMatrix(folder / file.toStdString());
        QVERIFY2(read.has_value(), read ? "" : read.error().sentence().c_str());
        const Csr& matrix = read->matrix;
        QVERIFY(matrix.valid());
        QCOMPARE(matrix.rows, expected["rows"].get<int>());
        QCOMPARE(matrix.cols, expected["cols"].get<int>());
        QCOMPARE(matrix.nnz(), std::int64_t(expected["entries"].size()));
        std::size_t at = 0;
        for (std::int32_t row = 0; row < matrix.rows; ++row) {
            for (std::int32_t k = matrix.rowPtr[row]; k < matrix.rowPtr[row + 1]; ++k, ++at) {
                const auto& entry = expected["entries"][at];
                QCOMPARE(row, entry[0].get<int>());
                QCOMPARE(matrix.col[k], entry[1].get<int>());
                QCOMPARE(std::bit_cast<std::uint32_t>(matrix.val[k]), entry[2].get<std::uint32_t>());
            }
        }
        QVERIFY(!read->source.format.empty() && !read->source.storage.empty() && !read->source.field.empty());
    }

    /// On request what floats cannot hold is kept, and everything else is as it was.
    void doublesAreKept_data() { addRows("read"); }
    void doublesAreKept()
    {
        QFETCH(QByteArray, file);
        ReadOptions keeping;
        keeping.doubles = true;
        const auto plain = readMatrix(folder / file.toStdString());
        const auto read = readMatrix(folder / file.toStdString(), keeping);
        QVERIFY(plain && read);
        const Csr &floats = plain->matrix, &both = read->matrix;
        QVERIFY(floats.val64.empty() && both.valid() && both.type == ElementType::F32);
        QCOMPARE(digest(both), digest(floats));
        QVERIFY(both.val == floats.val);
        QCOMPARE(doublesDigest(both).empty(), both.val64.empty());
        for (std::size_t k = 0; k < both.val64.size(); ++k)
            QCOMPARE(static_cast<float>(both.val64[k]), both.val[k]);
    }

    void doublesAreThoseOfTheFile()
    {
        ReadOptions keeping;
        keeping.doubles = true;
        const auto read = [&](const char* file) { return readMatrix(folder / file, keeping).value().matrix; };
        // The same matrix in text of 17 digits and in binary.
        const Csr text = read("d.rua"), binary = read("f8.petsc");
        QCOMPARE(text.val64.front(), 7.8942240368119554e-01);
        QVERIFY(text.val64 == binary.val64 && text.col == binary.col);
        QCOMPARE(doublesDigest(text), doublesDigest(binary));
        // The values of a dense array are at its file's end, row by row.
        const Csr dense = read("f8.npy");
        const std::string bytes = readFile(folder / "f8.npy").value();
        std::vector<double> all(static_cast<std::size_t>(dense.rows) * static_cast<std::size_t>(dense.cols));
        std::memcpy(all.data(), bytes.data() + bytes.size() - 8 * all.size(), 8 * all.size());
        std::erase(all, 0.0);
        QVERIFY(!dense.val64.empty() && dense.val64 == all);
        const auto scipy = readMatrix(folder / "csr.npz", keeping);
        QVERIFY(scipy && !scipy->matrix.val64.empty());
        // Duplicates are summed in double precision.
        const auto sums = readMatrixFromBytes(market("2 2 3\n1 1 0.1\n1 1 0.2\n2 2 1\n"), "m.mtx", keeping);
        QVERIFY(sums && sums->matrix.val64 == (std::vector<double>{0.1 + 0.2, 1.0}));
        QCOMPARE(inType(sums->matrix, ElementType::F64).val64[0], 0.1 + 0.2);
    }

    void atLeastTwelveFormats()
    {
        std::set<std::string> kinds;
        const auto all = expectations("read"); // items() does not keep it
        for (const auto& [name, value] : all.items()) {
            const auto read = readMatrix(folder / name);
            QVERIFY(read.has_value());
            kinds.insert(read->source.format + " " + read->source.storage + " " + read->source.symmetry +
                         (read->source.compressed ? " compressed" : ""));
        }
        QVERIFY2(kinds.size() >= 12, qPrintable(QString::number(kinds.size())));
    }

    void othersAreRefused_data() { addRows("refused"); }
    void othersAreRefused()
    {
        QFETCH(QByteArray, file);
        const std::string piece = expectations("refused")[file.toStdString()];
        const auto read = readMatrix(folder / file.toStdString());
        QVERIFY(!read.has_value());
        checkSentence(read.error());
        const std::string text = read.error().sentence();
        QVERIFY2(text.find(piece) != std::string::npos, text.c_str());
        QVERIFY2(text.find(file.toStdString()) != std::string::npos, text.c_str());
    }

    /// Cut anywhere, or with any byte changed, each of them is read or refused with a sentence.
    void damageIsNeverMoreThanASentence()
    {
        const auto all = expectations("read"); // items() does not keep it
        for (const auto& [name, value] : all.items()) {
            const auto bytes = readFile(folder / name);
            QVERIFY(bytes.has_value());
            ReadOptions options;
            options.memory = 1 << 24;
            const std::size_t step = std::max<std::size_t>(1, bytes->size() / 60);
            for (std::size_t at = 0; at < bytes->size(); at += step) {
                std::string changed = *bytes;
                changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
                for (const std::string& damaged : {bytes->substr(0, at), changed}) {
                    const auto read = readMatrixFromBytes(damaged, name, options);
                    if (read)
                        QVERIFY(read->matrix.valid());
                    else
                        checkSentence(read.error());
                }
            }
        }
    }

    void whatIsInTheWayIsSaid()
    {
        const auto warned = [](const std::string& name) {
            std::string all;
            const auto read = readMatrix(folder / name);
            for (const MatrixWarning& warning : read ? read->source.warnings : std::vector<MatrixWarning>())
                all += warning.text + "|";
            return all;
        };
        QVERIFY(warned("with_vector.petsc").find("after the matrix") != std::string::npos);
        QVERIFY(warned("right_hand_sides.rua").find("right-hand sides") != std::string::npos);
        QVERIFY(warned("coo_duplicates.npz").find("added up") != std::string::npos);
        QCOMPARE(warned("suite.tar.gz"), std::string());
        const auto read = readMatrix(folder / "suite.tar.gz");
        QVERIFY(read->source.compressed);
        QCOMPARE(read->source.format, std::string("matrix-market"));
    }

    void messagesNameTheMember()
    {
        const auto read = readMatrixFromBytes(tarOf({{"m/m.mtx", market("3 3 1\n9 1 1\n")}}), "/x/m.tar");
        QVERIFY(!read);
        QCOMPARE(read.error().file, std::string("/x/m.tar(m/m.mtx)"));
        QCOMPARE(read.error().line, 3);
    }

    void namesInArchivesAreHarmless()
    {
        for (const std::string name :
             {"../../../../tmp/x.mtx", "/etc/x.mtx", "a\x1b[2J\nb.mtx", "-rf.mtx", "x y'.mtx"}) {
            const auto read = readMatrixFromBytes(tarOf({{name, market()}}), "a.tar");
            QVERIFY2(read.has_value(), read ? "" : read.error().sentence().c_str());
            const auto wrong = readMatrixFromBytes(tarOf({{name, "x"}}), "a.tar");
            QVERIFY(!wrong);
            checkSentence(wrong.error());
        }
    }

    void thousandsOfEntries()
    {
        std::map<std::string, std::string> members{{"z.mtx", market()}};
        for (int i = 0; i < 9000; ++i)
            members["e/" + std::to_string(i)] = "";
        QVERIFY(readMatrixFromBytes(tarOf(members), "many.tar").has_value());
        for (int i = 0; i < 3000; ++i)
            members["f/" + std::to_string(i)] = "";
        const auto refused = readMatrixFromBytes(tarOf(members), "many.tar");
        QVERIFY(!refused);
        QVERIFY(refused.error().what.find("10000 entries") != std::string::npos);
    }

    /// A few megabytes that hold gigabytes of nothing: alone, in a tar beside the matrix, as the matrix.
    void bombs()
    {
        const std::string zeros = gzipOf(std::string(std::size_t(64) << 20, '\0'));
        std::string many;
        for (int i = 0; i < 40; ++i)
            many += zeros; // members of one stream of 2.5 GiB
        const std::string blanks = gzipOf(std::string(std::size_t(64) << 20, '\n'));
        std::string lines;
        for (int i = 0; i < 40; ++i)
            lines += blanks;
        const std::string head = tarHeader("z/bomb", std::uint64_t(64) << 30);
        const std::string matrix = gzipOf(tarHeader("m.mtx", std::uint64_t(64) << 30));
        for (const std::string& bomb :
             {gzipOf(market()) + lines, lines, gzipOf(head) + many, matrix + many}) {
            const std::clock_t began = std::clock();
            const auto read = readMatrixFromBytes(bomb, "bomb.tar.gz");
            QVERIFY(!read.has_value());
            checkSentence(read.error());
            // No measurement: the CPU time of a bomb that is unpacked whole is far beyond it on any machine.
            QVERIFY(std::clock() - began < 180 * CLOCKS_PER_SEC);
        }
    }

    /// Entries that promise much and hold nothing cost nothing.
    void promises()
    {
        for (const std::string& bytes : {tarHeader("m.mtx", std::uint64_t(1) << 40),
                                         tarHeader("m.mtx", std::uint64_t(1) << 40) + market(),
                                         "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, "
                                         "'shape': (2000000000, 2000000000), }" +
                                             std::string(40, ' ')}) {
            const auto read = readMatrixFromBytes(bytes, "promise");
            QVERIFY(!read.has_value());
            checkSentence(read.error());
        }
    }

    void readingCanBeStopped()
    {
        std::string text = market("2000 2000 2000\n");
        for (int i = 1; i <= 2000; ++i)
            text += std::to_string(i) + " " + std::to_string(i) + " 1\n";
        ReadOptions options;
        options.cancel.cancel();
        for (const std::string& bytes :
             {gzipOf(tarOf({{"m.mtx", text}})), tarOf({{"m.mtx", text}}), gzipOf(text)}) {
            const auto read = readMatrixFromBytes(bytes, "m", options);
            QVERIFY(!read && read.error().sentence().find("nterrupted") != std::string::npos);
        }
    }
};

QTEST_GUILESS_MAIN(TestInputFormats)
#include "tst_input_formats.moc"
