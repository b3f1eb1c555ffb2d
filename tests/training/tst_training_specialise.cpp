// SPDX-License-Identifier: Apache-2.0
// From runs to ranked kernels: which programs are taken, what judging again changes, when they pay.
#include "fake_judge.h"

#include "base/files.h"
#include "base/hash.h"
#include "matrix/generate.h"
#include "project/run/run_directory.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/run_targets.h"
#include "training/work/specialise.h"

#include <QTest>
#include <algorithm>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

VerdictRecord verdict(const std::string& program, const std::string& matrix, double microseconds,
                      const std::string& ptx = {})
{
    VerdictRecord record;
    record.programHash = sha256Hex(program);
    record.ptxHash = ptx.empty() ? record.programHash : ptx;
    record.target.contents = matrix;
    record.target.name = matrix;
    record.verdict = Verdict::Correct;
    record.warm = Timing{microseconds, microseconds, microseconds, 1};
    record.baselineMicroseconds = 10;
    return record;
}

/// A finished run with these verdicts; the text of a program is what its hash is of.
fs::path runWith(const fs::path& path, const std::vector<std::pair<std::string, VerdictRecord>>& verdicts)
{
    RunConfig config;
    config.stage = "evaluate";
    auto run = RunDirectory::create(path, config);
    if (!run)
        qFatal("%s", run.error().sentence().c_str());
    auto session = run->beginWork();
    if (!session)
        qFatal("%s", session.error().sentence().c_str());
    for (const auto& [text, record] : verdicts) {
        SampleEvent sample;
        sample.programHash = record.programHash;
        sample.target.contents = sample.target.name = record.target.contents;
        sample.family = "S3";
        if (!session->journal().appendProgram(0, record.programHash, text) ||
            !session->journal().append(0, sample) || !session->journal().append(0, VerdictEvent{record}))
            qFatal("cannot write the journal");
    }
    return path;
}

/// Gives each program the verdict that the test wants.
class ListJudge : public Judge
{
public:
    std::map<std::string, VerdictRecord> records; ///< By text.
    std::vector<std::uint64_t> seeds;
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken&,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        std::vector<VerdictRecord> all;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            all.push_back(records.at(requests[i].program));
            seeds.push_back(requests[i].seed);
            done(i, all.back());
        }
        return all;
    }
};

} // namespace

class TestTrainingSpecialise : public QObject
{
    Q_OBJECT

private:
    std::optional<TempDir> m_folder;

private Q_SLOTS:
    void init() { m_folder.emplace(std::move(*TempDir::create("specialise"))); }

    void theJobIsOfExistingStages()
    {
        SpecialiseOptions options;
        options.policy = "/some/policy";
        options.matrices = 3;
        options.iterations = 7;
        options.assignments = {"rl.lr=0.001", "threads=1"};
        const auto job = specialiseJob(options);
        QVERIFY2(job, job ? "" : job.error().sentence().c_str());
        QCOMPARE(job->stages.size(), std::size_t(2));
        QCOMPARE(job->stages[0].parent, std::string("/some/policy"));
        QCOMPARE(job->stages[1].parent, std::string("rl"));
        const auto project = Project::create(m_folder->path() / "p");
        QVERIFY(project);
        const auto learning = runConfigOf(job->stages[0], *project),
                   writing = runConfigOf(job->stages[1], *project);
        QVERIFY(learning && writing);
        QCOMPARE(learning->stage, std::string("rl"));
        QCOMPARE(learning->parentCheckpoint, std::string("/some/policy"));
        QVERIFY(learning->parentRun.empty());
        QCOMPARE(writing->parentRun, std::string("rl"));
        const auto rl = parametersFromRun(StageKind::Rl, learning->parameters);
        const auto evaluate = parametersFromRun(StageKind::Evaluate, writing->parameters);
        QVERIFY(rl && evaluate);
        QCOMPARE((*rl)[param::rl::iterations], std::int64_t(7));
        QCOMPARE((*rl)[param::rl::matrices], std::int64_t(3));
        QCOMPARE((*rl)[param::rl::lr], 0.001);
        QCOMPARE(std::string((*evaluate)[param::evaluate::split]), std::string("all"));
        QCOMPARE((*evaluate)[param::threads], std::int64_t(1));
        options.matrices = 100;
        options.assignments = {};
        const auto many = specialiseJob(options);
        const auto& set = many->stages[0].assignments;
        QVERIFY(std::find(set.begin(), set.end(), "rl.matrices=8") != set.end());
        QVERIFY(std::find(set.begin(), set.end(), "task=spmm") == set.end());
        options.columns = 24;
        const auto wide = specialiseJob(options);
        QVERIFY(wide);
        for (const auto& stage : wide->stages) {
            const auto config = runConfigOf(stage, *project);
            QVERIFY2(config, config ? "" : config.error().sentence().c_str());
            QCOMPARE(std::get<std::string>(config->parameters.at("task")), std::string("spmm"));
            QCOMPARE(std::get<std::int64_t>(config->parameters.at("dense_columns")), std::int64_t(24));
            QCOMPARE(std::get<std::string>(config->parameters.at("element_type")), std::string("f32"));
        }
        options.columns = 0;
        options.type = ElementType::F64;
        const auto doubles = specialiseJob(options);
        QVERIFY(doubles);
        for (const auto& stage : doubles->stages)
            QCOMPARE(std::get<std::string>(runConfigOf(stage, *project)->parameters.at("element_type")),
                     std::string("f64"));
        options.type = ElementType::F32;
        options.assignments = {"rl.no_such_key=1"};
        QVERIFY(!specialiseJob(options));
        options.assignments = {};
        options.preset = "quickstart-sft";
        const auto wrong = specialiseJob(options);
        QVERIFY(!wrong && wrong.error().sentence().find("sft stage") != std::string::npos);
        options.preset = "no-such-preset";
        QVERIFY(!specialiseJob(options));
    }

