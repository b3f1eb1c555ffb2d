// SPDX-License-Identifier: Apache-2.0
// Hashes, random numbers, encodings, times and texts against published vectors.
#include "base/csv.h"
#include "base/files.h"
#include "base/format.h"
#include "base/format_number.h"
#include "base/hash.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/json_exact.h"
#include "base/printable.h"
#include "base/quantile.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/shell.h"
#include "base/source_name.h"
#include "base/time.h"
#include "base/time_left.h"
#include "base/toml.h"
#include "tests/base/hostile_names.h"
#include "tests/patience.h"

#include <QProcess>
#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

using namespace sparserl;

namespace {

Result<std::unique_ptr<int>> boxed(int value)
{
    if (value < 0)
        return failAt("box", 3, "a box holds no negative numbers", "Give it another");
    return std::make_unique<int>(value);
}

Status mustBeEven(int value)
{
    return value % 2 == 0 ? Status{} : Status{fail("odd")};
}

Result<int> sumOfEven(int first, int second)
{
    SPARSERL_CHECK(mustBeEven(first));
    SPARSERL_TRY(const auto left, boxed(first)); // move-only values pass through
    int right = 0;
    SPARSERL_TRY(right, boxed(second).map([](const auto& box) { return *box; }));
    return *left + right;
}

template <typename T>
bool isExact(const nlohmann::json& json)
{
    try {
        (void)jsonExact<T>(json);
        return true;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
}

template <typename T>
void truthIsNo()
{
    for (const nlohmann::json& truth : {nlohmann::json(true), nlohmann::json(false)}) {
        const nlohmann::json list = nlohmann::json::array({1, truth}), object{{"a", 1}, {"b", truth}};
        QVERIFY(!jsonAs<T>(truth));
        QVERIFY(!jsonAs<std::vector<T>>(list));
        QVERIFY((!jsonAs<std::map<std::string, T>>(object)));
        QVERIFY(!isExact<T>(truth) && !isExact<std::vector<T>>(list));
        QCOMPARE(jsonValue<T>(object, "b", 5), T(5));
    }
    const nlohmann::json list{1, 2}, object{{"a", 1}};
    QVERIFY(jsonAs<std::vector<T>>(list) == std::vector<T>({1, 2}));
    QVERIFY((jsonAs<std::map<std::string, T>>(object) == std::map<std::string, T>{{"a", 1}}));
    QVERIFY(!jsonAs<std::vector<T>>(object));
    QVERIFY((!jsonAs<std::map<std::string, T>>(list)));
    QVERIFY(isExact<T>(1) && isExact<std::vector<T>>(list));
}

/// "version": true is not version 1.
void truthValuesAreNoNumbers()
{
    truthIsNo<int>();
    truthIsNo<std::int8_t>();
    truthIsNo<std::uint16_t>();
    truthIsNo<std::uint32_t>();
    truthIsNo<std::int64_t>();
    truthIsNo<std::uint64_t>();
    truthIsNo<float>();
    truthIsNo<double>();
    QVERIFY(!jsonAs<std::vector<std::int8_t>>(nlohmann::json{1, 300})); // nor do those of lists wrap
    QVERIFY(jsonAs<bool>(true) == true && !jsonAs<bool>(1) && !jsonAs<bool>(0));
}

} // namespace

class TestValues : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The "format" of every file of ours: nonsense is restored, and what is newer needs a newer program.
    void formatsOfFiles()
    {
        const auto check = [](const char* number, int known) {
            const auto json = parseJson(std::string("{\"format\":") + number + "}");
            return checkFormat(*json, known, "the thing", "/x/thing.json");
        };
        for (const char* good : {"1", "2", "3"})
            QVERIFY(check(good, 3));
        QVERIFY(checkFormat(nlohmann::json::object(), 1, "the thing", "f")); // as the first files had it
        for (const char* odd : {"0", "-5", "1.0", "1.5", "1e3", "true", "null", "\"1\"", "[1]", "{}",
                                "-9223372036854775808", "1e400"}) {
            if (!parseJson(odd))
                continue;
            const auto refused = check(odd, 3);
            QVERIFY2(!refused && !isOfNewerVersion(refused.error()), odd);
            QCOMPARE(
                refused.error().sentence(),
                std::string("/x/thing.json: the format of the thing must be a whole number from 1. Write "
                            "\"format\": 3, or restore the file"));
        }
        for (const char* newer : {"4", "4294967297", "9223372036854775807", "18446744073709551615"}) {
            const auto refused = check(newer, 3);
            QVERIFY2(!refused && isOfNewerVersion(refused.error()), newer);
            QVERIFY(refused.error().sentence().find(
                        "this program reads formats 1 to 3. Use a newer version") != std::string::npos);
            // What it advises in other words stays of that kind, and the words alone make nothing of it.
            Error told = refused.error();
            told.remedy = "Ask its sender";
            QVERIFY(isOfNewerVersion(told));
            told.kind = ErrorKind::Failure;
            told.remedy = refused.error().remedy;
            QVERIFY(!isOfNewerVersion(told));
        }
    }

