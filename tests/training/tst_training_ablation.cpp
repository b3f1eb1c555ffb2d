// SPDX-License-Identifier: Apache-2.0
// Tables of the paper as files: every one that comes with the program makes a job, and what becomes of its
// evaluations is compared with numbers made by hand.
#include "training/evaluated/ablation.h"

#include "base/files.h"

#include <QtTest>
#include <map>
#include <set>

using namespace sparserl;

namespace {

const char* const twoCells = "title = \"Two\"\nsource = \"made up\"\npaper_columns = [\"CR\", \"GFLOPS\"]\n"
                             "[[stage]]\nrun = \"sft\"\npreset = \"quickstart-sft\"\n"
                             "[[stage]]\nrun = \"a\"\npreset = \"quickstart-evaluate\"\nparent = \"sft\"\n"
                             "[[stage]]\nrun = \"b\"\npreset = \"quickstart-evaluate\"\nparent = \"sft\"\n"
                             "[[cell]]\nname = \"first\"\nrun = \"a\"\npaper = [41.25, \"\"]\n";

/// The error of a table that is the one above with a change.
QString refusal(const TempDir& folder, const std::string& from, const std::string& to)
{
    std::string text = twoCells;
    const auto at = text.find(from);
    if (at == std::string::npos)
        return QStringLiteral("the test is wrong: ") + QString::fromStdString(from);
    text.replace(at, from.size(), to);
    const auto file = folder.path() / "t.toml";
    if (!writeFileAtomic(file, text))
        return {};
    const auto read = findAblation(file.string());
    return read ? QString() : QString::fromStdString(read.error().sentence());
}

EvaluationResult evaluation(double compiled, double correct, double microseconds)
{
    EvaluationResult result;
    result.ks = {1, 20};
    result.metrics = {{"compile_rate", compiled}, {"correct_rate", correct}};
    result.metrics[metric::compileRate] = compiled;
    result.metrics[metric::correctRate] = correct;
    result.metrics[metric::passAt.part("@1")] = correct;
    result.metrics[metric::passAt.part("@20")] = 1;
    EvaluationEvent row;
    row.nnz = 1000;
    row.bestMicroseconds = microseconds;
    row.baselineMicroseconds = 4;
    result.rows = {row};
    return result;
}

} // namespace

