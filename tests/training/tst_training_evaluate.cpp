// SPDX-License-Identifier: Apache-2.0
// How the evaluate stage samples: decoding, order, temperature, budget.
#include "generous_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "policy/policy/policy.h"
#include "training/evaluated/evaluation_tables.h"
#include "training/sampling/matrix_reading.h"
#include "training/work/stage.h"

#include <QRegularExpression>
#include <QtTest>
#include <cmath>
#include <set>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

class TestTrainingEvaluate : public QObject
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
        QVERIFY(must(runStage(run, environmentWith(m_judge))).end == StageOutcome::End::Done);
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
        // A policy that writes noise: the verifier stops every sample, and no beam goes on where it would.
        QVERIFY(programs({"evaluate.beam=3", "evaluate.verifier=true"}) != beam);
        QVERIFY(programs({})[0] != programs({"evaluate.broad_share=1", "evaluate.broad_temperature=0.2"})[0]);
        auto run = newRun(fs::absolute("decoded"), StageKind::Evaluate, with(base, {"evaluate.beam=2"}));
        const auto tooMany = runStage(run, environmentWith(m_judge, m_sft));
        QVERIFY(!tooMany && tooMany.error().sentence().find("evaluate.beam") != std::string::npos);
    }

    /// A policy is given, and programs are judged on, matrices whose rows and columns were exchanged.
    void evaluatesMatricesInAnotherOrder()
    {
        const ParameterSet all(stageParameters(StageKind::Evaluate));
        const auto base =
            with(all, {"threads=1", "evaluate.samples=1", "evaluate.max_tokens=40", "evaluate.split=all",
                       "evaluate.information=0", "evaluate.exchange=false"});
        const auto digests = [&](const char* assignment, const char* seed,
                                 const char* which = "evaluate.order_seed=0") {
            const fs::path path = fs::absolute("in-order");
            auto run = newRun(path, StageKind::Evaluate, with(base, {assignment, seed, which}));
            must(runStage(run, environmentWith(m_judge, m_sft)));
            std::map<std::string, std::string> found;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries)
                if (const auto* row = std::get_if<EvaluationEvent>(&entry.event))
                    found[row->target.name] = row->target.contents;
            return found;
        };
        const auto plain = digests("evaluate.order=as-is", "seed=1");
        const auto shuffled = digests("evaluate.order=shuffled", "seed=1");
        QCOMPARE(plain.size(), environmentWith(m_judge).matrices.size());
        for (const auto& matrix : environmentWith(m_judge).matrices) {
            QCOMPARE(plain.at(matrix.target.id.name), matrix.target.id.contents);
            QVERIFY(shuffled.at(matrix.target.id.name) != matrix.target.id.contents);
            QCOMPARE(shuffled.at(matrix.target.id.name).size(), matrix.target.id.contents.size());
        }
        QVERIFY(digests("evaluate.order=shuffled", "seed=1") == shuffled);
        QVERIFY(digests("evaluate.order=shuffled", "seed=2") != shuffled);
        const auto another = digests("evaluate.order=shuffled", "seed=1", "evaluate.order_seed=1");
        QVERIFY(another != shuffled);
        QVERIFY(digests("evaluate.order=shuffled", "seed=1", "evaluate.order_seed=2") != another);
        // Only those that are named, by name or by digest, whatever order they are then given.
        const auto [name, digest] = *plain.begin();
        for (const std::string& word : {name, digest}) {
            const std::string only = "evaluate.matrices=" + word;
            QCOMPARE(digests("evaluate.order=as-is", "seed=1", only.c_str()),
                     (std::map<std::string, std::string>{{name, digest}}));
            const auto turned = digests("evaluate.order=shuffled", "seed=1", only.c_str());
            QVERIFY(turned.size() == 1 && turned.at(name) == shuffled.at(name));
        }
        auto run =
            newRun(fs::absolute("unknown"), StageKind::Evaluate, with(base, {"evaluate.matrices=nosuch"}));
        const auto refused = runStage(run, environmentWith(m_judge, m_sft));
        QVERIFY(!refused && refused.error().sentence().find("evaluate.matrices") != std::string::npos);
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
            const auto csr = std::make_shared<const Csr>(*generate("stencil2d(n=9,points=5)"));
            environment.matrices.push_back(
                {{{.contents = digest(*csr), .name = "another"}, csr}, true}); // two held-out ones
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
                    refused.error().sentence().find("not a list of temperatures") != std::string::npos);
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

    /// Scores of programs under their own matrix are what the sampler reported when it wrote them; a program
    /// gets the same score in whatever company it is scored.
    void scoresAreTheSamplers()
    {
        const auto policy = Policy::load(*findPolicy(m_sft));
        QVERIFY(policy);
        const auto matrices = someMatrices();
        const MatrixViews views(*policy, matrices, 1);
        std::vector<ModelInput> inputs;
        std::vector<SampleRequest> requests;
        for (const auto& matrix : matrices) {
            for (std::uint64_t seed = 0; seed < 3; ++seed)
                requests.push_back({static_cast<int>(inputs.size()), seed});
            inputs.push_back(views.input(matrix.target.id.contents));
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
};

QTEST_GUILESS_MAIN(TestTrainingEvaluate)
#include "tst_training_evaluate.moc"
