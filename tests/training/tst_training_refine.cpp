// SPDX-License-Identifier: Apache-2.0
// What supervised fine-tuning makes of a project's searches: it trains on their records, and on prompts that
// show a slower program; and a search that then shows the policy its best programs.
#include "base/files.h"
#include "fake_judge.h"
#include "stage_runs.h"
#include "training/data/best_programs.h"
#include "training/data/refine_prompt.h"
#include "training/data/search_journal.h"
#include "training/data/search_records.h"
#include "training/learning/learner.h"
#include "training/sampling/policy_proposer.h"
#include "training/stages/job_runner.h"
#include "training/work/job.h"
#include "verdict/names.h"

#include <QtTest>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace sparserl;
using namespace sparserl::test;

namespace {

ParameterSet refining()
{
    return with(tinySft(), {"sft.programs_per_matrix=12", "sft.refine=0.5", "sft.contrast=0", "sft.steps=6"});
}

} // namespace

class TrainingRefineTest : public QObject
{
    Q_OBJECT

private:
    PtxJudge m_judge;
    fs::path m_runs = fs::absolute("refine-runs");

private Q_SLOTS:
    void inputsShowSlowerPrograms()
    {
        const fs::path path = fs::absolute("refine"), pieces = fs::absolute("refine-pieces");
        auto run = newRun(path, StageKind::Sft, refining());
        must(runStage(run, environmentWith(m_judge)));
        const auto metrics = metricsOf(path);
        double sum = 0;
        for (int step = 1; step <= 6; ++step)
            sum += metrics.at(fmt::format("train {} refine_share", step));
        QVERIFY(sum / 6 > 0.1 &&
                sum / 6 < 0.9); // the fastest of a matrix weigh most, and nearly all have slower ones
        const auto policy = Policy::load(*findPolicy(path));
        QVERIFY(policy && policy->config().refines && policy->config().prompt.empty());
        // However a step is divided and wherever it is left, it is the same.
        auto inParts = newRun(pieces, StageKind::Sft, with(refining(), {"sft.micro_batch=1"}));
        must(runStage(inParts, environmentWith(m_judge)));
        const auto parts = metricsOf(pieces);
        for (int step = 1; step <= 6; ++step) {
            const auto name = fmt::format("train {} refine_share", step);
            QCOMPARE(parts.at(name), metrics.at(name));
        }
        QVERIFY(std::abs(parts.at("train 1 loss") - metrics.at("train 1 loss")) < 1e-5);
        auto left = newRun(pieces, StageKind::Sft, refining());
        QVERIFY(runInterrupted(left, m_judge, {}) > 1);
        compareRuns(path, pieces);
        // Without it, nothing is shown, and the policy does not claim it.
        auto plain = newRun(pieces, StageKind::Sft, with(refining(), {"sft.refine=0"}));
        must(runStage(plain, environmentWith(m_judge)));
        QVERIFY(!metricsOf(pieces).contains("train 1 refine_share"));
        QVERIFY(!Policy::load(*findPolicy(pieces))->config().refines);
        // A stage that goes on from one that refines keeps that.
        auto rl = newRun(pieces, StageKind::Rl, with(tinyRl("dr-grpo"), {"rl.iterations=1"}));
        must(runStage(rl, environmentWith(m_judge, path)));
        QVERIFY(Policy::load(*findPolicy(pieces))->config().refines);
    }

    /// The program reaches the model: what it writes depends on it.
    void theWriterReadsTheProgram()
    {
        const auto writer = loadSearchPolicy(*findPolicy(fs::absolute("refine")), 3);
        QVERIFY(writer && (*writer)->refines());
        const Target target = someMatrices().front().target;
        const auto written = [&](const std::optional<ProgramToRefine>& from) {
            ProgramRange range{0, 4, 1, true, from};
            std::string all;
            const auto programs = (*writer)->write(target, range, {}, {}).value();
            for (const GeneratedProgram& one : programs)
                all += fmt::format("{} {}\n", one.text, one.logProb);
            return all;
        };
        const ProgramToRefine one{"//! task spmv\nint one;\n", 10, 1.5, {}};
        const ProgramToRefine other{"//! task spmv\nfloat* other(int);\n", 10, 1.5, {}};
        QCOMPARE(written(one), written(one));
        QVERIFY(written(one) != written(other) && written(one) != written({}));
        QVERIFY(checkShares({{"refine", 0.5}}, **writer));
        const auto plain = loadSearchPolicy(*findPolicy(fs::absolute("refine-pieces")), 3);
        QVERIFY(plain);
    }

