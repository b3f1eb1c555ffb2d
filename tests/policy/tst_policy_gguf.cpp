// SPDX-License-Identifier: Apache-2.0
// Policies written as GGUF files, read again. tests/tools/compare_llama_cpp.py has llama.cpp read them.
#include "base/beneath.h"
#include "base/files.h"
#include "policy/causal/causal_gguf.h"
#include "policy/causal/causal_gguf_weights.h"
#include "policy/causal/causal_model.h"
#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_gguf.h"
#include "policy/policy/policy_import.h"
#include "policy/tokenizer/named_rules.h"
#include "policy/tokenizer/tokenizer_gguf.h"
#include "tests/policy/tiny_published.h"

#include <QtTest>

#include <cmath>
#include <nlohmann/json.hpp>

using namespace sparserl;
using namespace sparserl::test;
using nlohmann::json;
using torch::Tensor;
namespace fs = std::filesystem;

class TestGgufWriting : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void comesBack_data();
    void comesBack();
    void blocksComeBack();
    void adaptersAreMerged();
    void publishedRulesHaveNames();
    void whatIsWrongIsASentence();
};

namespace {

/// The largest difference between a matrix and its blocks, in parts of the largest number of a block.
double worstOfBlocks(const Tensor& exact, const Tensor& stored)
{
    const Tensor a = exact.to(torch::kFloat32).reshape({-1, 32}),
                 b = stored.to(torch::kFloat32).reshape({-1, 32});
    return ((a - b).abs() / std::get<0>(a.abs().max(1, true)).clamp_min(1e-9)).max().item<double>();
}

} // namespace

void TestGgufWriting::comesBack_data()
{
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("rules");
    QTest::newRow("llama") << "llama"
                           << "smollm";
    QTest::newRow("llama with biases, half weights") << "biases"
                                                     << "llama-bpe";
    QTest::newRow("llama 3") << "llama3"
                             << "llama-bpe";
    QTest::newRow("linear") << "linear"
                            << "deepseek-coder";
    QTest::newRow("qwen2") << "qwen2"
                           << "qwen2";
    QTest::newRow("qwen2, yarn") << "yarn"
                                 << "qwen2";
    QTest::newRow("qwen3, tied") << "qwen3"
                                 << "gpt-2";
    QTest::newRow("glm4") << "glm4"
                          << "glm4";
}

void TestGgufWriting::comesBack()
{
    QFETCH(QString, shape);
    QFETCH(QString, rules);
    const torch::NoGradGuard guard;
    CausalConfig config = shapeNamed(shape.toStdString());
    const auto type = shape == u"biases" ? torch::kBFloat16 : torch::kFloat32;
    const Policy policy = policyOf(config, qPrintable(rules), type);
    config = causalOf(policy).config();
    const auto dir = TempDir::create();
    for (const GgufType stored : {GgufType::F32, GgufType::F16, GgufType::Q8_0}) {
        const fs::path path = dir->path() / (nameOf(stored) + ".gguf");
        const auto done = writeGguf(policy, path, stored);
        QVERIFY2(done, done ? "" : done.error().sentence().c_str());
        const auto file = GgufFile::open(path);
        QVERIFY2(file, file ? "" : file.error().sentence().c_str());
        const auto read = readCausalGguf(*file, {});
        QVERIFY2(read, read ? "" : read.error().sentence().c_str());
        json ours, again;
        writeCausalConfig(config, ours);
        writeCausalConfig(read->config, again);
        QVERIFY2(ours == again, (ours.dump() + again.dump()).c_str());
        std::size_t weights = 0;
        for (const auto& [name, tensor] : causalOf(policy).weights()) {
            if (name.starts_with("matrix."))
                continue;
            ++weights;
            const Tensor* found = read->weights.content.find(name);
            QVERIFY2(found != nullptr && found->sizes() == tensor.sizes(), name.c_str());
            const bool exact = tensor.dim() == 1 || stored == GgufType::F32;
            const bool half = stored == GgufType::F16 || tensor.size(-1) % 32 != 0;
            if (exact)
                QVERIFY2(torch::equal(*found, tensor.to(torch::kFloat32)), name.c_str());
            else if (half)
                QVERIFY2(torch::equal(*found, tensor.to(torch::kFloat16)), name.c_str());
            else // half of a step, and the scale in half precision
                QVERIFY2(worstOfBlocks(tensor, *found) < 0.51 / 127 + 1.0 / 2048, name.c_str());
        }
        QCOMPARE(read->weights.content.tensors.size(), weights);
        const auto tokenizer = readTokenizer(path);
        QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().sentence().c_str());
        QCOMPARE(tokenizer->vocabSize(), policy.tokenizer().vocabSize());
        QCOMPARE(tokenizer->end(), policy.tokenizer().end());
        QCOMPARE(tokenizer->begin(), policy.tokenizer().begin());
        for (const char* text : {"__global__ void f(int n) { x[12345] = 1.5e-3f; }\n",
                                 "It's caf\u00e9 \u4f60\u597d  <|im_end|>"}) {
            for (const auto names : {SpecialNames::Text, SpecialNames::Tokens})
                QVERIFY(tokenizer->encode(text, names) == policy.tokenizer().encode(text, names));
        }
    }
}

