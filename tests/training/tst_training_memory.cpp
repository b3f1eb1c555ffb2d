// SPDX-License-Identifier: Apache-2.0
// The memory that a stage is said to need against what it takes: a stage runs in a child process, with a
// policy of a few hundred megabytes and with one of nothing, and the difference of their peaks is compared.
#include "causal_parent.h"
#include "fake_judge.h"
#include "stage_runs.h"

#include "base/files.h"
#include "base/limits.h"
#include "base/subprocess.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/memory_fit.h"
#include "training/work/stage_memory.h"

#include <QtTest>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

using namespace sparserl;
using namespace sparserl::test;

namespace {

/// Makes this program a child that runs a stage of the kind that follows, from a policy, in a folder, and
/// tells its peak in KiB.
constexpr const char* stageOption = "--stage";

ParameterSet parametersOf(const std::string& kind)
{
    if (kind == "ppo")
        return with(tinyRl("ppo"), {"rl.iterations=1", "rl.matrices=1", "rl.samples=2", "rl.minibatch=2",
                                    "rl.micro_batch=1", "rl.epochs=1", "rl.value_pretrain=0", "eval.every=0",
                                    "eval.samples=0", "rl.max_tokens=60", "checkpoint.every=50"});
    auto parameters = with(tinySft(), {"sft.steps=1", "sft.batch=1", "sft.micro_batch=1", "sft.contrast=0",
                                       "eval.samples=0", "eval.every=0", "checkpoint.every=50"});
    if (kind == "recompute")
        parameters = with(parameters, {"recompute_activations=true"});
    if (kind == "contrast")
        parameters = with(parameters, {"sft.contrast=0.5", "sft.batch=2"});
    return parameters;
}

StageKind stageOf(const std::string& kind)
{
    return kind == "ppo" ? StageKind::Rl : StageKind::Sft;
}

int runAndTell(const std::string& kind, const fs::path& policy, const fs::path& folder)
{
    FakeJudge judge;
    auto run = newRun(folder, stageOf(kind), parametersOf(kind));
    must(runStage(run, environmentWith(judge, policy)));
    std::istringstream status(*readFile("/proc/self/status"));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:"))
            std::printf("%s\n", line.substr(6).c_str());
    }
    return 0;
}

void makePolicy(const fs::path& to, const CausalConfig& config, torch::ScalarType type, bool adapted)
{
    const fs::path from = to.string() + "-model", imported = to.string() + "-imported";
    if (!writeTinyCausal(from, config, tinyCausalWeights(config, 3, type)))
        qFatal("a model cannot be written");
    PolicyImportOptions options;
    options.embedding.maxEntries = 12;
    options.maxTokens = 640;
    if (const auto taken = importPolicy(from, adapted ? imported : to, options); !taken)
        qFatal("%s", taken.error().sentence().c_str());
    if (adapted)
        adaptCausalParent(imported, to);
}

} // namespace

class TestTrainingMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void factsOfPolicies();
    void estimatesAreMeasured_data();
    void estimatesAreMeasured();
    void whatDoesNotFitIsSaid();
    void devicesTellTheirMemory();
};

