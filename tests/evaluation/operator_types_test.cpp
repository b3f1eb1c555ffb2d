// SPDX-License-Identifier: Apache-2.0
// Programs for operators whose tensors are not all in float32: right ones, and wrong ones with the check that
// stops each.
#include "evaluation/cases/operator_target.h"
#include "evaluation/judge/make_judge.h"
#include "judge_one.h"
#include "operator_rows.h"
#include "operator_tasks.h"
#include "simulator_judge.h"

#include <QTest>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

/// A tensor of a graph. `fill` is its JSON text.
struct Typed
{
    std::string name, type;
    std::vector<std::int64_t> shape;
    std::string fill = R"({"normal": [0, 1]})";
};

/// A graph with one call. Values are numbered in the order inputs, output.
OperatorGraph typedCall(const std::string& size, const std::string& op, const std::string& overload,
                        const std::string& arguments, const std::vector<Typed>& inputs, const Typed& output)
{
    nlohmann::json graph, node;
    graph["format"] = 1;
    graph["name"] = op;
    graph["size"] = size;
    node["op"] = "aten::" + op;
    node["arguments"] = nlohmann::json::parse(arguments);
    if (!overload.empty())
        node["overload"] = overload;
    for (const Typed& one : inputs) {
        graph["inputs"].push_back({{"name", one.name},
                                   {"value", graph["values"].size()},
                                   {"fill", nlohmann::json::parse(one.fill)}});
        graph["values"].push_back({one.type, one.shape});
    }
    node["outputs"] = {inputs.size()};
    graph["values"].push_back({output.type, output.shape});
    graph["outputs"] = {{{"name", output.name}, {"value", inputs.size()}}};
    graph["nodes"] = nlohmann::json::array({node});
    auto read = graphFromJson(graph);
    if (!read)
        qFatal("%s", read.error().sentence().c_str());
    return std::move(*read);
}

OperatorTask halfReluTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "relu", "", R"([{"v": 0}])", {{"x", "F16", {m, n}}}, {"y", "F16", {m, n}});
    });
}
OperatorTask halfRowSumTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "sum", "dim_IntList", R"([{"v": 0}, [1]])", {{"x", "F16", {m, n}}},
                         {"y", "F16", {m}});
    });
}
OperatorTask brainBiasTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "add", "Tensor", R"([{"v": 0}, {"v": 1}])",
                         {{"x", "BF16", {m, n}}, {"layer.bias", "BF16", {n}}}, {"y", "BF16", {m, n}});
    });
}
OperatorTask doubleRowSumTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "sum", "dim_IntList", R"([{"v": 0}, [1]])", {{"x", "F64", {m, n}}},
                         {"y", "F64", {m}});
    });
}
OperatorTask intProductTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        const std::string fill = R"({"integers": [-30000, 30000]})";
        return typedCall(size, "mul", "Tensor", R"([{"v": 0}, {"v": 1}])",
                         {{"x", "I32", {m, n}, fill}, {"y", "I32", {m, n}, fill}}, {"z", "I32", {m, n}});
    });
}
OperatorTask longRowSumTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "sum", "dim_IntList", R"([{"v": 0}, [1]])",
                         {{"x", "I64", {m, n}, R"({"integers": [-1000000000000, 1000000000000]})"}},
                         {"y", "I64", {m}});
    });
}
OperatorTask lookupTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "embedding", "", R"([{"v": 0}, {"v": 1}])",
                         {{"table", "F32", {10, n}}, {"index", "I64", {m}, R"({"integers": [0, 10]})"}},
                         {"y", "F32", {m, n}});
    });
}
OperatorTask greatestTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "argmax", "", R"([{"v": 0}, 1, false])", {{"x", "F32", {m, n}}},
                         {"at", "I64", {m}});
    });
}
OperatorTask greaterTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "gt", "Tensor", R"([{"v": 0}, {"v": 1}])",
                         {{"x", "F32", {m, n}}, {"y", "F32", {m, n}}}, {"z", "BOOL", {m, n}});
    });
}
OperatorTask chooseTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return typedCall(size, "where", "self", R"([{"v": 0}, {"v": 1}, {"v": 2}])",
                         {{"which", "BOOL", {m, n}, R"({"integers": [0, 2]})"},
                          {"x", "F32", {m, n}},
                          {"y", "F32", {m, n}}},
                         {"z", "F32", {m, n}});
    });
}
OperatorTask byteXorTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        const std::string fill = R"({"integers": [0, 256]})";
        return typedCall(size, "bitwise_xor", "Tensor", R"([{"v": 0}, {"v": 1}])",
                         {{"x", "U8", {m, n}, fill}, {"y", "U8", {m, n}, fill}}, {"z", "U8", {m, n}});
    });
}

