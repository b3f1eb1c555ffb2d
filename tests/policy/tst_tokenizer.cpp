// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/rng.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/t5/t5_config.h"
#include "policy/tokenizer/tokenizer.h"

#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>

using namespace sparserl;
using nlohmann::json;

namespace {

std::string fixture(const std::string& name)
{
    return std::string(SPARSERL_SOURCE_DIR "/tests/policy/fixtures/") + name;
}

json readJson(const std::string& name)
{
    return json::parse(*readFile(fixture(name)));
}

std::string randomBytes(Rng& rng, std::size_t size)
{
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i)
        bytes += static_cast<char>(rng.below(4) == 0 ? rng.below(256) : "ab \n1é("[rng.below(8)]);
    return bytes;
}

/// A matrix of given row lengths with columns 0, 2, 4, ...
Csr staircase(const std::vector<int>& lengths, int cols)
{
    Csr m;
    m.rows = int(lengths.size());
    m.cols = cols;
    for (const int length : lengths) {
        for (int k = 0; k < length; ++k) {
            m.col.push_back(2 * k);
            m.val.push_back(1.0f);
        }
        m.rowPtr.push_back(int(m.col.size()));
    }
    return m;
}

} // namespace

class TestTokenizer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void encodesAsHuggingFace_data();
    void encodesAsHuggingFace();
    void roundTripsAnyBytes();
    void trainsKnownMerges();
    void trainingIsDeterministicAndCompact();
    void saveAndLoad();
    void malformedFilesAreSentences_data();
    void malformedFilesAreSentences();
    void cancelledTraining();
    void matrixTokensAsNumPy();
    void samplesAreSeededAndBounded();
    void quadtreesAreBounded();
    void structureKeepsWholeRows();
    void emptyMatrix();
    void configurationsDoNotWrap();
};

void TestTokenizer::encodesAsHuggingFace_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("gpt2") << QStringLiteral("gpt2");
    QTest::newRow("code") << QStringLiteral("code");
}

void TestTokenizer::encodesAsHuggingFace()
{
    QFETCH(QString, name);
    const std::string base = "tokenizer_" + name.toStdString();
    const auto tokenizer = Tokenizer::load(fixture(base + ".json"));
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().sentence().c_str());
    QCOMPARE(tokenizer->preTokenizer(), name == u"gpt2" ? PreTokenizer::Gpt2 : PreTokenizer::Code);
    int checked = 0;
    for (const json& entry : readJson(base + "_encoded.json")) {
        const auto text = entry["text"].get<std::string>();
        const auto ids = tokenizer->encode(text);
        QVERIFY2(json(ids) == entry["ids"], entry.dump().c_str());
        QCOMPARE(tokenizer->decode(ids), text);
        ++checked;
    }
    QVERIFY(checked > 300);
}

void TestTokenizer::roundTripsAnyBytes()
{
    Rng rng(1);
    std::vector<std::string> texts;
    for (int i = 0; i < 50; ++i)
        texts.push_back(randomBytes(rng, 200));
    for (const PreTokenizer rule : {PreTokenizer::Code, PreTokenizer::Gpt2}) {
        const auto trained = Tokenizer::train(texts, {.vocabSize = 400, .preTokenizer = rule});
        QVERIFY(trained);
        for (const Tokenizer& tokenizer : {Tokenizer(), *trained}) {
            for (int i = 0; i < 300; ++i) {
                const std::string text = randomBytes(rng, rng.below(300));
                QCOMPARE(tokenizer.decode(tokenizer.encode(text)), text);
                std::string joined;
                for (const auto piece : preTokenize(text, rule))
                    joined += piece;
                QCOMPARE(joined, text);
            }
        }
    }
    QCOMPARE(Tokenizer().decode(std::vector<std::int32_t>{-5, 0, 2, 100000}), std::string());
}

