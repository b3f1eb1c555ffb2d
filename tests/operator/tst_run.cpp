// SPDX-License-Identifier: Apache-2.0
// Graphs run through LibTorch's dispatcher: against sums written out here, in fp64 and in fp32; what is
// refused; what running shows.
#include "graph_texts.h"
#include "operator/graph/task_tensors.h"
#include "operator/run/examine.h"

#include <QTest>
#include <cmath>

using namespace sparserl;
using namespace sparserl::tests;
using nlohmann::json;

namespace {

constexpr std::uint64_t plenty = std::uint64_t(1) << 30;
constexpr RunLimits limits{60, plenty};

OperatorGraph must(const json& text)
{
    auto graph = graphFromJson(text, "test.json");
    if (!graph)
        qFatal("%s", graph.error().sentence().c_str());
    return std::move(*graph);
}

HostTensors tensorsOf(const OperatorGraph& graph)
{
    auto tensors = taskTensors(graph, {}, {}, plenty);
    if (!tensors)
        qFatal("%s", tensors.error().sentence().c_str());
    return std::move(*tensors);
}

std::vector<double> numbersOf(const HostTensor& tensor)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < tensor.type.elements(); ++i)
        numbers.push_back(elementOf(tensor, static_cast<std::size_t>(i)));
    return numbers;
}

Result<GraphResult> runGraph(const json& text, RunPrecision precision = RunPrecision::Double)
{
    const auto graph = must(text);
    SPARSERL_TRY(const auto prepared, PreparedGraph::prepare(graph));
    return prepared.run(tensorsOf(graph), precision, limits);
}

/// The input x of a graph, and its first output in fp64.
std::pair<std::vector<double>, std::vector<double>> inAndOut(const json& text)
{
    const auto graph = must(text);
    const auto result = runGraph(text);
    if (!result)
        qFatal("%s", result.error().sentence().c_str());
    return {numbersOf(tensorsOf(graph).at("x")), numbersOf(result->outputs[0])};
}

double farthest(const std::vector<double>& a, const std::vector<double>& b)
{
    double most = a.size() == b.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        most = std::max(most, std::fabs(a[i] - b[i]));
    return most;
}

constexpr double tiny = 1e-14;

} // namespace

class RunTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { warmUpLibTorch(); }

    void tableAgreesWithSchemas()
    {
        for (const auto& sentence : schemaDisagreements())
            qWarning("%s", sentence.c_str());
        QVERIFY(schemaDisagreements().empty());
    }

    void linear()
    {
        const auto graph = must(linearGraph());
        const auto tensors = tensorsOf(graph);
        const auto x = numbersOf(tensors.at("x")), w = numbersOf(tensors.at("fc.weight")),
                   b = numbersOf(tensors.at("fc.bias"));
        std::vector<double> expected;
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t column = 0; column < 4; ++column) {
                double sum = b[column];
                for (std::size_t k = 0; k < 3; ++k)
                    sum += x[row * 3 + k] * w[column * 3 + k];
                expected.push_back(std::max(sum, 0.0));
            }
        const auto exact = runGraph(linearGraph());
        QVERIFY2(exact.has_value(), exact ? "" : exact.error().sentence().c_str());
        QCOMPARE(exact->outputs[0].type, (TensorType{TensorElement::F64, {2, 4}, {}}));
        QVERIFY(farthest(numbersOf(exact->outputs[0]), expected) < tiny);
        const auto single = runGraph(linearGraph(), RunPrecision::AsWritten);
        QCOMPARE(single->outputs[0].type.element, TensorElement::F32);
        const double error = farthest(numbersOf(single->outputs[0]), expected);
        QVERIFY(error < 1e-6);
        QVERIFY(relativeDifference(single->outputs[0], exact->outputs[0]) < 1e-6);
    }

    void softmax()
    {
        const auto [x, y] = inAndOut(oneNode("_softmax", R"([{"v": 0}, 1, false])"));
        std::vector<double> expected;
        for (std::size_t row = 0; row < 2; ++row) {
            const double sum = std::exp(x[row * 3]) + std::exp(x[row * 3 + 1]) + std::exp(x[row * 3 + 2]);
            for (std::size_t column = 0; column < 3; ++column)
                expected.push_back(std::exp(x[row * 3 + column]) / sum);
        }
        QVERIFY(farthest(y, expected) < tiny);
    }

    void layerNorm()
    {
        const auto [x, y] = inAndOut(oneNode("layer_norm", R"([{"v": 0}, [3], null, null, 0.001])"));
        std::vector<double> expected;
        for (std::size_t row = 0; row < 2; ++row) {
            const double mean = (x[row * 3] + x[row * 3 + 1] + x[row * 3 + 2]) / 3;
            double square = 0;
            for (std::size_t i = 0; i < 3; ++i)
                square += (x[row * 3 + i] - mean) * (x[row * 3 + i] - mean) / 3;
            for (std::size_t i = 0; i < 3; ++i)
                expected.push_back((x[row * 3 + i] - mean) / std::sqrt(square + 0.001));
        }
        QVERIFY(farthest(y, expected) < tiny);
    }

    void convolution()
    {
        auto text = oneNode("convolution", R"([{"v": 0}, {"v": 2}, null, [2], [1], [1], false, [0], 1])",
                            "[1, 2, 5]", "[1, 3, 3]");
        text["values"].push_back({"F32", {3, 2, 3}});
        text["weights"] = {{{"name", "w"}, {"value", 2}, {"fill", {{"normal", {0, 1}}}}}};
        const auto [x, y] = inAndOut(text);
        const auto w = numbersOf(tensorsOf(must(text)).at("w"));
        std::vector<double> expected;
        for (int out = 0; out < 3; ++out)
            for (int place = 0; place < 3; ++place) {
                double sum = 0;
                for (int in = 0; in < 2; ++in)
                    for (int k = 0; k < 3; ++k)
                        if (const int at = place * 2 + k - 1; at >= 0 && at < 5)
                            sum += x[static_cast<std::size_t>(in * 5 + at)] *
                                   w[static_cast<std::size_t>((out * 2 + in) * 3 + k)];
                expected.push_back(sum);
            }
        QVERIFY(farthest(y, expected) < tiny);
    }

    void sizesFromOneNumber()
    {
        // A single number stands for both extents of the window.
        const auto [x, y] = inAndOut(oneNode("max_pool2d", R"([{"v": 0}, 2])", "[1, 2, 4]", "[1, 1, 2]"));
        QCOMPARE(
            y, (std::vector<double>{std::max({x[0], x[1], x[4], x[5]}), std::max({x[2], x[3], x[6], x[7]})}));
    }

    void numbersKeepTypes()
    {
        // A number in place of a tensor does not widen fp16, and an integer tensor divided becomes real.
        auto text = oneNode("add", R"([{"v": 0}, 1.5])", "[4]", "[4]", "Tensor");
        text["values"][0][0] = text["values"][1][0] = "F16";
        const auto half = runGraph(text, RunPrecision::AsWritten);
        QVERIFY2(half.has_value(), half ? "" : half.error().sentence().c_str());
        QCOMPARE(half->outputs[0].type.element, TensorElement::F16);
        text = oneNode("div", R"([{"v": 0}, 4])", "[4]", "[4]", "Tensor");
        text["values"][0][0] = "I64";
        text["inputs"][0]["fill"] = {{"integers", {-9, 9}}};
        const auto [x, y] = inAndOut(text);
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(y[i], x[i] / 4);
    }

    void viewsAndWrites()
    {
        // y = x.clone(); y[0] += 1; returns y: the write through the view is seen, the input is not touched.
        auto text = oneNode("clone", R"([{"v": 0}])");
        text["values"].push_back({"F32", {3}});
        text["nodes"].push_back({{"op", "aten::select"},
                                 {"overload", "int"},
                                 {"arguments", {{{"v", 1}}, 0, 0}},
                                 {"outputs", {2}}});
        text["nodes"].push_back(
            {{"op", "aten::add_"}, {"overload", "Tensor"}, {"arguments", {{{"v", 2}}, 1}}, {"outputs", {2}}});
        const auto graph = must(text);
        const auto tensors = tensorsOf(graph);
        const auto prepared = PreparedGraph::prepare(graph);
        QVERIFY(prepared.has_value());
        for (int twice = 0; twice < 2; ++twice) {
            const auto result = prepared->run(tensors, RunPrecision::Double, limits);
            QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
            auto expected = numbersOf(tensors.at("x"));
            for (std::size_t i = 0; i < 3; ++i)
                expected[i] += 1;
            QCOMPARE(numbersOf(result->outputs[0]), expected);
        }
    }

    void listsOfTensors()
    {
        auto text = oneNode("cat", R"([[{"v": 0}, {"v": 0}], 1])", "[2, 3]", "[2, 6]");
        text["values"].push_back({"F32", {2, 2}});
        text["values"].push_back({"F32", {2, 4}});
        text["nodes"].push_back(
            {{"op", "aten::split_with_sizes"}, {"arguments", {{{"v", 1}}, {2, 4}, 1}}, {"outputs", {2, 3}}});
        text["outputs"][0]["value"] = 3;
        const auto [x, y] = inAndOut(text);
        QCOMPARE(y, (std::vector<double>{x[2], x[0], x[1], x[2], x[5], x[3], x[4], x[5]}));
    }

    void unwrittenMemoryShows()
    {
        auto text = oneNode("empty_like", R"([{"v": 0}])");
        const auto result = runGraph(text);
        QVERIFY(std::isnan(elementOf(result->outputs[0], 0)));
    }

    void madeInDouble()
    {
        auto text = oneNode("full", R"([[2, 3], 0.1])");
        QCOMPARE(elementOf(runGraph(text)->outputs[0], 3), 0.1);
        text["nodes"][0]["named"] = {
            {"dtype", {{"dtype", "float32"}}}, {"device", {{"device", "cuda:7"}}}, {"pin_memory", true}};
        QCOMPARE(elementOf(runGraph(text)->outputs[0], 3), 0.1);
        QCOMPARE(elementOf(runGraph(text, RunPrecision::AsWritten)->outputs[0], 3), double(0.1F));
    }

    void refused_data()
    {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("word");
        const auto row = [](const char* name, const json& graph, const char* word) {
            QTest::newRow(name) << QString::fromStdString(graph.dump()) << QString::fromUtf8(word);
        };
        row("overload", oneNode("add", R"([{"v": 0}, 1])", "[2]", "[2]", "Nobody"), "has no overload");
        row("no overload", oneNode("sum", R"([{"v": 0}, 1])", "[2]", "[2]", "dim_Int"), "has no overload");
        row("argument of text", oneNode("softmax", R"([{"v": 0}, "one"])", "[2]", "[2]", "int"), "type int");
        row("argument of the wrong kind", oneNode("mean", R"([{"v": 0}, [1], 1])", "[2, 3]", "[2, 1]", "dim"),
            "type bool");
        row("too many", oneNode("relu", R"([{"v": 0}, 1])"), "takes 1 arguments");
        row("too few", oneNode("mm", R"([{"v": 0}])"), "lacks its argument mat2");
        row(
            "no such name",
            [] {
                auto g = oneNode("relu", R"([{"v": 0}])");
                g["nodes"][0]["named"] = {{"mode", 1}};
                return g;
            }(),
            "no argument \"mode\"");
        row("shapes that do not fit", oneNode("mm", R"([{"v": 0}, {"v": 0}])"), "mat1 and mat2");
        row("another shape", oneNode("relu", R"([{"v": 0}])", "[2, 3]", "[3, 2]"),
            "returned the shape [2, 3]");
        row(
            "another type",
            [] {
                auto g = oneNode("relu", R"([{"v": 0}])");
                g["values"][1][0] = "I64";
                return g;
            }(),
            "returned the type");
        row(
            "dropout inside",
            [] {
                auto g = oneNode("scaled_dot_product_attention",
                                 R"([{"v": 0}, {"v": 0}, {"v": 0}, null, 0.5])", "[1, 2, 4]", "[1, 2, 4]");
                return g;
            }(),
            "draws random numbers");
        row(
            "index beyond",
            [] {
                auto g = oneNode("index_select", R"([{"v": 0}, 0, {"v": 2}])", "[2]", "[1]");
                g["values"].push_back({"I64", {1}});
                g["weights"] = {{{"name", "i"}, {"value", 2}, {"fill", {{"constant", 7}}}}};
                return g;
            }(),
            "index out of range");
        for (const char* training : {"true", "false"})
            for (const char* op : {"native_batch_norm", "batch_norm"}) {
                const std::string more = std::string(op) == "batch_norm" ? ", true" : "";
                row((std::string(op) + " of fewer channels, " + training).c_str(),
                    oneNode(op,
                            std::string("[{\"v\": 0}, {\"v\": 0}, {\"v\": 0}, {\"v\": 0}, {\"v\": 0}, ") +
                                training + ", 0.1, 1e-05" + more + "]",
                            "[1, 64]"),
                    "has 64 channels");
            }
        row("strides beyond", oneNode("as_strided", R"([{"v": 0}, [2, 3], [1000000, 1]])"), "out of bounds");
    }
    void refused()
    {
        QFETCH(const QString, graph);
        QFETCH(const QString, word);
        const auto result = runGraph(json::parse(graph.toStdString()));
        QVERIFY(!result.has_value());
        const auto sentence = result.error().sentence();
        QVERIFY2(sentence.find(word.toStdString()) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find("node 0 (aten::") == 0 && sentence.find('\n') == std::string::npos,
                 sentence.c_str());
    }

    void attentionWithoutDropout()
    {
        const auto [x, y] = inAndOut(oneNode("scaled_dot_product_attention",
                                             R"([{"v": 0}, {"v": 0}, {"v": 0}])", "[1, 1, 4]", "[1, 1, 4]"));
        QVERIFY(farthest(x, y) < tiny); // one key: its value
    }

    void limitsHold()
    {
        auto text = oneNode("relu", R"([{"v": 0}])", "[100, 100]", "[100, 100]");
        const auto graph = must(text);
        const auto prepared = PreparedGraph::prepare(graph);
        const auto tensors = tensorsOf(graph);
        const auto memory = prepared->run(tensors, RunPrecision::Double, {60, 100'000});
        QVERIFY(!memory && memory.error().what.find("of memory") != std::string::npos);
        const auto time = prepared->run(tensors, RunPrecision::Double, {0, plenty});
        QVERIFY(!time && time.error().what.find("ran longer") != std::string::npos);
        const auto fine = prepared->run(tensors, RunPrecision::Double, {60, 1 << 20});
        QVERIFY(fine && fine->peakBytes >= 160'000 && fine->peakBytes < (1 << 20));
    }

    void missingTensors()
    {
        auto text = linearGraph();
        text["weights"][0].erase("fill");
        const auto graph = must(text);
        const auto missing = taskTensors(graph, {}, {}, plenty);
        QVERIFY(!missing &&
                missing.error().what.find("\"fc.weight\" is neither stored") != std::string::npos);
        HostTensors stored{{"fc.weight", emptyTensor({TensorElement::F32, {4, 3}, {}})}};
        QVERIFY(taskTensors(graph, stored, 9, plenty).has_value());
        stored["fc.weight"] = emptyTensor({TensorElement::F32, {3, 4}, {}});
        const auto other = taskTensors(graph, stored, {}, plenty);
        QVERIFY(!other &&
                other.error().what.find("F32 [3, 4], and the graph says F32 [4, 3]") != std::string::npos);
        QVERIFY(!taskTensors(graph, stored, {}, 8).has_value());
        const auto one = tensorsOf(must(linearGraph()));
        QVERIFY(*taskTensors(must(linearGraph()), one, {}, plenty) == one);
        QVERIFY(*taskTensors(must(linearGraph()), one, 3, plenty) != one);
    }

    void examined()
    {
        const auto graph = must(linearGraph());
        const auto report = examineGraph(graph, tensorsOf(graph), limits);
        QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
        QVERIFY(report->deaf.empty() && !report->outputs[0].oneValue);
        QVERIFY(report->noise > 0 && report->noise < 1e-6);
        QCOMPARE(report->outputs[0].elements, std::int64_t(8));
        nlohmann::json written = fieldToJson(*report);
        QVERIFY(jsonExact<std::string>(written["libtorch"]).starts_with("2."));
    }

    void constantAndDeaf()
    {
        // Softmax over one column is 1 whatever x is.
        auto text = oneNode("_softmax", R"([{"v": 0}, 1, false])", "[5, 1]", "[5, 1]");
        const auto graph = must(text);
        const auto report = examineGraph(graph, tensorsOf(graph), limits);
        QCOMPARE(report->deaf, (std::vector<std::string>{"x"}));
        QVERIFY(report->outputs[0].oneValue);
    }

    void noisyOutput()
    {
        // The mean of numbers less their mean is rounding only.
        auto text = oneNode("mean", R"([{"v": 0}, [1], true])", "[4, 999]", "[4, 1]", "dim");
        text["values"].push_back({"F32", {4, 999}});
        text["values"].push_back({"F32", {4}});
        text["nodes"].push_back({{"op", "aten::sub"},
                                 {"overload", "Tensor"},
                                 {"arguments", {{{"v", 0}}, {{"v", 1}}}},
                                 {"outputs", {2}}});
        text["nodes"].push_back(
            {{"op", "aten::mean"}, {"overload", "dim"}, {"arguments", {{{"v", 2}}, {1}}}, {"outputs", {3}}});
        text["outputs"][0]["value"] = 3;
        const auto graph = must(text);
        const auto report = examineGraph(graph, tensorsOf(graph), limits);
        QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
        QVERIFY(report->noise > 0.1);
    }
};

QTEST_APPLESS_MAIN(RunTest)
#include "tst_run.moc"