    void cellsOfCsv()
    {
        QCOMPARE(csvQuoted(""), std::string("\"\""));
        QCOMPARE(csvQuoted("a \"b\""), std::string("\"a \"\"b\"\"\""));
        QCOMPARE(csvCell("a b;c"), std::string("a b;c"));
        QCOMPARE(csvCell("a,b"), std::string("\"a,b\""));
        QCOMPARE(csvCell("line\nline"), std::string("\"line\nline\""));
        QCOMPARE(csvCell("\""), std::string("\"\"\"\""));
        // What spreadsheets would carry out is text; numbers stay numbers.
        QCOMPARE(csvCell("=1+1"), std::string("\"'=1+1\""));
        QCOMPARE(csvQuoted("@SUM(A1)"), std::string("\"'@SUM(A1)\""));
        for (const std::string text : {"+cmd|x", "-x", "\t=1", "--1"})
            QCOMPARE(csvCell(text), "\"'" + text + "\"");
        for (const std::string text : {"-1", "+2.5e3", "-0", "-inf", "-", "a=b"})
            QCOMPARE(csvCell(text), text);
    }

    /// It is known by its kind: neither a text that somebody adds to nor one that looks like it changes that.
    void anInterruptionIsNoText()
    {
        const Error plain = interruption();
        QVERIFY(isInterruption(plain));
        Error told = plain;
        told.what = "matrix \"m\": " + told.what;
        told.file = "m.mtx";
        told.line = 3;
        told.remedy = "Start it again";
        QVERIFY(isInterruption(told));
        const auto passedOn = [&]() -> Result<int> {
            SPARSERL_CHECK(Status(fail(told)));
            return 1;
        };
        QVERIFY(isInterruption(passedOn().error()));
        QVERIFY(!isInterruption(fail(plain.what, plain.remedy).value()));
        QVERIFY(!isInterruption(failAt(plain.file, plain.line, plain.what, plain.remedy).value()));
        QVERIFY(!isInterruption(Error{}));
    }

