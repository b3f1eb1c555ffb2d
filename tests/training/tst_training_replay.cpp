// SPDX-License-Identifier: Apache-2.0
// Iterations of the rl stage against replay_iterations.py: an independent implementation of everything
// between what was sampled and the weights afterwards.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/json.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"
#include "training/learning/learner.h"

#include <QProcess>
#include <QRegularExpression>
#include <QtTest>
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

/// Draws verdicts and times from the program's hash, so that rewards differ.
class DrawingJudge : public FakeJudge
{
public:
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken&,
          const std::function<void(std::size_t, const VerdictRecord&)>&) override
    {
        std::vector<VerdictRecord> records;
        for (const auto& request : requests) {
            auto record = FakeJudge::record(request);
            Rng rng(seedFrom(record.programHash + request.target.id.contents));
            record.warm.reset();
            record.verdict = rng.chance(0.25) ? Verdict::CompileError : Verdict::WrongResult;
            if (rng.chance(0.6)) {
                const double t = rng.uniform(5, 20);
                record.verdict = Verdict::Correct;
                record.warm = Timing{t, t, t, 3};
            }
            records.push_back(std::move(record));
        }
        return records;
    }
};

Policy smallPolicy()
{
    T5Config shape;
    PolicyConfig config;
    shape.d_model = 24;
    shape.d_kv = 8;
    shape.d_ff = 40;
    shape.gated =
        true; // smooth: at the kink of a ReLU single precision decides over a gradient, now and then
    shape.num_layers = 2;
    shape.num_decoder_layers = 2;
    shape.num_heads = 2;
    config.embedding.maxEntries = 24;
    config.embedding.peDim = 10;
    config.generation.maxTokens = 50; // longer than T5's exact buckets
    config.prompt = "y = A x\n";
    auto policy = Policy::create(config, shape, Tokenizer(), 11);
    if (!policy)
        qFatal("%s", policy.error().sentence().c_str());
    return std::move(*policy);
}

nlohmann::json toJson(const Experience& experience, const Policy& policy,
                      const std::vector<StageTarget>& matrices)
{
    nlohmann::json inputs = nlohmann::json::array();
    for (const auto& input : experience.batch.inputs) {
        // Which matrix it is; the replay makes its own features and entries of it.
        const auto at = std::find_if(matrices.begin(), matrices.end(), [&](const StageTarget& matrix) {
            return policy.matrixTokens(*matrix.target.matrix, 1).features == input.matrix->features;
        });
        inputs.push_back({{"matrix", at - matrices.begin()},
                          {"r", input.matrix->rows},
                          {"c", input.matrix->cols},
                          {"prompt", input.prompt}});
    }
    return {{"inputs", inputs},
            {"input_of", experience.batch.inputOf},
            {"targets", experience.batch.targets},
            {"scores", experience.scores},
            {"groups", experience.groups},
            {"sampler", experience.samplerLogProbs},
            {"behaviour", experience.behaviourLogProbs}};
}

nlohmann::json toJson(const std::vector<StageTarget>& matrices)
{
    nlohmann::json list = nlohmann::json::array();
    for (const auto& matrix : matrices) {
        std::vector<std::int32_t> rows;
        for (std::int32_t r = 0; r < matrix.target.matrix->rows; ++r)
            rows.insert(rows.end(), static_cast<std::size_t>(matrix.target.matrix->rowLength(r)), r);
        list.push_back({{"rows", matrix.target.matrix->rows},
                        {"cols", matrix.target.matrix->cols},
                        {"r", rows},
                        {"c", matrix.target.matrix->col}});
    }
    return list;
}

} // namespace

class TestTrainingReplay : public QObject
{
    Q_OBJECT

private:
    ScratchFolder m_scratch;
    QString m_python;

    /// A Python that has torch and numpy: SPARSERL_PYTHON, Debian's, or the first of PATH.
    static QString findPython()
    {
        for (const QString& candidate : {qEnvironmentVariable("SPARSERL_PYTHON"),
                                         QStringLiteral("/usr/bin/python3"), QStringLiteral("python3")}) {
            QProcess process;
            process.start(candidate, {QStringLiteral("-c"), QStringLiteral("import numpy, torch")});
            if (!candidate.isEmpty() && process.waitForFinished(test::patience()) &&
                process.exitCode() == 0 && process.exitStatus() == QProcess::NormalExit)
                return candidate;
        }
        return {};
    }