void TestTokenizer::trainsKnownMerges()
{
    // Counts over "aaab aaab ab" by hand: (a,b) 3 and (a,a) 4 overlapping positions; then (aa,a)/(aa,ab)...
    const std::vector<std::string> texts{"aaab", "aaab", "ab"};
    const auto t =
        Tokenizer::train(texts, {.vocabSize = 262, .preTokenizer = PreTokenizer::Gpt2, .minFrequency = 2});
    QVERIFY(t);
    QCOMPARE(t->vocabSize(), 262);
    QCOMPARE(std::string(t->bytes(260)), std::string("aa"));
    // After "aa": aa a b (x2), a b: (a,b) 3, (aa,a) 2.
    QCOMPARE(std::string(t->bytes(261)), std::string("ab"));
    QCOMPARE(t->encode("aaab").size(), std::size_t(2));
    // Nothing occurs twice: no merges beyond the bytes.
    const auto none = Tokenizer::train(std::vector<std::string>{"abc"}, {.vocabSize = 300});
    QVERIFY(none);
    QCOMPARE(none->vocabSize(), 260);
    QVERIFY(!Tokenizer::train(texts, {.vocabSize = 100}));
}

void TestTokenizer::trainingIsDeterministicAndCompact()
{
    std::vector<std::string> texts;
    for (int i = 0; i < 200; ++i)
        texts.push_back(
            "extern \"C\" __global__ void k(int rows, const int* __restrict__ row_ptr)\n{\n    int row = "
            "blockIdx.x * " +
            std::to_string(32 << i % 5) + " + threadIdx.x;\n    if (row >= rows) return;\n}\n");
    const auto code = Tokenizer::train(texts, {.vocabSize = 400});
    const auto again = Tokenizer::train(texts, {.vocabSize = 400});
    const auto words = Tokenizer::train(texts, {.vocabSize = 400, .preTokenizer = PreTokenizer::Gpt2});
    QVERIFY(code && again && words);
    QVERIFY(code->toJson() == again->toJson());
    QVERIFY(3 * code->encode(texts[0]).size() < 2 * words->encode(texts[0]).size());
    for (int id = 0; id < code->vocabSize(); ++id)
        QVERIFY(code->bytes(id).size() <= 32);
    // Numbers stay on their own.
    for (const auto id : code->encode("threads = 128;")) {
        const auto bytes = code->bytes(id);
        const bool digits = bytes.find_first_not_of("0123456789") == std::string_view::npos;
        QVERIFY(digits || bytes.find_first_of("0123456789") == std::string_view::npos);
    }
}

void TestTokenizer::saveAndLoad()
{
    const auto dir = TempDir::create();
    QVERIFY(dir);
    std::vector<std::string> texts;
    Rng rng(3);
    for (int i = 0; i < 30; ++i)
        texts.push_back(randomBytes(rng, 300));
    for (const PreTokenizer rule : {PreTokenizer::Code, PreTokenizer::Gpt2}) {
        const auto tokenizer = Tokenizer::train(texts, {.vocabSize = 500, .preTokenizer = rule});
        QVERIFY(tokenizer);
        QVERIFY(tokenizer->save(dir->path() / "tokenizer.json"));
        const auto loaded = Tokenizer::load(dir->path() / "tokenizer.json");
        QVERIFY2(loaded, loaded ? "" : loaded.error().sentence().c_str());
        QVERIFY(loaded->toJson() == tokenizer->toJson());
        for (const std::string& text : texts)
            QVERIFY(loaded->encode(text) == tokenizer->encode(text));
    }
    const auto missing = Tokenizer::load(dir->path() / "none.json");
    QVERIFY(!missing && !missing.error().what.empty());
}

