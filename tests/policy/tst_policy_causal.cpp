// SPDX-License-Identifier: Apache-2.0
// Causal models against Hugging Face's, and as policies.
#include "base/beneath.h"
#include "base/safetensors_header.h"
#include "base/subprocess.h"
#include "policy/causal/causal_gguf.h"
#include "policy/causal/causal_gguf_weights.h"
#include "policy/causal/causal_model.h"
#include "policy/policy/policy_import.h"
#include "policy/sampling/beam_search.h"
#include "tests/policy/gguf_bytes.h"
#include "tests/policy/tiny_causal.h"
#include "tests/policy/tst_policy.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <map>

using namespace sparserl;
using namespace sparserl::test;
using nlohmann::json;
using torch::Tensor;
namespace fs = std::filesystem;

namespace {

const std::vector<std::int64_t> entries{5, 1, 3}, prompts{2, 0, 4}, targets{7, 1, 12};

/// A model of tests/tools/make_causal_fixture.py.
struct Fixture
{
    SafeTensors file;
    CausalConfig config;
    std::shared_ptr<CausalModel> model;
    SequenceBatch batch;

    const Tensor& get(const std::string& name) const { return *file.find("fixture." + name); }
};

Fixture fixtureOf(const QString& name, torch::ScalarType type = torch::kFloat32)
{
    Fixture f;
    auto file = readSafeTensors(fixture("causal/" + name.toStdString() + ".safetensors"));
    if (!file)
        qFatal("%s", file.error().sentence().c_str());
    f.file = std::move(*file);
    const auto config = causalConfigFromJson(json::parse(f.file.metadata.at("config")));
    if (!config)
        qFatal("%s", config.error().sentence().c_str());
    f.config = *config;
    f.model = std::make_shared<CausalModel>(*config, EmbeddingConfig{.mode = EmbeddingMode::Raw},
                                            ModelHead::Vocabulary);
    SafeTensors weights;
    for (const auto& [key, tensor] : f.file.tensors) {
        if (!key.starts_with("fixture."))
            weights.tensors.emplace_back(key, key.starts_with("matrix.") ? tensor : tensor.to(type));
    }
    if (const auto status = f.model->importTensors(weights, "fixture"); !status)
        qFatal("%s", status.error().sentence().c_str());
    const auto ids = [](const Tensor& tensor) {
        const Tensor small = tensor.to(torch::kInt32).contiguous();
        return std::vector<std::int32_t>(small.const_data_ptr<std::int32_t>(),
                                         small.const_data_ptr<std::int32_t>() + small.numel());
    };
    const auto rows = f.get("entries").split_with_sizes(entries);
    const auto words = f.get("prompts").split_with_sizes(prompts);
    const auto tokens = f.get("targets").split_with_sizes(targets);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        auto matrix = std::make_shared<MatrixTokens>();
        matrix->count = int(entries[i]);
        const Tensor flat = rows[i].contiguous();
        matrix->entries.assign(flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel());
        f.batch.inputs.push_back({matrix, ids(words[i])});
        f.batch.inputOf.push_back(int(i));
        f.batch.targets.push_back(ids(tokens[i]));
    }
    return f;
}

void variants()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama", "llama_linear_tied", "llama3_biases", "qwen2_tied", "qwen2_yarn",
                             "qwen3", "qwen3_biases", "glm4", "glm4_yarn"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

EmbeddingConfig tinyEmbedding()
{
    return {.mode = EmbeddingMode::SinusoidalStructure, .maxEntries = 20, .peDim = 8, .featureTokens = 2};
}

/// A directory of Hugging Face's, imported.
Policy importedPolicy(const fs::path& dir, const std::string& family,
                      torch::ScalarType type = torch::kFloat32, int spare = 0)
{
    const CausalConfig config = tinyCausalConfig(family, spare);
    if (!writeTinyCausal(dir / "there", config, tinyCausalWeights(config, 3, type)))
        qFatal("the model cannot be written");
    PolicyImportOptions options;
    options.embedding = tinyEmbedding();
    const auto report = importPolicy(dir / "there", dir / "policy", options);
    if (!report)
        qFatal("%s", report.error().sentence().c_str());
    auto policy = Policy::load(dir / "policy");
    if (!policy)
        qFatal("%s", policy.error().sentence().c_str());
    return std::move(*policy);
}

void families()
{
    QTest::addColumn<QString>("family");
    for (const char* family : {"llama", "qwen2", "qwen3", "glm4"})
        QTest::newRow(family) << QString::fromLatin1(family);
}

} // namespace