    void namesOfFilesBecomeOurs()
    {
        std::set<std::string> copies;
        for (const std::string& name : test::hostileNames()) {
            const std::string display = displayName(name), copy = copyName(name);
            for (const std::string& ours : {display, copy}) {
                QVERIFY2(isUtf8(ours) && !ours.empty(), ours.c_str());
                QCOMPARE(printableLine(ours), ours); // nothing in it needs an escape any more
                QCOMPARE(printable(ours), ours);
                QVERIFY(ours.find('\n') == std::string::npos && ours.find('\t') == std::string::npos);
            }
            QCOMPARE(displayName(display), display);
            QVERIFY(copy.size() <= 180 && copy.front() != '.' && copy.find('/') == std::string::npos);
            QVERIFY(copy != "project.toml" && copy != "run.toml");
            copies.insert(copy);
        }
        // Only those of dots and blanks fall together.
        QCOMPARE(copies.size(), test::hostileNames().size() - 1);
        for (const char* plain :
             {"cant.mtx", "A b (1).mtx.gz", "m\xc3\xbcller.smtx", "a#b.mtx", "-dash.mtx"}) {
            QCOMPARE(displayName(plain), std::string(plain));
            QCOMPARE(copyName(plain), std::string(plain));
        }
        QCOMPARE(displayName("a\nb"), std::string("a\\x0ab"));
        QCOMPARE(copyName("../../etc/passwd"), std::string("file-.._.._etc_passwd"));
        QVERIFY(copyName(std::string(240, 'x') + ".mtx.gz").ends_with(".mtx.gz"));
        for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "a\xe2\x82", "\xf5\x80\x80\x80"})
            QVERIFY(!isUtf8(bad));
        QVERIFY(isUtf8("") && isUtf8("a\xe2\x82\xac\n"));
    }

    void printableTextHasNoControlCharacters_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("plain") << QByteArray("a b\tc\n\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82")
                               << QByteArray("a b\tc\n\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82");
        QTest::newRow("escape") << QByteArray("\x1b[2J") << QByteArray("\\x1b[2J");
        QTest::newRow("carriage return, bell, delete")
            << QByteArray("a\r\a\x7f") << QByteArray("a\\x0d\\x07\\x7f");
        QTest::newRow("NUL") << QByteArray("a\0b", 3) << QByteArray("a\\x00b");
        QTest::newRow("C1") << QByteArray("\xc2\x9b"
                                          "2J")
                            << QByteArray("\\x9b2J");
        QTest::newRow("override") << QByteArray("\xe2\x80\xae") << QByteArray("\\u202e");
        QTest::newRow("isolate") << QByteArray("\xe2\x81\xa6") << QByteArray("\\u2066");
        QTest::newRow("Arabic mark") << QByteArray("\xd8\x9c") << QByteArray("\\u061c");
        QTest::newRow("no width") << QByteArray("a\xe2\x80\x8b.mtx") << QByteArray("a\\u200b.mtx");
        QTest::newRow("lines of Unicode")
            << QByteArray("\xe2\x80\xa8\xe2\x80\xa9") << QByteArray("\\u2028\\u2029");
        QTest::newRow("tag") << QByteArray("a\xf3\xa0\x81\x81") << QByteArray("a\\U000e0041");
        QTest::newRow("filler") << QByteArray("a\xe3\x85\xa4") << QByteArray("a\\u3164");
        QTest::newRow("private") << QByteArray("\xee\x80\x80") << QByteArray("\\ue000");
        QTest::newRow("accent") << QByteArray("e\xcc\x81") << QByteArray("e\xcc\x81");
        QTest::newRow("lone accents")
            << QByteArray("\xcc\x81 \xcc\x81\n\xcc\x81") << QByteArray("\\u0301 \\u0301\n\\u0301");
        QTest::newRow("accent on an escape")
            << QByteArray("a\xe2\x80\x8b\xcc\x81") << QByteArray("a\\u200b\\u0301");
        QTest::newRow("heap") << QByteArray("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81")
                              << QByteArray("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\\u0301\\u0301");
        QTest::newRow("emoji") << QByteArray("\xe2\x9d\xa4\xef\xb8\x8f")
                               << QByteArray("\xe2\x9d\xa4\xef\xb8\x8f");
        QTest::newRow("selector of a letter") << QByteArray("a\xef\xb8\x8f") << QByteArray("a\\ufe0f");
        QTest::newRow("bare C1 byte") << QByteArray("\x9b"
                                                    "2J")
                                      << QByteArray("\\x9b2J");
        QTest::newRow("overlong escape") << QByteArray("\xc0\x9b") << QByteArray("\\xc0\\x9b");
        QTest::newRow("cut character") << QByteArray("\xe2\x82") << QByteArray("\\xe2\\x82");
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\xed\\xa0\\x80");
    }

    void printableTextHasNoControlCharacters()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, expected);
        QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), expected);
        // In JSON the value stays the same.
        const std::string json = dumpJson(nlohmann::json(text.toStdString()));
        QVERIFY(*parseJson(printableJson(json)) == *parseJson(json));
        QCOMPARE(printable(printableJson(json)), printableJson(json));
    }

    /// The classes as a whole, against Qt's tables.
    void whatShowsNothingIsEscaped()
    {
        int hidden = 0, letters = 0;
        for (char32_t code = 0x80; code < 0x110000; ++code) {
            if (QChar::isSurrogate(code))
                continue;
            const std::string text = "a" + QStringView(QChar::fromUcs4(code)).toString().toStdString(),
                              shown = printableLine(text);
            QCOMPARE(printableLine(shown), shown);
            switch (QChar::category(code)) {
            case QChar::Other_Control:
            case QChar::Other_Format:
            case QChar::Other_PrivateUse:
            case QChar::Separator_Line:
            case QChar::Separator_Paragraph:
                QVERIFY2(shown.starts_with("a\\"), std::to_string(std::uint32_t(code)).c_str());
                ++hidden;
                break;
            case QChar::Letter_Uppercase:
            case QChar::Letter_Lowercase:
            case QChar::Number_DecimalDigit:
            case QChar::Punctuation_Dash:
            case QChar::Symbol_Math:
                QCOMPARE(shown, text);
                ++letters;
                break;
            default:
                break;
            }
        }
        QVERIFY(hidden > 130'000 && letters > 3000);
    }

    void triedResultsPassTheirErrorOn()
    {
        QCOMPARE(sumOfEven(4, 7).value(), 11);
        QCOMPARE(sumOfEven(3, 7).error().what, std::string("odd"));
        const auto failed = sumOfEven(4, -1);
        QVERIFY(!failed);
        QCOMPARE(failed.error().sentence(),
                 std::string("box:3: a box holds no negative numbers. Give it another"));
    }

    /// What a sentence prints for pasting is one command, whatever stands in a name: a shell says what it is.
    void commandsForPasting()
    {
        QCOMPARE(shellCommand("sparserl runs", {}), std::string("`sparserl runs`"));
        QCOMPARE(shellCommand("ssh {} {} doctor", {"a.b", "x y"}), std::string("`ssh a.b 'x y' doctor`"));
        QCOMPARE(shellCommand("a {}", {"{}"}), std::string("`a '{}'`")); // a word is no pattern
        std::vector<std::string> names = test::hostileNames();
        names.insert(names.end(), {"a b", "$(touch pwned)", "`touch pwned`", "a'b", "a;b|c&d>e", "~", "*"});
        for (const std::string& name : names) {
            if (name.empty() || !isUtf8(name)) // QProcess passes on UTF-8 only
                continue;
            const std::string command = shellCommand("printf %s {}", {name});
            QVERIFY(command.size() > 2 && command.front() == '`' && command.back() == '`');
            QProcess shell;
            shell.start(
                QStringLiteral("/bin/sh"),
                {QStringLiteral("-c"), QString::fromStdString(command.substr(1, command.size() - 2))});
            QVERIFY(shell.waitForFinished(test::patience()));
            const std::string said = shell.readAllStandardOutput().toStdString();
            QCOMPARE(said, name.starts_with('-') ? "./" + name : name);
        }
    }

    void sentences()
    {
        QCOMPARE((Error{"the value is wrong", "a.mtx", 7, "Give another"}).sentence(),
                 std::string("a.mtx:7: the value is wrong. Give another"));
        QCOMPARE((Error{"one\ntwo.", {}, 0, {}}).sentence(), std::string("one two"));
        // Two sentences, of which the second one begins as sentences do; names stay as they are.
        QCOMPARE((Error{"no", {}, 0, "use 2 or 3"}).sentence(), std::string("no. Use 2 or 3"));
        QCOMPARE((Error{"no", {}, 0, "rl.lr must be positive"}).sentence(),
                 std::string("no. rl.lr must be positive"));
        QCOMPARE((Error{"no", {}, 0, "`sparserl doctor` says why"}).sentence(),
                 std::string("no. `sparserl doctor` says why"));
        QCOMPARE(Error{}.sentence(), std::string("unknown error"));
        QCOMPARE((Error{"w", "a\nb.", 1, {}}).sentence(), std::string("a b.:1: w"));
        // Names in files may be as long as the files; a character of two bytes is not cut apart.
        const std::string sentence =
            Error{std::string(999, 'n') + "\xc3\xa4" + std::string(70000, 'n'), {}, 0, "Go"}.sentence();
        QCOMPARE(sentence, std::string(999, 'n') + " .... Go");
    }

    void hashes()
    {
        // FIPS 180-2, appendix B.
        QCOMPARE(sha256Hex("abc"),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sha256Hex(""),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        Hasher hasher;
        hasher.update("a");
        hasher.update("bc");
        QCOMPARE(hasher.hex(), sha256Hex("abc"));
        QCOMPARE(hasher.hex(), sha256Hex("")); // Starts again.
        QCOMPARE(seedFrom("abc"), std::uint64_t(0xba7816bf8f01cfeaull));
        QCOMPARE(crc32Of("123456789", 9), 0xcbf43926u); // The check value of CRC-32.
        QCOMPARE(crc32Of("6789", 4, crc32Of("12345", 5)), 0xcbf43926u);
    }

    void randomNumbersMatchPublishedVectors()
    {
        std::uint64_t state = 1234567; // Vigna's splitmix64.c
        for (const std::uint64_t expected :
             {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull, 4593380528125082431ull,
              16408922859458223821ull}) {
            QCOMPARE(splitMix64(state), expected);
        }
        // xoshiro256starstar.c from the state {1, 2, 3, 4}.
        auto rng =
            Rng::load("xoshiro256ss-0000000000000000-0000000000000001-0000000000000002-0000000000000003-"
                      "0000000000000004");
        QVERIFY(rng.has_value());
        for (const std::uint64_t expected : {11520ull, 0ull, 1509978240ull, 1215971899390074240ull}) {
            QCOMPARE(rng->next(), expected);
        }
    }

    void randomNumbersHaveTheirDistributions()
    {
        Rng rng(7);
        double sum = 0;
        double squares = 0;
        double fourth = 0;
        constexpr int n = 200000;
        for (int i = 0; i < n; ++i) {
            const double x = rng.normal();
            sum += x;
            squares += x * x;
            fourth += x * x * x * x;
        }
        // Five standard errors: 1/sqrt(n), sqrt(2/n), sqrt(96/n).
        QVERIFY(std::abs(sum / n) < 5 / std::sqrt(n));
        QVERIFY(std::abs(squares / n - 1) < 5 * std::sqrt(2.0 / n));
        QVERIFY(std::abs(fourth / n - 3) < 5 * std::sqrt(96.0 / n));

        std::map<std::uint64_t, int> counts;
        for (int i = 0; i < 60000; ++i) {
            ++counts[rng.below(6)];
        }
        QCOMPARE(counts.size(), std::size_t(6));
        for (const auto& [face, count] : counts) {
            QVERIFY(std::abs(count - 10000) < 5 * std::sqrt(10000.0));
        }
        QCOMPARE(rng.below(1), 0u);
        const std::array weights{0.0, 1.0, 0.0, 3.0};
        int last = 0;
        for (int i = 0; i < 40000; ++i) {
            const std::size_t picked = rng.pick(weights);
            QVERIFY(picked == 1 || picked == 3);
            last += picked == 3;
        }
        QVERIFY(std::abs(last - 30000) < 5 * std::sqrt(7500.0));
        for (int i = 0; i < 1000; ++i) {
            const auto value = rng.between(-3, 3);
            QVERIFY(value >= -3 && value <= 3);
        }
        (void)rng.between(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
        std::vector<int> items{1, 2, 3, 4, 5, 6, 7, 8};
        const auto before = items;
        rng.shuffle(items);
        QVERIFY(items != before);
        QVERIFY(std::is_permutation(items.begin(), items.end(), before.begin()));
    }

    void normalEqualsTheFormulaWithTheLibraryLogarithm()
    {
        // The polar method with std::log: our own logarithm must agree to rounding.
        Rng rng(3);
        Rng twin(3);
        for (int i = 0; i < 1000; ++i) {
            double expected = 0;
            for (;;) {
                const double u = 2 * twin.uniform() - 1;
                const double v = 2 * twin.uniform() - 1;
                const double r = u * u + v * v;
                if (r > 0 && r < 1) {
                    expected = u * std::sqrt(-2 * std::log(r) / r);
                    break;
                }
            }
            QVERIFY(std::abs(rng.normal() - expected) <= 1e-14 * std::max(1.0, std::abs(expected)));
        }
    }

    void generatorsSaveLoadAndDerive()
    {
        Rng rng(99);
        (void)rng.next();
        auto copy = Rng::load(rng.save());
        QVERIFY(copy.has_value());
        QVERIFY(*copy == rng);
        QCOMPARE(copy->next(), rng.next());
        // Derived streams depend on the seed only and differ from each other and from their origin.
        QCOMPARE(Rng(99).derive("a").next(), rng.derive("a").next());
        QVERIFY(rng.derive("a").next() != rng.derive("b").next());
        QVERIFY(rng.derive(0).next() != Rng(99).next());
        QVERIFY(Rng(1).derive(2).next() != Rng(2).derive(1).next());
        QVERIFY(!Rng::load("").has_value());
        QVERIFY(!Rng::load(std::string(97, 'x')).has_value());
    }

    void base64()
    {
        // RFC 4648, section 10.
        const std::map<std::string, std::string> vectors{{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
        for (const auto& [plain, coded] : vectors) {
            QCOMPARE(base64Encode(plain), coded);
            QCOMPARE(base64Decode(coded).value(), plain);
        }
        for (const char* bad : {"Z", "Zg=", "Zg=a", "Z===", "Zg==Zg==", "Zm9*"}) {
            QVERIFY2(!base64Decode(bad).has_value(), bad);
        }
        std::string all;
        for (int i = 0; i < 256; ++i) {
            all += static_cast<char>(i);
        }
        QCOMPARE(base64Decode(base64Encode(all)).value(), all);
    }

    void compression()
    {
        std::string text;
        Rng rng(1);
        for (int i = 0; i < 100000; ++i) {
            text += static_cast<char>('a' + rng.below(4));
        }
        const std::string packed = zlibCompress(text);
        QVERIFY(packed.size() < text.size() / 2);
        QCOMPARE(zlibDecompress(packed).value(), text);
        QCOMPARE(zlibDecompress(zlibCompress("")).value(), std::string());
        QVERIFY(!zlibDecompress(packed.substr(0, packed.size() / 2)).has_value());
        QVERIFY(!zlibDecompress(packed + "x").has_value());
        QVERIFY(!zlibDecompress("no zlib").has_value());
        QVERIFY(!zlibDecompress("").has_value());
        QVERIFY(!zlibDecompress(packed, 1000).has_value()); // A bomb is stopped.
        std::string damaged = packed;
        damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
        QVERIFY(!zlibDecompress(damaged).has_value());
    }

    void texts()
    {
        QCOMPARE(formatDuration(0.0000004), std::string("0.4 µs"));
        QCOMPARE(formatDuration(0.0123), std::string("12.3 ms"));
        QCOMPARE(formatDuration(12.34), std::string("12.3 s"));
        QCOMPARE(formatDuration(59.96), std::string("1 min 00 s"));
        QCOMPARE(formatDuration(245), std::string("4 min 05 s"));
        QCOMPARE(formatDuration(3 * 3600 + 720), std::string("3 h 12 min"));
        QCOMPARE(formatDuration(52 * 3600), std::string("2 d 4 h"));
        QCOMPARE(formatDuration(std::numeric_limits<double>::quiet_NaN()), std::string("?"));
        QCOMPARE(formatBytes(512), std::string("512 B"));
        QCOMPARE(formatBytes(1536), std::string("1.5 KiB"));
        QCOMPARE(formatBytes(1024.0 * 1024 * 1024 * 20), std::string("20.0 GiB"));
        QCOMPARE(formatCount(950), std::string("950"));
        QCOMPARE(formatCount(999.6), std::string("1.00 k"));
        QCOMPARE(formatCount(12345), std::string("12.3 k"));
        QCOMPARE(formatCount(4560000), std::string("4.56 M"));
        QCOMPARE(formatGrouped(1234567), std::string("1,234,567"));
        QCOMPARE(formatGrouped(-123), std::string("-123"));
        QCOMPARE(formatGrouped(-1234), std::string("-1,234"));
        QCOMPARE(formatCounted(1, "run"), std::string("1 run"));
        QCOMPARE(formatCounted(0, "run"), std::string("0 runs"));
        QCOMPARE(formatCounted(1234, "matrix", "matrices"), std::string("1,234 matrices"));
        QCOMPARE(formatCounted(1, "row has", "rows have"), std::string("1 row has"));
        QCOMPARE(formatNumber(0.1), std::string("0.1"));
        QCOMPARE(nearestWord("ppo.clip_rnage", {"sft.lr", "ppo.clip_range"}), std::string("ppo.clip_range"));
        QCOMPARE(nearestWord("zzz", {"sft.lr", "ppo.clip_range"}), std::string());
    }

    void nearestWords()
    {
        const std::vector<std::string> commands{"bench",    "judge", "job",   "export",
                                                "evaluate", "runs",  "remote"};
        const std::pair<const char*, const char*> slips[] = {
            {"bnech", "bench"},   {"jbo", "job"},    {"exprot", "export"},
            {"eval", "evaluate"}, {"judg", "judge"}, {"ab", ""},
            {"zzzzz", ""},        {"jxz", ""},       {"re", ""},
            {"rusn", "runs"},     {"", ""}};
        for (const auto& [word, meant] : slips)
            QVERIFY2(nearestWord(word, commands) == meant, word);
        QCOMPARE(nearestWord("ppo", {"quickstart-ppo", "quickstart-sft"}), std::string("quickstart-ppo"));
        // A part of a name with several: of one, not of any of several.
        QCOMPARE(nearestWord("limt", {"limit-per-matrix", "columns"}), std::string("limit-per-matrix"));
        QCOMPARE(nearestWord("sftt", {"quickstart-sft", "rft"}), std::string("quickstart-sft"));
        QCOMPARE(nearestWord("sftt", {"quickstart-sft", "default-sft", "rft"}), std::string());
        // Of several, the one that is near as a whole.
        QCOMPARE(nearestWord("Apache-2", {"Apache-1.0", "Apache-1.1", "Apache-2.0", "MIT"}),
                 std::string("Apache-2.0"));
        QCOMPARE(nearestWord("quickstart", {"quickstart-ppo", "quickstart-sft"}), std::string()); // either
    }

    void times()
    {
        QCOMPARE(isoTime(0), std::string("1970-01-01T00:00:00.000Z"));
        QCOMPARE(isoTime(951782400.5), std::string("2000-02-29T00:00:00.500Z"));
        QCOMPARE(isoTime(-0.25), std::string("1969-12-31T23:59:59.750Z"));
        QCOMPARE(parseIsoTime("2000-02-29T00:00:00.500Z").value(), 951782400.5);
        QCOMPARE(parseIsoTime("2000-02-29T00:00:00Z").value(), 951782400.0);
        QVERIFY(!parseIsoTime("yesterday").has_value());
        QVERIFY(unixSeconds() > 1.7e9);
    }

    void json()
    {
        const auto good = parseJson(R"({"a": [1, 2.5, "x"]})");
        QVERIFY(good.has_value());
        QCOMPARE(dumpJson(*good), std::string(R"({"a":[1,2.5,"x"]})"));
        const auto bad = parseJson("{\n\"a\": 1,\n}", "f.json");
        QVERIFY(!bad.has_value());
        QCOMPARE(bad.error().file, std::string("f.json"));
        QCOMPARE(bad.error().line, 3);
        QVERIFY(!parseJson("").has_value());
        QVERIFY(!parseJson("[1, 2").has_value());
        QVERIFY(!parseJson(std::string_view("{}\0", 3)).has_value()); // zeros after power loss
        QVERIFY(!parseJson(std::string_view("{}\n\0{", 5)).has_value());
        QCOMPARE(dumpJson(std::numeric_limits<double>::infinity()), std::string("null"));
        QCOMPARE(dumpJson("\xff"), std::string("\"\xef\xbf\xbd\""));
        QCOMPARE(jsonValue((*good), "b", 3), 3);
        QCOMPARE(jsonValue((*good), "a", 3), 3);
        QVERIFY(!jsonRequire<int>(*good, "a").has_value());
        QVERIFY(!jsonRequire<int>(*good, "b").has_value());
        // Whole numbers neither wrap nor are cut.
        const auto as = [](const char* text) { return jsonAs<int>(*parseJson(text)); };
        QVERIFY(as("7") == 7 && as("-7") == -7 && as("7.0") == 7 && as("2147483647") == 2147483647);
        for (const char* text : {"2147483648", "4294967297", "18446744073709551615", "-2147483649", "7.5",
                                 "1e300", "-1e300", "1e10", "\"7\"", "[]", "{}", "null", "true", "false"})
            QVERIFY2(!as(text), text);
        QVERIFY(!jsonAs<std::uint64_t>(*parseJson("-1")));
        QVERIFY(jsonAs<std::int64_t>(*parseJson("9223372036854775807")) == INT64_MAX);
        QVERIFY(!jsonAs<std::int64_t>(*parseJson("9223372036854775808")));
        truthValuesAreNoNumbers();
        // Brackets of a hostile line must not use up the stack of what copies or writes the value.
        const auto nested = [](int depth) {
            return "{\"a]\\\"[\":" + std::string(static_cast<std::size_t>(depth), '[') +
                   std::string(static_cast<std::size_t>(depth), ']') + "}";
        };
        QVERIFY(parseJson(nested(499)).has_value());
        QVERIFY(!parseJson(nested(500)).has_value());
        QVERIFY(!parseJson(std::string(5'000'000, '[')).has_value());
        QVERIFY(parseJson("[\"" + std::string(5'000, '[') + "\"]").has_value());
        QCOMPARE(toJson(Error{"w", "f", 2, "r"}).dump(),
                 std::string(R"({"error":{"file":"f","line":2,"remedy":"r","what":"w"}})"));
    }

    void toml()
    {
        const auto table = parseToml("a = 1\n[b]\nc = 0.5\nd = [1, 2]\ne = \"x\"\nf = true\n");
        QVERIFY(table.has_value());
        QCOMPARE(jsonFromToml(*table).dump(),
                 std::string(R"({"a":1,"b":{"c":0.5,"d":[1,2],"e":"x","f":true}})"));
        const auto again = parseToml(formatToml(*table));
        QVERIFY(again.has_value());
        QCOMPARE(jsonFromToml(*again).dump(), jsonFromToml(*table).dump());
        const auto bad = parseToml("a = 1\nb = = 2\n", "f.toml");
        QVERIFY(!bad.has_value());
        QCOMPARE(bad.error().line, 2);
        for (const char* text :
             {"[ = 1\n", "[=]\n", "[[ , ]]\n", "[#]\n", "= 1\n", "[a]\n[.]\n", "\xef\xba\xbf- = 1\n"})
            QVERIFY2(!parseToml(text).has_value(), text);
        // Texts of several lines come back, whatever quotes and line breaks they have.
        for (const char* value : {"a\n'''b", "\na", "a\n\"\"\"", "\n'", "a\r\n\tb\\"}) {
            toml::table lines;
            lines.insert("key", std::string(value));
            const auto back = parseToml(formatToml(lines));
            QVERIFY2(back.has_value(), value);
            QCOMPARE((*back)["key"].value_or(std::string()), std::string(value));
        }
        // Such keys would be written without the quotes that they need.
        for (const char* text : {"a = 1\n\"5'''5\" = 2\n", "a = 1\n\"b\\tc\" = 2\n",
                                 "a = 1\nb = [{\"c\\nd\" = 1}]\n", "a = 1\n[\"it's\"]\nb = 1\n"}) {
            const auto odd = parseToml(text, "odd.toml");
            QVERIFY2(!odd.has_value(), text);
            QCOMPARE(odd.error().line, 2);
        }
        const auto converted = tomlFromJson(jsonFromToml(*table));
        QVERIFY(converted.has_value());
        QCOMPARE(jsonFromToml(*converted).dump(), jsonFromToml(*table).dump());
        // Tables within tables recurse in the code that destroys or writes them: what no file of ours has is
        // refused.
        std::string deep = "a = 1.5 # a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a\nb = "
                           "\"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a\"\n[k";
        QVERIFY(parseToml(deep + ".k.'a.b'.\"c\"]\n").has_value());
        for (int i = 0; i < 100'000; ++i)
            deep += ".k";
        const auto refused = parseToml(deep + "]\n", "deep.toml");
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().line, 3);
        QVERIFY(parseToml("a = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, "
                          "1.6, 1.7, 1.8]\n")
                    .has_value());
        // TOML's whole numbers end at 2^63 - 1; a larger one is a real number, never a negative one.
        const auto large =
            tomlFromJson(*parseJson(R"({"a":18446744073709551615,"b":[9223372036854775808]})"));
        QVERIFY(large.has_value());
        QCOMPARE((*large)["a"].value<double>().value_or(0), 18446744073709551615.0);
        QCOMPARE((*large)["b"][0].value<double>().value_or(0), 9223372036854775808.0);
    }

    // Forty pieces of 5 s after 90 s of getting ready: the 90 s do not come again.
    void timeLeft()
    {
        TimeLeft left;
        QVERIFY(!left.update(0, 0));
        QVERIFY(!left.update(0, 60));
        QVERIFY(!left.update(1 / 40.0, 95)); // the first piece says nothing of the others
        QVERIFY(!left.update(1 / 40.0 + 0.001, 95.2));
        QCOMPARE(left.update(2 / 40.0, 100).value_or(-1), 190.0);
        QCOMPARE(left.update(20 / 40.0, 190).value_or(-1), 100.0);
        QVERIFY(!left.update(1, 290));
        QVERIFY(!left.update(std::nan(""), 300));
        // Other work, of a hundred seconds, by the same clock.
        QVERIFY(!left.update(0.1, 1000));
        QVERIFY(!left.update(0.04, 1001)); // again
        QCOMPARE(left.update(0.25, 1022).value_or(-1), 75.0);
        QVERIFY(left.update(0.24, 1022)); // of another thread
        QCOMPARE(left.update(0.46, 1043).value_or(-1), 54.0);
        QVERIFY(!left.update(0.06, 1050)); // more than where it began, and other work all the same
        QCOMPARE(left.update(0.16, 1060).value_or(-1), 84.0);
    }

    // Reckoned by hand, by the rule that NumPy has as its default.
    void quantiles()
    {
        const std::vector<double> values{7.5, -1, 3, 3, 12};
        QCOMPARE(quantile(values, 0), -1.0);
        QCOMPARE(quantile(values, 0.1), 0.6);
        QCOMPARE(quantile(values, 0.25), 3.0);
        QCOMPARE(quantile(values, 0.9), 10.2);
        QCOMPARE(quantile(values, 1), 12.0);
        QCOMPARE(quantile({0, 10}, 0.25), 2.5);
        QCOMPARE(quantile({4}, 0.7), 4.0);
        QCOMPARE(quantile({}, 0.5), 0.0);
        QCOMPARE(quantile(values, 7), 12.0); // the share is held within [0, 1]
        QCOMPARE(median({3, 1, 2}), 2.0);
        QCOMPARE(median({4, 1, 3, 2}), 2.5); // of an even number between the two, not one of them
        QCOMPARE(median({}), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestValues)
#include "tst_values.moc"
