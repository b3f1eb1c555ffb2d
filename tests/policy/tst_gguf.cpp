// SPDX-License-Identifier: Apache-2.0
// GGUF files against the package `gguf` and `tokenizers` (tests/tools/make_gguf_fixture.py), and hostile
// ones.
#include "base/files.h"
#include "base/json.h"
#include "policy/causal/causal_gguf.h"
#include "policy/files/gguf_file.h"
#include "policy/tokenizer/tokenizer_gguf.h"
#include "tests/policy/gguf_bytes.h"

#include <QtTest>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

using namespace sparserl;
using nlohmann::json;
using sparserl::test::GgufBytes;
namespace fs = std::filesystem;

namespace {

fs::path fixture(const std::string& name)
{
    return SPARSERL_SOURCE_DIR "/tests/policy/fixtures/gguf/" + name;
}

std::vector<float> numbersOf(const GgufFile& file, const GgufTensor& tensor)
{
    std::vector<float> numbers(tensor.numbers());
    readGgufNumbers(tensor.type, file.bytesOf(tensor).data(), numbers.size(), numbers.data());
    return numbers;
}

/// A file of two values and two tensors.
GgufBytes small()
{
    GgufBytes file;
    file.head(2, 2).value("general.architecture", "llama").value("llama.block_count", 2u);
    file.tensor("a", 8, 0, 0).tensor("b", 32, 8, 32).padded();
    for (int i = 0; i < 8; ++i)
        file.number(static_cast<float>(i) / 4);
    return file.raw(std::string(34, '\1'));
}

/// Values of a tokenizer of the 256 bytes, and others at will.
struct TokenizerFile
{
    std::map<std::string, json> values;

    TokenizerFile()
    {
        const json file = Tokenizer().toJson();
        std::vector<std::string> tokens(file["model"]["vocab"].size() + file["added_tokens"].size());
        for (const auto& [text, id] : file["model"]["vocab"].items())
            tokens[id.get<std::size_t>()] = text;
        json types = json::array();
        for (const json& token : file["added_tokens"])
            tokens[token["id"].get<std::size_t>()] = token["content"].get<std::string>();
        tokens.resize(file["model"]["vocab"].size());
        for (std::size_t i = 0; i < tokens.size(); ++i)
            types.push_back(i < 4 ? 3 : 1);
        values = {{"tokenizer.ggml.model", "gpt2"},         {"tokenizer.ggml.pre", "gpt-2"},
                  {"tokenizer.ggml.tokens", tokens},        {"tokenizer.ggml.token_type", types},
                  {"tokenizer.ggml.merges", json::array()}, {"tokenizer.ggml.bos_token_id", 1},
                  {"tokenizer.ggml.eos_token_id", 2}};
    }

    Result<Tokenizer> read() const
    {
        GgufBytes file;
        file.head(0, values.size());
        for (const auto& [key, value] : values) {
            if (value.is_boolean()) {
                file.key(key, 7).number(std::uint8_t(value.get<bool>()));
            } else if (value.is_string()) {
                file.value(key, value.get<std::string>());
            } else if (value.is_number()) {
                file.key(key, 5).number(value.get<std::int32_t>());
            } else {
                const bool texts = key.ends_with("tokens") || key.ends_with("merges");
                file.key(key, 9).number(texts ? 8u : 5u).number(std::uint64_t(value.size()));
                for (const json& one : value)
                    texts ? file.text(one.get<std::string>()) : file.number(one.get<std::int32_t>());
            }
        }
        const auto header = readGgufHeader(file.bytes(), "small.gguf");
        if (!header)
            return fail(header.error());
        return tokenizerFromGguf(*header, "small.gguf");
    }
};

} // namespace

class TestGguf : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void numbersAsPublished();
    void halvesAreExact();
    void valuesAndPlaces();
    void whatIsWrongIsASentence_data();
    void whatIsWrongIsASentence();
    void everyCutIsASentence();
    void tokensAsPublished_data();
    void tokensAsPublished();
    void tokenizersSayWhatBeginsTexts();
    void wrongTokenizersAreSentences_data();
    void wrongTokenizersAreSentences();
    void missingBytesAreLeftOut();
    void pathsMeanFiles();
    void factorsAreNumbers();
};