void TestCausal::computesAsHuggingFace_data()
{
    variants();
}

void TestCausal::computesAsHuggingFace()
{
    QFETCH(QString, name);
    const Fixture f = fixtureOf(name);
    f.model->learn();
    for (const bool recompute : {false, true}) {
        f.model->moveTo({.recompute = recompute});
        for (const auto& [key, tensor] : f.model->parameters())
            tensor.mutable_grad() = Tensor();
        const Tensor logits = f.model->applyHead(f.model->hiddenStates(f.batch));
        const double difference = maxDifference(logits.detach(), f.get("logits"));
        QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
        torch::log_softmax(logits, -1).gather(1, f.get("targets").unsqueeze(1)).sum().backward();
        int compared = 0;
        for (const auto& [key, tensor] : f.model->parameters()) {
            const Tensor* expected = f.file.find("fixture.grad." + key);
            if (expected == nullptr)
                continue;
            ++compared;
            QVERIFY2(maxDifference(tensor.grad(), *expected) <
                         1e-4 * std::max(1.0, expected->abs().max().item<double>()),
                     key.c_str());
        }
        QVERIFY(compared >= 5);
    }
}

void TestCausal::halfAsHuggingFace_data()
{
    variants();
}

/// Weights that stay bf16, computed with in bf16 and in fp32.
void TestCausal::halfAsHuggingFace()
{
    QFETCH(QString, name);
    const torch::NoGradGuard guard;
    const Fixture f = fixtureOf(name, torch::kBFloat16);
    QVERIFY(f.model->words().scalar_type() == torch::kBFloat16);
    const Tensor exact = f.get("logits"), half = f.get("logits_bf16");
    const double noise = (half - exact).abs().mean().item<double>();
    for (const auto precision : {torch::kBFloat16, torch::kFloat32}) {
        f.model->moveTo({.precision = precision});
        const Tensor logits = f.model->applyHead(f.model->hiddenStates(f.batch));
        const double difference = (logits - exact).abs().mean().item<double>();
        QVERIFY2(difference > 1e-6 && difference < 2e-2, qPrintable(QString::number(difference)));
        QVERIFY2(difference < 1.5 * noise, qPrintable(QString::number(difference / noise)));
    }
}

void TestCausal::positionsAsHuggingFace_data()
{
    variants();
}

/// Also far beyond the positions of any training.
void TestCausal::positionsAsHuggingFace()
{
    QFETCH(QString, name);
    const Fixture f = fixtureOf(name);
    const auto angles = f.model->rope().anglesOf(f.get("positions"));
    QVERIFY(maxDifference(angles.cosines, f.get("cosines")) < 1e-5);
    QVERIFY(maxDifference(angles.sines, f.get("sines")) < 1e-5);
}

void TestCausal::cachedAsFullForward_data()
{
    variants();
}

void TestCausal::cachedAsFullForward()
{
    QFETCH(QString, name);
    const torch::NoGradGuard guard;
    const Fixture f = fixtureOf(name);
    const std::int64_t vocabulary = f.config.vocab_size;
    const auto rows = f.get("logits").split_with_sizes(targets);
    const auto stepper = f.model->stepper(f.model->read(f.batch.inputs, {}), 3, 20);
    for (const int given : {0, 3}) { // tokens that are a prefix
        for (int place = 0; place < 3; ++place) {
            const auto& all = f.batch.targets[std::size_t(2 - place)];
            const auto prefix = std::min<std::size_t>(all.size(), std::size_t(given));
            stepper->start(place, 2 - place, std::span(all).first(prefix));
        }
        for (std::size_t t = 0; t < 12; ++t) {
            std::vector<int> places;
            std::vector<std::int32_t> tokens;
            for (int place = 0; place < 3; ++place) { // they end independently
                const auto& all = f.batch.targets[std::size_t(2 - place)];
                const std::size_t at = t + std::min<std::size_t>(all.size(), std::size_t(given));
                if (at >= all.size())
                    continue;
                places.push_back(place);
                tokens.push_back(t == 0 ? 999999 : all[at - 1]); // the first is not looked at
            }
            if (places.empty())
                break;
            stepper->step(places, tokens, [&](std::size_t i, const float* logits) {
                const Tensor got = torch::from_blob(const_cast<float*>(logits), {vocabulary});
                const std::size_t sequence = std::size_t(2 - places[i]);
                const std::size_t at =
                    t + std::min<std::size_t>(f.batch.targets[sequence].size(), std::size_t(given));
                const double difference = maxDifference(got, rows[sequence][std::int64_t(at)]);
                QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
            });
        }
    }
}