    /// Reinforcement learning shows what the run itself found best, in later iterations and after a resume.
    void groupsShowTheBestProgram()
    {
        const fs::path parent = fs::absolute("refine"), path = fs::absolute("refine-rl"),
                       pieces = fs::absolute("refine-rl-pieces");
        // Only the two training matrices, so that each is seen again.
        const auto parameters = with(tinyRl("dr-grpo"), {"rl.refine=1", "rl.iterations=5", "eval.samples=1"});
        std::vector<std::vector<std::string>> prompts(5); // of the groups, by iteration
        const auto policy = Policy::load(*findPolicy(parent));
        const auto watch = [&](StageEnvironment& environment) {
            // Every sample becomes a correct program, so that there is a best one.
            environment.replaceSample = [](std::uint64_t seed, std::size_t sample) {
                return std::optional(
                    fmt::format("//! task spmv\n//! launch k<<<1, 32>>>(rows, csr.row_ptr, csr.col, "
                                "csr.val, x, y)\n// {}\n",
                                (seed + sample) % 1000));
            };
            environment.onExperience = [&](std::int64_t iteration, const Experience& experience) {
                auto& now = prompts[static_cast<std::size_t>(iteration)];
                now.clear();
                for (const ModelInput& input : experience.batch.inputs)
                    now.push_back(policy->tokenizer().decode(input.prompt));
            };
        };
        auto environment = environmentWith(m_judge, parent);
        watch(environment);
        auto run = newRun(path, StageKind::Rl, parameters);
        must(runStage(run, environment));
        for (const std::string& prompt : prompts.front()) // nothing was written before
            QVERIFY(prompt.empty());
        QVERIFY(
            std::any_of(prompts[1].begin(), prompts[1].end(), [](const auto& one) { return !one.empty(); }));
        const auto metrics = metricsOf(path);
        QVERIFY(!metrics.contains("train 1 refine_share"));
        QCOMPARE(metrics.at("train 2 refine_share"), 1.0);
        QVERIFY(metrics.at("train 2 refine_faster") >= 0 && metrics.at("train 2 refine_faster") <= 1);
        const auto kept = BestPrograms::load(path / "checkpoints" / "step-000004" / "best_programs.json");
        QVERIFY(kept);
        for (const StageTarget& target : environment.matrices) {
            const ProgramToRefine* one = kept->find(target.target.id.key());
            QCOMPARE(one != nullptr, !target.heldOut);
            if (!one)
                continue;
            // It is what the last iteration showed.
            const std::string prompt = refinePrompt(target.target.id.variant, *one);
            QVERIFY(std::find(prompts[4].begin(), prompts[4].end(), prompt) != prompts[4].end());
        }
        auto left = newRun(pieces, StageKind::Rl, parameters);
        QVERIFY(runInterrupted(left, m_judge, parent, watch) > 1);
        compareRuns(path, pieces);
        QVERIFY(Policy::load(*findPolicy(path))->config().refines);
        // An iteration that is given up before the policy has learned from it leaves nothing behind.
        auto givenUp = newRun(pieces, StageKind::Rl, parameters);
        auto cut = environmentWith(m_judge, parent);
        watch(cut);
        cut.onExperience = [&](std::int64_t iteration, const Experience&) {
            if (iteration == 0) // nothing was kept before: any program would show
                cut.cancel.cancel();
        };
        QVERIFY(must(runStage(givenUp, cut)).end == StageOutcome::End::Interrupted);
        auto again = environmentWith(m_judge, parent);
        watch(again);
        must(runStage(givenUp, again));
        compareRuns(path, pieces);
        auto ahead = newRun(pieces, StageKind::Rl, with(parameters, {"rl.judge_ahead=true"}));
        const auto refused = runStage(ahead, environmentWith(m_judge, parent));
        QVERIFY(!refused && refused.error().what.starts_with("rl.judge_ahead draws programs before"));
    }