void TestTrainingMemory::factsOfPolicies()
{
    const auto dir = TempDir::create();
    makePolicy(dir->path() / "adapted", tinyCausalConfig("qwen2"), torch::kBFloat16, true);
    QVERIFY(writeFileAtomic(dir->path() / "adapted/LICENSE.txt", "Be kind.\n"));
    const auto policy = Policy::load(dir->path() / "adapted");
    const auto facts = readPolicyFacts(dir->path() / "adapted");
    QVERIFY2(facts, facts ? "" : facts.error().sentence().c_str());
    QCOMPARE(facts->family, std::string("qwen2"));
    QCOMPARE(facts->layers, std::int64_t(2));
    QCOMPARE(facts->width, std::int64_t(16));
    QCOMPARE(facts->queries, std::int64_t(32));
    QCOMPARE(facts->keys, std::int64_t(16));
    QCOMPARE(facts->inner, std::int64_t(32));
    QCOMPARE(facts->vocabulary, std::int64_t(policy->tokenizer().vocabSize()));
    QCOMPARE(facts->weights, policy->parameterCount());
    QCOMPARE(facts->trainable, countOf(policy->parameters()));
    std::uint64_t frozen = 0, learns = 0, layers = 0;
    for (const auto& [name, tensor] : policy->model().weights()) {
        const bool own = name.starts_with("matrix.") || name.find(".lora_") != std::string::npos;
        (own ? learns : frozen) += tensor.nbytes();
        layers += !own && name.starts_with("model.layers.") ? tensor.numel() : 0;
    }
    QCOMPARE(facts->frozenBytes, frozen);
    QCOMPARE(facts->trainableBytes, learns);
    QCOMPARE(std::uint64_t(facts->layerWeights), layers);
    QCOMPARE(facts->layerNumber, 2);
    QCOMPARE(facts->vocabularyNumber, 2);
    QCOMPARE(facts->rank, 4);
    QCOMPARE(facts->targets, (std::vector<std::string>{"q_proj", "up_proj", "v_proj"}));
    QCOMPARE(facts->maxTokens, 640);
    QCOMPARE(facts->maxEntries, 12);
    QCOMPARE(facts->licence, std::string("Be kind.\n"));
    // Damaged files are a sentence.
    const fs::path weights = dir->path() / "adapted/model.safetensors";
    const std::string whole = *readFile(weights);
    for (const std::string& bytes :
         {std::string(), whole.substr(0, 7), whole.substr(0, 60), std::string(8, '\xff') + whole.substr(8),
          std::string("\x02\0\0\0\0\0\0\0[]", 10),
          std::string("\x27\0\0\0\0\0\0\0", 8) + R"({"x":{"dtype":"F32","shape":[1e30,-1]}}   )"}) {
        QVERIFY(writeFileAtomic(weights, bytes));
        const auto read = readPolicyFacts(dir->path() / "adapted");
        QVERIFY(!read && read.error().sentence().find("model.safetensors") != std::string::npos);
    }
    QVERIFY(writeFileAtomic(weights, whole));
    QVERIFY(writeFileAtomic(dir->path() / "adapted/config.json", "{"));
    QVERIFY(readPolicyFacts(dir->path() / "adapted").error().sentence().find("config.json") !=
            std::string::npos);
}

void TestTrainingMemory::estimatesAreMeasured_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("adapted");
    QTest::newRow("all weights") << QStringLiteral("sft") << false;
    QTest::newRow("adapters") << QStringLiteral("sft") << true;
    QTest::newRow("recomputed") << QStringLiteral("recompute") << false;
    QTest::newRow("contrast") << QStringLiteral("contrast") << true;
    QTest::newRow("ppo") << QStringLiteral("ppo") << false;
}

void TestTrainingMemory::estimatesAreMeasured()
{
    QFETCH(QString, kind);
    QFETCH(bool, adapted);
    const auto dir = TempDir::create();
    CausalConfig config = tinyCausalConfig("llama");
    config.hidden_size = 512;
    config.intermediate_size = 2048;
    config.num_hidden_layers = 4;
    config.num_attention_heads = 8;
    config.num_key_value_heads = 4;
    config.head_dim = 64;
    const auto type = adapted ? torch::kBFloat16 : torch::kFloat32;
    makePolicy(dir->path() / "large", config, type, adapted);
    makePolicy(dir->path() / "tiny", tinyCausalConfig("llama"), type, adapted);
    double peaks[2] = {}, estimates[2] = {};
    for (const bool large : {false, true}) {
        const fs::path policy = dir->path() / (large ? "large" : "tiny");
        const SpawnOptions options{.argv = {executablePath().string(), stageOption, kind.toStdString(),
                                            policy.string(), policy.string() + "-run"}};
        const auto ran = runToEnd(options);
        QVERIFY2(ran && ran->status.ok(), ran ? ran->error.c_str() : ran.error().sentence().c_str());
        peaks[large] = std::strtod(ran->output.c_str(), nullptr) * 1024;
        QVERIFY(peaks[large] > 0);
        const auto facts = readPolicyFacts(policy);
        QVERIFY(facts);
        const StageMemory memory =
            stageMemory(stageOf(kind.toStdString()), parametersOf(kind.toStdString()), *facts);
        estimates[large] = memory.total();
        if (large)
            qInfo("weights %.0f MB, gradients %.0f, optimizer %.0f, activations %.0f, cache %.0f",
                  memory.weights / 1e6, memory.gradients / 1e6, memory.optimizer / 1e6,
                  memory.activations / 1e6, memory.cache / 1e6);
    }
    const double measured = peaks[1] - peaks[0], estimated = estimates[1] - estimates[0];
    qInfo("%.0f MB measured, %.0f MB estimated", measured / 1e6, estimated / 1e6);
    QVERIFY(estimated > 1e8);
    // The estimate counts with the longest programs, those of the test are shorter, and with as many pairs of
    // a contrast as there may be. What is freed does not all go back to the machine.
    QVERIFY2(measured < 1.25 * estimated && measured > (kind == u"contrast" ? 0.25 : 0.6) * estimated,
             qPrintable(QString::number(measured / estimated)));
}

