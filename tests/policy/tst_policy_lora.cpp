// SPDX-License-Identifier: Apache-2.0
// Low-rank adapters against PEFT's, and as policies.
#include "base/beneath.h"
#include "base/json.h"
#include "policy/causal/causal_model.h"
#include "policy/policy/policy_adapters.h"
#include "tests/policy/tiny_causal.h"
#include "tests/policy/tst_policy.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

using namespace sparserl;
using namespace sparserl::test;
using nlohmann::json;
using torch::Tensor;
namespace fs = std::filesystem;

namespace {

const std::vector<std::int64_t> entries{5, 1, 3}, prompts{2, 0, 4}, targets{7, 1, 12};

fs::path adapterOf(const QString& name)
{
    return fixture("lora/" + name.toStdString());
}

/// What tests/tools/make_lora_fixture.py wrote, with the base model as a policy and its inputs.
struct Fixture
{
    SafeTensors computed, base;
    std::optional<Policy> policy;
    SequenceBatch batch;

    const Tensor& get(const std::string& name) const { return *computed.find(name); }
};

Fixture fixtureOf(const QString& name)
{
    Fixture f;
    f.computed = std::move(*readSafeTensors(fixture("lora/" + name.toStdString() + ".safetensors")));
    f.base =
        std::move(*readSafeTensors(fixture("causal/" + f.computed.metadata.at("base") + ".safetensors")));
    const auto config = *causalConfigFromJson(json::parse(f.base.metadata.at("config")));
    auto model = std::make_shared<CausalModel>(config, EmbeddingConfig{.mode = EmbeddingMode::Raw},
                                               ModelHead::Vocabulary);
    SafeTensors weights;
    for (const auto& [key, tensor] : f.base.tensors) {
        if (!key.starts_with("fixture."))
            weights.tensors.emplace_back(key, tensor);
    }
    if (const auto status = model->importTensors(weights, "fixture"); !status)
        qFatal("%s", status.error().sentence().c_str());
    f.policy = Policy::ofModel({}, Tokenizer(), model);
    const auto ids = [](const Tensor& tensor) {
        const Tensor small = tensor.to(torch::kInt32).contiguous();
        return std::vector<std::int32_t>(small.const_data_ptr<std::int32_t>(),
                                         small.const_data_ptr<std::int32_t>() + small.numel());
    };
    const auto rows = f.base.find("fixture.entries")->split_with_sizes(entries);
    const auto words = f.base.find("fixture.prompts")->split_with_sizes(prompts);
    const auto tokens = f.base.find("fixture.targets")->split_with_sizes(targets);
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

Tensor logitsOf(const Policy& policy, const SequenceBatch& batch)
{
    return policy.model().applyHead(policy.model().hiddenStates(batch));
}

void adapters()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"usual", "all_stabilised", "pattern", "glm4"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

Policy must(Result<Policy> policy)
{
    if (!policy)
        qFatal("%s", policy.error().sentence().c_str());
    return std::move(*policy);
}

const CausalModel& causalOf(const Policy& policy)
{
    return dynamic_cast<const CausalModel&>(policy.model());
}

Policy adaptedPolicy(const std::string& family, torch::ScalarType type = torch::kFloat32)
{
    return tinyCausalPolicy(family, true, 9, type);
}

} // namespace

void TestLora::computesAsPeft_data()
{
    adapters();
}

void TestLora::computesAsPeft()
{
    QFETCH(QString, name);
    const Fixture f = fixtureOf(name);
    Policy policy = must(withPeftAdapters(*f.policy, adapterOf(name)));
    policy.learn();
    for (const bool recompute : {false, true}) {
        policy.moveTo({.recompute = recompute});
        for (const auto& [key, tensor] : policy.parameters())
            tensor.mutable_grad() = Tensor();
        const Tensor logits = logitsOf(policy, f.batch);
        const double difference = maxDifference(logits.detach(), f.get("logits"));
        QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
        torch::log_softmax(logits, -1)
            .gather(1, f.base.find("fixture.targets")->unsqueeze(1))
            .sum()
            .backward();
        std::size_t compared = 0;
        for (const auto& [key, tensor] : policy.parameters()) {
            if (key.starts_with("matrix."))
                continue;
            ++compared;
            const Tensor& expected = f.get("grad." + key);
            QVERIFY2(maxDifference(tensor.grad(), expected) <
                         1e-4 * std::max(1.0, expected.abs().max().item<double>()),
                     key.c_str());
        }
        QCOMPARE(compared, std::size_t(std::ranges::count_if(f.computed.tensors, [](const auto& tensor) {
                     return tensor.first.starts_with("grad.");
                 })));
        for (const auto& [key, tensor] : causalOf(policy).weights())
            QVERIFY2(tensor.requires_grad() == (key.starts_with("matrix.") || key.find("lora_") != key.npos),
                     key.c_str());
    }
}

void TestLora::mergesAsPeft_data()
{
    adapters();
}

void TestLora::mergesAsPeft()
{
    QFETCH(QString, name);
    const torch::NoGradGuard guard;
    const Fixture f = fixtureOf(name);
    const Policy policy = must(withPeftAdapters(*f.policy, adapterOf(name)));
    const Policy merged = must(mergedPolicy(policy));
    QVERIFY(maxDifference(logitsOf(merged, f.batch), f.get("logits")) < 1e-5);
    const SafeTensors weights = merged.model().exportTensors();
    QCOMPARE(weights.tensors.size(), f.policy->model().exportTensors().tensors.size());
    for (const auto& [key, expected] : f.computed.tensors) {
        if (key.starts_with("merged."))
            QVERIFY2(maxDifference(*weights.find(key.substr(7)), expected) < 1e-6, key.c_str());
    }
    // What it came from is as it was.
    QVERIFY(maxDifference(logitsOf(*f.policy, f.batch), *f.base.find("fixture.logits")) < 1e-5);
    QVERIFY(!mergedPolicy(merged));
}

void TestLora::filesAsPeft_data()
{
    adapters();
}

void TestLora::filesAsPeft()
{
    QFETCH(QString, name);
    const Fixture f = fixtureOf(name);
    const auto dir = TempDir::create();
    const Policy policy = must(withPeftAdapters(*f.policy, adapterOf(name)));
    const fs::path written = dir->path() / "deep/adapter/";
    const auto done = writePeftAdapters(policy, written);
    QVERIFY2(done, done ? "" : done.error().sentence().c_str());
    const auto ours = readSafeTensors(written / "adapter_model.safetensors"),
               theirs = readSafeTensors(adapterOf(name) / "adapter_model.safetensors");
    QVERIFY(ours && theirs);
    QCOMPARE(ours->tensors.size(), theirs->tensors.size());
    for (const auto& [key, tensor] : theirs->tensors) {
        const Tensor* found = ours->find(key);
        QVERIFY2(found != nullptr && torch::equal(*found, tensor), key.c_str());
    }
    const json own = *readJson(written / "adapter_config.json"),
               peft = *readJson(adapterOf(name) / "adapter_config.json");
    for (const char* key : {"r", "peft_type", "task_type", "bias", "use_rslora", "fan_in_fan_out"})
        QVERIFY2(own[key] == peft[key], key);
    QCOMPARE(own["lora_alpha"].get<double>(), peft["lora_alpha"].get<double>());
    QVERIFY(own["target_modules"].is_array());
    // They come back the same, and nothing is written over.
    QCOMPARE(must(withPeftAdapters(*f.policy, written)).digest(), policy.digest());
    QVERIFY(!writePeftAdapters(policy, written));
    QVERIFY(!writePeftAdapters(*f.policy, dir->path() / "none"));
}

void TestLora::newAdaptersChangeNothing()
{
    const auto dir = TempDir::create();
    Policy adapted = adaptedPolicy("llama");
    const Policy base = must(mergedPolicy(adapted));
    const SequenceBatch batch = someBatch(base, {9, 4}, 2);
    const Policy begun =
        must(withAdapters(base, {.rank = 4, .alpha = 8, .targets = {"v_proj", "layers.1.mlp.up_proj"}}, 3));
    const torch::NoGradGuard guard;
    QVERIFY(torch::equal(logitsOf(begun, batch), logitsOf(base, batch)));
    std::set<std::string> learned;
    for (const auto& [name, tensor] : begun.parameters()) {
        if (name.starts_with("matrix."))
            continue;
        learned.insert(name);
        if (name.ends_with("lora_B.weight")) {
            QVERIFY(maxDifference(tensor, torch::zeros_like(tensor)) == 0.0);
        } else { // uniform within 1 / sqrt(inputs)
            const double bound = 1 / std::sqrt(double(tensor.size(1)));
            const double most = tensor.abs().max().item<double>();
            QVERIFY(most <= bound && most > 0.8 * bound &&
                    std::abs(tensor.mean().item<double>()) < 0.4 * bound);
        }
    }
    QVERIFY((learned == std::set<std::string>{"model.layers.0.self_attn.v_proj.lora_A.weight",
                                              "model.layers.0.self_attn.v_proj.lora_B.weight",
                                              "model.layers.1.self_attn.v_proj.lora_A.weight",
                                              "model.layers.1.self_attn.v_proj.lora_B.weight",
                                              "model.layers.1.mlp.up_proj.lora_A.weight",
                                              "model.layers.1.mlp.up_proj.lora_B.weight"}));
    QVERIFY(must(withAdapters(base, {.rank = 4, .targets = {"v_proj"}}, 3)).digest() !=
            must(withAdapters(base, {.rank = 4, .targets = {"v_proj"}}, 4)).digest());
}

void TestLora::gradientsAgainstFiniteDifferences_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<bool>("adapted");
    for (const char* family : {"llama", "qwen2", "qwen3", "glm4"})
        QTest::newRow(family) << QString::fromLatin1(family) << false;
    QTest::newRow("glm4, adapters") << QStringLiteral("glm4") << true;
    QTest::newRow("qwen3, adapters") << QStringLiteral("qwen3") << true;
}