    /// The fastest correct one of each target, without those whose time is doubtful.
    void bestPrograms()
    {
        BestPrograms best;
        const auto record = [](const char* target, double microseconds) {
            VerdictRecord one;
            one.target.contents = target;
            one.verdict = Verdict::Correct;
            one.baselineMicroseconds = 10;
            one.registers = 24;
            one.occupancyLimiter = "registers";
            one.warm = Timing{microseconds, microseconds, microseconds, 3};
            return one;
        };
        best.add("slow", record("a", 8));
        best.add("fast", record("a", 4));
        best.add("slower", record("a", 5));
        auto wrong = record("a", 1);
        wrong.verdict = Verdict::WrongResult;
        best.add("wrong", wrong);
        auto doubtful = record("a", 2);
        doubtful.flags = {VerdictFlag::Suspicious};
        best.add("doubtful", doubtful);
        auto unmeasured = record("b", 1);
        unmeasured.warm.reset();
        best.add("unmeasured", unmeasured);
        const fs::path file = fs::absolute("best_programs.json");
        QVERIFY(best.save(file));
        const auto read = BestPrograms::load(file);
        QVERIFY(read);
        for (const BestPrograms& one : {best, *read}) {
            const auto* a = one.find(record("a", 1).target.key());
            QVERIFY(a && a->text == "fast" && a->microseconds == 4 && a->speedup == 2.5);
            QVERIFY(a->profile.registers == 24 && a->profile.occupancyLimiter == "registers");
            QVERIFY(!one.find(record("b", 1).target.key()));
        }
        QVERIFY(writeFileAtomic(file, "[1]"));
        QVERIFY(!BestPrograms::load(file));
        QVERIFY(BestPrograms::load(fs::absolute("nowhere.json")));
    }

    void recordsOfSearches()
    {
        fs::remove_all(m_runs);
        fs::create_directories(m_runs / "no-run");
        const auto parameters = with(ParameterSet(stageParameters(StageKind::Search)),
                                     {"judge.device=sim", "judge.seed=7", "seed=3", "search.candidates=26",
                                      "search.generation=6", "search.bench_programs=8", "system.every=0"});
        auto environment = environmentWith(m_judge);
        environment.makeFinalJudge = []() -> Result<std::unique_ptr<Judge>> {
            return std::make_unique<PtxJudge>();
        };
        auto search = newRun(m_runs / "0001-search", StageKind::Search, parameters);
        must(runStage(search, environment));
        auto other = newRun(m_runs / "0002-search", StageKind::Search, with(parameters, {"seed=4"}));
        must(runStage(other, environment));

        const auto records = searchRecords(m_runs, 2);
        std::map<std::string, std::set<std::string>> found;
        for (const ChosenProgram& record : records) {
            QVERIFY(record.found && sha256Hex(record.text) == record.hash);
            for (const std::string& target : record.targets)
                found[target].insert(record.hash);
        }
        QCOMPARE(found.size(), std::size_t(3));
        for (const StageTarget& matrix : environment.matrices) {
            const std::string key = matrix.target.id.key();
            std::map<std::string, double> speeds; // of both runs
            for (const char* run : {"0001-search", "0002-search"}) {
                const auto programs = searchedPrograms(m_runs / run, key);
                QVERIFY(programs);
                for (const KeptProgram& one : *programs)
                    speeds[sha256Hex(one.proposal.text)] = one.record.speedup();
            }
            std::vector<double> order;
            for (const auto& [hash, speedup] : speeds)
                order.push_back(speedup);
            std::sort(order.rbegin(), order.rend());
            QCOMPARE(found[key].size(), std::size_t(2));
            for (const std::string& hash : found[key])
                QVERIFY(speeds.at(hash) >= order[1]);
        }
        QVERIFY(searchRecords(m_runs, 0).empty() && searchRecords(m_runs / "nowhere", 3).empty());
    }

