// SPDX-License-Identifier: Apache-2.0
// Models in Hugging Face's files, made and computed by its own libraries
// (tests/tools/make_codet5_fixture.py).
#include "tst_policy.h"

#include "base/interruption.h"
#include "policy/kernels/token_statistics.h"
#include "policy/policy/policy_import.h"
#include "policy/t5/plain_forward.h"
#include "policy/tokenizer/tokenizer_import.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace sparserl;
using nlohmann::json;
using torch::Tensor;
namespace fs = std::filesystem;

namespace {

PolicyImportOptions options()
{
    PolicyImportOptions options;
    options.embedding.maxEntries = 10;
    options.embedding.peDim = 8;
    options.maxTokens = 321;
    return options;
}

struct Imported
{
    PolicyImport report;
    Policy policy;
};

/// Imports and loads what was written.
Result<Imported> import(const fs::path& folder, const PolicyImportOptions& options = ::options())
{
    const auto dir = TempDir::create();
    SPARSERL_TRY(const auto report, importPolicy(folder, dir->path() / "policy", options));
    SPARSERL_TRY(auto policy, Policy::load(dir->path() / "policy"));
    return Imported{report, std::move(policy)};
}

/// A copy of a fixture that may be damaged.
fs::path copyOf(const TempDir& dir, const std::string& name)
{
    const fs::path folder = dir.path() / name;
    fs::remove_all(folder);
    fs::copy(fixture("codet5/" + name), folder, fs::copy_options::recursive);
    return folder;
}

void change(const fs::path& file, const std::function<void(json&)>& edit)
{
    json value = json::parse(*readFile(file));
    edit(value);
    QVERIFY(writeFileAtomic(file, value.dump()));
}

void changeWeights(const fs::path& file, const std::function<void(SafeTensors&)>& edit)
{
    auto content = readSafeTensors(file);
    QVERIFY(content);
    edit(*content);
    QVERIFY(writeSafeTensors(file, *content));
}

Tensor* find(SafeTensors& content, const std::string& name)
{
    for (auto& [known, tensor] : content.tensors) {
        if (known == name)
            return &tensor;
    }
    return nullptr;
}

} // namespace

void TestImport::tokensAsHuggingFace()
{
    const auto one = readHuggingFaceTokenizer(fixture("codet5/tied"));
    const auto two = readHuggingFaceTokenizer(fixture("codet5/own_head"));
    QVERIFY2(one, one ? "" : one.error().sentence().c_str());
    QVERIFY2(two, two ? "" : two.error().sentence().c_str());
    // tokenizer.json also says what is done around a text, of which the other files say nothing.
    const json first = one->toJson(), second = two->toJson();
    for (const char* part : {"vocab", "merges"})
        QVERIFY(first["model"][part] == second["model"][part]);
    QCOMPARE(first["added_tokens"].size(), second["added_tokens"].size());
    QCOMPARE(one->vocabSize(), 313);
    int checked = 0;
    for (const json& entry : json::parse(*readFile(fixture("codet5/encoded.json")))) {
        const auto text = entry["text"].get<std::string>();
        const auto ids = one->encode(text);
        QVERIFY2(json(ids) == entry["ids"], entry.dump().c_str());
        QCOMPARE(one->decode(ids), text);
        ++checked;
    }
    QVERIFY(checked > 100);
    for (const int special : {0, 1, 2, 3, 4, 310, 311, 312})
        QVERIFY(one->bytes(special).empty());
}

void TestImport::specialTokensWithoutNumbers()
{
    // What old repositories have: additional tokens that no file numbers stand behind the vocabulary, in
    // order.
    const auto dir = TempDir::create();
    const fs::path folder = copyOf(*dir, "own_head");
    const auto before = readHuggingFaceTokenizer(folder);
    fs::remove(folder / "added_tokens.json");
    fs::remove(folder / "tokenizer_config.json");
    const auto after = readHuggingFaceTokenizer(folder);
    QVERIFY(before && after && before->toJson() == after->toJson());
    // Without any of these files the vocabulary's own special tokens are known; the others have no row.
    fs::remove(folder / "special_tokens_map.json");
    const auto bare = readHuggingFaceTokenizer(folder);
    QVERIFY2(bare, bare ? "" : bare.error().sentence().c_str());
    QCOMPARE(bare->vocabSize(), 310);
    const auto imported = import(folder);
    QVERIFY2(imported, imported ? "" : imported.error().sentence().c_str());
    QCOMPARE(imported->report.untokened, std::int64_t(8));
}

