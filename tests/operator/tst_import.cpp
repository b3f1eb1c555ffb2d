// SPDX-License-Identifier: Apache-2.0
// Tasks in KernelBench's form become graphs by way of the user's Python in a locked process: our own tasks
// agree with what their Python returned, and hostile ones reach nothing and are refused with a sentence.
#include "base/files.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/task_tensors.h"
#include "operator/import/task_import.h"
#include "operator/run/examine.h"

#include <QFile>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace sparserl;

namespace {

constexpr std::uint64_t plenty = std::uint64_t(1) << 30;
constexpr RunLimits limits{60, plenty};

ImportOptions optionsOf()
{
    ImportOptions options;
    options.runner = SPARSERL_BIN_DIR "/sparserl-runner";
    return options;
}

Result<ImportedTask> importFile(const std::string& name, const ImportOptions& options = optionsOf())
{
    SPARSERL_TRY(const auto python, findImportPython());
    SPARSERL_TRY(const auto text, readFile(SPARSERL_SOURCE_DIR "/tests/operator/tasks/" + name + ".py"));
    return importTask(python, text, name, options);
}

std::string line(const nlohmann::json& json)
{
    return json.dump() + "\n";
}

} // namespace

class ImportTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        warmUpLibTorch();
        const auto python = findImportPython();
        if (!python)
            QSKIP("There is no Python to import tasks with.");
        const auto first = importFile("constant_output");
        if (!first && first.error().what.starts_with("this Python has no PyTorch"))
            QSKIP("Python's PyTorch is not installed (packaging/setup --checks): imports are not tested.");
        QVERIFY2(first.has_value(), first ? "" : first.error().sentence().c_str());
    }

    void imported_data()
    {
        QTest::addColumn<int>("sizes");
        QTest::addColumn<int>("level");
        QTest::addColumn<QString>("deaf");
        QTest::newRow("matmul") << 3 << 1 << "";
        QTest::newRow("softmax") << 3 << 1 << "";
        QTest::newRow("layer_norm") << 3 << 2 << "";
        QTest::newRow("convolution") << 3 << 2 << "";
        QTest::newRow("pooling") << 3 << 2 << "";
        QTest::newRow("recurrence") << 3 << 3 << "";
        QTest::newRow("in_place") << 3 << 1 << "";
        QTest::newRow("constant_output") << 1 << 1 << "x";
        QTest::newRow("deaf_input") << 1 << 1 << "y";
        QTest::newRow("random_state") << 1 << 1 << "";
        QTest::newRow("half_precision") << 1 << 1 << "";
    }
    void imported()
    {
        const std::string name = QTest::currentDataTag();
        QFETCH(const int, sizes);
        QFETCH(const int, level);
        QFETCH(const QString, deaf);
        const auto task = importFile(name);
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QCOMPARE(static_cast<int>(task->sizes.size()), sizes);
        QCOMPARE(task->sizes[0].graph.size, std::string("base"));
        for (const ImportedSize& size : task->sizes) {
            const auto tensors = taskTensors(size.graph, size.tensors, {}, plenty);
            QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().sentence().c_str());
            const auto report = examineGraph(size.graph, *tensors, limits);
            QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
            // Python's own results, in fp32, are as far from fp64 as ours are.
            const auto exact =
                PreparedGraph::prepare(size.graph)->run(*tensors, RunPrecision::Double, limits);
            QVERIFY(exact.has_value());
            for (std::size_t i = 0; i < size.graph.outputs.size(); ++i) {
                const auto found = size.expected.find(size.graph.outputs[i].name);
                QVERIFY(found != size.expected.end());
                const double apart = relativeDifference(found->second, exact->outputs[i]);
                QVERIFY2(apart <= 1e-6 + 10 * report->noise,
                         (size.graph.size + ": " + std::to_string(apart)).c_str());
            }
            std::string names;
            for (const auto& one : report->deaf)
                names += one;
            QCOMPARE(names, deaf.toStdString());
            QCOMPARE(report->outputs[0].oneValue, name == "constant_output");
            QCOMPARE(graphFacts(size.graph).level, level);
            QCOMPARE(graphStructure(size.graph), graphStructure(task->sizes[0].graph));
            QVERIFY(!size.graph.dependsOnValues);
            // Every tensor of these tasks is one fill, but for a mask that is compared with zero.
            for (const GraphInput& input : size.graph.inputs)
                QVERIFY2(input.fill.has_value() || input.name == "keep", input.name.c_str());
            for (const GraphWeight& weight : size.graph.weights)
                QVERIFY2(weight.fill.has_value() || weight.kind == WeightKind::Constant, weight.name.c_str());
        }
        if (task->sizes.size() > 1)
            QVERIFY(graphDigest(task->sizes[1].graph) != graphDigest(task->sizes[0].graph));
    }

    void refused_data()
    {
        QTest::addColumn<QString>("word");
        QTest::newRow("dropout") << "draws random numbers";
        QTest::newRow("endless") << "used up its 5 seconds of processor time";
        QTest::newRow("forks") << "PermissionError";
        QTest::newRow("writes_a_file") << "PermissionError";
        QTest::newRow("reads_a_file") << "Error";
        QTest::newRow("network") << "PermissionError";
        QTest::newRow("huge") << "allocate";
        QTest::newRow("answers_for_itself") << "the recorder says that it is done, and is not";
        QTest::newRow("no_model") << "the task has no Model";
        QTest::newRow("no_python") << "SyntaxError";
        QTest::newRow("closes_its_outputs") << "closed its outputs";
    }
    void refused()
    {
        QFETCH(const QString, word);
        auto options = optionsOf();
        options.cpuSeconds = word.contains(QStringLiteral("used up")) ? 5 : 10;
        const auto task = importFile(QTest::currentDataTag(), options);
        QVERIFY(!task.has_value());
        const auto sentence = task.error().sentence();
        QVERIFY2(sentence.find(word.toStdString()) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find('\n') == std::string::npos && sentence.size() < 700, sentence.c_str());
        QVERIFY(!QFile::exists(QStringLiteral("/tmp/sparserl-written-by-a-task")));
    }

    void evalMode()
    {
        auto options = optionsOf();
        options.mode = "eval";
        const auto task = importFile("dropout", options);
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QVERIFY(task->sizes[0].graph.nodes.empty()); // It returns its input.
    }

    void largeWeightsAreFills()
    {
        auto options = optionsOf();
        options.storedBytes = 0;
        const auto task = importFile("convolution", options);
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QVERIFY(task->sizes[0].tensors.empty());
        QVERIFY(taskTensors(task->sizes[0].graph, {}, {}, plenty).has_value());
    }

    void strangePythons()
    {
        qputenv("SPARSERL_PYTHON", "/bin/true");
        const auto none = findImportPython();
        QVERIFY(!none && none.error().remedy.find("python3-torch") != std::string::npos);
        qputenv("SPARSERL_PYTHON", "/nowhere/python");
        QVERIFY(!findImportPython().has_value());
        qunsetenv("SPARSERL_PYTHON");
    }

    /// What a task that takes over the recorder may say.
    void whatIsSaid()
    {
        const std::string graph =
            R"({"format":1,"values":[["F32",[2]]],"inputs":[{"name":"x","value":0}],"nodes":[],"outputs":[{"name":"out","value":0}]})";
        const std::string none = formatTensors({});
        const auto head =
            line({{"graph", graph.size()}, {"tensors", none.size()}, {"expected", none.size()}});
        const std::string size = head + graph + none + none, done = line({{"done", "1.13"}});
        QVERIFY(readImported(size + done).has_value());
        for (const std::string& said :
             {std::string(), done, size, size + size + done, size + done + "x", size + done + done, head,
              head + graph, std::string("\n"), std::string(5000, 'x'), line({{"graph", -1}}),
              line({{"graph", 1e300}, {"tensors", 0}, {"expected", 0}}), line({{"error", 5}}),
              line({{"error", std::string(3000, '\x1b')}}), line({{"no_torch", nullptr}}),
              size + size + size + size + size + size + size + size + size + done, std::string("[1]\n"),
              head + std::string(graph.size(), ' ') + none + none + done}) {
            const auto task = readImported(said);
            QVERIFY2(!task.has_value(), said.substr(0, 100).c_str());
            QVERIFY(task.error().sentence().size() < 2500 &&
                    task.error().sentence().find('\n') == std::string::npos);
        }
    }
};

QTEST_GUILESS_MAIN(ImportTest)
#include "tst_import.moc"