/// A policy of 4 GB that learns, on devices of several sizes.
void TestTrainingMemory::whatDoesNotFitIsSaid()
{
    PolicyFacts facts;
    facts.layers = 24;
    facts.width = facts.queries = facts.keys = 2048;
    facts.inner = 8192;
    facts.vocabulary = 50'000;
    facts.weights = facts.trainable = facts.layerWeights = 1'000'000'000;
    facts.trainableBytes = 4'000'000'000;
    facts.maxTokens = 2048;
    const auto parameters = with(tinySft(), {"sft.micro_batch=8", "sft.contrast=0", "eval.samples=0"});
    const double bytes = stageMemory(StageKind::Sft, parameters, facts).total();
    QVERIFY(bytes > 16e9); // weights, gradients and two moments alone
    const auto said = [&](DeviceMemory device) {
        return memoryWarning(StageKind::Sft, parameters, facts, device);
    };
    QCOMPARE(said({std::nullopt, bytes, bytes}), std::string());
    const std::string full = said({std::nullopt, 2 * bytes, 0.9 * bytes});
    QVERIFY2(full.find("this machine has") != std::string::npos &&
                 full.find(" are free") != std::string::npos,
             full.c_str());
    const std::string small = said({3, 0.9 * bytes, 0.9 * bytes});
    QVERIFY2(small.find("GPU 3 has") != std::string::npos && small.find("free") == std::string::npos,
             small.c_str());
    QVERIFY2(small.find("It fits with --set ") != std::string::npos, small.c_str());
    const std::string tiny = said({std::nullopt, 8e9, 8e9}); // less than the weights and their moments
    QVERIFY2(tiny.find("policy adapt") != std::string::npos && tiny.find("--set") == std::string::npos,
             tiny.c_str());
    // What is advised suffices, and nothing less does.
    for (const double share : {0.95, 0.6, 0.5, 0.45, 0.4}) {
        const double least = share * bytes;
        const auto savings = memorySavings(StageKind::Sft, parameters, facts, least);
        if (savings.empty())
            continue;
        ParameterSet changed = parameters;
        for (const auto& [key, value] : savings)
            QVERIFY(changed.setText(key, value));
        QVERIFY(stageMemory(StageKind::Sft, changed, facts).total() <= least);
        if (savings.size() > 1) {
            for (const auto& [key, value] : savings) {
                ParameterSet alone = parameters;
                QVERIFY(alone.setText(key, value));
                QVERIFY(stageMemory(StageKind::Sft, alone, facts).total() > least);
            }
        }
    }
    QCOMPARE(memorySavings(StageKind::Sft, parameters, facts, 0.95 * bytes).size(), std::size_t(1));
}

void TestTrainingMemory::devicesTellTheirMemory()
{
    const double gib = 1024.0 * 1024 * 1024;
    qputenv("SPARSERL_FAKE_NVML", "good busy lost");
    const auto first = deviceMemory("auto", SPARSERL_FAKE_NVML);
    QVERIFY(first && first->gpu == 0 && first->total == 139 * gib && first->free == 136 * gib);
    const auto second = deviceMemory("cuda:1", SPARSERL_FAKE_NVML);
    QVERIFY(second && second->gpu == 1 && second->free == second->total - 41 * gib);
    QVERIFY(deviceMemory("cuda", SPARSERL_FAKE_NVML)->gpu == 0);
    for (const char* none : {"cuda:2", "cuda:9"})
        QVERIFY(!deviceMemory(none, SPARSERL_FAKE_NVML));
    for (const char* device : {"cpu", "auto"}) {
        const auto machine = deviceMemory(device, "/nowhere/libnvidia-ml.so.1");
        QVERIFY(machine && !machine->gpu && machine->total == double(machineMemory()->total) &&
                machine->free <= machine->total);
    }
    QVERIFY(!deviceMemory("cuda", "/nowhere/libnvidia-ml.so.1"));
}

int main(int argc, char** argv)
{
    if (argc == 5 && std::string_view(argv[1]) == stageOption)
        return runAndTell(argv[2], argv[3], argv[4]);
    QCoreApplication app(argc, argv);
    TestTrainingMemory test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_training_memory.moc"
