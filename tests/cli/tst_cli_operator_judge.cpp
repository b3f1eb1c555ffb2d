// SPDX-License-Identifier: Apache-2.0
// Programs for operators, judged as users do: verdicts, what is refused before any verdict, and the places
// where programs of this kind are not supported.
#include "programs.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

const char* const graph = R"({"format": 1, "name": "relu",
 "values": [["F32", [5, 7]], ["F32", [5, 7]]],
 "inputs": [{"name": "x", "value": 0, "fill": {"normal": [0, 1]}}],
 "nodes": [{"op": "aten::relu", "arguments": [{"v": 0}], "outputs": [1]}],
 "outputs": [{"name": "y", "value": 1}]})";

const char* const program = "//! task operator\n"
                            "//! launch relu<<<1, 64>>>(x, out, x.numel)\n"
                            "extern \"C\" __global__ void relu(const float* x, float* y, int n)\n"
                            "{\n"
                            "    if (threadIdx.x < n)\n"
                            "        y[threadIdx.x] = fmaxf(x[threadIdx.x], 0);\n"
                            "}\n";

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    return text.replace(text.find(from), from.size(), to);
}

} // namespace

class TestCliOperatorJudge : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        write("relu.json", graph);
        write("whole.json", replaced(graph, "[\"F32\", [5, 7]]", "[\"I64\", [5, 7]]"));
        write("nonsense.json", "{}");
        write("constant.json", replaced(graph, "{\"normal\": [0, 1]}", "{\"constant\": -20}"));
        write("relu.cu", program);
        write("copy.cu", replaced(program, "fmaxf(x[threadIdx.x], 0)", "x[threadIdx.x]"));
        write("spmv.cu",
              "//! task spmv\n//! launch k<<<1, 1>>>(x, y)\nextern \"C\" __global__ void k(const float* x, "
              "float* y) {}\n");
        fs::create_directories(folder() / "empty");
    }

    void verdicts()
    {
        const auto both = shell(folder(), "$SPARSERL judge relu.cu copy.cu --operator relu.json", 120);
        QVERIFY2(both.status.ok(), both.error.c_str());
        QVERIFY2(both.output.find("relu.cu") < both.output.find(" correct ") &&
                     both.output.find("copy.cu") < both.output.find(" wrong-result"),
                 both.output.c_str());
        QCOMPARE(shell(folder(), "$SPARSERL judge copy.cu --operator relu.json --fail", 120).status.code, 1);
    }

    void records()
    {
        const auto one = shell(folder(), "$SPARSERL --json judge relu.cu --operator relu.json --lines", 120);
        QVERIFY2(one.status.ok(), one.error.c_str());
        const auto record = nlohmann::json::parse(one.output);
        QCOMPARE(record["verdict"].get<std::string>(), std::string("correct"));
        QCOMPARE(record["target_kind"].get<std::string>(), std::string("operator"));
        QCOMPARE(record["operator_file"].get<std::string>(), std::string("relu.json"));
        QCOMPARE(record["matrix_name"].get<std::string>(), std::string("relu"));
        QVERIFY(!record.contains("matrix_file") && !record["lines"].empty());
    }

    void refused_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* words, int status, const char* reason) {
            QTest::newRow(words) << QString::fromUtf8(words) << status << QString::fromUtf8(reason);
        };
        row("judge relu.cu --operator relu.json --matrix 'stencil2d(n=5)'", 2, "cannot be used together");
        row("judge relu.cu --operator relu.json --task spmv", 2, "are about matrices");
        row("judge relu.cu --operator relu.json --columns 8", 2, "are about matrices");
        row("judge relu.cu --operator relu.json --device cuda", 2, "on the simulated device only, so far");
        row("judge --operator relu.json", 2, "PROGRAM is required");
        row("judge relu.cu --operator nowhere.json", 1, "nowhere.json");
        row("judge relu.cu --operator nonsense.json", 1, "nonsense.json");
        row("judge relu.cu --operator empty", 1, "has no graph of an operator task");
        row("judge relu.cu --operator whole.json", 1, "it returned the type Long, and the graph says F32");
        row("judge relu.cu --operator constant.json", 1,
            "all elements of y are always 0: a constant would pass");
        row("compare relu.cu relu.cu --matrix 'stencil2d(n=5)'", 1, "cannot be compared on a matrix");
        row("export --program relu.cu --matrix 'stencil2d(n=5)' --out bundle --unverified", 1,
            "cannot be exported yet");
    }
    void refused()
    {
        QFETCH(const QString, words);
        QFETCH(const int, status);
        QFETCH(const QString, reason);
        const auto ran = shell(folder(), "$SPARSERL " + words.toStdString(), 120);
        QVERIFY2(ran.status.code == status, (ran.output + ran.error).c_str());
        QVERIFY2(QString::fromStdString(ran.error).contains(reason), ran.error.c_str());
    }

    /// A program for the other kind gets a verdict.
    void otherKinds()
    {
        const auto sparse = shell(folder(), "$SPARSERL judge spmv.cu --operator relu.json", 120);
        QVERIFY2(sparse.output.find("plan-error") != std::string::npos &&
                     sparse.output.find("the program is for spmv, but operator was asked for") !=
                         std::string::npos,
                 (sparse.output + sparse.error).c_str());
        const auto operation =
            shell(folder(), "$SPARSERL judge relu.cu --matrix 'stencil2d(n=5)' --device sim", 120);
        QVERIFY2(operation.output.find("plan-error") != std::string::npos &&
                     operation.output.find("the program is for operator, but spmv was asked for") !=
                         std::string::npos,
                 (operation.output + operation.error).c_str());
    }

private:
    fs::path folder() const { return m_dir.path().toStdString(); }
    void write(const char* name, const std::string& text) const
    {
        if (const auto written = writeFileAtomic(folder() / name, text); !written)
            qFatal("%s", written.error().sentence().c_str());
    }

    const QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestCliOperatorJudge)
#include "tst_cli_operator_judge.moc"