void TestGguf::numbersAsPublished()
{
    const auto file = GgufFile::open(fixture("types.gguf"));
    QVERIFY2(file, file ? "" : file.error().sentence().c_str());
    int types = 0;
    for (const GgufTensor& tensor : file->header().tensors) {
        if (tensor.name.ends_with(".expected"))
            continue;
        ++types;
        QCOMPARE(nameOf(tensor.type), tensor.name);
        const auto expected =
            std::ranges::find(file->header().tensors, tensor.name + ".expected", &GgufTensor::name);
        QVERIFY(expected != file->header().tensors.end() && expected->type == GgufType::F32);
        const auto ours = numbersOf(*file, tensor), theirs = numbersOf(*file, *expected);
        QVERIFY(tensor.shape == (std::vector<std::int64_t>{1, 512}));
        QVERIFY2(ours == theirs, tensor.name.c_str());
        QVERIFY(std::ranges::count(theirs, theirs.front()) < 200);
    }
    QCOMPARE(types, 9);
}

/// Small numbers of half precision too, infinities and no numbers.
void TestGguf::halvesAreExact()
{
    const std::vector<std::pair<std::uint16_t, float>> halves{
        {0x0000, 0.0F},        {0x8000, -0.0F},
        {0x0001, 0x1p-24F},    {0x83FF, -0x3FFp-24F},
        {0x0400, 0x1p-14F},    {0x3C00, 1.0F},
        {0xC500, -5.0F},       {0x7BFF, 65504.0F},
        {0x3555, 0x1.554p-2F}, {0x7C00, std::numeric_limits<float>::infinity()}};
    for (const auto& [bits, expected] : halves) {
        float read = 7;
        readGgufNumbers(GgufType::F16, reinterpret_cast<const std::byte*>(&bits), 1, &read);
        QVERIFY2(read == expected && std::signbit(read) == std::signbit(expected),
                 std::to_string(bits).c_str());
    }
    const std::uint16_t none = 0x7E00;
    float read = 7;
    readGgufNumbers(GgufType::F16, reinterpret_cast<const std::byte*>(&none), 1, &read);
    QVERIFY(std::isnan(read));
}

void TestGguf::valuesAndPlaces()
{
    const auto header = readGgufHeader(small().bytes(), "small.gguf");
    QVERIFY2(header, header ? "" : header.error().sentence().c_str());
    QCOMPARE(header->text("general.architecture")->value(), std::string_view("llama"));
    QCOMPARE(header->integer("llama.block_count")->value(), std::int64_t(2));
    QVERIFY(!*header->integer("none") && !header->text("llama.block_count") &&
            !header->flag("llama.block_count"));
    QCOMPARE(header->tensors[1].end - header->tensors[1].begin, std::uint64_t(34));
    QCOMPARE(header->tensors[1].end, std::uint64_t(small().bytes().size()));
    // Another alignment, and single precision as decimal numbers.
    GgufBytes file;
    file.head(2, 2).value("general.alignment", 64u).key("x", 6).number(1e-5F);
    file.tensor("a", 1, 0, 0)
        .tensor("b", 1, 0, 64)
        .padded(64)
        .number(1.0F)
        .padded(64)
        .number(2.0F)
        .padded(64);
    const auto wide = readGgufHeader(file.bytes(), "small.gguf");
    QVERIFY2(wide, wide ? "" : wide.error().sentence().c_str());
    QCOMPARE(wide->number("x")->value(), 1e-5);
    QCOMPARE(wide->tensors[1].begin - wide->tensors[0].begin, std::uint64_t(64));
}