void TestTokenizer::malformedFilesAreSentences_data()
{
    QTest::addColumn<QString>("patch");
    QTest::newRow("no model") << QStringLiteral(R"([{"op":"remove","path":"/model"}])");
    QTest::newRow("word piece") << QStringLiteral(
        R"([{"op":"replace","path":"/model/type","value":"WordPiece"}])");
    QTest::newRow("vocab array") << QStringLiteral(R"([{"op":"replace","path":"/model/vocab","value":[]}])");
    QTest::newRow("id text") << QStringLiteral(R"([{"op":"replace","path":"/model/vocab/a","value":"x"}])");
    QTest::newRow("id twice") << QStringLiteral(R"([{"op":"replace","path":"/model/vocab/a","value":5}])");
    QTest::newRow("id far") << QStringLiteral(
        R"([{"op":"replace","path":"/model/vocab/a","value":999999999}])");
    QTest::newRow("id negative") << QStringLiteral(
        R"([{"op":"replace","path":"/model/vocab/a","value":-1}])");
    QTest::newRow("byte missing") << QStringLiteral(R"([{"op":"remove","path":"/model/vocab/a"}])");
    QTest::newRow("unknown merge") << QStringLiteral(
        R"([{"op":"add","path":"/model/merges/0","value":"zz zz"}])");
    QTest::newRow("merge number") << QStringLiteral(R"([{"op":"add","path":"/model/merges/0","value":7}])");
    QTest::newRow("merge of special")
        << QStringLiteral(R"([{"op":"add","path":"/model/merges/0","value":["<pad>","a"]}])");
    QTest::newRow("special renamed") << QStringLiteral(
        R"([{"op":"replace","path":"/added_tokens/0/content","value":"<nope>"}])");
    QTest::newRow("special typed") << QStringLiteral(
        R"([{"op":"replace","path":"/added_tokens/0/id","value":"0"}])");
    QTest::newRow("other splitter") << QStringLiteral(
        R"([{"op":"replace","path":"/pre_tokenizer","value":{"type":"Whitespace"}}])");
    QTest::newRow("splitter typed") << QStringLiteral(
        R"([{"op":"replace","path":"/pre_tokenizer","value":{"type":5}}])");
}

void TestTokenizer::malformedFilesAreSentences()
{
    QFETCH(QString, patch);
    const json good = readJson("tokenizer_gpt2.json");
    QVERIFY(Tokenizer::fromJson(good));
    const auto bad = Tokenizer::fromJson(good.patch(json::parse(patch.toStdString())), "t.json");
    QVERIFY(!bad);
    QVERIFY(bad.error().what.size() > 10);
    QCOMPARE(bad.error().file, std::string("t.json"));
}

void TestTokenizer::cancelledTraining()
{
    CancelToken cancel;
    cancel.cancel();
    QVERIFY(!Tokenizer::train(std::vector<std::string>{"aaaa", "aaaa"}, {}, cancel));
}