void TestLora::gradientsAgainstFiniteDifferences()
{
    QFETCH(QString, family);
    QFETCH(bool, adapted);
    Policy policy = tinyCausalPolicy(family.toStdString(), adapted, 9);
    policy.learn();
    const SequenceBatch batch = someBatch(policy, {9, 4, 6}, 2);
    const auto objective = [&] {
        const auto statistics = policy.tokenStatistics(batch, 0.9);
        return (statistics.logProbs * statistics.mask).to(torch::kFloat64).sum();
    };
    objective().backward();
    Rng rng(7);
    int compared = 0;
    for (const auto& [name, tensor] : policy.parameters()) {
        const torch::NoGradGuard guard;
        Tensor direction = torch::empty(tensor.sizes());
        fillNormal(rng, direction, 1.0);
        direction /= direction.norm();
        const double step = 1e-2, slope = (tensor.grad() * direction).sum().item<double>();
        tensor.add_(direction, step);
        const double above = objective().item<double>();
        tensor.add_(direction, -2 * step);
        const double below = objective().item<double>();
        tensor.add_(direction, step);
        const double measured = (above - below) / (2 * step);
        QVERIFY2(std::abs(measured - slope) < 2e-2 * std::max(0.3, std::abs(slope)),
                 (name + " " + std::to_string(measured) + " " + std::to_string(slope)).c_str());
        ++compared;
    }
    QCOMPARE(compared, int(policy.parameters().size()));
    QVERIFY(compared >= (adapted ? 10 : 20));
}

