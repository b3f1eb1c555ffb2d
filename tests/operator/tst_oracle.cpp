// SPDX-License-Identifier: Apache-2.0
// The role oracle: graphs examined in a locked process, limits that end it, hostile graphs that reach
// nothing.
#include "base/files.h"
#include "evaluation/runners/oracle_process.h"
#include "graph_texts.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/host_tensor.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <optional>

using namespace sparserl;
using namespace sparserl::tests;
using nlohmann::json;

namespace {

OracleOptions optionsOf(double seconds = 60, std::uint64_t megabytes = 1024)
{
    OracleOptions options;
    options.runner = SPARSERL_BIN_DIR "/sparserl-runner";
    options.seconds = seconds;
    options.memoryBytes = megabytes << 20;
    return options;
}

} // namespace

class OracleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void examines()
    {
        auto options = optionsOf();
        options.countRefusedCalls = true;
        OracleProcess oracle(options);
        const auto report = oracle.examine(linearGraph().dump(), {});
        QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
        QCOMPARE(report->outputs.size(), std::size_t(1));
        QCOMPARE(report->outputs[0].type, std::string("F32 [2, 4]"));
        QVERIFY(report->noise > 0 && report->noise < 1e-6 && report->deaf.empty());
        // The same again, in the same process; other numbers with a seed.
        const auto again = oracle.examine(linearGraph().dump(), {});
        QVERIFY2(again && again->outputs == report->outputs, again ? "" : again.error().sentence().c_str());
        const auto other = oracle.examine(linearGraph().dump(), {}, 5);
        QVERIFY(other && other->outputs[0].digest != report->outputs[0].digest);
        QVERIFY(oracle.sandbox().has_value());
        qInfo("level %s", oracle.sandbox()->words().c_str());
        for (const auto& [call, times] : oracle.refusedCalls())
            qInfo("refused %s %lld times", call.c_str(), static_cast<long long>(times));
        QVERIFY(oracle.sandbox()->level >= SandboxLevel::Files);
    }

    void storedTensors()
    {
        OracleProcess oracle(optionsOf());
        HostTensors stored;
        Rng rng(3);
        stored["x"] = filledTensor({TensorElement::F32, {2, 3}, {}}, {FillKind::Constant, 1, 0}, rng);
        auto text = oneNode("sum", R"([{"v": 0}])", "[2, 3]", "[]");
        const auto report = oracle.examine(text.dump(), formatTensors(stored));
        QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
        QCOMPARE(report->outputs[0].mean, 6.0);
    }

    /// oneDNN and the like write code at run time, which the lock forbids: what they would do is done
    /// without.
    /// What the task itself returned is compared with fp64.
    void recordedResults()
    {
        OracleProcess oracle(optionsOf());
        const auto report = oracle.examine(linearGraph().dump(), {});
        QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
        QVERIFY(!report->outputs[0].recorded);
        const std::string name = report->outputs[0].name;
        HostTensor zeros = emptyTensor({TensorElement::F32, {2, 4}, {}});
        auto compared = oracle.examine(linearGraph().dump(), {}, {}, formatTensors({{name, zeros}}));
        QVERIFY2(compared.has_value(), compared ? "" : compared.error().sentence().c_str());
        QCOMPARE(compared->outputs[0].recorded, std::optional<double>(1)); // The largest is missing.
        compared = oracle.examine(linearGraph().dump(), {}, {}, formatTensors({{"another", zeros}}));
        QVERIFY(compared && !compared->outputs[0].recorded);
        zeros = emptyTensor({TensorElement::F32, {8}, {}});
        compared = oracle.examine(linearGraph().dump(), {}, {}, formatTensors({{name, zeros}}));
        QVERIFY(compared && std::isinf(compared->outputs[0].recorded.value_or(0)));
        QVERIFY(!oracle.examine(linearGraph().dump(), {}, {}, "no tensors").has_value());
    }

    /// Results in fp64, for inputs of the caller.
    void computes()
    {
        const auto graph = parseGraph(linearGraph().dump());
        QVERIFY(graph.has_value());
        HostTensors given{{"x", emptyTensor({TensorElement::F32, {2, 3}, {}})},
                          {"fc.weight", emptyTensor({TensorElement::F32, {4, 3}, {}})},
                          {"fc.bias", emptyTensor({TensorElement::F32, {4}, {}})}};
        setElement(given["x"], 3, 0.1); // Row 1, column 0.
        setElement(given["fc.weight"], 6, 0.3);
        setElement(given["fc.bias"], 1, -1);
        setElement(given["fc.bias"], 2, 3);
        const auto outputs = m_oracle.compute(*graph, given);
        QVERIFY2(outputs.has_value(), outputs ? "" : outputs.error().sentence().c_str());
        QCOMPARE(outputs->exact.size(), std::size_t(1));
        QVERIFY((outputs->exact[0].type == TensorType{TensorElement::F64, {2, 4}, {}}));
        const double product = static_cast<double>(0.1f) * static_cast<double>(0.3f);
        for (std::size_t i = 0; i < 8; ++i)
            QCOMPARE(elementOf(outputs->exact[0], i), i == 2 ? 3.0 : i == 6 ? 3 + product : 0.0);
        QVERIFY(outputs->noise[0] > 0 && outputs->noise[0] < 1e-7);
        // Whatever is wrong is a sentence, and the next graph is computed.
        given.erase("x");
        const auto fromFill = m_oracle.compute(*graph, given);
        QVERIFY2(fromFill.has_value(), fromFill ? "" : fromFill.error().sentence().c_str());
        given["x"] = emptyTensor({TensorElement::F32, {3, 2}, {}});
        const auto refused = m_oracle.compute(*graph, given);
        QVERIFY(!refused && refused.error().what.find("F32 [3, 2]") != std::string::npos);
        auto unknown = *graph;
        unknown.nodes[1].arguments.pop_back();
        QVERIFY(!m_oracle.compute(unknown, given).has_value());
        QVERIFY(m_oracle.examine(linearGraph().dump(), {}).has_value());
    }

    void manyOperators_data()
    {
        QTest::addColumn<QString>("graph");
        const auto row = [](const char* name, const json& graph) {
            QTest::newRow(name) << QString::fromStdString(graph.dump());
        };
        row("matmul", oneNode("mm", R"([{"v": 0}, {"v": 0}])", "[200, 200]", "[200, 200]"));
        row("bmm", oneNode("bmm", R"([{"v": 0}, {"v": 0}])", "[3, 50, 50]", "[3, 50, 50]"));
        row("softmax", oneNode("_softmax", R"([{"v": 0}, 1, false])", "[64, 1000]", "[64, 1000]"));
        row("gelu", oneNode("gelu", R"([{"v": 0}])", "[4096]", "[4096]"));
        row("sort", oneNode("logsumexp", R"([{"v": 0}, [1]])", "[40, 1000]", "[40]"));
        row("cumsum", oneNode("cumsum", R"([{"v": 0}, 1])", "[40, 1000]", "[40, 1000]"));
        row("pool", oneNode("avg_pool2d", R"([{"v": 0}, [2, 2]])", "[1, 8, 32, 32]", "[1, 8, 16, 16]"));
        row("resize",
            oneNode("upsample_bilinear2d", R"([{"v": 0}, [8, 8], false])", "[1, 2, 4, 4]", "[1, 2, 8, 8]"));
        auto convolve =
            oneNode("convolution", R"([{"v": 0}, {"v": 2}, null, [1, 1], [1, 1], [1, 1], false, [0, 0], 1])",
                    "[2, 16, 20, 20]", "[2, 32, 20, 20]");
        convolve["values"].push_back({"F32", {32, 16, 3, 3}});
        convolve["weights"] = {{{"name", "w"}, {"value", 2}, {"fill", {{"normal", {0, 0.1}}}}}};
        row("convolution", convolve);
        auto transposed =
            oneNode("convolution", R"([{"v": 0}, {"v": 2}, null, [2, 2], [1, 1], [1, 1], true, [0, 0], 1])",
                    "[2, 16, 10, 10]", "[2, 4, 19, 19]");
        transposed["values"].push_back({"F32", {16, 4, 3, 3}});
        transposed["weights"] = convolve["weights"];
        row("transposed convolution", transposed);
        auto norm = oneNode("native_group_norm", R"([{"v": 0}, null, null, 2, 8, 100, 4, 1e-5])",
                            "[2, 8, 10, 10]", "[2, 8, 10, 10]");
        norm["values"].push_back({"F32", {2, 4}});
        norm["values"].push_back({"F32", {2, 4}});
        norm["nodes"][0]["outputs"] = {1, 2, 3};
        row("group norm", norm);
    }
    void manyOperators()
    {
        QFETCH(const QString, graph);
        const auto report = m_oracle.examine(graph.toStdString(), {});
        QVERIFY2(report.has_value(), report ? "" : report.error().sentence().c_str());
        QVERIFY(report->noise < 1e-4 && report->outputs[0].notFinite == 0);
    }

    void hostileGraphs_data()
    {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("word");
        const auto row = [](const char* name, const std::string& graph, const char* word) {
            QTest::newRow(name) << QString::fromStdString(graph) << QString::fromUtf8(word);
        };
        row("a file", oneNode("from_file", R"(["@FILE@", true, 16])").dump(), "none of the operators");
        row("memory of others", oneNode("set_", R"([{"v": 0}])").dump(), "none of the operators");
        row("not JSON", "{\"nodes\":", "");
        row("binary", std::string("\0\1\2\xff", 4), "");
        row("value beyond", oneNode("relu", R"([{"v": 1000000}])").dump(), "no value 1000000");
        row("giant tensor", oneNode("full", R"([[1000000, 60000], 1.0])", "[2]", "[1000000, 60000]").dump(),
            "node 0 (aten::full)");
        row("giant window",
            oneNode("expand", R"([{"v": 0}, [100000, 2, 3]])", "[2, 3]", "[100000, 2, 3]")
                .dump()
                .insert(0, " "),
            "");
        row("NaN among arguments", oneNode("clamp", R"([{"v": 0}, {"f": "nan"}, {"f": "nan"}])").dump(), "");
        row(
            "batch norm with a short weight",
            [] {
                auto g =
                    oneNode("native_batch_norm", R"([{"v": 0}, {"v": 2}, null, null, null, true, 0.1, 1e-5])",
                            "[2, 64]", "[2, 64]");
                g["values"].push_back({"F32", {1}});
                g["values"].push_back({"F32", {64}});
                g["values"].push_back({"F32", {64}});
                g["weights"] = {{{"name", "w"}, {"value", 2}, {"fill", {{"constant", 1}}}}};
                g["nodes"][0]["outputs"] = {1, 3, 4};
                return g.dump();
            }(),
            "");
    }
    void hostileGraphs()
    {
        QFETCH(QString, graph);
        QFETCH(const QString, word);
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("made"));
        graph.replace(QStringLiteral("@FILE@"), file);
        const auto report = m_oracle.examine(graph.toStdString(), {});
        QVERIFY(!QFile::exists(file));
        if (word.isEmpty()) {
            if (!report)
                QVERIFY2(report.error().sentence().find('\n') == std::string::npos,
                         report.error().sentence().c_str());
        } else {
            QVERIFY(!report.has_value());
            QVERIFY2(report.error().sentence().find(word.toStdString()) != std::string::npos,
                     report.error().sentence().c_str());
        }
        // Whatever that was, the next graph is judged.
        const auto next = m_oracle.examine(linearGraph().dump(), {});
        QVERIFY2(next.has_value(), next ? "" : next.error().sentence().c_str());
    }

    void endlessCall()
    {
        // One call of about a minute and a half: limits between calls do not reach it, those of the process
        // do.
        auto options = optionsOf(0.01);
        options.jobSeconds = 5;
        OracleProcess oracle(options);
        auto text = oneNode("cdist", R"([{"v": 0}, {"v": 0}, 3.0])", "[5000, 3000]", "[5000, 5000]");
        const auto report = oracle.examine(text.dump(), {});
        QVERIFY(!report.has_value());
        const auto sentence = report.error().sentence();
        // On a busy machine the wall clock, which is more patient, may be first.
        QVERIFY2(sentence.starts_with("the oracle gave no result: it used up its processor time") ||
                     sentence.starts_with("the oracle gave no result: it did not answer within"),
                 sentence.c_str());
        const auto next = oracle.examine(linearGraph().dump(), {});
        QVERIFY2(next.has_value(), next ? "" : next.error().sentence().c_str());
    }

    void noRunner()
    {
        auto options = optionsOf();
        options.runner = "/nowhere/sparserl-runner";
        OracleProcess oracle(options);
        const auto report = oracle.examine(linearGraph().dump(), {});
        QVERIFY(!report && report.error().what.find("not found") != std::string::npos);
    }

private:
    OracleProcess m_oracle{optionsOf(60, 256)};
};

QTEST_GUILESS_MAIN(OracleTest)
#include "tst_oracle.moc"