void TestTokenizer::matrixTokensAsNumPy()
{
    const json f = readJson("matrix_tokens.json");
    Csr m;
    m.rows = f["rows"];
    m.cols = f["cols"];
    m.rowPtr.assign(std::size_t(m.rows) + 1, 0);
    for (const int r : f["r"])
        ++m.rowPtr[r + 1];
    for (int r = 0; r < m.rows; ++r)
        m.rowPtr[r + 1] += m.rowPtr[r];
    m.col = f["c"].get<std::vector<int>>();
    m.val.assign(m.col.size(), 1.0f);
    for (const char* mode : {"raw", "maxmin", "sinusoidal", "sinusoidal+structure"}) {
        EmbeddingConfig config;
        config.mode = *embeddingModeFromName(mode);
        config.maxEntries = int(m.nnz());
        config.peDim = f["pe_dim"];
        const MatrixTokens tokens = matrixTokens(m, config, 0);
        QCOMPARE(tokens.count, int(m.nnz()));
        const json& expected = f[mode];
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const int at = f["checked"][i];
            QCOMPARE(int(expected[i].size()), config.entryWidth());
            for (int w = 0; w < config.entryWidth(); ++w) {
                const double got = tokens.entries[std::size_t(at * config.entryWidth() + w)];
                QVERIFY2(
                    std::abs(got - expected[i][w].get<double>()) <= 1e-6 * std::max(1.0, std::abs(got)),
                    qPrintable(QStringLiteral("%1 entry %2 [%3]").arg(QLatin1String(mode)).arg(at).arg(w)));
            }
        }
        QCOMPARE(int(tokens.features.size()), config.featureWidth());
    }
    for (const char* mode : {"quadtree", "quadtree-attention"}) {
        const json& expected = f[mode];
        const EmbeddingConfig config{
            .mode = *embeddingModeFromName(mode), .maxEntries = 3 * int(m.nnz()), .peDim = f["pe_dim"]};
        const MatrixTokens tokens = matrixTokens(m, config, 0);
        QCOMPARE(tokens.count, expected["count"].get<int>());
        const auto entryIs = [&](int at, const json& values) {
            for (int w = 0; w < config.entryWidth(); ++w) {
                const double got = tokens.entries.at(std::size_t(at * config.entryWidth() + w));
                if (std::abs(got - values.at(std::size_t(w)).get<double>()) > 1e-6)
                    return false;
            }
            return values.size() == std::size_t(config.entryWidth());
        };
        for (std::size_t i = 0; i < expected["checked"].size(); ++i)
            QVERIFY2(entryIs(expected["checked"][i], expected["entries"][i]), mode);
        if (expected.contains("last"))
            QVERIFY(entryIs(tokens.count - 1, expected["last"]));
        QCOMPARE(tokens.parents, expected.value("parents", std::vector<std::int32_t>()));
        QCOMPARE(tokens.rows.size(), std::size_t(m.nnz()));
        const auto read = embeddingConfigFromJson(toJson(config));
        QVERIFY(read && read->mode == config.mode);
    }
    // Max-Min over a data set whose largest matrix has 100 rows and 50 columns; kept with the policy.
    EmbeddingConfig dataSet{
        .mode = EmbeddingMode::MaxMin, .maxEntries = int(m.nnz()), .maxRows = 100, .maxCols = 50};
    const auto read = embeddingConfigFromJson(toJson(dataSet));
    QVERIFY(read && read->maxRows == 100 && read->maxCols == 50);
    const MatrixTokens scaled = matrixTokens(m, *read, 0);
    for (int i = 0; i < scaled.count; ++i) {
        QVERIFY(std::abs(scaled.entries[std::size_t(2 * i)] - float(scaled.rows[std::size_t(i)]) / 100) <
                1e-6f);
        QVERIFY(std::abs(scaled.entries[std::size_t(2 * i + 1)] - float(scaled.cols[std::size_t(i)]) / 50) <
                1e-6f);
    }
    QVERIFY(!toJson(EmbeddingConfig{}).contains("max_rows")); // policies of before stay as they are
    const auto features = structureFeatures(m);
    QCOMPARE(features.size(), f["features"].size());
    for (std::size_t i = 0; i < features.size(); ++i)
        QVERIFY2(std::abs(features[i] - f["features"][i].get<double>()) < 1e-6,
                 qPrintable(QStringLiteral("feature %1: %2").arg(i).arg(features[i])));
    std::vector<float> large(8);
    sinusoid(f["pe_large"]["index"], 8, large.data());
    for (int i = 0; i < 8; ++i)
        QVERIFY(std::abs(large[i] - f["pe_large"]["values"][i].get<double>()) < 1e-6);
}

void TestTokenizer::samplesAreSeededAndBounded()
{
    const Csr m = staircase(std::vector<int>(500, 7), 20);
    for (const EmbeddingMode mode : {EmbeddingMode::Sinusoidal, EmbeddingMode::SinusoidalStructure}) {
        const EmbeddingConfig config{.mode = mode, .maxEntries = 64, .peDim = 8};
        const auto a = matrixTokens(m, config, 5), b = matrixTokens(m, config, 5),
                   c = matrixTokens(m, config, 6);
        QVERIFY(a.entries == b.entries && a.rows == b.rows);
        QVERIFY(a.rows != c.rows || a.cols != c.cols);
        QVERIFY(a.count <= 64 && a.count >= 56);
        std::set<std::pair<int, int>> distinct;
        for (int i = 0; i < a.count; ++i) {
            QVERIFY(distinct.emplace(a.rows[i], a.cols[i]).second);
            QVERIFY(i == 0 || std::pair(a.rows[i - 1], a.cols[i - 1]) < std::pair(a.rows[i], a.cols[i]));
            QVERIFY(a.cols[i] % 2 == 0 && a.cols[i] < 14);
        }
    }
}