void TestCausal::aPolicyLikeOthers_data()
{
    families();
}

void TestCausal::aPolicyLikeOthers()
{
    QFETCH(QString, family);
    const auto dir = TempDir::create();
    Policy policy = importedPolicy(dir->path(), family.toStdString(), torch::kFloat32, 5);
    QCOMPARE(policy.vocabSize(), policy.tokenizer().vocabSize());
    const torch::NoGradGuard guard;
    const auto inputs = someInputs(policy, 3, true);
    std::vector<SampleRequest> requests;
    for (int i = 0; i < 10; ++i)
        requests.push_back({i % 3, std::uint64_t(i), std::vector<std::int32_t>(std::size_t(i % 4), 50 + i)});
    const auto samples = policy.generate(inputs, requests, {.temperature = 0.8, .maxTokens = 40, .batch = 4});
    SequenceBatch batch;
    batch.inputs = inputs;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        auto tokens = requests[i].prefix;
        batch.classes.emplace_back(tokens.size(), TokenClass::Observation);
        tokens.insert(tokens.end(), samples[i].tokens.begin(), samples[i].tokens.end());
        batch.classes.back().resize(tokens.size(), TokenClass::Policy);
        batch.inputOf.push_back(requests[i].input);
        batch.targets.push_back(std::move(tokens));
    }
    const auto statistics = policy.tokenStatistics(batch, 0.8);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        for (std::size_t t = 0; t < samples[i].tokens.size(); ++t) {
            const auto at = std::int64_t(requests[i].prefix.size() + t);
            QVERIFY(std::abs(statistics.logProbs[std::int64_t(i)][at].item<float>() -
                             samples[i].logProbs[t]) < 1e-4f);
        }
        const auto alone = policy.generate(inputs, {requests[i]}, {.temperature = 0.8, .maxTokens = 40});
        QVERIFY(alone[0].tokens == samples[i].tokens);
    }
    const CancelToken early; // while the inputs are read
    const auto none =
        policy.generate(inputs, requests, {.maxTokens = 40}, {}, early, [&] { early.cancel(); });
    QVERIFY(none.size() == 10 && none.front().stopped && none.front().tokens.empty());
    // A beam's programs have the probabilities that it says.
    const auto best = beamSearch(policy.model(), inputs[1], {4, 20, 1});
    SequenceBatch found;
    found.inputs = inputs;
    for (const Sample& sample : best) {
        found.inputOf.push_back(1);
        found.targets.push_back(sample.tokens);
    }
    const auto ofBest = policy.tokenStatistics(found);
    for (std::size_t i = 0; i < best.size(); ++i) {
        for (std::size_t t = 0; t < best[i].tokens.size(); ++t)
            QVERIFY(std::abs(ofBest.logProbs[std::int64_t(i)][std::int64_t(t)].item<float>() -
                             best[i].logProbs[t]) < 1e-4f);
    }
    // It reads the matrix and its prompt.
    SequenceBatch one{.inputs = {inputs[0], inputs[2]}, .inputOf = {0, 1}, .targets = {{70}, {70}}};
    const Tensor seen = policy.tokenStatistics(one).logProbs;
    QVERIFY(std::abs(seen[0][0].item<float>() - seen[1][0].item<float>()) > 1e-4f);
    // Saved, loaded and cloned it is the same; a critic comes and goes likewise.
    QVERIFY(policy.save(dir->path() / "again"));
    const auto again = Policy::load(dir->path() / "again");
    QVERIFY2(again, again ? "" : again.error().sentence().c_str());
    QCOMPARE(again->digest(), policy.digest());
    QCOMPARE(policy.clone(true).digest(), policy.digest());
    const Critic critic = Critic::fromPolicy(policy, 9);
    QVERIFY(critic.saveFiles(dir->path() / "again"));
    const auto loaded = Critic::load(dir->path() / "again");
    QVERIFY2(loaded, loaded ? "" : loaded.error().sentence().c_str());
    const Tensor values = critic.values(batch);
    QVERIFY(torch::equal(loaded->values(batch), values));
    QVERIFY(maxDifference(values * (1 - learnedMask(batch)), torch::zeros_like(values)) == 0.0);
}

