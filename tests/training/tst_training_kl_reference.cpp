// SPDX-License-Identifier: Apache-2.0
// From which policy reinforcement learning measures its KL (rl.kl_reference).
#include "fake_judge.h"
#include "project/run/checkpoint_files.h"
#include "stage_runs.h"
#include "training/work/find_policy.h"

#include <QtTest>

using namespace sparserl;
using namespace sparserl::test;

namespace {

/// A run that knows its parent, as those of users do.
RunDirectory childRun(const fs::path& path, const fs::path& parent, const ParameterSet& parameters)
{
    fs::remove_all(path);
    RunConfig config = stageRunConfig(StageKind::Rl, parameters);
    config.project = fs::current_path().string();
    config.parentCheckpoint = parent.string();
    auto run = RunDirectory::create(path, config);
    if (!run)
        qFatal("%s", run.error().sentence().c_str());
    return std::move(*run);
}

fs::path policyOf(const fs::path& run)
{
    auto policy = findPolicy(run);
    if (!policy)
        qFatal("%s", policy.error().sentence().c_str());
    return *policy;
}

} // namespace

class KlReferenceTest : public QObject
{
    Q_OBJECT

private:
    fs::path m_sft, m_first;

    /// KL of the first iteration of a run from m_first, and the sentence of an Error.
    std::pair<double, std::string> firstKl(const char* name, const std::string& choice,
                                           bool interrupted = false)
    {
        FakeJudge judge;
        auto p = with(tinyRl("grpo"), {"rl.iterations=2", "eval.every=0", "alarm.kl=100"});
        if (const auto set = p.set("rl.kl_reference", choice); !set)
            return {0, set.error().sentence()};
        auto run = childRun(fs::absolute(name), m_first, p);
        if (interrupted) {
            if (runInterrupted(run, judge, m_first) < 1)
                return {0, "it was not interrupted"};
        } else if (const auto outcome = runStage(run, environmentWith(judge, m_first)); !outcome) {
            return {0, outcome.error().sentence()};
        }
        const auto metrics = metricsOf(fs::absolute(name));
        for (const auto& [key, value] : metrics) {
            if (key.ends_with(" kl/sft_k1"))
                return {value, {}};
        }
        return {0, "it has no KL"};
    }

private Q_SLOTS:
    void initTestCase()
    {
        FakeJudge judge;
        auto sft = newRun(fs::absolute("kl-sft"), StageKind::Sft, tinySft());
        must(runStage(sft, environmentWith(judge)));
        m_sft = policyOf(fs::absolute("kl-sft"));
        auto p = with(tinyRl("grpo"), {"rl.iterations=3", "rl.lr=1e-2", "eval.every=0", "alarm.kl=100"});
        auto first = childRun(fs::absolute("kl-first"), m_sft, p);
        must(runStage(first, environmentWith(judge, m_sft)));
        m_first = policyOf(fs::absolute("kl-first"));
    }

    void parentSftAndPath()
    {
        const auto [own, wrongOwn] = firstKl("kl-own", "parent");
        QVERIFY2(wrongOwn.empty(), wrongOwn.c_str());
        const auto [sft, wrongSft] = firstKl("kl-of-sft", "sft");
        QVERIFY2(wrongSft.empty(), wrongSft.c_str());
        const auto [path, wrongPath] = firstKl("kl-path", m_sft.string());
        QVERIFY2(wrongPath.empty(), wrongPath.c_str());
        QVERIFY(std::abs(own) < 1e-5); // the first samples are the parent's own
        QVERIFY(std::abs(sft) > 1e-3); // it has learned since
        QCOMPARE(path, sft);
        const auto entries = readWholeJournal(fs::absolute("kl-of-sft"));
        bool said = false;
        for (const JournalEntry& entry : *entries) {
            if (const auto* log = std::get_if<LogEvent>(&entry.event))
                said = said || log->text == "The KL is measured against the policy in " + m_sft.string();
        }
        QVERIFY(said);
        // Resumed, it is measured from the same.
        const auto again = firstKl("kl-resumed", "sft", true);
        QVERIFY2(again.second.empty(), again.second.c_str());
        compareRuns(fs::absolute("kl-of-sft"), fs::absolute("kl-resumed"));
    }

    void whatCannotBeMeasuredFrom()
    {
        QVERIFY(firstKl("kl-none", "nowhere").second.find("neither parent, sft nor a checkpoint") !=
                std::string::npos);
        // A run's newest checkpoint is another one when it is resumed.
        QVERIFY(firstKl("kl-run", fs::absolute("kl-sft").string()).second.find("neither parent") !=
                std::string::npos);
        FakeJudge judge;
        auto other =
            newRun(fs::absolute("kl-other"), StageKind::Sft, with(tinySft(), {"tokenizer.pieces=gpt2"}));
        must(runStage(other, environmentWith(judge)));
        QVERIFY(firstKl("kl-words", policyOf(fs::absolute("kl-other")).string())
                    .second.find("another vocabulary") != std::string::npos);
        fs::remove_all(fs::absolute("kl-sft"));
        QVERIFY(firstKl("kl-gone", "sft").second.find("is not here") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(KlReferenceTest)
#include "tst_training_kl_reference.moc"
