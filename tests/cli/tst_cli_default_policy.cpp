// SPDX-License-Identifier: Apache-2.0
// The policy that comes with the program: found without being named, writes what it is for, and gives way to
// what the user calls by its name. And `policy shrink`, by which it was made.
#include "base/files.h"
#include "programs.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <vector>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* matrix = "\"random(rows=60,cols=50,mean=4)\"";

std::vector<nlohmann::json> linesOf(const std::string& output)
{
    std::vector<nlohmann::json> all;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        all.push_back(nlohmann::json::parse(line));
    return all;
}

} // namespace

class TestCliDefaultPolicy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        QVERIFY(writeFileAtomic(folder() / "project/project.toml", tinyProject));
    }

    void isWithinItsSize()
    {
        const fs::path policy = fs::path(SPARSERL_BIN_DIR).parent_path() / "share/sparserl/policy";
        std::uintmax_t all = 0;
        for (const auto& entry : fs::directory_iterator(policy))
            all += entry.file_size();
        QVERIFY(fs::file_size(policy / "model.safetensors") <= 16u << 20);
        QVERIFY(all <= 25'000'000);
        QVERIFY(fs::file_size(policy / "README.md") > 1000);
        const auto run = readFile(policy / "run.toml");
        QVERIFY(run.has_value());
        QVERIFY2(run->find("project = ") == std::string::npos, "where it was trained is nobody's business");
        QVERIFY(fs::file_size(policy / "trained_on.json") > 1000);
    }

    /// Its programs for both tasks, and beside them what needs no policy.
    void generateNeedsNoPolicy_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("task");
        QTest::newRow("spmv") << ""
                              << "//! task spmv";
        QTest::newRow("spmm") << "--task spmm --columns 32"
                              << "//! task spmm";
    }
    void generateNeedsNoPolicy()
    {
        QFETCH(QString, arguments);
        QFETCH(QString, task);
        const auto ran = shell(folder(),
                               std::string("$SPARSERL --json --quiet generate ") + matrix +
                                   " -n 3 --device sim --seed 5 " + arguments.toStdString(),
                               200);
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        const auto lines = linesOf(ran.output);
        QCOMPARE(lines.size(), std::size_t(4));
        int correct = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto& text = lines[i]["program"].get_ref<const std::string&>();
            QVERIFY2(text.starts_with(task.toStdString()), text.c_str());
            correct += lines[i]["verdict"]["verdict"] == "correct" ? 1 : 0;
        }
        QVERIFY(correct > 0);
        const auto& estimate = lines[3]["estimate"];
        QCOMPARE(estimate["verdict"]["verdict"].get<std::string>(), std::string("correct"));
        QVERIFY(estimate["program"].get<std::string>().starts_with(task.toStdString()));
    }

    void saysHowItComparesWithTheEstimate()
    {
        const auto ran = shell(folder(),
                               std::string("$SPARSERL --quiet generate ") + matrix +
                                   " -n 1 --greedy --device sim --out kernels",
                               200);
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        static const std::regex family(R"(corpus program with the best estimate \(family S\d+ · \S.*\) )");
        QVERIFY2(std::regex_search(ran.output, family), ran.output.c_str());
        QCOMPARE(std::distance(fs::directory_iterator(folder() / "kernels"), fs::directory_iterator()), 1);
    }

    void whereThereIsNone()
    {
        const auto ran = shell(
            folder(), std::string("SPARSERL_DEFAULT_POLICY=/nowhere $SPARSERL generate --no-judge ") + matrix,
            60);
        QCOMPARE(ran.status.code, 1);
        QVERIFY2(ran.error.find("/nowhere: there is no policy here, where SPARSERL_DEFAULT_POLICY points") !=
                     std::string::npos,
                 ran.error.c_str());
        // A folder that happens to have its name, and is no policy, does not hide it. Any policy can take its
        // place.
        fs::create_directories(folder() / "default");
        const auto other = shell(folder(),
                                 "SPARSERL_DEFAULT_POLICY=$(dirname $SPARSERL)/../share/sparserl/policy "
                                 "$SPARSERL --quiet --json generate --no-judge -n 1 --max-tokens 4 --policy "
                                 "default " +
                                     std::string(matrix),
                                 60);
        QVERIFY2(other.status.ok(), other.error.c_str());
        QCOMPARE(linesOf(other.output).size(), std::size_t(1));
    }

    /// A run begins with it by its name, unless something of the user's has that name.
    void isAParentOfRuns()
    {
        const std::string wrong = tune();
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(fs::exists(folder() / "project/runs/tuned/checkpoints/step-000001/model.safetensors"));
        fs::create_directories(folder() / "project/runs/default");
        const auto refused = train("--run project/runs/other");
        QVERIFY(!refused.status.ok());
        QVERIFY(!fs::exists(folder() / "project/runs/other"));
        fs::remove(folder() / "project/runs/default");
    }

    /// An update of the program moves its folder, and may bring another policy: a run keeps the word for it,
    /// and a digest.
    void runsOutliveAnUpdate()
    {
        const std::string wrong = tune();
        QVERIFY2(wrong.empty(), wrong.c_str());
        const fs::path run = folder() / "project/runs/outlives";
        const std::string train =
            "$SPARSERL --quiet train quickstart-sft --project project --parent default --run "
            "project/runs/outlives --set sft.batch=2 --set sft.micro_batch=2 --set sft.programs_per_matrix=2 "
            "--set eval.every=0 --set judge.device=sim --set checkpoint.every=100000 --set sft.steps=";
        auto worker = startShell(folder(), "exec " + train + "100000");
        QVERIFY(comesTrue([&] { return fs::exists(run / "heartbeat.json"); }));
        worker.killGroup(SIGKILL);
        QVERIFY(worker.wait(patienceSeconds(20)).has_value());
        QVERIFY(fs::is_empty(run / "checkpoints"));
        auto config = readFile(run / "run.toml").value();
        QVERIFY2(config.find("parent_checkpoint = 'default'") != std::string::npos, config.c_str());
        QVERIFY2(config.find("parent_digest = '") != std::string::npos, config.c_str());
        const auto resume = [&](const std::string& before) {
            return shell(folder(), before + " $SPARSERL train --run project/runs/outlives", 200);
        };
        const auto without = resume("SPARSERL_DEFAULT_POLICY=/nowhere");
        QCOMPARE(without.status.code, 1);
        QVERIFY2(without.error.find("where SPARSERL_DEFAULT_POLICY points") != std::string::npos,
                 without.error.c_str());
        const std::string many = "'sft.steps' = 100000";
        const auto at = config.find(many);
        QVERIFY2(at != std::string::npos, config.c_str());
        QVERIFY(writeFileAtomic(run / "run.toml", config.replace(at, many.size(), "'sft.steps' = 1")));
        const auto other = resume("SPARSERL_DEFAULT_POLICY=$PWD/project/runs/tuned/checkpoints/step-000001");
        QVERIFY2(other.status.ok(), other.error.c_str());
        QVERIFY2(
            (other.output + other.error)
                    .find("is not installed any more. The run starts from the one that is installed now") !=
                std::string::npos,
            (other.output + other.error).c_str());
        QVERIFY(fs::exists(run / "checkpoints/step-000001/model.safetensors"));
    }

    /// Whatever begins with it: a path of the installation in a project would not outlive the next update.
    void noFileOfAProjectNamesTheInstallation()
    {
        const auto made = shell(
            folder(),
            "$SPARSERL --quiet search --project project --policy default --device sim --candidates 34 " +
                std::string(matrix) +
                " && $SPARSERL --quiet train quickstart-evaluate --project project --parent default --set "
                "evaluate.samples=1 --set evaluate.max_tokens=8 --set judge.device=sim",
            300);
        QVERIFY2(made.status.ok(), made.error.c_str());
        const auto found = shell(
            folder(), "grep -rIlF \"$(dirname $(dirname $SPARSERL))\" project; test -n \"$SPARSERL\"", 60);
        QVERIFY2(found.output.empty(), found.output.c_str());
    }

    void shrinks()
    {
        const std::string wrong = tune();
        QVERIFY2(wrong.empty(), wrong.c_str());
        const auto tuned = folder() / "project/runs/tuned/checkpoints/step-000001";
        const auto ran = shell(folder(), "$SPARSERL policy shrink project/runs/tuned --out small", 60);
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        const auto before = fs::file_size(tuned / "model.safetensors");
        const auto after = fs::file_size(folder() / "small/model.safetensors");
        QVERIFY(after < before * 51 / 100 && after > before * 49 / 100);
        QVERIFY(readFile(folder() / "small/trained_on.json").value() ==
                readFile(tuned / "trained_on.json").value());
        const auto run = readFile(folder() / "small/run.toml");
        QVERIFY(run->find(folder().string()) == std::string::npos);
        const auto again = shell(folder(), "$SPARSERL policy shrink project/runs/tuned --out small", 60);
        QCOMPARE(again.status.code, 1);
        const auto written =
            shell(folder(),
                  std::string("$SPARSERL --quiet --json generate --policy small --no-judge -n 1 "
                              "--max-tokens 9 ") +
                      matrix,
                  60);
        QVERIFY2(written.status.ok(), written.error.c_str());
    }

private:
    fs::path folder() const { return m_dir.path().toStdString(); }
    RunOutput train(const char* more) const
    {
        return shell(folder(),
                     std::string("$SPARSERL --quiet train quickstart-sft --project project --parent default "
                                 "--set sft.steps=1 --set sft.batch=2 --set sft.micro_batch=2 --set "
                                 "sft.programs_per_matrix=2 --set eval.every=0 --set judge.device=sim ") +
                         more,
                     200);
    }
    /// Makes the run "tuned" where it is not there yet; says what went wrong.
    std::string tune() const
    {
        if (fs::exists(folder() / "project/runs/tuned/checkpoints/step-000001/DONE"))
            return {};
        const auto trained = train("--run project/runs/tuned");
        return trained.status.ok() ? std::string() : trained.status.sentence() + trained.error;
    }

    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestCliDefaultPolicy)
#include "tst_cli_default_policy.moc"
