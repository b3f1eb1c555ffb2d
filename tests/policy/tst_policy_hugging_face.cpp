// SPDX-License-Identifier: Apache-2.0
// Policies written for transformers and their adapters for llama.cpp, read again.
// tests/tools/compare_transformers.py has transformers, PEFT and llama.cpp read them.
#include "base/beneath.h"
#include "base/files.h"
#include "policy/causal/causal_gguf.h"
#include "policy/files/gguf_file.h"
#include "policy/policy/policy_conversion.h"
#include "policy/policy/policy_gguf.h"
#include "policy/policy/policy_hugging_face.h"
#include "policy/policy/policy_import.h"
#include "tests/policy/tiny_published.h"

#include <QtTest>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace sparserl;
using namespace sparserl::test;
using nlohmann::json;
using torch::Tensor;
namespace fs = std::filesystem;

class TestHuggingFace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void comesBack_data();
    void comesBack();
    void adaptersAreMerged();
    void adaptersForLlamaCpp_data();
    void adaptersForLlamaCpp();
    void textsStayWithThePolicy();
    void whatIsLeftOutIsSaid();
    void whatIsWrongIsASentence();
};

namespace {

/// A published template, which this program knows.
const std::string chatml = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + "
                           "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
                           "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
const std::string generation = R"({"do_sample":true,"eos_token_id":[1,2],"temperature":0.7})";

template <typename T>
T must(Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().sentence().c_str());
    return std::move(*result);
}

bool sameBits(const Tensor& a, const Tensor& b)
{
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
           std::memcmp(a.contiguous().const_data_ptr(), b.contiguous().const_data_ptr(), a.nbytes()) == 0;
}

/// Whether a result is an error that says this.
template <typename T>
bool says(const T& result, const char* sentence)
{
    if (result)
        return false;
    if (result.error().sentence().find(sentence) == std::string::npos)
        qWarning("%s", result.error().sentence().c_str());
    return result.error().sentence().find(sentence) != std::string::npos;
}

PolicyImportOptions rawEmbedding()
{
    PolicyImportOptions options;
    options.embedding.mode = EmbeddingMode::Raw;
    return options;
}

/// Adapters far from zero.
Policy adapted(const Policy& base, const LoraConfig& lora)
{
    Policy policy = must(withAdapters(base, lora, 4));
    const torch::NoGradGuard guard;
    Rng rng(11);
    for (const auto& [name, tensor] : policy.parameters()) {
        if (name.find(".lora_") != std::string::npos)
            fillNormal(rng, tensor, 0.2);
    }
    return policy;
}

} // namespace

void TestHuggingFace::comesBack_data()
{
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("rules");
    QTest::addColumn<QString>("type");
    const auto row = [](const char* shape, const char* rules, const char* type) {
        QTest::addRow("%s, %s", shape, type)
            << QString::fromLatin1(shape) << QString::fromLatin1(rules) << QString::fromLatin1(type);
    };
    row("llama", "published/smollm", "float32");
    row("biases", "llama-bpe", "bfloat16");
    row("llama3", "llama-bpe", "float32");
    row("linear", "deepseek-coder", "float16");
    row("qwen2", "published/qwen2", "bfloat16");
    row("yarn", "qwen2", "float32");
    row("qwen3", "gpt-2", "float16");
    row("qwen3", "deepseek-v3", "mixed");
}

