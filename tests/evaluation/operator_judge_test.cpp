// SPDX-License-Identifier: Apache-2.0
// Programs for operators on the simulated device: right ones, and wrong ones with the check that stops each.
#include "evaluation/cases/operator_target.h"
#include "evaluation/judge/make_judge.h"
#include "judge_one.h"
#include "judge_programs.h"
#include "operator_rows.h"
#include "operator_tasks.h"
#include "simulator_judge.h"

#include <QTest>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

const std::vector<OperatorRow>& rightPrograms()
{
    static const std::vector<OperatorRow> rows = {
        {"elementwise", "relu", reluTask},
        {"broadcast", "bias", biasTask},
        {"row reduction", "row_sum", rowSumTask},
        {"row reduction with atomics", "row_sum_atomic", rowSumTask},
        {"column reduction", "column_max", columnMaxTask},
        {"softmax", "softmax", softmaxTask},
        {"layer norm", "layer_norm", layerNormTask},
        {"scan", "scan", scanTask},
        {"transpose", "transpose", transposeTask},
        {"pooling", "pool", poolTask},
        {"tiled matrix product", "matmul", matmulTask},
        {"prepared order, single number", "scale", scaleTask},
    };
    return rows;
}

const std::vector<OperatorRow>& wrongPrograms()
{
    using V = Verdict;
    const char* const relu = "fmaxf(x[i], 0.0f)";
    static const std::vector<OperatorRow> rows = {
        {"constant", "relu", reluTask, {{relu, "0.5f"}}, V::WrongResult, "out[0] is 0.5, but should be"},
        {"zeros", "relu", reluTask, {{relu, "0.0f"}}, V::WrongResult, "is 0, but should be"},
        {"copy of the input", "relu", reluTask, {{relu, "x[i]"}}, V::WrongResult, "but should be 0"},
        {"half of the output",
         "relu",
         reluTask,
         {{"i < count", "i < count / 2"}},
         V::WrongResult,
         "out[480] is NaN, but should be"},
        {"nothing written", "relu", reluTask, {{"i < count", "i < 0"}}, V::WrongResult, "never written"},
        {"every other element",
         "relu",
         reluTask,
         {{"y[i] =", "if (i % 2 == 0) y[i] ="}},
         V::WrongResult,
         "out[1] is NaN"},
        {"wrong axis",
         "row_sum",
         rowSumTask,
         {{"x[blockIdx.x * columns + i]", "x[i * gridDim.x + blockIdx.x]"}},
         V::WrongResult,
         "out[0] is"},
        {"neighbouring row",
         "bias",
         biasTask,
         {{"= x[blockIdx.y * columns", "= x[(blockIdx.y ^ 1) % gridDim.y * columns"}},
         V::WrongResult,
         "out[0] is"},
        {"size in the plan", "relu", reluTask, {{"out, x.numel", "out, 960"}}, V::OutOfBounds, "", "odd1"},
        {"size in the code", "row_sum", rowSumTask, {{"i < columns", "i < 40"}}, V::OutOfBounds, "x", "odd1"},
        {"size required",
         "relu",
         reluTask,
         {{"//! launch", "//! require x.dim(0) == 24\n//! launch"}},
         V::PlanError,
         "the program requires x.dim(0) == 24, which does not hold here",
         "odd1"},
        {"changes its input",
         "relu",
         reluTask,
         {{"y[i] =", "const_cast<float*>(x)[i] = 0, y[i] ="}},
         V::OutOfBounds,
         "x"},
        {"changes a weight",
         "bias",
         biasTask,
         {{"y[blockIdx.y", "const_cast<float*>(bias)[column] = 1, y[blockIdx.y"}},
         V::OutOfBounds,
         "layer.0.bias"},
        {"missing kernel",
         "relu",
         reluTask,
         {{"launch relu", "launch relus"}},
         V::Rejected,
         "the plan launches 'relus'"},
        {"reads doubles",
         "relu",
         reluTask,
         {{"const float* x", "const double* x"}, {relu, "float(x[i])"}},
         V::OutOfBounds,
         "x"},
        {"writes halves",
         "relu",
         reluTask,
         {{"float* y, int", "unsigned short* y, int"}},
         V::WrongResult,
         ""},
        {"sum in another precision",
         "relu",
         reluTask,
         {{relu, "__uint_as_float(__float_as_uint(fmaxf(x[i], 0.0f)) & 0xffff0000u)"}},
         V::WrongResult,
         "within"},
        {"within a wide tolerance",
         "relu",
         reluTask,
         {{relu, "fmaxf(x[i], 0.0f) + 1e-5f"}},
         V::WrongResult,
         "within"},
        {"ignores a weight", "bias", biasTask, {{" + bias[column]", ""}}, V::WrongResult, "out[0] is"},
        {"ignores a number", "scale", scaleTask, {{"*s * x", "x"}}, V::WrongResult, "out["},
        {"beside a number", "scale", scaleTask, {{"*s * x", "s[1] * x"}}, V::OutOfBounds, "s"},
        {"an output left out",
         "layer_norm",
         layerNormTask,
         {{"out1, out2", "out1, out1"}},
         V::PlanError,
         "no launch names the output 'out2'"},
        {"an output of another",
         "layer_norm",
         layerNormTask,
         {{"scales[blockIdx.x] = scale", "scales[blockIdx.x] = mean"}},
         V::WrongResult,
         "out2[0] is"},
        {"unknown name",
         "bias",
         biasTask,
         {{"layer.0.bias", "layer.0.bais"}},
         V::PlanError,
         "the operator has no tensor 'layer.0.bais'; it has layer.0.bias"},
        {"for zeros only",
         "relu",
         reluTask,
         {{relu, "x[i] == 0 ? 1 : fmaxf(x[i], 0.0f)"}},
         V::WrongResult,
         "is 1, but should be 0",
         "base, zeros"},
        {"for usual numbers only",
         "relu",
         reluTask,
         {{relu, "x[i] > 6 ? 6 : fmaxf(x[i], 0.0f)"}},
         V::WrongResult,
         "is 6, but should be",
         "base, inputs times 10"},
        {"for numbers of both signs",
         "column_max",
         columnMaxTask,
         {{"most = x[column]", "most = 0"}, {"row = 1", "row = 0"}},
         V::WrongResult,
         "is 0, but should be -",
         "base, inputs minus 5"},
        {"scratch is not written",
         "softmax",
         softmaxTask,
         {{"//! launch  maxima<<<x.dim(0), 32>>>(x, largest, x.dim(1))\n", ""}},
         V::Uninitialised,
         "largest"},
        {"race",
         "row_sum_atomic",
         rowSumTask,
         {{"atomicAdd(&y[i / columns], x[i])", "y[i / columns] += x[i]"}},
         V::Race,
         ""},
        {"no barrier", "transpose", transposeTask, {{"    __syncthreads();\n", ""}}, V::Race, ""},
        {"reads its output",
         "relu",
         reluTask,
         {{relu, "fmaxf(x[i], 0.0f) + 0 * y[i]"}},
         V::Uninitialised,
         ""},
        {"kept from an earlier call",
         "relu",
         reluTask,
         {{"x.numel)", "x.numel, kept)"},
          {"//! launch", "//! scratch kept f32[x.numel]\n//! launch"},
          {"int count)", "int count, float* kept)"},
          {"y[i] = fmaxf(x[i], 0.0f)", "y[i] = kept[i] = kept[i] == kept[i] ? kept[i] : fmaxf(x[i], 0.0f)"}},
         V::Uninitialised,
         "kept"},
        {"beyond the end", "relu", reluTask, {{"i < count", "i <= count"}}, V::OutOfBounds, ""},
        {"no end",
         "relu",
         reluTask,
         {{"if (i < count)", "for (volatile int k = 1; k != 0;) k = k;\n    if (i < count)"}},
         V::Timeout,
         ""},
        {"too many threads", "relu", reluTask, {{"THREADS = 128", "THREADS = 2048"}}, V::LaunchError, "2048"},
        {"sum of a lane",
         "softmax",
         softmaxTask,
         {{"sum += __shfl_xor_sync(0xffffffff, sum, step)", "sum += 0"}},
         V::WrongResult,
         "out[0] is"},
        {"rows that sum to one",
         "softmax",
         softmaxTask,
         {{"= expf(row[i] - most) / sum", "= 1.0f / columns"}},
         V::WrongResult,
         "out[0] is"},
        {"no epsilon", "layer_norm", layerNormTask, {{" + 1e-5f", ""}}, V::WrongResult, "within"},
        {"another variance",
         "layer_norm",
         layerNormTask,
         {{"/ columns + 1e-5f", "/ (columns - 1) + 1e-5f"}},
         V::WrongResult,
         "out0[0] is"},
        {"weights of each other",
         "layer_norm",
         layerNormTask,
         {{"weight[i] + bias[i]", "bias[i] + weight[i]"}},
         V::WrongResult,
         "out0[0] is"},
        {"scan without its own element",
         "scan",
         scanTask,
         {{"= before + sum", "= before + sum - x[blockIdx.x * columns + i]"}},
         V::WrongResult,
         "out[0] is"},
        {"scan of the first part",
         "scan",
         scanTask,
         {{"        before += __shfl_sync(0xffffffff, sum, 31);\n", ""}},
         V::WrongResult,
         "out[32] is"},
        {"scan of half a warp", "scan", scanTask, {{"step < 32", "step < 16"}}, V::WrongResult, "out[16] is"},
        {"transposed as a square",
         "transpose",
         transposeTask,
         {{"y[toRow * rows", "y[toRow * columns"}},
         V::OutOfBounds,
         "out"},
        {"the first call alone",
         "transpose",
         transposeTask,
         {{"fmaxf(x[row * columns + column], 0.0f)", "x[row * columns + column]"}},
         V::WrongResult,
         "but should be 0"},
        {"largest instead of mean",
         "pool",
         poolTask,
         {{"(at[0] + at[1] + at[columns] + at[columns + 1]) / 4",
           "fmaxf(fmaxf(at[0], at[1]), fmaxf(at[columns], at[columns + 1]))"}},
         V::WrongResult,
         "out[0] is"},
        {"overlapping windows", "pool", poolTask, {{"2 * column;", "column;"}}, V::WrongResult, "out[1] is"},
        {"window of a neighbour", "pool", poolTask, {{"at[1]", "at[2]"}}, V::WrongResult, "out[0] is"},
        {"product without a barrier",
         "matmul",
         matmulTask,
         {{"        __syncthreads();\n", ""}},
         V::Race,
         ""},
        {"whole tiles only",
         "matmul",
         matmulTask,
         {{"start < k", "start + 8 <= k"}},
         V::WrongResult,
         "out[0] is",
         "odd1"},
        {"product with the transpose",
         "matmul",
         matmulTask,
         {{"b[down * n + column]", "b[column * k + down]"}},
         V::WrongResult,
         "out[0] is"},
        {"product in ten bits",
         "matmul",
         matmulTask,
         {{"sum += left[threadIdx.y][i] *",
           "sum += __uint_as_float(__float_as_uint(left[threadIdx.y][i]) & 0xffffe000u) *"}},
         V::WrongResult,
         "within"},
        {"sum that begins with anything",
         "row_sum_atomic",
         rowSumTask,
         {{"//! zero   out\n", ""}},
         V::Uninitialised,
         "out"},
        {"added twice",
         "row_sum_atomic",
         rowSumTask,
         {{"//! launch sums",
           "//! launch sums<<<ceil_div(x.numel, 64), 64>>>(x, out, x.dim(1), x.numel)\n//! launch sums"}},
         V::WrongResult,
         "out[0] is"},
        {"order beyond the end", "scale", scaleTask, {{"count - 1 - i", "count - i"}}, V::OutOfBounds, ""},
        {"half of the order is prepared",
         "scale",
         scaleTask,
         {{"order[i] = count", "if (i % 2 == 0) order[i] = count"}},
         V::Uninitialised,
         "order"},
        {"changes what was prepared",
         "scale",
         scaleTask,
         {{"y[order[i]] =", "const_cast<int*>(order)[i] = i, y[order[i]] ="}},
         V::OutOfBounds,
         "order"},
        {"without the last row",
         "column_max",
         columnMaxTask,
         {{"row < rows", "row < rows - 1"}},
         V::WrongResult,
         "out["},
        {"rows by heart",
         "column_max",
         columnMaxTask,
         {{"row < rows", "row < 24"}},
         V::OutOfBounds,
         "x",
         "odd1"},
        {"one weight for all", "bias", biasTask, {{"bias[column]", "bias[0]"}}, V::WrongResult, "out[1] is"},
        {"right for a size by heart",
         "relu",
         reluTask,
         {{relu, "count == 960 ? fmaxf(x[i], 0.0f) : 0"}},
         V::WrongResult,
         "is 0, but should be",
         "odd1"},
        {"sum of magnitudes",
         "row_sum",
         rowSumTask,
         {{"sum += x[blockIdx.x * columns + i]", "sum += fabsf(x[blockIdx.x * columns + i])"}},
         V::WrongResult,
         "out[0] is"},
        {"kept in a variable",
         "relu",
         reluTask,
         {{"extern \"C\"", "__device__ float kept[2000];\nextern \"C\""},
          {"y[i] = fmaxf(x[i], 0.0f)", "y[i] = kept[i] = kept[i] != 0 ? kept[i] : fmaxf(x[i], 0.0f)"}},
         V::Rejected,
         "kept"},
    };
    return rows;
}

} // namespace

class OperatorJudgeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_judge.reset(); }
    void right_data() { addRows(rightPrograms()); }
    void right();
    void wrong_data() { addRows(wrongPrograms()); }
    void wrong();
    void sameSeedSameRecord();
    void unmeasured();
    void programsOfMatrices();
    void whatCannotBeJudged_data();
    void whatCannotBeJudged();
    void tensorsThatDoNotMatter();
    void outputsThatSayNothing();

private:
    static void addRows(const std::vector<OperatorRow>& rows)
    {
        QTest::addColumn<std::size_t>("index");
        for (std::size_t i = 0; i < rows.size(); ++i)
            QTest::newRow(rows[i].name) << i;
    }
    Target targetOf(MakeTask make)
    {
        auto& target = m_targets[make];
        if (!target.operation) {
            auto made = operatorTarget(std::make_shared<const OperatorTask>(make()));
            if (!made)
                qFatal("%s", made.error().sentence().c_str());
            target = std::move(*made);
        }
        return target;
    }
    VerdictRecord judged(const std::string& program, MakeTask task, bool measured = true)
    {
        JudgeRequest request;
        request.program = program;
        request.target = targetOf(task);
        request.seed = 1;
        request.measured = measured;
        return judgeOne(*m_judge, request);
    }

    std::unique_ptr<Judge> m_judge;
    std::map<MakeTask, Target> m_targets;
};