void TestCausal::weightsKeepTheirPrecision()
{
    const auto dir = TempDir::create();
    Policy policy = importedPolicy(dir->path(), "qwen3", torch::kBFloat16);
    for (const auto& [name, tensor] : policy.parameters())
        QVERIFY2((tensor.scalar_type() == torch::kBFloat16) != name.starts_with("matrix."), name.c_str());
    const auto look = lookAt(dir->path() / "policy/model.safetensors");
    QVERIFY(look && std::int64_t(look->bytes) < 3 * policy.parameterCount() + 20000);
    const SequenceBatch batch = someBatch(policy, {9, 4}, 2);
    const Tensor before = policy.tokenStatistics(batch).logProbs.detach();
    policy.learn();
    for (const auto& [name, tensor] : policy.parameters())
        QVERIFY2(tensor.scalar_type() == torch::kFloat32 && tensor.requires_grad(), name.c_str());
    QVERIFY(maxDifference(policy.tokenStatistics(batch).logProbs.detach(), before) < 1e-6);
    policy.tokenStatistics(batch).logProbs.sum().backward();
    for (const auto& [name, tensor] : policy.parameters())
        QVERIFY2(tensor.grad().defined(), name.c_str());
    QVERIFY(!policy.clone(false).parameters()[0].second.requires_grad());
}

void TestCausal::shapesGoRound_data()
{
    variants();
}

void TestCausal::shapesGoRound()
{
    QFETCH(QString, name);
    const Fixture f = fixtureOf(name);
    json written, twice;
    writeCausalConfig(f.config, written);
    const auto again = causalConfigFromJson(written);
    QVERIFY2(again, again ? "" : again.error().sentence().c_str());
    writeCausalConfig(*again, twice);
    QVERIFY(written == twice);
    const CausalModel model(*again, f.model->embedding(), ModelHead::Vocabulary);
    const auto angles = model.rope().anglesOf(f.get("positions"));
    QVERIFY(maxDifference(angles.cosines, f.get("cosines")) < 1e-5);
    const auto theirs = f.model->parameters(), ours = model.parameters();
    QCOMPARE(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i)
        QVERIFY(ours[i].first == theirs[i].first && ours[i].second.sizes() == theirs[i].second.sizes());
}

void TestCausal::whatIsWrongIsASentence_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("sentence");
    const auto add = [](const char* what, const char* sentence) {
        QTest::newRow(what) << QString::fromLatin1(what) << QString::fromLatin1(sentence);
    };
    add("experts", "mixture of experts");
    add("window", "sliding window");
    add("layers of a window", "sliding_attention");
    add("unknown type", "model_type is \"mamba\", which is not known");
    add("quantised", "quantised");
    add("activation", "hidden_act");
    add("dynamic", "\"dynamic\"");
    add("part of heads", "partial_rotary_factor");
    add("heads", "no multiple of num_key_value_heads");
    add("many layers", "the model has 1001 layers");
    add("odd head", "head_dim is 7");
    add("no size", "hidden_size");
    add("bounds", "scaling of positions");
    add("enormous", "fewer weights");
    add("few tokens", "vocab_size is 100, but the tokenizer has 260 tokens");
    add("a shard", "the shard model-2.safetensors is missing");
    add("NaN", "model.layers.1.mlp.up_proj.weight is not made of finite");
    add("missing", "model.norm.weight is missing");
    add("more", "surplus.weight is not part of this model");
    add("shape", "has shape [8], config.json asks for [16]");
    add("tree", "quadtree-attention");
    add("a policy", "this is a policy already");
}

