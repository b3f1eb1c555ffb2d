// SPDX-License-Identifier: Apache-2.0
// Imports that the oracle checks, and tasks that are made: sizes that say nothing give way, folders hold what
// is needed and no more, filters drop what they should and count it.
#include "base/files.h"
#include "base/subprocess.h"
#include "evaluation/operators/checked_import.h"
#include "evaluation/operators/operator_capability.h"
#include "evaluation/operators/synthesize.h"
#include "operator/graph/graph_file.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

const fs::path runner = SPARSERL_BIN_DIR "/sparserl-runner";

OracleOptions oracleOptions()
{
    OracleOptions options;
    options.runner = runner;
    options.memoryBytes = std::uint64_t(1) << 30;
    return options;
}

Result<CheckedTask> importFile(const std::string& name)
{
    SPARSERL_TRY(const auto python, findImportPython());
    SPARSERL_TRY(const auto text, readFile(SPARSERL_SOURCE_DIR "/tests/operator/tasks/" + name + ".py"));
    ImportOptions options;
    options.runner = runner;
    OracleProcess oracle(oracleOptions());
    return importChecked(python, {name, text}, options, oracle);
}

std::set<std::string> namesIn(const fs::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

TaskRecord recordIn(const fs::path& folder)
{
    TaskRecord record;
    readFields(nlohmann::json::parse(readFile(folder / "task.json").value_or("{}")), record, readRecord);
    return record;
}

} // namespace

class CheckedTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        const auto first = importFile("constant_output");
        m_imports = first.has_value();
        if (!first)
            QVERIFY2(first.error().what.starts_with("this Python has no PyTorch") ||
                         !findImportPython().has_value(),
                     first.error().sentence().c_str());
    }

    void noisySizesGiveWay()
    {
        if (!m_imports)
            QSKIP("Python's PyTorch is not installed (packaging/setup --checks): imports are not tested.");
        const auto noisy = importFile("noisy_when_small");
        QVERIFY2(noisy.has_value(), noisy ? "" : noisy.error().sentence().c_str());
        const TaskRecord& record = noisy->record;
        QCOMPARE(record.rejected.size(), std::size_t(1));
        QVERIFY2(record.rejected[0].starts_with("base: fp32 differs from fp64 by"),
                 record.rejected[0].c_str());
        QVERIFY(record.flags.empty());
        QVERIFY(noisy->task.sizes[0].graph.values[0].shape[0] > 2);
        QVERIFY(!isRounding(*record.sizes[0].report) && record.sizes[0].report->outputs[0].tolerance < 1e-3);
        // The full size is that of the first import.
        QVERIFY(noisy->task.full.has_value());
        QCOMPARE(record.sizes.back().size, std::string("full"));
        QVERIFY(!record.sizes.back().report.has_value());

        const auto hopeless = importFile("only_rounding");
        QVERIFY2(hopeless.has_value(), hopeless ? "" : hopeless.error().sentence().c_str());
        // Of two larger sizes at least, each with more numbers than the one before.
        QVERIFY(hopeless->record.rejected.size() >= 2 && hopeless->record.rejected.size() <= mostLarger);
        QVERIFY(!hopeless->record.flags.empty());
        QVERIFY2(hopeless->record.flags[0].starts_with("out is little more than rounding"),
                 hopeless->record.flags[0].c_str());
    }

    void folders()
    {
        if (!m_imports)
            QSKIP("Python's PyTorch is not installed (packaging/setup --checks): imports are not tested.");
        const fs::path folder = place() / "recipes";
        const auto made = importFile("recipes");
        QVERIFY2(made.has_value(), made ? "" : made.error().sentence().c_str());
        QVERIFY(writeTaskFolder(folder, made->task, made->record, "source").has_value());
        QCOMPARE(namesIn(folder),
                 (std::set<std::string>{"task.py", "task.json", "base.json", "base.safetensors", "odd1.json",
                                        "odd1.safetensors", "odd3.json", "odd3.safetensors", "full.json",
                                        "full.safetensors"}));
        QVERIFY(recordIn(folder) == made->record);
        QVERIFY(fs::file_size(folder / "full.safetensors") < 1000);
        // What a fill describes is not stored; the sizes that are gone leave nothing.
        const auto plain = importFile("constant_output");
        QVERIFY(writeTaskFolder(folder, plain->task, plain->record, "source").has_value());
        QCOMPARE(namesIn(folder), (std::set<std::string>{"task.py", "task.json", "base.json"}));

        const auto hidden = importFile("hidden_writes");
        QVERIFY2(hidden.has_value(), hidden ? "" : hidden.error().sentence().c_str());
        QCOMPARE(hidden->record.unreproduced, std::vector<std::string>{"scale"});
        QVERIFY(!hidden->task.full);
        QVERIFY2(hidden->record.noFull.find("scale") != std::string::npos, hidden->record.noFull.c_str());
    }

    void made()
    {
        SynthesisOptions options;
        options.count = 12;
        options.mixture = {1, 1, 1, 1, 1};
        std::vector<std::string> names;
        OracleProcess oracle(oracleOptions());
        const fs::path folder = place() / "made";
        const auto take = [&](const ImportedTask& task, const TaskRecord& record, const SynthesisFunnel&) {
            names.push_back(record.name);
            return writeTaskFolder(folder / record.name, task, record, {});
        };
        const auto funnel = synthesize(options, oracle, take);
        QVERIFY2(funnel.has_value(), funnel ? "" : funnel.error().sentence().c_str());
        QCOMPARE(funnel->kept, options.count);
        QVERIFY2(funnel->refused.empty(),
                 funnel->refused.empty() ? "" : funnel->refused.begin()->first.c_str());
        QCOMPARE(funnel->drawn, funnel->kept + funnel->repeated + funnel->tooQuick + funnel->tooSlow +
                                    funnel->tooLarge + funnel->notDeterministic + funnel->constant +
                                    funnel->deaf + funnel->rounding);
        QVERIFY(funnel->tooQuick > 0);
        for (const std::string& name : names) {
            QCOMPARE(namesIn(folder / name), (std::set<std::string>{"task.json", "base.json", "odd1.json",
                                                                    "odd3.json", "full.json"}));
            const TaskRecord record = recordIn(folder / name);
            QVERIFY(record.sizes.size() == 4 && record.flags.empty() && record.sizes[0].report);
            const auto full = readGraph(folder / name / "full.json");
            QVERIFY(full.has_value());
            const double seconds = modelledSeconds(graphFacts(*full), options);
            QVERIFY(seconds >= 1e-3 && seconds <= 0.1);
        }

        // The same again; others with these held out, of which none is too similar.
        const auto before = names;
        names.clear();
        const auto again = synthesize(options, oracle, take);
        QVERIFY(again && *again == *funnel && names == before);
        const auto held = readHeldOut("own", folder);
        QVERIFY2(held.has_value(), held ? "" : held.error().sentence().c_str());
        QCOMPARE(held->tasks.size(), options.count);
        options.heldOut = {*held};
        names.clear();
        const auto others =
            synthesize(options, oracle,
                       [&](const ImportedTask& task, const TaskRecord&, const SynthesisFunnel&) -> Status {
                           for (const GraphParts& one : held->tasks)
                               if (similarityOf(one, partsOf(task.sizes[0].graph)) > options.mostSimilar)
                                   return fail("too similar");
                           return {};
                       });
        QVERIFY2(others.has_value(), others ? "" : others.error().sentence().c_str());
        QVERIFY(others->similar.at("own") >= options.count);
        QVERIFY(!readHeldOut("none", place() / "nowhere").has_value());
        fs::create_directories(place() / "empty");
        QVERIFY(!readHeldOut("none", place() / "empty").has_value());
    }

    void interrupted()
    {
        SynthesisOptions options;
        options.cancel.cancel();
        OracleProcess oracle(oracleOptions());
        const auto funnel = synthesize(options, oracle, [](const auto&...) -> Status { return {}; });
        QVERIFY(!funnel.has_value());
    }

    void whatIsNeeded()
    {
        const auto here = operatorCapability(runner);
        QCOMPARE(here.key, std::string("operators"));
        QCOMPARE(here.level == Capability::Level::Ok, m_imports);
        const auto none = operatorCapability(place() / "nowhere");
        QVERIFY(none.level == Capability::Level::Missing &&
                none.remedy.find("sparserl-oracle") != std::string::npos);
        for (const char* python : {"/bin/true", "/nowhere/python"}) {
            qputenv("SPARSERL_PYTHON", python);
            const auto without = operatorCapability(runner);
            qunsetenv("SPARSERL_PYTHON");
            QVERIFY2(without.level == Capability::Level::Note, without.sentence.c_str());
            QVERIFY2(without.remedy.find("python3-torch") != std::string::npos, without.remedy.c_str());
        }
        // A Python that works and has no PyTorch.
        SpawnOptions making;
        const std::string bare = (place() / "bare").string();
        making.argv = {"/usr/bin/python3", "-m", "venv", "--without-pip", bare};
        const auto made = runToEnd(making, {}, 100);
        if (!made || !made->status.ok())
            QSKIP("There is no module venv (python3-venv).");
        qputenv("SPARSERL_PYTHON", (bare + "/bin/python").c_str());
        const auto without = operatorCapability(runner);
        qunsetenv("SPARSERL_PYTHON");
        QVERIFY2(without.sentence.find("has no PyTorch") != std::string::npos, without.sentence.c_str());
    }

private:
    fs::path place() const { return m_dir.path().toStdString(); }

    QTemporaryDir m_dir;
    bool m_imports = false;
};

QTEST_GUILESS_MAIN(CheckedTest)
#include "tst_checked.moc"