/// A look at all others for each of them would take minutes here.
void TestImport::manySpecialTokens()
{
    constexpr int many = 300000;
    const auto dir = TempDir::create();
    const fs::path folder = copyOf(*dir, "own_head");
    const auto before = readHuggingFaceTokenizer(folder);
    QVERIFY(before);
    json added = json::object();
    for (int i = 0; i < many; ++i)
        added["<x" + std::to_string(i) + ">"] = before->vocabSize() + i;
    QVERIFY(writeFileAtomic(folder / "added_tokens.json", added.dump()));
    fs::remove(folder / "tokenizer_config.json");
    fs::remove(folder / "special_tokens_map.json");
    readHuggingFaceTokenizer(folder); // whether it is one or a sentence
}

void TestImport::computesAsHuggingFace_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("plain");
    QTest::newRow("tied") << QStringLiteral("tied") << false;
    QTest::newRow("tied, as a GPU") << QStringLiteral("tied") << true;
    QTest::newRow("own head, bf16 shards") << QStringLiteral("own_head") << false;
    QTest::newRow("own head, as a GPU") << QStringLiteral("own_head") << true;
}

void TestImport::computesAsHuggingFace()
{
    QFETCH(QString, name);
    QFETCH(bool, plain);
    const fs::path folder = fixture("codet5/" + name.toStdString());
    auto imported = import(folder);
    QVERIFY2(imported, imported ? "" : imported.error().sentence().c_str());
    QCOMPARE(imported->report.files, name == u"tied" ? 1 : 2);
    QCOMPARE(imported->report.untokened, std::int64_t(name == u"tied" ? 0 : 5));
    const auto& config = imported->policy.config();
    QCOMPARE(t5Of(imported->policy).config().tie_word_embeddings, name == u"tied");
    QCOMPARE(t5Of(imported->policy).config().gated, name != u"tied");
    QCOMPARE(config.generation.maxTokens, 321);

    QCOMPARE(imported->report.vocabulary, 313);
    QCOMPARE(imported->report.weights, imported->policy.parameterCount());
    Policy& policy = imported->policy;
    policy.moveTo({.plainOperations = plain});
    const T5Model& model = t5Of(policy);

    const auto expected = readSafeTensors(folder / "expected.safetensors");
    QVERIFY(expected);
    const Tensor ids = *expected->find("ids"), lengths = *expected->find("lengths");
    const Tensor targets = *expected->find("targets");
    const std::int64_t count = targets.size(0), length = targets.size(1);
    EncoderOutput encoded;
    encoded.offsets = {0};
    std::vector<Tensor> rows;
    Offsets offsets{0};
    std::vector<int> inputOf;
    for (std::int64_t m = 0; m < count; ++m) {
        rows.push_back(ids[m].narrow(0, 0, lengths[m].item<std::int64_t>()));
        encoded.offsets.push_back(encoded.offsets.back() + rows.back().size(0));
        offsets.push_back(offsets.back() + length);
        inputOf.push_back(int(m));
    }
    const torch::NoGradGuard guard;
    encoded.hidden =
        model.encodeEmbedded(torch::embedding(model.sharedEmbedding(), torch::cat(rows)), encoded.offsets);
    const Tensor shifted =
        torch::cat({torch::zeros({count, 1}, torch::kInt64), targets.narrow(1, 0, length - 1)}, 1);
    const Tensor logits =
        model.applyHead(model.decode(shifted.flatten().contiguous(), offsets, encoded, inputOf));
    const Tensor stepped = logits.view({count, length, -1}).slice(1, 0, length, 5);
    const double difference = maxDifference(stepped, *expected->find("logits"));
    QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
    const auto [logp, entropy] = plainTokenStatistics(logits, targets.flatten().contiguous(), 1.0, false);
    QVERIFY(maxDifference(logp.view({count, length}), *expected->find("logp")) < 1e-5);
}

