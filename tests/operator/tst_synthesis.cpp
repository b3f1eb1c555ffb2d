// SPDX-License-Identifier: Apache-2.0
// Stacks of operators: every class makes calls that LibTorch takes, at every small size and on every stream,
// with the shapes that the graph says; what is drawn fits; how similar graphs are.
#include "graph_texts.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/task_tensors.h"
#include "operator/run/examine.h"
#include "operator/synthesis/similarity.h"
#include "operator/synthesis/synthesis.h"

#include <QTest>
#include <set>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

constexpr std::uint64_t plenty = std::uint64_t(1) << 30;
constexpr RunLimits limits{60, plenty};

OperatorStack stackOf(Stream stream, const OperatorClass& kind, std::uint64_t draw)
{
    OperatorStack stack{stream, {}, {{&kind, draw, 1024}}};
    stack.full = stream == Stream::Matrix     ? Shape{4096, 2048}
                 : stream == Stream::Sequence ? Shape{16, 512, 1024}
                                              : Shape{32, 64, 112, 112};
    return stack;
}

} // namespace

class SynthesisTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { warmUpLibTorch(); }

    void everyClassRuns_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("stream");
        const auto classes = operatorClasses();
        for (std::size_t i = 0; i < classes.size(); ++i)
            for (const Stream stream : {Stream::Matrix, Stream::Sequence, Stream::Image})
                if ((classes[i].streams & maskOf(stream)) != 0)
                    QTest::addRow("%s %d", std::string(classes[i].name).c_str(), static_cast<int>(stream))
                        << static_cast<int>(i) << static_cast<int>(stream);
    }
    void everyClassRuns()
    {
        QFETCH(const int, index);
        QFETCH(const int, stream);
        const OperatorClass& kind = operatorClasses()[static_cast<std::size_t>(index)];
        constexpr std::uint64_t draws = 12; // All forms that a class has.
        std::set<std::string> structures;
        for (std::uint64_t draw = 0; draw < draws; ++draw) {
            const auto stack = stackOf(static_cast<Stream>(stream), kind, draw);
            const auto base = buildStack(stack, "task", "base");
            structures.insert(graphStructure(base));
            for (const char* const size : stackSizes) {
                const auto graph = buildStack(stack, "task", size);
                QCOMPARE(graph.size, std::string(size));
                QCOMPARE(graphStructure(graph), graphStructure(base));
                const auto again = graphFromJson(toJson(graph));
                QVERIFY2(again && *again == graph, again ? "" : again.error().sentence().c_str());
                QVERIFY(graphFacts(graph).unused.empty() && graphFacts(graph).dead == 0);
                if (std::string_view(size) == "full")
                    continue;
                const auto tensors = taskTensors(graph, {}, {}, plenty);
                QVERIFY(tensors.has_value());
                const auto report = examineGraph(graph, *tensors, limits);
                QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
                QVERIFY2(!report->outputs[0].oneValue && report->deaf.empty() && !report->outputs[0].rounding,
                         std::to_string(report->noise).c_str());
                QCOMPARE(report->outputs[0].notFinite, std::int64_t(0));
            }
        }
        QVERIFY(!structures.empty());
    }

    void drawnStacks()
    {
        const Rng root(4);
        std::set<std::string> words;
        for (std::uint64_t i = 0; i < 500; ++i) {
            const std::size_t layers = 1 + i % mostStacked;
            Rng rng = root.derive(i), again = root.derive(i);
            const auto stack = drawStack(layers, rng);
            QCOMPARE(stack.layers.size(), layers);
            QCOMPARE(drawStack(layers, again).words(), stack.words());
            words.insert(stack.words());
            std::set<const OperatorClass*> kinds;
            for (std::size_t place = 0; place < layers; ++place) {
                const OperatorClass& kind = *stack.layers[place].kind;
                kinds.insert(&kind);
                QVERIFY((kind.streams & maskOf(stack.stream)) != 0 && (!kind.last || place + 1 == layers));
            }
            QCOMPARE(kinds.size(), layers);
            const auto full = buildStack(stack, "task", "full");
            const auto read = graphFromJson(toJson(full));
            QVERIFY2(read.has_value(), read ? "" : read.error().sentence().c_str());
        }
        QVERIFY(words.size() > 400);
    }

    void similarGraphs()
    {
        const auto parts = [](const nlohmann::json& text) { return partsOf(*graphFromJson(text)); };
        const auto linear = parts(linearGraph());
        // A view is looked through; a weight is no input.
        QCOMPARE(linear, (GraphParts{{"linear", 1},
                                     {"relu", 1},
                                     {"input > linear", 1},
                                     {"weight > linear", 2},
                                     {"linear > relu", 1}}));
        QCOMPARE(similarityOf(linear, linear), 1.0);
        const auto relu = parts(oneNode("relu", R"([{"v": 0}])"));
        QCOMPARE(similarityOf(linear, relu), 1.0 / 7);
        QCOMPARE(similarityOf(linear, relu), similarityOf(relu, linear));
        QCOMPARE(similarityOf(relu, parts(oneNode("tanh", R"([{"v": 0}])"))), 0.0);
        // Sizes and the order in memory do not count.
        QCOMPARE(similarityOf(relu, parts(oneNode("relu_", R"([{"v": 0}])", "[9]", "[9]"))), 1.0);
    }
};

QTEST_GUILESS_MAIN(SynthesisTest)
#include "tst_synthesis.moc"
