// SPDX-License-Identifier: Apache-2.0
// rl.judge_ahead: verdicts on the next iteration's programs come while the policy learns from this one. What
// is computed then is held against plain PyTorch in tst_training_replay.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"
#include "together.h"

#include "corpus/corpus.h"
#include "project/run/journal.h"
#include "training/learning/learner.h"
#include "training/sampling/judge_ahead.h"
#include "training/work/measuring.h"
#include "training/work/stage_setup.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace sparserl;
using namespace sparserl::test;

namespace {

ParameterSet ahead(const char* algorithm = "ppo")
{
    return with(tinyRl(algorithm), {"rl.judge_ahead=true"});
}

} // namespace

class TestTrainingAhead : public QObject
{
    Q_OBJECT

private:
    ScratchFolder m_scratch;
    FakeJudge m_judge;
    fs::path m_sft = fs::absolute("sft");

private Q_SLOTS:
    void initTestCase()
    {
        auto run = newRun(m_sft, StageKind::Sft, tinySft());
        must(runStage(run, environmentWith(m_judge)));
    }

    /// Nothing of an iteration is learned from before the judge has begun with the next one's programs.
    void theJudgeWorksWhileThePolicyLearns()
    {
        class SlowJudge : public FakeJudge
        {
        public:
            std::atomic<int> begun = 0;
            Result<std::vector<VerdictRecord>>
            judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
                  const std::function<void(std::size_t, const VerdictRecord&)>& done) override
            {
                ++begun;
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                return FakeJudge::judge(requests, cancel, done);
            }
        };
        SlowJudge judge;
        auto environment = environmentWith(judge, m_sft);
        std::vector<int> begunAt;
        int rewards = 0;
        environment.onExperience = [&](std::int64_t iteration, const Experience&) {
            if (iteration == 0) // the statistics of rewards may have asked the judge too
                rewards = judge.calls - 1;
            const int wanted = rewards + static_cast<int>(iteration) + 2;
            if (iteration < 3)
                QVERIFY(comesTrue([&] { return judge.begun >= wanted; }));
            begunAt.push_back(judge.begun - rewards);
        };
        auto run = newRun(fs::absolute("overlapped"), StageKind::Rl,
                          with(ahead(), {"eval.every=0", "eval.samples=0", "rl.value_pretrain=0"}));
        must(runStage(run, environment));
        QCOMPARE(begunAt, (std::vector<int>{2, 3, 4, 4}));
    }

    /// The samples of an iteration are those of the policy before the last update: what a policy that had not
    /// learned would have written.
    void samplesAreOneUpdateBehind()
    {
        const auto samplesOf = [&](const char* name, const ParameterSet& parameters) {
            std::vector<Experience> all;
            auto environment = environmentWith(m_judge, m_sft);
            environment.onExperience = [&](std::int64_t, const Experience& experience) {
                all.push_back(experience);
            };
            auto run = newRun(fs::absolute(name), StageKind::Rl, parameters);
            must(runStage(run, environment));
            return all;
        };
        const auto quiet = {"eval.every=0", "eval.samples=0", "rl.value_pretrain=0", "rl.lr=0.01"};
        const auto behind = samplesOf("behind", with(ahead(), quiet));
        const auto frozen =
            samplesOf("frozen", with(tinyRl(), {"eval.every=0", "eval.samples=0", "rl.value_pretrain=4"}));
        const auto usual = samplesOf("usual", with(tinyRl(), quiet));
        QCOMPARE(behind.size(), std::size_t(4));
        QCOMPARE(behind[1].batch.targets, frozen[1].batch.targets);
        QCOMPARE(behind[1].samplerLogProbs, frozen[1].samplerLogProbs);
        QVERIFY(usual[1].samplerLogProbs != frozen[1].samplerLogProbs); // the policy has learned something
        QVERIFY(behind[2].samplerLogProbs != frozen[2].samplerLogProbs);
        // The first are its own; those behind it are corrected for.
        QVERIFY(behind[0].behaviourLogProbs.empty() && usual[1].behaviourLogProbs.empty());
        QCOMPARE(behind[1].behaviourLogProbs, behind[1].samplerLogProbs);
    }

    void interruptedEqualsUninterrupted_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::newRow("ppo") << "ppo";
        QTest::newRow("self-critical") << "self-critical";
    }
    void interruptedEqualsUninterrupted()
    {
        QFETCH(QString, algorithm);
        const auto parameters = ahead(qPrintable(algorithm));
        const fs::path whole = fs::absolute("whole"), path = fs::absolute("interrupted");
        auto undisturbed = newRun(whole, StageKind::Rl, parameters);
        must(runStage(undisturbed, environmentWith(m_judge, m_sft)));
        auto run = newRun(path, StageKind::Rl, parameters);
        QVERIFY(runInterrupted(run, m_judge, m_sft) >= 3);
        compareRuns(whole, path);
    }

    void unmeasuredOnesToo_data()
    {
        QTest::addColumn<bool>("isAhead");
        QTest::addColumn<QString>("share");
        QTest::addColumn<QString>("clusters");
        QTest::newRow("half") << false << "0.5"
                              << "0";
        QTest::newRow("half, ahead") << true << "0.5"
                                     << "0";
        QTest::newRow("clusters, ahead") << true << "1"
                                         << "1";
    }
    /// Where times are predicted: an interrupted run equals one that was not, the journal marks what was not
    /// measured, rewards count it, and held-out programs are all measured.
    void unmeasuredOnesToo()
    {
        QFETCH(bool, isAhead);
        QFETCH(QString, share);
        QFETCH(QString, clusters);
        auto parameters = with(tinyRl("grpo"), {"rl.matrices=2", "rl.samples=12", "rl.minibatch=12"});
        QVERIFY(parameters.setText("rl.judge_ahead", isAhead ? "true" : "false"));
        QVERIFY(parameters.setText("rl.measured_share", share.toStdString()));
        QVERIFY(parameters.setText("rl.matrix_clusters", clusters.toStdString()));
        const auto corpus = [](StageEnvironment& environment) {
            environment.replaceSample = [](std::uint64_t seed, std::size_t sample) {
                Rng rng = Rng(seed % 7).derive(sample % 9);
                const auto program = derive(rng.chance(0.5) ? "S1" : "S3", {}, Style::sample(0.9, rng));
                return std::optional(program->text);
            };
        };
        const fs::path whole = fs::absolute("predicted"), path = fs::absolute("predicted-interrupted");
        auto environment = environmentWith(m_judge, m_sft);
        corpus(environment);
        auto undisturbed = newRun(whole, StageKind::Rl, parameters);
        must(runStage(undisturbed, environment));
        auto run = newRun(path, StageKind::Rl, parameters);
        QVERIFY(runInterrupted(run, m_judge, m_sft, corpus) >= 3);
        compareRuns(whole, path);

        const auto entries = readWholeJournal(whole);
        QVERIFY(entries);
        std::map<std::string, double> efficiency;
        int predicted = 0, measured = 0;
        for (const auto& entry : *entries) {
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                efficiency[sample->programHash + sample->target.contents] =
                    sample->rewardParts.at("efficiency");
            const auto* verdict = std::get_if<VerdictEvent>(&entry.event);
            if (verdict == nullptr || !verdict->record.correct())
                continue;
            const auto& record = verdict->record;
            (record.warm ? measured : predicted) += 1;
            QCOMPARE(record.flags.has(VerdictFlag::NotMeasured), !record.warm.has_value());
            QCOMPARE(record.predictedMicroseconds > 0, !record.warm.has_value());
            if (!record.warm)
                QVERIFY(efficiency.at(record.programHash + record.target.contents) != 0);
            if (record.target.name.starts_with("random"))
                QVERIFY(record.warm); // held out
        }
        QVERIFY(predicted > 0 && measured > 0);
    }

    /// Two processes share the programs and come to the records of one.
    void severalProcessesPredictAlike()
    {
        const auto matrices = someMatrices();
        std::vector<std::vector<CachedJudge::Request>> calls(4);
        Rng rng(4);
        for (auto& requests : calls)
            for (int i = 0; i < 24; ++i) {
                const auto program = derive(i % 3 ? "S1" : "S3", {}, Style::sample(0.9, rng));
                requests.push_back({program->text, &matrices[static_cast<std::size_t>(i % 2)]});
            }
        const auto judged = [&](const std::shared_ptr<ProcessGroup>& group) {
            FakeJudge judge;
            CachedJudge cached(judge, 1, group);
            MeasuringJudge measuring(cached, {&matrices[0], &matrices[1]},
                                     {0.4, 0, 0.6, 3, defaultDeviceModel()});
            std::string all;
            for (const auto& requests : calls) {
                const auto records = measuring.judge(requests, {});
                if (!records)
                    return records.error().sentence();
                for (const auto& record : *records)
                    all += toJson(record).dump() + "\n";
            }
            return all;
        };
        const auto alone = judged(std::make_shared<ProcessGroup>());
        QVERIFY(alone.find("predicted_us") != std::string::npos);
        QCOMPARE(together<std::string>(2, judged), alone);
    }

    /// A judge that fails ends the run with its sentence; going on from the last checkpoint gives the same.
    void aFailureOfTheJudgeIsTold()
    {
        const auto parameters = ahead();
        const fs::path whole = fs::absolute("whole-2"), path = fs::absolute("failed");
        auto undisturbed = newRun(whole, StageKind::Rl, parameters);
        must(runStage(undisturbed, environmentWith(m_judge, m_sft)));
        auto run = newRun(path, StageKind::Rl, parameters);
        FakeJudge broken;
        broken.failAfter = 4;
        const auto outcome = runStage(run, environmentWith(broken, m_sft));
        QVERIFY(!outcome);
        QVERIFY(outcome.error().sentence().find("runner is gone") != std::string::npos);
        must(runStage(run, environmentWith(m_judge, m_sft)));
        compareRuns(whole, path);
    }

    void severalProcessesAreASentence()
    {
        const auto said = together<std::string>(2, [&](const std::shared_ptr<ProcessGroup>& group) {
            FakeJudge judge;
            auto environment = environmentWith(judge, m_sft);
            environment.processes = group;
            const fs::path path = fs::absolute("several");
            std::optional<RunDirectory> run;
            if (group->leads())
                run.emplace(newRun(path, StageKind::Rl, ahead()));
            group->gather({});
            if (!run)
                run.emplace(*RunDirectory::open(path));
            const auto outcome = runStage(*run, environment);
            return outcome ? std::string() : outcome.error().sentence();
        });
        QVERIFY2(said.find("one process") != std::string::npos, said.c_str());
    }

    /// What decides where rl.judge_ahead is refused: nobody measures on a GPU that learns.
    void whereTheJudgeMeasures_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("gpus");
        QTest::addColumn<int>("policy");
        QTest::addColumn<bool>("there");
        QTest::newRow("simulator") << "sim"
                                   << "0" << 0 << false;
        QTest::newRow("same") << "cuda"
                              << "0" << 0 << true;
        QTest::newRow("auto") << "auto"
                              << "0" << 0 << true;
        QTest::newRow("another") << "cuda"
                                 << "1" << 0 << false;
        QTest::newRow("one of several") << "cuda"
                                        << "2,1" << 1 << true;
        QTest::newRow("none of several") << "auto"
                                         << "2,1" << 0 << false;
    }

    void whereTheJudgeMeasures()
    {
        QFETCH(QString, device);
        QFETCH(QString, gpus);
        QFETCH(int, policy);
        QFETCH(bool, there);
        auto parameters = ahead();
        QVERIFY(parameters.setText("judge.device", device.toStdString()));
        QVERIFY(parameters.setText("judge.gpus", gpus.toStdString()));
        QCOMPARE(*measuresOnGpu(parameters, policy), there);
    }

    void whatIsNotAskedForIsForgotten()
    {
        CachedJudge cached(m_judge, 1, std::make_shared<ProcessGroup>(), 3);
        const auto matrices = someMatrices();
        const auto ask = [&](std::initializer_list<const char*> programs) {
            std::vector<CachedJudge::Request> requests;
            for (const char* program : programs)
                requests.push_back({program, &matrices[0], false, {}});
            const auto before = cached.misses();
            const auto records = cached.judge(requests, {});
            if (!records || records->size() != requests.size())
                return std::int64_t(-1);
            for (std::size_t i = 0; i < requests.size(); ++i) {
                if ((*records)[i].programHash != requests[i].program.hash())
                    return std::int64_t(-1);
            }
            return cached.misses() - before;
        };
        QCOMPARE(ask({"a", "b", "c"}), std::int64_t(3));
        QCOMPARE(ask({"a", "b", "c", "a"}), std::int64_t(0));
        QCOMPARE(ask({"b"}), std::int64_t(0));
        QCOMPARE(ask({"d"}), std::int64_t(1)); // c is the one that nobody asked for since
        QCOMPARE(ask({"a", "b", "d"}), std::int64_t(0));
        QCOMPARE(ask({"c"}), std::int64_t(1));
        // More at once than it remembers, some of them twice.
        QCOMPARE(ask({"1", "2", "3", "4", "5", "1", "5"}), std::int64_t(5));
        QCOMPARE(ask({"5", "4", "3"}), std::int64_t(0));
        QCOMPARE(ask({"1"}), std::int64_t(1));
    }

    void whatWasBegunIsFinishedBeforeTheJudgeIsFree()
    {
        CachedJudge cached(m_judge, 1);
        JudgeAhead judge([&](const auto& requests, const auto& cancel, const auto& done) {
            return cached.judge(requests, cancel, done);
        });
        QVERIFY(isInterruption(judge.take().error())); // nothing was begun
        const auto matrices = someMatrices();
        std::vector<CachedJudge::Request> requests;
        for (int i = 0; i < 20; ++i)
            requests.push_back({"program " + std::to_string(i), &matrices[0], false, {}});
        judge.begin(requests, {});
        judge.wait();
        QCOMPARE(cached.misses(), std::int64_t(20));
        const auto records = judge.take();
        QVERIFY(records);
        for (std::size_t i = 0; i < requests.size(); ++i)
            QCOMPARE((*records)[i].programHash, requests[i].program.hash());
        CancelToken cancelled;
        cancelled.cancel();
        for (auto& request : requests)
            request.program = request.program.text() + " more";
        judge.begin(requests, cancelled);
        QVERIFY(isInterruption(judge.take().error()));
    }
};

QTEST_GUILESS_MAIN(TestTrainingAhead)
#include "tst_training_ahead.moc"