void TestGguf::whatIsWrongIsASentence_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* what, const GgufBytes& file, const char* says) {
        QTest::newRow(what) << QByteArray::fromStdString(file.bytes()) << QString::fromLatin1(says);
    };
    constexpr std::uint64_t huge = ~std::uint64_t(0), high = std::uint64_t(1) << 63;
    const auto begun = [](std::uint64_t tensors, std::uint64_t values) {
        GgufBytes file;
        file.head(tensors, values);
        return file;
    };
    row("empty", GgufBytes(), "ends after 0 bytes");
    row("other file", GgufBytes().raw("PK\3\4 and so on and so on"), "not a GGUF file");
    row("version 1", GgufBytes().head(0, 0, 1), "of version 1");
    row("version 4", GgufBytes().head(0, 0, 4), "of version 4");
    row("big-endian", GgufBytes().head(0, 0, 0x03000000), "big-endian");
    row("tensors without end", begun(huge, 0), "claims 18446744073709551615 tensors");
    row("values without end", begun(0, huge), "18446744073709551615 values");
    row("as many as there may be", begun(60000, 60000), "the header ends");
    row("key without end", begun(0, 1).number(huge).raw("x"), "the header ends");
    row("empty key", begun(0, 1).value("", 1u), "the name of a value");
    row("long key", begun(0, 1).value(std::string(300, 'k'), 1u), "the name of a value");
    row("key no text", begun(0, 1).value("\xFF\xFE", 1u), "the name of a value");
    row("key twice", begun(0, 2).value("x", 1u).value("x", 1u), "x is given twice");
    row("unknown kind", begun(0, 1).key("x", 13).number(1u), "unknown type 13");
    row("text without end", begun(0, 1).key("x", 8).number(huge).raw("x"), "the header ends");
    row("64 bits", begun(0, 1).key("x", 10).number(high), "more than 63 bits");
    row("list without end", begun(0, 1).key("x", 9).number(4u).number(huge),
        "claims 18446744073709551615 numbers");
    row("list whose size overflows", begun(0, 1).key("x", 9).number(12u).number(high / 4 + 1), "numbers");
    row("list of texts without end", begun(0, 1).key("x", 9).number(8u).number(huge).text("a"),
        "the header ends");
    row("list of lists", begun(0, 1).key("x", 9).number(9u).number(std::uint64_t(1)), "a list of lists");
    row("list of unknown kind", begun(0, 1).key("x", 9).number(77u).number(std::uint64_t(1)),
        "unknown type 77");
    row("alignment 0", begun(0, 1).value("general.alignment", 0u), "general.alignment is 0");
    row("alignment 24", begun(0, 1).value("general.alignment", 24u), "general.alignment is 24");
    row("alignment is text", begun(0, 1).value("general.alignment", "x"), "not a whole number");
    row("tensor twice", begun(2, 0).tensor("a", 1, 0, 0).tensor("a", 1, 0, 32).padded(), "a is given twice");
    row("tensor without a name", begun(1, 0).tensor("", 1, 0, 0).padded(), "the name of a tensor");
    row("no dimension", begun(1, 0).text("a").number(0u), "has 0 dimensions");
    row("many dimensions", begun(1, 0).text("a").number(4000000000u), "has 4000000000 dimensions");
    row("no numbers", begun(1, 0).tensor("a", 0, 0, 0).padded(), "a shape with a 0");
    row("beyond 63 bits", begun(1, 0).tensor("a", high, 0, 0).padded(), "beyond what 64 bits");
    row("product overflows",
        begun(1, 0)
            .text("a")
            .number(2u)
            .number(std::uint64_t(1) << 33)
            .number(std::uint64_t(1) << 33)
            .number(0u),
        "beyond what 64 bits");
    row("bytes overflow", begun(1, 0).tensor("a", std::uint64_t(1) << 62, 0, 0).padded(),
        "beyond what 64 bits");
    row("type that is not read", begun(1, 0).tensor("a", 256, 13, 0).padded(),
        "stored as Q5_K, which is not read");
    row("no such type", begun(1, 0).tensor("a", 256, 99, 0).padded(), "stored as type 99");
    row("part of a block", begun(1, 0).tensor("a", 33, 8, 0).padded(), "Q8_0 stores 32 together");
    row("a gap", begun(1, 0).tensor("a", 1, 0, 32).padded().raw(std::string(64, 'x')),
        "starts at 32 where 0");
    row("overlap", begun(2, 0).tensor("a", 16, 0, 0).tensor("b", 1, 0, 32).padded().raw(std::string(96, 'x')),
        "b starts at 32 where 64");
    row("outside", begun(1, 0).tensor("a", 16, 0, 0).padded().raw(std::string(63, 'x')), "outside the file");
    row("far outside", begun(1, 0).tensor("a", std::uint64_t(1) << 59, 0, 0).padded(), "outside the file");
    row("more behind", begun(1, 0).tensor("a", 1, 0, 0).padded().raw(std::string(64, 'x')),
        "follow the last tensor");
}

