// SPDX-License-Identifier: Apache-2.0
// A search as a stage: what its journal holds, and that it goes on where it was left. Budgets are programs,
// so that no test depends on a clock.
#include "fake_judge.h"
#include "project/run/metrics.h"
#include "stage_runs.h"
#include "together.h"
#include "training/data/search_journal.h"
#include "training/parameters/matrix_names.h"

#include <QtTest>

#include <fmt/format.h>
#include <map>
#include <set>

using namespace sparserl;
using namespace sparserl::test;

namespace {

ParameterSet tinySearch()
{
    return with(ParameterSet(stageParameters(StageKind::Search)),
                {"judge.device=sim", "judge.seed=7", "seed=3", "search.candidates=26", "search.generation=6",
                 "search.bench_programs=8", "system.every=0"});
}

StageEnvironment searching(Judge& judge)
{
    auto environment = environmentWith(judge);
    environment.makeFinalJudge = []() -> Result<std::unique_ptr<Judge>> {
        return std::make_unique<PtxJudge>();
    };
    return environment;
}

StageOutcome::End searchAll(const fs::path& path, const ParameterSet& parameters)
{
    auto run = newRun(path, StageKind::Search, parameters);
    PtxJudge judge;
    return must(runStage(run, searching(judge))).end;
}

/// What a journal says of programs and targets, without what a clock decides.
std::vector<std::string> storyOf(const fs::path& run)
{
    std::vector<std::string> story;
    const auto entries = readWholeJournal(run);
    if (!entries)
        qFatal("%s", entries.error().sentence().c_str());
    for (JournalEntry entry : *entries) {
        if (auto* sample = std::get_if<SampleEvent>(&entry.event))
            sample->proposal->seconds = 0;
        const auto kind = kindOf(entry.event);
        if (kind != "program" && kind != "sample" && kind != "verdict" && kind != "evaluation")
            continue;
        entry.seq = 0;
        entry.gen = 0;
        entry.t = 0;
        story.push_back(toJson(entry).dump());
    }
    return story;
}

std::map<std::string, double> curvesOf(const fs::path& run)
{
    auto curves = metricsOf(run);
    std::erase_if(curves, [](const auto& one) { return one.first.ends_with("search/judged_per_second"); });
    return curves;
}

} // namespace

class TrainingSearchTest : public QObject
{
    Q_OBJECT

private:
    fs::path m_whole = fs::absolute("search-whole");

private Q_SLOTS:
    void initTestCase() { QVERIFY(searchAll(m_whole, tinySearch()) == StageOutcome::End::Done); }