    void takesTheFastestOfEachMatrix()
    {
        auto wrong = verdict("wrong", "m", 1);
        wrong.verdict = Verdict::WrongResult;
        auto doubtful = verdict("doubtful", "m", 1);
        doubtful.flags = {VerdictFlag::Suspicious};
        auto untimed = verdict("untimed", "m", 1);
        untimed.warm.reset();
        const auto first =
            runWith(m_folder->path() / "a", {{"slow", verdict("slow", "m", 9)},
                                             {"wrong", wrong},
                                             {"doubtful", doubtful},
                                             {"untimed", untimed},
                                             {"other", verdict("other", "n", 4)},
                                             {"fast", verdict("fast", "m", 8)},
                                             {"fast", verdict("fast", "m", 3)}}); // the last counts
        const auto second =
            runWith(m_folder->path() / "b", {{"fast again", verdict("fast again", "m", 2, sha256Hex("fast"))},
                                             {"middle", verdict("middle", "m", 5)}});
        const auto all = fastestPrograms({first, second}, 2);
        QVERIFY(all && all->size() == 2);
        const auto& m = all->at("m");
        QCOMPARE(m.size(), std::size_t(2));
        QCOMPARE(m[0].text, std::string("fast again")); // the same PTX as "fast", which is left out
        QCOMPARE(m[0].run, second);
        QCOMPARE(m[0].family, std::string("S3"));
        QCOMPARE(m[1].text, std::string("middle"));
        QCOMPARE(all->at("n")[0].text, std::string("other"));
        QCOMPARE(fastestPrograms({first, second}, 10)->at("m").size(), std::size_t(3));
    }