void TestCausal::whatIsWrongIsASentence()
{
    QFETCH(QString, what);
    QFETCH(QString, sentence);
    const auto dir = TempDir::create();
    const CausalConfig config = tinyCausalConfig("llama");
    SafeTensors weights = tinyCausalWeights(config, 3);
    json value;
    writeCausalConfig(config, value);
    PolicyImportOptions options;
    options.embedding = tinyEmbedding();
    const auto replace = [&](const std::string& name, const Tensor& tensor) {
        for (auto& [known, old] : weights.tensors) {
            if (known == name)
                old = tensor;
        }
    };
    const std::map<std::string, std::function<void()>> faults{
        {"experts", [&] { value["num_local_experts"] = 8; }},
        {"window", [&] { value["use_sliding_window"] = true; }},
        {"layers of a window",
         [&] {
             value["layer_types"] = {"full_attention", "sliding_attention"};
         }},
        {"unknown type", [&] { value["model_type"] = "mamba"; }},
        {"quantised",
         [&] {
             value["quantization_config"] = {{"bits", 4}};
         }},
        {"activation", [&] { value["hidden_act"] = "gelu"; }},
        {"dynamic",
         [&] {
             value["rope_scaling"] = {{"type", "dynamic"}, {"factor", 2.0}};
         }},
        {"part of heads", [&] { value["partial_rotary_factor"] = 0.5; }},
        {"heads", [&] { value["num_key_value_heads"] = 3; }},
        {"many layers", [&] { value["num_hidden_layers"] = 1001; }},
        {"odd head", [&] { value["head_dim"] = 7; }},
        {"no size", [&] { value.erase("hidden_size"); }},
        {"bounds",
         [&] {
             value["rope_scaling"] = {{"rope_type", "llama3"},
                                      {"factor", 8.0},
                                      {"low_freq_factor", 4.0},
                                      {"high_freq_factor", 1.0},
                                      {"original_max_position_embeddings", 32}};
         }},
        {"enormous", [&] { value["intermediate_size"] = 16000000; }},
        {"few tokens", [&] { value["vocab_size"] = 100; }},
        {"a shard",
         [&] { std::erase_if(weights.tensors, [](auto& w) { return w.first == "model.norm.weight"; }); }},
        {"NaN",
         [&] {
             Tensor up = torch::zeros({32, 16});
             up[3][4] = std::nan("");
             replace("model.layers.1.mlp.up_proj.weight", up);
         }},
        {"missing",
         [&] { std::erase_if(weights.tensors, [](auto& t) { return t.first == "model.norm.weight"; }); }},
        {"more", [&] { weights.tensors.emplace_back("surplus.weight", torch::zeros({2})); }},
        {"shape", [&] { replace("model.norm.weight", torch::zeros({8})); }},
        {"tree", [&] { options.embedding.mode = EmbeddingMode::QuadtreeAttention; }},
        {"a policy", [&] { value["sparserl"] = json::object(); }},
    };
    faults.at(what.toStdString())();
    const fs::path folder = dir->path() / "there";
    QVERIFY(writeTinyCausal(folder, config, weights));
    QVERIFY(writeJson(folder / "config.json", value));
    if (what == u"a shard") {
        fs::rename(folder / "model.safetensors", folder / "model-1.safetensors");
        json map;
        for (const auto& [name, tensor] : weights.tensors)
            map[name] = "model-1.safetensors";
        map["model.norm.weight"] = "model-2.safetensors";
        QVERIFY(writeJson(folder / "model.safetensors.index.json", {{"weight_map", map}}));
    }
    const auto report = importPolicy(folder, dir->path() / "policy", options);
    QVERIFY(!report);
    const QString said = QString::fromStdString(report.error().sentence());
    QVERIFY2(said.contains(sentence), qPrintable(said));
    QVERIFY(!said.contains(u'\n'));
    QVERIFY(!fs::exists(dir->path() / "policy")); // nothing is half there
}

namespace {

/// A model whose weights are zeros, most of them in holes of its file.
bool writeHollowModel(const fs::path& folder, const CausalConfig& config)
{
    const CausalModel shape(config, EmbeddingConfig{.mode = EmbeddingMode::Raw}, ModelHead::Vocabulary);
    SafeTensorsHeader header;
    std::uint64_t at = 0;
    for (const auto& [name, tensor] : shape.parameters()) {
        if (name.starts_with("matrix."))
            continue;
        header.tensors.push_back({name, "F32", tensor.sizes().vec(), at, at + tensor.nbytes()});
        at += tensor.nbytes();
    }
    const std::string text = formatSafeTensorsHeader(header);
    std::error_code error;
    return writeTinyCausal(folder, config, {}) && writeFileAtomic(folder / "model.safetensors", text) &&
           (fs::resize_file(folder / "model.safetensors", text.size() + at, error), !error);
}

/// The most bytes of a child's memory that imports a model or loads a policy.
double peakOf(const fs::path& from, const fs::path& to = {})
{
    SpawnOptions options{.argv = {executablePath().string(), tellPeakOption, from.string(), to.string()}};
    options.extraEnvironment = {{"OMP_NUM_THREADS", "1"}};
    const auto done = runToEnd(options);
    return done && done->status.ok() ? std::strtod(done->output.c_str(), nullptr) * 1024 : 0;
}

} // namespace

