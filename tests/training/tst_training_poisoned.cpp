// SPDX-License-Identifier: Apache-2.0
// Training goes on whatever the policy writes: PPO with the real judge, where the worst programs there are
// stand in the place of one sample in twenty.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/files.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"
#include "policy/policy/policy.h"
#include "project/run/metrics.h"
#include "training/work/stage.h"

#include <QtTest>

#include <cmath>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t iterations = 20;
constexpr std::int64_t matrices = 2, samples = 10;

ParameterSet with(StageKind kind, std::initializer_list<const char*> assignments)
{
    ParameterSet p(stageParameters(kind));
    for (const char* assignment : assignments)
        if (auto status = p.setAssignment(assignment); !status)
            qFatal("%s", status.error().sentence().c_str());
    return p;
}

std::unique_ptr<Judge> realJudge()
{
    JudgeOptions options;
    options.secretSeed = 1;    // Two judges are compared.
    options.everyKind = false; // As `sparserl train` has it.
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    auto judge = makeSimulatorJudge(options);
    if (!judge)
        qFatal("%s", judge.error().sentence().c_str());
    return std::move(*judge);
}

/// What a run's journal holds, without what measures the machine.
struct Told
{
    std::map<std::string, double> metrics;
    std::map<std::string, std::string> verdicts; ///< By step, split and position.
    std::map<std::string, int> count;            ///< Verdicts of training, by name.
    int samples = 0, poison = 0;
};

} // namespace

