// SPDX-License-Identifier: Apache-2.0
// Whole stages with a causal policy whose adapters learn.
#include "causal_parent.h"
#include "fake_judge.h"
#include "stage_runs.h"

#include "base/files.h"
#include "training/learning/learner.h"
#include "training/sampling/generation.h"
#include "training/work/alarms.h"

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

    /// Samples that were trained on have the advantages of all bytes of their program, and no others do.
    /// Those of PPO differ from token to token.
    static void verifyAdvantages(const fs::path& run, bool ofTokens)
    {
        std::map<std::string, std::string> texts;
        std::size_t trained = 0, several = 0;
        const auto entries = readWholeJournal(run);
        QVERIFY(entries);
        for (const auto& entry : *entries) {
            if (const auto* program = std::get_if<ProgramEvent>(&entry.event))
                texts[program->hash] = program->text;
            const auto* sample = std::get_if<SampleEvent>(&entry.event);
            if (sample == nullptr)
                continue;
            QCOMPARE(sample->advantages.empty(), sample->split != split::train);
            if (sample->advantages.empty())
                continue;
            ++trained;
            std::int64_t bytes = 0;
            for (const AdvantageRun& part : sample->advantages) {
                QVERIFY(std::isfinite(part.advantage));
                bytes += part.bytes;
            }
            QCOMPARE(bytes, static_cast<std::int64_t>(texts.at(sample->programHash).size()));
            several += sample->advantages.size() > 1 ? 1 : 0;
        }
        QCOMPARE(trained, std::size_t(18)); // 3 iterations of 2 matrices with 3 samples
        QCOMPARE(several, ofTokens ? trained : 0);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = std::move(*TempDir::create());
        importCausalParent(at("imported"), "llama");
        m_start = at("adapted");
        adaptCausalParent(at("imported"), m_start);
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
        const auto parameters = with(tinyRl(name.c_str()),
                                     {"rl.iterations=3", "rl.lr=0.005", "alarm.kl=100", "rl.verifier=false"});
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
        verifyAdvantages(path, name == "ppo");
        verifyOnlyAdaptersChanged(m_tuned, path);
        if (name == "ppo")
            verifyOptimizer(path, {"actor", "critic"});
        else
            verifyOptimizer(path, {"actor"});
        auto stopped = newRun(at(name + "-stopped"), StageKind::Rl, parameters);
        QVERIFY(runInterrupted(stopped, m_judge, m_tuned) >= 2);
        compareRuns(path, at(name + "-stopped"));
    }

    void samplersAreCompared_data()
    {
        QTest::addColumn<bool>("stale");
        QTest::addColumn<bool>("half");
        QTest::newRow("the policy") << false << false;
        QTest::newRow("the policy, in bf16") << false << true;
        QTest::newRow("without its adapters") << true << false;
        QTest::newRow("without its adapters, in bf16") << true << true;
    }
    /// An adapter that does not reach the sampler is noticed; what the same weights round otherwise is not.
    void samplersAreCompared()
    {
        QFETCH(bool, stale);
        QFETCH(bool, half);
        Policy policy = *Policy::load(*findPolicy(m_tuned));
        Policy sampler = policy.clone(false);
        for (const auto& [name, tensor] : sampler.parameters()) {
            if (stale && name.ends_with("lora_B.weight"))
                tensor.zero_();
        }
        const Compute compute{.precision = half ? torch::kBFloat16 : torch::kFloat32};
        policy.moveTo(compute);
        sampler.moveTo(compute);
        policy.learn();
        Experience experience;
        std::vector<SampleRequest> requests;
        for (int i = 0; i < 8; ++i) {
            requests.push_back({i / 4, std::uint64_t(i), {}});
            experience.batch.inputOf.push_back(i / 4);
            experience.groups.push_back(i / 4);
            experience.scores.push_back(i % 3);
        }
        const auto matrices = someMatrices();
        for (std::size_t m = 0; m < 2; ++m) {
            const auto tokens = policy.matrixTokens(*matrices[m].target.matrix, 1);
            experience.batch.inputs.push_back(policy.inputOf(std::make_shared<const MatrixTokens>(tokens)));
        }
        for (const Sample& sample :
             sampler.generate(experience.batch.inputs, requests, {.maxTokens = 80, .batch = 8})) {
            experience.batch.targets.push_back(sample.tokens);
            experience.samplerLogProbs.push_back(sample.logProbs);
        }
        RlSettings settings;
        settings.critic = false;
        Learner learner(policy.clone(), policy.clone(false), {}, settings, 0, 0, 0);
        Metrics metrics;
        QVERIFY(learner.prepare(experience, settings, metrics));
        const double difference = metrics.at(metric::logProbDifference.part("mean"));
        qInfo("log-probabilities differ by %.2g per token", difference);
        const auto bounds = with(tinyRl(), {"alarm.patience=1"});
        Alarms alarms(bounds);
        const Metrics seen{{metric::logProbDifference.part("mean"), difference}};
        const auto report = alarms.observe("train", 1, seen, false);
        QCOMPARE(report.warnings.size(), std::size_t(stale ? 1 : 0));
        QVERIFY(!stale || report.warnings.front().find("alarm.sampler") != std::string::npos);
        // What is drawn before an update is another matter.
        const auto ahead = with(bounds, {"rl.judge_ahead=true"});
        QVERIFY(Alarms(ahead).observe("train", 1, seen, false).warnings.empty());
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
