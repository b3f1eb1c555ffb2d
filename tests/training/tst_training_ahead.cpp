// SPDX-License-Identifier: Apache-2.0
// rl.judge_ahead: verdicts on the next iteration's programs come while the policy learns from this one. What
// is computed then is held against plain PyTorch in tst_training_replay.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"
#include "together.h"

#include "training/judge_ahead.h"
#include "training/learner.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace sparserl;
using namespace sparserl::test;

namespace {

template <typename Condition>
bool comesTrue(const Condition& condition)
{
    for (int i = 0; i < 2000 && !condition(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
}

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

    void whatWasBegunIsFinishedBeforeTheJudgeIsFree()
    {
        CachedJudge cached(m_judge, 1);
        JudgeAhead judge(cached);
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
            QCOMPARE((*records)[i].programHash, sha256Hex(requests[i].program));
        CancelToken cancelled;
        cancelled.cancel();
        for (auto& request : requests)
            request.program += " more";
        judge.begin(requests, cancelled);
        QVERIFY(isInterruption(judge.take().error()));
    }
};

QTEST_GUILESS_MAIN(TestTrainingAhead)
#include "tst_training_ahead.moc"