const std::vector<OperatorRow>& programs()
{
    using V = Verdict;
    static const std::vector<OperatorRow> rows = {
        {"f16", "half_relu", halfReluTask},
        {"f16: sum, with an array of that type", "half_row_sum", halfRowSumTask},
        {"bf16", "brain_bias", brainBiasTask},
        {"f64", "double_row_sum", doubleRowSumTask},
        {"i32", "int_product", intProductTask},
        {"i64", "long_row_sum", longRowSumTask},
        {"i64: indices", "lookup", lookupTask},
        {"i64: positions", "greatest", greatestTask},
        {"bool: output", "greater", greaterTask},
        {"bool: input", "choose", chooseTask},
        {"u8", "byte_xor", byteXorTask},

        {"f16: read as floats",
         "half_relu",
         halfReluTask,
         {{"const __half* x", "const float* x"}, {"x[i], __half", "__half(x[i]), __half"}},
         V::OutOfBounds,
         "x"},
        {"f16: written as floats",
         "half_relu",
         halfReluTask,
         {{"__half* y", "float* y"}, {"y[i] = __hmax", "y[i] = (float)__hmax"}},
         V::OutOfBounds,
         ""},
        {"f16: a copy",
         "half_relu",
         halfReluTask,
         {{"__hmax(x[i], __half(0.0f))", "x[i]"}},
         V::WrongResult,
         "out["},
        {"f16: one element left out",
         "half_relu",
         halfReluTask,
         {{"i < count", "i < count - 1"}},
         V::WrongResult,
         "out[959] is NaN"},
        {"f16: beyond the end", "half_relu", halfReluTask, {{"i < count", "i <= count"}}, V::OutOfBounds, ""},
        {"f16: a wide tolerance",
         "half_relu",
         halfReluTask,
         {{"__half(0.0f))", "__half(0.0f)) + __half(0.1f)"}},
         V::WrongResult,
         "within"},
        {"f16: rounded to whole numbers",
         "half_row_sum",
         halfRowSumTask,
         {{"y[blockIdx.x] = __float2half(sum)", "y[blockIdx.x] = __float2half(rintf(sum))"}},
         V::WrongResult,
         "within"},
        {"f16: scratch is not written",
         "half_row_sum",
         halfRowSumTask,
         {{"i < columns; i += 32)\n        partial", "i < columns - 1; i += 32)\n        partial"}},
         V::Uninitialised,
         "partial"},
        {"f16: race",
         "half_row_sum",
         halfRowSumTask,
         {{"if (threadIdx.x == 0)\n        y", "y"}},
         V::Race,
         ""},
        {"bf16: bits of a float16",
         "brain_bias",
         brainBiasTask,
         {{"#include <cuda_bf16.h>", "#include <cuda_bf16.h>\n#include <cuda_fp16.h>"},
          {"= __float2bfloat16(sum)", "= __ushort_as_bfloat16(__half_as_ushort(__float2half(sum)))"}},
         V::WrongResult,
         "out["},
        {"bf16: ignores a tensor",
         "brain_bias",
         brainBiasTask,
         {{" + __bfloat162float(bias[column])", ""}},
         V::WrongResult,
         "out["},
        {"bf16: every other element",
         "brain_bias",
         brainBiasTask,
         {{"if (column < columns)", "if (column < columns && column % 2 == 0)"}},
         V::WrongResult,
         "out[1] is NaN"},
        {"f64: computed in float",
         "double_row_sum",
         doubleRowSumTask,
         {{"    double sum = 0", "    float sum = 0"}},
         V::WrongResult,
         "within"},
        {"f64: written as floats",
         "double_row_sum",
         doubleRowSumTask,
         {{"double* y", "float* y"}},
         V::WrongResult,
         ""},
        {"i32: computed in float",
         "int_product",
         intProductTask,
         {{"x[i] * y[i]", "(int)((float)x[i] * (float)y[i])"}},
         V::WrongResult,
         "out["},
        {"i32: one more",
         "int_product",
         intProductTask,
         {{"x[i] * y[i]", "x[i] * y[i] + 1"}},
         V::WrongResult,
         "out[0] is"},
        {"i32: half of the output",
         "int_product",
         intProductTask,
         {{"i < count", "i < count / 2"}},
         V::WrongResult,
         "out[480] is"},
        {"i32: written as shorts",
         "int_product",
         intProductTask,
         {{"int* out", "short* out"}},
         V::WrongResult,
         "out[0] is"},
        {"i32: changes its input",
         "int_product",
         intProductTask,
         {{"out[i] =", "const_cast<int*>(x)[i] = 0, out[i] ="}},
         V::OutOfBounds,
         "x"},
        {"i64: only 32 bits",
         "long_row_sum",
         longRowSumTask,
         {{"    long long sum = 0", "    int sum = 0"}},
         V::WrongResult,
         "out[0] is"},
        {"i64: computed in double, and one off",
         "long_row_sum",
         longRowSumTask,
         {{"y[blockIdx.x] = sum", "y[blockIdx.x] = (long long)((double)sum + 1)"}},
         V::WrongResult,
         "out[0] is"},
        {"i64: lower words only",
         "long_row_sum",
         longRowSumTask,
         {{"y[blockIdx.x] = sum", "((int*)y)[2 * blockIdx.x] = (int)sum"}},
         V::WrongResult,
         "out[0] is"},
        {"i64: indices read as int",
         "lookup",
         lookupTask,
         {{"const long long* index", "const int* index"}},
         V::WrongResult,
         "out["},
        {"i64: index of the neighbour",
         "lookup",
         lookupTask,
         {{"index[blockIdx.x]", "index[blockIdx.x ^ 1]"}},
         V::WrongResult,
         "out[0] is"},
        {"i64: indices modulo",
         "lookup",
         lookupTask,
         {{"index[blockIdx.x]", "index[blockIdx.x] % 9"}},
         V::WrongResult,
         "out["},
        {"i64: beside the table",
         "lookup",
         lookupTask,
         {{"index[blockIdx.x]", "index[blockIdx.x] + 10"}},
         V::OutOfBounds,
         "table"},
        {"i64: position of the least",
         "greatest",
         greatestTask,
         {{"] > x", "] < x"}},
         V::WrongResult,
         "out[0] is"},
        {"i64: always the first",
         "greatest",
         greatestTask,
         {{"out[row] = at", "out[row] = 0"}},
         V::WrongResult,
         "is 0"},
        {"i64: positions as floats",
         "greatest",
         greatestTask,
         {{"long long* out", "double* out"}},
         V::WrongResult,
         "out[0] is"},
        {"i64: a part of each row",
         "greatest",
         greatestTask,
         {{"i < columns", "i < columns - 3"}},
         V::WrongResult,
         "out["},
        {"bool: the contrary", "greater", greaterTask, {{"] > y", "] < y"}}, V::WrongResult, "out[0] is"},
        {"bool: always true",
         "greater",
         greaterTask,
         {{"x[i] > y[i]", "true"}},
         V::WrongResult,
         "is 1, but should be 0"},
        {"bool: always false",
         "greater",
         greaterTask,
         {{"x[i] > y[i]", "false"}},
         V::WrongResult,
         "is 0, but should be 1"},
        {"bool: true for equal numbers",
         "greater",
         greaterTask,
         {{"x[i] > y[i]", "x[i] >= y[i]"}},
         V::WrongResult,
         "is 1, but should be 0",
         "base, zeros"},
        {"bool: neither 0 nor 1",
         "greater",
         greaterTask,
         {{"bool* out", "unsigned char* out"}, {"x[i] > y[i]", "x[i] > y[i] ? 2 : 0"}},
         V::WrongResult,
         "is 2, but should be 1"},
        {"bool: written as int", "greater", greaterTask, {{"bool* out", "int* out"}}, V::OutOfBounds, ""},
        {"bool: one element left out",
         "greater",
         greaterTask,
         {{"i < count", "i < count - 1"}},
         V::WrongResult,
         "out[959] is"},
        {"bool: ignores the choice",
         "choose",
         chooseTask,
         {{"which[i] ? x[i] : y[i]", "x[i]"}},
         V::WrongResult,
         "out["},
        {"bool: choice of the neighbour",
         "choose",
         chooseTask,
         {{"which[i]", "which[i ^ 1]"}},
         V::WrongResult,
         "out["},
        {"bool: choice read as int",
         "choose",
         chooseTask,
         {{"const bool* which", "const int* which"}},
         V::OutOfBounds,
         "which"},
        {"u8: or instead", "byte_xor", byteXorTask, {{"x[i] ^ y[i]", "x[i] | y[i]"}}, V::WrongResult, "out["},
        {"u8: only seven bits",
         "byte_xor",
         byteXorTask,
         {{"x[i] ^ y[i]", "(x[i] ^ y[i]) & 127"}},
         V::WrongResult,
         "out["},
    };
    return rows;
}

} // namespace

class OperatorTypesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_judge.reset(); }
    void judged_data();
    void judged();
    void wholeNumbersThatNoDoubleHolds();
    void arraysOfMatrices();

private:
    std::unique_ptr<Judge> m_judge;
    std::map<MakeTask, Target> m_targets;
};

void OperatorTypesTest::initTestCase()
{
    m_judge = simulatorJudge();
    QVERIFY(m_judge);
}

void OperatorTypesTest::judged_data()
{
    QTest::addColumn<std::size_t>("index");
    for (std::size_t i = 0; i < programs().size(); ++i)
        QTest::newRow(programs()[i].name) << i;
}

void OperatorTypesTest::judged()
{
    QFETCH(const std::size_t, index);
    const OperatorRow* const row = &programs()[index];
    const std::string text = edited(programText(row->program), row->edits);
    QVERIFY2(!text.empty(), "the program is not there, or an edit does not fit");
    JudgeRequest request;
    request.program = text;
    Target& target = m_targets[row->task];
    if (!target.operation) {
        auto made = operatorTarget(std::make_shared<const OperatorTask>(row->task()));
        QVERIFY2(made.has_value(), made ? "" : made.error().sentence().c_str());
        target = std::move(*made);
    }
    request.target = target;
    request.seed = 1;
    const VerdictRecord record = judgeOne(*m_judge, request);
    const std::string said =
        fmt::format("{} in \"{}\": {}", nameOf(record.verdict), record.batteryCase, record.message);
    QVERIFY2(record.verdict == row->verdict, said.c_str());
    QVERIFY2(record.message.find(row->message) != std::string::npos, said.c_str());
    QVERIFY2(record.batteryCase == row->where, said.c_str());
    QCOMPARE(record.warm.has_value(), row->verdict == Verdict::Correct);
}