    void theJournalHoldsTheSearch()
    {
        const auto entries = readWholeJournal(m_whole);
        QVERIFY(entries);
        std::map<std::string, std::set<std::string>> programs; // by target
        std::map<std::string, std::int64_t> next;
        std::set<std::string> emitted;
        std::vector<EvaluationEvent> evaluations;
        int edited = 0;
        std::int64_t records = 0;
        for (const JournalEntry& entry : *entries) {
            if (const auto* evaluation = std::get_if<EvaluationEvent>(&entry.event))
                evaluations.push_back(*evaluation);
            if (const auto* metric = std::get_if<MetricEvent>(&entry.event)) {
                for (const auto& [name, value] : metric->values) {
                    QVERIFY2(findMetric(name), name.c_str());
                    emitted.insert(name);
                }
            }
            const auto* sample = std::get_if<SampleEvent>(&entry.event);
            if (!sample)
                continue;
            QCOMPARE(sample->origin, std::string("search"));
            QVERIFY(std::isnan(sample->reward));
            QVERIFY(sample->proposal);
            const std::string target = sample->target.key();
            QCOMPARE(sample->proposal->number, next[target]++);
            for (const std::string& parent : sample->proposal->parents)
                QVERIFY(programs[target].contains(parent)); // what came before
            QVERIFY(programs[target].insert(sample->programHash).second);
            edited += sample->proposal->source == "edits" && !sample->proposal->edits.empty() ? 1 : 0;
            records += sample->proposal->record ? 1 : 0;
        }
        for (const auto& description : metricDescriptions())
            for (const auto& name : description.names())
                if (name.starts_with("search/") && name != metric::searchShare.part("policy") &&
                    name != metric::searchShare.part("refine"))
                    QVERIFY2(emitted.contains(name.substr(0, name.find('#')) +
                                              (name.find('#') == std::string::npos ? "" : "1")),
                             (name + " is declared, but not emitted").c_str());
        QCOMPARE(next.size(), std::size_t(3));
        for (const auto& [target, count] : next)
            QCOMPARE(count, 26);
        QVERIFY(edited > 10);
        QCOMPARE(evaluations.size(), std::size_t(3));
        for (const EvaluationEvent& one : evaluations) {
            QCOMPARE(one.samples, 26);
            QVERIFY(programs[one.target.key()].contains(one.bestProgram));
            QVERIFY(one.bestMicroseconds <= one.references.at("best_of_corpus"));
        }
        const auto run = RunDirectory::open(m_whole);
        QCOMPARE(run->lastState()->state, RunState::Done);
        QCOMPARE(run->latestCheckpoint()->step, 78);
        const auto curves = metricsOf(m_whole);
        QCOMPARE(curves.at("train 77 search/judged"), 78.0);
        QCOMPARE(curves.at("train 77 search/records"), double(records));
        QVERIFY(curves.at("train 78 search/record_gain") >= 1);
        QVERIFY(curves.contains("train 26 search/best_us/1") && curves.contains("train 78 search/best_us/3"));

        // It comes back from there as it was judged.
        const auto kept = searchedPrograms(m_whole, evaluations[1].target.key());
        QVERIFY(kept);
        QCOMPARE(kept->size(), std::size_t(26));
        for (std::size_t i = 0; i < kept->size(); ++i)
            QCOMPARE((*kept)[i].number, i);
    }

    /// Interrupted again and again it is the same search, and so it is when its process was killed.
    void goesOnWhereItWasLeft()
    {
        const fs::path path = fs::absolute("search-interrupted");
        auto run = newRun(path, StageKind::Search, tinySearch());
        PtxJudge judge;
        const auto final = [](StageEnvironment& environment) {
            environment.makeFinalJudge = []() -> Result<std::unique_ptr<Judge>> {
                return std::make_unique<PtxJudge>();
            };
        };
        const int interruptions = runInterrupted(run, judge, {}, final);
        QVERIFY(interruptions > 5);
        QCOMPARE(storyOf(path), storyOf(m_whole));
        QCOMPARE(curvesOf(path), curvesOf(m_whole));
    }

    /// A line that was torn loses its program, and no more.
    void aTornLineLosesItsProgram()
    {
        const fs::path path = fs::absolute("search-torn");
        auto run = newRun(path, StageKind::Search, tinySearch());
        PtxJudge judge;
        auto environment = searching(judge);
        int samples = 0;
        environment.onEvent = [&](std::int64_t, const Event& event) {
            samples += std::holds_alternative<SampleEvent>(event) ? 1 : 0;
            if (samples == 16)
                environment.cancel.cancel();
        };
        QVERIFY(must(runStage(run, environment)).end == StageOutcome::End::Interrupted);
        const auto before = searchedPrograms(path, environment.matrices[0].target.id.key());
        QVERIFY(before);
        QFile journal(QString::fromStdString((path / "journal.jsonl").string()));
        QVERIFY(journal.open(QIODevice::ReadWrite));
        QByteArray text = journal.readAll();
        const auto at = text.indexOf("\"number\":3,");
        QVERIFY(at > 0);
        text[at] = '#'; // as long as before: the checkpoint's length of the journal holds
        journal.seek(0);
        journal.write(text);
        journal.close();
        const auto after = searchedPrograms(path, environment.matrices[0].target.id.key());
        QVERIFY(after);
        QCOMPARE(after->size() + 1, before->size());
        PtxJudge again;
        QVERIFY(must(runStage(run, searching(again))).end == StageOutcome::End::Done);
    }