class TestTrainingAblation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyTableOfThePaperMakesAJob()
    {
        const auto all = builtInAblations();
        QVERIFY2(all, all ? "" : all.error().sentence().c_str());
        std::set<std::string> names;
        for (const auto& one : *all) {
            names.insert(one.name);
            QVERIFY2(!one.title.empty() && !one.source.empty() && !one.note.empty(), one.name.c_str());
            const std::int64_t seeds[] = {1, 2};
            const auto job = ablationJob(one, seeds, {});
            QVERIFY2(job, job ? "" : job.error().sentence().c_str());
            QCOMPARE(job->stages.size(), 2 * one.job.stages.size());
            std::set<std::string> runs, configurations;
            for (const auto& stage : job->stages) {
                // A stage finds its parent before it, and every assignment is one of its stage's.
                QVERIFY2(stage.parent.empty() || runs.count(stage.parent) == 1, stage.run.c_str());
                QVERIFY2(runs.insert(stage.run).second, stage.run.c_str());
                auto preset = findPreset(stage.preset);
                QVERIFY(preset);
                for (const auto& assignment : stage.assignments) {
                    const auto set = preset->parameters.setAssignment(assignment);
                    QVERIFY2(set, (stage.run + ": " + (set ? "" : set.error().sentence())).c_str());
                }
                // No two runs of a table are the same training.
                std::map<std::string, std::string> last; // of two assignments to one parameter
                for (const auto& assignment : stage.assignments)
                    last[assignment.substr(0, assignment.find('='))] = assignment;
                std::string what = stage.preset + " " + stage.parent;
                for (const auto& [key, assignment] : last)
                    what += " " + assignment;
                QVERIFY2(configurations.insert(what).second, stage.run.c_str());
            }
            for (const auto& cell : one.cells)
                QVERIFY2(runs.count(ablationRun(one, cell, 2)) == 1, cell.name.c_str());
        }
        for (const char* name :
             {"table-2", "table-3", "table-4", "table-5", "table-11", "table-12", "table-20", "a-4-3", "a-22",
              "section-5-4", "figure-5", "ratios", "best-of-k"})
            QVERIFY2(names.count(name) == 1, name);
    }

    void mistakesAreSentences()
    {
        const TempDir folder = *TempDir::create("ablation");
        QVERIFY(refusal(folder, "Two", "Three").isEmpty());
        QVERIFY(refusal(folder, "run = \"a\"\npaper", "run = \"c\"\npaper").contains(u"not a stage"));
        QVERIFY(refusal(folder, "run = \"a\"\npaper", "run = \"sft\"\npaper").contains(u"evaluates nothing"));
        QVERIFY(refusal(folder, "[41.25, \"\"]", "[41.25]").contains(u"1 numbers of the paper for 2"));
        QVERIFY(refusal(folder, "name = \"first\"\n", "").contains(u"no name"));
        QVERIFY(refusal(folder, "parent = \"sft\"", "parent = \"stf\"").contains(u"stf"));
        QVERIFY(refusal(folder, "preset = \"quickstart-evaluate\"\nparent = \"sft\"\n[[stage]]",
                        "preset = \"quickstart-evaluate\"\nparent = \"sft\"\nset = [\"seed=3\"]\n[[stage]]")
                    .contains(u"--seeds"));
        QVERIFY(!findAblation("table-99"));
        const std::int64_t seeds[] = {1};
        const auto seeded =
            ablationJob(*findAblation("table-3"), seeds, {"seed=7"}); // it would overrule --seeds
        QVERIFY(!seeded && seeded.error().sentence().find("--seeds 7") != std::string::npos);
        const auto job = ablationJob(*findAblation("table-3"), seeds, {"sft.setps=3"});
        QVERIFY(!job && job.error().sentence().find("sft.setps") != std::string::npos);
    }

    void theTableHasMeansAndTheirRange()
    {
        const TempDir folder = *TempDir::create("ablation");
        const auto file = folder.path() / "two.toml";
        QVERIFY(writeFileAtomic(file, twoCells));
        const auto ablation = findAblation(file.string());
        QVERIFY(ablation);
        // 2 nnz / t: 1 and 2 GFLOPS; speed-ups 2 and 4.
        const std::vector<std::vector<EvaluationResult>> results{
            {evaluation(0.5, 0.25, 2), evaluation(0.75, 0.5, 1)}};
        const auto table = ablationTable(*ablation, results);
        const std::vector<std::string> header{"policy", "pass@1",   "pass@20",   "CR",           "correct",
                                              "GFLOPS", "speed-up", "paper: CR", "paper: GFLOPS"};
        const std::vector<std::string> row{"first",
                                           "37.5 (25.0 to 50.0)",
                                           "100.0 (100.0 to 100.0)",
                                           "62.5 (50.0 to 75.0)",
                                           "37.5 (25.0 to 50.0)",
                                           "1.50 (1.00 to 2.00)",
                                           "3.000 (2.000 to 4.000)",
                                           "41.25",
                                           "-"};
        QCOMPARE(table.header, header);
        QCOMPARE(table.rows.size(), std::size_t(1));
        QCOMPARE(table.rows[0], row);
        // A policy without a correct program has no speed.
        const std::vector<std::vector<EvaluationResult>> none{{evaluation(0, 0, 0)}};
        QCOMPARE(ablationTable(*ablation, none).rows[0][5], std::string("-"));
    }
};

QTEST_GUILESS_MAIN(TestTrainingAblation)
#include "tst_training_ablation.moc"
