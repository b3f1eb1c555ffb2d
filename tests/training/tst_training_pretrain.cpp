// SPDX-License-Identifier: Apache-2.0
// Pretraining and what goes on from it: whole stages with a tiny policy.
#include "fake_judge.h"
#include "stage_runs.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "corpus/text_corpus.h"
#include "policy/policy/policy_import.h"
#include "tests/policy/tiny_causal.h"
#include "training/data/pretrain_texts.h"
#include "training/data/sft_prompt.h"

#include <QtTest>

#include <nlohmann/json.hpp>
#include <thread>

using namespace sparserl;
using namespace sparserl::test;

namespace {

ParameterSet tinyPretrain()
{
    ParameterSet p = tinyPolicy(StageKind::Pretrain);
    for (const char* assignment :
         {"pretrain.texts=120", "pretrain.heldout=0.1", "pretrain.steps=24", "pretrain.batch=6",
          "pretrain.micro_batch=2", "pretrain.lr=0.01", "pretrain.warmup=1"}) {
        if (auto status = p.setAssignment(assignment); !status)
            qFatal("%s", status.error().sentence().c_str());
    }
    return p;
}

std::string logOf(const fs::path& run)
{
    std::string all;
    const auto entries = readWholeJournal(run);
    for (const auto& entry : *entries)
        if (const auto* log = std::get_if<LogEvent>(&entry.event))
            all += log->text + "\n";
    return all;
}

} // namespace

class TestTrainingPretrain : public QObject
{
    Q_OBJECT

private:
    test::FakeJudge m_judge;
    std::optional<TempDir> m_folder;
    fs::path m_pretrained;

    fs::path at(const std::string& name) const { return m_folder->path() / name; }
    /// A corpus of one text.
    fs::path corpus(const std::string& name) const
    {
        std::string source = "// SPDX-License-Identifier: MIT\n";
        for (int i = 0; i < 60; ++i)
            source += "__device__ float f" + std::to_string(i) + "(float a) { return a + threadIdx.x; }\n";
        const auto file = m_folder->path() / name;
        if (!writeFileAtomic(file,
                             textCorpusHead() + textCorpusLine({"f.cu", "MIT", sha256Hex(source), source})))
            qFatal("cannot write");
        return file;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_folder.emplace(std::move(*TempDir::create("pretrain")));
        m_pretrained = at("pretrained");
        auto run = newRun(m_pretrained, StageKind::Pretrain, tinyPretrain());
        const auto outcome = must(runStage(run, environmentWith(m_judge)));
        QVERIFY(outcome.end == StageOutcome::End::Done);
        QCOMPARE(outcome.step, std::int64_t(24));
    }

    void learnsAndJournals()
    {
        const auto metrics = metricsOf(m_pretrained);
        QVERIFY(metrics.at("train 24 loss") < metrics.at("train 1 loss") - 0.5);
        QVERIFY(metrics.at("held-out 24 loss") < metrics.at("held-out 0 loss") - 0.5);
        QVERIFY(metrics.at("train 24 num_tokens") > metrics.at("train 1 num_tokens"));
        for (const char* name : {"held-out 24 perplexity", "held-out 3 loss", "train 24 token_confident",
                                 "train 24 lr", "train 24 grad_norm"})
            QVERIFY2(metrics.contains(name), name);
        QVERIFY(!metrics.contains("held-out 24 kernel/compile_rate"));
        // An untrained policy knows no more than chance.
        const auto policy = Policy::load(*findPolicy(m_pretrained));
        QVERIFY(policy);
        QVERIFY(metrics.at("held-out 0 loss") > std::log(policy->tokenizer().vocabSize()) - 0.5);
        QCOMPARE(m_judge.calls.load(), 0);
        const auto shown = loadShownCode(*findPolicy(m_pretrained) / "pretrained_code.json");
        QVERIFY(shown && shown->size() > 50);
        const auto texts = loadPretrainTexts(m_pretrained / "pretrain_texts.jsonl");
        QVERIFY(texts && shownCode(*texts) == *shown);
        QVERIFY(logOf(m_pretrained).find("0 scanned") != std::string::npos);
    }

    /// What reads matrices is as it was drawn; the rest has moved.
    void onlyTheDecoderLearns()
    {
        const auto path = at("one-step");
        auto run = newRun(path, StageKind::Pretrain, with(tinyPretrain(), {"pretrain.steps=1"}));
        must(runStage(run, environmentWith(m_judge)));
        const auto early = Policy::load(*findPolicy(path))->parameters(),
                   late = Policy::load(*findPolicy(m_pretrained))->parameters();
        QCOMPARE(early.size(), late.size());
        int fixed = 0, moved = 0;
        for (std::size_t i = 0; i < early.size(); ++i) {
            const auto& name = early[i].first;
            const bool reads = name.starts_with("encoder.") || name.starts_with("matrix.");
            const bool same = torch::equal(early[i].second, late[i].second);
            if (reads)
                QVERIFY2(same, name.c_str());
            (same ? fixed : moved) += 1;
        }
        QVERIFY(fixed >= 8 && moved >= 10);
    }