void TestImport::theMatrixIsNewAndSeeded()
{
    const fs::path folder = fixture("codet5/tied");
    auto some = options(), others = options();
    others.seed = 2;
    const auto one = import(folder, some), again = import(folder, some), other = import(folder, others);
    QVERIFY(one && again && other);
    QCOMPARE(one->policy.digest(), again->policy.digest());
    int drawn = 0;
    const auto ours = one->policy.parameters(), theirs = other->policy.parameters();
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const auto& [name, tensor] = ours[i];
        const bool matrix = name.starts_with("matrix.") && name.ends_with(".weight");
        drawn += matrix;
        QVERIFY2(torch::equal(tensor, theirs[i].second) != matrix, name.c_str());
    }
    QCOMPARE(drawn, 2);
    // A matrix arrives at the scale of the words that the encoder has learned to read.
    const auto inputs = someInputs(one->policy, 3);
    const T5Model& model = t5Of(one->policy);
    const double words = model.sharedEmbedding().square().mean().sqrt().item<double>();
    double squares = 0, entries = 0;
    for (const auto& [name, tensor] : model.parameters()) {
        if (name != "matrix.entry.weight")
            continue;
        for (const ModelInput& input : inputs) {
            const Tensor rows = torch::tensor(input.matrix->entries).view({input.matrix->count, -1});
            squares += torch::mm(rows, tensor.t()).square().sum().item<double>();
            entries += double(input.matrix->count) * double(tensor.size(0));
        }
    }
    const double ratio = std::sqrt(squares / entries) / words;
    QVERIFY2(ratio > 0.3 && ratio < 3, qPrintable(QString::number(ratio)));
    // Sampling works: programs from a model that has never seen a matrix.
    const auto samples = one->policy.generate(inputs, std::vector<SampleRequest>(3, {.input = 1, .seed = 4}),
                                              {.maxTokens = 12});
    QCOMPARE(samples.size(), std::size_t(3));
    QVERIFY(!samples[0].tokens.empty());
}

/// transformers 5 calls every model tied and writes the scale of the head's input by itself.
void TestImport::headsOfBothGenerations()
{
    const auto dir = TempDir::create();
    const auto digestWith = [&](const char* name, const std::function<void(json&)>& config,
                                const std::function<void(SafeTensors&)>& weights) -> std::string {
        const fs::path folder = copyOf(*dir, name);
        change(folder / "config.json", config);
        if (weights)
            changeWeights(folder / "model.safetensors", weights);
        const auto imported = import(folder);
        return imported ? imported->policy.digest() : imported.error().sentence();
    };
    const auto nothing = [](json&) {};
    const std::string tied = digestWith("tied", nothing, {}), own = digestWith("own_head", nothing, {});
    QCOMPARE(digestWith("tied", [](json& c) { c["scale_decoder_outputs"] = true; }, {}), tied);
    QCOMPARE(digestWith("own_head",
                        [](json& c) {
                            c["tie_word_embeddings"] = true;
                            c["scale_decoder_outputs"] = false;
                        },
                        {}),
             own);
    // Copies of the embedding under its other names are no other weights.
    const auto copies = [](SafeTensors& content) {
        for (const char* name :
             {"lm_head.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"})
            content.tensors.emplace_back(name, find(content, "shared.weight")->clone());
    };
    QCOMPARE(digestWith("tied", nothing, copies), tied);
    const auto onlyAsCopy = [](SafeTensors& content) {
        for (auto& [name, tensor] : content.tensors) {
            if (name == "shared.weight")
                name = "encoder.embed_tokens.weight";
        }
    };
    QCOMPARE(digestWith("tied", nothing, onlyAsCopy), tied);
    const auto ofOld = [](SafeTensors& content) {
        content.tensors.emplace_back("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
                                     torch::ones({8, 2}));
    };
    QCOMPARE(digestWith("tied", nothing, ofOld), tied);
    const auto halved = [](SafeTensors& content) {
        for (auto& [name, tensor] : content.tensors)
            tensor = tensor.to(torch::kFloat16);
    };
    QVERIFY(digestWith("tied", nothing, halved) != tied && digestWith("tied", nothing, halved).size() == 64);

    // A scaled head of its own is one that is not scaled with smaller weights; a tied one that is not scaled,
    // a copy.
    const auto doubled = [](SafeTensors& content) {
        content.tensors.emplace_back("lm_head.weight", 2 * *find(content, "shared.weight"));
    };
    const auto headWith = [&](bool scaled, const std::function<void(SafeTensors&)>& weights) {
        const fs::path folder = copyOf(*dir, "tied");
        change(folder / "config.json", [&](json& c) { c["scale_decoder_outputs"] = scaled; });
        changeWeights(folder / "model.safetensors", weights);
        const auto imported = import(folder);
        if (!imported)
            qFatal("%s", imported.error().sentence().c_str());
        const T5Model& model = t5Of(imported->policy);
        return std::pair(model.headWeight() * model.headScale(), model.sharedEmbedding());
    };
    const auto [head, shared] = headWith(true, doubled);
    QVERIFY(maxDifference(head, shared * (2 / std::sqrt(8.0))) < 1e-6);
    const auto [plainHead, plainShared] = headWith(false, [](SafeTensors&) {});
    QVERIFY(torch::equal(plainHead, plainShared));
}