    /// Without rankings it finds the same programs, and every program has the verdict of the search alone.
    void withoutRankings()
    {
        const fs::path path = fs::absolute("search-unranked");
        QVERIFY(searchAll(path, with(tinySearch(), {"search.ranking=false"})) == StageOutcome::End::Done);
        std::map<std::string, int> counts, verdicts, expected;
        int said = 0;
        const auto entries = readWholeJournal(path);
        for (const auto& entry : *entries) {
            QVERIFY(!std::holds_alternative<EvaluationEvent>(entry.event));
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                ++counts[sample->target.key() + sample->programHash];
            if (const auto* verdict = std::get_if<VerdictEvent>(&entry.event))
                ++verdicts[verdict->record.target.key() + verdict->record.programHash];
            if (const auto* log = std::get_if<LogEvent>(&entry.event))
                said += log->text.find("not ranked") != std::string::npos;
        }
        const auto ranked = readWholeJournal(m_whole);
        for (const auto& entry : *ranked)
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                ++expected[sample->target.key() + sample->programHash];
        QCOMPARE(counts, expected);
        QCOMPARE(verdicts, expected);
        QCOMPARE(said, 3);
        const auto curves = curvesOf(path);
        QVERIFY(curves.contains("train 78 search/gain"));
        QVERIFY(!curves.contains("train 78 search/record_gain"));
    }

    /// A budget that is changed while it runs holds from the next generation on.
    void aBudgetChangesLive()
    {
        const fs::path path = fs::absolute("search-cut");
        auto run = newRun(path, StageKind::Search, tinySearch());
        PtxJudge judge;
        auto environment = searching(judge);
        bool asked = false;
        environment.onEvent = [&](std::int64_t, const Event& event) {
            if (!std::holds_alternative<SampleEvent>(event) || asked)
                return;
            asked = true;
            ControlCommand command;
            command.kind = ControlCommand::Kind::Set;
            command.key = "search.candidates";
            command.value = "14";
            QVERIFY(appendControl(path, command));
        };
        QVERIFY(must(runStage(run, environment)).end == StageOutcome::End::Done);
        std::map<std::string, int> counts;
        const auto entries = readWholeJournal(path);
        for (const auto& entry : *entries) {
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                ++counts[sample->target.name];
        }
        QCOMPARE(counts.size(), std::size_t(3));
        for (const auto& [name, count] : counts)
            QCOMPARE(count, 14);
    }