/// Samples have the probabilities of training, copies share what is frozen, files hold all.
void TestLora::aPolicyLikeOthers()
{
    const auto dir = TempDir::create();
    Policy policy = adaptedPolicy("qwen2", torch::kBFloat16);
    policy.learn();
    std::size_t frozen = 0;
    for (const auto& [name, tensor] : causalOf(policy).weights()) {
        const bool learns = name.starts_with("matrix.") || name.find("lora_") != name.npos;
        QVERIFY2(tensor.scalar_type() == (learns ? torch::kFloat32 : torch::kBFloat16), name.c_str());
        QVERIFY2(tensor.requires_grad() == learns, name.c_str());
        frozen += learns ? 0 : 1;
    }
    QCOMPARE(frozen, causalOf(policy).weights().size() - policy.parameters().size());
    const auto inputs = someInputs(policy, 2, true);
    const auto samples = policy.generate(inputs, {{0, 1, {}}, {1, 2, {60, 70}}, {1, 3, {}}},
                                         {.temperature = 0.8, .maxTokens = 20, .batch = 2});
    SequenceBatch batch{.inputs = inputs, .inputOf = {0, 1, 1}};
    for (std::size_t i = 0; i < samples.size(); ++i) {
        batch.targets.push_back(i == 1 ? std::vector<std::int32_t>{60, 70} : std::vector<std::int32_t>{});
        batch.targets.back().insert(batch.targets.back().end(), samples[i].tokens.begin(),
                                    samples[i].tokens.end());
    }
    const auto statistics = policy.tokenStatistics(batch, 0.8);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        for (std::size_t t = 0; t < samples[i].tokens.size(); ++t)
            QVERIFY(
                std::abs(
                    statistics.logProbs[std::int64_t(i)][std::int64_t(t + (i == 1 ? 2 : 0))].item<float>() -
                    samples[i].logProbs[t]) < 1e-4f);
    }
    QVERIFY(policy.save(dir->path() / "policy"));
    Policy again = must(Policy::load(dir->path() / "policy"));
    QCOMPARE(again.digest(), policy.digest());
    QVERIFY(causalOf(again).config().lora.targets == causalOf(policy).config().lora.targets);
    const auto sharedBy = [](const Policy& a, const CausalModel& b) {
        std::size_t shared = 0;
        const auto all = causalOf(a).weights(), others = b.weights();
        for (std::size_t i = 0; i < all.size(); ++i)
            shared += all[i].second.data_ptr() == others[i].second.data_ptr() ? 1 : 0;
        return shared;
    };
    QCOMPARE(sharedBy(policy, causalOf(again)), std::size_t(0));
    QCOMPARE(sharedBy(policy, causalOf(policy.clone(false))), frozen);
    again.shareFrozen(policy);
    QCOMPARE(sharedBy(policy, causalOf(again)), frozen);
    QCOMPARE(again.digest(), policy.digest());
    // One that differs keeps its own, also under adapters that it has not.
    Policy other = must(mergedPolicy(adaptedPolicy("qwen2", torch::kBFloat16)));
    other.shareFrozen(policy);
    for (const auto& [name, tensor] : causalOf(other).weights()) {
        const bool merged =
            name.find("q_proj.weight") != name.npos || name.find("down_proj.weight") != name.npos;
        for (const auto& [known, frozenTensor] : causalOf(policy).weights()) {
            if (known == name && !name.starts_with("matrix."))
                QVERIFY2((tensor.data_ptr() == frozenTensor.data_ptr()) != merged, name.c_str());
        }
    }
    // The digest tells whose weights are others, of adapters and of what is under them.
    Policy changed = policy.clone(false);
    {
        const torch::NoGradGuard guard;
        changed.parameters().back().second.add_(1);
    }
    QVERIFY(changed.digest() != policy.digest());
    // A critic learns adapters of its own and its head.
    Critic critic = Critic::fromPolicy(policy, 9);
    QCOMPARE(critic.parameters().size(), policy.parameters().size() + 2);
    QVERIFY(critic.saveFiles(dir->path() / "policy"));
    const auto loaded = Critic::load(dir->path() / "policy");
    QVERIFY2(loaded, loaded ? "" : loaded.error().sentence().c_str());
    QVERIFY(torch::equal(loaded->values(batch), critic.values(batch)));
}