void TestHuggingFace::comesBack()
{
    QFETCH(QString, shape);
    QFETCH(QString, rules);
    QFETCH(QString, type);
    const torch::NoGradGuard guard;
    const auto dir = TempDir::create();
    CausalConfig config = shapeNamed(shape.toStdString());
    config.passedOn = {chatml, generation};
    const Policy policy = policyOf(config, qPrintable(rules),
                                   type == u"bfloat16"  ? torch::kBFloat16
                                   : type == u"float16" ? torch::kFloat16
                                                        : torch::kFloat32);
    if (type == u"mixed") {
        SafeTensors weights = policy.model().exportTensors();
        for (auto& [name, tensor] : weights.tensors) {
            if (tensor.dim() == 2)
                tensor = tensor.to(torch::kBFloat16);
        }
        QVERIFY(const_cast<CausalModel&>(causalOf(policy)).importTensors(weights, "mixed"));
    }
    QVERIFY(policy.save(dir->path() / "policy"));
    const fs::path written = dir->path() / "deep/model";
    const auto done = exportHuggingFace(dir->path() / "policy", written);
    QVERIFY2(done, done ? "" : done.error().sentence().c_str());

    const json described = must(readJson(written / "config.json"));
    QVERIFY(!described.contains("sparserl"));
    QCOMPARE(described["torch_dtype"].get<std::string>(),
             type == u"mixed" ? std::string("float32") : type.toStdString());
    QCOMPARE(described["eos_token_id"].get<int>(), policy.tokenizer().end());
    const json words = must(readJson(written / "tokenizer_config.json"));
    QCOMPARE(words["chat_template"].get<std::string>(), chatml);
    QCOMPARE(words["add_bos_token"].get<bool>(), policy.tokenizer().begin() >= 0);
    QVERIFY(must(readJson(written / "generation_config.json")) == json::parse(generation));

    // `tokenizers` numbers added tokens as the vocabulary does, or counts on behind it.
    const json tokens = must(readJson(written / "tokenizer.json"));
    std::int64_t behind = std::int64_t(tokens["model"]["vocab"].size());
    for (const json& token : tokens["added_tokens"]) {
        const auto known = tokens["model"]["vocab"].find(token["content"].get<std::string>());
        const std::int64_t number =
            known == tokens["model"]["vocab"].end() ? behind++ : known->get<std::int64_t>();
        QCOMPARE(token["id"].get<std::int64_t>(), number);
    }

    const auto taken = importPolicy(written, dir->path() / "again", rawEmbedding());
    QVERIFY2(taken, taken ? "" : taken.error().sentence().c_str());
    const bool hasChat = policy.tokenizer().addedToken("<|im_start|>").has_value();
    QCOMPARE(taken->chat, hasChat ? std::string("chatml") : std::string());
    const Policy again = must(Policy::load(dir->path() / "again"));
    json ours = json::object(), theirs = json::object();
    writeCausalConfig(causalOf(policy).config(), ours);
    writeCausalConfig(causalOf(again).config(), theirs);
    QVERIFY2(ours == theirs, (ours.dump() + theirs.dump()).c_str());
    const SafeTensors read = again.model().exportTensors();
    std::size_t compared = 0;
    for (const auto& [name, tensor] : policy.model().exportTensors().tensors) {
        if (name.starts_with("matrix."))
            continue;
        const Tensor* found = read.find(name);
        QVERIFY2(found != nullptr && sameBits(*found, tensor), name.c_str());
        ++compared;
    }
    QVERIFY(compared > 20);
    QCOMPARE(again.tokenizer().vocabSize(), policy.tokenizer().vocabSize());
    QCOMPARE(again.tokenizer().end(), policy.tokenizer().end());
    QCOMPARE(again.tokenizer().begin(), policy.tokenizer().begin());
    for (const char* text : {"__global__ void f(int n) { x[12345] = 1.5e-3f; }\n",
                             "It's caf\u00e9 \u4f60\u597d  <|im_end|>", "\t\r\n\n a"}) {
        for (const auto names : {SpecialNames::Text, SpecialNames::Tokens})
            QVERIFY(again.tokenizer().encode(text, names) == policy.tokenizer().encode(text, names));
    }
}

void TestHuggingFace::adaptersAreMerged()
{
    const auto dir = TempDir::create();
    const Policy base = policyOf(wideConfig("llama"), "smollm", torch::kBFloat16);
    const Policy policy = adapted(base, {.rank = 2, .alpha = 6, .targets = {"q_proj", "down_proj"}});
    QVERIFY(writeHuggingFace(policy, dir->path() / "adapted"));
    QVERIFY(writeHuggingFace(must(mergedPolicy(policy)), dir->path() / "merged"));
    QVERIFY(writeHuggingFace(base, dir->path() / "base"));
    const auto bytes = [&](const char* folder, const char* file) {
        return must(readFile(dir->path() / folder / file));
    };
    for (const char* file : {"model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"})
        QVERIFY2(bytes("adapted", file) == bytes("merged", file), file);
    QVERIFY(bytes("adapted", "model.safetensors") != bytes("base", "model.safetensors"));
    QVERIFY(!glance(dir->path() / "adapted/generation_config.json").exists);
}

void TestHuggingFace::adaptersForLlamaCpp_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<bool>("stabilised");
    for (const char* family : {"llama", "qwen2", "qwen3", "glm4"}) {
        QTest::addRow("%s", family) << QString::fromLatin1(family) << false;
        QTest::addRow("%s, stabilised", family) << QString::fromLatin1(family) << true;
    }
}