void TestImport::whatIsWrongIsASentence_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* what, const char* file, const char* says) {
        QTest::newRow(what) << QString::fromLatin1(what) << QString::fromLatin1(file)
                            << QString::fromLatin1(says);
    };
    row("no directory", "nowhere", "no config.json");
    row("no config", "own_head", "no config.json");
    row("config is no JSON", "config.json", "");
    row("config is a list", "config.json", "cannot be used");
    row("BERT", "config.json", "model_type is \"bert\", which is not known. Use a T5");
    row("silu", "config.json", "gated-silu");
    row("other start", "config.json", "decoder_start_token_id");
    row("enormous", "model.safetensors.index.json", "fewer weights");
    row("a policy", "config.json", "a policy already");
    row("scale is text", "config.json", "scale_decoder_outputs");
    row("no weights", "own_head", "no weights");
    row("pickled", "pytorch_model.bin", "save_pretrained");
    row("no map", "model.safetensors.index.json", "weight_map");
    row("shard elsewhere", "model.safetensors.index.json", "not in a file of this directory");
    row("shard missing", "model.safetensors.index.json", "model-00002-of-00002.safetensors is missing");
    row("shard cut", "model-00001-of-00002.safetensors", "copy it again");
    row("tensor not in its shard", "model-00001-of-00002.safetensors", "missing");
    row("tensor not in the index", "model-00002-of-00002.safetensors", "the index does not list");
    row("tensor missing", "model.safetensors.index.json", "final_layer_norm.weight is missing");
    row("tensor unknown", "model.safetensors.index.json", "adapter.weight is not part");
    row("shape", "model.safetensors.index.json", "has shape [12, 7], config.json asks for [12, 8]");
    row("rows", "model.safetensors.index.json",
        "shared.weight has shape [318, 8], config.json asks for [320, 8]");
    row("integers", "model.safetensors.index.json", "Quantised");
    row("not finite", "model.safetensors.index.json", "finite");
    row("no head", "model.safetensors.index.json", "lm_head.weight is missing");
    row("tied with another head", "model.safetensors.index.json", "ties the two");
    row("two embeddings", "model.safetensors.index.json", "one embedding");
    row("no tokenizer", "own_head", "no tokenizer");
    row("sentencepiece", "spiece.model", "SentencePiece");
    row("fewer rows than tokens", "model.safetensors.index.json", "the tokenizer has 313");
    row("prefix space", "tokenizer_config.json", "add_prefix_space");
    row("merge of three", "merges.txt", "two tokens");
    row("merge of unknown", "vocab.json", "known tokens");
    row("no byte", "vocab.json", "byte");
    row("id twice", "vocab.json", "given twice");
    row("other special tokens", "own_head", "<pad>");
    row("normalizer", "tokenizer.json", "Lowercase");
    row("dropout", "tokenizer.json", "dropout");
    row("vocab is a list", "vocab.json", "not a JSON object");
}