/// A large model is not there twice, neither as a file's pages and tensors nor as tensors and what is made of
/// them, where it is imported and where a policy is loaded.
void TestCausal::weightsAreInMemoryOnce()
{
    CausalConfig config = tinyCausalConfig("llama", 12000);
    config.hidden_size = 1024;
    config.intermediate_size = 3072;
    config.num_hidden_layers = 4;
    config.num_attention_heads = config.num_key_value_heads = 16;
    config.head_dim = 64;
    config.tie_word_embeddings = true;
    const auto dir = TempDir::create();
    const CausalConfig tiny = tinyCausalConfig("llama");
    QVERIFY(writeHollowModel(dir->path() / "tiny", tiny) && writeHollowModel(dir->path() / "large", config));
    const double bytes = double(fs::file_size(dir->path() / "large/model.safetensors"));
    QVERIFY(bytes > 2e8);
    const double least = peakOf(dir->path() / "tiny", dir->path() / "tiny-policy");
    const double import = peakOf(dir->path() / "large", dir->path() / "policy");
    const double load = peakOf(dir->path() / "policy");
    QVERIFY(least > 0 && import > 0 && load > 0);
    qInfo("%.2f times the weights to import, %.2f to load", (import - least) / bytes,
          (load - least) / double(fs::file_size(dir->path() / "policy/model.safetensors")));
    QVERIFY(import - least < 1.1 * bytes);
    QVERIFY(load - least < 1.1 * double(fs::file_size(dir->path() / "policy/model.safetensors")));
}

void TestCausal::asLlamaCppHasThem_data()
{
    variants();
}

/// The same models in GGUF files, written by the package `gguf` (tests/tools/make_gguf_fixture.py).
void TestCausal::asLlamaCppHasThem()
{
    QFETCH(QString, name);
    const Fixture f = fixtureOf(name);
    const auto file = GgufFile::open(fixture("gguf/models/" + name.toStdString() + ".gguf"));
    QVERIFY2(file, file ? "" : file.error().sentence().c_str());
    const auto read = readCausalGguf(*file, {});
    QVERIFY2(read, read ? "" : read.error().sentence().c_str());
    json theirs, ours;
    writeCausalConfig(f.config, theirs);
    writeCausalConfig(read->config, ours);
    if (name == u"llama3_biases") { // such a file does not say it: it is what published models have
        QCOMPARE(ours["rope_scaling"]["original_max_position_embeddings"], json(8192));
        ours["rope_scaling"] = theirs["rope_scaling"];
    }
    QVERIFY2(ours == theirs, (ours.dump() + theirs.dump()).c_str());
    std::size_t weights = 0;
    for (const auto& [key, tensor] : f.file.tensors) {
        if (key.starts_with("fixture.") || key.starts_with("matrix."))
            continue;
        ++weights;
        const Tensor* found = read->weights.content.find(key);
        QVERIFY2(found != nullptr && torch::equal(*found, tensor), key.c_str());
    }
    QCOMPARE(read->weights.content.tensors.size(), weights);
    CausalModel model(read->config, f.model->embedding(), ModelHead::Vocabulary);
    SafeTensors all = read->weights.content;
    for (const char* matrix : {"matrix.entry.weight", "matrix.entry.bias"})
        all.tensors.emplace_back(matrix, *f.file.find(matrix));
    QVERIFY(model.importTensors(all, "fixture"));
    if (name != u"llama3_biases") {
        const torch::NoGradGuard guard;
        QVERIFY(maxDifference(model.applyHead(model.hiddenStates(f.batch)), f.get("logits")) < 1e-5);
    }
}

void TestCausal::wrongGgufIsASentence_data()
{
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* says, const char* key, const GgufBytes& value) {
        QTest::newRow(says) << QString::fromLatin1(says) << QString::fromLatin1(key)
                            << QByteArray::fromStdString(value.bytes());
    };
    // The value takes the place of the one of that key, or of the first of the file.
    const auto whole = [](std::uint32_t value) { return GgufBytes().number(4u).number(value); };
    const auto real = [](float value) { return GgufBytes().number(6u).number(value); };
    const auto text = [](const char* value) { return GgufBytes().number(8u).text(value); };
    row("the architecture is \"bert\", which is not known", "general.architecture", text("bert"));
    row("the architecture is \"\", which is not known", "general.architecture", text(""));
    row("general.architecture is not a text", "general.architecture", whole(3));
    row("mixture of 8 experts", "llama.expert_count", whole(8));
    row("sets llama.attention.sliding_window", "llama.attention.sliding_window", whole(64));
    row("sets llama.logit_scale", "llama.logit_scale", real(2));
    row("only 1 of 2 numbers of each head", "llama.rope.dimension_count", whole(1));
    row("values have another size", "llama.attention.value_length", whole(3));
    row("scaled by \"longrope\"", "llama.rope.scaling.type", text("longrope"));
    row("positions cannot be used", "llama.rope.freq_base", real(0.5F));
    row("llama.rope.freq_base is not a finite number", "llama.rope.freq_base", real(INFINITY));
    row("num_hidden_layers is 0", "llama.block_count", whole(0));
    row("the model has 1001 layers", "llama.block_count", whole(1001));
    row("head_count is not a whole number", "llama.attention.head_count", real(4));
    row("num_attention_heads is 0", "llama.attention.head_count", whole(0));
    row("wrong type", "llama.embedding_length", whole(0xFFFFFFFFu));
    row("llama.attention.layer_norm_rms_epsilon is missing", "llama.attention.layer_norm_rms_epsilon", {});
}