/// Numbers that come from blocks go into the same blocks: scales and roundings are those of llama.cpp.
void TestGgufWriting::blocksComeBack()
{
    const torch::NoGradGuard guard;
    const auto dir = TempDir::create();
    const Policy policy = policyOf(wideConfig("qwen2"), "qwen2");
    QVERIFY(writeGguf(policy, dir->path() / "once.gguf", GgufType::Q8_0));
    PolicyImportOptions options;
    options.embedding.mode = EmbeddingMode::Raw;
    const auto taken = importPolicy(dir->path() / "once.gguf", dir->path() / "policy", options);
    QVERIFY2(taken, taken ? "" : taken.error().sentence().c_str());
    QVERIFY(writeGguf(*Policy::load(dir->path() / "policy"), dir->path() / "twice.gguf", GgufType::Q8_0));
    QVERIFY(*readFile(dir->path() / "once.gguf") == *readFile(dir->path() / "twice.gguf"));
}

void TestGgufWriting::adaptersAreMerged()
{
    const torch::NoGradGuard guard;
    const auto dir = TempDir::create();
    const Policy base = policyOf(wideConfig("llama"), "smollm");
    const auto adapted = withAdapters(base, {.rank = 2, .targets = {"q_proj", "down_proj"}}, 1);
    QVERIFY(adapted);
    for (const auto& [name, tensor] : adapted->parameters())
        tensor.add_(0.05);
    QVERIFY(writeGguf(*adapted, dir->path() / "adapted.gguf", GgufType::F32));
    QVERIFY(writeGguf(*mergedPolicy(*adapted), dir->path() / "merged.gguf", GgufType::F32));
    QVERIFY(writeGguf(base, dir->path() / "base.gguf", GgufType::F32));
    QVERIFY(*readFile(dir->path() / "adapted.gguf") == *readFile(dir->path() / "merged.gguf"));
    QVERIFY(*readFile(dir->path() / "adapted.gguf") != *readFile(dir->path() / "base.gguf"));
}

void TestGgufWriting::publishedRulesHaveNames()
{
    for (const auto& [file, name] :
         {std::pair("gpt2", "gpt-2"), std::pair("smollm", "smollm"), std::pair("llama3", "llama-bpe"),
          std::pair("qwen2", "qwen2"), std::pair("deepseek-coder", "deepseek-coder")}) {
        const auto tokenizer = Tokenizer::load(publishedFixture(std::string("published/") + file + ".json"));
        QVERIFY2(tokenizer, file);
        QVERIFY2(nameOfRules(tokenizer->toJson()) == std::optional<std::string>(name), file);
    }
    QVERIFY(!nameOfRules(Tokenizer().toJson()));
}

void TestGgufWriting::whatIsWrongIsASentence()
{
    const auto dir = TempDir::create();
    const fs::path path = dir->path() / "model.gguf";
    const auto says = [&](const Policy& policy, GgufType type, const char* sentence) {
        const auto done = writeGguf(policy, path, type);
        if (!done && done.error().sentence().find(sentence) == std::string::npos)
            qWarning("%s", done.error().sentence().c_str());
        return !done && done.error().sentence().find(sentence) != std::string::npos && !glance(path).exists;
    };
    const auto t5 = Policy::create(
        {}, {.d_model = 8, .d_kv = 4, .d_ff = 8, .num_layers = 1, .num_decoder_layers = 1, .num_heads = 2},
        Tokenizer(), 1);
    QVERIFY(t5);
    QVERIFY(says(*t5, GgufType::F32, "the policy is a T5"));
    CausalConfig config = wideConfig("qwen3");
    config.biasOfQkv = true;
    QVERIFY(says(policyOf(config, "qwen2"), GgufType::F32, "no biases in models of qwen3"));
    config = wideConfig("llama");
    config.rope = {.scaling = RopeScaling::Llama3, .factor = 8, .originalPositions = 4096};
    QVERIFY(says(policyOf(config, "smollm"), GgufType::F32, "otherwise than in published models"));
    config.rope = {.scaling = RopeScaling::Yarn, .factor = 4, .originalPositions = 128, .attentionFactor = 1};
    QVERIFY(says(policyOf(config, "smollm"), GgufType::F32, "a kind of yarn"));
    const Policy usual = policyOf(wideConfig("llama"), "smollm");
    const Policy own = Policy::ofModel(
        {}, Tokenizer(),
        std::make_shared<CausalModel>(wideConfig("llama"), EmbeddingConfig{.mode = EmbeddingMode::Raw},
                                      ModelHead::Vocabulary));
    QVERIFY(says(own, GgufType::F32, "rules that have no name in GGUF files"));
    {
        const torch::NoGradGuard guard;
        usual.model().parameters()[5].second.fill_(70000);
    }
    QVERIFY(says(usual, GgufType::F16, "numbers that half precision cannot represent"));
    CancelToken cancel;
    cancel.cancel();
    const auto stopped = writeGguf(usual, path, GgufType::F32, cancel);
    QVERIFY(!stopped && !glance(path).exists);
    QVERIFY(writeGguf(usual, path, GgufType::F32));
    const auto taken = writeGguf(usual, path, GgufType::F32);
    QVERIFY(!taken && taken.error().sentence().find("this exists already") != std::string::npos);
    QVERIFY(glance(path).exists);
    // A link leads nowhere, and nothing is left beside what was written.
    const auto link = path.parent_path() / "link.gguf";
    std::filesystem::create_symlink(path.parent_path() / "elsewhere.gguf", link);
    const auto through = writeGguf(usual, link, GgufType::F32);
    QVERIFY(!through && through.error().sentence().find("leads nowhere") != std::string::npos);
    QVERIFY(!glance(path.parent_path() / "elsewhere.gguf").exists);
    for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
        QVERIFY2(!entry.path().filename().string().starts_with(".gguf"), entry.path().c_str());
}

QTEST_GUILESS_MAIN(TestGgufWriting)
#include "tst_policy_gguf.moc"