/// The entries of a quad-tree are as many as were asked for at most, and the tree is made of sampled
/// non-zeros.
void TestTokenizer::quadtreesAreBounded()
{
    const Csr m = staircase(std::vector<int>(500, 7), 20);
    for (const EmbeddingMode mode : {EmbeddingMode::Quadtree, EmbeddingMode::QuadtreeAttention}) {
        for (const int most : {1, 2, 3, 64, 101}) {
            const EmbeddingConfig config{.mode = mode, .maxEntries = most, .peDim = 8};
            const auto a = matrixTokens(m, config, 5), b = matrixTokens(m, config, 5),
                       c = matrixTokens(m, config, 6);
            QVERIFY(a.count <= most && a.count >= most / 2);
            QVERIFY(a.entries == b.entries && (most < 64 || a.entries != c.entries));
            QCOMPARE(a.entries.size(), std::size_t(a.count * config.entryWidth()));
            QCOMPARE(a.parents.size(), mode == EmbeddingMode::Quadtree ? 0u : std::size_t(a.count));
            int depth = 0;
            std::size_t leaves = 0;
            for (int i = 0; i < a.count; ++i) {
                const float* kind = a.entries.data() + i * config.entryWidth() + 16;
                QCOMPARE(kind[0] + kind[1] + kind[2], 1.0f);
                depth += int(kind[0]) - int(kind[1]);
                leaves += kind[2] == 1.0f;
                QVERIFY(depth >= 0);
                if (!a.parents.empty())
                    QVERIFY(i == 0 ? a.parents[0] == -1 : a.parents[i] >= 0 && a.parents[i] < i);
            }
            QVERIFY(mode != EmbeddingMode::Quadtree || depth == 0);
            QCOMPARE(leaves, a.rows.size());
        }
    }
}

void TestTokenizer::structureKeepsWholeRows()
{
    std::vector<int> lengths(400, 5);
    lengths[123] = 300; // one long row
    const Csr m = staircase(lengths, 600);
    const EmbeddingConfig config{.mode = EmbeddingMode::SinusoidalStructure, .maxEntries = 96, .peDim = 8};
    const auto tokens = matrixTokens(m, config, 1);
    std::map<int, int> taken;
    for (const int row : tokens.rows)
        ++taken[row];
    QVERIFY(taken.contains(123));
    int whole = 0;
    for (const auto& [row, count] : taken)
        whole += row != 123 && count == 5;
    QVERIFY2(whole >= 8, qPrintable(QString::number(whole)));
    // Each entry tells its row's true length, also where the row was thinned out.
    for (int i = 0; i < tokens.count; ++i) {
        const float told = tokens.entries[std::size_t(i * config.entryWidth() + 16)];
        QVERIFY(std::abs(told - std::log2(1.0 + lengths[tokens.rows[i]]) / 16) < 1e-6);
    }
}

void TestTokenizer::emptyMatrix()
{
    Csr m;
    m.rows = 3;
    m.cols = 4;
    m.rowPtr = {0, 0, 0, 0};
    for (const EmbeddingMode mode :
         {EmbeddingMode::Raw, EmbeddingMode::Sinusoidal, EmbeddingMode::SinusoidalStructure,
          EmbeddingMode::Quadtree, EmbeddingMode::QuadtreeAttention}) {
        const auto tokens = matrixTokens(m, {.mode = mode}, 1);
        QCOMPARE(tokens.count, 1);
        for (const float v : tokens.entries)
            QCOMPARE(v, 0.0f);
        for (const float v : tokens.features)
            QVERIFY(std::isfinite(v) && std::abs(v) <= 1.01f);
    }
}

/// A model's config.json is other people's: a width of 2^32 + 128 is not one of 128.
void TestTokenizer::configurationsDoNotWrap()
{
    json shape, embedding = toJson(EmbeddingConfig{});
    writeT5Config(T5Config{}, shape);
    QVERIFY(t5ConfigFromJson(shape) && embeddingConfigFromJson(embedding));
    const auto refuses = [](const json& valid, const auto& read) {
        int changed = 0;
        for (const auto& [key, value] : valid.items()) {
            if (!value.is_number_integer() || key == "pad_token_id" || key == "eos_token_id")
                continue;
            for (const json& other :
                 {json((std::int64_t(1) << 32) + int(value)), json(1e300), json(-1e300)}) {
                json copy = valid;
                copy[key] = other;
                if (read(copy)) {
                    qWarning("%s = %s is accepted", key.c_str(), other.dump().c_str());
                    return false;
                }
                ++changed;
            }
        }
        return changed >= 9;
    };
    QVERIFY(refuses(shape, [](const json& value) { return t5ConfigFromJson(value).has_value(); }));
    QVERIFY(refuses(embedding, [](const json& value) { return embeddingConfigFromJson(value).has_value(); }));
}

QTEST_GUILESS_MAIN(TestTokenizer)
#include "tst_tokenizer.moc"