void TestGguf::whatIsWrongIsASentence()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    const auto header =
        readGgufHeader(std::string_view(bytes.constData(), std::size_t(bytes.size())), "small.gguf");
    QVERIFY(!header);
    const QString sentence = QString::fromStdString(header.error().sentence());
    QVERIFY2(sentence.contains(says) && sentence.startsWith(u"small.gguf: ") && !sentence.contains(u'\n'),
             qPrintable(sentence));
    QVERIFY(!header.error().remedy.empty());
}

void TestGguf::everyCutIsASentence()
{
    const std::string bytes = small().bytes();
    QVERIFY(readGgufHeader(bytes, "small.gguf"));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto header = readGgufHeader(std::string_view(bytes).substr(0, size), "small.gguf");
        QVERIFY2(!header, std::to_string(size).c_str());
    }
}

void TestGguf::tokensAsPublished_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"smollm", "llama-bpe", "qwen2", "gpt-2", "default", "deepseek-llm",
                             "deepseek-coder", "deepseek-v3", "glm4"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGguf::tokensAsPublished()
{
    QFETCH(QString, name);
    const fs::path path = fixture("tokenizers/" + name.toStdString() + ".gguf");
    const auto read = readTokenizer(path);
    QVERIFY2(read, read ? "" : read.error().sentence().c_str());
    const auto again = Tokenizer::fromJson(read->toJson());
    QVERIFY2(again && again->toJson() == read->toJson(), again ? "" : again.error().sentence().c_str());
    // Tokens that are called unused, behind all others, are none.
    QVERIFY(read->addedToken("<tool>") && !read->addedToken("[PAD0]"));
    QCOMPARE(read->end(), read->vocabSize() - 2);
    QCOMPARE(read->begin(), name == u"llama-bpe" ? read->vocabSize() - 3 : -1);
    QCOMPARE(again->begin(), read->begin());
    const json rows = json::parse(*readFile(fixture("tokenizers/" + name.toStdString() + ".json")));
    QVERIFY(rows.size() > 20);
    int named = 0;
    for (const Tokenizer& tokenizer : {*read, *again}) {
        for (const json& row : rows) {
            const auto text = row["text"].get<std::string>();
            QVERIFY2(json(tokenizer.encode(text)) == row["ids"], row.dump().c_str());
            QVERIFY2(json(tokenizer.encode(text, SpecialNames::Tokens)) == row.value("named", row["ids"]),
                     row.dump().c_str());
            named += row.contains("named");
        }
    }
    QVERIFY(named > 0);
}

void TestGguf::tokenizersSayWhatBeginsTexts()
{
    TokenizerFile file;
    const auto begins = [&] {
        const auto tokenizer = file.read();
        if (!tokenizer)
            qFatal("%s", tokenizer.error().sentence().c_str());
        const auto again = Tokenizer::fromJson(tokenizer->toJson());
        if (!again || again->begin() != tokenizer->begin())
            qFatal("it is another one after reading");
        return tokenizer->begin();
    };
    QCOMPARE(begins(), -1);
    file.values["tokenizer.ggml.add_bos_token"] = true;
    QCOMPARE(begins(), 1);
    file.values["tokenizer.ggml.pre"] = "llama-bpe";
    file.values["tokenizer.ggml.add_bos_token"] = false;
    QCOMPARE(begins(), -1);
    file.values.erase("tokenizer.ggml.add_bos_token"); // Llama 3's rules have one
    QCOMPARE(begins(), 1);
    file.values.erase("tokenizer.ggml.bos_token_id");
    const auto none = file.read();
    QVERIFY(!none && none.error().sentence().find("bos_token_id") != std::string::npos);
}

void TestGguf::wrongTokenizersAreSentences_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* what, const char* key, const char* value, const char* says) {
        QTest::newRow(what) << QString::fromLatin1(key) << QString::fromLatin1(value)
                            << QString::fromLatin1(says);
    };
    row("SentencePiece", "model", "\"llama\"", "of the kind \"llama\"");
    row("no kind", "model", "", "tokenizer.ggml.model is missing");
    row("unknown rule", "pre", "\"bloom\"", "the rule \"bloom\", which is not known");
    row("no tokens", "tokens", "", "tokenizer.ggml.tokens is missing");
    row("empty list", "tokens", "[]", "tokenizer.ggml.tokens is missing");
    row("few tokens", "tokens", "[\"a\"]", "1 tokens have 260 types");
    row("types are text", "token_type", "\"x\"", "not a list of whole numbers");
    row("no merges", "merges", "", "tokenizer.ggml.merges is missing");
    row("merge of three", "merges", "[\"a b c\"]", "merge 0 is not a pair");
    row("merge of unknown", "merges", "[\"aa b\"]", "merge 0 is not a pair");
    row("end outside", "eos_token_id", "260", "eos_token_id is 260");
    row("end before all", "eos_token_id", "-1", "eos_token_id is -1");
}