void TestLora::whatIsWrongIsASentence_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("sentence");
    const auto add = [](const char* what, const char* sentence) {
        QTest::newRow(what) << QString::fromLatin1(what) << QString::fromLatin1(sentence);
    };
    add("no files", "this is not a PEFT adapter");
    add("no weights", "adapter_model.safetensors");
    add("other kind", "of the kind \"IA3\"");
    add("dora", "sets \"use_dora\"");
    add("bias", "changes biases");
    add("ranks", "sets \"rank_pattern\"");
    add("pissa", "begun by \"pissa\"");
    add("rank", "is of rank 2, and adapter_config.json says 5");
    add("no rank", "\"r\"");
    add("rank of 0", "the rank of the adapters is 0");
    add("alpha", "alpha of the adapters");
    add("large alpha", "out of single precision's range");
    add("small alpha", "out of single precision's range");
    add("large doubles", "is not made of finite");
    add("half", "lora_B.weight is missing");
    add("unnamed", "has an adapter, and \"target_modules\" does not name it");
    add("named alone", "and the weights have no adapter of it");
    add("foreign name", "names query, and the policy has no such layer");
    add("head", "is not one of an adapter of linear layers");
    add("layer", "is of a layer that the policy does not have");
    add("NaN", "is not made of finite");
    add("shape", "has shape [2, 3]");
}

