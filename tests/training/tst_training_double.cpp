// SPDX-License-Identifier: Apache-2.0
// Double precision through the stages, with the real judge on the simulated device: what the policy learns
// and reads, what is judged, and under which keys it is remembered.
#include "scratch_folder.h"
#include "stage_runs.h"

#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "kernel/plan.h"
#include "project/run/metrics.h"
#include "training/data/sft_data.h"
#include "training/data/sft_prompt.h"
#include "training/sampling/generation.h"
#include "training/work/policy_task.h"
#include "training/work/run_targets.h"

#include <QtTest>

#include <set>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

/// Matrices with what floats cannot hold, small enough to be judged by the dozen.
std::vector<StageTarget> doubleMatrices()
{
    std::vector<StageTarget> matrices;
    for (const auto& [text, heldOut] : {std::pair("stencil2d(n=6,points=5)", false),
                                        {"banded(n=40,band=2,fill=1)", false},
                                        {"random(rows=30,cols=24,mean=4)", true}}) {
        Csr csr = *generate(text);
        for (const float value : csr.val)
            csr.val64.push_back(value * (1 + 0x1p-40));
        const std::string contents = digest(csr);
        matrices.push_back(
            {{{.contents = contents, .name = text}, std::make_shared<const Csr>(std::move(csr))}, heldOut});
    }
    return matrices;
}

StageEnvironment doubles(Judge& judge, const fs::path& parent = {})
{
    StageEnvironment environment = environmentWith(judge, parent);
    environment.matrices = doubleMatrices();
    return environment;
}

/// What a run's journal holds of programs that were judged.
struct Judged
{
    std::map<std::string, std::string> texts; ///< By hash.
    std::vector<VerdictRecord> records;
    std::set<std::string> corpusFamilies;
};

Judged judgedIn(const fs::path& run)
{
    Judged judged;
    const auto entries = readWholeJournal(run);
    for (const auto& entry : *entries) {
        if (const auto* program = std::get_if<ProgramEvent>(&entry.event))
            judged.texts[program->hash] = program->text;
        if (const auto* verdict = std::get_if<VerdictEvent>(&entry.event))
            judged.records.push_back(verdict->record);
        if (const auto* sample = std::get_if<SampleEvent>(&entry.event); sample && sample->origin == "corpus")
            judged.corpusFamilies.insert(sample->family);
    }
    return judged;
}

} // namespace

class TestTrainingDouble : public QObject
{
    Q_OBJECT

private:
    ScratchFolder m_scratch;
    std::unique_ptr<Judge> m_judge;
    fs::path m_sft = fs::absolute("sft");

private Q_SLOTS:
    void initTestCase()
    {
        JudgeOptions options;
        options.secretSeed = 1;
        options.everyKind = false; // As in training.
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        auto judge = makeSimulatorJudge(options);
        QVERIFY2(judge, judge ? "" : judge.error().sentence().c_str());
        m_judge = std::move(*judge);
        auto run = newRun(m_sft, StageKind::Sft,
                          with(tinySft(), {"element_type=f64", "sft.families=S1,S3,S10", "sft.max_bytes=700",
                                           "sft.prompt=always", "sft.contrast=0", "policy.max_tokens=450"}));
        QVERIFY(must(runStage(run, doubles(*m_judge))).end == StageOutcome::End::Done);
    }

    void learnsProgramsInDoubles()
    {
        const Judged judged = judgedIn(m_sft);
        QVERIFY(judged.corpusFamilies.size() >= 2);
        int correct = 0;
        for (const VerdictRecord& record : judged.records) {
            const std::string& text = judged.texts.at(record.programHash);
            if (text.find("//! task") == std::string::npos)
                continue; // Of so small a policy.
            QVERIFY(record.target.variant.type == ElementType::F64);
            QCOMPARE(record.target.values.size(), std::size_t(16));
            correct += record.correct();
            QVERIFY2(!record.correct() || text.find("//! task spmv f64") != std::string::npos, text.c_str());
        }
        QVERIFY(correct >= 6);
        const auto times = RewardTimes::load(*findPolicy(m_sft) / "reward_times.json");
        for (StageTarget& matrix : doubleMatrices()) {
            QVERIFY(!times->has(matrix.target.id.contents)); // Nothing is known of float32.
            matrix.target.id.variant.type = ElementType::F64;
            matrix.target.id.values = doublesDigest(*matrix.target.matrix);
            QVERIFY2(matrix.heldOut || times->has(matrix.target.id.key()), matrix.target.id.key().c_str());
        }
    }

    void thePromptSaysIt()
    {
        const TargetVariant wide{.type = ElementType::F64};
        const auto policy = Policy::load(*findPolicy(m_sft));
        QVERIFY(policy);
        QCOMPARE(policy->config().prompt, sftPrompt(wide));
        QVERIFY(sftPrompt(wide) != sftPrompt() && sftPrompt(wide).starts_with(sftPrompt()));
        QVERIFY(sftPrompt({8, ElementType::F64}).starts_with(sftPrompt({8})));
        for (const TargetVariant& from :
             {TargetVariant(), wide, TargetVariant{8}, TargetVariant{8, wide.type}}) {
            QCOMPARE(promptFor(sftPrompt(from), wide), sftPrompt(wide));
            QCOMPARE(promptFor(sftPrompt(from), {}), sftPrompt());
            for (const ElementType type : {ElementType::F32, ElementType::F64})
                QCOMPARE(promptInType(sftPrompt(from), type), sftPrompt({from.columns, type}));
        }
        QCOMPARE(promptInType("Be quick.", ElementType::F64), std::string("Be quick."));
        QCOMPARE(promptInType("", ElementType::F64), std::string());
        QVERIFY(elementTypeOfPolicy(*findPolicy(m_sft)) == ElementType::F64);
        QVERIFY(elementTypeOfPolicy(fs::current_path()) == ElementType::F32);
        QVERIFY(otherTaskSentence(*findPolicy(m_sft), "spmv").find("trained in f64, and programs in f32") !=
                std::string::npos);
        QVERIFY(otherTaskSentence(*findPolicy(m_sft), "spmv", ElementType::F64).empty());
    }