    void interruptedEqualsUninterrupted_data()
    {
        QTest::addColumn<bool>("anyMoment");
        QTest::newRow("after metrics") << false;
        QTest::newRow("at any moment") << true;
    }
    /// With a scanned corpus that is gone when the run goes on: the run has kept what it learns from.
    void interruptedEqualsUninterrupted()
    {
        QFETCH(bool, anyMoment);
        const auto parameters = [&](const fs::path& file) {
            auto p = with(tinyPretrain(), {"pretrain.texts=60"});
            if (auto status = p.setText("pretrain.corpus", file.string()); !status)
                qFatal("%s", status.error().sentence().c_str());
            if (anyMoment)
                p = with(p, {"pretrain.batch=24", "pretrain.micro_batch=1", "pretrain.steps=12"});
            return p;
        };
        const auto whole = at("whole"), path = at("pieces");
        auto undisturbed = newRun(whole, StageKind::Pretrain, parameters(corpus("kept")));
        const auto begin = std::chrono::steady_clock::now();
        must(runStage(undisturbed, environmentWith(m_judge)));
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        QVERIFY(logOf(whole).find("1 scanned") != std::string::npos);
        const auto file = corpus("vanishing");
        auto run = newRun(path, StageKind::Pretrain, parameters(file));
        int interruptions = 0;
        for (;;) {
            auto environment = environmentWith(m_judge);
            int seen = 0;
            std::jthread interrupter;
            if (anyMoment) {
                // Later and later, so that it ends however slow the machine is.
                const double delay = seconds * (0.03 + 0.06 * interruptions);
                interrupter = std::jthread([&environment, delay](const std::stop_token& stop) {
                    const auto since = std::chrono::steady_clock::now();
                    while (!stop.stop_requested() &&
                           std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count() <
                               delay)
                        std::this_thread::sleep_for(std::chrono::milliseconds(2));
                    environment.cancel.cancel();
                });
            } else {
                environment.onEvent = [&](std::int64_t, const Event& event) {
                    if (std::holds_alternative<MetricEvent>(event) && ++seen == 2)
                        environment.cancel.cancel();
                };
            }
            const auto outcome = must(runStage(run, environment));
            if (fs::exists(path / "pretrain_texts.jsonl"))
                fs::remove(file);
            if (outcome.end == StageOutcome::End::Done)
                break;
            QVERIFY(++interruptions < 60);
        }
        QVERIFY(interruptions >= 3);
        compareRuns(whole, path);
    }

    /// The file of texts between two sessions: damaged or gone it is made again, as long as that gives the
    /// same.
    void damagedTexts()
    {
        const auto path = at("damaged"), kept = path / "pretrain_texts.jsonl";
        auto parameters = tinyPretrain();
        const auto begin = [&] {
            auto run = newRun(path, StageKind::Pretrain, parameters);
            auto environment = environmentWith(m_judge);
            environment.onEvent = [&](std::int64_t step, const Event& event) {
                if (step == 3 && std::holds_alternative<MetricEvent>(event))
                    environment.cancel.cancel();
            };
            must(runStage(run, environment));
            return run;
        };
        auto run = begin();
        auto lines = *readFile(kept);
        const auto place = lines.find("blockIdx");
        QVERIFY(place != std::string::npos);
        lines[place] = 'X';
        QVERIFY(writeFileAtomic(kept, lines));
        must(runStage(run, environmentWith(m_judge)));
        compareRuns(m_pretrained, path);
        run = begin();
        fs::remove(kept);
        must(runStage(run, environmentWith(m_judge)));
        compareRuns(m_pretrained, path);
        QVERIFY(fs::exists(kept));
        // A corpus that is another one meanwhile.
        QVERIFY(parameters.setText("pretrain.corpus", corpus("changing").string()));
        run = begin();
        fs::remove(kept);
        QVERIFY(writeFileAtomic(at("changing"), textCorpusHead()));
        const auto other = runStage(run, environmentWith(m_judge));
        QVERIFY(!other && other.error().sentence().find("not the texts") != std::string::npos);
        corpus("changing");
        must(runStage(run, environmentWith(m_judge)));
        QVERIFY(run.lastState()->state == RunState::Done);
    }