void TestLora::whatIsWrongIsASentence()
{
    QFETCH(QString, what);
    QFETCH(QString, sentence);
    const Fixture f = fixtureOf(QStringLiteral("usual"));
    const auto dir = TempDir::create();
    json config = *readJson(adapterOf(QStringLiteral("usual")) / "adapter_config.json");
    SafeTensors weights = *readSafeTensors(adapterOf(QStringLiteral("usual")) / "adapter_model.safetensors");
    const std::string begin = "base_model.model.model.layers.";
    const std::map<std::string, std::function<void()>> faults{
        {"no files", [] {}},
        {"no weights", [] {}},
        {"other kind", [&] { config["peft_type"] = "IA3"; }},
        {"dora", [&] { config["use_dora"] = true; }},
        {"bias", [&] { config["bias"] = "lora_only"; }},
        {"ranks",
         [&] {
             config["rank_pattern"] = {{"q_proj", 4}};
         }},
        {"pissa", [&] { config["init_lora_weights"] = "pissa"; }},
        {"rank", [&] { config["r"] = 5; }},
        {"no rank", [&] { config.erase("r"); }},
        {"rank of 0", [&] { config["r"] = 0; }},
        {"alpha", [&] { config["lora_alpha"] = -1; }},
        {"large alpha", [&] { config["lora_alpha"] = 1e39; }},
        {"small alpha", [&] { config["lora_alpha"] = 1e-50; }},
        {"large doubles",
         [&] {
             weights.tensors[0].second = torch::full_like(weights.tensors[0].second, 1e300, torch::kFloat64);
         }},
        {"half",
         [&] {
             std::erase_if(weights.tensors,
                           [](auto& t) { return t.first.ends_with("1.self_attn.q_proj.lora_B.weight"); });
         }},
        {"unnamed", [&] { config["target_modules"] = {"q_proj"}; }},
        {"named alone",
         [&] {
             std::erase_if(weights.tensors,
                           [](auto& t) { return t.first.find("1.self_attn.q_proj.") != t.first.npos; });
         }},
        {"foreign name", [&] { config["target_modules"].push_back("query"); }},
        {"head",
         [&] {
             weights.tensors.emplace_back("base_model.model.lm_head.weight", torch::zeros({2, 2}));
         }},
        {"layer",
         [&] {
             weights.tensors.emplace_back(begin + "7.self_attn.q_proj.lora_A.weight", torch::zeros({2, 8}));
         }},
        {"NaN", [&] { weights.tensors[0].second[0][0] = std::nan(""); }},
        {"shape",
         [&] {
             for (auto& [name, tensor] : weights.tensors) {
                 if (name.ends_with("0.self_attn.q_proj.lora_A.weight"))
                     tensor = torch::zeros({2, 3});
             }
         }},
    };
    faults.at(what.toStdString())();
    if (what != u"no files")
        QVERIFY(writeJson(dir->path() / "adapter_config.json", config));
    if (what != u"no files" && what != u"no weights")
        QVERIFY(writeSafeTensors(dir->path() / "adapter_model.safetensors", weights));
    const auto policy = withPeftAdapters(*f.policy, dir->path());
    QVERIFY(!policy);
    const QString said = QString::fromStdString(policy.error().sentence());
    QVERIFY2(said.contains(sentence), qPrintable(said));
    QVERIFY(!said.contains(u'\n'));
}

void TestLora::otherPoliciesAreRefused()
{
    const Policy t5 = tinyPolicy();
    const LoraConfig usual{.rank = 2, .targets = {"q_proj"}};
    const auto says = [](const auto& result, const char* sentence) {
        return !result && result.error().sentence().find(sentence) != std::string::npos;
    };
    QVERIFY(says(withAdapters(t5, usual, 1), "the policy is a T5"));
    QVERIFY(says(mergedPolicy(t5), "the policy is a T5"));
    const Policy adapted = adaptedPolicy("llama");
    QVERIFY(says(withAdapters(adapted, usual, 1), "the policy has adapters already"));
    const Policy base = must(mergedPolicy(adapted));
    QVERIFY(says(withAdapters(base, {.rank = 2, .targets = {"q_proj", "query"}}, 1),
                 "no layer is called \"query\""));
    QVERIFY(says(withAdapters(base, {.rank = 2, .targets = {"proj"}}, 1), "no layer is called \"proj\""));
    // Where none is named, all linear layers of the blocks have one.
    for (const auto& [family, layers] : {std::pair("llama", 7), std::pair("glm4", 6)}) {
        const Policy all = must(withAdapters(tinyCausalPolicy(family, false, 3), {.rank = 2}, 1));
        const auto& lora = causalOf(all).config().lora;
        QCOMPARE(lora.targets.size(), std::size_t(layers));
        QVERIFY(lora.adapts("model.layers.1.self_attn.o_proj") &&
                lora.adapts("model.layers.0.mlp.down_proj"));
    }
    QVERIFY(says(withAdapters(base, {.rank = 0, .targets = {"q_proj"}}, 1), "rank of the adapters is 0"));
}