void TestImport::whatIsWrongIsASentence()
{
    QFETCH(QString, what);
    QFETCH(QString, file);
    QFETCH(QString, says);
    const auto dir = TempDir::create();
    fs::path folder = copyOf(*dir, "own_head");
    const fs::path config = folder / "config.json", vocabulary = folder / "vocab.json",
                   index = folder / "model.safetensors.index.json",
                   first = folder / "model-00001-of-00002.safetensors",
                   second = folder / "model-00002-of-00002.safetensors";
    const auto set = [&](const char* key, json value) {
        change(config, [&](json& c) { c[key] = std::move(value); });
    };
    /// Takes a tensor out of its shard and out of the index.
    const auto drop = [&](const std::string& name) {
        std::string shard;
        change(index, [&](json& i) {
            shard = i["weight_map"][name].get<std::string>();
            i["weight_map"].erase(name);
        });
        changeWeights(folder / shard, [&](SafeTensors& content) {
            std::erase_if(content.tensors, [&](const auto& entry) { return entry.first == name; });
        });
    };
    const auto put = [&](const std::string& name, const Tensor& tensor) {
        drop(name);
        change(index, [&](json& i) { i["weight_map"][name] = second.filename().string(); });
        changeWeights(second, [&](SafeTensors& content) { content.tensors.emplace_back(name, tensor); });
    };
    const auto add = [&](const std::string& name, const Tensor& tensor) {
        change(index, [&](json& i) { i["weight_map"][name] = second.filename().string(); });
        changeWeights(second, [&](SafeTensors& content) { content.tensors.emplace_back(name, tensor); });
    };
    const auto weightOf = [&](const std::string& name) {
        const json map = json::parse(*readFile(index))["weight_map"];
        const auto content = readSafeTensors(folder / map[name].get<std::string>());
        return content->find(name)->clone();
    };
    const std::string query = "encoder.block.0.layer.0.SelfAttention.q.weight";
    if (what == u"no directory") {
        folder = dir->path() / "nowhere";
    } else if (what == u"no config") {
        fs::remove(config);
    } else if (what == u"config is no JSON") {
        QVERIFY(writeFileAtomic(config, "{"));
    } else if (what == u"config is a list") {
        QVERIFY(writeFileAtomic(config, "[]"));
    } else if (what == u"BERT") {
        set("model_type", "bert");
    } else if (what == u"silu") {
        set("feed_forward_proj", "gated-silu");
    } else if (what == u"other start") {
        set("decoder_start_token_id", 1);
    } else if (what == u"enormous") {
        set("d_ff", 16000000);
    } else if (what == u"a policy") {
        set("sparserl", json::object());
    } else if (what == u"scale is text") {
        set("scale_decoder_outputs", "yes");
    } else if (what == u"no weights" || what == u"pickled") {
        for (const fs::path& one : {index, first, second})
            fs::remove(one);
        if (what == u"pickled")
            QVERIFY(writeFileAtomic(folder / "pytorch_model.bin", "PK"));
    } else if (what == u"no map") {
        QVERIFY(writeFileAtomic(index, "{\"weight_map\":{}}"));
    } else if (what == u"shard elsewhere") {
        change(index, [&](json& i) { i["weight_map"][query] = "../" + first.filename().string(); });
    } else if (what == u"shard missing") {
        fs::remove(second);
    } else if (what == u"shard cut") {
        const std::string bytes = *readFile(first);
        QVERIFY(writeFileAtomic(first, bytes.substr(0, bytes.size() / 2)));
    } else if (what == u"tensor not in its shard") {
        changeWeights(first, [](SafeTensors& content) { content.tensors.pop_back(); });
    } else if (what == u"tensor not in the index") {
        changeWeights(second,
                      [](SafeTensors& content) { content.tensors.emplace_back("x", torch::ones({1})); });
    } else if (what == u"tensor missing") {
        drop("encoder.final_layer_norm.weight");
    } else if (what == u"tensor unknown") {
        add("adapter.weight", torch::ones({2}));
    } else if (what == u"shape") {
        put(query, torch::ones({12, 7}));
    } else if (what == u"rows") {
        set("vocab_size", 320);
    } else if (what == u"integers") {
        put(query, torch::ones({12, 8}, torch::kUInt8));
    } else if (what == u"not finite") {
        put(query, torch::full({12, 8}, INFINITY));
    } else if (what == u"no head") {
        drop("lm_head.weight");
    } else if (what == u"tied with another head") {
        set("tie_word_embeddings", true);
    } else if (what == u"two embeddings") {
        add("decoder.embed_tokens.weight", weightOf("shared.weight") + 1);
    } else if (what == u"no tokenizer" || what == u"sentencepiece") {
        fs::remove(folder / "merges.txt");
        if (what == u"sentencepiece")
            QVERIFY(writeFileAtomic(folder / "spiece.model", "x"));
    } else if (what == u"fewer rows than tokens") {
        set("vocab_size", 312);
    } else if (what == u"prefix space") {
        change(folder / "tokenizer_config.json", [](json& c) { c["add_prefix_space"] = true; });
    } else if (what == u"merge of three") {
        QVERIFY(writeFileAtomic(folder / "merges.txt", *readFile(folder / "merges.txt") + "a b c\n"));
    } else if (what == u"merge of unknown") {
        QVERIFY(writeFileAtomic(folder / "merges.txt", *readFile(folder / "merges.txt") + "qqq zzz\n"));
    } else if (what == u"no byte") {
        change(vocabulary, [](json& v) {
            v["?!"] = v["!"];
            v.erase("!");
        });
    } else if (what == u"id twice") {
        change(vocabulary, [](json& v) { v["!"] = v["?"]; });
    } else if (what == u"other special tokens") {
        change(vocabulary, [](json& v) { std::swap(v["<pad>"], v["<s>"]); });
    } else if (what == u"normalizer" || what == u"dropout") {
        fs::copy(fixture("codet5/tied/tokenizer.json"), folder / "tokenizer.json");
        change(folder / "tokenizer.json", [&](json& t) {
            if (what == u"normalizer")
                t["normalizer"] = {{"type", "Lowercase"}};
            else
                t["model"]["dropout"] = 0.1;
        });
    } else if (what == u"vocab is a list") {
        QVERIFY(writeFileAtomic(vocabulary, "[]"));
    } else {
        QFAIL("nothing was done");
    }
    const auto imported = import(folder);
    QVERIFY(!imported);
    const std::string sentence = imported.error().sentence();
    qInfo("%s", sentence.c_str());
    QCOMPARE(fs::path(imported.error().file).filename().string(), file.toStdString());
    QVERIFY(!imported.error().remedy.empty() || says.isEmpty());
    QVERIFY2(sentence.find(says.toStdString()) != std::string::npos, sentence.c_str());
}