void TestCausal::wrongGgufIsASentence()
{
    QFETCH(QString, says);
    QFETCH(QString, key);
    QFETCH(QByteArray, value);
    const auto file = GgufFile::open(fixture("gguf/models/llama.gguf"));
    QVERIFY(file);
    GgufHeader header = file->header();
    GgufBytes one;
    one.head(0, 1)
        .text(key.toStdString())
        .raw(std::string_view(value.constData(), std::size_t(value.size())));
    if (value.isEmpty()) {
        header.values.erase(key.toStdString());
    } else {
        const auto read = readGgufHeader(one.bytes(), "value");
        QVERIFY2(read, read ? "" : read.error().sentence().c_str());
        header.values[key.toStdString()] = read->values.begin()->second;
    }
    const auto config = causalConfigFromGguf(header, {});
    QVERIFY(!config);
    const QString said = QString::fromStdString(config.error().sentence());
    QVERIFY2(said.contains(says) && !said.contains(u'\n'), qPrintable(said));
    QVERIFY(!causalConfigFromGguf(file->header(), {1, 1, 9}));
}

/// Whether a token stands before a prompt is what the model's files say; also after the policy was written
/// and read.
void TestCausal::promptsBeginAsFilesSay()
{
    const auto dir = TempDir::create();
    const CausalConfig config = tinyCausalConfig("llama");
    const SafeTensors weights = tinyCausalWeights(config, 3);
    const auto begins = [&](const json& settings, const json& processor) {
        const fs::path there = dir->path() / "there";
        fs::remove_all(there);
        fs::remove_all(dir->path() / "policy");
        json tokenizer = Tokenizer().toJson();
        tokenizer["post_processor"] = processor;
        if (!writeTinyCausal(there, config, weights) || !writeJson(there / "tokenizer.json", tokenizer) ||
            !writeJson(there / "tokenizer_config.json", settings))
            qFatal("the model cannot be written");
        const auto report = importPolicy(there, dir->path() / "policy", {});
        auto policy = report ? Policy::load(dir->path() / "policy") : Result<Policy>(fail(report.error()));
        if (!policy)
            qFatal("%s", policy.error().sentence().c_str());
        if (policy->promptTokens("ab").size() != 2 + policy->inputWithoutMatrix().prompt.size())
            qFatal("prompts begin otherwise where there is no matrix");
        const auto prompt = policy->promptTokens({});
        return prompt.empty() ? -1 : prompt.front();
    };
    const json begin = {{"type", "TemplateProcessing"},
                        {"single",
                         {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
                          {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                        {"pair", json::array()},
                        {"special_tokens", json::object()}};
    const json behind = {{"type", "TemplateProcessing"},
                         {"single",
                          {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                           {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}}}}};
    QCOMPARE(begins(json::object(), nullptr), -1);
    QCOMPARE(begins(json::object(), begin), 1);
    QCOMPARE(begins(json::object(), behind), -1);
    QCOMPARE(begins(json::object(), {{"type", "Sequence"}, {"processors", {{{"type", "ByteLevel"}}, begin}}}),
             1);
    QCOMPARE(begins({{"add_bos_token", false}, {"bos_token", "<s>"}}, begin), -1);
    QCOMPARE(begins({{"add_bos_token", true}, {"bos_token", "<s>"}}, nullptr), 1);
    QCOMPARE(begins({{"bos_token", "<s>"}}, nullptr), -1);
}

/// The token that ends a program is that of the model's files, which is not token 2; also after the policy
/// was written and read.
void TestCausal::publishedTokenizersEndPrograms()
{
    const auto dir = TempDir::create();
    const fs::path there = dir->path() / "there";
    const auto file = readJson(SPARSERL_SOURCE_DIR "/tests/policy/fixtures/published/qwen2.json");
    const auto tokenizer = file ? Tokenizer::fromJson(*file) : Result<Tokenizer>(fail(file.error()));
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().sentence().c_str());
    CausalConfig config = tinyCausalConfig("qwen2");
    config.vocab_size = tokenizer->vocabSize() + 3;
    QVERIFY(writeTinyCausal(there, config, tinyCausalWeights(config, 3)));
    QVERIFY(writeJson(there / "tokenizer.json", *file));
    QVERIFY(writeJson(there / "tokenizer_config.json", {{"eos_token", "<|im_end|>"}}));
    const auto report = importPolicy(there, dir->path() / "policy", {});
    QVERIFY2(report, report ? "" : report.error().sentence().c_str());
    QCOMPARE(report->untokened, std::int64_t(3));
    auto policy = Policy::load(dir->path() / "policy");
    QVERIFY2(policy, policy ? "" : policy.error().sentence().c_str());
    QVERIFY(policy->save(dir->path() / "again"));
    policy = Policy::load(dir->path() / "again");
    QVERIFY(policy && policy->tokenizer().toJson() == tokenizer->toJson());
    const auto end = policy->tokenizer().end();
    QCOMPARE(std::optional(end), policy->tokenizer().addedToken("<|im_end|>"));
    QVERIFY(policy->tokenizer().bytes(end).empty() && !policy->tokenizer().bytes(2).empty());

    const torch::NoGradGuard guard;
    const auto inputs = someInputs(*policy, 1, false);
    std::vector<SampleRequest> requests;
    for (int i = 0; i < 200; ++i)
        requests.push_back({0, std::uint64_t(i)});
    int finished = 0, twos = 0;
    for (const Sample& sample : policy->generate(inputs, requests, {.temperature = 3, .maxTokens = 60})) {
        const auto first = std::find(sample.tokens.begin(), sample.tokens.end(), end);
        QCOMPARE(sample.finished, first != sample.tokens.end());
        QVERIFY(!sample.finished || first + 1 == sample.tokens.end());
        finished += sample.finished;
        twos += int(std::count(sample.tokens.begin(), sample.tokens.end() - 1, 2));
    }
    QVERIFY(finished > 5 && twos > 5);
}

/// A look at all tensors for each of them would take minutes here.
void TestCausal::timeGrowsWithTheModel()
{
    CausalConfig config = tinyCausalConfig("llama");
    config.num_hidden_layers = 20000;
    config.hidden_size = config.intermediate_size = 1;
    config.num_attention_heads = config.num_key_value_heads = 1;
    config.head_dim = 2;
    CausalModel model(config, EmbeddingConfig{.mode = EmbeddingMode::Raw}, ModelHead::Vocabulary);
    SafeTensors weights;
    for (const auto& [name, tensor] : model.parameters())
        weights.tensors.emplace_back(name, torch::ones(tensor.sizes()));
    const auto status = model.importTensors(weights, "weights");
    QVERIFY2(status, status ? "" : status.error().sentence().c_str());
}

void TestCausal::shardsAreOneModel()
{
    const auto dir = TempDir::create();
    const CausalConfig config = tinyCausalConfig("qwen2");
    const SafeTensors weights = tinyCausalWeights(config, 3, torch::kBFloat16);
    const fs::path whole = dir->path() / "whole", parts = dir->path() / "parts";
    QVERIFY(writeTinyCausal(whole, config, weights) && writeTinyCausal(parts, config, weights));
    fs::remove(parts / "model.safetensors");
    json map;
    for (int part = 0; part < 3; ++part) {
        SafeTensors some;
        for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
            if (int(i) % 3 == part)
                some.tensors.push_back(weights.tensors[i]);
        }
        const std::string name = "model-" + std::to_string(part) + ".safetensors";
        for (const auto& [tensor, data] : some.tensors)
            map[tensor] = name;
        QVERIFY(writeSafeTensors(parts / name, some));
    }
    QVERIFY(writeJson(parts / "model.safetensors.index.json", {{"weight_map", map}}));
    const auto one = importPolicy(whole, dir->path() / "one", {}),
               three = importPolicy(parts, dir->path() / "three", {});
    QVERIFY2(one && three, three ? "" : three.error().sentence().c_str());
    QCOMPARE(one->files, 1);
    QCOMPARE(three->files, 3);
    QCOMPARE(Policy::load(dir->path() / "one")->digest(), Policy::load(dir->path() / "three")->digest());
}