void TestHuggingFace::adaptersForLlamaCpp()
{
    QFETCH(QString, family);
    QFETCH(bool, stabilised);
    const auto dir = TempDir::create();
    const char* const up = family == u"glm4" ? "layers.1.mlp.gate_up_proj" : "layers.1.mlp.up_proj";
    const Policy policy = adapted(
        policyOf(wideConfig(family.toStdString()), "qwen2"),
        {.rank = 4, .alpha = 6, .rankStabilised = stabilised, .targets = {"q_proj", "k_proj", "v_proj", up}});
    QVERIFY(policy.save(dir->path() / "policy"));
    const fs::path path = dir->path() / "adapter.gguf";
    const auto done = exportAdaptersGguf(dir->path() / "policy", path, {});
    QVERIFY2(done, done ? "" : done.error().sentence().c_str());
    const GgufFile file = must(GgufFile::open(path));
    const auto text = [&](const char* key) { return std::string(must(file.header().text(key)).value()); };
    QCOMPARE(text("general.type"), std::string("adapter"));
    QCOMPARE(text("general.architecture"), family.toStdString());
    QCOMPARE(text("adapter.type"), std::string("lora"));
    // llama.cpp multiplies by alpha / rank.
    QCOMPARE(must(file.header().number("adapter.lora.alpha")).value() / 4, stabilised ? 3.0 : 1.5);
    const CausalConfig& config = causalOf(policy).config();
    std::size_t compared = 0;
    for (const auto& [name, tensor] : policy.parameters()) {
        const auto at = name.find(".lora_");
        if (at == std::string::npos)
            continue;
        const std::string known = name.substr(0, at) + ".weight";
        const std::string stored =
            ggufName(known) + (name.find("lora_A") == std::string::npos ? ".lora_b" : ".lora_a");
        const auto found = std::ranges::find(file.header().tensors, stored, &GgufTensor::name);
        QVERIFY2(found != file.header().tensors.end(), stored.c_str());
        QVERIFY(found->type == GgufType::F32 && tensor.sizes() == torch::IntArrayRef(found->shape));
        Tensor expected = tensor.detach();
        if (stored.ends_with("lora_b") && hasPairedRows(config.model_type, known)) {
            // Row 2i of a head is Hugging Face's row i, and row 2i + 1 is its row i + head_dim / 2.
            std::vector<Tensor> rows;
            for (std::int64_t head = 0; head < tensor.size(0) / config.head_dim; ++head) {
                for (int i = 0; i < config.head_dim; ++i)
                    rows.push_back(
                        tensor[head * config.head_dim + i / 2 + (i % 2 == 0 ? 0 : config.head_dim / 2)]);
            }
            expected = torch::stack(rows).detach();
        }
        const auto bytes = file.bytesOf(*found);
        QVERIFY2(bytes.size() == expected.nbytes() &&
                     std::memcmp(bytes.data(), expected.contiguous().const_data_ptr(), bytes.size()) == 0,
                 stored.c_str());
        ++compared;
    }
    QCOMPARE(compared, std::size_t(14));
    QCOMPARE(file.header().tensors.size(), compared);
}

/// Templates and settings of generation come out as they went in, however the policy was changed meanwhile.
void TestHuggingFace::textsStayWithThePolicy()
{
    const auto dir = TempDir::create();
    const auto at = [&](const char* name) { return dir->path() / name; };
    CausalConfig config = wideConfig("qwen2");
    config.passedOn = {chatml + "{# \u4f60\u597d #}", generation}; // unknown, and kept all the same
    QVERIFY(writeHuggingFace(policyOf(config, "qwen2"), at("model")));
    const auto imported = importPolicy(at("model"), at("policy"), rawEmbedding());
    QVERIFY2(imported, imported ? "" : imported.error().sentence().c_str());
    QVERIFY(imported->chat.empty() && !imported->chatIsUnknown.empty());
    QVERIFY(adaptPolicy(at("policy"), at("adapted"), {.rank = 2, .targets = {"v_proj"}}, 1));
    QVERIFY(mergePolicy(at("adapted"), at("merged")));
    QVERIFY(shrinkPolicy(at("merged"), at("small")));
    QVERIFY(exportHuggingFace(at("small"), at("out")));
    QCOMPARE(must(readJson(at("out") / "tokenizer_config.json"))["chat_template"].get<std::string>(),
             config.passedOn.chatTemplate);
    QVERIFY(must(readJson(at("out") / "generation_config.json")) == json::parse(generation));
    // A GGUF file holds the template.
    QVERIFY(exportGguf(at("small"), at("out.gguf"), GgufType::F32, {}));
    QVERIFY(importPolicy(at("out.gguf"), at("fromGguf"), rawEmbedding()));
    const Policy last = must(Policy::load(at("fromGguf")));
    QCOMPARE(causalOf(last).config().passedOn.chatTemplate, config.passedOn.chatTemplate);
}

