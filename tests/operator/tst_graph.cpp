// SPDX-License-Identifier: Apache-2.0
// Graphs of operator tasks: read, written, refused; what follows from them without running anything.
#include "graph_texts.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/host_tensor.h"
#include "operator/graph/known_operators.h"
#include "operator/graph/task_tensors.h"

#include <QTest>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace sparserl;
using namespace sparserl::tests;
using nlohmann::json;

namespace {

OperatorGraph must(const json& text)
{
    auto graph = graphFromJson(text, "test.json");
    if (!graph)
        qFatal("%s", graph.error().sentence().c_str());
    return std::move(*graph);
}

std::string refusal(const json& text)
{
    const auto graph = graphFromJson(text, "test.json");
    return graph ? "it was read" : graph.error().sentence();
}

/// Appends a node whose result is a new value of this type.
int append(json& graph, const std::string& op, json arguments, json type)
{
    const int number = static_cast<int>(graph["values"].size());
    graph["values"].push_back(std::move(type));
    graph["nodes"].push_back(
        {{"op", "aten::" + op}, {"arguments", std::move(arguments)}, {"outputs", {number}}});
    return number;
}

} // namespace

class GraphTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roundTrip()
    {
        auto text = linearGraph();
        text["nodes"].push_back(json::parse(
            R"({"op": "aten::clamp", "arguments": [{"v": 5}, {"f": "-inf"}, null], "named": {"dtype": {"dtype": "float32"},
                "layout": {"layout": "strided"}, "device": {"device": "cuda"}, "flag": true, "word": "none", "list": [1, 2.5, [3]],
                "memory_format": {"memory_format": "channels_last"}}, "outputs": [null]})"));
        text["inputs"].push_back({{"name", "axis"}, {"baked", "1"}});
        text["depends_on_values"] = true;
        const auto graph = must(text);
        QCOMPARE(graph.nodes.size(), std::size_t(4));
        QCOMPARE(graph.values[3].strides, (std::vector<std::int64_t>{1, 3}));
        QVERIFY(graph.dependsOnValues);
        QVERIFY(must(toJson(graph)) == graph);
    }

    void refused_data()
    {
        QTest::addColumn<QString>("patch");
        QTest::addColumn<QString>("word");
        const auto row = [](const char* name, const char* patch, const char* word) {
            QTest::newRow(name) << QString::fromUtf8(patch) << QString::fromUtf8(word);
        };
        row("a file", R"([{"op":"replace","path":"/nodes/0/op","value":"aten::from_file"}])",
            "none of the operators");
        row("another name space", R"([{"op":"replace","path":"/nodes/0/op","value":"prim::data"}])",
            "named aten::NAME");
        row("no name space", R"([{"op":"replace","path":"/nodes/0/op","value":"t"}])", "named aten::NAME");
        row("random", R"([{"op":"replace","path":"/nodes/2/op","value":"aten::bernoulli_"}])",
            "random numbers");
        row("dropout", R"([{"op":"replace","path":"/nodes/2/op","value":"aten::dropout"}])",
            "random numbers");
        row("into an argument", R"([{"op":"add","path":"/nodes/2/overload","value":"out"}])",
            "writes into an argument");
        row("view in place", R"([{"op":"replace","path":"/nodes/0/op","value":"aten::t_"}])",
            "none of the operators");
        row("strides unchecked", R"([{"op":"replace","path":"/nodes/0/op","value":"aten::_reshape_alias"}])",
            "none of the operators");
        row("value beyond", R"([{"op":"replace","path":"/nodes/1/arguments/0/v","value":6}])",
            "there is no value 6");
        row("value below", R"([{"op":"replace","path":"/nodes/1/arguments/0/v","value":-1}])",
            "there is no value -1");
        row("value of 2^40", R"([{"op":"replace","path":"/nodes/1/arguments/0/v","value":1099511627776}])",
            "means nothing");
        row("cycle", R"([{"op":"replace","path":"/nodes/1/arguments/0/v","value":5}])",
            "before that is made");
        row("itself", R"([{"op":"replace","path":"/nodes/2/arguments/0/v","value":5}])",
            "before that is made");
        row("made twice", R"([{"op":"replace","path":"/nodes/2/outputs/0","value":0}])", "a second time");
        row("result beyond", R"([{"op":"replace","path":"/nodes/2/outputs/0","value":77}])",
            "there is no value 77");
        row("result of text", R"([{"op":"replace","path":"/nodes/2/outputs/0","value":"5"}])",
            "not the number");
        row("no output", R"([{"op":"replace","path":"/outputs","value":[]}])", "no output");
        row("output beyond", R"([{"op":"replace","path":"/outputs/0/value","value":9}])",
            "there is no value 9");
        row("giant shape", R"([{"op":"replace","path":"/values/0/1","value":[2147483647,2147483647,4]}])",
            "more elements");
        row("negative shape", R"([{"op":"replace","path":"/values/0/1","value":[-2,3]}])", "negative");
        row("many dimensions",
            R"([{"op":"replace","path":"/values/0/1","value":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}])",
            "at most 16");
        row("far strides", R"([{"op":"replace","path":"/values/3/2","value":[1,9223372036854775807]}])",
            "more elements");
        row("strides of another rank", R"([{"op":"replace","path":"/values/3/2","value":[1]}])",
            "as many strides");
        row("type", R"([{"op":"replace","path":"/values/0/0","value":"C64"}])", "element type");
        row("value of text", R"([{"op":"replace","path":"/values/0","value":"F32"}])", "[TYPE, SHAPE]");
        row("data type", R"([{"op":"add","path":"/nodes/2/named","value":{"dtype":{"dtype":"complex64"}}}])",
            "not supported");
        row("named value", R"([{"op":"add","path":"/nodes/2/named","value":{"self":{"v":4}}}])",
            "values have no names");
        row("deep", R"([{"op":"add","path":"/nodes/2/arguments/1","value":[[[[1]]]]}])", "nested");
        row("same name", R"([{"op":"replace","path":"/weights/0/name","value":"x"}])", "is taken");
        row("empty name", R"([{"op":"replace","path":"/weights/0/name","value":""}])", "empty");
        row("kind", R"([{"op":"replace","path":"/weights/0/kind","value":"secret"}])", "none of parameter");
        row("fill", R"([{"op":"replace","path":"/inputs/0/fill","value":{"uniform":[1,0]}}])",
            "a fill must be");
        row("fill by name", R"([{"op":"replace","path":"/inputs/0/fill","value":{"file":[1,0]}}])",
            "a fill must be");
        row("newer", R"([{"op":"replace","path":"/format","value":2}])", "newer");
        row("nodes of text", R"([{"op":"replace","path":"/nodes","value":"all"}])", "not a list");
        row("node of text", R"([{"op":"replace","path":"/nodes/0","value":"relu"}])", "not an object");
        row("no nodes", R"([{"op":"remove","path":"/nodes"}])", "not the graph");
    }
    void refused()
    {
        QFETCH(const QString, patch);
        QFETCH(const QString, word);
        const auto sentence = refusal(linearGraph().patch(json::parse(patch.toStdString())));
        QVERIFY2(sentence.find(word.toStdString()) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find('\n') == std::string::npos && sentence.size() < 400, sentence.c_str());
    }

    void foreignText()
    {
        auto text = linearGraph();
        text["nodes"][0]["op"] = "aten::\x1b[2J\n";
        const auto sentence = refusal(text);
        QVERIFY2(sentence.find("\\x1b[2J\\x0a") != std::string::npos, sentence.c_str());
        text["nodes"][0]["op"] = std::string(150, 'x');
        QVERIFY(refusal(text).size() < 300);
    }

    void tooLarge()
    {
        auto text = linearGraph();
        const json node = text["nodes"][2];
        text["nodes"] = json::array_t(GraphLimits::nodes + 1, node);
        QVERIFY(refusal(text).find(fmt::format("{} entries", GraphLimits::nodes + 1)) != std::string::npos);
        text = linearGraph();
        text["nodes"][2]["arguments"].push_back(json::array_t(GraphLimits::listItems + 1, json(1)));
        QVERIFY(refusal(text).find("more than 4096 items") != std::string::npos);
    }

    /// Everything that looks at a graph does so in a single pass, or a task of this size would not end.
    void largest()
    {
        json text = json::parse(R"({"format": 1, "name": "chain",
            "inputs": [{"name": "x", "value": 0, "fill": {"normal": [0, 1]}}], "nodes": []})");
        text["values"] = json::array_t(GraphLimits::nodes + 1, json::parse(R"(["F32", [2]])"));
        text["outputs"] = json::parse(fmt::format(R"([{{"name": "y", "value": {}}}])", GraphLimits::nodes));
        for (std::size_t i = 0; i < GraphLimits::nodes; ++i)
            text["nodes"].push_back(json::parse(fmt::format(
                R"({{"op": "aten::relu", "arguments": [{{"v": {}}}], "outputs": [{}]}})", i, i + 1)));
        const OperatorGraph graph = must(text);
        QCOMPARE(graph.nodes.size(), GraphLimits::nodes);
        QCOMPARE(graphFacts(graph).computing, GraphLimits::nodes);
        QCOMPARE(graphDigest(graph).size(), std::size_t(64));
        const auto again = graphFromJson(toJson(graph));
        QVERIFY(again.has_value());
        QVERIFY(graphDigest(*again) == graphDigest(graph));
    }

    void facts()
    {
        const auto facts = graphFacts(must(linearGraph()));
        QCOMPARE(facts.computing, std::size_t(2));
        QCOMPARE(facts.level, 1);
        // addmm: 2 x 4 results of 3 products, and the bias; relu: 8.
        QCOMPARE(facts.flops, 2.0 * 8 * 3 + 8 + 8);
        QCOMPARE(facts.compulsoryBytes, 4.0 * (6 + 12 + 4 + 8));
        QCOMPARE(facts.outputs.size(), std::size_t(1));
        QCOMPARE(facts.outputs[0].on, (std::vector<std::string>{"x", "fc.weight", "fc.bias"}));
        QVERIFY(facts.unused.empty() && facts.dead == 0);
    }

    void convolutionCounts()
    {
        // 5 channels of 3 x 3 over 2 x 4 x 8 x 8 without padding: 2 x 5 x 6 x 6 results of 36 products each.
        auto text =
            oneNode("convolution", R"([{"v": 0}, {"v": 2}, null, [1, 1], [0, 0], [1, 1], false, [0, 0], 1])",
                    "[2, 4, 8, 8]", "[2, 5, 6, 6]");
        text["values"].push_back({"F32", {5, 4, 3, 3}});
        text["weights"] = {{{"name", "w"}, {"value", 2}}};
        QCOMPARE(graphFacts(must(text)).flops, 2.0 * (2 * 5 * 6 * 6) * 36);
        // Transposed, each element of the input meets the 5 x 3 x 3 of its channel.
        text =
            oneNode("convolution", R"([{"v": 0}, {"v": 2}, null, [1, 1], [0, 0], [1, 1], true, [0, 0], 1])",
                    "[2, 4, 8, 8]", "[2, 5, 10, 10]");
        text["values"].push_back({"F32", {4, 5, 3, 3}});
        text["weights"] = {{{"name", "w"}, {"value", 2}}};
        QCOMPARE(graphFacts(must(text)).flops, 2.0 * (2 * 4 * 8 * 8) * 45);
    }

    void unusedAndDead()
    {
        auto text = linearGraph();
        // 1 + x is computed for nobody; the output no longer depends on the layer.
        const int dead = append(text, "add", {{{"v", 0}}, 1}, {"F32", {2, 3}});
        const int zeros = append(text, "zeros_like", {{{"v", 5}}}, {"F32", {2, 4}});
        text["outputs"][0]["value"] = zeros;
        QVERIFY(dead < zeros);
        const auto facts = graphFacts(must(text));
        QVERIFY(facts.outputs[0].on.empty());
        QCOMPARE(facts.unused, (std::vector<std::string>{"x", "fc.weight", "fc.bias"}));
        QCOMPARE(facts.dead, std::size_t(1)); // what zeros_like looks at stays
    }

    void writesReachViews()
    {
        // A view of a buffer is written, then the buffer itself is the output.
        auto text = oneNode("clone", R"([{"v": 0}])");
        const int view = append(text, "select", {{{"v", 1}}, 0, 1}, {"F32", {3}});
        text["values"].push_back({"F32", {3}});
        text["weights"] = {{{"name", "row"}, {"value", view + 1}}};
        text["nodes"].push_back(
            {{"op", "aten::copy_"}, {"arguments", {{{"v", view}}, {{"v", view + 1}}}}, {"outputs", {view}}});
        const auto graph = must(text);
        const auto facts = graphFacts(graph);
        QCOMPARE(facts.outputs[0].on, (std::vector<std::string>{"x", "row"}));
        QCOMPARE(facts.dead, std::size_t(0));
        text["nodes"].erase(2);
        QVERIFY(graphDigest(must(text)) != graphDigest(graph));
    }

    /// What versions of PyTorch record differently, and what means nothing.
    void digestKeeps_data()
    {
        QTest::addColumn<QString>("patch");
        const auto row = [](const char* name, const char* patch) {
            QTest::newRow(name) << QString::fromUtf8(patch);
        };
        row("names",
            R"([{"op":"replace","path":"/inputs/0/name","value":"features"}, {"op":"replace","path":"/name","value":"other"}])");
        row("in place",
            R"([{"op":"replace","path":"/nodes/2","value":{"op":"aten::relu_","arguments":[{"v":4}],"outputs":[4]}},
                            {"op":"replace","path":"/outputs/0/value","value":4}])");
        row("transpose",
            R"([{"op":"replace","path":"/nodes/0","value":{"op":"aten::transpose","overload":"int","arguments":[{"v":1},0,-1],"outputs":[3]}}])");
        row("permute",
            R"([{"op":"replace","path":"/nodes/0","value":{"op":"aten::permute","arguments":[{"v":1},[1,0]],"outputs":[3]}}])");
        row("detached", R"([{"op":"add","path":"/values/6","value":["F32",[2,4]]},
                            {"op":"add","path":"/nodes/2","value":{"op":"aten::detach","arguments":[{"v":4}],"outputs":[6]}},
                            {"op":"replace","path":"/nodes/3/arguments/0/v","value":6}])");
        row("view to the same shape", R"([{"op":"add","path":"/values/6","value":["F32",[2,3]]},
                            {"op":"add","path":"/nodes/0","value":{"op":"aten::view","arguments":[{"v":0},[2,-1]],"outputs":[6]}},
                            {"op":"replace","path":"/nodes/2/arguments/1/v","value":6}])");
        row("whole slice", R"([{"op":"add","path":"/values/6","value":["F32",[2,3]]},
                            {"op":"add","path":"/nodes/0","value":{"op":"aten::slice","overload":"Tensor","arguments":[{"v":0},0,0,9223372036854775807],"outputs":[6]}},
                            {"op":"replace","path":"/nodes/2/arguments/1/v","value":6}])");
        row("copy", R"([{"op":"add","path":"/values/6","value":["F32",[2,3]]},
                            {"op":"add","path":"/nodes/0","value":{"op":"aten::clone","arguments":[{"v":0}],"outputs":[6]}},
                            {"op":"replace","path":"/nodes/2/arguments/1/v","value":6}])");
        row("dead node", R"([{"op":"add","path":"/values/6","value":["F32",[2,3]]},
                            {"op":"add","path":"/nodes/0","value":{"op":"aten::exp","arguments":[{"v":0}],"outputs":[6]}}])");
        row("unused weight", R"([{"op":"add","path":"/values/6","value":["F32",[2,3]]},
                            {"op":"add","path":"/weights/0","value":{"name":"lost","value":6}}])");
        row("numbers of values", R"([{"op":"add","path":"/values/0","value":["F32",[1]]},
                            {"op":"replace","path":"/inputs/0/value","value":1},
                            {"op":"replace","path":"/weights/0/value","value":2}, {"op":"replace","path":"/weights/1/value","value":3},
                            {"op":"replace","path":"/nodes/0/arguments/0/v","value":2}, {"op":"replace","path":"/nodes/0/outputs/0","value":4},
                            {"op":"replace","path":"/nodes/1/arguments","value":[{"v":3},{"v":1},{"v":4}]}, {"op":"replace","path":"/nodes/1/outputs/0","value":5},
                            {"op":"replace","path":"/nodes/2/arguments/0/v","value":5}, {"op":"replace","path":"/nodes/2/outputs/0","value":6},
                            {"op":"replace","path":"/outputs/0/value","value":6}])");
        row("fills", R"([{"op":"replace","path":"/weights/1/fill","value":{"constant":3}}])");
    }
    void digestKeeps()
    {
        QFETCH(const QString, patch);
        const auto changed = must(linearGraph().patch(json::parse(patch.toStdString())));
        const auto plain = must(linearGraph());
        QVERIFY(!(changed == plain));
        QCOMPARE(QString::fromStdString(graphDigest(changed)), QString::fromStdString(graphDigest(plain)));
    }

    void digestTells_data()
    {
        QTest::addColumn<QString>("patch");
        QTest::addColumn<bool>("sameStructure");
        const auto row = [](const char* name, const char* patch, bool same = false) {
            QTest::newRow(name) << QString::fromUtf8(patch) << same;
        };
        row("another operator", R"([{"op":"replace","path":"/nodes/2/op","value":"aten::tanh"}])");
        row("order of a product",
            R"([{"op":"replace","path":"/nodes/1/arguments","value":[{"v":2},{"v":3},{"v":0}]}])");
        row("a real number", R"([{"op":"add","path":"/nodes/1/named","value":{"beta":0.5}}])");
        row("a whole number", R"([{"op":"add","path":"/nodes/1/named","value":{"beta":2}}])");
        row("a type", R"([{"op":"replace","path":"/values/5/0","value":"F64"}])");
        row("sizes",
            R"([{"op":"replace","path":"/values/0/1","value":[7,3]}, {"op":"replace","path":"/values/4/1","value":[7,4]},
                         {"op":"replace","path":"/values/5/1","value":[7,4]}])",
            true);
        row("which weight", R"([{"op":"replace","path":"/nodes/1/arguments/0/v","value":0}])");
    }
    void digestTells()
    {
        QFETCH(const QString, patch);
        QFETCH(const bool, sameStructure);
        const auto changed = must(linearGraph().patch(json::parse(patch.toStdString())));
        const auto plain = must(linearGraph());
        QVERIFY(graphDigest(changed) != graphDigest(plain));
        QCOMPARE(graphStructure(changed) == graphStructure(plain), sameStructure);
    }

    void commutes()
    {
        auto sum = oneNode("add", R"([{"v": 0}, {"v": 2}])");
        sum["values"].push_back({"F32", {2, 3}});
        sum["weights"] = {{{"name", "w"}, {"value", 2}}};
        auto other = sum;
        other["nodes"][0]["arguments"] = {{{"v", 2}}, {{"v", 0}}};
        QCOMPARE(graphDigest(must(sum)), graphDigest(must(other)));
        for (auto* const graph : {&sum, &other})
            (*graph)["nodes"][0]["op"] = "aten::sub";
        QVERIFY(graphDigest(must(sum)) != graphDigest(must(other)));
    }

    void operatorNames()
    {
        QVERIFY(knownOperators().size() > 250);
        for (std::size_t i = 1; i < knownOperators().size(); ++i)
            QVERIFY2(knownOperators()[i - 1].name < knownOperators()[i].name,
                     knownOperators()[i].name.data());
        QCOMPARE(operatorKind("add_"), std::optional(OperatorKind::Compute));
        QVERIFY(!operatorKind("from_file") && !operatorKind("set_") && !operatorKind("resize_") &&
                !operatorKind(""));
        QVERIFY(!operatorKind("view_") && !operatorKind("zeros_"));
        for (const auto& known : knownOperators())
            QVERIFY2(!isRandomOperator(known.name), known.name.data());
    }

    void tensors()
    {
        HostTensors all;
        Rng rng(7);
        for (const auto element : tensorElements) {
            const Fill fill{FillKind::Integers, 0, 100};
            all[std::string(nameOf(element))] = filledTensor({element, {3, 5}, {}}, fill, rng);
        }
        const auto bytes = formatTensors(all);
        const auto again = parseTensors(bytes, "tensors", 1 << 20);
        QVERIFY(again.has_value());
        QVERIFY(*again == all);
        QVERIFY(!parseTensors(bytes, "tensors", 100).has_value());
        for (const auto element : tensorElements) {
            HostTensor tensor = emptyTensor({element, {4}, {}});
            const double values[] = {0, 1, 2.5, -3};
            for (std::size_t i = 0; i < 4; ++i)
                setElement(tensor, i, values[i]);
            QCOMPARE(elementOf(tensor, 0), 0.0);
            QCOMPARE(elementOf(tensor, 1), 1.0);
            QCOMPARE(elementOf(tensor, 2), isFloating(element)              ? 2.5
                                           : element == TensorElement::Bool ? 1.0
                                                                            : 2.0);
        }
    }

    void halves()
    {
        HostTensor half = emptyTensor({TensorElement::F16, {1}, {}}),
                   brain = emptyTensor({TensorElement::BF16, {1}, {}});
        const auto through = [](HostTensor& tensor, double value) {
            setElement(tensor, 0, value);
            return elementOf(tensor, 0);
        };
        for (int bits = 0; bits < 65536; ++bits) { // each half is its own nearest
            std::memcpy(half.bytes.data(), &bits, 2);
            const double value = elementOf(half, 0);
            const double back = through(half, value);
            QVERIFY(std::isnan(value) ? std::isnan(back) : value == back);
        }
        QCOMPARE(through(half, 65519.9), 65504.0);
        QCOMPARE(through(half, 65520.0), HUGE_VAL);
        QCOMPARE(through(half, 1 + 0x1p-11), 1.0); // ties go to even
        QCOMPARE(through(half, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
        QCOMPARE(through(half, 0x1p-25), 0.0);
        QCOMPARE(through(half, 0x1.8p-25), 0x1p-24);
        QCOMPARE(through(brain, 1 + 0x1p-8), 1.0);
        QCOMPARE(through(brain, 1 + 3 * 0x1p-8), 1 + 0x1p-6);
        QVERIFY(std::isnan(through(brain, NAN)) && std::isnan(through(half, NAN)));
    }

    void fills()
    {
        Rng rng(3);
        const TensorType type{TensorElement::F32, {10000}, {}};
        const auto moments = [&](const Fill& fill) {
            const auto tensor = filledTensor(type, fill, rng);
            double sum = 0, squares = 0;
            for (std::size_t i = 0; i < 10000; ++i) {
                sum += elementOf(tensor, i);
                squares += elementOf(tensor, i) * elementOf(tensor, i);
            }
            return std::pair(sum / 10000, squares / 10000);
        };
        const auto [mean, square] = moments({FillKind::Uniform, -1, 3});
        QVERIFY(std::fabs(mean - 1) < 0.05 && std::fabs(square - 1 - 16.0 / 12) < 0.1);
        const auto [mean2, square2] = moments({FillKind::Normal, 2, 0.5});
        QVERIFY(std::fabs(mean2 - 2) < 0.03 && std::fabs(square2 - 4.25) < 0.1);
        const auto [mean3, square3] = moments({FillKind::Integers, 0, 3});
        QVERIFY(std::fabs(mean3 - 1) < 0.05 && std::fabs(square3 - 5.0 / 3) < 0.1);
        Rng one(5), two(5);
        QVERIFY(filledTensor(type, {FillKind::Normal, 0, 1}, one) ==
                filledTensor(type, {FillKind::Normal, 0, 1}, two));
    }

    void stepsOfFills()
    {
        const auto drawn = [](const std::vector<std::int64_t>& shape, const char* fill,
                              TensorElement element) {
            Rng rng(3);
            const auto read = fillFromJson(json::parse(fill));
            if (!read)
                qFatal("%s", read.error().sentence().c_str());
            const auto tensor = filledTensor({element, shape, {}}, *read, rng);
            std::vector<double> all;
            for (std::int64_t i = 0; i < tensor.type.elements(); ++i)
                all.push_back(elementOf(tensor, static_cast<std::size_t>(i)));
            return all;
        };
        using Numbers = std::vector<double>;
        const auto wide = TensorElement::F64;
        QCOMPARE(drawn({2, 2, 3}, R"({"constant":2,"then":[{"mul":3},{"add":1},{"tril":0}]})", wide),
                 (Numbers{7, 0, 0, 7, 7, 0, 7, 0, 0, 7, 7, 0}));
        QCOMPARE(drawn({3, 2}, R"({"constant":1,"then":[{"triu":1}]})", wide), (Numbers{0, 1, 0, 0, 0, 0}));
        QCOMPARE(drawn({2, 2}, R"({"constant":5,"then":["softmax"]})", wide), (Numbers{0.5, 0.5, 0.5, 0.5}));
        QCOMPARE(drawn({2}, R"({"constant":-2.5,"then":["trunc","abs",{"div":4}]})", wide),
                 (Numbers{0.5, 0.5}));
        QCOMPARE(drawn({1}, R"({"constant":3,"then":[{"gt":2},{"at_least":0.5},{"at_most":0.75}]})", wide),
                 (Numbers{0.75}));
        QCOMPARE(drawn({2}, R"({"constant":3,"then":[{"le":3},"log","exp"]})", wide), (Numbers{1, 1}));
        for (const double one :
             drawn({1000}, R"({"uniform":[0,1],"then":[{"ge":0.5}]})", TensorElement::Bool))
            QVERIFY(one == 0 || one == 1);
        // Rows longer than a part of them are as if drawn at once.
        const auto parts = drawn({2, 70000}, R"({"normal":[0,1],"then":[{"triu":2}]})", TensorElement::F32);
        QCOMPARE(parts[1], 0.0);
        QVERIFY(parts[2] != 0 && parts[70002] == 0 && parts[70003] != 0 && parts[139999] != 0);
        for (const double x : {-0.999999999, -0.5, 1e-9, 0.3, 0.9999})
            QVERIFY(std::fabs(std::erf(inverseErf(x)) - x) <= 4e-16 * (1 + std::fabs(x)));
        QVERIFY(inverseErf(0) == 0 && std::isinf(inverseErf(-1)) && std::isnan(inverseErf(2)));
        // It is written as it was read.
        const auto text =
            json::parse(R"({"integers":[0.0,5.0],"then":[{"mul":2.0},"softmax",{"tril":-1.0}]})");
        QCOMPARE(toJson(*fillFromJson(text)).dump(), text.dump());
    }

    void stepsThatAreNone()
    {
        for (const char* then :
             {R"("softmax")", R"([5])", R"([{"mul":"2"}])", R"([{"mul":2,"add":1}])", R"(["mul"])",
              R"([{"softmax":1}])", R"([{"div":0}])", R"([{"fork":1}])", R"([{}])", "{}", "null"}) {
            const auto fill =
                fillFromJson(json::parse(std::string(R"({"uniform":[0,1],"then":)") + then + "}"));
            QVERIFY2(!fill.has_value(), then);
        }
        json many = {{"constant", 1}, {"then", json::array()}};
        for (std::size_t i = 0; i <= Fill::mostSteps; ++i)
            many["then"].push_back({{"add", 1}});
        QVERIFY(!fillFromJson(many).has_value());
        many["then"].erase(0);
        QVERIFY(fillFromJson(many).has_value());
    }

    /// A fill that does not describe a tensor is left out, and the tensor is stored.
    void whatFillsDescribe()
    {
        Rng rng(8);
        const TensorType type{TensorElement::F32, {40, 30}, {}};
        const Fill uniform{FillKind::Uniform, 0, 1}, normal{FillKind::Normal, 0.5, 0.1},
            ones{FillKind::Constant, 1, 0};
        HostTensor tensor = filledTensor(type, uniform, rng);
        QVERIFY(isDescribedBy(tensor, uniform) && !isDescribedBy(tensor, ones) &&
                !isDescribedBy(tensor, normal));
        QVERIFY(!isDescribedBy(tensor, {FillKind::Uniform, 0, 0.9}) &&
                !isDescribedBy(tensor, {FillKind::Uniform, 0, 3}));
        setElement(tensor, 7, 1.5);
        QVERIFY(!isDescribedBy(tensor, uniform));
        tensor = filledTensor(type, ones, rng);
        QVERIFY(isDescribedBy(tensor, ones) && !isDescribedBy(tensor, uniform));
        setElement(tensor, 7, 1.5);
        QVERIFY(!isDescribedBy(tensor, ones));
        setElement(tensor, 7, NAN);
        QVERIFY(!isDescribedBy(tensor, ones) && !isDescribedBy(tensor, normal));

        auto graph = parseGraph(linearGraph().dump());
        QVERIFY(graph.has_value());
        HostTensors stored = *taskTensors(*graph, {}, {}, 1 << 20);
        QVERIFY(dropWrongFills(*graph, stored).empty() && withoutFills(*graph, stored).empty());
        setElement(stored["fc.bias"], 1, 7);
        QCOMPARE(dropWrongFills(*graph, stored), std::vector<std::string>{"fc.bias"});
        const auto kept = withoutFills(*graph, stored);
        QVERIFY(kept.size() == 1 && kept.contains("fc.bias"));
        // Drawn again with a seed, but for what has no fill.
        const auto again = taskTensors(*graph, kept, 9, 1 << 20);
        QVERIFY(again && again->at("fc.bias") == stored["fc.bias"] && !(again->at("x") == stored["x"]));
    }

    void movedBytes()
    {
        const auto facts = graphFacts(*parseGraph(linearGraph().dump()));
        // addmm takes 4 + 6 + 12 numbers and makes 8; relu takes 8 and makes 8; a view moves none.
        QCOMPARE(facts.movedBytes, 4.0 * (4 + 6 + 12 + 8 + 8 + 8));
    }
};

QTEST_APPLESS_MAIN(GraphTest)
#include "tst_graph.moc"
