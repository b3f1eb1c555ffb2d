// SPDX-License-Identifier: Apache-2.0
// SpMM through the stages: what the policy learns and reads, what judges are asked for, what is remembered.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/files.h"
#include "corpus/corpus.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "training/evaluation_tables.h"
#include "training/reference_programs.h"
#include "training/sft_data.h"
#include "training/sft_prompt.h"

#include <QtTest>

#include <set>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

/// As the judge of programs does it: one of the other task is refused. Keeps the columns that were asked for.
class TaskJudge : public FakeJudge
{
public:
    double defaultRoutine = 0; ///< Of records, microseconds.
    std::set<std::int64_t> columns;
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        SPARSERL_TRY(auto records, FakeJudge::judge(requests, cancel, done));
        for (auto& record : records)
            record.defaultRoutineMicroseconds = defaultRoutine;
        for (std::size_t i = 0; i < records.size(); ++i) {
            auto& record = records[i];
            columns.insert(requests[i].target.id.denseColumns);
            const auto program = parseProgram(requests[i].program);
            if (program && program->plan.task != record.target.task()) {
                record.verdict = Verdict::PlanError;
                record.warm.reset();
            }
        }
        return records;
    }
};

ParameterSet tinySpmm()
{
    return with(tinySft(), {"task=spmm", "dense_columns=8", "sft.families=M1,M4", "sft.max_bytes=1100",
                            "policy.max_tokens=450", "sft.prompt=always", "sft.contrast=0"});
}

std::vector<EvaluationEvent> evaluationsOf(const fs::path& run)
{
    std::vector<EvaluationEvent> rows;
    const auto entries = readWholeJournal(run);
    for (const auto& entry : *entries) {
        if (const auto* row = std::get_if<EvaluationEvent>(&entry.event))
            rows.push_back(*row);
    }
    return rows;
}

VerdictRecord correct(const std::string& digest, std::int64_t columns, double microseconds)
{
    VerdictRecord record;
    record.verdict = Verdict::Correct;
    record.target.digest = digest;
    record.target.denseColumns = columns;
    record.baselineMicroseconds = 10;
    record.warm = Timing{microseconds, microseconds, microseconds, 1};
    return record;
}

} // namespace

class TestTrainingTasks : public QObject
{
    Q_OBJECT

private:
    ScratchFolder m_scratch;
    TaskJudge m_judge;
    fs::path m_sft = fs::absolute("sft");

private Q_SLOTS:
    void initTestCase()
    {
        auto run = newRun(m_sft, StageKind::Sft, tinySpmm());
        QVERIFY(must(runStage(run, environmentWith(m_judge))).end == StageOutcome::End::Done);
    }

    void learnsProgramsOfItsTask()
    {
        QCOMPARE(m_judge.columns, std::set<std::int64_t>{8});
        int corpus = 0;
        const auto entries = readWholeJournal(m_sft);
        for (const auto& entry : *entries) {
            const auto* sample = std::get_if<SampleEvent>(&entry.event);
            if (sample == nullptr || sample->origin != "corpus")
                continue;
            ++corpus;
            QVERIFY(sample->family == "M1" || sample->family == "M4");
        }
        QVERIFY(corpus >= 8);
        const auto policy = Policy::load(*findPolicy(m_sft));
        QVERIFY(policy);
        QCOMPARE(policy->config().prompt, sftPrompt(8));
        QVERIFY(sftPrompt(8).find("C = A B") != std::string::npos &&
                sftPrompt(8).find(" 8 columns") != std::string::npos);
        QVERIFY(sftPrompt().find("y = A x") != std::string::npos);
    }

    void evaluatesOtherWidths()
    {
        const auto p = with(ParameterSet(stageParameters(StageKind::Evaluate)),
                            {"threads=1", "task=spmm", "dense_columns=32", "evaluate.samples=2",
                             "evaluate.max_tokens=40", "evaluate.verifier=false", "evaluate.information=1"});
        m_judge.columns.clear();
        m_judge.defaultRoutine = 12.5;
        const fs::path path = fs::absolute("evaluation");
        auto run = newRun(path, StageKind::Evaluate, p);
        must(runStage(run, environmentWith(m_judge, m_sft)));
        QCOMPARE(m_judge.columns, std::set<std::int64_t>{32});
        const auto rows = evaluationsOf(path);
        QVERIFY(!rows.empty());
        for (const auto& row : rows) {
            QCOMPARE(row.target.denseColumns, std::int64_t(32));
            QVERIFY(row.bestFamily.starts_with("M")); // of corpus programs that were judged for 32 columns
            QCOMPARE(row.references.contains(reference::bestOfCorpus), row.baselineMicroseconds > 0);
            QCOMPARE(row.references.at(reference::defaultRoutine), 12.5);
            QVERIFY(!row.references.contains(reference::bestRoutine)); // nobody timed it
        }
    }

