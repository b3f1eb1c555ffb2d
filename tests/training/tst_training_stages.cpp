// SPDX-License-Identifier: Apache-2.0
// Whole stages with a tiny policy and a judge that only parses: what is learned, journalled, checkpointed,
// resumed.
#include "generous_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/files.h"
#include "base/json.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "matrix/generate.h"
#include "policy/policy/policy.h"
#include "project/run/metrics.h"
#include "training/evaluated/evaluation_tables.h"
#include "training/sampling/rollout.h"
#include "training/work/stage.h"
#include "training/work/stage_context.h"

#include <QtTest>

#include <cmath>
#include <fstream>
#include <set>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

class TestTrainingStages : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;
    test::FakeJudge m_judge;
    fs::path m_sft = fs::absolute("sft");

private Q_SLOTS:
    void initTestCase()
    {
        auto run = newRun(m_sft, StageKind::Sft, tinySft());
        const auto outcome = must(runStage(run, environmentWith(m_judge)));
        QVERIFY(outcome.end == StageOutcome::End::Done);
        QCOMPARE(outcome.step, std::int64_t(6));
    }

    void sftLearnsAndJournals()
    {
        const auto metrics = metricsOf(m_sft);
        QVERIFY(metrics.at("train 6 loss") < metrics.at("train 1 loss") - 0.5);
        QVERIFY(metrics.at("held-out 6 loss") < metrics.at("held-out 0 loss"));
        QVERIFY(metrics.contains("held-out 6 kernel/compile_rate"));
        std::map<std::string, int> kinds;
        std::set<std::string> programs;
        const auto entries = readWholeJournal(m_sft);
        for (const auto& entry : *entries) {
            ++kinds[std::string(kindOf(entry.event))];
            if (const auto* program = std::get_if<ProgramEvent>(&entry.event))
                QVERIFY(programs.insert(program->hash).second);
        }
        QVERIFY(kinds["program"] > 0 && kinds["sample"] >= 10 && kinds["verdict"] == kinds["sample"]);
        QVERIFY(kinds["checkpoint"] >= 3);
        QCOMPARE(RunDirectory::open(m_sft)->checkpoints().size(), std::size_t(2));
        QVERIFY(RunDirectory::open(m_sft)->lastState()->state == RunState::Done);
    }

    void heldOutLossKnowsNoTrainingText()
    {
        std::set<std::string> train;
        std::vector<std::string> heldOut;
        QString said;
        const auto entries = readWholeJournal(m_sft);
        for (const auto& entry : *entries) {
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event);
                sample != nullptr && sample->origin == "corpus") {
                if (sample->split == "train")
                    train.insert(sample->programHash);
                else
                    heldOut.push_back(sample->programHash);
            }
            if (const auto* log = std::get_if<LogEvent>(&entry.event); log != nullptr && said.isEmpty())
                said = QString::fromStdString(log->text);
        }
        const auto alike = std::count_if(heldOut.begin(), heldOut.end(),
                                         [&](const std::string& hash) { return train.contains(hash); });
        QVERIFY(heldOut.size() >= 2 && alike < static_cast<std::ptrdiff_t>(heldOut.size()));
        QVERIFY2(said.contains(QStringLiteral("%1 programs of held-out matrices").arg(alike)),
                 qPrintable(said));
    }

    void ppoStartsAtRatioOne()
    {
        const fs::path path = fs::absolute("ppo");
        auto run = newRun(path, StageKind::Rl, tinyRl());
        must(runStage(run, environmentWith(m_judge, m_sft)));
        const auto metrics = metricsOf(path);
        for (const char* name : {"reward", "objective/kl", "actor/entropy", "critic/vf_loss"})
            QVERIFY2(metrics.contains(std::string("held-out 4 ") + name), name);
        // One name, one meaning: what is measured on held-out matrices has its own.
        QVERIFY(metrics.contains("held-out 4 kl/update_k3") && !metrics.contains("held-out 4 actor/ppo_kl"));
        QVERIFY(metrics.contains("train 4 actor/ppo_kl") && !metrics.contains("train 4 kl/update_k3"));
        for (int step = 2; step <= 4; ++step) {
            const auto at = "train " + std::to_string(step) + " ";
            QVERIFY2(metrics.at(at + "val/first_ratio_error") < 1e-4,
                     qPrintable(QString::number(metrics.at(at + "val/first_ratio_error"))));
            QVERIFY(metrics.at(at + "sampling/sampling_logp_difference/max") < 1e-4);
            QVERIFY(metrics.at(at + "actor/grad_norm") > 0);
        }
        // The first iteration trains the critic only.
        QVERIFY(!metrics.contains("train 1 actor/pg_loss"));
        QVERIFY(metrics.contains("train 1 critic/vf_loss"));
        QVERIFY(std::abs(metrics.at("train 2 objective/kl")) < 1e-4);
        QVERIFY(Policy::load(*findPolicy(path))->digest() != Policy::load(*findPolicy(m_sft))->digest());
    }

    void groupAlgorithmsRun_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const char* name :
             {"grpo", "dr-grpo", "rloo", "reinforce++", "reinforce++-baseline", "self-critical", "max-at-k"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void groupAlgorithmsRun()
    {
        QFETCH(QString, algorithm);
        auto parameters = tinyRl(algorithm.toLatin1().constData());
        QVERIFY(parameters.setAssignment("rl.iterations=1"));
        QVERIFY(parameters.setAssignment("rl.kl_loss_coef=0.01"));
        const fs::path path = fs::absolute("group");
        auto run = newRun(path, StageKind::Rl, parameters);
        must(runStage(run, environmentWith(m_judge, m_sft)));
        const auto metrics = metricsOf(path);
        QVERIFY(metrics.contains("train 1 actor/pg_loss"));
        QVERIFY(metrics.at("train 1 val/first_ratio_error") < 1e-4);
        QVERIFY(metrics.at("train 1 sampling/sampling_logp_difference/max") < 1e-4);
        QVERIFY(!metrics.contains("train 1 critic/vf_loss"));
        QVERIFY(!fs::exists(*findPolicy(path) / "critic.safetensors"));
    }

    void dynamicSamplingResamples()
    {
        const auto matrices = someMatrices();
        const auto parameters =
            with(tinyRl("grpo"), {"rl.iterations=2", "rl.resample_rounds=3", "eval.every=0", "eval.samples=0",
                                  "reward.preset=rft-kernelbench"}); // pays every speed differently
        const auto metricsWith = [&](std::set<std::string> good) {
            PartialJudge judge;
            judge.good = std::move(good);
            const fs::path path = fs::absolute("dynamic");
            auto run = newRun(path, StageKind::Rl, parameters);
            must(runStage(run, environmentWith(judge, m_sft)));
            return metricsOf(path);
        };
        // All groups have a signal: one round. None has: all rounds, and nothing is learned from equal
        // rewards.
        auto metrics = metricsWith({matrices[0].target.id.contents, matrices[1].target.id.contents});
        QCOMPARE(metrics.at("train 1 rollout/resampled"), 0.0);
        QVERIFY(metrics.at("train 1 actor/grad_norm") > 0);
        metrics = metricsWith({});
        QCOMPARE(metrics.at("train 1 rollout/resampled"), 3.0 * 6);
        QVERIFY(!metrics.contains("train 1 actor/grad_norm"));
        QCOMPARE(metrics.at("train 1 frac_reward_zero_std"), 1.0);
        // One of the two matrices of a round: a second round brings the second group.
        metrics = metricsWith({matrices[1].target.id.contents});
        for (const char* step : {"1", "2"}) {
            QCOMPARE(metrics.at(std::string("train ") + step + " rollout/resampled"), 6.0);
            QVERIFY(metrics.at(std::string("train ") + step + " actor/grad_norm") > 0);
        }
    }

    void thePolicyWaitsForItsCritic()
    {
        // What a program earns depends on its matrix alone, nearly: a critic can learn that.
        PartialJudge judge;
        judge.good = {someMatrices()[0].target.id.contents};
        const auto parameters = with(
            tinyRl(), {"rl.iterations=8", "rl.value_pretrain=0", "rl.value_epochs=20", "rl.critic_lr=0.003",
                       "rl.kl_coef=0", "reward.preset=coderl", "eval.samples=0", "checkpoint.every=100"});
        const fs::path path = fs::absolute("waiting");
        auto run = newRun(path, StageKind::Rl, with(parameters, {"rl.value_bar=0.3"}));
        must(runStage(run, environmentWith(judge, m_sft)));
        auto metrics = metricsOf(path);
        QVERIFY(!metrics.contains("train 1 actor/pg_loss"));
        bool learns = false;
        for (int step = 1; step <= 8; ++step) {
            const auto at = "train " + std::to_string(step) + " ";
            learns = learns || metrics.at(at + "critic/vf_explained_var") >= 0.3;
            QCOMPARE(metrics.contains(at + "actor/pg_loss"), learns);
        }
        QVERIFY(learns);
        // A bar that is never reached: the policy is what it was, and the run does not end as done.
        auto failing = newRun(path, StageKind::Rl, with(parameters, {"rl.value_bar=1", "rl.iterations=2"}));
        const auto outcome = runStage(failing, environmentWith(judge, m_sft));
        QVERIFY(!outcome && outcome.error().sentence().find("never explained") != std::string::npos);
        metrics = metricsOf(path);
        QVERIFY(!metrics.contains("train 1 actor/pg_loss") && !metrics.contains("train 2 actor/pg_loss"));
        QCOMPARE(Policy::load(*findPolicy(path))->digest(), Policy::load(*findPolicy(m_sft))->digest());
    }

    /// Value pretraining as a run of its own, and a run that begins with its critic.
    void aCriticIsHandedOn()
    {
        PartialJudge judge;
        judge.good = {someMatrices()[0].target.id.contents};
        const auto parameters = with(
            tinyRl(), {"rl.iterations=12", "rl.value_pretrain=0", "rl.value_epochs=20", "rl.critic_lr=0.003",
                       "rl.kl_coef=0", "reward.preset=coderl", "eval.samples=0", "checkpoint.every=1"});
        const fs::path path = fs::absolute("critic"), pieces = fs::absolute("critic-pieces"),
                       next = fs::absolute("critic-next");
        const auto only = with(parameters, {"rl.value_only=true", "rl.value_bar=0.3"});
        auto run = newRun(path, StageKind::Rl, only);
        const auto outcome = must(runStage(run, environmentWith(judge, m_sft)));
        QVERIFY(outcome.end == StageOutcome::End::Done);
        QVERIFY(outcome.step > 0 && outcome.step < 12); // it ends where the bar is passed
        QVERIFY(run.lastState()->state == RunState::Done);
        const auto metrics = metricsOf(path);
        const auto explained = [&](std::int64_t step) {
            return metrics.at("train " + std::to_string(step) + " critic/vf_explained_var");
        };
        QVERIFY(explained(outcome.step) >= 0.3);
        for (std::int64_t step = 1; step <= outcome.step; ++step) {
            QVERIFY(step == outcome.step || explained(step) < 0.3);
            QVERIFY(!metrics.contains("train " + std::to_string(step) + " actor/pg_loss"));
        }
        QCOMPARE(Policy::load(*findPolicy(path))->digest(), Policy::load(*findPolicy(m_sft))->digest());
        QVERIFY(RunDirectory::open(path)->latestCheckpoint()->step == outcome.step);
        // Begun again it stays as it is; interrupted it comes to the same end.
        QCOMPARE(must(runStage(run, environmentWith(judge, m_sft))).step, outcome.step);
        auto stopped = newRun(pieces, StageKind::Rl, only);
        for (int i = 0; i < 3; ++i) {
            auto environment = environmentWith(judge, m_sft);
            environment.onEvent = [&](std::int64_t step, const Event& event) {
                if (step == i && std::holds_alternative<MetricEvent>(event))
                    environment.cancel.cancel();
            };
            must(runStage(stopped, environment));
        }
        must(runStage(stopped, environmentWith(judge, m_sft)));
        compareRuns(path, pieces);
        // A run from its checkpoint begins with that critic, or with a new one.
        const auto first = [&](const char* critic) {
            auto going = newRun(next, StageKind::Rl, with(parameters, {critic, "rl.iterations=1"}));
            must(runStage(going, environmentWith(judge, path)));
            return metricsOf(next).at("train 1 critic/vf_explained_var");
        };
        const double handedOn = first("rl.critic=parent"), fresh = first("rl.critic=new");
        QVERIFY2(handedOn > fresh + 0.1, (std::to_string(handedOn) + " " + std::to_string(fresh)).c_str());
        // Without a critic there is nothing to train.
        auto groups = newRun(next, StageKind::Rl, with(tinyRl("grpo"), {"rl.value_only=true"}));
        const auto none = runStage(groups, environmentWith(judge, m_sft));
        QVERIFY(!none && none.error().sentence().find("has none") != std::string::npos);
    }

    void trainingSamplesAsItIsTold()
    {
        const auto parameters =
            with(tinyRl(), {"rl.value_pretrain=0", "rl.top_k=20", "rl.top_p=0.95", "rl.broad_share=0.3",
                            "rl.temperature=1.2", "rl.temperature_end=0.8", "rl.iterations=2"});
        const fs::path path = fs::absolute("decoding"), pieces = fs::absolute("decoding-pieces");
        auto run = newRun(path, StageKind::Rl, parameters);
        must(runStage(run, environmentWith(m_judge, m_sft)));
        const auto metrics = metricsOf(path);
        for (const char* step : {"train 1 ", "train 2 "}) {
            QVERIFY(metrics.at(std::string(step) + "val/first_ratio_error") < 1e-4);
            QVERIFY(metrics.at(std::string(step) + "sampling/sampling_logp_difference/max") < 1e-4);
            QVERIFY(metrics.at(std::string(step) + "behaviour/weight/min") < 0.99);
            QVERIFY(metrics.at(std::string(step) + "behaviour/weight/max") <= 2.0);
        }
        // Evaluations sample the policy itself.
        QCOMPARE(metrics.at("held-out 2 behaviour/weight/max"), 1.0);
        auto stopped = newRun(pieces, StageKind::Rl, parameters);
        auto environment = environmentWith(m_judge, m_sft);
        environment.onEvent = [&](std::int64_t step, const Event& event) {
            if (step == 1 && std::holds_alternative<MetricEvent>(event))
                environment.cancel.cancel();
        };
        must(runStage(stopped, environment));
        must(runStage(stopped, environmentWith(m_judge, m_sft)));
        compareRuns(path, pieces);
    }

    /// A policy that does not change has equal figures on held-out matrices, however training is cooled.
    void heldOutIsNotCooled()
    {
        std::map<std::string, double> figures[2];
        for (const bool cooled : {false, true}) {
            const fs::path path = fs::absolute(cooled ? "cooled" : "warm");
            auto run =
                newRun(path, StageKind::Rl,
                       with(tinyRl("dr-grpo"), {"rl.lr=1e-30", "rl.iterations=2", "eval.every=2",
                                                cooled ? "rl.temperature_end=0.2" : "rl.temperature_end=0"}));
            must(runStage(run, environmentWith(m_judge, m_sft)));
            const auto metrics = metricsOf(path);
            for (const char* name : {"objective/entropy", "critic/score/mean", "response_length/mean"})
                figures[cooled ? 1 : 0][name] = metrics.at(std::string("held-out 2 ") + name);
            figures[cooled ? 1 : 0].emplace("train", metrics.at("train 2 objective/entropy"));
        }
        QVERIFY(figures[0].extract("train").mapped() != figures[1].extract("train").mapped());
        QVERIFY(figures[0] == figures[1]);
    }

    void planAndCodeArePaidApart()
    {
        const auto warnings = [](const fs::path& path) {
            std::string all;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries)
                if (const auto* log = std::get_if<LogEvent>(&entry.event))
                    all += log->text + "\n";
            return all;
        };
        GenerousJudge generous;
        const auto parameters =
            with(tinyRl("dr-grpo"), {"rl.iterations=1", "reward.preset=hierarchical", "eval.samples=0"});
        const fs::path path = fs::absolute("classes");
        auto uniform = newRun(path, StageKind::Rl, parameters);
        must(runStage(uniform, environmentWith(generous, m_sft)));
        QVERIFY(warnings(path).find("rl.token_classes is off") != std::string::npos);
        const auto digest = Policy::load(*findPolicy(path))->digest();
        auto apart = newRun(path, StageKind::Rl, with(parameters, {"rl.token_classes=true"}));
        must(runStage(apart, environmentWith(generous, m_sft)));
        QVERIFY(warnings(path).find("rl.token_classes") == std::string::npos);
        QVERIFY(Policy::load(*findPolicy(path))->digest() != digest);
        const auto metrics = metricsOf(path);
        QCOMPARE(metrics.at("train 1 rewards/code/mean"), 1.0); // all are correct
        QVERIFY(metrics.at("train 1 rewards/plan/std") > 0);    // at different speeds
    }

    void ppocoderComparesWithAReference()
    {
        const auto parameters = with(tinyRl("self-critical"), {"rl.iterations=2", "reward.preset=ppocoder",
                                                               "eval.samples=0", "checkpoint.every=1"});
        const fs::path path = fs::absolute("ppocoder");
        auto run = newRun(path, StageKind::Rl, parameters);
        auto environment = environmentWith(m_judge, m_sft);
        // So small a policy writes noise: one sample of each rollout is a reference in its place.
        environment.replaceSample = [&](std::uint64_t, std::size_t sample) -> std::optional<std::string> {
            const auto references = readJson(path / "checkpoints/step-000000/reference_programs.json");
            return sample == 0 && references ? std::optional(references->begin()->get<std::string>())
                                             : std::nullopt;
        };
        must(runStage(run, environment));
        const auto last = run.latestCheckpoint();
        QVERIFY(fs::exists(last->path / "reference_programs.json"));
        const auto metrics = metricsOf(path);
        QVERIFY(metrics.at("train 1 rewards/efficiency/mean") > 0);
        QVERIFY(metrics.at("train 1 rewards/efficiency/mean") < 0.29);
        // An evaluation of it compares with the same programs.
        ParameterSet evaluation(stageParameters(StageKind::Evaluate));
        auto evaluated = newRun(fs::absolute("ppocoder-evaluated"), StageKind::Evaluate,
                                with(evaluation, {"reward.preset=ppocoder", "evaluate.samples=2",
                                                  "evaluate.max_tokens=60", "threads=1"}));
        must(runStage(evaluated, environmentWith(m_judge, path)));
    }

    /// Thousands of steps on a handful of programs are said before they are made.
    void rejectionFineTuningOnFewProgramsWarns()
    {
        PartialJudge judge;
        judge.good = {someMatrices()[0].target.id.contents};
        const ParameterSet all(stageParameters(StageKind::Rft));
        auto run = newRun(
            fs::absolute("rft-few"), StageKind::Rft,
            with(all, {"threads=1", "rft.samples=8", "rft.steps=5000", "rft.batch=4", "rft.max_tokens=250",
                       "rft.repeat_limit=0", "eval.samples=0", "rft.verifier=false"}));
        auto environment = environmentWith(judge, m_sft);
        std::string warning;
        environment.onEvent = [&](std::int64_t, const Event& event) {
            const auto* log = std::get_if<LogEvent>(&event);
            if (log != nullptr && log->level == "warning" && warning.empty())
                warning = log->text;
            if (std::holds_alternative<MetricEvent>(event))
                environment.cancel.cancel();
        };
        static_cast<void>(runStage(run, environment));
        QVERIFY2(warning.find("Each program is learned from about ") == 0, warning.c_str());
    }

    void rejectionFineTuningLearnsWhatItKeeps()
    {
        // Correct on one matrix only: nothing of the other is learned.
        PartialJudge judge;
        judge.good = {someMatrices()[0].target.id.contents};
        const ParameterSet all(stageParameters(StageKind::Rft));
        const auto parameters =
            with(all, {"threads=1", "rft.samples=8", "rft.steps=6", "rft.batch=4", "rft.max_tokens=60",
                       "rft.warmup=0", "rft.lr=0.002", "checkpoint.every=2", "eval.every=3", "eval.samples=2",
                       "rft.verifier=false"});
        // So small a policy seldom ends a program within 60 tokens: longer ones then.
        const auto longer = with(parameters, {"rft.max_tokens=250", "rft.repeat_limit=0"});
        const fs::path path = fs::absolute("rft"), pieces = fs::absolute("rft-pieces");
        auto run = newRun(path, StageKind::Rft, longer);
        const auto outcome = runStage(run, environmentWith(judge, m_sft));
        if (!outcome) {
            QVERIFY2(outcome.error().sentence().find("no program that may be learned from") !=
                         std::string::npos,
                     outcome.error().sentence().c_str());
            QFAIL("the policy never ends a program: the test needs another one");
        }
        const auto kept = readFile(path / "rft_samples.jsonl");
        QVERIFY(kept && !kept->empty());
        QVERIFY(kept->find(someMatrices()[0].target.id.contents) != std::string::npos);
        QVERIFY(kept->find(someMatrices()[1].target.id.contents) == std::string::npos);
        const auto metrics = metricsOf(path);
        QVERIFY(metrics.at("train 6 loss") < metrics.at("train 1 loss"));
        QVERIFY(metrics.contains("held-out 6 reward"));
        auto stopped = newRun(pieces, StageKind::Rft, longer);
        int interruptions = 0;
        for (;;) {
            auto environment = environmentWith(judge, m_sft);
            int seen = 0;
            environment.onEvent = [&](std::int64_t, const Event& event) {
                if (std::holds_alternative<MetricEvent>(event) && ++seen == 2)
                    environment.cancel.cancel();
            };
            if (must(runStage(stopped, environment)).end == StageOutcome::End::Done)
                break;
            QVERIFY(++interruptions < 20);
        }
        QVERIFY(interruptions >= 2);
        compareRuns(path, pieces);
        const auto without =
            runStage(stopped = newRun(pieces, StageKind::Rft, longer), environmentWith(judge));
        QVERIFY(!without && without.error().sentence().find("policy to start from") != std::string::npos);
    }

    /// Each stage that trains on matrices alternates between as many samples of their non-zeros as it is
    /// asked.
    void viewsCountInEveryStage()
    {
        GenerousJudge judge;
        const auto digestOf = [&](StageKind kind, const ParameterSet& parameters) {
            const fs::path path = fs::absolute("views");
            auto run = newRun(path, kind, parameters);
            must(runStage(run, environmentWith(judge, m_sft)));
            return Policy::load(*findPolicy(path))->digest();
        };
        const auto rl = with(tinyRl("grpo"), {"rl.iterations=2", "eval.every=0"});
        const auto rft = with(ParameterSet(stageParameters(StageKind::Rft)),
                              {"threads=1", "rft.samples=4", "rft.steps=2", "rft.batch=4", "rft.warmup=0",
                               "rft.lr=0.002", "eval.every=0", "rft.verifier=false", "rft.max_tokens=250",
                               "rft.repeat_limit=0", "system.every=0"});
        for (const auto& [kind, parameters] :
             {std::pair{StageKind::Rl, rl}, std::pair{StageKind::Rft, rft}}) {
            const auto usual = digestOf(kind, parameters);
            QCOMPARE(digestOf(kind, with(parameters, {"policy.views=4"})), usual);
            QVERIFY(digestOf(kind, with(parameters, {"policy.views=1"})) != usual);
        }
    }

    /// The path that GPUs take, as far as a CPU can: products in bf16, batches written together.
    void halfPrecision()
    {
        auto sft = tinySft();
        QVERIFY(sft.setAssignment("device=cpu") && sft.setAssignment("precision=bf16"));
        const fs::path first = fs::absolute("half-sft"), second = fs::absolute("half-rl");
        auto run = newRun(first, StageKind::Sft, sft);
        must(runStage(run, environmentWith(m_judge)));
        const auto half = metricsOf(first), full = metricsOf(m_sft);
        for (const char* key : {"train 1 loss", "train 6 loss", "held-out 6 loss"}) {
            QVERIFY2(half.contains(key) && full.contains(key), key);
            QVERIFY2(std::abs(half.at(key) - full.at(key)) < 0.02 * full.at(key), key);
        }
        auto rl = tinyRl();
        QVERIFY(rl.setAssignment("precision=bf16") && rl.setAssignment("rl.iterations=2"));
        auto rlRun = newRun(second, StageKind::Rl, rl);
        must(runStage(rlRun, environmentWith(m_judge, first)));
        const auto metrics = metricsOf(second);
        QVERIFY(metrics.at("train 2 val/first_ratio_error") < 0.25);
        QVERIFY(metrics.at("train 2 training/rollout_probs_diff_max") < 0.05);
        QVERIFY(std::isfinite(metrics.at("train 2 actor/pg_loss")));
    }

    void unknownDeviceIsASentence()
    {
        auto parameters = tinySft();
        QVERIFY(parameters.setAssignment("device=gpu"));
        auto run = newRun(fs::absolute("nowhere"), StageKind::Sft, parameters);
        const auto outcome = runStage(run, environmentWith(m_judge));
        QVERIFY(!outcome && outcome.error().what.find("\"gpu\"") != std::string::npos);
        QVERIFY(!outcome.error().remedy.empty());
    }

    void evaluateCountsAndResumes()
    {
        ParameterSet parameters(stageParameters(StageKind::Evaluate));
        for (const char* assignment : {"threads=1", "evaluate.samples=60", "evaluate.k=1,5,100",
                                       "evaluate.split=all", "evaluate.max_tokens=140"})
            QVERIFY(parameters.setAssignment(assignment));
        const auto runOnce = [&](const char* name, bool interrupt) {
            const fs::path path = fs::absolute(name);
            auto run = newRun(path, StageKind::Evaluate, parameters);
            for (;;) {
                auto environment = environmentWith(m_judge, m_sft);
                environment.onEvent = [&](std::int64_t, const Event& event) {
                    if (interrupt && std::holds_alternative<EvaluationEvent>(event)) {
                        environment.cancel.cancel();
                        interrupt = false;
                    }
                };
                if (must(runStage(run, environment)).end == StageOutcome::End::Done)
                    return path;
            }
        };
        const auto whole = runOnce("evaluate", false), pieces = runOnce("evaluate-pieces", true);
        const auto count = [](const fs::path& path) {
            std::map<std::string, std::int64_t> samples;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries) {
                if (const auto* row = std::get_if<EvaluationEvent>(&entry.event)) {
                    if (samples.contains(row->target.name))
                        qFatal("a matrix is evaluated twice");
                    samples[row->target.name] = row->samples * 1000 + row->correct;
                }
            }
            return samples;
        };
        QCOMPARE(count(whole).size(), std::size_t(3));
        QVERIFY(count(whole) == count(pieces));
        QVERIFY(metricsOf(whole) == metricsOf(pieces));
        const auto metrics = metricsOf(whole);
        QVERIFY(metrics.contains("held-out 3 pass@1") && metrics.contains("held-out 3 pass@5"));
        QVERIFY(!metrics.contains("held-out 3 pass@100"));
        // What the tables read from the journal is what the evaluation found.
        const auto result = readEvaluationResult(whole);
        QVERIFY(result);
        QCOMPARE(result->label, std::string("evaluate"));
        QVERIFY(result->ks == (std::vector<std::int64_t>{1, 5}));
        QCOMPARE(result->rows.size(), std::size_t(1));
        QCOMPARE(result->rows.front().samples, std::int64_t(60));
        QCOMPARE(result->metrics.at("pass@1"), metrics.at("held-out 3 pass@1"));
        QVERIFY(!readEvaluationResult(m_sft)); // another stage
        // Totals are those of their split.
        double heldOut = 0;
        for (const auto& matrix : environmentWith(m_judge).matrices)
            heldOut += matrix.heldOut ? 1 : 0;
        QVERIFY(heldOut > 0 && heldOut < 3);
        QCOMPARE(metrics.at("held-out 3 evaluation/matrices"), heldOut);
        QCOMPARE(metrics.at("train 3 evaluation/matrices"), 3 - heldOut);
    }

    /// After the stages above: what they journalled is declared, and what is declared was journalled.
    void everyMetricIsDeclaredAndEmitted()
    {
        std::set<std::string> emitted;
        const fs::path solved = fs::absolute("evaluate-solved");
        ParameterSet parameters(stageParameters(StageKind::Evaluate));
        QVERIFY(parameters.setAssignment("evaluate.samples=2"));
        QVERIFY(parameters.setAssignment("evaluate.split=all"));
        GenerousJudge generous;
        auto evaluation = newRun(solved, StageKind::Evaluate, parameters);
        must(runStage(evaluation, environmentWith(generous, m_sft)));
        const fs::path prompted = fs::absolute("prompted");
        auto words = newRun(prompted, StageKind::Sft,
                            with(tinySft(), {"sft.prompt=fading", "sft.steps=1", "eval.samples=0"}));
        must(runStage(words, environmentWith(m_judge)));
        // Predicted times and speed-ups of similar matrices need correct programs: those of the corpus.
        const auto predicting = [&](const char* name, const char* what, std::uint64_t kinds) {
            auto environment = environmentWith(m_judge, m_sft);
            environment.replaceSample = [kinds](std::uint64_t seed, std::size_t sample) {
                Rng rng = Rng(seed % kinds).derive(sample % 7);
                const auto program = derive(rng.chance(0.5) ? "S1" : "S3", {}, Style::sample(0.9, rng));
                return std::optional(program->text);
            };
            auto run = newRun(fs::absolute(name), StageKind::Rl,
                              with(tinyRl("grpo"), {"rl.iterations=6", "rl.samples=12", "rl.minibatch=24",
                                                    "eval.samples=0", "rl.cluster_share=0.5", what}));
            must(runStage(run, environment));
            return fs::absolute(name);
        };
        const auto half = predicting("half-measured", "rl.measured_share=0.5", 1000);
        const auto similar = predicting("similar", "rl.matrix_clusters=1", 2);
        for (const fs::path& run :
             {m_sft, fs::absolute("ppo"), fs::absolute("evaluate"), solved, prompted, half, similar}) {
            const auto entries = readWholeJournal(run);
            QVERIFY(entries);
            for (const auto& entry : *entries)
                if (const auto* metric = std::get_if<MetricEvent>(&entry.event))
                    for (const auto& [name, value] : metric->values)
                        emitted.insert(name);
        }
        // So small a policy writes nothing that is correct: what speed-ups are called, a made-up rollout
        // says.
        const auto matrices = someMatrices();
        RolloutItem item;
        item.target = &matrices.front();
        item.sample.finished = true;
        item.record.verdict = Verdict::Correct;
        item.record.warm = Timing{2, 2, 2, 1};
        item.record.baselineMicroseconds = 4;
        item.shownMicroseconds = 3; // tst_training_refine has runs that show programs.
        Rollout rollout;
        rollout.inputs.push_back({std::make_shared<const MatrixTokens>(), {}});
        rollout.items.push_back(item);
        // Nor has every machine two GPUs, or counts what is read.
        SystemUse machine;
        machine.cores = machine.readPerSecond = machine.writtenPerSecond = 1;
        machine.processes.ownBytes = 1 << 20;
        machine.freeBytes = machine.diskFreeBytes = 1 << 20;
        machine.gpus.assign(2, GpuReading{87, 1e10, 1e11, 400, 60, 1980});
        for (const auto& [name, value] : systemMetrics(machine))
            emitted.insert(name);
        const auto statistics = rolloutMetrics(rollout);
        QCOMPARE(statistics.at(metric::speedupGeomean), 2.0);
        for (const auto& [name, value] : statistics)
            emitted.insert(name);
        for (const auto& name : emitted)
            QVERIFY2(findMetric(name), (name + " is not in metrics.def").c_str());
        for (const auto& description : metricDescriptions()) {
            for (const auto& name : description.names()) {
                if (name.starts_with("search/")) // tst_training_search runs that stage.
                    continue;
                const auto number = name.find('#');
                const bool found = number == std::string::npos
                                       ? emitted.contains(name)
                                       : emitted.contains(name.substr(0, number) + "1");
                QVERIFY2(found, (name + " is declared, but no stage emits it").c_str());
            }
        }
    }

    /// What the machine did is in the journal, and changes nothing else: not what is learned, not what an
    /// interrupted run comes to.
    void theMachineIsJournalled()
    {
        const fs::path watched = fs::absolute("watched"), pieces = fs::absolute("watched-pieces");
        const auto parameters = with(tinySft(), {"system.every=0.000001"});
        auto run = newRun(watched, StageKind::Sft, parameters);
        must(runStage(run, environmentWith(m_judge)));
        compareRuns(m_sft, watched);
        const auto systemOf = [](const fs::path& path) {
            std::map<std::int64_t, std::map<std::string, double>> steps;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries) {
                const auto* metric = std::get_if<MetricEvent>(&entry.event);
                if (metric == nullptr)
                    continue;
                for (const auto& [name, value] : metric->values)
                    if (name.starts_with("system/") != (metric->split == systemSplit))
                        qFatal("%s is of %s", name.c_str(), metric->split.c_str());
                if (metric->split == systemSplit && !steps.emplace(entry.step, metric->values).second)
                    qFatal("two of step %lld", static_cast<long long>(entry.step));
            }
            return steps;
        };
        QVERIFY(systemOf(m_sft).empty()); // it is off there
        const auto seen = systemOf(watched);
        QVERIFY2(seen.size() >= 3, std::to_string(seen.size()).c_str());
        const auto& last = seen.rbegin()->second;
        QVERIFY(last.at("system/memory/worker") > 0.005);
        QVERIFY(last.at("system/cpu") >= 0 && last.at("system/cpu") < 1000);
        QVERIFY(last.at("system/free_disk") > 0 && last.at("system/free_memory") > 0);
        auto stopped = newRun(pieces, StageKind::Sft, parameters);
        QVERIFY(runInterrupted(stopped, m_judge, {}) >= 2);
        compareRuns(m_sft, pieces);
        QVERIFY(!systemOf(pieces).empty()); // qFatal where a step is there twice
        // By itself it is said at the end of a run that is shorter than the interval.
        const fs::path usual = fs::absolute("watched-usual");
        auto shortRun = newRun(usual, StageKind::Sft, with(tinySft(), {"system.every=3600", "sft.steps=1"}));
        must(runStage(shortRun, environmentWith(m_judge)));
        QCOMPARE(systemOf(usual).size(), 1U);
        QVERIFY(systemOf(usual).contains(1));
    }

    void mistakesAreSentences()
    {
        const fs::path path = fs::absolute("mistakes");
        auto run = newRun(path, StageKind::Rl, tinyRl());
        const auto noParent = runStage(run, environmentWith(m_judge));
        QVERIFY(!noParent && noParent.error().sentence().find("policy") != std::string::npos);
        const auto wrongParent = runStage(run, environmentWith(m_judge, fs::absolute("nowhere")));
        QVERIFY(!wrongParent && wrongParent.error().sentence().find("no policy here") != std::string::npos);
        auto environment = environmentWith(m_judge, m_sft);
        environment.matrices.clear();
        const auto noMatrices = runStage(run, environment);
        QVERIFY(!noMatrices && noMatrices.error().sentence().find("training matrices") != std::string::npos);
        auto parameters = tinySft();
        QVERIFY(parameters.setAssignment("sft.families=S99"));
        auto families = newRun(path, StageKind::Sft, parameters);
        const auto noFamily = runStage(families, environmentWith(m_judge));
        QVERIFY(!noFamily && noFamily.error().sentence().find("S99") != std::string::npos);
    }

    /// Judging takes minutes: a start that cannot be used is said before.
    void aStartThatCannotBeUsedIsSaidBeforeJudging()
    {
        const fs::path path = fs::absolute("start"), parent = fs::absolute("start-parent");
        const auto refused = [&](const ParameterSet& parameters, const fs::path& from) {
            test::FakeJudge judge;
            auto run = newRun(path, StageKind::Sft, parameters);
            const auto outcome = runStage(run, environmentWith(judge, from));
            if (outcome)
                qFatal("it began");
            if (judge.calls != 0 || fs::exists(path / "sft_data.jsonl"))
                qFatal("judged before: %s", outcome.error().sentence().c_str());
            return outcome.error().sentence();
        };
        QVERIFY(refused(tinySft(), fs::absolute("nowhere")).find("no policy here") != std::string::npos);
        fs::copy(*findPolicy(m_sft), parent, fs::copy_options::recursive);
        fs::resize_file(parent / "model.safetensors", 100);
        QVERIFY(refused(tinySft(), parent).find("model.safetensors") != std::string::npos);
        fs::copy(*findPolicy(m_sft) / "model.safetensors", parent / "model.safetensors",
                 fs::copy_options::overwrite_existing);
        std::ofstream(parent / "pretrained_code.json") << "{";
        QVERIFY(refused(tinySft(), parent).find("pretrained_code.json") != std::string::npos);
        QVERIFY(refused(with(tinySft(), {"device=cuda:77"}), {}).find("device to cpu") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTrainingStages)
#include "tst_training_stages.moc"