void OperatorJudgeTest::initTestCase()
{
    m_judge = simulatorJudge();
    QVERIFY(m_judge);
}

void OperatorJudgeTest::right()
{
    QFETCH(const std::size_t, index);
    const OperatorRow* const row = &rightPrograms()[index];
    const std::string text = programText(row->program);
    QVERIFY(!text.empty());
    const VerdictRecord record = judged(text, row->task);
    QVERIFY2(record.verdict == Verdict::Correct,
             fmt::format("{}: {}", nameOf(record.verdict), record.message).c_str());
    QVERIFY(record.warm && record.warm->median > 0 && record.compulsoryBytes > 0);
    QVERIFY(record.boundShare <= 1);
    QCOMPARE(record.baselineMicroseconds, 0.0); // There is none.
}

void OperatorJudgeTest::wrong()
{
    QFETCH(const std::size_t, index);
    const OperatorRow* const row = &wrongPrograms()[index];
    const std::string text = edited(programText(row->program), row->edits);
    QVERIFY2(!text.empty(), "an edit does not fit");
    const VerdictRecord record = judged(text, row->task);
    const std::string said =
        fmt::format("{} in \"{}\": {}", nameOf(record.verdict), record.batteryCase, record.message);
    QVERIFY2(record.verdict == row->verdict, said.c_str());
    QVERIFY2(record.message.find(row->message) != std::string::npos, said.c_str());
    QVERIFY2(record.batteryCase == row->where, said.c_str());
    QVERIFY(!record.warm);
}