    /// A policy is a source like the others, and a search with one goes on where it was left, too.
    void aPolicyProposes()
    {
        const fs::path sft = fs::absolute("search-policy"), whole = fs::absolute("search-with-policy");
        PtxJudge judge;
        auto taught = newRun(
            sft, StageKind::Sft,
            with(tinySft(), {"sft.programs_per_matrix=24", "sft.variety=0.9", "sft.steps=400",
                             "sft.contrast=0", "sft.refine=0.5", "policy.d_model=64", "policy.d_ff=128",
                             "policy.d_kv=32", "eval.every=0", "checkpoint.every=400"}));
        must(runStage(taught, environmentWith(judge)));
        const auto p = with(tinySearch(), {"search.matrices=banded(n=60,band=2,fill=1)", "threads=1",
                                           "search.bench_programs=2", "search.temperatures=0.6,0.9",
                                           "search.shares=grid=0.05,edits=0.05", "search.candidates=24"});
        const auto setUp = [&](StageEnvironment& environment) {
            environment.parent = sft;
            environment.makeFinalJudge = []() -> Result<std::unique_ptr<Judge>> {
                return std::make_unique<PtxJudge>();
            };
        };
        auto run = newRun(whole, StageKind::Search, p);
        auto environment = searching(judge);
        setUp(environment);
        QVERIFY(must(runStage(run, environment)).end == StageOutcome::End::Done);
        std::map<std::string, int> ways;
        const auto entries = readWholeJournal(whole);
        for (const auto& entry : *entries) {
            const auto* sample = std::get_if<SampleEvent>(&entry.event);
            if (!sample || (sample->proposal->source != "policy" && sample->proposal->source != "refine"))
                continue;
            QCOMPARE(sample->proposal->parents.size(), std::size_t(sample->proposal->source == "refine"));
            QCOMPARE(sample->proposal->edits.size(), std::size_t(1));
            ++ways[sample->proposal->edits.front().words];
        }
        QVERIFY(!ways.empty()); // how many are new depends on roundings
        for (const auto& [words, count] : ways)
            QVERIFY2(words == "written by the policy at T=0.6" || words == "written by the policy at T=0.9" ||
                         words == "rewritten by the policy at T=0.6" ||
                         words == "rewritten by the policy at T=0.9",
                     words.c_str());
        for (const char* source : {"policy", "refine"}) {
            bool shared = false;
            for (const auto& [name, value] : metricsOf(whole))
                shared = shared || (name.ends_with(metric::searchShare.part(source)) && value > 0.3);
            QVERIFY2(shared, source);
        }
        const fs::path path = fs::absolute("search-policy-interrupted");
        auto again = newRun(path, StageKind::Search, p);
        QVERIFY(runInterrupted(again, judge, {}, setUp) > 1);
        QCOMPARE(storyOf(path), storyOf(whole));
        QCOMPARE(curvesOf(path), curvesOf(whole));
        // Without one, a share of it is a mistake.
        auto without = newRun(fs::absolute("search-no-policy"), StageKind::Search,
                              with(tinySearch(), {"search.shares=policy=0.5"}));
        const auto refused = runStage(without, searching(judge));
        QVERIFY(!refused &&
                refused.error().sentence().find("no policy that could have a share") != std::string::npos);
    }

    void refusesWhatCannotWork()
    {
        PtxJudge judge;
        const auto sentence = [&](std::initializer_list<const char*> assignments) {
            auto run =
                newRun(fs::absolute("search-refused"), StageKind::Search, with(tinySearch(), assignments));
            const auto outcome = runStage(run, searching(judge));
            return outcome ? std::string() : outcome.error().sentence();
        };
        QVERIFY(sentence({"search.matrices=banded(n=60,band=2,fill=1); nowhere"})
                    .starts_with("the project has no matrix \"nowhere\""));
        QVERIFY(sentence({"search.families=M4"}).starts_with("M4 is a family for spmm"));
        QVERIFY(sentence({"search.shares=sweets=1"}).find("is not a source") != std::string::npos);
        newRun(fs::absolute("search-two"), StageKind::Search, tinySearch());
        const auto said = together<std::string>(2, [&](const std::shared_ptr<ProcessGroup>& group) {
            PtxJudge own;
            auto environment = searching(own);
            environment.processes = group;
            auto run = RunDirectory::open(fs::absolute("search-two"));
            const auto outcome = runStage(*run, environment);
            return outcome ? std::string() : outcome.error().sentence();
        });
        QVERIFY2(said.starts_with("a search is the work of one process"), said.c_str());
    }

    void namesOfMatrices()
    {
        const std::vector<std::string> names{"lp(rows=2000,long=4)", "A"};
        QCOMPARE(matrixNames(" lp(rows=2000,long=4) ;; A;"), names);
        QCOMPARE(matrixNames(joinMatrixNames(names)), names);
        QVERIFY(matrixNames(" ").empty());
    }
};

QTEST_GUILESS_MAIN(TrainingSearchTest)
#include "tst_training_search.moc"