    void fineTuningGoesOnFromIt()
    {
        const auto path = at("tuned"), fresh = at("fresh");
        auto run = newRun(path, StageKind::Sft, with(tinySft(), {"eval.samples=0"}));
        must(runStage(run, environmentWith(m_judge, m_pretrained)));
        auto scratch = newRun(fresh, StageKind::Sft, with(tinySft(), {"eval.samples=0"}));
        must(runStage(scratch, environmentWith(m_judge)));
        const auto tuned = metricsOf(path), plain = metricsOf(fresh);
        QVERIFY(tuned.at("held-out 0 loss") < plain.at("held-out 0 loss") - 0.5);
        QVERIFY(tuned.at("train 6 loss") < tuned.at("train 1 loss"));
        const auto parent = Policy::load(*findPolicy(m_pretrained)), child = Policy::load(*findPolicy(path));
        QCOMPARE(child->tokenizer().vocabSize(), parent->tokenizer().vocabSize());
        QVERIFY(logOf(path).find("are the parent's") != std::string::npos);
    }

    /// Held-out programs whose code pretraining has shown say nothing about what was not seen.
    void codeThatWasShownIsNotHeldOut()
    {
        const auto folder = at("shown");
        fs::copy(*findPolicy(m_pretrained), folder, fs::copy_options::recursive);
        fs::remove(folder / "checkpoint.json"); // a policy, no checkpoint any more
        auto parameters = with(tinySft(), {"eval.samples=0", "sft.steps=1"});
        const auto path = at("all-shown");
        auto first = newRun(path, StageKind::Sft, parameters);
        must(runStage(first, environmentWith(m_judge, folder)));
        QVERIFY(metricsOf(path).contains("held-out 1 loss"));
        std::set<std::string> hashes;
        const auto lines = readFile(path / "sft_data.jsonl");
        QVERIFY(lines);
        std::size_t begin = 0;
        for (std::size_t end; (end = lines->find('\n', begin)) != std::string::npos; begin = end + 1) {
            const auto json = parseJson(std::string_view(*lines).substr(begin, end - begin));
            hashes.insert(codeHash(jsonValue<std::string>(*json, "text", {})));
        }
        QVERIFY(hashes.size() > 3);
        QVERIFY(saveShownCode(folder / "pretrained_code.json", hashes));
        auto second = newRun(path, StageKind::Sft, parameters);
        must(runStage(second, environmentWith(m_judge, folder)));
        QVERIFY(!metricsOf(path).contains("held-out 1 loss"));
        QVERIFY(metricsOf(path).contains("train 1 loss"));
    }

    void prompts_data()
    {
        QTest::addColumn<QString>("prompt");
        for (const char* prompt : {"never", "always", "fading"})
            QTest::newRow(prompt) << QString::fromLatin1(prompt);
    }
    void prompts()
    {
        QFETCH(QString, prompt);
        auto parameters = tinySft();
        QVERIFY(parameters.setText("sft.prompt", prompt.toStdString()));
        const auto path = at("prompted"), pieces = at("prompted-pieces");
        auto run = newRun(path, StageKind::Sft, parameters);
        must(runStage(run, environmentWith(m_judge)));
        const auto metrics = metricsOf(path);
        QCOMPARE(metrics.contains("train 1 prompt_share"), prompt != QStringLiteral("never"));
        const auto policy = Policy::load(*findPolicy(path));
        const bool always = prompt == QStringLiteral("always");
        QCOMPARE(policy->config().prompt, always ? sftPrompt() : std::string());
        const auto matrix =
            std::make_shared<const MatrixTokens>(policy->matrixTokens(*someMatrices()[0].target.matrix, 1));
        QCOMPARE(policy->inputOf(matrix).prompt.empty(), !always);
        QCOMPARE(policy->tokenizer().decode(policy->inputOf(matrix).prompt), policy->config().prompt);
        if (always) {
            QCOMPARE(metrics.at("train 6 prompt_share"), 1.0);
        } else if (prompt == QStringLiteral("fading")) {
            QCOMPARE(metrics.at("train 1 prompt_share"), 1.0);
            QCOMPARE(metrics.at("train 4 prompt_share"), 0.0); // half of six steps
        }
        // The words reach the model: another first loss than without them.
        if (prompt != QStringLiteral("never")) {
            auto without = with(parameters, {"sft.steps=1", "eval.samples=0"});
            auto spoken = newRun(pieces, StageKind::Sft, without);
            must(runStage(spoken, environmentWith(m_judge)));
            const double loss = metricsOf(pieces).at("train 1 loss");
            const auto spokenPolicy = Policy::load(*findPolicy(pieces));
            SequenceBatch batch;
            batch.inputs = {{matrix, {}}, {matrix, spokenPolicy->tokenizer().encode(sftPrompt())}};
            batch.inputOf = {0, 1};
            batch.targets = {{5, 6, 7}, {5, 6, 7}};
            const auto logProbs = spokenPolicy->tokenStatistics(batch).logProbs;
            QVERIFY(!torch::equal(logProbs[0], logProbs[1]));
            QVERIFY(std::isfinite(loss));
        }
        auto stopped = newRun(pieces, StageKind::Sft, parameters);
        auto environment = environmentWith(m_judge);
        environment.onEvent = [&](std::int64_t step, const Event& event) {
            if (step == 2 && std::holds_alternative<MetricEvent>(event))
                environment.cancel.cancel();
        };
        must(runStage(stopped, environment));
        must(runStage(stopped, environmentWith(m_judge)));
        compareRuns(path, pieces);
        // Whatever stage goes on from it reads as it does.
        auto rl = newRun(pieces, StageKind::Rl, with(tinyRl("dr-grpo"), {"rl.iterations=1"}));
        must(runStage(rl, environmentWith(m_judge, path)));
        QCOMPARE(Policy::load(*findPolicy(pieces))->config().prompt, policy->config().prompt);
        QVERIFY(metricsOf(pieces).at("train 1 sampling/sampling_logp_difference/max") < 1e-4);
    }