void TestGguf::wrongTokenizersAreSentences()
{
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, says);
    TokenizerFile file;
    QVERIFY(file.read());
    const std::string full = "tokenizer.ggml." + key.toStdString();
    if (value.isEmpty())
        file.values.erase(full);
    else
        file.values[full] = json::parse(value.toStdString());
    const auto tokenizer = file.read();
    QVERIFY(!tokenizer);
    const QString sentence = QString::fromStdString(tokenizer.error().sentence());
    QVERIFY2(sentence.contains(says) && sentence.startsWith(u"small.gguf: ") && !sentence.contains(u'\n'),
             qPrintable(sentence));
}

/// SmolLM2's vocabulary lacks some control characters; `tokenizers` and llama.cpp leave them out.
void TestGguf::missingBytesAreLeftOut()
{
    TokenizerFile file;
    json& tokens = file.values["tokenizer.ggml.tokens"];
    const auto place = std::ranges::find(tokens, json("\u0104")); // byte 4 in GPT-2's alphabet
    QVERIFY(place != tokens.end());
    *place = "ab";
    const auto tokenizer = file.read();
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().sentence().c_str());
    QVERIFY(!tokenizer->hasAllBytes());
    QCOMPARE(tokenizer->decode(tokenizer->encode("x\4y\5z")), std::string("xy\5z"));
    QVERIFY(tokenizer->encode("\4").empty());
    const auto needed = std::ranges::find(tokens, json("{"));
    QVERIFY(needed != tokens.end());
    *needed = "cd";
    const auto none = file.read();
    QVERIFY(!none && none.error().sentence().find("no token for byte 123") != std::string::npos);
}

void TestGguf::pathsMeanFiles()
{
    const auto dir = TempDir::create();
    const fs::path folder = dir->path() / "model";
    QVERIFY(makeDirectories(folder));
    QVERIFY(ggufAt(folder) && !*ggufAt(folder));
    QVERIFY(writeFileAtomic(folder / "a.gguf", "x"));
    QCOMPARE(ggufAt(folder)->value(), folder / "a.gguf");
    QCOMPARE(ggufAt(folder / "a.gguf")->value(), folder / "a.gguf");
    QVERIFY(writeFileAtomic(folder / "b.gguf", "x"));
    QVERIFY(!ggufAt(folder));
    QVERIFY(writeFileAtomic(folder / "config.json", "{}"));
    QVERIFY(ggufAt(folder) && !*ggufAt(folder));
    const auto parts = GgufBytes().head(0, 1).key("split.count", 2).number(std::uint16_t(2));
    QVERIFY(writeFileAtomic(folder / "c.gguf", parts.bytes()));
    const auto part = GgufFile::open(folder / "c.gguf");
    QVERIFY(!part && part.error().sentence().find("one of 2 parts") != std::string::npos);
}

/// Also where frequencies are too low for single precision.
void TestGguf::factorsAreNumbers()
{
    CausalConfig config{.head_dim = 64};
    config.rope = {.scaling = RopeScaling::Llama3, .factor = 8, .originalPositions = 8192};
    for (const double theta : {10000.0, 500000.0, 1e30, 1e80, 1e300}) {
        config.rope.theta = theta;
        const auto factors = ropeFactorsOf(config);
        QCOMPARE(factors.size(), std::size_t(32));
        QVERIFY(std::abs(factors.front() - 1) < 1e-6 && std::abs(factors.back() - 8) < 1e-5);
        for (const float factor : factors)
            QVERIFY(factor > 1 - 1e-6F && factor < 8 + 1e-5F);
    }
}

QTEST_GUILESS_MAIN(TestGguf)
#include "tst_gguf.moc"
