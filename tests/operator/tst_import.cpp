// SPDX-License-Identifier: Apache-2.0
// Tasks in KernelBench's form become graphs by way of the user's Python in a locked process: our own tasks
// agree with what their Python returned, and hostile ones reach nothing and are refused with a sentence.
#include "base/files.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/task_tensors.h"
#include "operator/import/task_import.h"
#include "operator/import/yml_task.h"
#include "operator/run/examine.h"
#include "tests/drawn_share.h"

#include <QFile>
#include <QTest>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
    return importTask(python, {name, text}, options);
}

/// Of each kind of task one by lot, and a quarter of the others: each of them loads PyTorch. Pairs of kind
/// and name.
std::set<std::string> drawnOf(const std::vector<std::pair<std::string, std::string>>& kinds)
{
    const test::DrawnShare share(4);
    std::set<std::string> drawn = share.oneOfEach(kinds);
    for (const auto& [kind, name] : kinds)
        if (share.has(name))
            drawn.insert(name);
    return drawn;
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
        struct Row
        {
            const char* name;
            int sizes, level;
            const char* deaf = "";
        };
        const Row rows[] = {{"matmul", 3, 1},          {"softmax", 3, 1},      {"layer_norm", 3, 2},
                            {"convolution", 3, 2},     {"pooling", 3, 2},      {"recurrence", 3, 3},
                            {"batch_first", 3, 3},     {"in_place", 3, 1},     {"constant_output", 1, 1, "x"},
                            {"deaf_input", 1, 1, "y"}, {"random_state", 1, 1}, {"half_precision", 1, 1}};
        std::vector<std::pair<std::string, std::string>> kinds;
        for (const Row& row : rows)
            kinds.emplace_back(std::to_string(row.sizes) + std::to_string(row.level) + row.deaf, row.name);
        const auto drawn = drawnOf(kinds);
        for (const Row& row : rows)
            if (drawn.contains(row.name))
                QTest::newRow(row.name) << row.sizes << row.level << row.deaf;
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
        const std::tuple<const char*, const char*, const char*> rows[] = {
            {"says why", "dropout", "draws random numbers"},
            {"resources", "endless", "used up its 5 seconds of processor time"},
            {"not allowed", "forks", "PermissionError"},
            {"not allowed", "writes_a_file", "PermissionError"},
            {"not allowed", "reads_a_file", "Error"},
            {"not allowed", "network", "PermissionError"},
            {"resources", "huge", "allocate"},
            {"protocol", "answers_for_itself", "the recorder says that it is done, and is not"},
            {"says why", "no_model", "the task has no Model"},
            {"says why", "no_python", "SyntaxError"},
            {"protocol", "closes_its_outputs", "closed its outputs"}};
        std::vector<std::pair<std::string, std::string>> kinds;
        for (const auto& [kind, name, word] : rows)
            kinds.emplace_back(kind, name);
        const auto drawn = drawnOf(kinds);
        for (const auto& [kind, name, word] : rows)
            if (drawn.contains(name))
                QTest::newRow(name) << word;
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

    /// The task at its own size: nobody ran it, and fills describe what it takes.
    void fullSize()
    {
        const auto task = importFile("convolution");
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QVERIFY2(task->full.has_value(), task->noFull.c_str());
        QVERIFY(task->scaled && task->noFull.empty());
        const OperatorGraph &full = task->full->graph, &base = task->sizes[0].graph;
        QCOMPARE(full.size, std::string("full"));
        QVERIFY(task->full->tensors.empty() && task->full->expected.empty());
        QCOMPARE(graphStructure(full), graphStructure(base));
        QVERIFY(graphFacts(full).flops > 10 * graphFacts(base).flops);
        QCOMPARE(full.inputs.size(), base.inputs.size());
        for (std::size_t i = 0; i < full.inputs.size(); ++i)
            QVERIFY(full.inputs[i].name == base.inputs[i].name && full.inputs[i].fill == base.inputs[i].fill);
        QCOMPARE(full.weights.size(), base.weights.size());
        for (std::size_t i = 0; i < full.weights.size(); ++i)
            QVERIFY(full.weights[i].name == base.weights[i].name && full.weights[i].fill.has_value());
        // It can be run, with inputs of one seed and of another.
        const auto one = taskTensors(full, {}, 1, plenty), other = taskTensors(full, {}, 2, plenty);
        QVERIFY(one && other && !(*one == *other));
        const auto result = PreparedGraph::prepare(full)->run(*one, RunPrecision::AsWritten, limits);
        QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
        // What has no numbers to scale has its own size as its base.
        const auto small = importFile("half_precision");
        QVERIFY(small && !small->scaled && !small->full && small->noFull.empty());
    }

    /// What is made of drawn elements is a fill with steps, and what is not drawn is stored.
    void recipes()
    {
        auto task = importFile("recipes");
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QVERIFY2(task->full.has_value(), task->noFull.c_str());
        std::map<std::string, std::string> fills;
        const auto note = [&](const auto& tensors) {
            for (const auto& tensor : tensors)
                fills[tensor.name.substr(0, tensor.name.find('.'))] +=
                    tensor.fill ? toJson(*tensor.fill).dump() : "-";
        };
        note(task->full->graph.inputs);
        note(task->full->graph.weights);
        QCOMPARE(fills["upper"], std::string(R"({"normal":[0.0,1.0],"then":[{"triu":0.0}]})"));
        QCOMPARE(fills["weights"], std::string(R"({"then":["softmax"],"uniform":[0.0,1.0]})"));
        QCOMPARE(fills["keep"], std::string(R"({"then":[{"gt":0.25}],"uniform":[0.0,1.0]})"));
        QCOMPARE(fills["mask"], std::string(R"({"constant":1.0,"then":[{"tril":0.0}]})"));
        QVERIFY2(fills["weight"].find(R"("erfinv")") != std::string::npos, fills["weight"].c_str());
        // Signs are a fill; what was counted is none, and is stored.
        QVERIFY2(fills["constant"].find(R"({"integers":[0.0,2.0],"then":[{"mul":2.0},{"add":-1.0}]})") !=
                         std::string::npos &&
                     fills["constant"].find('-') != std::string::npos,
                 fills["constant"].c_str());
        QCOMPARE(task->full->tensors.size(), std::size_t(1));
        QCOMPARE(task->full->tensors.begin()->second.type.shape, std::vector<std::int64_t>{128});
        QCOMPARE(elementOf(task->full->tensors.begin()->second, 100), 100.0);
        for (ImportedSize& size : task->sizes) {
            QVERIFY(dropWrongFills(size.graph, size.tensors).empty());
            QCOMPARE(withoutFills(size.graph, size.tensors).size(), std::size_t(1));
        }
        QVERIFY(taskTensors(task->full->graph, task->full->tensors, 7, plenty).has_value());
    }

    /// Modules that look at elements are made with elements; only their calls work without.
    void looksAtElements()
    {
        const auto task = importFile("looks_at_elements");
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QVERIFY2(task->full.has_value(), task->noFull.c_str());
        QCOMPARE(task->full->tensors.size(), std::size_t(1)); // The table.
        QVERIFY(std::fabs(elementOf(task->full->tensors.begin()->second, 2) - std::sin(2.0)) < 1e-6);
        QCOMPARE(graphStructure(task->full->graph), graphStructure(task->sizes[0].graph));
    }

    /// GPU MODE's form: a task.yml and the files that it names.
    void casesInYml()
    {
        const auto python = findImportPython();
        const auto source = readYmlTask(SPARSERL_SOURCE_DIR "/tests/operator/tasks/scaled_sum/task.yml");
        QVERIFY2(source.has_value(), source ? "" : source.error().sentence().c_str());
        QCOMPARE(source->name, std::string("scaled_sum"));
        QCOMPARE(source->cases.size(), std::size_t(3));
        const auto task = importTask(*python, *source, optionsOf());
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QCOMPARE(task->sizes.size(), std::size_t(3));
        for (const auto& [place, name, size] :
             {std::tuple<std::size_t, std::string, std::int64_t>(0, "base", 127),
              {1, "test2", 128},
              {2, "test3", 1001}}) {
            const ImportedSize& one = task->sizes[place];
            QCOMPARE(one.graph.size, name);
            QCOMPARE(one.graph.inputs.size(), std::size_t(3));
            QCOMPARE(one.graph.inputs[0].name, std::string("data.0"));
            QCOMPARE(one.graph.values[0].shape, std::vector<std::int64_t>{size});
            QVERIFY(one.graph.values[0].element == TensorElement::F16);
            QVERIFY(one.graph.baked.size() == 1 && one.graph.baked[0].name == "data.2");
            const auto result =
                PreparedGraph::prepare(one.graph)->run(one.tensors, RunPrecision::Double, limits);
            QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
            QVERIFY(relativeDifference(one.expected.begin()->second, result->outputs[0]) < 2e-3);
        }
        QVERIFY2(task->full.has_value(), task->noFull.c_str());
        QCOMPARE(task->full->graph.values[0].shape, std::vector<std::int64_t>{16777216});
        for (const GraphInput& input : task->full->graph.inputs)
            QVERIFY(input.fill.has_value());
    }

    void strangeYml_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("word");
        const auto row = [](const char* name, const std::string& text, const char* word) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(word);
        };
        const auto file = [](const std::string& name, const std::string& source) {
            return "files:\n  - {\"name\": \"" + name + "\", \"source\": \"" + source + "\"}\n";
        };
        const std::string files = file("reference.py", "reference.py");
        row("empty", "", "no reference.py");
        row("no tests", files, "no \"tests\"");
        row("other YAML", files + "tests:\n  - size: 5\n", "4: an item of \"tests\"");
        row("two lines", files + "tests:\n  - {\"size\":\n     5}\n", "an item of \"tests\"");
        row("no JSON", files + "tests:\n  - {size: 5}\n", "an item of \"tests\"");
        row("open text", files + "tests:\n  - {\"size\\\n", "an item of \"tests\"");
        row("far file", file("a.py", "../../../a.py"), "at most two folders above");
        row("hidden steps", file("a.py", "x/../../../../a.py"), "at most two folders above");
        row("absolute file", file("a.py", "/etc/a.py"), "at most two folders above");
        row("no module", file("../a.py", "a.py"), "no name of a Python file");
        std::string many = files + "tests:\n";
        for (int i = 0; i < 2000; ++i)
            many += "  - {\"size\": 5}\n";
        row("many tests", many, "too many tests");
    }
    void strangeYml()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, word);
        const auto task = parseYmlTask(text.toStdString(), "task.yml");
        QVERIFY(!task.has_value());
        QVERIFY2(task.error().sentence().find(word.toStdString()) != std::string::npos,
                 task.error().sentence().c_str());
    }

    /// The full size is refused by itself.
    void withoutFullSize_data()
    {
        QTest::addColumn<QString>("word");
        QTest::newRow("enormous") << "more elements";
        QTest::newRow("full_never_ends") << "used up its 7 seconds of processor time";
    }
    void withoutFullSize()
    {
        QFETCH(const QString, word);
        auto options = optionsOf();
        options.cpuSeconds = 7;
        const auto task = importFile(QTest::currentDataTag(), options);
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QVERIFY(!task->full && task->scaled && !task->sizes.empty());
        QVERIFY2(task->noFull.find(word.toStdString()) != std::string::npos, task->noFull.c_str());
    }

    void writesThatNobodySees()
    {
        auto task = importFile("hidden_writes");
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        ImportedSize& base = task->sizes[0];
        QVERIFY(base.graph.weights[0].fill.has_value());
        QCOMPARE(dropWrongFills(base.graph, base.tensors), std::vector<std::string>{"scale"});
        QCOMPARE(withoutFills(base.graph, base.tensors).size(), std::size_t(1));
    }

    void largerSizes()
    {
        auto options = optionsOf();
        std::int64_t before = 0;
        for (options.larger = 0; options.larger <= mostLarger; ++options.larger) {
            const auto task = importFile("noisy_when_small", options);
            QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
            const auto& graph = task->sizes[0].graph;
            const auto tensors = taskTensors(graph, task->sizes[0].tensors, {}, plenty);
            const auto report = examineGraph(graph, *tensors, limits);
            QVERIFY(report.has_value());
            QCOMPARE(report->outputs[0].rounding, options.larger == 0);
            QVERIFY(graph.values[0].elements() >= before);
            QCOMPARE(task->full.has_value(), options.larger == 0);
            before = graph.values[0].elements();
        }
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
        // Then may come the full size, or why there is none.
        std::string named = graph;
        named.insert(1, R"("size":"full",)");
        const auto fullHead =
            line({{"graph", named.size()}, {"tensors", none.size()}, {"expected", none.size()}});
        const std::string full = fullHead + named + none + none;
        const auto whole = readImported(size + done + full);
        QVERIFY(whole && whole->full && whole->full->graph.size == "full");
        const auto without = readImported(size + done + line({{"no_full", "too\nlarge"}}));
        QVERIFY(without && !without->full && without->noFull.find('\n') == std::string::npos);
        // The process may be ended while it says it.
        const auto cut = readImported(size + done + fullHead + named, "it was ended");
        QVERIFY(cut && !cut->full && cut->noFull == "it was ended");
        const auto early = readImported(size + done, "it was ended");
        QVERIFY(early && early->noFull == "it was ended");
        QVERIFY(!readImported(size, "it was ended").has_value());
        // What a full size is not.
        for (const std::string& said : {size + done + size, size + done + full + full, full + done,
                                        size + done + fullHead + named, size + done + fullHead})
            QVERIFY2(!readImported(said).has_value(), said.substr(0, 300).c_str());
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