    // A policy that was asked for another task says so in its journal; asked for its own, nothing.
    void saysThatAPolicyLearnedAnotherTask()
    {
        const auto warnings = [&](const fs::path& path, const char* task) {
            auto run = newRun(path, StageKind::Evaluate,
                              with(ParameterSet(stageParameters(StageKind::Evaluate)),
                                   {"threads=1", task, "evaluate.samples=1", "evaluate.max_tokens=20",
                                    "evaluate.verifier=false", "evaluate.information=0"}));
            must(runStage(run, environmentWith(m_judge, m_sft)));
            std::string all;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries) {
                if (const auto* log = std::get_if<LogEvent>(&entry.event); log && log->level == "warning")
                    all += log->text + '\n';
            }
            return all;
        };
        const auto other = warnings(fs::absolute("other-task"), "task=spmv");
        QVERIFY2(other.find("trained for the task spmm, and programs for spmv") != std::string::npos,
                 other.c_str());
        QVERIFY(warnings(fs::absolute("own-task"), "task=spmm").find("trained for the task") ==
                std::string::npos);
    }

    void learnsOnWithAnotherWidth()
    {
        const auto p = with(tinyRl("grpo"), {"task=spmm", "dense_columns=32", "rl.iterations=1"});
        m_judge.columns.clear();
        const fs::path path = fs::absolute("rl");
        auto run = newRun(path, StageKind::Rl, p);
        must(runStage(run, environmentWith(m_judge, m_sft)));
        QCOMPARE(m_judge.columns, std::set<std::int64_t>{32});
        QCOMPARE(Policy::load(*findPolicy(path))->config().prompt, sftPrompt(32));
        const auto times = RewardTimes::load(*findPolicy(path) / "reward_times.json");
        for (const auto& matrix : environmentWith(m_judge).matrices) {
            QVERIFY(times->has(matrix.target.id.digest + "/8") &&
                    times->has(matrix.target.id.digest + "/32"));
            QVERIFY(!times->has(matrix.target.id.digest)); // nothing is known of SpMV
        }
    }

    void promptsOfOthersStay()
    {
        QCOMPARE(promptFor("", 8), std::string());
        QCOMPARE(promptFor("Be quick.", 8), std::string("Be quick."));
        QCOMPARE(promptFor(sftPrompt(1), 8), sftPrompt(8));
        QCOMPARE(promptFor(sftPrompt(8), 1), sftPrompt(1));
        QCOMPARE(promptFor(sftPrompt(8), 32), sftPrompt(32));
    }

    void familiesOfTheOtherTaskAreRefused()
    {
        auto run = newRun(fs::absolute("refused"), StageKind::Sft, with(tinySpmm(), {"sft.families=M1,S3"}));
        const auto outcome = runStage(run, environmentWith(m_judge));
        QVERIFY(!outcome);
        const auto sentence = QString::fromStdString(outcome.error().sentence());
        QVERIFY2(sentence.contains(u"S3") && sentence.contains(u"spmm"), qPrintable(sentence));
    }

    void programsComeByTheEstimateOfTheTask()
    {
        const Csr matrix = *generate("random(rows=400,cols=400,mean=20)");
        SftDataOptions options;
        options.recommended = 1;
        options.variety = 0;
        std::set<std::string> first;
        for (const std::int64_t columns : {8, 32}) {
            options.denseColumns = columns;
            const auto drawn = drawPrograms(matrix, 6, options, Rng(3));
            QVERIFY(drawn && drawn->size() == 6);
            const auto best =
                recommend(Task::SpMM, computeFeatures(matrix, columns), defaultDeviceModel(), columns);
            QCOMPARE(drawn->front().family, best.front().family);
            QVERIFY(drawn->front().parameters == best.front().parameters);
            std::set<std::string> families;
            for (const auto& program : *drawn) {
                QVERIFY(program.text.find("//! task spmm") != std::string::npos);
                families.insert(program.family);
            }
            QVERIFY(families.size() >= 5); // in turn
        }
    }

    void timesOfTasksAreApart()
    {
        RewardTimes times;
        times.add(correct("m", 1, 5), "S1", true);
        times.add(correct("m", 8, 7), "M1", true);
        times.add(correct("m", 8, 6), "M4", false);
        times.add(correct("m", 32, 9), "M7", false);
        QVERIFY(times.save("times.json"));
        const auto read = RewardTimes::load("times.json");
        QVERIFY(read);
        QCOMPARE(read->bestFamily("m"), std::string("S1"));
        QCOMPARE(read->bestFamily("m/8"), std::string("M4"));
        QCOMPARE(read->bestFamily("m/32"), std::string("M7"));
        QCOMPARE((TargetId{.digest = "m"}.key()), std::string("m"));
        QCOMPARE((TargetId{.digest = "m", .denseColumns = 8}.key()), std::string("m/8"));
    }

    void flopsCountColumns()
    {
        EvaluationResult result;
        EvaluationEvent row;
        row.nnz = 1000;
        row.bestMicroseconds = 4;
        row.baselineMicroseconds = 8;
        result.rows = {row};
        QCOMPARE(figuresOf(result).gflops, 0.5); // 2 nnz / t
        result.rows[0].target.denseColumns = 8;
        QCOMPARE(figuresOf(result).gflops, 4.0);
    }
};

QTEST_GUILESS_MAIN(TestTrainingTasks)
#include "tst_training_tasks.moc"