void TestImport::whatIsThereStays()
{
    const auto dir = TempDir::create();
    const fs::path out = dir->path() / "out";
    QVERIFY(fs::create_directory(out)); // an empty one will do
    QVERIFY(importPolicy(fixture("codet5/tied"), out, options()));
    const std::string before = Policy::load(out)->digest();
    const auto again = importPolicy(fixture("codet5/own_head"), out, options());
    QVERIFY(!again && again.error().sentence().find("exists already") != std::string::npos);
    QCOMPARE(Policy::load(out)->digest(), before);
    // A failure leaves nothing behind.
    QVERIFY(!importPolicy(dir->path() / "none", dir->path() / "new", options()));
    QCOMPARE(listDirectory(dir->path())->size(), std::size_t(1));
}

void TestImport::aTakenModelIsNoPolicyYet()
{
    const auto loaded = Policy::load(fixture("codet5/tied"));
    QVERIFY(!loaded && loaded.error().sentence().find("sparserl policy import") != std::string::npos);
    CancelToken cancel;
    cancel.cancel();
    for (const char* name : {"tied", "own_head"}) {
        auto some = options();
        some.cancel = cancel;
        const auto imported = import(fixture(std::string("codet5/") + name), some);
        QVERIFY(!imported && isInterruption(imported.error()));
    }
}