    /// Programs in double precision are correct, the same in float32 are not, neither is one that sums in
    /// floats.
    void reinforcementLearningJudgesInDoubles()
    {
        const std::string right = referenceProgram(Task::SpMV, ElementType::F64).text;
        const std::string other = referenceProgram(Task::SpMV).text;
        std::string floats = right;
        const auto at = floats.find("double sum");
        QVERIFY2(at != std::string::npos, floats.c_str());
        floats.replace(at, 10, "float sum");
        const std::vector<std::string> programs{right, other, floats};
        auto environment = doubles(*m_judge, m_sft);
        environment.replaceSample = [&](std::uint64_t, std::size_t i) {
            return std::optional<std::string>(programs[i % programs.size()]);
        };
        const fs::path path = fs::absolute("rl");
        auto run = newRun(path, StageKind::Rl,
                          with(tinyRl("grpo"), {"element_type=f64", "rl.iterations=2", "rl.max_tokens=600",
                                                "rl.verifier=false"}));
        QVERIFY(must(runStage(run, environment)).end == StageOutcome::End::Done);
        const Judged judged = judgedIn(path);
        std::map<std::string, std::set<Verdict>> verdicts;
        for (const VerdictRecord& record : judged.records) {
            QVERIFY(record.target.variant.type == ElementType::F64);
            verdicts[judged.texts.at(record.programHash)].insert(record.verdict);
        }
        QCOMPARE(verdicts[right], std::set<Verdict>{Verdict::Correct});
        QCOMPARE(verdicts[other], std::set<Verdict>{Verdict::PlanError});
        QCOMPARE(verdicts[floats], std::set<Verdict>{Verdict::WrongResult});
        QVERIFY(elementTypeOfPolicy(*findPolicy(path)) == ElementType::F64);
    }

    void evaluatesInDoubles()
    {
        auto environment = doubles(*m_judge, m_sft);
        environment.replaceSample = [](std::uint64_t, std::size_t) {
            return std::optional<std::string>(referenceProgram(Task::SpMV, ElementType::F64).text);
        };
        const fs::path path = fs::absolute("evaluation");
        auto run = newRun(path, StageKind::Evaluate,
                          with(ParameterSet(stageParameters(StageKind::Evaluate)),
                               {"threads=1", "element_type=f64", "evaluate.samples=2",
                                "evaluate.max_tokens=600", "evaluate.verifier=false",
                                "evaluate.information=0", "evaluate.order=shuffled", "evaluate.split=all"}));
        must(runStage(run, environment));
        int rows = 0;
        const auto entries = readWholeJournal(path);
        for (const auto& entry : *entries) {
            if (const auto* row = std::get_if<EvaluationEvent>(&entry.event)) {
                ++rows;
                QVERIFY(row->target.variant.type == ElementType::F64 && !row->target.values.empty());
                QCOMPARE(row->correct, row->samples);
            }
        }
        QCOMPARE(rows, 3);
    }

    /// Of both tasks, in its type.
    void targetsAreOfTheRunsType()
    {
        const auto p = with(ParameterSet(stageParameters(StageKind::Rl)),
                            {"task=both", "dense_columns=8", "element_type=f64"});
        std::set<std::string> keys;
        const auto targets = targetsOfRun(p, doubleMatrices());
        QVERIFY(targets);
        for (const StageTarget& target : *targets)
            keys.insert(target.target.id.key());
        QCOMPARE(keys.size(), std::size_t(6));
        for (const std::string& key : keys)
            QVERIFY2(key.find("/f64-") != std::string::npos, key.c_str());
        const auto single =
            targetsOfRun(with(ParameterSet(stageParameters(StageKind::Rl)), {}), doubleMatrices());
        QVERIFY(single);
        for (const StageTarget& target : *single)
            QCOMPARE(target.target.id.key(), target.target.id.contents);
    }

    void writesForTargetsInDoubles()
    {
        GenerationOptions options;
        options.count = 2;
        options.maxTokens = 20;
        const auto writer = ProgramWriter::load(*findPolicy(m_sft), options);
        QVERIFY(writer);
        Target target = doubleMatrices().front().target;
        target.id.variant.type = ElementType::F64;
        target.id.values = doublesDigest(*target.matrix);
        const auto programs = writer->write(target, {}, {}).value();
        QCOMPARE(programs.size(), std::size_t(2));
        GeneratedProgram right;
        right.text = referenceProgram(Task::SpMV, ElementType::F64).text;
        const auto records = judgeGenerated(*m_judge, target, {right}, 1, {}, {});
        QVERIFY(records && records->at(0).correct());
    }
};

QTEST_GUILESS_MAIN(TestTrainingDouble)
#include "tst_training_double.moc"