void OperatorJudgeTest::sameSeedSameRecord()
{
    const VerdictRecord one = judged(programText("softmax"), softmaxTask);
    const auto judge = simulatorJudge();
    QVERIFY(judge);
    JudgeRequest request;
    request.program = programText("softmax");
    request.target = targetOf(softmaxTask);
    request.seed = 1;
    const VerdictRecord same = judgeOne(*judge, request);
    QCOMPARE(same.warm->median, one.warm->median);
    QCOMPARE(same.boundShare, one.boundShare);
    request.seed = 2;
    const VerdictRecord other = judgeOne(*judge, request);
    QVERIFY(other.verdict == Verdict::Correct && other.boundShare != one.boundShare);
}

void OperatorJudgeTest::unmeasured()
{
    const std::string text = edited(programText("relu"), {{"THREADS = 128", "THREADS = 96"}});
    const VerdictRecord first = judged(text, reluTask, false);
    QVERIFY(first.verdict == Verdict::Correct && !first.warm);
    const VerdictRecord timed = judged(text, reluTask);
    QVERIFY(timed.verdict == Verdict::Correct && timed.warm && timed.boundShare >= first.boundShare);
}

/// A plan is for one kind of target.
void OperatorJudgeTest::programsOfMatrices()
{
    const VerdictRecord record = judged(warpPerRow(), reluTask);
    QCOMPARE(record.verdict, Verdict::PlanError);
    QCOMPARE(record.message, std::string("the program is for spmv, but operator was asked for"));
}

