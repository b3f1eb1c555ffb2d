// SPDX-License-Identifier: Apache-2.0
// Stages that are interrupted, fail, are told something on the way, and go on.
#include "causal_parent.h"
#include "generous_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/files.h"
#include "base/rng.h"
#include "tests/drawn_share.h"
#include "training/work/stage.h"
#include "training/work/stage_context.h"

#include <QtTest>
#include <atomic>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

/// Of this process so far. Other processes of the machine make nothing longer by it.
double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

class TestTrainingInterruptions : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;
    test::FakeJudge m_judge;
    fs::path m_sft = fs::absolute("sft"), m_causal = fs::absolute("causal"), m_lora = fs::absolute("lora");

    /// What reinforcement learning of a kind of policies begins with.
    fs::path parentOf(const QString& policy) const
    {
        return policy == u"causal" ? m_causal : policy == u"lora" ? m_lora : m_sft;
    }
    /// The same of fine-tuning, which draws a T5 itself.
    fs::path startOf(const QString& policy) const { return policy == u"t5" ? fs::path() : parentOf(policy); }

private Q_SLOTS:
    void initTestCase()
    {
        auto run = newRun(m_sft, StageKind::Sft, tinySft());
        QVERIFY(must(runStage(run, environmentWith(m_judge))).end == StageOutcome::End::Done);
        importCausalParent(m_causal, "qwen3");
        adaptCausalParent(m_causal, m_lora);
    }

    void sftInterruptedEqualsUninterrupted_data()
    {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"t5", "causal", "lora"})
            QTest::newRow(policy) << QString::fromLatin1(policy);
    }
    void sftInterruptedEqualsUninterrupted()
    {
        QFETCH(QString, policy);
        const fs::path start = startOf(policy);
        const fs::path whole = start.empty() ? m_sft : fs::absolute("sft-whole");
        if (!start.empty()) {
            auto undisturbed = newRun(whole, StageKind::Sft, tinySft());
            must(runStage(undisturbed, environmentWith(m_judge, start)));
        }
        const fs::path path = fs::absolute("sft-interrupted");
        auto run = newRun(path, StageKind::Sft, tinySft());
        int interruptions = 0;
        for (;;) {
            auto environment = environmentWith(m_judge, start);
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
        compareRuns(whole, path);
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

    void rlInterruptedEqualsUninterrupted_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<bool>("ppo");
        QTest::newRow("ppo") << QStringLiteral("t5") << true;
        QTest::newRow("grpo with dynamic sampling and token classes") << QStringLiteral("t5") << false;
        const test::DrawnShare share(2);
        for (const char* policy : {"causal", "lora"})
            for (const bool isPpo : {true, false}) {
                const std::string name = fmt::format("{}, {}", policy, isPpo ? "ppo" : "grpo");
                if (share.has(name))
                    QTest::newRow(name.c_str()) << QString::fromLatin1(policy) << isPpo;
            }
    }
    void rlInterruptedEqualsUninterrupted()
    {
        QFETCH(QString, policy);
        QFETCH(bool, ppo);
        const auto parameters =
            ppo ? tinyRl()
                : with(tinyRl("grpo"), {"rl.resample_rounds=2", "rl.token_classes=true",
                                        "reward.preset=hierarchical", "rl.kl_target=0.1", "rl.kl_coef=0.1"});
        PartialJudge partial;
        partial.good = {someMatrices()[0].target.id.contents};
        Judge& judge = ppo ? static_cast<Judge&>(m_judge) : partial;
        const fs::path whole = fs::absolute(ppo ? "ppo" : "grpo");
        auto undisturbed = newRun(whole, StageKind::Rl, parameters);
        must(runStage(undisturbed, environmentWith(judge, parentOf(policy))));
        const fs::path path = fs::absolute("rl-interrupted");
        auto run = newRun(path, StageKind::Rl, parameters);
        QVERIFY(runInterrupted(run, judge, parentOf(policy)) >= 3);
        compareRuns(whole, path);
    }

    void interruptedAtAnyMoment_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<bool>("sft");
        QTest::newRow("sft") << QStringLiteral("t5") << true;
        QTest::newRow("ppo") << QStringLiteral("t5") << false;
        const test::DrawnShare share(2);
        if (share.has("moment of causal"))
            QTest::newRow("causal, ppo") << QStringLiteral("causal") << false;
        if (share.has("moment of lora"))
            QTest::newRow("lora, sft") << QStringLiteral("lora") << true;
    }
    /// Mostly within a gradient update: what was begun is taken back, so that the checkpoint is one of a
    /// whole step, and the stage ends at once.
    void interruptedAtAnyMoment()
    {
        QFETCH(QString, policy);
        QFETCH(bool, sft);
        const StageKind kind = sft ? StageKind::Sft : StageKind::Rl;
        auto parameters = sft ? tinySft() : tinyRl();
        if (sft) {
            for (const char* assignment : {"sft.batch=48", "sft.micro_batch=1", "eval.samples=0"})
                QVERIFY(parameters.setAssignment(assignment));
        } else {
            for (const char* assignment : {"rl.iterations=3", "rl.epochs=15", "rl.value_epochs=4",
                                           "rl.micro_batch=1", "checkpoint.every=100"})
                QVERIFY(parameters.setAssignment(assignment));
        }
        const fs::path parent = sft ? startOf(policy) : parentOf(policy);
        const fs::path whole = fs::absolute("whole");
        auto undisturbed = newRun(whole, kind, parameters);
        const double begin = processorSeconds();
        must(runStage(undisturbed, environmentWith(m_judge, parent)));
        const double seconds = processorSeconds() - begin;

        const fs::path path = fs::absolute("any-moment");
        auto run = newRun(path, kind, parameters);
        Rng rng(7);
        int interruptions = 0;
        double slowest = 0;
        for (;;) {
            auto environment = environmentWith(m_judge, parent);
            // Later and later, so that it ends whatever it costs to begin again.
            const double delay = seconds * (0.1 + 0.1 * interruptions) * (0.5 + rng.uniform());
            std::atomic<double> cancelled = 0;
            std::jthread interrupter([&](const std::stop_token& stop) {
                const double since = processorSeconds();
                while (!stop.stop_requested() && processorSeconds() - since < delay)
                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                cancelled = processorSeconds();
                environment.cancel.cancel();
            });
            const auto outcome = must(runStage(run, environment));
            if (outcome.end == StageOutcome::End::Done)
                break;
            slowest = std::max(slowest, processorSeconds() - cancelled);
            QVERIFY(outcome.end == StageOutcome::End::Interrupted);
            const auto last = run.latestCheckpoint();
            QVERIFY(!last || last->step == outcome.step);
            QVERIFY(++interruptions < 100);
        }
        QVERIFY(interruptions >= 3);
        qInfo("%d interruptions, at most %.2f s of the processor until the end; the whole run takes %.2f s",
              interruptions, slowest, seconds);
        QVERIFY2(slowest < 10, std::to_string(slowest).c_str());
        compareRuns(whole, path);
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
        int applied = 0, refused = 0, answered = 0;
        std::string saved;
        const auto entries = readWholeJournal(path);
        for (const auto& entry : *entries) {
            if (const auto* control = std::get_if<ControlEvent>(&entry.event); control != nullptr) {
                if (control->command == "set" && control->outcome == "applied") {
                    ++applied;
                    QCOMPARE(control->effectiveStep, std::int64_t(1));
                }
                refused += control->outcome == "refused" ? 1 : 0;
                // The answer names the checkpoint, and comes behind it.
                if (control->command == "checkpoint") {
                    QCOMPARE(control->message, "saved " + saved);
                    ++answered;
                }
            } else if (const auto* event = std::get_if<CheckpointEvent>(&entry.event)) {
                saved = event->name;
            }
        }
        QCOMPARE(applied, 1);
        QCOMPARE(refused, 3);
        QCOMPARE(answered, 1);
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

    /// LibTorch says that the GPU is lost: in the middle of a step, where no call can mend it.
    void aVanishedGpuEndsInASentence()
    {
        const fs::path path = fs::absolute("gpu-lost");
        auto run = newRun(path, StageKind::Sft, tinySft());
        auto environment = environmentWith(m_judge);
        environment.onEvent = [](std::int64_t step, const Event& event) {
            if (std::holds_alternative<MetricEvent>(event) && step == 3)
                throw c10::AcceleratorError(
                    {__func__, __FILE__, __LINE__}, 719,
                    "CUDA error: unspecified launch failure\nCompile with `TORCH_USE_CUDA_DSA`");
        };
        const auto outcome = runStage(run, environment);
        QVERIFY(!outcome);
        const auto sentence = outcome.error().sentence();
        QVERIFY2(sentence.starts_with("the GPU failed: CUDA error: unspecified launch failure"),
                 sentence.c_str());
        QVERIFY2(sentence.find("TORCH_USE") == std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find("nvidia-smi") != std::string::npos, sentence.c_str());
        const auto last = run.latestCheckpoint();
        QVERIFY(last);
        QVERIFY2(sentence.find(last->name) != std::string::npos, sentence.c_str());
        QVERIFY(Policy::load(last->path));
        QVERIFY(run.lastState()->state == RunState::Failed);
        QVERIFY(run.lastState()->reason == sentence);
        // With a GPU again, it ends as if nothing had been.
        QVERIFY(must(runStage(run, environmentWith(m_judge))).end == StageOutcome::End::Done);
        compareRuns(m_sft, path);
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
};

QTEST_GUILESS_MAIN(TestTrainingInterruptions)
#include "tst_training_interruptions.moc"
