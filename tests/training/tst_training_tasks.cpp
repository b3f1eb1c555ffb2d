// SPDX-License-Identifier: Apache-2.0
// SpMM through the stages: what the policy learns and reads, what judges are asked for, what is remembered.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/files.h"
#include "corpus/corpus.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "training/data/sft_data.h"
#include "training/data/sft_prompt.h"
#include "training/evaluated/evaluation_tables.h"
#include "training/sampling/rollout.h"
#include "training/work/trained_on.h"

#include <QtTest>

#include <map>
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
            columns.insert(requests[i].target.id.variant.columns);
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
    record.target.contents = digest;
    record.target.variant.columns = columns;
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
        QCOMPARE(policy->config().prompt, sftPrompt({8}));
        QVERIFY(sftPrompt({8}).find("C = A B") != std::string::npos &&
                sftPrompt({8}).find(" 8 columns") != std::string::npos);
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
            QCOMPARE(row.target.variant.columns, std::int64_t(32));
            QVERIFY(row.bestFamily.starts_with("M")); // of corpus programs that were judged for 32 columns
            QCOMPARE(row.references.contains(reference::bestOfCorpus), row.baselineMicroseconds > 0);
            QCOMPARE(row.references.at(reference::defaultRoutine), 12.5);
            QVERIFY(!row.references.contains(reference::bestRoutine)); // nobody timed it
        }
    }

    /// What a policy was trained on is no held-out matrix of it, whatever a project or a command says.
    void trainedOnIsNotHeldOut()
    {
        const auto matrices = someMatrices();
        const std::set<std::string> trained{matrices[0].target.id.contents, matrices[1].target.id.contents};
        const auto policy = *findPolicy(m_sft);
        QVERIFY(*readTrainedOn(policy) == trained);

        auto environment = environmentWith(m_judge, m_sft);
        for (auto& matrix : environment.matrices)
            matrix.heldOut = true;
        for (const char* split : {"evaluate.split=all", "evaluate.split=held-out", "evaluate.split=train"}) {
            const auto p = with(ParameterSet(stageParameters(StageKind::Evaluate)),
                                {"threads=1", "task=spmm", "dense_columns=8", "evaluate.samples=2",
                                 "evaluate.max_tokens=40", "evaluate.verifier=false", split});
            const fs::path path = fs::absolute("seen");
            auto run = newRun(path, StageKind::Evaluate, p);
            must(runStage(run, environment));
            std::map<std::string, std::string> splits;
            for (const auto& row : evaluationsOf(path))
                splits[row.target.contents] = row.split;
            const std::string which = std::string(split).substr(15);
            QCOMPARE(splits.size(), std::size_t(which == "all" ? 3 : which == "train" ? 2 : 1));
            for (const auto& [digest, said] : splits)
                QCOMPARE(said, std::string(trained.contains(digest) ? "train" : "held-out"));
            int warnings = 0;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries) {
                const auto* log = std::get_if<LogEvent>(&entry.event);
                warnings += log != nullptr && log->text.find("was trained on the matri") != std::string::npos;
            }
            QCOMPARE(warnings, 1);
        }
    }

    /// The record goes on from policy to policy, and training measures nothing held out on what is in it.
    void trainedOnGoesOn()
    {
        auto environment = environmentWith(m_judge, m_sft);
        std::swap(environment.matrices[0].heldOut,
                  environment.matrices[2].heldOut); // trained on, held out now
        const fs::path path = fs::absolute("goes-on");
        auto run = newRun(path, StageKind::Sft, tinySpmm());
        must(runStage(run, environment));
        std::set<std::string> all;
        for (const auto& matrix : environment.matrices)
            all.insert(matrix.target.id.contents);
        QVERIFY(*readTrainedOn(*findPolicy(path)) == all);
        const auto entries = readWholeJournal(path);
        for (const auto& entry : *entries) {
            if (const auto* row = std::get_if<EvaluationEvent>(&entry.event))
                QVERIFY(row->target.contents != environment.matrices[0].target.id.contents);
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                QVERIFY(sample->target.contents != environment.matrices[0].target.id.contents);
        }
    }

    void whatIsHeldToTheRecord()
    {
        const auto matrices = someMatrices();
        const std::string held = matrices[2].target.id.contents;
        auto evaluated = matrices, learned = matrices, others = matrices;
        // Whether the project holds it out is not known here.
        QCOMPARE(holdToTrainedOn(StageKind::Evaluate, {held}, evaluated),
                 "The policy, or one that it came from, was trained on the matrix \"" +
                     matrices[2].target.id.name + "\": it counts as \"train\".");
        QVERIFY(evaluated.size() == 3 && !evaluated[2].heldOut);
        QVERIFY(holdToTrainedOn(StageKind::Rl, {held}, learned).ends_with("held-out figures leave it out."));
        QCOMPARE(learned.size(), std::size_t(2));
        QVERIFY(holdToTrainedOn(StageKind::Rl, {matrices[0].target.id.contents}, others).empty());
        QCOMPARE(others.size(), std::size_t(3));
        std::vector<StageTarget> many(9, matrices[2]); // One sentence, however many they are.
        const std::string all = holdToTrainedOn(StageKind::Evaluate, {held}, many);
        QVERIFY2(all.find(" and 4 more: they count as ") != std::string::npos, all.c_str());
        const fs::path folder = fs::absolute("records");
        fs::create_directories(folder);
        QVERIFY(readTrainedOn(folder)->empty()); // of an earlier version
        QVERIFY(writeTrainedOn(folder, {"b", "a"}).has_value());
        QCOMPARE(*readTrainedOn(folder), (std::set<std::string>{"a", "b"}));
        QVERIFY(writeFileAtomic(folder / "trained_on.json", "{\"digests\": [1, \"c\", null]}").has_value());
        QCOMPARE(*readTrainedOn(folder), (std::set<std::string>{"c"}));
        QVERIFY(writeFileAtomic(folder / "trained_on.json", "[").has_value());
        QVERIFY(!readTrainedOn(folder).has_value());
    }

    /// SpMV and SpMM in one run: each matrix is a target of either kind, and prompts say which.
    void bothTasksInOneRun()
    {
        const auto both = with(tinySft(), {"task=both", "dense_columns=8", "more_columns=32",
                                           "sft.families=S1,S10,M1,M4", "sft.max_bytes=1100",
                                           "policy.max_tokens=450", "sft.prompt=always", "sft.contrast=0.5"});
        m_judge.columns.clear();
        const fs::path sft = fs::absolute("both");
        auto run = newRun(sft, StageKind::Sft, both);
        must(runStage(run, environmentWith(m_judge)));
        QCOMPARE(m_judge.columns, (std::set<std::int64_t>{1, 8, 32}));
        std::map<std::pair<std::string, std::int64_t>, std::set<char>> shown;
        const auto entries = readWholeJournal(sft);
        for (const auto& entry : *entries) {
            const auto* sample = std::get_if<SampleEvent>(&entry.event);
            if (sample != nullptr && sample->origin == "corpus")
                shown[{sample->target.contents, sample->target.variant.columns}].insert(
                    sample->family.front());
        }
        QCOMPARE(shown.size(), std::size_t(9)); // three matrices
        for (const auto& [target, families] : shown)
            QCOMPARE(families, std::set<char>{target.second == 1 ? 'S' : 'M'});
        const auto policy = Policy::load(*findPolicy(sft));
        QVERIFY(policy);
        auto targets = someMatrices();
        for (const std::int64_t columns : {8, 32}) {
            targets.push_back(targets.front());
            targets.back().target.id.variant.columns = columns;
        }
        const MatrixViews views(*policy, targets, 1);
        const auto promptOf = [&](const StageTarget& target) {
            return policy->tokenizer().decode(views.input(target.target.id.key()).prompt);
        };
        QCOMPARE(promptOf(targets.front()), sftPrompt());
        QCOMPARE(promptOf(targets[targets.size() - 2]), sftPrompt({8}));
        QCOMPARE(promptOf(targets.back()), sftPrompt({32}));

        // Interrupted and gone on with it is the same.
        const fs::path again = fs::absolute("both-interrupted");
        auto interrupted = newRun(again, StageKind::Sft, both);
        QVERIFY(runInterrupted(interrupted, m_judge, {}) >= 1);
        compareRuns(sft, again);

        // Reinforcement learning and evaluation ask for either.
        m_judge.columns.clear();
        auto rl = newRun(fs::absolute("both-rl"), StageKind::Rl,
                         with(tinyRl("grpo"), {"task=both", "dense_columns=8", "rl.matrices=4"}));
        must(runStage(rl, environmentWith(m_judge, sft)));
        QCOMPARE(m_judge.columns, (std::set<std::int64_t>{1, 8}));
        std::set<std::int64_t> trained;
        const auto learned = readWholeJournal(fs::absolute("both-rl"));
        for (const auto& entry : *learned) {
            const auto* sample = std::get_if<SampleEvent>(&entry.event);
            if (sample != nullptr && sample->split == split::train)
                trained.insert(sample->target.variant.columns);
        }
        QCOMPARE(trained, (std::set<std::int64_t>{1, 8}));
        // Rejection fine-tuning keeps samples of either; so small a policy writes noise, programs stand in
        // for it.
        auto rejecting = environmentWith(m_judge, sft);
        rejecting.replaceSample = [](std::uint64_t, std::size_t) {
            return std::optional<std::string>(referenceProgram(Task::SpMV).text);
        };
        auto rft = newRun(
            fs::absolute("both-rft"), StageKind::Rft,
            with(ParameterSet(stageParameters(StageKind::Rft)),
                 {"threads=1", "task=both", "dense_columns=8", "rft.samples=12", "rft.steps=2", "rft.batch=4",
                  "rft.max_tokens=250", "rft.min_reward=-1", "rft.verifier=false", "eval.every=0"}));
        must(runStage(rft, rejecting));
        const auto kept = readFile(fs::absolute("both-rft") / "rft_samples.jsonl");
        QVERIFY(kept);
        std::map<bool, int> ofSpmm;
        for (std::size_t at = kept->find("\"matrix\""); at != std::string::npos;
             at = kept->find("\"matrix\"", at + 1))
            ++ofSpmm[kept->substr(at, kept->find('}', at) - at).find("/8\"") != std::string::npos];
        QCOMPARE(ofSpmm[true], 2); // the two training matrices, each text once
        QCOMPARE(ofSpmm[false], 2);
        auto evaluation = newRun(
            fs::absolute("both-evaluation"), StageKind::Evaluate,
            with(ParameterSet(stageParameters(StageKind::Evaluate)),
                 {"threads=1", "task=both", "dense_columns=8", "evaluate.samples=2", "evaluate.max_tokens=40",
                  "evaluate.split=all", "evaluate.verifier=false", "evaluate.information=1"}));
        must(runStage(evaluation, environmentWith(m_judge, sft)));
        std::set<std::string> evaluated;
        for (const auto& row : evaluationsOf(fs::absolute("both-evaluation")))
            evaluated.insert(row.target.key());
        QCOMPARE(evaluated.size(), std::size_t(6));
        // The tables tell the two apart.
        const auto result = readEvaluationResult(fs::absolute("both-evaluation"));
        QVERIFY(result);
        QCOMPARE(result->rows.size(), std::size_t(2)); // of the held-out matrix
        QVERIFY(matrixTable({{*result}}).rows[0][1] != matrixTable({{*result}}).rows[1][1]);
    }

    void bothTasksNeedAPrompt()
    {
        const auto sentence = [&](StageKind kind, const ParameterSet& p) {
            auto run = newRun(fs::absolute("refused"), kind, p);
            const auto outcome = runStage(run, environmentWith(m_judge, m_sft));
            return outcome ? std::string() : outcome.error().sentence();
        };
        QVERIFY(
            sentence(StageKind::Sft, with(tinySft(), {"task=both", "sft.families="})).find("sft.prompt") !=
            std::string::npos);
        QVERIFY(
            sentence(StageKind::Sft, with(tinySft(), {"task=both", "sft.prompt=always", "sft.families=S1"}))
                .find("task spmm") != std::string::npos);
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
        QCOMPARE(Policy::load(*findPolicy(path))->config().prompt, sftPrompt({32}));
        const auto times = RewardTimes::load(*findPolicy(path) / "reward_times.json");
        for (const auto& matrix : environmentWith(m_judge).matrices) {
            QVERIFY(times->has(matrix.target.id.contents + "/8") &&
                    times->has(matrix.target.id.contents + "/32"));
            QVERIFY(!times->has(matrix.target.id.contents)); // nothing is known of SpMV
        }
    }

    void promptsOfOthersStay()
    {
        QCOMPARE(promptFor("", {8}), std::string());
        QCOMPARE(promptFor("Be quick.", {8}), std::string("Be quick."));
        QCOMPARE(promptFor(sftPrompt(), {8}), sftPrompt({8}));
        QCOMPARE(promptFor(sftPrompt({8}), {1}), sftPrompt());
        QCOMPARE(promptFor(sftPrompt({8}), {32}), sftPrompt({32}));
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
            options.variant.columns = columns;
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
        QCOMPARE((TargetId{.contents = "m"}.key()), std::string("m"));
        QCOMPARE((TargetId{.contents = "m", .variant = {.columns = 8}}.key()), std::string("m/8"));
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
        result.rows[0].target.variant.columns = 8;
        QCOMPARE(figuresOf(result).gflops, 4.0);
    }
};

QTEST_GUILESS_MAIN(TestTrainingTasks)
#include "tst_training_tasks.moc"