    void stagesGoOnFromAnImportedModel_data()
    {
        QTest::addColumn<QString>("family");
        QTest::newRow("T5") << QStringLiteral("t5");
        QTest::newRow("llama") << QStringLiteral("llama");
        QTest::newRow("qwen3 in bf16") << QStringLiteral("qwen3");
        QTest::newRow("glm4 in bf16") << QStringLiteral("glm4");
    }

    /// Every stage goes on from a model that others have made, with its tokenizer.
    void stagesGoOnFromAnImportedModel()
    {
        QFETCH(QString, family);
        const std::string name = family.toStdString();
        const auto imported = at("imported-" + name), tuned = at("imported-sft-" + name),
                   next = at("imported-next-" + name), pre = at("imported-pre-" + name);
        fs::path from = SPARSERL_SOURCE_DIR "/tests/policy/fixtures/codet5/tied";
        if (family != u"t5") {
            from = at("there-" + name);
            const auto config = tinyCausalConfig(name);
            QVERIFY(writeTinyCausal(
                from, config,
                tinyCausalWeights(config, 3, family == u"llama" ? torch::kFloat32 : torch::kBFloat16)));
        }
        PolicyImportOptions options;
        options.embedding.maxEntries = 12;
        options.maxTokens = 640;
        const auto taken = importPolicy(from, imported, options);
        QVERIFY2(taken, taken ? "" : taken.error().sentence().c_str());
        auto run = newRun(tuned, StageKind::Sft, with(tinySft(), {"eval.samples=0", "sft.lr=0.02"}));
        must(runStage(run, environmentWith(m_judge, imported)));
        const auto metrics = metricsOf(tuned);
        QVERIFY(metrics.at("train 6 loss") < metrics.at("train 1 loss") - 0.5);
        QVERIFY(metrics.at("held-out 6 loss") < metrics.at("held-out 0 loss") - 0.5);
        const auto parent = Policy::load(imported), child = Policy::load(*findPolicy(tuned));
        QVERIFY(parent && child && parent->tokenizer().toJson() == child->tokenizer().toJson());
        // What reads the matrix is new, and learns with the rest.
        const auto before = parent->parameters(), after = child->parameters();
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY2(!torch::equal(before[i].second.to(torch::kFloat32), after[i].second),
                     before[i].first.c_str());

        auto texts = newRun(pre, StageKind::Pretrain, with(tinyPretrain(), {"pretrain.steps=4"}));
        must(runStage(texts, environmentWith(m_judge, imported)));
        auto pretrained = metricsOf(pre);
        QVERIFY(pretrained.at("train 4 loss") < pretrained.at("train 1 loss"));
        auto rl = newRun(next, StageKind::Rl, with(tinyRl("ppo"), {"rl.iterations=2"}));
        must(runStage(rl, environmentWith(m_judge, tuned)));
        QVERIFY(metricsOf(next).at("train 2 val/first_ratio_error") < 1e-4);
        QVERIFY(Policy::load(*findPolicy(next))->digest() != child->digest());
    }

    void unusableTextsAreSentences()
    {
        const auto path = at("failing");
        auto parameters = tinyPretrain();
        QVERIFY(parameters.setText("pretrain.corpus", at("missing").string()));
        auto run = newRun(path, StageKind::Pretrain, parameters);
        const auto missing = runStage(run, environmentWith(m_judge));
        QVERIFY(!missing && missing.error().sentence().find("missing") != std::string::npos);
        QVERIFY(run.lastState()->state == RunState::Failed);
    }
};

QTEST_GUILESS_MAIN(TestTrainingPretrain)
#include "tst_training_pretrain.moc"