    /// SpMV and SpMM of one matrix are ranked apart, and judged again as what they were found for.
    void targetsOfOneMatrixAreRankedApart()
    {
        std::vector<std::pair<std::string, VerdictRecord>> verdicts;
        for (const std::int64_t columns : {1, 8, 32})
            for (const double time : {5, 6, 7}) { // SpMM takes longer, and one text serves two widths
                const auto text = std::to_string(std::min<std::int64_t>(columns, 8)) + std::to_string(time);
                verdicts.emplace_back(text, verdict(text, "m", time * static_cast<double>(columns)));
                verdicts.back().second.target.variant.columns = columns;
            }
        const auto all = fastestPrograms({runWith(m_folder->path() / "both", verdicts)}, 2);
        QVERIFY(all && all->size() == 3);
        for (const auto& [key, columns] : {std::pair("m", 1), std::pair("m/8", 8), std::pair("m/32", 32)}) {
            const auto& programs = all->at(key);
            QCOMPARE(programs.size(), std::size_t(2));
            QCOMPARE(programs[0].record.warm->median, 5.0 * columns);
            QCOMPARE(programs[1].record.warm->median, 6.0 * columns);
        }

        auto parameters = ParameterSet(stageParameters(StageKind::Evaluate));
        const StageTarget matrix{{{.contents = "m", .name = "m"}, {}}, true, {"once"}};
        const auto keysFor = [&](const char* task) {
            if (!parameters.setAssignment(task))
                qFatal("%s", task);
            std::vector<std::string> keys;
            std::size_t warnings = 0;
            const auto targets = targetsOfRun(parameters, {matrix});
            if (!targets)
                qFatal("%s", targets.error().what.c_str());
            for (const auto& target : *targets) {
                keys.push_back(target.target.id.key());
                warnings += target.warnings.size();
            }
            if (warnings != 1)
                qFatal("the warnings of a matrix are told once");
            return keys;
        };
        QCOMPARE(keysFor("task=spmv"), std::vector<std::string>{"m"});
        QCOMPARE(keysFor("task=spmm"), std::vector<std::string>{"m/8"});
        QCOMPARE(keysFor("task=both"), (std::vector<std::string>{"m", "m/8"}));
        QCOMPARE(keysFor("more_columns=32,8,2"), (std::vector<std::string>{"m", "m/8", "m/32", "m/2"}));
        QCOMPARE(keysFor("task=spmm"), (std::vector<std::string>{"m/8", "m/32", "m/2"}));
        QVERIFY(hasSeveralVariants(parameters));
        QVERIFY(parameters.setAssignment("task=spmv"));
        QVERIFY(!targetsOfRun(parameters, {matrix}) && !hasSeveralVariants(parameters));
        QVERIFY(parameters.setAssignment("task=both"));
        for (const char* wrong : {"1", "1025", "8;9", "eight", ",", "8,,9", "-3", "3.5"}) {
            QVERIFY(parameters.setAssignment(std::string("more_columns=") + wrong));
            const auto refused = targetsOfRun(parameters, {matrix});
            QVERIFY2(!refused && refused.error().what.find(wrong) != std::string::npos, wrong);
        }
    }

    void judgedAgainAndRanked()
    {
        const auto csr = std::make_shared<const Csr>(*generate("banded(n=20,band=2)"));
        const StageTarget matrix{{{.contents = "m", .name = "m"}, csr}};
        ListJudge judge;
        std::vector<FoundProgram> programs;
        for (const char* text : {"a", "b", "c"})
            programs.push_back({"run", text, "S1", verdict(text, "m", 3)});
        judge.records["a"] = verdict("a", "m", 1);
        judge.records["a"].verdict = Verdict::WrongResult; // only now
        judge.records["b"] = verdict("b", "m", 7);
        judge.records["c"] = verdict("c", "m", 6);
        double last = 0;
        const auto ranked =
            verifyPrograms(judge, matrix, programs, 99, {}, [&](double f, std::string_view) { last = f; });
        QVERIFY(ranked);
        QCOMPARE((*ranked)[0].found.text, std::string("c"));
        QCOMPARE((*ranked)[1].found.text, std::string("b"));
        QCOMPARE((*ranked)[2].found.text, std::string("a"));
        QVERIFY((*ranked)[0].record.warm->median == 6 && (*ranked)[0].found.record.warm->median == 3);
        QCOMPARE(judge.seeds, std::vector<std::uint64_t>(3, 99));
        QCOMPARE(last, 1.0);
    }

    void whenItPays()
    {
        auto record = verdict("a", "m", 6);
        record.setupMicroseconds = 100; // saves 4 us a call
        QCOMPARE(*callsToBreakEven(record), 25.0);
        record.setupMicroseconds = 101;
        QCOMPARE(*callsToBreakEven(record), 26.0);
        record.setupMicroseconds = 0;
        QCOMPARE(*callsToBreakEven(record), 0.0);
        record.baselineMicroseconds = 6;
        QVERIFY(!callsToBreakEven(record));
        record.baselineMicroseconds = 10;
        record.verdict = Verdict::Race;
        QVERIFY(!callsToBreakEven(record));
    }
};

QTEST_GUILESS_MAIN(TestTrainingSpecialise)
#include "tst_training_specialise.moc"
