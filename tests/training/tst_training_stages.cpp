// SPDX-License-Identifier: Apache-2.0
// Whole stages with a tiny policy and a judge that only parses: what is learned, journalled, checkpointed,
// resumed.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/files.h"
#include "base/json.h"
#include "base/rng.h"
#include "matrix/generate.h"
#include "policy/policy.h"
#include "project/metrics.h"
#include "training/evaluation_tables.h"
#include "training/learner.h"
#include "training/matrix_reading.h"
#include "training/rollout.h"
#include "training/stage.h"
#include "training/stage_context.h"

#include <QRegularExpression>
#include <QtTest>

#include <atomic>
#include <cmath>
#include <set>
#include <thread>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

/// Takes every program for a correct one.
class GenerousJudge : public test::FakeJudge
{
public:
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        auto better = requests;
        for (auto& request : better) {
            request.program =
                "//! task spmv\n//! launch k<<<1, 32>>>(x, y)\n// " + sha256Hex(request.program) + "\n";
            request.stoppedEarly = false;
        }
        SPARSERL_TRY(auto records, FakeJudge::judge(better, cancel, {}));
        for (std::size_t i = 0; i < records.size(); ++i) {
            records[i].programHash = sha256Hex(requests[i].program);
            if (done)
                done(i, records[i]);
        }
        return records;
    }
};