    struct Iteration
    {
        double logProbs = 0, weights = 0, change = 0;
        double edge = 0; ///< How near a token has come to the edge of a clip so far.
    };

    using Iterations = std::vector<Iteration>;

    /// What the replay finds for each iteration, with each of these changes of parameters in turn ("": none);
    /// nothing where it failed. One process, as loading torch takes longer than a replay.
    std::vector<Iterations> replay(const fs::path& run, const fs::path& dump,
                                   const QStringList& changes) const
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(m_python,
                      QStringList{QStringLiteral(SPARSERL_SOURCE_DIR "/tests/training/replay_iterations.py"),
                                  QString::fromStdString(run.string()),
                                  QString::fromStdString(dump.string())} +
                          changes);
        const bool ended = process.waitForFinished(test::patience(300000));
        const QString said = QString::fromUtf8(process.readAll());
        std::vector<Iterations> all;
        static const QRegularExpression line(
            QStringLiteral("log-probabilities (\\S+), weights (\\S+), change (\\S+), edge ([^;]+);"));
        for (const QString& part : said.split(QStringLiteral("with ")).mid(1)) {
            all.emplace_back();
            for (auto at = line.globalMatch(part); at.hasNext();) {
                const auto match = at.next();
                all.back().push_back({match.captured(1).toDouble(), match.captured(2).toDouble(),
                                      match.captured(3).toDouble(), match.captured(4).toDouble()});
            }
        }
        const bool good = ended && process.exitCode() == 0 && qsizetype(all.size()) == changes.size();
        if (!good || changes.front().isEmpty())
            qInfo().noquote() << changes << "\n" << said;
        return good ? all : std::vector<Iterations>();
    }

    /// Three iterations of the stage, with a dump of what each learned from.
    void learn(const fs::path& folder, const fs::path& parent, const Policy& policy,
               const QStringList& assignments)
    {
        ParameterSet p(stageParameters(StageKind::Rl));
        for (const QString& assignment :
             QStringLiteral("threads=1 device=cpu rl.iterations=3 rl.matrices=2 rl.samples=5 "
                            "rl.minibatch=4 rl.micro_batch=3 rl.epochs=3 rl.lr=0.001 rl.critic_lr=0.001 "
                            "rl.verifier=false eval.every=0 eval.samples=0 checkpoint.every=1 "
                            "checkpoint.keep=9 alarm.kl_action=off alarm.compile_rate_action=off")
                     .split(u' ') +
                 assignments) {
            const auto status = p.setAssignment(assignment.toStdString());
            QVERIFY2(status, qPrintable(assignment));
        }
        DrawingJudge judge;
        auto environment = environmentWith(judge, parent);
        nlohmann::json dump{{"parameters", p.toJson()}, {"matrices", toJson(environment.matrices)}};
        dump["iterations"] = nlohmann::json::array();
        environment.onExperience = [&](std::int64_t, const Experience& experience) {
            dump["iterations"].push_back(toJson(experience, policy, environment.matrices));
        };
        auto run = newRun(folder, StageKind::Rl, p);
        QVERIFY(must(runStage(run, environment)).end == StageOutcome::End::Done);
        QCOMPARE(dump["iterations"].size(), std::size_t(3));
        QVERIFY(writeJson(folder / "dump.json", dump));
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_python = findPython();
        if (m_python.isEmpty())
            QSKIP("No Python with torch and numpy is here; `packaging/setup --checks` installs Debian's, and "
                  "SPARSERL_PYTHON names another.");
    }

    void iterationsEqualPlainTorch_data()
    {
        QTest::addColumn<QStringList>("assignments");
        QTest::addColumn<QStringList>("parts"); ///< Values that must not lead to the same weights.
        QTest::newRow("ppo")
            << QStringLiteral(
                   "rl.algorithm=ppo rl.top_k=60 rl.top_p=0.9 rl.broad_share=0.3 rl.temperature=0.9 "
                   "rl.temperature_end=0.8 rl.schedule=linear rl.warmup=1 rl.value_pretrain=1 "
                   "rl.value_epochs=2 rl.kl_coef=0.2 rl.kl_target=0.001 rl.kl_horizon=20 "
                   "rl.entropy_coef=0.02 rl.gamma=0.98")
                   .split(u' ')
            << QStringLiteral(
                   "rl.lambda=0.9 rl.gamma=1.0 rl.clip_low=0.1 rl.dual_clip=1.01 rl.entropy_coef=0.0 "
                   "rl.kl_target=0.0 rl.value_clip=0.0 rl.grad_clip=0.5 rl.behaviour_cap=1.0 "
                   "rl.whiten=false")
                   .split(u' ');
        QTest::newRow("grpo")
            << QStringLiteral("rl.algorithm=grpo rl.kl_coef=0 rl.kl_loss_coef=0.1 "
                              "rl.aggregation=seq-mean-token-mean rl.weight_decay=0.05 rl.entropy_coef=0")
                   .split(u' ')
            << QStringLiteral("rl.kl_loss_coef=0.0 rl.kl_loss_estimator=\"k1\" rl.weight_decay=0.0 "
                              "rl.clip_high=0.05 rl.aggregation=\"token-mean\" seed=2")
                   .split(u' ');
        // Written one update behind: each token's loss is weighted for it.
        QTest::newRow("ppo, judged ahead")
            << QStringLiteral("rl.algorithm=ppo rl.judge_ahead=true rl.value_pretrain=0 rl.kl_coef=0.1")
                   .split(u' ')
            << QStringLiteral("rl.judge_ahead=false rl.behaviour_cap=1.0").split(u' ');
        QTest::newRow("grpo, judged ahead")
            << QStringLiteral("rl.algorithm=grpo rl.judge_ahead=true rl.top_p=0.95 rl.temperature=0.9 "
                              "rl.temperature_end=0.8")
                   .split(u' ')
            << QStringLiteral("rl.judge_ahead=false").split(u' ');
    }

    void iterationsEqualPlainTorch()
    {
        QFETCH(QStringList, assignments);
        QFETCH(QStringList, parts);
        const fs::path parent = fs::absolute("policy");
        fs::path folder;
        const auto policy = smallPolicy();
        QVERIFY(policy.save(parent));

        // Each of these has a part in it, and the replay would see it: of each kind of run one by lot, and
        // others.
        const test::DrawnShare share(4);
        std::vector<std::pair<std::string, std::string>> all;
        for (const QString& part : parts)
            all.emplace_back("part", part.toStdString());
        const auto always = share.oneOfEach(all);
        QStringList changes{QString()};
        for (const QString& part : parts)
            if (share.has(part.toStdString()) || always.contains(part.toStdString()))
                changes << part;

        // At the edge of a clip single precision decides whether a token has a gradient: then another seed.
        constexpr double clear = 1e-5;
        Iterations same;
        std::vector<Iterations> replayed;
        for (int seed = 5; seed < 12 && (same.empty() || same.back().edge < clear); ++seed) {
            folder = fs::absolute(fmt::format("{} {}", QTest::currentDataTag(), seed));
            learn(folder, parent, policy, assignments + QStringList{QStringLiteral("seed=%1").arg(seed)});
            if (QTest::currentTestFailed())
                return;
            replayed = replay(folder, folder / "dump.json", changes);
            QVERIFY(!replayed.empty());
            same = replayed.front();
            QCOMPARE(same.size(), std::size_t(3));
        }
        QVERIFY(same.back().edge >= clear);
        for (const auto& iteration : same) {
            QVERIFY(iteration.logProbs < 1e-4);
            // Adam divides each gradient by its own size: of one near zero, single precision has few right
            // digits.
            QVERIFY(iteration.weights < 5e-5);
            QVERIFY(iteration.change < 1e-3);
        }
        for (qsizetype i = 1; i < changes.size(); ++i) {
            const Iterations& other = replayed[static_cast<std::size_t>(i)];
            QVERIFY2(other.size() == 3 && other.back().change > 1e-2, qPrintable(changes[i]));
        }
    }
};

QTEST_GUILESS_MAIN(TestTrainingReplay)
#include "tst_training_replay.moc"
