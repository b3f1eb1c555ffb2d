// SPDX-License-Identifier: Apache-2.0
// Whole stages with a causal policy whose adapters learn.
#include "fake_judge.h"
#include "stage_runs.h"

#include "base/files.h"
#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_import.h"
#include "tests/policy/tiny_causal.h"
#include "training/sampling/generation.h"

#include <QtTest>

#include <set>

using namespace sparserl;
using namespace sparserl::test;

class TestTrainingLora : public QObject
{
    Q_OBJECT

private:
    FakeJudge m_judge;
    std::optional<TempDir> m_folder;
    fs::path m_start, m_tuned;

    fs::path at(const std::string& name) const { return m_folder->path() / name; }

    static bool learns(const std::string& name)
    {
        return name.starts_with("matrix.") || name.find(".lora_") != std::string::npos;
    }
    static std::map<std::string, torch::Tensor> weightsOf(const fs::path& path)
    {
        std::map<std::string, torch::Tensor> all;
        for (const auto& [name, tensor] : Policy::load(*findPolicy(path))->model().weights())
            all.emplace(name, tensor);
        return all;
    }
    /// What is frozen is the same to the bit, and everything that learns has changed.
    static void verifyOnlyAdaptersChanged(const fs::path& before, const fs::path& after)
    {
        const auto old = weightsOf(before), now = weightsOf(after);
        QCOMPARE(old.size(), now.size());
        std::size_t changed = 0;
        for (const auto& [name, tensor] : now) {
            const bool same = torch::equal(tensor, old.at(name).to(tensor.scalar_type()));
            QVERIFY2(same != learns(name), name.c_str());
            QVERIFY2(learns(name) || tensor.scalar_type() == old.at(name).scalar_type(), name.c_str());
            changed += same ? 0 : 1;
        }
        QVERIFY(changed >= 16);
    }
    /// Moments are kept of what learns, and of nothing else.
    static void verifyOptimizer(const fs::path& run, std::initializer_list<std::string> models)
    {
        const auto folder = *findPolicy(run);
        std::set<std::string> expected, found;
        for (const auto& [name, tensor] : weightsOf(run)) {
            for (const std::string& model : models) {
                if (learns(name))
                    expected.insert({model + ".m." + name, model + ".v." + name});
            }
        }
        const auto optimizer = readSafeTensors(folder / "optimizer.safetensors");
        QVERIFY(optimizer);
        for (const auto& [name, tensor] : optimizer->tensors) {
            if (name.find("value_head.") == std::string::npos)
                found.insert(name);
        }
        QVERIFY(found == expected);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = std::move(*TempDir::create());
        const CausalConfig config = tinyCausalConfig("llama");
        QVERIFY(writeTinyCausal(at("there"), config, tinyCausalWeights(config, 3, torch::kBFloat16)));
        PolicyImportOptions options;
        options.embedding.maxEntries = 12;
        options.maxTokens = 640;
        const auto taken = importPolicy(at("there"), at("imported"), options);
        QVERIFY2(taken, taken ? "" : taken.error().sentence().c_str());
        const auto adapted = withAdapters(
            *Policy::load(at("imported")),
            {.rank = 4, .alpha = 16, .rankStabilised = true, .targets = {"q_proj", "v_proj", "up_proj"}}, 5);
        QVERIFY2(adapted, adapted ? "" : adapted.error().sentence().c_str());
        m_start = at("adapted");
        QVERIFY(adapted->save(m_start));
    }

    void fineTuning()
    {
        m_tuned = at("sft");
        const auto parameters = with(tinySft(), {"eval.samples=0", "sft.lr=0.05", "sft.adam_eps=1e-8"});
        auto run = newRun(m_tuned, StageKind::Sft, parameters);
        must(runStage(run, environmentWith(m_judge, m_start)));
        const auto metrics = metricsOf(m_tuned);
        QVERIFY(metrics.at("train 6 loss") < metrics.at("train 1 loss") - 0.2);
        QVERIFY(metrics.at("held-out 6 loss") < metrics.at("held-out 0 loss") - 0.2);
        verifyOnlyAdaptersChanged(m_start, m_tuned);
        verifyOptimizer(m_tuned, {"sft"});
        // Resumed it ends in the same bits.
        auto stopped = newRun(at("sft-stopped"), StageKind::Sft, parameters);
        QVERIFY(runInterrupted(stopped, m_judge, m_start) >= 1);
        compareRuns(m_tuned, at("sft-stopped"));
    }

    void reinforcementLearning_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::newRow("grpo") << QStringLiteral("grpo");
        QTest::newRow("ppo") << QStringLiteral("ppo");
    }

    void reinforcementLearning()
    {
        QFETCH(QString, algorithm);
        const std::string name = algorithm.toStdString();
        const auto parameters =
            with(tinyRl(name.c_str()), {"rl.iterations=3", "rl.lr=0.005", "alarm.kl=100"});
        const fs::path path = at(name);
        auto run = newRun(path, StageKind::Rl, parameters);
        must(runStage(run, environmentWith(m_judge, m_tuned)));
        const auto metrics = metricsOf(path);
        const std::string last = "train 3 ";
        QVERIFY(metrics.at(last + "val/first_ratio_error") < 1e-4);
        // The reference is the policy that the run began with, adapters included: nothing is between them at
        // first, and something later.
        QVERIFY(std::abs(metrics.at("train 1 kl/sft_k1")) < 1e-5);
        QVERIFY(std::abs(metrics.at(last + "kl/sft_k1")) > 1e-5);
        verifyOnlyAdaptersChanged(m_tuned, path);
        if (name == "ppo")
            verifyOptimizer(path, {"actor", "critic"});
        else
            verifyOptimizer(path, {"actor"});
        auto stopped = newRun(at(name + "-stopped"), StageKind::Rl, parameters);
        QVERIFY(runInterrupted(stopped, m_judge, m_tuned) >= 2);
        compareRuns(path, at(name + "-stopped"));
    }

    /// What writes programs has the adapters.
    void programs()
    {
        GenerationOptions options;
        options.count = 1;
        options.maxTokens = 40;
        options.greedy = true;
        options.verifier = false;
        options.device = "cpu";
        const auto probability = [&](const fs::path& path) {
            const auto writer = ProgramWriter::load(*findPolicy(path), options);
            const auto written = writer->write(someMatrices()[0].target, {}, {}).value();
            return written.at(0).logProb;
        };
        QVERIFY(probability(m_start) == probability(at("imported")));
        QVERIFY(std::abs(probability(m_tuned) - probability(m_start)) > 1e-3);
        auto evaluation = newRun(at("evaluated"), StageKind::Evaluate,
                                 with(ParameterSet(stageParameters(StageKind::Evaluate)),
                                      {"threads=1", "evaluate.samples=2", "evaluate.max_tokens=40"}));
        must(runStage(evaluation, environmentWith(m_judge, m_tuned)));
        QVERIFY(!metricsOf(at("evaluated")).empty());
    }
};

QTEST_GUILESS_MAIN(TestTrainingLora)
#include "tst_training_lora.moc"