void TestHuggingFace::whatIsLeftOutIsSaid()
{
    const auto dir = TempDir::create();
    Policy policy = policyOf(wideConfig("llama"), "published/smollm");
    policy.config().chat = "chatml";
    std::int64_t embedding = 0;
    for (const auto& [name, tensor] : policy.model().weights())
        embedding += name.starts_with("matrix.") ? tensor.numel() : 0;
    QVERIFY(policy.save(dir->path() / "policy"));
    QVERIFY(Critic::fromPolicy(policy, 3).saveFiles(dir->path() / "policy"));
    const PolicyExport done = must(exportHuggingFace(dir->path() / "policy", dir->path() / "all"));
    QCOMPARE(done.leftOut.size(), std::size_t(3));
    QVERIFY(
        done.leftOut[0].starts_with("The matrix embedding (" + std::to_string(embedding) + " weights) is"));
    QVERIFY(done.leftOut[1].starts_with("The critic is left out"));
    QVERIFY(done.leftOut[2].find("chat format, chatml") != std::string::npos);
    // A policy that reads matrices as text loses nothing.
    policy.config().textEntries = 8;
    policy.config().chat.clear();
    QVERIFY(policy.save(dir->path() / "text"));
    QVERIFY(must(exportHuggingFace(dir->path() / "text", dir->path() / "whole")).leftOut.empty());
}

void TestHuggingFace::whatIsWrongIsASentence()
{
    const auto dir = TempDir::create();
    const auto at = [&](const char* name) { return dir->path() / name; };
    const auto t5 = Policy::create(
        {}, {.d_model = 8, .d_kv = 4, .d_ff = 8, .num_layers = 1, .num_decoder_layers = 1, .num_heads = 2},
        Tokenizer(), 1);
    QVERIFY(says(writeHuggingFace(*t5, at("none")), "the policy is a T5"));
    QVERIFY(says(writeAdaptersGguf(*t5, at("none")), "the policy is a T5"));
    const Policy usual = policyOf(wideConfig("llama"), "smollm");
    QVERIFY(says(writeAdaptersGguf(usual, at("none")), "the policy has no adapters"));
    QVERIFY(!glance(at("none")).exists);
    QVERIFY(writeHuggingFace(usual, at("taken")));
    const std::string before = must(readFile(at("taken") / "model.safetensors"));
    QVERIFY(says(writeHuggingFace(usual, at("taken")), "this exists already"));
    QVERIFY(must(readFile(at("taken") / "model.safetensors")) == before);
    for (const auto& entry : fs::directory_iterator(dir->path()))
        QVERIFY2(!entry.path().filename().string().starts_with(".export"), entry.path().c_str());

    const auto imports = [&](const char* file, const std::string& content, const char* sentence) {
        const fs::path to = at("taken") / file;
        const auto old = readFile(to);
        const bool right = writeFileAtomic(to, content) &&
                           says(importPolicy(at("taken"), at("never"), rawEmbedding()), sentence) &&
                           !glance(at("never")).exists;
        fs::remove(to);
        return right && (!old || writeFileAtomic(to, *old));
    };
    QVERIFY(imports("generation_config.json", "[1]", "this is not a JSON object"));
    QVERIFY(imports("generation_config.json", "{", "this is not JSON"));
    QVERIFY(imports("chat_template.jinja", "\xff\xfe", "the chat template is not UTF-8 text"));

    QVERIFY(usual.save(at("policy")));
    const json config = must(readJson(at("policy") / "config.json"));
    for (const auto& [key, value, sentence] :
         {std::tuple("generation_config", json(3), "\"generation_config\" has the wrong type"),
          std::tuple("generation_config", json("[]"), "not the text of a JSON object"),
          std::tuple("chat_template", json(json::array()), "\"chat_template\" has the wrong type")}) {
        json changed = config;
        changed["sparserl"][key] = value;
        QVERIFY(writeJson(at("policy") / "config.json", changed));
        QVERIFY(says(Policy::load(at("policy")), sentence));
    }
}

QTEST_GUILESS_MAIN(TestHuggingFace)
#include "tst_policy_hugging_face.moc"