/// Takes programs for correct where the matrix is one of some, and for wrong elsewhere.
class PartialJudge : public GenerousJudge
{
public:
    std::set<std::string> good; ///< Digests.
    std::atomic<int> judged = 0;
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        SPARSERL_TRY(auto records, GenerousJudge::judge(requests, cancel, done));
        judged += static_cast<int>(requests.size());
        for (auto& record : records) {
            if (!good.contains(record.target.digest)) {
                record.verdict = Verdict::WrongResult;
                record.warm.reset();
            }
        }
        return records;
    }
};

} // namespace

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
        QVERIFY2(said.contains(QStringLiteral("%1 of the held-out matrices left out").arg(alike)),
                 qPrintable(said));
    }

    void sftInterruptedEqualsUninterrupted()
    {
        const fs::path path = fs::absolute("sft-interrupted");
        auto run = newRun(path, StageKind::Sft, tinySft());
        int interruptions = 0;
        for (;;) {
            auto environment = environmentWith(m_judge);
            int metrics = 0;
            // Two metric events further each time: before, at and after checkpoints and evaluations.
            environment.onEvent = [&](std::int64_t, const Event& event) {
                if (std::holds_alternative<MetricEvent>(event) && ++metrics == 2)
                    environment.cancel.cancel();
            };
            const auto outcome = must(runStage(run, environment));
            if (outcome.end == StageOutcome::End::Done)
                break;
            QVERIFY(outcome.end == StageOutcome::End::Interrupted);
            QVERIFY(++interruptions < 20);
        }
        QVERIFY(interruptions >= 3);
        compareRuns(m_sft, path);
    }

    void crashGoesBackToACheckpoint()
    {
        // A judge that fails ends the stage with its sentence; resuming goes on from the last checkpoint.
        const fs::path path = fs::absolute("sft-crash");
        auto run = newRun(path, StageKind::Sft, tinySft());
        test::FakeJudge broken;
        broken.failAfter = 1;
        const auto outcome = runStage(run, environmentWith(broken));
        QVERIFY(!outcome);
        QVERIFY(outcome.error().sentence().find("runner is gone") != std::string::npos);
        QVERIFY(run.lastState()->state == RunState::Failed);
        must(runStage(run, environmentWith(m_judge)));
        compareRuns(m_sft, path);
    }

    // What fails in the moment of an interruption has failed, in whatever part of a stage: it is told, and
    // not taken for the interruption.
    void failureDuringAnInterruptionIsTold_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("calls");
        QTest::newRow("data of sft") << int(StageKind::Sft) << 0;
        QTest::newRow("evaluation within sft") << int(StageKind::Sft) << 1;
        QTest::newRow("evaluation within rl") << int(StageKind::Rl) << 0;
        QTest::newRow("step of rl") << int(StageKind::Rl) << 1;
        QTest::newRow("step of evaluate") << int(StageKind::Evaluate) << 0;
    }
    void failureDuringAnInterruptionIsTold()
    {
        QFETCH(int, stage);
        QFETCH(int, calls);
        const auto kind = static_cast<StageKind>(stage);
        const fs::path path = fs::absolute("failed-while-interrupted");
        auto run = newRun(path, kind,
                          kind == StageKind::Sft  ? tinySft()
                          : kind == StageKind::Rl ? tinyRl()
                                                  : ParameterSet(stageParameters(kind)));
        test::FakeJudge broken;
        broken.failAfter = calls;
        auto environment = environmentWith(broken, kind == StageKind::Sft ? fs::path() : m_sft);
        broken.beforeFailing = [&] { environment.cancel.cancel(); };
        const auto outcome = runStage(run, environment);
        QVERIFY(environment.cancel.cancelled());
        QVERIFY(!outcome);
        QVERIFY(outcome.error().sentence().find("runner is gone") != std::string::npos);
        QVERIFY(run.lastState()->state == RunState::Failed);
        QVERIFY(run.lastState()->reason.find("runner is gone") != std::string::npos);
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

    void rlInterruptedEqualsUninterrupted_data()
    {
        QTest::addColumn<bool>("ppo");
        QTest::newRow("ppo") << true;
        QTest::newRow("grpo with dynamic sampling and token classes") << false;
    }
    void rlInterruptedEqualsUninterrupted()
    {
        QFETCH(bool, ppo);
        const auto parameters =
            ppo ? tinyRl()
                : with(tinyRl("grpo"), {"rl.resample_rounds=2", "rl.token_classes=true",
                                        "reward.preset=hierarchical", "rl.kl_target=0.1", "rl.kl_coef=0.1"});
        PartialJudge partial;
        partial.good = {someMatrices()[0].target.id.digest};
        Judge& judge = ppo ? static_cast<Judge&>(m_judge) : partial;
        const fs::path whole = fs::absolute(ppo ? "ppo" : "grpo");
        if (!ppo) {
            auto undisturbed = newRun(whole, StageKind::Rl, parameters);
            must(runStage(undisturbed, environmentWith(judge, m_sft)));
        }
        const fs::path path = fs::absolute("rl-interrupted");
        auto run = newRun(path, StageKind::Rl, parameters);
        QVERIFY(runInterrupted(run, judge, m_sft) >= 3);
        compareRuns(whole, path);
    }

    void interruptedAtAnyMoment_data()
    {
        QTest::addColumn<bool>("sft");
        QTest::newRow("sft") << true;
        QTest::newRow("ppo") << false;
    }
    /// Mostly within a gradient update: what was begun is taken back, so that the checkpoint is one of a
    /// whole step, and the stage ends at once.
    void interruptedAtAnyMoment()
    {
        QFETCH(bool, sft);
        const StageKind kind = sft ? StageKind::Sft : StageKind::Rl;
        auto parameters = sft ? tinySft() : tinyRl();
        if (sft) {
            for (const char* assignment : {"sft.batch=48", "sft.micro_batch=1", "eval.samples=0"})
                QVERIFY(parameters.setAssignment(assignment));
        } else {
            for (const char* assignment : {"rl.iterations=3", "rl.epochs=30", "rl.value_epochs=8",
                                           "rl.micro_batch=1", "checkpoint.every=100"})
                QVERIFY(parameters.setAssignment(assignment));
        }
        const fs::path parent = sft ? fs::path() : m_sft;
        const fs::path whole = fs::absolute("whole");
        auto undisturbed = newRun(whole, kind, parameters);
        const Stopwatch watch;
        must(runStage(undisturbed, environmentWith(m_judge, parent)));
        const double seconds = watch.seconds();

        const fs::path path = fs::absolute("any-moment");
        auto run = newRun(path, kind, parameters);
        Rng rng(7);
        int interruptions = 0;
        double slowest = 0;
        for (;;) {
            auto environment = environmentWith(m_judge, parent);
            // Later and later, so that it ends however slow the machine is.
            const double delay = seconds * (0.1 + 0.05 * interruptions) * (0.5 + rng.uniform());
            std::atomic<double> cancelled = 0;
            std::jthread interrupter([&](const std::stop_token& stop) {
                const Stopwatch since;
                while (!stop.stop_requested() && since.seconds() < delay)
                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                cancelled = watch.seconds();
                environment.cancel.cancel();
            });
            const auto outcome = must(runStage(run, environment));
            if (outcome.end == StageOutcome::End::Done)
                break;
            slowest = std::max(slowest, watch.seconds() - cancelled);
            QVERIFY(outcome.end == StageOutcome::End::Interrupted);
            const auto last = run.latestCheckpoint();
            QVERIFY(!last || last->step == outcome.step);
            QVERIFY(++interruptions < 100);
        }
        QVERIFY(interruptions >= 3);
        qInfo("%d interruptions, at most %.2f s until the end; the whole run takes %.2f s", interruptions,
              slowest, seconds);
        QVERIFY2(slowest < 10, std::to_string(slowest).c_str()); // tests share their machine
        compareRuns(whole, path);
    }

    void groupAlgorithmsRun_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const char* name :
             {"grpo", "dr-grpo", "rloo", "reinforce++", "reinforce++-baseline", "self-critical"})
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

    /// A run that falls apart says so, ends as failed and leaves a good checkpoint behind.
    void aDivergingRunIsNotDone_data()
    {
        QTest::addColumn<bool>("sft");
        QTest::addColumn<QString>("lr");
        QTest::newRow("sft, 1e6") << true << "1e6";
        QTest::newRow("sft, times 1000") << true << "5";
        QTest::newRow("rl, 1e6") << false << "1e6";
        QTest::newRow("rl, times 10000") << false << "5";
    }
    void aDivergingRunIsNotDone()
    {
        QFETCH(bool, sft);
        QFETCH(QString, lr);
        auto parameters =
            sft ? with(tinySft(), {"sft.steps=12", "checkpoint.every=1", "eval.samples=0"})
                : with(tinyRl("dr-grpo"), {"checkpoint.every=1", "rl.iterations=6", "rl.epochs=1"});
        QVERIFY(parameters.setText(sft ? "sft.lr" : "rl.lr", lr.toStdString()));
        const fs::path path = fs::absolute("diverging");
        auto run = newRun(path, sft ? StageKind::Sft : StageKind::Rl, parameters);
        GenerousJudge generous; // rewards differ, so that there is a gradient
        const auto outcome =
            sft ? runStage(run, environmentWith(m_judge)) : runStage(run, environmentWith(generous, m_sft));
        QVERIFY2(!outcome, "it ended as done");
        qInfo("%s", outcome.error().sentence().c_str());
        QVERIFY(run.lastState()->state == RunState::Failed);
        const auto sentence = outcome.error().sentence();
        const auto named = sentence.find("The last good checkpoint is ");
        QVERIFY2(named != std::string::npos, sentence.c_str());
        const auto name = sentence.substr(named + 28, sentence.find(':', named + 28) - named - 28);
        bool found = false;
        for (const auto& checkpoint : run.checkpoints()) {
            if (checkpoint.name != name)
                continue;
            found = true;
            const auto policy = Policy::load(checkpoint.path);
            QVERIFY(policy);
            for (const auto& [key, tensor] : policy->parameters())
                QVERIFY2(tensor.abs().max().item<double>() < 1e3, key.c_str());
        }
        QVERIFY2(found, name.c_str());
        QVERIFY(run.checkpoints().back().step <= 2); // none was written once something was wrong
    }

    /// What is told to pause waits for a person, and says why.
    void anAlarmPauses()
    {
        const auto parameters =
            with(tinyRl("dr-grpo"), {"alarm.entropy_low=100", "alarm.entropy_low_action=pause",
                                     "alarm.patience=2", "eval.samples=0"});
        const fs::path path = fs::absolute("alarmed");
        auto run = newRun(path, StageKind::Rl, parameters);
        auto environment = environmentWith(m_judge, m_sft);
        std::vector<std::string> states;
        environment.onEvent = [&](std::int64_t, const Event& event) {
            const auto* state = std::get_if<StateEvent>(&event);
            if (state == nullptr)
                return;
            states.emplace_back(nameOf(state->state));
            if (state->state != RunState::Paused)
                return;
            states.back() += state->reason.find("alarm.entropy_low") != std::string::npos ? " by alarm" : "";
            QVERIFY(
                appendControl(path, {{}, 0, ControlCommand::Kind::Set, "alarm.entropy_low_action", "off"}));
            QVERIFY(appendControl(path, {{}, 0, ControlCommand::Kind::Resume, "", ""}));
        };
        must(runStage(run, environment));
        QCOMPARE(states, (std::vector<std::string>{"running", "paused by alarm", "running", "done"}));
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
        auto metrics = metricsWith({matrices[0].target.id.digest, matrices[1].target.id.digest});
        QCOMPARE(metrics.at("train 1 rollout/resampled"), 0.0);
        QVERIFY(metrics.at("train 1 actor/grad_norm") > 0);
        metrics = metricsWith({});
        QCOMPARE(metrics.at("train 1 rollout/resampled"), 3.0 * 6);
        QVERIFY(!metrics.contains("train 1 actor/grad_norm"));
        QCOMPARE(metrics.at("train 1 frac_reward_zero_std"), 1.0);
        // One of the two matrices of a round: a second round brings the second group.
        metrics = metricsWith({matrices[1].target.id.digest});
        for (const char* step : {"1", "2"}) {
            QCOMPARE(metrics.at(std::string("train ") + step + " rollout/resampled"), 6.0);
            QVERIFY(metrics.at(std::string("train ") + step + " actor/grad_norm") > 0);
        }
    }

    void thePolicyWaitsForItsCritic()
    {
        // What a program earns depends on its matrix alone, nearly: a critic can learn that.
        PartialJudge judge;
        judge.good = {someMatrices()[0].target.id.digest};
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
        judge.good = {someMatrices()[0].target.id.digest};
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

    void evaluationDecodesAsItIsTold()
    {
        const ParameterSet all(stageParameters(StageKind::Evaluate));
        const auto base = with(
            all, {"threads=1", "evaluate.samples=3", "evaluate.max_tokens=60", "evaluate.verifier=false"});
        const auto programs = [&](std::initializer_list<const char*> assignments) {
            const fs::path path = fs::absolute("decoded");
            auto run = newRun(path, StageKind::Evaluate, with(base, assignments));
            must(runStage(run, environmentWith(m_judge, m_sft)));
            std::vector<double> logProbs;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries)
                if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                    logProbs.push_back(sample->logProb);
            return logProbs;
        };
        const auto greedy = programs({"evaluate.greedy=true"});
        QCOMPARE(greedy.size(), std::size_t(3));
        QCOMPARE(greedy[0], greedy[2]);
        QCOMPARE(programs({"evaluate.top_k=1"})[0], greedy[0]);
        QCOMPARE(programs({"evaluate.top_p=0.000001"})[1], greedy[0]);
        const auto beam = programs({"evaluate.beam=3"});
        QCOMPARE(beam.size(), std::size_t(3));
        QVERIFY(beam[0] != beam[1]);
        QVERIFY(programs({})[0] != programs({"evaluate.broad_share=1", "evaluate.broad_temperature=0.2"})[0]);
        auto run = newRun(fs::absolute("decoded"), StageKind::Evaluate, with(base, {"evaluate.beam=2"}));
        const auto tooMany = runStage(run, environmentWith(m_judge, m_sft));
        QVERIFY(!tooMany && tooMany.error().sentence().find("evaluate.beam") != std::string::npos);
    }

    void rejectionFineTuningLearnsWhatItKeeps()
    {
        // Correct on one matrix only: nothing of the other is learned.
        PartialJudge judge;
        judge.good = {someMatrices()[0].target.id.digest};
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
        QVERIFY(kept->find(someMatrices()[0].target.id.digest) != std::string::npos);
        QVERIFY(kept->find(someMatrices()[1].target.id.digest) == std::string::npos);
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

    void controlIsAppliedBetweenIterations()
    {
        const fs::path path = fs::absolute("steered");
        auto run = newRun(path, StageKind::Rl, tinyRl());
        auto environment = environmentWith(m_judge, m_sft);
        bool sent = false;
        environment.onEvent = [&](std::int64_t step, const Event& event) {
            if (std::holds_alternative<MetricEvent>(event) && step == 1 && !sent) {
                sent = true;
                const auto send = [&](ControlCommand::Kind kind, const char* key = "",
                                      const char* value = "") {
                    QVERIFY(appendControl(path, {{}, 0, kind, key, value}));
                };
                send(ControlCommand::Kind::Set, "rl.lr", "0.002");
                send(ControlCommand::Kind::Set, "rl.lr", "-3");
                send(ControlCommand::Kind::Set, "rl.algorithm", "rloo");
                send(ControlCommand::Kind::Set, "no.such", "1");
                send(ControlCommand::Kind::Checkpoint);
            }
            if (std::holds_alternative<MetricEvent>(event) && step == 3)
                QVERIFY(appendControl(path, {{}, 0, ControlCommand::Kind::Stop, "", ""}));
        };
        const auto outcome = must(runStage(run, environment));
        QVERIFY(outcome.end == StageOutcome::End::Stopped);
        QCOMPARE(outcome.step, std::int64_t(3));
        QVERIFY(run.lastState()->state == RunState::Paused);
        int applied = 0, refused = 0;
        const auto entries = readWholeJournal(path);
        for (const auto& entry : *entries) {
            if (const auto* control = std::get_if<ControlEvent>(&entry.event); control != nullptr) {
                if (control->command == "set" && control->outcome == "applied") {
                    ++applied;
                    QCOMPARE(control->effectiveStep, std::int64_t(1));
                }
                refused += control->outcome == "refused" ? 1 : 0;
            }
        }
        QCOMPARE(applied, 1);
        QCOMPARE(refused, 3);
        auto metrics = metricsOf(path);
        QVERIFY(std::abs(metrics.at("train 2 actor/lr") - 0.002) < 1e-12);
        // The change survives a resume.
        must(runStage(run, environmentWith(m_judge, m_sft)));
        metrics = metricsOf(path);
        QVERIFY(std::abs(metrics.at("train 4 actor/lr") - 0.002) < 1e-12);
    }

    void pauseHoldsUntilResume()
    {
        const fs::path path = fs::absolute("paused");
        auto parameters = tinySft();
        QVERIFY(parameters.setAssignment("eval.samples=0"));
        auto run = newRun(path, StageKind::Sft, parameters);
        auto environment = environmentWith(m_judge);
        std::vector<std::string> states;
        environment.onEvent = [&](std::int64_t step, const Event& event) {
            if (const auto* state = std::get_if<StateEvent>(&event)) {
                states.emplace_back(nameOf(state->state));
                if (state->state == RunState::Paused)
                    QVERIFY(appendControl(path, {{}, 0, ControlCommand::Kind::Resume, "", ""}));
            }
            if (std::holds_alternative<MetricEvent>(event) && step == 2)
                QVERIFY(appendControl(path, {{}, 0, ControlCommand::Kind::Pause, "", ""}));
        };
        must(runStage(run, environment));
        QCOMPARE(states, (std::vector<std::string>{"running", "paused", "running", "done"}));
    }

    /// A policy is given, and programs are judged on, matrices whose rows and columns were exchanged.
    void evaluatesMatricesInAnotherOrder()
    {
        const ParameterSet all(stageParameters(StageKind::Evaluate));
        const auto base =
            with(all, {"threads=1", "evaluate.samples=1", "evaluate.max_tokens=40", "evaluate.split=all",
                       "evaluate.information=0", "evaluate.exchange=false"});
        const auto digests = [&](const char* assignment, const char* seed) {
            const fs::path path = fs::absolute("in-order");
            auto run = newRun(path, StageKind::Evaluate, with(base, {assignment, seed}));
            must(runStage(run, environmentWith(m_judge, m_sft)));
            std::map<std::string, std::string> found;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries)
                if (const auto* row = std::get_if<EvaluationEvent>(&entry.event))
                    found[row->target.name] = row->target.digest;
            return found;
        };
        const auto plain = digests("evaluate.order=as-is", "seed=1");
        const auto shuffled = digests("evaluate.order=shuffled", "seed=1");
        QCOMPARE(plain.size(), environmentWith(m_judge).matrices.size());
        for (const auto& matrix : environmentWith(m_judge).matrices) {
            QCOMPARE(plain.at(matrix.target.id.name), matrix.target.id.digest);
            QVERIFY(shuffled.at(matrix.target.id.name) != matrix.target.id.digest);
            QCOMPARE(shuffled.at(matrix.target.id.name).size(), matrix.target.id.digest.size());
        }
        QVERIFY(digests("evaluate.order=shuffled", "seed=1") == shuffled);
        QVERIFY(digests("evaluate.order=shuffled", "seed=2") != shuffled);
    }

    void findsTheBestTemperatureOnTrainingMatrices()
    {
        /// Every program is correct, its time drawn by its text. Keeps what it was asked for.
        struct Judge : GenerousJudge
        {
            std::set<std::string> matrices;
            Result<std::vector<VerdictRecord>>
            judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
                  const std::function<void(std::size_t, const VerdictRecord&)>& done) override
            {
                for (const auto& request : requests)
                    matrices.insert(request.target.id.name);
                return GenerousJudge::judge(requests, cancel, done);
            }
        } judge;
        const auto base =
            with(ParameterSet(stageParameters(StageKind::Evaluate)),
                 {"threads=1", "evaluate.samples=4", "evaluate.max_tokens=30", "evaluate.information=2",
                  "evaluate.exchange=false", "evaluate.verifier=false"});
        struct Found
        {
            std::string said;
            std::vector<std::string> programs;
            double information = 0;
        };
        const auto evaluated = [&](const char* assignment) {
            const fs::path path = fs::absolute("at-temperature");
            auto run = newRun(path, StageKind::Evaluate, with(base, {assignment}));
            auto environment = environmentWith(judge, m_sft);
            environment.matrices.push_back(environment.matrices.front()); // two held-out ones
            environment.matrices.back().heldOut = true;
            environment.matrices.back().target.id.name = "again";
            must(runStage(run, environment));
            Found found;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries) {
                if (const auto* log = std::get_if<LogEvent>(&entry.event);
                    log != nullptr && log->text.starts_with("Programs are sampled at temperature"))
                    found.said += log->text;
                if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                    found.programs.push_back(sample->programHash);
            }
            found.information =
                metricsOf(path).at("held-out 2 " + std::string(metric::programInformation.text));
            return found;
        };
        const auto chosen = evaluated("evaluate.temperatures=0.05, 0.8,3");
        for (const auto& matrix : environmentWith(judge).matrices)
            QVERIFY(
                judge.matrices.contains(matrix.target.id.name)); // training ones too, which are not evaluated
        static const QRegularExpression sentence(QStringLiteral(
            "temperature (\\S+): the mean reward on 2 training matrices is (\\S+) at 0.05, (\\S+) at 0.8, "
            "(\\S+) at 3$"));
        const auto match = sentence.match(QString::fromStdString(chosen.said));
        QVERIFY2(match.hasMatch(), chosen.said.c_str());
        const double rewards[] = {match.captured(2).toDouble(), match.captured(3).toDouble(),
                                  match.captured(4).toDouble()};
        const char* const texts[] = {"0.05", "0.8", "3"};
        const auto best = std::max_element(rewards, rewards + 3) - rewards;
        QVERIFY(rewards[0] != rewards[1] && rewards[1] != rewards[2]);
        QCOMPARE(match.captured(1), QString::fromLatin1(texts[best]));
        // The evaluation is then that at this temperature.
        for (int i = 0; i < 3; ++i) {
            const auto plain = evaluated((std::string("evaluate.temperature=") + texts[i]).c_str());
            QVERIFY(plain.said.empty());
            QCOMPARE(plain.programs == chosen.programs, i == best);
            QCOMPARE(plain.information == chosen.information, i == best);
        }

        for (const char* wrong : {"evaluate.temperatures=0.5,x", "evaluate.temperatures=0,1"}) {
            auto run = newRun(fs::absolute("no-temperature"), StageKind::Evaluate, with(base, {wrong}));
            const auto refused = runStage(run, environmentWith(judge, m_sft));
            QVERIFY(!refused &&
                    refused.error().sentence().find("no list of temperatures") != std::string::npos);
        }
        auto run = newRun(fs::absolute("no-temperature"), StageKind::Evaluate,
                          with(base, {"evaluate.temperatures=0.5,1", "evaluate.greedy=true"}));
        QVERIFY(!runStage(run, environmentWith(judge, m_sft)));
    }

    void aBudgetEndsEvaluationsBetweenRounds()
    {
        const ParameterSet all(stageParameters(StageKind::Evaluate));
        const auto base =
            with(all, {"threads=1", "evaluate.samples=70", "evaluate.max_tokens=12", "evaluate.information=0",
                       "evaluate.exchange=false", "evaluate.verifier=false"});
        const auto counts = [&](const char* budget, std::set<std::string>& programs) {
            const fs::path path = fs::absolute(std::string("in-budget-") + budget);
            auto run = newRun(path, StageKind::Evaluate, with(base, {budget}));
            must(runStage(run, environmentWith(m_judge, m_sft)));
            std::set<std::int64_t> found;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries) {
                if (const auto* row = std::get_if<EvaluationEvent>(&entry.event))
                    found.insert(row->samples);
                if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                    programs.insert(sample->programHash);
            }
            return found;
        };
        std::set<std::string> few, many;
        QCOMPARE(counts("evaluate.budget=0.0001", few), std::set<std::int64_t>{32});
        QCOMPARE(counts("evaluate.budget=1e6", many), std::set<std::int64_t>{70});
        QVERIFY(many.size() > few.size()); // rounds do not repeat each other
        for (const auto& program : few)
            QVERIFY(many.count(program) == 1);
        auto run = newRun(fs::absolute("no-budget"), StageKind::Evaluate,
                          with(base, {"evaluate.budget=1", "evaluate.greedy=true"}));
        const auto refused = runStage(run, environmentWith(m_judge, m_sft));
        QVERIFY(!refused && refused.error().sentence().find("greedy") != std::string::npos);
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

    /// Scores of programs under their own matrix are what the sampler reported when it wrote them; a program
    /// gets the same score in whatever company it is scored.
    void scoresAreTheSamplers()
    {
        const auto policy = Policy::load(*findPolicy(m_sft));
        QVERIFY(policy);
        const auto matrices = someMatrices();
        const MatrixViews views(*policy, matrices, 1);
        std::vector<EncoderInput> inputs;
        std::vector<SampleRequest> requests;
        for (const auto& matrix : matrices) {
            for (std::uint64_t seed = 0; seed < 3; ++seed)
                requests.push_back({static_cast<int>(inputs.size()), seed});
            inputs.push_back(views.input(matrix.target.id.digest));
        }
        SamplingOptions options;
        options.temperature = 0.7;
        options.maxTokens = 30;
        const auto samples = policy->generate(inputs, requests, options);
        std::vector<WrittenProgram> programs;
        for (std::size_t i = 0; i < samples.size(); ++i)
            programs.push_back({requests[i].input, samples[i].tokens});
        const auto scores = scorePrograms(*policy, inputs, programs, 0.7, {});
        QVERIFY(scores);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            double sum = 0;
            for (const float logProb : samples[i].logProbs)
                sum += logProb;
            const double own = scores->scores[i][static_cast<std::size_t>(programs[i].input)];
            QVERIFY2(std::abs(own - sum) < 1e-3 * (1 + std::abs(sum)), std::to_string(own - sum).c_str());
            const auto alone = scorePrograms(*policy, {inputs[2]}, {{0, samples[i].tokens}}, 0.7, {});
            QVERIFY(std::abs(alone->scores[0][0] - scores->scores[i][2]) < 1e-3 * (1 + std::abs(sum)));
        }
        CancelToken interrupted;
        interrupted.cancel();
        QVERIFY(!scorePrograms(*policy, inputs, programs, 0.7, interrupted));
        QCOMPARE(evenlySpread(10, 3), (std::vector<std::size_t>{1, 5, 8}));
        QCOMPARE(evenlySpread(2, 5), (std::vector<std::size_t>{0, 1}));
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
        for (const fs::path& run : {m_sft, fs::absolute("ppo"), fs::absolute("evaluate"), solved, prompted}) {
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
        Rollout rollout;
        rollout.inputs.push_back({std::make_shared<const MatrixTokens>(), {}});
        rollout.items.push_back(item);
        const auto statistics = rolloutMetrics(rollout);
        QCOMPARE(statistics.at(metric::speedupGeomean), 2.0);
        for (const auto& [name, value] : statistics)
            emitted.insert(name);
        for (const auto& name : emitted)
            QVERIFY2(findMetric(name), (name + " is not in metrics.def").c_str());
        for (const auto& description : metricDescriptions()) {
            for (const auto& name : description.names()) {
                const auto number = name.find('#');
                const bool found = number == std::string::npos
                                       ? emitted.contains(name)
                                       : emitted.contains(name.substr(0, number) + "1");
                QVERIFY2(found, (name + " is declared, but no stage emits it").c_str());
            }
        }
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
};

QTEST_GUILESS_MAIN(TestTrainingStages)
#include "tst_training_stages.moc"