void OperatorJudgeTest::whatCannotBeJudged_data()
{
    QTest::addColumn<int>("change");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no output") << 0 << "the graph has no output";
    QTest::newRow("an input with the name of the output")
        << 1 << "two tensors have the name \"out\" in plans";
    QTest::newRow("a name that no plan has") << 2 << "no plan can name the tensor \"x y\"";
    QTest::newRow("calls that depend on values") << 3 << "depend on the values of its inputs";
    QTest::newRow("a full size") << 4 << "too large for the simulated device";
}

void OperatorJudgeTest::whatCannotBeJudged()
{
    QFETCH(const int, change);
    QFETCH(const QString, reason);
    OperatorGraph graph = reluTask().own.graph;
    if (change == 0)
        graph.outputs.clear();
    else if (change == 1)
        graph.inputs[0].name = "out";
    else if (change == 2)
        graph.inputs[0].name = "x y";
    else if (change == 3)
        graph.dependsOnValues = true;
    else
        graph.values[0].shape = graph.values[1].shape = {8192, 8192};
    const auto signature = signatureOf(graph);
    QVERIFY(!signature);
    QVERIFY2(QString::fromStdString(signature.error().sentence()).contains(reason),
             signature.error().sentence().c_str());
}

/// The counter of a batch norm is no reason to refuse a task.
void OperatorJudgeTest::tensorsThatDoNotMatter()
{
    auto task = std::make_shared<OperatorTask>();
    for (int i = 0; i < 2; ++i) {
        OperatorTask made = reluTask();
        OperatorSize& size = i == 0 ? made.own : made.others.front();
        size.graph.values.push_back({TensorElement::I64, {}, {}});
        size.graph.weights.push_back({"counter", WeightKind::Buffer, 2, Fill{FillKind::Constant, 3}});
        size.graph.values.push_back({TensorElement::I64, {4}, {}});
        size.graph.inputs.push_back({"index", 3, Fill{FillKind::Integers, 0, 3}});
        if (i == 0)
            task->own = size;
        else
            task->others.push_back(size);
    }
    const auto target = operatorTarget(task);
    QVERIFY2(target.has_value(), target ? "" : target.error().sentence().c_str());
    JudgeRequest request;
    request.program = programText("relu");
    request.target = *target;
    const VerdictRecord record = judgeOne(*m_judge, request);
    QVERIFY2(record.verdict == Verdict::Correct, record.message.c_str());
    request.program = edited(programText("relu"), {{"(x, out", "(counter, out"}});
    const VerdictRecord named = judgeOne(*m_judge, request);
    QCOMPARE(named.verdict, Verdict::PlanError);
    QVERIFY2(named.message.find("no tensor 'counter'") != std::string::npos, named.message.c_str());
}

/// Logarithms of negative numbers are no numbers: nothing could be compared with them.
void OperatorJudgeTest::outputsThatSayNothing()
{
    auto task = std::make_shared<OperatorTask>(rowSumTask());
    task->own.graph.inputs[0].fill = Fill{FillKind::Normal, 0, 1, {{FillOperation::Logarithm, 0}}};
    const auto target = operatorTarget(task);
    QVERIFY(target.has_value());
    JudgeOptions options;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    auto judge = makeSimulatorJudge(options);
    QVERIFY(judge.has_value());
    JudgeRequest request;
    request.program = programText("row_sum");
    request.target = *target;
    const auto records = (*judge)->judge({request}, {});
    QVERIFY(!records);
    QVERIFY2(records.error().what.find("almost any program would pass") != std::string::npos,
             records.error().sentence().c_str());
}

QTEST_GUILESS_MAIN(OperatorJudgeTest)
#include "operator_judge_test.moc"
