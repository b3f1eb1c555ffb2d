// SPDX-License-Identifier: Apache-2.0
// Readers: what every reader of these formats gets wrong sooner or later.
#include "archives.h"
#include "base/files.h"
#include "base/interruption.h"
#include "matrices.h"
#include "matrix/multiply.h"
#include "matrix/number.h"
#include "matrix/read.h"
#include "matrix/values.h"
#include "matrix/write.h"

#include <QTest>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>

using namespace sparserl;
using namespace sparserl::test;

namespace {

using Dense = std::vector<std::vector<float>>;

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

Dense denseOf(const std::string& text)
{
    auto file = readMatrixFromBytes(text, "test.mtx");
    if (!file) {
        throw std::runtime_error(file.error().sentence());
    }
    if (!file->matrix.valid()) {
        throw std::runtime_error("the matrix is not valid");
    }
    return toDense(file->matrix);
}

} // namespace

class TestRead : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void coordinate()
    {
        const Dense expected{{1.5f, 0, 0}, {0, 0, -2e-3f}};
        QCOMPARE(denseOf(banner + "2 3 2\n1 1 1.5\n2 3 -2e-3\n"), expected);
        // Any order, upper case, CRLF, tabs, indentation, blank lines, comments anywhere, no final line
        // break.
        QCOMPARE(denseOf("%%MATRIXMARKET MATRIX Coordinate REAL General\r\n% a\r\n\r\n  2\t3  2 \r\n%b\r\n"
                         "\t2 3 -0.002\r\n   % c\r\n\r\n 1 1 +1.5"),
                 expected);
        QCOMPARE(denseOf("\xef\xbb\xbf" + banner + "2 3 2\n1 1 15d-1\n2 3 -.2D-2\n"),
                 expected); // BOM, Fortran
        QCOMPARE(denseOf(banner + "2 3 0\n"), (Dense{{0, 0, 0}, {0, 0, 0}}));
        QCOMPARE(denseOf(banner + "0 0 0\n"), Dense{});
        QCOMPARE(denseOf("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -7\n1 2 +8\n"),
                 (Dense{{-7, 8}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 0.5\n"),
                 (Dense{{0.5f}}));
    }

    void symmetry()
    {
        QCOMPARE(denseOf("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 6\n3 2 7\n"),
                 (Dense{{5, 6, 0}, {6, 0, 7}, {0, 7, 0}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 6\n3 2 7\n"),
                 (Dense{{0, -6, 0}, {6, 0, -7}, {0, 7, 0}}));
        // Upper triangles happen too.
        QCOMPARE(denseOf("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 6\n"),
                 (Dense{{0, 6}, {6, 0}}));
    }

    void arrays()
    {
        QCOMPARE(denseOf("%%MatrixMarket matrix array real general\n2 3\n1\n2\n0\n4\n5\n6\n"),
                 (Dense{{1, 0, 5}, {2, 4, 6}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix array real general\n% c\n2 2\n1 2\n% c\n3 4\n"),
                 (Dense{{1, 3}, {2, 4}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
                 (Dense{{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix array real skew-symmetric\n3 3\n2\n3\n5\n"),
                 (Dense{{0, -2, -3}, {2, 0, -5}, {3, 5, 0}}));
        // With its diagonal, which the format leaves out: the number of values tells.
        QCOMPARE(denseOf("%%MatrixMarket matrix array real skew-symmetric\n3 3\n0\n2\n3\n-0.0\n5\n0\n"),
                 (Dense{{0, -2, -3}, {2, 0, -5}, {3, 5, 0}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), (Dense{{0}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix array real skew-symmetric\n1 1\n0\n"), (Dense{{0}}));
        QCOMPARE(denseOf("%%MatrixMarket matrix array real skew-symmetric\n0 0\n"), Dense{});
        // Without it: 1 and 4 stand where a diagonal would.
        QCOMPARE(denseOf("%%MatrixMarket matrix array real skew-symmetric\n4 4\n1\n2\n3\n4\n5\n6\n"),
                 (Dense{{0, -1, -2, -3}, {1, 0, -4, -5}, {2, 4, 0, -6}, {3, 5, 6, 0}}));
        const auto file =
            readMatrixFromBytes("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n0\n", "a");
        QCOMPARE(file->matrix.nnz(), std::int64_t(1)); // Zeros of a dense file are not entries.
        QCOMPARE(file->source.storedEntries, std::int64_t(4));
    }

    void duplicatesAreSummedInDouble()
    {
        // 1 + 2^-24 - 1: single precision would lose it.
        const auto file = readMatrixFromBytes(
            banner + "2 2 5\n1 1 1\n2 2 4\n1 1 5.9604644775390625e-08\n1 2 3\n1 1 -1\n", "a");
        QVERIFY(file.has_value());
        QCOMPARE(toDense(file->matrix), (Dense{{0x1p-24f, 3}, {0, 4}}));
        QCOMPARE(file->source.duplicates, std::int64_t(2));
        QCOMPARE(file->source.storedEntries, std::int64_t(5));
    }

    void explicitZerosStay()
    {
        const auto file = readMatrixFromBytes(
            "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 0\n", "a");
        QCOMPARE(file->matrix.nnz(), std::int64_t(3));
        QCOMPARE(file->source.explicitZeros, std::int64_t(2));
    }

    void patternsGetSeededValues()
    {
        const std::string general =
            "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 1\n2 3\n3 1\n1 2\n";
        const auto one = readMatrixFromBytes(general, "one");
        QVERIFY(one.has_value());
        QVERIFY(one->source.seededValues);
        for (const float value : one->matrix.val) {
            QVERIFY(std::abs(value) >= 0.5f && std::abs(value) <= 1.5f);
        }
        // Order, name and compression do not matter; the pattern does.
        const auto two = readMatrixFromBytes(
            gzipOf("%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n3 1\n2 3\n1 1\n"), "two");
        QCOMPARE(digest(one->matrix), digest(two->matrix));
        const auto smtx = readMatrixFromBytes("3, 3, 4\n0 2 3 4\n0 1 2 0\n", "three.smtx");
        QVERIFY2(smtx.has_value(), smtx ? "" : smtx.error().sentence().c_str());
        QCOMPARE(digest(one->matrix), digest(smtx->matrix));
        const auto other = readMatrixFromBytes(
            "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 1\n2 3\n3 1\n", "one");
        QVERIFY(other->matrix.val.front() != one->matrix.val.front());
        const auto symmetric = readMatrixFromBytes(
            "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 3\n", "s");
        const Dense d = toDense(symmetric->matrix);
        QCOMPARE(d[0][1], d[1][0]);
        QCOMPARE(d[1][2], d[2][1]);
        QVERIFY(d[0][1] != d[1][2]);
    }

    void seededValuesAreSpread()
    {
        int negative = 0;
        double sum = 0;
        for (int i = 0; i < 10000; ++i) {
            const float value = seededValue(5, i / 100, i % 100);
            negative += value < 0;
            sum += std::abs(value);
        }
        QVERIFY(std::abs(negative - 5000) < 5 * 50);
        QVERIFY(std::abs(sum / 10000 - 1.0) < 5 * 0.2887 / 100);
    }

    void smtx()
    {
        const auto file = readMatrixFromBytes("2, 5, 3\n0 2 3\n4 1 2\n", "x");
        QVERIFY(file.has_value());
        QCOMPARE(file->matrix.col, (std::vector<std::int32_t>{1, 4, 2})); // Sorted in each row.
        QCOMPARE(file->source.format, std::string("smtx"));
        QVERIFY(readMatrixFromBytes("2 5 3\r\n0 2 3 \r\n4 1 2 \r\n", "x.smtx").has_value());
        QVERIFY(readMatrixFromBytes("2, 5, 0\n0 0 0\n\n", "x").has_value());
        QVERIFY(readMatrixFromBytes("2, 5, 0\n0 0 0", "x").has_value());
    }

    void gzipInAllItsForms()
    {
        std::string text = banner + "100 100 10000\n";
        for (int i = 0; i < 10000; ++i) {
            text += fmt::format("{} {} {}\n", i / 100 + 1, i % 100 + 1, i * 0.25);
        }
        const Dense expected = denseOf(text);
        QCOMPARE(denseOf(gzipOf(text)), expected);
        // Two members, cut in the middle of a line; padding behind the end.
        QCOMPARE(denseOf(gzipOf(text.substr(0, 5001)) + gzipOf(text.substr(5001)) + std::string(512, '\0')),
                 expected);
        const std::string packed = gzipOf(text);
        for (const std::size_t size :
             {std::size_t(5), std::size_t(20), packed.size() / 2, packed.size() - 4}) {
            const auto cut = readMatrixFromBytes(packed.substr(0, size), "cut.gz");
            QVERIFY(!cut.has_value());
            QVERIFY(cut.error().what.find("truncated") != std::string::npos);
        }
        std::string damaged = packed;
        damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x10);
        QVERIFY(!readMatrixFromBytes(damaged, "damaged.gz").has_value());
    }

    void blocksNeverCutALine()
    {
        // Several megabytes, so that blocks end in the middle of lines, plain and packed, and lines of every
        // length.
        std::string text = banner + "300000 7 300000\n";
        double sum = 0;
        for (int i = 0; i < 300000; ++i) {
            text += fmt::format("{}{} {} {}\n", std::string(i % 11, ' '), i + 1, i % 7 + 1, i % 1000);
            sum += i % 1000;
        }
        for (const std::string& bytes : {text, gzipOf(text)}) {
            const auto file = readMatrixFromBytes(bytes, "big");
            QVERIFY2(file.has_value(), file ? "" : file.error().sentence().c_str());
            QCOMPARE(file->matrix.nnz(), std::int64_t(300000));
            double got = 0;
            for (const float value : file->matrix.val) {
                got += value;
            }
            QCOMPARE(got, sum);
            QCOMPARE(file->source.textBytes, std::int64_t(text.size()));
        }
        // .smtx keeps a whole array in one line.
        std::string smtx = "400000, 3, 400000\n0";
        for (int i = 1; i <= 400000; ++i) {
            smtx += fmt::format(" {}", i);
        }
        smtx += "\n";
        for (int i = 0; i < 400000; ++i) {
            smtx += fmt::format("{} ", i % 3);
        }
        smtx += "\n";
        for (const std::string& bytes : {smtx, gzipOf(smtx)}) {
            const auto file = readMatrixFromBytes(bytes, "big.smtx");
            QVERIFY2(file.has_value(), file ? "" : file.error().sentence().c_str());
            QCOMPARE(file->matrix.col[299999], 299999 % 3);
        }
    }

    void numbersAreCorrectlyRounded()
    {
        // Against strtod of the C library, which rounds correctly.
        Rng rng(11);
        std::vector<std::string> texts{"0",
                                       "-0",
                                       "1",
                                       ".5",
                                       "5.",
                                       "1e22",
                                       "1e23",
                                       "9007199254740993",
                                       "1e-22",
                                       "9007199254740992e22",
                                       "0.1",
                                       "123456789012345678",
                                       "1234567890123456789",
                                       "12345678901234567890",
                                       "1.7976931348623157e308",
                                       "4.9e-324",
                                       "2.5e-400",
                                       "0.000000000000000000000000000000000001",
                                       "1E+2",
                                       "1e-0005",
                                       "00012.500"};
        for (int i = 0; i < 20000; ++i) {
            const double value = std::ldexp(rng.uniform(-1, 1), static_cast<int>(rng.between(-200, 200)));
            texts.push_back(fmt::format("{}", value));
            texts.push_back(fmt::format("{:.{}e}", value, rng.between(0, 20)));
            texts.push_back(fmt::format("{:.{}f}", rng.uniform(-1000, 1000), rng.between(0, 18)));
            texts.push_back(fmt::format("{}{}e{}", rng.below(1000000000000000000ull), rng.below(10),
                                        rng.between(-30, 30)));
        }
        for (const std::string& text : texts) {
            const std::string padded = text + " \n";
            const char* at = padded.data();
            double value = 0;
            QVERIFY2(parseReal(at, padded.data() + padded.size(), value) == RealStatus::Ok, text.c_str());
            QVERIFY2(at == padded.data() + text.size(), text.c_str());
            const double expected = std::strtod(text.c_str(), nullptr);
            const bool tiny = std::abs(expected) < std::numeric_limits<double>::min();
            QVERIFY2(std::memcmp(&value, &expected, sizeof value) == 0 || (tiny && std::abs(value) <= 5e-324),
                     text.c_str());
        }
        for (const char* bad :
             {"", "-", "+", ".", "e5", "--1", "+-1", "x", "nan", "inf", "1e400", "-infinity"}) {
            const std::string padded = std::string(bad) + " \n";
            const char* at = padded.data();
            double value = 0;
            QVERIFY2(parseReal(at, padded.data() + padded.size(), value) != RealStatus::Ok, bad);
        }
    }

    void longNumbersAreWhatPythonMakesOfThem()
    {
        // Written by tests/tools/make_number_fixture.py: hundreds of digits, halfway cases, both ends of the
        // range, texts that are none.
        const auto text = readFile(SPARSERL_SOURCE_DIR "/tests/matrix/fixtures/numbers.txt");
        QVERIFY(text.has_value());
        int read = 0, refused = 0;
        for (const QByteArray& line : QByteArray::fromStdString(*text).trimmed().split('\n')) {
            const QList<QByteArray> parts = line.split(' ');
            QCOMPARE(parts.size(), 2);
            for (const char* letter : {"", "d", "D"}) {
                QByteArray number = parts[0];
                if (*letter != 0) { // Fortran's letter means the same.
                    number.replace('e', letter).replace('E', letter);
                }
                const std::string padded = number.toStdString() + " \n";
                const char* at = padded.data();
                double value = 7;
                const RealStatus status = parseReal(at, padded.data() + padded.size(), value);
                const bool whole = at == padded.data() + number.size();
                if (parts[1] == "refused") {
                    QVERIFY2(!whole || (status != RealStatus::Ok && status != RealStatus::Fortran), line);
                    ++refused;
                    continue;
                }
                QVERIFY2(whole, line);
                QCOMPARE(status == RealStatus::Fortran, number != parts[0]);
                QVERIFY2(status == RealStatus::Fortran || status == RealStatus::Ok, line);
                std::uint64_t bits = 0;
                std::memcpy(&bits, &value, sizeof bits);
                QCOMPARE(QByteArray::number(qulonglong(bits), 16).rightJustified(16, '0'), parts[1]);
                ++read;
            }
        }
        QVERIFY(read > 250 && refused > 100);
        // 400 zeros in a file, where 0 or infinity would be taken or refused silently.
        QCOMPARE(denseOf(banner + "1 1 1\n1 1 1" + std::string(400, '0') + "e-401\n"), (Dense{{0.1f}}));
    }

    void sizesBeyondTheMemoryGiven()
    {
        ReadOptions options;
        options.memory = 1'000'000;
        for (const char* text :
             {"%%MatrixMarket matrix coordinate real general\n1000000 1 1\n1 1 1\n", "1000000, 1, 0\n0 "}) {
            const auto refused = readMatrixFromBytes(text, "wide", options);
            QVERIFY(!refused);
            QVERIFY2(refused.error().what.find("memory") != std::string::npos, refused.error().what.c_str());
        }
        QVERIFY(readMatrixFromBytes("%%MatrixMarket matrix coordinate real general\n1000 1 1\n1 1 1\n",
                                    "narrow", options));
    }

    /// A few words that promise much, and much that says nothing.
    void promisesAndEmptyLines()
    {
        const auto refused = readMatrixFromBytes(
            "%%MatrixMarket matrix coordinate real general\n2000000000 2 1\n1 1 1\n", "tall", {});
        QVERIFY(!refused && refused.error().what.find("needs 14.9 GiB of memory, ") != std::string::npos);
        for (const char* line : {"\n", " \t\r\n", "% nothing\n"}) {
            std::string lines;
            while (lines.size() < std::size_t(18) << 20)
                lines += line;
            const std::string head = "%%MatrixMarket matrix coordinate real general\n",
                              rest = "1 1 1\n1 1 5\n";
            const auto flood = readMatrixFromBytes(head + lines + rest, "empty", {});
            QVERIFY2(!flood && flood.error().what.find("hold no number") != std::string::npos,
                     flood ? "read" : flood.error().what.c_str());
            const auto some =
                readMatrixFromBytes(head + lines.substr(0, lines.size() / 2) + "%\n" + rest, "some", {});
            QVERIFY2(some, some ? "" : some.error().what.c_str());
        }
    }

    void malformed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const std::string& text, int line, const char* reason) {
            QTest::newRow(name) << QString::fromStdString(text) << line << QString::fromLatin1(reason);
        };
        const std::string b = banner;
        row("empty", "", 0, "empty");
        row("only blanks", " \n\n", 0, "empty");
        row("not a matrix", "hello\n", 1, "not Matrix Market");
        row("html", "<html>\n", 0, "web page");
        row("no banner", "2 2 1\n1 1 1\n", 1, "not Matrix Market");
        row("other comment", "% x\n2 2 1\n", 1, "banner");
        row("short banner", "%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, "incomplete");
        row("vector", "%%MatrixMarket vector coordinate real general\n", 1, "not a matrix");
        row("storage", "%%MatrixMarket matrix dense real general\n", 1, "neither coordinate nor array");
        row("complex", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n", 1, "complex");
        row("hermitian", "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1, "hermitian");
        row("field", "%%MatrixMarket matrix coordinate quaternion general\n", 1, "quaternion");
        row("symmetry", "%%MatrixMarket matrix coordinate real odd\n", 1, "odd");
        row("array pattern", "%%MatrixMarket matrix array pattern general\n1 1\n", 1, "pattern");
        row("no size", b + "% only comments\n", 2, "before the size line");
        row("two sizes", b + "2 2\n1 1 1\n", 2, "rows columns entries");
        row("four sizes", b + "2 2 1 1\n", 2, "rows columns entries");
        row("real size", b + "2 2 1.5\n", 2, "rows columns entries");
        row("negative size", b + "-2 2 1\n", 2, "rows columns entries");
        row("2^31 rows", b + "2147483648 2 1\n", 2, "too large");
        row("2^31 entries", b + "5 5 3000000000\n1 1 1\n", 2, "too many");
        row("10^30", b + "1000000000000000000000000000000 2 1\n", 2, "rows columns entries");
        row("not square", "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", 2, "square");
        row("row 0", b + "2 2 1\n0 1 1\n", 3, "start at 1");
        row("column 0", b + "2 2 1\n1 0 1\n", 3, "start at 1");
        row("row too large", b + "2 2 1\n3 1 1\n", 3, "outside");
        row("column too large", b + "2 2 1\n1 3 1\n", 3, "outside");
        row("negative row", b + "2 2 1\n-1 1 1\n", 3, "row number");
        row("huge row", b + "2 2 1\n99999999999999999999 1 1\n", 3, "row number");
        row("no value", b + "2 2 1\n1 1\n", 3, "a value");
        row("no column", b + "2 2 1\n1\n", 3, "column number");
        row("one too many", b + "2 2 1\n1 1 1 1\n", 3, "end of the line");
        row("value in a pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", 3,
            "end of the line");
        row("word", b + "2 2 1\n1 1 one\n", 3, "not a number");
        row("nan", b + "2 2 1\n1 1 nan\n", 3, "finite");
        row("inf", b + "2 2 1\n1 1 -inf\n", 3, "finite");
        row("too large a value", b + "2 2 1\n1 1 1e39\n", 3, "single precision");
        row("1e999", b + "2 2 1\n1 1 1e999\n", 3, "single precision");
        row("glued", b + "2 2 1\n1 1 1.5x\n", 3, "end of the line");
        row("commas", b + "2 2 1\n1,1,1\n", 3, "row number");
        row("fewer entries", b + "2 2 3\n1 1 1\n2 2 2\n", 4, "promises 3 entries, the file has 2");
        row("more entries", b + "2 2 1\n1 1 1\n2 2 2\n", 4, "promises 1 entries, but there are more");
        row("line after comments", b + "% c\n\n2 2 1\n% c\n1 1 x\n", 6, "not a number");
        row("skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 3\n", 3,
            "diagonal");
        const std::string skewArray = "%%MatrixMarket matrix array real skew-symmetric\n";
        row("skew array, diagonal", skewArray + "2 2\n0\n6\n3\n", 5, "(2, 2)");
        row("skew array, short", skewArray + "3 3\n1\n2\n", 4, "holds 3 values, or 6 with");
        row("skew array, between", skewArray + "3 3\n1\n2\n3\n4\n", 6, "the file has 4");
        row("skew array, all values", skewArray + "2 2\n0\n6\n-6\n0\n", 6, "\"general\"");
        row("symmetric array, all values", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n6\n6\n1\n", 6,
            "\"general\"");
        row("overflowing duplicates", b + "1 1 2\n1 1 3e38\n1 1 3e38\n", 0, "single precision");
        row("short array", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5,
            "promises 4 values");
        row("long array", "%%MatrixMarket matrix array real general\n1 1\n1\n2\n", 4, "more");
        row("smtx sizes", "2, 2\n", 1, "size line");
        row("smtx pointers down", "2, 2, 2\n0 2 1\n0 1\n", 2, "row pointer 2");
        row("smtx first pointer", "2, 2, 2\n1 2 2\n0 1\n", 2, "row pointer is 1 and must be 0");
        row("smtx last pointer", "2, 2, 2\n0 1 1\n0\n", 2, "last row pointer");
        row("smtx column", "2, 2, 2\n0 1 2\n0 2\n", 3, "outside");
        row("smtx short", "2, 2, 2\n0 1 2\n0\n", 3, "ends early");
        row("smtx long", "2, 2, 1\n0 1 1\n0 1\n", 3, "more than");
        row("smtx word", "2, 2, 1\n0 1 x\n0\n", 2, "not an index");
        row("smtx negative", "2, 2, 1\n0 1 1\n-1\n", 3, "not an index");
        row("smtx 2^31", "2, 2, 2147483648\n0 1 1\n", 1, "too many");
    }
    void malformed()
    {
        QFETCH(QString, text);
        QFETCH(int, line);
        QFETCH(QString, reason);
        for (const std::string& bytes : {text.toStdString(), gzipOf(text.toStdString())}) {
            const auto file = readMatrixFromBytes(bytes, "bad.mtx");
            QVERIFY(!file.has_value());
            const Error& error = file.error();
            QVERIFY2(error.what.find(reason.toStdString()) != std::string::npos ||
                         error.remedy.find(reason.toStdString()) != std::string::npos,
                     error.sentence().c_str());
            QCOMPARE(error.file, std::string("bad.mtx"));
            QCOMPARE(error.line, line);
        }
    }

    void warnings_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected"); // "LINE COUNT PIECE|..."
        const auto row = [](const char* name, const std::string& text, const char* expected) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(expected);
        };
        const std::string b = banner;
        const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
        const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
        const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
        row("nothing", b + "% c\n%\n\n2 2 2\n1 1 1\n\n2 2 +2e0\n", "");
        row("nothing, integer", integer + "2 2 2\n1 1 -1\n2 2 +2\n", "");
        row("nothing, symmetric", symmetric + "2 2 2\n1 1 1\n2 1 2\n", "");
        row("nothing, CRLF and tabs",
            "%%MatrixMarket matrix coordinate real general\r\n1\t1 1\r\n 1 1 1 \r\n", "");
        row("nothing, array", "%%MatrixMarket matrix array real general\n1 2\n1\n2\n", "");
        row("nothing, smtx", "2, 3, 3\n0 2 3\n0 2 1\n", "");
        row("nothing, empty smtx", "2, 3, 0\n0 0 0\n\n", "");
        row("extra words", "%%MatrixMarket matrix coordinate real general of mine \r\n1 1 1\n1 1 1\n",
            "1 1 \"of mine\"");
        row("many extra words",
            "%%MatrixMarket matrix coordinate real general " + std::string(5000, 'x') + "\n1 1 0\n",
            "1 1 xxx...");
        row("control characters", "%%MatrixMarket matrix coordinate real general \x1b[2J\n1 1 0\n",
            "1 1 \\x1b[2J");
        row("double", "%%MatrixMarket matrix coordinate double general\n1 1 0\n", "1 1 \"double\"");
        row("unsigned-integer", "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 0.5\n",
            "1 1 \"unsigned-integer\"|3 1 0.5");
        row("mark", "\xef\xbb\xbf" + b + "1 1 0\n", "1 1 byte order mark");
        row("blank line first", "\n" + b + "1 1 0\n", "1 1 blank space");
        row("comment between entries", b + "2 2 2\n1 1 1\n% c\n2 2 2\n% d\n", "4 2 follows the size line");
        row("indented comment", b + " % c\n1 1 0\n", "2 1 first column");
        row("real in integer", integer + "2 2 3\n1 1 1\n2 1 1.5\n2 2 1e1\n", "4 2 1.5");
        row("real in integer array", "%%MatrixMarket matrix array integer general\n1 2\n1\n.5\n", "4 1 .5");
        row("Fortran", b + "2 2 2\n1 1 1d0\n2 2 1D0\n", "3 2 1d0");
        row("Fortran in integer", integer + "1 1 1\n1 1 1d0\n", "3 1 integer|3 1 Fortran");
        row("upper triangle", symmetric + "2 2 1\n1 2 6\n", "3 1 above the");
        row("both triangles", symmetric + "2 2 3\n1 1 1\n2 1 6\n1 2 6\n", "5 1 symmetric|0 2 mirror image");
        row("both triangles, pattern",
            "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 2\n",
            "4 1 symmetric|0 2 mirror image");
        row("both triangles, skew", skew + "2 2 2\n2 1 6\n1 2 -6\n", "4 1 skew-symmetric|0 2 mirror image");
        row("skew array diagonal", "%%MatrixMarket matrix array real skew-symmetric\n2 2\n0\n6\n0\n",
            "0 2 zeros were passed over");
        row("skew diagonal", skew + "2 2 2\n1 1 0\n2 1 6\n", "3 1 no diagonal");
        row("duplicates", b + "2 2 3\n1 1 6\n1 1 6\n1 1 6\n", "0 2 same place as another;");
        row("array lines", "%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n", "3 2 several values");
        row("smtx without commas", "2 3 0\n0 0 0\n\n", "1 1 commas");
        row("smtx wrapped", "2, 3, 3\n0 2\n3\n0 2\n1\n", "3 2 one line each");
        row("smtx in one line", "1, 3, 1, 0 1 2\n", "1 2 one line each");
        row("smtx twice", "1, 3, 2\n0 2\n1 1\n", "0 1 same place");
        row("behind gzip", gzipOf(b + "1 1 0\n") + "more", "0 1 the compressed data is followed");
        row("padding behind gzip", gzipOf(b + "1 1 0\n") + std::string(512, '\0'), "");
    }

    void warnings()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        std::vector<MatrixWarning> told;
        ReadOptions options;
        options.onWarning = [&](const MatrixWarning& warning) { told.push_back(warning); };
        const std::string name = text.contains(',') ? "x.smtx" : text.startsWith("2 3") ? "x.smtx" : "x.mtx";
        const auto file = readMatrixFromBytes(text.toStdString(), name, options);
        QVERIFY2(file.has_value(), file ? "" : file.error().sentence().c_str());
        QVERIFY(told == file->source.warnings);
        const auto wanted = expected.isEmpty() ? QList<QByteArray>() : expected.split('|');
        std::string all;
        for (const MatrixWarning& warning : told) {
            all += warning.sentence(name) + "\n";
        }
        QVERIFY2(static_cast<qsizetype>(told.size()) == wanted.size(), all.c_str());
        for (std::size_t i = 0; i < told.size(); ++i) {
            const QList<QByteArray> parts = wanted[static_cast<qsizetype>(i)].split(' ');
            QVERIFY2(told[i].line == parts[0].toInt() && told[i].count == parts[1].toInt(), all.c_str());
            const std::string piece = parts.mid(2).join(' ').toStdString();
            QVERIFY2(told[i].text.find(piece) != std::string::npos, all.c_str());
            QVERIFY(told[i].text.size() < 250);
        }
    }

    void warningsAreFew()
    {
        // Whatever a file does a hundred thousand times, it is said once.
        std::string text = "%%MatrixMarket matrix coordinate integer symmetric more\n300 300 89700\n";
        for (int i = 1; i <= 300; ++i) {
            for (int j = 1; j <= 300; ++j) {
                if (i != j) {
                    text += fmt::format(" % c\n% c\n{} {} 1.5d0\n", i, j);
                }
            }
        }
        const auto file = readMatrixFromBytes(text, "x");
        QVERIFY(file.has_value());
        QCOMPARE(file->source.warnings.size(), std::size_t(7));
        QCOMPARE(file->source.warnings[1].count, std::int64_t(89700));
        QCOMPARE((MatrixWarning{3, 1, "it is so"}.sentence("a.mtx")), std::string("a.mtx:3: it is so"));
        QCOMPARE((MatrixWarning{0, 7, "it is so"}.sentence("a.mtx")),
                 std::string("a.mtx: it is so (7 times)"));
    }

    void mutationsNeverCrash()
    {
        // Whatever a disk or a download does to a file: a valid matrix or a sentence.
        const std::vector<std::string> seeds{
            banner + "3 4 4\n1 1 1.5\n2 3 -2e-3\n3 4 7\n1 2 0.25\n",
            "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
            "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
            "3, 4, 4\n0 2 2 4\n0 3 1 2\n", gzipOf(banner + "3 4 4\n1 1 1.5\n2 3 -2e-3\n3 4 7\n1 2 0.25\n")};
        const std::string alphabet = "0123456789 \n\r\t.,-+eEdD%\0\xff";
        Rng rng(2026);
        int accepted = 0;
        for (int i = 0; i < 12000; ++i) {
            std::string text = seeds[rng.below(seeds.size())];
            const auto edits = 1 + rng.below(3);
            for (std::uint64_t edit = 0; edit < edits && !text.empty(); ++edit) {
                const std::size_t at = rng.below(text.size());
                switch (rng.below(4)) {
                case 0:
                    text[at] = alphabet[rng.below(alphabet.size())];
                    break;
                case 1:
                    text.erase(at, 1 + rng.below(4));
                    break;
                case 2:
                    text.insert(at, 1, alphabet[rng.below(alphabet.size())]);
                    break;
                default:
                    text.resize(at);
                    break;
                }
            }
            const auto file = readMatrixFromBytes(text, "mutated");
            if (file) {
                ++accepted;
                QVERIFY(file->matrix.valid());
            } else {
                QVERIFY(!file.error().what.empty());
            }
        }
        QVERIFY(accepted > 100);
    }

    void headersThatPromiseTooMuchCostNothing()
    {
        // Refused quickly, without allocating what they promise.
        QVERIFY(!readMatrixFromBytes(banner + "100 100 2147483647\n1 1 1\n", "a").has_value());
        QVERIFY(!readMatrixFromBytes("100, 100, 2147483647\n0 1\n", "a").has_value());
        QVERIFY(
            !readMatrixFromBytes("%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n", "a")
                 .has_value());
    }

    void cancelAndProgress()
    {
        std::string text = banner + "200000 1 200000\n";
        for (int i = 0; i < 200000; ++i) {
            text += fmt::format("{} 1 0.12345678901234567\n", i + 1);
        }
        ReadOptions options;
        double last = -1;
        options.progress = [&](double fraction, std::string_view) {
            QVERIFY(fraction >= last && fraction <= 1);
            last = fraction;
        };
        QVERIFY(readMatrixFromBytes(text, "a", options).has_value());
        QCOMPARE(last, 1.0);
        const CancelToken token;
        options.cancel = token;
        options.progress = [&](double fraction, std::string_view) {
            if (fraction > 0.2) {
                token.cancel();
            }
        };
        const auto stopped = readMatrixFromBytes(text, "a", options);
        QVERIFY(!stopped.has_value());
        QVERIFY(isInterruption(stopped.error()));
    }

    void filesAndWriter()
    {
        auto dir = TempDir::create();
        const Csr a = ragged(5, 40, 30, 0.2);
        for (const char* name : {"a.mtx", "a.mtx.gz"}) {
            const auto path = dir->path() / name;
            QVERIFY(writeMatrixMarket(path, a, "made by a test\nin two lines").has_value());
            const auto back = readMatrix(path);
            QVERIFY2(back.has_value(), back ? "" : back.error().sentence().c_str());
            QCOMPARE(digest(back->matrix), digest(a));
            QCOMPARE(back->source.compressed, std::string(name).ends_with(".gz"));
        }
        const auto missing = readMatrix(dir->path() / "none.mtx");
        QVERIFY(!missing.has_value());
        QVERIFY(missing.error().file.ends_with("none.mtx"));
        QVERIFY(!readMatrix(dir->path()).has_value());
        // Floats survive text exactly.
        Csr odd = fromDense({{1e-45f, 3.4028235e38f, 0.1f, -1.17549435e-38f, 16777217.0f}});
        const auto same = readMatrixFromBytes(formatMatrixMarket(odd), "o");
        QVERIFY2(same.has_value(), same ? "" : same.error().sentence().c_str());
        QCOMPARE(digest(same->matrix), digest(odd));
        // So do doubles, and they round to the same floats.
        for (const float value : odd.val)
            odd.val64.push_back(value * (1 + 0x1p-30));
        odd.val64[1] = odd.val[1];
        ReadOptions reading;
        reading.doubles = true;
        const auto doubles = readMatrixFromBytes(formatMatrixMarket(odd), "o", reading);
        QVERIFY2(doubles.has_value(), doubles ? "" : doubles.error().sentence().c_str());
        QVERIFY(doubles->matrix.val64 == odd.val64);
        QCOMPARE(digest(doubles->matrix), digest(odd));
    }

    void digestsIdentify()
    {
        const Csr a = ragged(5, 40, 30, 0.2);
        Csr b = a;
        QCOMPARE(digest(a), digest(b));
        b.val[3] = -b.val[3];
        QVERIFY(digest(a) != digest(b));
        b = a;
        ++b.cols;
        QVERIFY(digest(a) != digest(b));
        QCOMPARE(patternDigest(a).size(), std::size_t(64));
        b = a;
        b.rowPtr[1] = 1000;
        QVERIFY(!b.valid());
    }

    void products()
    {
        const Csr a = fromDense({{1, 0, 2}, {0, 0, 0}, {0, 3, 0}});
        const auto y = multiply(a, harmonicVector(3));
        QCOMPARE(y, (std::vector<double>{1 + 2.0 / 3, 0, 1.5}));
        auto dir = TempDir::create();
        QVERIFY(writeFileAtomic(dir->path() / "x", "# c\n1 2\n3.5\n").has_value());
        QCOMPARE(readVector(dir->path() / "x").value(), (std::vector<double>{1, 2, 3.5}));
        QVERIFY(
            writeFileAtomic(dir->path() / "m", "%%MatrixMarket matrix array real general\n% c\n2 1\n7\n8\n")
                .has_value());
        QCOMPARE(readVector(dir->path() / "m").value(), (std::vector<double>{7, 8}));
        QVERIFY(writeFileAtomic(dir->path() / "bad", "1\ntwo\n").has_value());
        const auto bad = readVector(dir->path() / "bad");
        QVERIFY(!bad.has_value());
        QCOMPARE(bad.error().line, 2);
    }
};

QTEST_GUILESS_MAIN(TestRead)
#include "tst_read.moc"