    void recordsAreTrainedOn()
    {
        const fs::path path = fs::absolute("refine-records");
        auto environment = environmentWith(m_judge);
        environment.runs = m_runs;
        const auto parameters = with(tinySft(), {"sft.records=2", "sft.steps=2"});
        auto run = newRun(path, StageKind::Sft, parameters);
        must(runStage(run, environment));
        std::map<std::string, int> origins;
        std::set<std::string> splits;
        const auto entries = readWholeJournal(path);
        bool told = false;
        for (const auto& entry : *entries) {
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event)) {
                ++origins[sample->origin];
                if (sample->origin == sample_origin::found)
                    splits.insert(sample->split);
            } else if (const auto* log = std::get_if<LogEvent>(&entry.event)) {
                told = told || log->text.starts_with("Searches: ");
            }
        }
        QVERIFY(told);
        QVERIFY(origins[sample_origin::found] >= 2 && origins[sample_origin::found] <= 4);
        QVERIFY((splits == std::set<std::string>{split::train})); // never of a held-out matrix
        // What a run began with is what it is resumed with.
        auto left = newRun(path, StageKind::Sft, with(parameters, {"sft.steps=6"}));
        environment.onEvent = [&](std::int64_t step, const Event& event) {
            if (step == 2 && std::holds_alternative<MetricEvent>(event))
                environment.cancel.cancel();
        };
        must(runStage(left, environment));
        auto again = environmentWith(m_judge); // without the searches
        must(runStage(left, again));
        auto whole =
            newRun(fs::absolute("refine-records-whole"), StageKind::Sft, with(parameters, {"sft.steps=6"}));
        auto fresh = environmentWith(m_judge);
        fresh.runs = m_runs;
        must(runStage(whole, fresh));
        compareRuns(path, fs::absolute("refine-records-whole"));
        // Asked for, and not there: nothing is trained.
        auto none = newRun(path, StageKind::Sft, parameters);
        auto lonely = environmentWith(m_judge);
        lonely.runs = fs::absolute("refine-nowhere");
        const auto refused = runStage(none, lonely);
        QVERIFY(!refused && refused.error().what.starts_with("sft.records asks for programs"));
    }

    /// The job of projects/expert-iteration with small sizes, on the simulated device.
    void expertIteration()
    {
        const fs::path folder = fs::absolute("expert-iteration");
        fs::remove_all(folder);
        fs::create_directories(folder);
        QVERIFY(
            writeFileAtomic(folder / "project.toml",
                            "[project]\nformat = 1\n"
                            "[[matrix]]\nname = \"a\"\ngenerator = \"stencil2d(n=9,points=5)\"\nsplit = "
                            "\"train\"\n"
                            "[[matrix]]\nname = \"b\"\ngenerator = \"banded(n=60,band=2,fill=1)\"\nsplit = "
                            "\"held-out\"\n"));
        auto project = Project::open(folder);
        QVERIFY2(project.has_value(), project ? "" : project.error().sentence().c_str());
        const auto whole = readJob(fs::path(SPARSERL_SOURCE_DIR) / "projects/expert-iteration/job.toml");
        QVERIFY2(whole.has_value(), whole ? "" : whole.error().sentence().c_str());
        const auto job = variantOf(*whole, "",
                                   {"threads=1",
                                    "judge.device=sim",
                                    "judge.seed=7",
                                    "system.every=0",
                                    "policy.d_model=32",
                                    "policy.d_kv=8",
                                    "policy.d_ff=32",
                                    "policy.encoder_layers=1",
                                    "policy.decoder_layers=1",
                                    "policy.heads=2",
                                    "policy.max_entries=12",
                                    "tokenizer.vocabulary=420",
                                    "policy.max_tokens=250",
                                    "sft.steps=4",
                                    "sft.warmup=1",
                                    "sft.batch=6",
                                    "sft.programs_per_matrix=4",
                                    "sft.heldout_programs=2",
                                    "sft.families=S1,S10",
                                    "sft.max_bytes=640",
                                    "eval.every=0",
                                    "eval.samples=1",
                                    "search.candidates=12",
                                    "search.generation=4",
                                    "search.bench_programs=3",
                                    "evaluate.samples=1"});
        QVERIFY2(job.has_value(), job ? "" : job.error().sentence().c_str());
        JobEnvironment environment;
        const auto end = runJob(*project, *job, environment);
        QVERIFY2(end.has_value(), end ? "" : end.error().sentence().c_str());
        QVERIFY(*end == StageOutcome::End::Done);
        const auto seen = [&](const char* run) {
            std::map<std::string, std::set<std::string>> names; // of the matrices, by origin
            const auto entries = readWholeJournal(project->runsPath() / run);
            if (!entries)
                qFatal("%s", entries.error().sentence().c_str());
            for (const auto& entry : *entries) {
                if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                    names[sample->origin].insert(sample->target.name);
            }
            return names;
        };
        using Names = std::set<std::string>;
        for (const char* run : {"search-1", "search-2"}) // the held-out matrix is left alone
            QVERIFY(seen(run)[sample_origin::search] == Names{"a"});
        for (const char* run : {"sft-1", "sft-2"})
            QVERIFY(seen(run)[sample_origin::found] == Names{"a"});
        QVERIFY(seen("sft")[sample_origin::found].empty());
        const auto policy = Policy::load(*findPolicy(project->runsPath() / "sft-2"));
        QVERIFY(policy && policy->config().refines);
    }
};

QTEST_GUILESS_MAIN(TrainingRefineTest)
#include "tst_training_refine.moc"