class TestTrainingPoisoned : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;
    fs::path m_sft = fs::absolute("sft");
    std::vector<std::string> m_worst, m_honest;
    std::set<std::string> m_poison; ///< Hashes of the worst.

    StageEnvironment environment(Judge& judge, const fs::path& parent = {}) const
    {
        StageEnvironment made;
        for (const char* text : {"stencil2d(n=8,points=5)", "banded(n=60,band=2,fill=1)"}) {
            auto csr = std::make_shared<const Csr>(*generate(text));
            made.matrices.push_back({{{.contents = digest(*csr), .name = text}, csr}, false});
        }
        made.judge = &judge;
        made.parent = parent;
        return made;
    }

    /// One of twenty is one of the worst, four are honest: a policy that has learned nothing writes nothing
    /// that is worth judging.
    std::optional<std::string> replacement(std::uint64_t seed, std::size_t sample) const
    {
        Rng rng = Rng(seed).derive(sample);
        if (sample % 20 == seed % 20)
            return m_worst[rng.below(m_worst.size())];
        if (sample % 5 == 1)
            return m_honest[rng.below(m_honest.size())];
        return std::nullopt;
    }

    Told read(const fs::path& run) const
    {
        Told told;
        const auto entries = readWholeJournal(run);
        if (!entries)
            qFatal("%s", entries.error().sentence().c_str());
        for (const auto& entry : *entries) {
            const auto step = std::to_string(entry.step);
            if (const auto* metric = std::get_if<MetricEvent>(&entry.event);
                metric != nullptr && metric->split != systemSplit) {
                for (const auto& [name, value] : metric->values)
                    if (!name.starts_with("timing") && !name.starts_with("perf/t") &&
                        !name.starts_with("judge/"))
                        told.metrics[metric->split + " " + step + " " + name] = value;
            } else if (std::holds_alternative<SampleEvent>(entry.event)) {
                ++told.samples;
            } else if (const auto* verdict = std::get_if<VerdictEvent>(&entry.event)) {
                const auto& record = verdict->record;
                told.poison += m_poison.contains(record.programHash) ? 1 : 0;
                ++told.count[std::string(nameOf(record.verdict))];
                told.verdicts[step + " " + std::to_string(told.verdicts.size())] =
                    record.programHash + " " + std::string(nameOf(record.verdict)) + " " + record.message +
                    " " + std::to_string(record.warm ? record.warm->median : 0);
            }
        }
        return told;
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const char* name :
             {"local_table_of_a_mebibyte", "local_arrays_down_a_call_chain", "calls_400_deep",
              "calls_that_double", "parameter_past_the_end", "acquire_storm", "warnings_by_the_thousand",
              "compile_bomb_templates", "endless_loop", "endless_recursion", "race_between_blocks",
              "file_include"}) {
            const auto text =
                readFile(SPARSERL_SOURCE_DIR "/tests/adversarial/programs/" + std::string(name) + ".cu");
            QVERIFY2(text.has_value(), name);
            m_worst.push_back(*text);
            m_poison.insert(sha256Hex(*text));
        }
        Rng rng(2);
        for (int i = 0; i < 12; ++i)
            m_honest.push_back(sampleProgram(Task::SpMV, {}, rng)->text);
        const auto p =
            with(StageKind::Sft,
                 {"threads=1", "policy.d_model=32", "policy.d_kv=8", "policy.d_ff=32",
                  "policy.encoder_layers=1", "policy.decoder_layers=1", "policy.heads=2",
                  "policy.max_entries=12", "tokenizer.vocabulary=420", "policy.max_tokens=120",
                  "sft.programs_per_matrix=4", "sft.heldout_programs=2", "sft.families=S1",
                  "sft.max_bytes=520", "sft.variety=0", "sft.steps=2", "sft.batch=6", "eval.samples=0"});
        auto run = test::newRun(m_sft, StageKind::Sft, p);
        test::FakeJudge judge;
        const auto outcome = runStage(run, environment(judge));
        QVERIFY2(outcome.has_value(), outcome ? "" : outcome.error().sentence().c_str());
    }

    void poisonedRunEndsAndResumes()
    {
        const auto p =
            with(StageKind::Rl, {"threads=1", "rl.algorithm=ppo", "rl.iterations=20", "rl.matrices=2",
                                 "rl.samples=10", "rl.minibatch=10", "rl.epochs=1", "rl.lr=0.0005",
                                 "eval.samples=0", "checkpoint.every=5", "rl.max_tokens=60"});
        QCOMPARE(p.integer("rl.iterations"), iterations);
        const auto go = [&](const fs::path& path, int stopAfter) {
            auto run = test::newRun(path, StageKind::Rl, p);
            int interruptions = 0;
            for (;;) {
                const auto judge = realJudge(); // Remembers nothing of what was before.
                auto made = environment(*judge, m_sft);
                made.replaceSample = [this](std::uint64_t seed, std::size_t sample) {
                    return replacement(seed, sample);
                };
                int metrics = 0;
                made.onEvent = [&](std::int64_t, const Event& event) {
                    if (stopAfter > 0 && std::holds_alternative<MetricEvent>(event) && ++metrics == stopAfter)
                        made.cancel.cancel();
                };
                const auto outcome = runStage(run, made);
                if (!outcome)
                    qFatal("%s", outcome.error().sentence().c_str());
                if (outcome->end == StageOutcome::End::Done) {
                    if (outcome->step != iterations)
                        qFatal("ended after %d iterations", static_cast<int>(outcome->step));
                    return interruptions;
                }
                if (++interruptions > 10)
                    qFatal("no end");
            }
        };
        QCOMPARE(go(fs::absolute("whole"), 0), 0);
        const auto whole = read(fs::absolute("whole"));
        for (const auto& [name, number] : whole.count)
            qInfo("%s %d", name.c_str(), number);
        // Nothing is lost, and one in twenty was one of the worst.
        QCOMPARE(whole.samples, static_cast<int>(iterations * matrices * samples));
        QCOMPARE(whole.verdicts.size(), static_cast<std::size_t>(whole.samples));
        QCOMPARE(whole.poison, static_cast<int>(iterations * matrices * samples / 20));
        QVERIFY(whole.count.contains("correct") && whole.count.contains("launch-error"));
        // A race of blocks: which of its faults is seen first depends on which block the schedule holds back.
        QVERIFY(whole.count.contains("race") || whole.count.contains("uninitialised"));
        QVERIFY(whole.metrics.size() > 400);

        QVERIFY(go(fs::absolute("interrupted"), 7) >= 2);
        const auto resumed = read(fs::absolute("interrupted"));
        QVERIFY(resumed.verdicts == whole.verdicts);
        QCOMPARE(resumed.metrics.size(), whole.metrics.size());
        for (const auto& [name, value] : whole.metrics) {
            QVERIFY2(resumed.metrics.contains(name), name.c_str());
            const double other = resumed.metrics.at(name);
            QVERIFY2(value == other || (std::isnan(value) && std::isnan(other)), name.c_str());
        }
        const auto a = Policy::load(*findPolicy(fs::absolute("whole"))),
                   b = Policy::load(*findPolicy(fs::absolute("interrupted")));
        QVERIFY(a && b);
        QCOMPARE(a->digest(), b->digest());
    }
};

QTEST_GUILESS_MAIN(TestTrainingPoisoned)
#include "tst_training_poisoned.moc"