/// A comparison would not notice that such a number is one too large.
void OperatorTypesTest::wholeNumbersThatNoDoubleHolds()
{
    auto task = std::make_shared<OperatorTask>(longRowSumTask());
    task->own.graph.inputs[0].fill = Fill{FillKind::Integers, 0, 0x1p52};
    const auto target = operatorTarget(task);
    QVERIFY(target.has_value());
    JudgeRequest request;
    request.target = *target;
    const std::string text = programText("long_row_sum");
    QVERIFY(!text.empty());
    request.program = text;
    JudgeOptions options; // A judge that has not kept the calls of the same task with other numbers.
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    auto judge = makeSimulatorJudge(options);
    QVERIFY(judge.has_value());
    const auto records = (*judge)->judge({request}, {});
    QVERIFY(!records);
    QVERIFY2(records.error().what.find("too large to be compared exactly") != std::string::npos,
             records.error().sentence().c_str());
}

/// The types of operators are not those of matrices.
void OperatorTypesTest::arraysOfMatrices()
{
    JudgeRequest request;
    request.program = "//! task spmv\n//! scratch t bool[rows]\n//! launch k<<<1, 32>>>(x, y, t)\n"
                      "extern \"C\" __global__ void k(const float* x, float* y, bool* t) { y[0] = x[0]; }\n";
    auto made = operatorTarget(std::make_shared<const OperatorTask>(halfReluTask()));
    QVERIFY(made.has_value());
    request.target = *made;
    const VerdictRecord record = judgeOne(*m_judge, request);
    QCOMPARE(record.verdict, Verdict::PlanError);
    QVERIFY2(record.message.find("unknown type 'bool'") != std::string::npos, record.message.c_str());
}

QTEST_GUILESS_MAIN(OperatorTypesTest)
#include "operator_types_test.moc"
