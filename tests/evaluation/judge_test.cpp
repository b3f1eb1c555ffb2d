// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/rng.h"
#include "base/secret.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/judged_call.h"
#include "evaluation/judge/make_judge.h"
#include "judge_one.h"
#include "judge_programs.h"
#include "machine/cuda_libraries.h"
#include "machine/device_model.h"
#include "tests/drawn_share.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

std::shared_ptr<const Csr> randomMatrix(int rows, int cols, int longest, std::uint64_t seed)
{
    Rng rng(seed);
    Csr m;
    m.rows = rows;
    m.cols = cols;
    for (int row = 0; row < rows; ++row) {
        std::set<std::int32_t> columns;
        for (std::uint64_t i = rng.below(static_cast<std::uint64_t>(longest) + 1); i > 0; --i)
            columns.insert(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(cols))));
        m.col.insert(m.col.end(), columns.begin(), columns.end());
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val = randomVector(m.nnz(), rng);
    return std::make_shared<const Csr>(std::move(m));
}

JudgeRequest requestFor(std::string program, std::shared_ptr<const Csr> matrix, std::uint64_t seed = 1)
{
    JudgeRequest request;
    request.program = std::move(program);
    request.target.id.contents = digest(*matrix);
    request.target.matrix = std::move(matrix);
    request.target.id.name = "test";
    request.seed = seed;
    return request;
}

} // namespace

class JudgeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void correctProgram();
    void verdicts_data();
    void verdicts();
    void correctOnes_data();
    void correctOnes();
    void everyRequestOnce();
    void sameProgramSameNumbers();
    void unmeasuredSaysAllButTheTime_data();
    void unmeasuredSaysAllButTheTime();
    void sameProgramOwnLines();
    void failuresHaveTheirLines();
    void stoppedEarly();
    void cancelled();
    void cancelledFreesItsMatrices();
    void missingParts();
    void missingHeaderIsTheMachines_data();
    void missingHeaderIsTheMachines();
    void emptyAndLargeMatrices();
    void extremeValues_data();
    void extremeValues();
    void paddedProducts();
    void slowProgramsAreMetByFewerFurtherCalls();
    void rulesForSomeValuesHoldOnLargeTargets();
    void manyIdleBlocksAreNoEndlessProgram();

private:
    VerdictRecord judgeOne(const JudgeRequest& request)
    {
        return sparserl::tests::judgeOne(*m_judge, request);
    }
    VerdictRecord judgeQuickly(const JudgeRequest& request)
    {
        return sparserl::tests::judgeOne(*m_quick, request);
    }

    /// Kinds of x make the difference for what is judged, and for nothing that is done with it.
    bool everyKindOf(std::string_view name) const { return m_share.has(name); }

    std::unique_ptr<Judge> m_judge, m_quick; ///< Of verdicts that count, and as in training.
    const test::DrawnShare m_share{4};       ///< Of correct programs: so many meet every kind of x.
    std::shared_ptr<const Csr> m_matrix;
};

void JudgeTest::initTestCase()
{
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    auto judge = makeSimulatorJudge(options);
    QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
    m_judge = std::move(*judge);
    options.everyKind = false; // Where it does not matter how many kinds of x a program meets.
    auto quick = makeSimulatorJudge(options);
    QVERIFY2(quick.has_value(), quick ? "" : quick.error().sentence().c_str());
    m_quick = std::move(*quick);
    m_matrix = randomMatrix(700, 900, 20, 5);
}

void JudgeTest::cleanupTestCase()
{
    m_judge.reset();
    m_quick.reset();
}

void JudgeTest::correctProgram()
{
    auto request = requestFor(warpPerRow(), m_matrix);
    request.lineCounters = true;
    const VerdictRecord r = judgeOne(request);
    QVERIFY2(r.correct(), (std::string(nameOf(r.verdict)) + ": " + r.message + " " + r.log).c_str());
    QVERIFY(r.target.task() == Task::SpMV);
    QCOMPARE(r.device, std::string("simulated h200"));
    QVERIFY(r.simulated);
    QCOMPARE(r.programHash.size(), std::size_t(64));
    QCOMPARE(r.ptxHash.size(), std::size_t(64));
    QCOMPARE(r.target.contents, digest(*m_matrix));
    QVERIFY(r.registers >= 8 && r.registers <= 255);
    QVERIFY(r.warm && r.warm->median > 0 && r.warm->n == 1);
    QVERIFY(r.cold && r.cold->median >= r.warm->median);
    QVERIFY(r.occupancy > 0 && r.occupancy <= 1 && !r.occupancyLimiter.empty());
    QVERIFY(r.baselineMicroseconds > 0 && !r.baselineName.empty() && r.baselineAlgorithm == "CSR");
    QVERIFY(r.speedup() > 0.2 && r.speedup() < 5); // The baseline is of the same kind.
    QVERIFY(r.shareOfLimit > 0 && r.shareOfLimit <= 1);
    // Values, the columns that occur, and y: at least 4 bytes each.
    QVERIFY(r.compulsoryBytes >= 4 * (m_matrix->nnz() + m_matrix->rows));
    QVERIFY(r.judgeSeconds > 0);
    QVERIFY(!r.lines.empty());
    // The inner loop, line 8 of the text, is where the time goes.
    const auto busiest = std::max_element(r.lines.begin(), r.lines.end(), [](const auto& a, const auto& b) {
        return a.globalSectors < b.globalSectors;
    });
    QCOMPARE(busiest->line, 8);
}

void JudgeTest::verdicts_data()
{
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<QByteArray>("verdict");
    QTest::addColumn<int>("line");
    QTest::addColumn<bool>("where"); // Names block and thread.
    const auto row = [](const char* name, const std::string& program, const char* verdict, int line,
                        bool where) {
        QTest::newRow(name) << QByteArray::fromStdString(program) << QByteArray(verdict) << line << where;
    };
    const std::string good = "    if (row < rows) y[row] = s;";
    row("no plan", "int x;\n", "plan-error", 1, false);
    row("unknown array",
        "//! task spmv\n//! launch k<<<1, 1>>>(csr.values, y)\nextern \"C\" __global__ void k(float* a, "
        "float* y) {}\n",
        "plan-error", 2, false);
    row("too few arguments",
        "//! task spmv\n//! launch k<<<1, 1>>>(x)\nextern \"C\" __global__ void k(const float* x, float* y) "
        "{ y[0] = x[0]; }\n",
        "plan-error", 2, false);
    const auto scaled = [](const char* parameter, const char* argument) {
        return fmt::format("//! task spmv\n//! zero y\n"
                           "//! launch k<<<ceil_div(nnz, 64), 64>>>(nnz, {}, y)\n"
                           "extern \"C\" __global__ void k(int n, {}, float* y) {{ if (n < 0) y[0] = f; }}\n",
                           argument, parameter);
    };
    row("real into an integer", scaled("int f", "0.5f"), "plan-error", 3, false);
    row("real into a double", scaled("double f", "0.5f"), "plan-error", 3, false);
    row("integer into a real", scaled("float f", "1"), "plan-error", 3, false);
    row("real without a type", scaled("float f", "0.5"), "plan-error", 3, false);
    row("real that does not fit", scaled("float f", "1e39f"), "plan-error", 3, false);
    row("wrong task",
        "//! task spmm\n//! launch k<<<1, 1>>>(C)\nextern \"C\" __global__ void k(float* y) { y[0] = 1; }\n",
        "plan-error", 0, false);
    row("syntax error", threadPerRow("    if (row < rows) y[row] = missing;"), "compile-error", 7, false);
    row("too much static shared memory",
        threadPerRow("    __shared__ float big[100000]; big[threadIdx.x] = s; __syncthreads(); if (row < "
                     "rows) y[row] = big[threadIdx.x];"),
        "assemble-error", 0, false);
    row("clock", threadPerRow("    if (row < rows) y[row] = s + 0 * clock();"), "rejected", 7, false);
    row("include", threadPerRow(good, {}, "#include \"/etc/hostname\"\n"), "rejected", 3, false);
    row("too much constant memory",
        threadPerRow("    if (row < rows) y[row] = s + 0 * table[row];", {},
                     "__constant__ float table[20000] = {1};\n"),
        "rejected", 0, false);
    row("too much local memory",
        threadPerRow("    float big[200000]; for (int i = 0; i < rows; ++i) big[i * 7 % 200000] = s + i;\n"
                     "    if (row < rows) y[row] = s + 0 * big[row * 7];"),
        "launch-error", 2, false);
    row("too much scratch memory",
        threadPerRow("    if (row < rows) y[row] = s;", "//! scratch big f32[rows * 1000000]\n"),
        "launch-error", 2, false);
    row("block too large",
        "//! task spmv\n//! launch k<<<rows, 2048>>>(y)\nextern \"C\" __global__ void k(float* y) { "
        "y[blockIdx.x] = 0; }\n",
        "launch-error", 2, false);
    row("too much dynamic shared memory",
        "//! task spmv\n//! launch k<<<rows, 32, 400000>>>(y)\nextern \"C\" __global__ void k(float* y) { "
        "y[blockIdx.x] = 0; }\n",
        "launch-error", 2, false);
    row("unguarded store", threadPerRow("    y[row] = s;"), "out-of-bounds", 7, true);
    row("store to x", threadPerRow("    if (row < rows) { ((float*)x)[0] = 0; y[row] = s; }"),
        "out-of-bounds", 7, true);
    row("uninitialised shared memory",
        threadPerRow("    __shared__ float t[64];\n    if (threadIdx.x < 3) t[threadIdx.x] = s;\n    "
                     "__syncthreads();\n"
                     "    if (row < rows) y[row] = s + 0 * t[threadIdx.x];"),
        "uninitialised", 10, true);
    row("shared memory without barrier",
        threadPerRow(
            "    __shared__ float t[64];\n    t[threadIdx.x] = 0; __syncthreads();\n    t[threadIdx.x] = s;\n"
            "    float u = t[threadIdx.x ^ 33];\n    if (row < rows) y[row] = s + 0 * u;"),
        "race", 9, true);
    row("rows added without atomics",
        "//! task spmv\n//! zero y\n//! launch k<<<rows, 64>>>(csr.row_ptr, csr.col, csr.val, x, y)\n"
        "extern \"C\" __global__ void k(const int* p, const int* c, const float* v, const float* x, float* "
        "y) {\n"
        "    int r = blockIdx.x;\n    for (int k = p[r] + threadIdx.x; k < p[r + 1]; k += 64)\n        y[r] "
        "+= v[k] * x[c[k]];\n}\n",
        "race", 7, true);
    row("divergent barrier", threadPerRow("    if (threadIdx.x < 40) __syncthreads();\n" + good),
        "sync-error", 7, true);
    row("wrong shuffle mask",
        threadPerRow("    if (threadIdx.x % 2) s += 0 * __shfl_xor_sync(0xffffffffu, s, 2);\n" + good),
        "sync-error", 7, true);
    row("endless", threadPerRow("    for (volatile int i = 0; i >= 0; i = 0) { }\n" + good), "timeout", 7,
        true);
    row("scaled", threadPerRow("    if (row < rows) y[row] = s * 1.0001f;"), "wrong-result", 0, false);
    row("not all rows", threadPerRow("    if (row < rows && row != 3) y[row] = s;"), "wrong-result", 0,
        false);
    row("NaN in a row",
        threadPerRow("    if (row < rows) y[row] = row == 3 ? __int_as_float(0x7fc00000) : s;"),
        "wrong-result", 0, false);
    row("infinite in a row",
        threadPerRow("    if (row < rows) y[row] = row == 3 ? -__int_as_float(0x7f800000) : s;"),
        "wrong-result", 0, false);
    row("adds a constant", threadPerRow("    if (row < rows) y[row] = s + 1e-30f;"), "wrong-result", 0,
        false);
    row("diagonals of a scattered matrix",
        "//! task spmv\n//! format dia\n//! launch k<<<ceil_div(rows, 64), 64>>>(rows, cols, dia.diagonals, "
        "dia.offset, dia.val, x, y)\n"
        "extern \"C\" __global__ void k(int rows, int cols, int n, const int* off, const float* val, const "
        "float* x, float* y) {\n"
        "    int r = blockIdx.x * 64 + threadIdx.x;\n    if (r >= rows) return;\n    float s = 0;\n"
        "    for (int d = 0; d < n; ++d) { int c = r + off[d]; if (c >= 0 && c < cols) s += val[d * rows + "
        "r] * x[c]; }\n    y[r] = s;\n}\n",
        "format-error", 2, false);
}

void JudgeTest::verdicts()
{
    QFETCH(QByteArray, program);
    QFETCH(QByteArray, verdict);
    QFETCH(int, line);
    QFETCH(bool, where);
    const VerdictRecord r = judgeOne(requestFor(program.toStdString(), m_matrix));
    const std::string told =
        std::string(nameOf(r.verdict)) + " line " + std::to_string(r.line) + ": " + r.message;
    qInfo("%s", told.c_str());
    QVERIFY2(nameOf(r.verdict) == verdict.toStdString(), told.c_str());
    QVERIFY2(r.line == line, told.c_str());
    QCOMPARE(r.block.has_value() && r.thread.has_value(), where);
    QVERIFY(!r.message.empty());
    QVERIFY(!r.warm);
    const QByteArray tag = QTest::currentDataTag();
    QCOMPARE(r.flags.has(VerdictFlag::OutOfMemory), tag.startsWith("too much"));
    QCOMPARE(listedFlags(r).has(VerdictFlag::NotFinite), tag.endsWith("in a row") || tag == "not all rows");
    QVERIFY(!r.flags.has(VerdictFlag::NotFinite)); // It is the record's numbers that say so.
    auto unmeasured = requestFor(program.toStdString(), m_matrix);
    unmeasured.measured = false;
    const VerdictRecord checked = judgeOne(unmeasured);
    QVERIFY(checked.flags == r.flags);
    QVERIFY(checked.verdict == r.verdict && checked.line == r.line && checked.message == r.message);
    if (verdict == "wrong-result")
        QVERIFY(r.wrong.has_value());
    if (verdict == "compile-error")
        QVERIFY(r.log.find("missing") != std::string::npos);
}

void JudgeTest::correctOnes_data()
{
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<bool>("nondeterministic");
    const auto row = [](const char* name, const std::string& program, bool nondeterministic = false) {
        QTest::newRow(name) << QByteArray::fromStdString(program) << nondeterministic;
    };
    row("thread per row", threadPerRow("    if (row < rows) y[row] = s;"));
    row("staging with __syncwarp", R"(//! task spmv
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* p, const int* c, const float* v, const float* x, float* y) {
    __shared__ float t[128];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, r = blockIdx.x * 4 + w;
    if (r >= rows) return;
    float s = 0;
    for (int b = p[r]; b < p[r + 1]; b += 32) {
        int n = min(32, p[r + 1] - b);
        if (lane < n) t[w * 32 + lane] = v[b + lane] * x[c[b + lane]];
        __syncwarp();
        if (lane == 0) for (int i = 0; i < n; ++i) s += t[w * 32 + i];
        __syncwarp();
    }
    if (lane == 0) y[r] = s;
}
)");
    // Doubled and halved again, which loses nothing.
    row("real arguments", R"(//! task spmv
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, 2.0f, csr.row_ptr, csr.col, csr.val, x, -0.5f, y)
extern "C" __global__ void k(int rows, float share, const int* p, const int* c, const float* v, const float* x,
                             float factor, float* y) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int k = p[r]; k < p[r + 1]; ++k) s += share * v[k] * x[c[k]];
    y[r] = -factor * s;
}
)");
    row("last block reduces", R"(//! task spmv
//! scratch partial f32[rows * 4]
//! scratch count i32[rows] zero
//! launch k<<<dim3(rows, 4), 32>>>(csr.row_ptr, csr.col, csr.val, x, partial, count, y)
extern "C" __global__ void k(const int* p, const int* c, const float* v, const float* x, float* partial, int* count, float* y) {
    int r = blockIdx.x, lane = threadIdx.x;
    float s = 0;
    for (int k = p[r] + blockIdx.y * 32 + lane; k < p[r + 1]; k += 128) s += v[k] * x[c[k]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
    __shared__ bool last;
    if (lane == 0) {
        partial[r * 4 + blockIdx.y] = s;
        __threadfence();
        last = atomicAdd(&count[r], 1) == 3;
    }
    __syncthreads();
    if (last && lane == 0) {
        __threadfence();
        float t = 0;
        for (int i = 0; i < 4; ++i) t += ((volatile float*)partial)[r * 4 + i];
        y[r] = t;
    }
}
)");
    row("float atomics", R"(//! task spmv
//! format coo
//! zero y
//! launch k<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)
extern "C" __global__ void k(int nnz, const int* r, const int* c, const float* v, const float* x, float* y) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < nnz) atomicAdd(&y[r[i]], v[i] * x[c[i]]);
}
)",
        true);
}

void JudgeTest::correctOnes()
{
    QFETCH(QByteArray, program);
    QFETCH(bool, nondeterministic);
    const auto request = requestFor(program.toStdString(), m_matrix);
    const VerdictRecord r = everyKindOf(QTest::currentDataTag()) ? judgeOne(request) : judgeQuickly(request);
    QVERIFY2(r.correct(),
             (std::string(nameOf(r.verdict)) + " line " + std::to_string(r.line) + ": " + r.message).c_str());
    const bool flagged = r.flags.has(VerdictFlag::Nondeterministic);
    if (!nondeterministic)
        QVERIFY(!flagged);
}

void JudgeTest::everyRequestOnce()
{
    std::vector<JudgeRequest> requests;
    const auto other = randomMatrix(130, 70, 9, 8);
    for (int i = 0; i < 40; ++i)
        requests.push_back(requestFor(i % 4 == 0 ? threadPerRow("    y[row] = s; //" + std::to_string(i / 8))
                                      : i % 4 == 1 ? warpPerRow("// " + std::to_string(i / 12) + "\n")
                                      : i % 4 == 2 ? std::string("nonsense")
                                                   : warpPerRow(),
                                      i % 3 ? m_matrix : other, static_cast<std::uint64_t>(i % 5)));
    std::vector<int> seen(requests.size());
    const auto records = m_quick->judge(requests, {}, [&](std::size_t index, const VerdictRecord& r) {
        ++seen.at(index);
        QCOMPARE(r.seed, requests[index].seed);
    });
    QVERIFY(records.has_value());
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto& r = records->at(i);
        QCOMPARE(r.target.contents, requests[i].target.id.contents);
        QCOMPARE(r.verdict, i % 4 == 0   ? Verdict::OutOfBounds
                            : i % 4 == 2 ? Verdict::PlanError
                                         : Verdict::Correct);
    }
    QVERIFY(m_quick->judge({}, {}).has_value());
}

void JudgeTest::unmeasuredSaysAllButTheTime_data()
{
    QTest::addColumn<bool>("large");
    QTest::newRow("the checks count too") << false;
    QTest::newRow("beyond the full checks") << true;
}

/// A program that is checked now and measured later has the record of one that was measured at once.
void JudgeTest::unmeasuredSaysAllButTheTime()
{
    QFETCH(bool, large);
    const auto make = [&] {
        JudgeOptions options;
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        options.compileRunners = options.simRunners = 1;
        options.metrics = std::make_shared<JudgeMetrics>();
        options.secretSeed = 8;
        options.everyKind = everyKindOf(large ? "unmeasured, large" : "unmeasured");
        if (large)
            options.fullCheckNnz = 1;
        auto judge = makeSimulatorJudge(options);
        return std::make_pair(judge ? std::move(*judge) : nullptr, options.metrics);
    };
    const auto [atOnce, ignored] = make();
    const auto [judge, metrics] = make();
    QVERIFY(atOnce && judge);
    auto text = threadPerRow(
        "    __shared__ float t[64]; t[threadIdx.x] = s;\n    if (row < rows) y[row] = t[threadIdx.x];");
    text.replace(text.find("64>>>"), 5, "64, 1600>>>");
    auto request = requestFor(text, m_matrix);
    auto whole = atOnce->judge({request}, {});
    request.measured = false;
    auto checked = judge->judge({request}, {});
    QVERIFY(whole && checked);
    const auto simulated = metrics->simulated;
    request.measured = true;
    auto later = judge->judge({request}, {});
    QVERIFY(later && (*whole)[0].correct() && (*whole)[0].warm);
    QCOMPARE(metrics->simulated - simulated, std::int64_t(1)); // its time alone
    QVERIFY((*checked)[0].correct() && !(*checked)[0].warm && !(*checked)[0].cold);
    QCOMPARE((*checked)[0].speedup(), 0.0);
    QCOMPARE((*checked)[0].baselineMicroseconds, (*whole)[0].baselineMicroseconds);
    for (auto* record : {&(*whole)[0], &(*later)[0], &(*checked)[0]})
        record->judgeSeconds = 0;
    QCOMPARE(QByteArray::fromStdString(toJson((*later)[0]).dump()),
             QByteArray::fromStdString(toJson((*whole)[0]).dump()));
    QVERIFY((*checked)[0].boundShare <= (*whole)[0].boundShare); // which had one more run
    QCOMPARE((*checked)[0].registers, (*whole)[0].registers);
    // Rewards know the memory that a launch takes.
    QCOMPARE((*whole)[0].dynamicShared, std::int64_t(1600));
    QCOMPARE((*checked)[0].dynamicShared, (*whole)[0].dynamicShared);
    QCOMPARE((*checked)[0].staticShared, (*whole)[0].staticShared);
}

void JudgeTest::sameProgramSameNumbers()
{
    const auto first = judgeQuickly(requestFor(warpPerRow(), m_matrix, 3));
    // The same program under other names is the same PTX, and a judge of its own finds the same numbers.
    const auto renamed = judgeQuickly(requestFor(warpPerRow("// a comment\n"), m_matrix, 3));
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.simRunners = 1;
    options.everyKind = false;
    auto judge = makeSimulatorJudge(options);
    QVERIFY(judge.has_value());
    const auto again = (*judge)->judge({requestFor(warpPerRow(), m_matrix, 3)}, {});
    QVERIFY(again.has_value());
    QVERIFY(first.correct() && renamed.correct() && again->at(0).correct());
    QCOMPARE(renamed.ptxHash, first.ptxHash);
    QVERIFY(renamed.programHash != first.programHash);
    for (const auto* r : {&renamed, &again->at(0)}) {
        QCOMPARE(r->warm->median, first.warm->median);
        QCOMPARE(r->cold->median, first.cold->median);
        QCOMPARE(r->baselineMicroseconds, first.baselineMicroseconds);
        QCOMPARE(r->setupMicroseconds, first.setupMicroseconds);
    }
}

/// Programs that differ in comments only are run once, but a failure names the lines of each text.
void JudgeTest::sameProgramOwnLines()
{
    std::vector<JudgeRequest> requests;
    for (const char* before : {"", "// one\n", "// one\n// two\n"})
        for (const char* wrong : {"    y[row] = s;", "    if (row < rows && row != 690) y[row] = s;"})
            requests.push_back(requestFor(threadPerRow(wrong, {}, before), m_matrix, 77));
    for (int round = 0; round < 2; ++round) {
        const auto records = m_quick->judge(requests, {});
        QVERIFY(records.has_value());
        for (std::size_t i = 0; i < requests.size(); i += 2) {
            QCOMPARE(records->at(i).verdict, Verdict::OutOfBounds);
            QCOMPARE(records->at(i).line, 7 + static_cast<int>(i / 2));
            QCOMPARE(records->at(i).ptxHash, records->at(0).ptxHash);
            // Wrong on the target only.
            QCOMPARE(records->at(i + 1).verdict, Verdict::WrongResult);
            QVERIFY(records->at(i + 1).batteryCase.empty());
            QCOMPARE(records->at(i + 1).wrong->row, std::int64_t(690));
        }
    }
}

/// Where counters per line are asked for, a program that fails on a test shape has those of what ran of it.
void JudgeTest::failuresHaveTheirLines()
{
    for (const bool asked : {true, false}) {
        for (const char* wrong : {"    y[row] = s;", "    if (row < rows) y[row] = s + 1;"}) {
            auto request = requestFor(threadPerRow(wrong), m_matrix, 78);
            request.lineCounters = asked;
            const auto r = judgeOne(request);
            QVERIFY(r.verdict == Verdict::OutOfBounds || r.verdict == Verdict::WrongResult);
            QVERIFY(!r.batteryCase.empty());
            std::int64_t instructions = 0;
            for (const LineCounters& line : r.lines)
                instructions += static_cast<std::int64_t>(line.warpInstructions);
            QCOMPARE(instructions > 0, asked);
            QCOMPARE(r.lines.empty(), !asked);
        }
    }
}

void JudgeTest::stoppedEarly()
{
    auto request = requestFor("anything", m_matrix);
    request.stoppedEarly = true;
    request.stopReason = "'q' is not declared";
    const auto r = judgeOne(request);
    QCOMPARE(r.verdict, Verdict::StoppedEarly);
    QCOMPARE(r.message, request.stopReason);
}

void JudgeTest::cancelled()
{
    CancelToken cancel;
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < 20; ++i)
        requests.push_back(
            requestFor(warpPerRow("// cancel " + std::to_string(i) + "\n__constant__ float t[2] = {1, " +
                                  std::to_string(i) + "};\n"),
                       m_matrix));
    int seen = 0;
    const auto records = m_quick->judge(requests, cancel, [&](std::size_t, const VerdictRecord&) {
        if (++seen == 3)
            cancel.cancel();
    });
    QVERIFY(!records.has_value());
    QVERIFY(seen < 20);
    // The judge goes on working afterwards.
    QVERIFY(judgeQuickly(requests.back()).correct());
}

void JudgeTest::cancelledFreesItsMatrices()
{
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.everyKind = false;
    auto judge = makeSimulatorJudge(options);
    QVERIFY(judge.has_value());
    auto matrix = randomMatrix(300, 200, 9, 6);
    const std::weak_ptr<const Csr> watched = matrix;
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < 40; ++i) // More than are in work at a time.
        requests.push_back(
            requestFor(warpPerRow("__constant__ float t[2] = {1, " + std::to_string(i) + "};\n"), matrix));
    requests.insert(requests.begin(), requests.front());
    requests.front().stoppedEarly = true; // Ends at once, while all others wait for their compilation.
    matrix.reset();
    for (int round = 0; round < 2; ++round) {
        CancelToken cancel;
        const auto answer =
            (*judge)->judge(requests, cancel, [&](std::size_t, const VerdictRecord&) { cancel.cancel(); });
        QVERIFY(!answer.has_value());
        if (round == 0)
            requests.erase(
                requests.begin()); // Then once more when the first has a verdict, and others wait for theirs.
    }
    requests.clear();
    judge->reset();
    QVERIFY(watched.expired());
}

void JudgeTest::missingParts()
{
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = "/nowhere/sparserl-runner";
    auto judge = makeSimulatorJudge(options);
    QVERIFY(!judge.has_value());
    QVERIFY(judge.error().what.find("/nowhere/sparserl-runner") != std::string::npos);
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.everyKind = false;
    options.deviceModel = "v100";
    judge = makeSimulatorJudge(options);
    QVERIFY(!judge.has_value());
    QVERIFY(judge.error().remedy.find("h200") != std::string::npos);
    // A model of the user's own, which runners cannot read from a file.
    DeviceModel slow = *findDeviceModel("h200");
    slow.name = "mine";
    slow.launchMicroseconds += 100;
    const QTemporaryDir folder;
    options.deviceModel = folder.filePath(QStringLiteral("mine.toml")).toStdString();
    {
        std::ofstream file(options.deviceModel);
        file << toToml(slow);
    }
    judge = makeSimulatorJudge(options);
    QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
    const auto mine = (*judge)->judge({requestFor(warpPerRow(), m_matrix, 3)}, {});
    QVERIFY(mine && mine->at(0).correct());
    QCOMPARE(mine->at(0).device, std::string("simulated mine"));
    QVERIFY(mine->at(0).warm->median > 100);
    // A runner that cannot start at all.
    options.deviceModel = "h200";
    options.runnerPath = "/bin/false";
    judge = makeSimulatorJudge(options);
    QVERIFY(!judge.has_value());
    QVERIFY(judge.error().what.find("cannot start") != std::string::npos);
}

void JudgeTest::missingHeaderIsTheMachines_data()
{
    QTest::addColumn<QByteArray>("missing"); // Below the folder of headers.
    QTest::addColumn<QByteArray>("included");
    QTest::newRow("itself") << QByteArray("mma.h") << QByteArray("mma.h");
    QTest::newRow("what it includes") << QByteArray("crt/mma.h") << QByteArray("mma.h");
    QTest::newRow("another one") << QByteArray("cuda_fp16.h") << QByteArray("cuda_fp16.h");
}

/// A header of the toolkit that is not installed stops the programs that ask for it, with no verdict on them,
/// and no others.
void JudgeTest::missingHeaderIsTheMachines()
{
    namespace fs = std::filesystem;
    QFETCH(QByteArray, missing);
    QFETCH(QByteArray, included);
    fs::path library;
    for (const auto& folder : cudaLibraryFolders())
        if (library.empty() && fs::exists(folder / "libnvrtc.so.13"))
            library = folder;
    if (library.empty())
        QSKIP("libnvrtc is not in a folder of its own here");
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString(), real = library.parent_path() / "include";
    const auto link = [](const fs::path& from, const fs::path& to) {
        fs::create_directories(to);
        for (const auto& entry : fs::directory_iterator(from))
            fs::create_symlink(entry.path(), to / entry.path().filename());
    };
    link(library, root / "lib");
    link(real, root / "include");
    fs::remove(root / "include" / "crt");
    link(real / "crt", root / "include" / "crt");
    if (!fs::remove(root / "include" / missing.toStdString()))
        QSKIP("the header is not here in any case");
    const QByteArray before = qgetenv("SPARSERL_CUDA_DIR");
    qputenv("SPARSERL_CUDA_DIR", folder.path().toUtf8());
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.everyKind = false;
    const auto judge = makeSimulatorJudge(options);
    QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
    const std::string include = "#include <" + included.toStdString() + ">\n";
    const auto records =
        (*judge)->judge({requestFor(warpPerRow(include), m_matrix), requestFor(warpPerRow(), m_matrix),
                         requestFor(warpPerRow("#include <stdint.h>\n"), m_matrix)},
                        {});
    before.isNull() ? qunsetenv("SPARSERL_CUDA_DIR") : qputenv("SPARSERL_CUDA_DIR", before);
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    QCOMPARE(records->at(0).verdict, Verdict::MachineError);
    QVERIFY2(records->at(0).message.find("<" + missing.toStdString() +
                                         "> is not installed on this machine") != std::string::npos,
             records->at(0).message.c_str());
    QVERIFY(records->at(1).correct() && records->at(2).correct());
}

void JudgeTest::emptyAndLargeMatrices()
{
    Csr none;
    none.rows = 5;
    none.cols = 3;
    none.rowPtr.assign(6, 0);
    const auto empty = judgeQuickly(requestFor(warpPerRow(), std::make_shared<const Csr>(none)));
    QVERIFY2(empty.correct(), empty.message.c_str());
    Csr wide;
    wide.rows = 2;
    wide.cols = 200'000;
    for (std::int32_t i = 0; i < wide.cols; ++i)
        wide.col.push_back(i);
    wide.rowPtr = {0, 0, wide.cols};
    wide.val.assign(wide.col.size(), 0.25f);
    const auto large = judgeQuickly(requestFor(warpPerRow(), std::make_shared<const Csr>(wide)));
    QVERIFY2(large.correct(), large.message.c_str());
}

void JudgeTest::extremeValues_data()
{
    QTest::addColumn<int>("values");
    // Of each kind one by lot, and others.
    const std::pair<std::string, std::string> rows[] = {{"large", "an entry of 3.4e38"},
                                                        {"large", "all of 3e38"},
                                                        {"small", "subnormal"},
                                                        {"both", "1e-38 beside 1e38"},
                                                        {"small", "the smallest number"}};
    const std::set<std::string> ofEach = m_share.oneOfEach(rows);
    for (int i = 0; i < 5; ++i)
        if (ofEach.contains(rows[i].second) || m_share.has(rows[i].second))
            QTest::newRow(rows[i].second.c_str()) << i;
}

/// Right programs are right whatever the values, with every secret, and so is what they are compared with.
void JudgeTest::extremeValues()
{
    QFETCH(int, values);
    Csr extreme = *randomMatrix(130, 170, 20, 5);
    for (std::size_t i = 0; i < extreme.val.size(); ++i) {
        float& v = extreme.val[i];
        if (values == 0 && i == 77)
            v = 3.4e38f;
        if (values == 1)
            v = std::copysign(3e38f, v);
        if (values == 2)
            v *= 0x1p-130f;
        if (values == 3)
            v *= i % 2 ? 1e-38f : 1e38f;
        if (values == 4)
            v = std::copysign(0x1p-149f, v);
    }
    const auto matrix = std::make_shared<const Csr>(std::move(extreme));
    JudgeOptions options;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    const bool everything = m_share.everything();
    for (std::uint64_t number = 1; number <= (everything ? 6 : 1); ++number) {
        const std::uint64_t secret = everything ? number : drawSecret();
        qInfo("secret %llu", static_cast<unsigned long long>(secret));
        options.secretSeed = secret;
        auto judge = makeSimulatorJudge(options);
        QVERIFY(judge.has_value());
        const std::string atomics =
            "//! task spmv\n//! format coo\n//! zero y\n"
            "//! launch k<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)\n"
            "extern \"C\" __global__ void k(int n, const int* r, const int* c, const float* v, "
            "const float* x, float* y) {\n"
            "    int i = blockIdx.x * 128 + threadIdx.x;\n"
            "    if (i < n) atomicAdd(y + r[i], v[i] * x[c[i]]);\n}\n";
        const auto records =
            (*judge)->judge({requestFor(warpPerRow(), matrix, secret), requestFor(atomics, matrix, secret),
                             requestFor(threadPerRow("    if (row < rows) y[row] = 0 * s;"), matrix, secret),
                             requestFor(warpPerRow(), randomMatrix(90, 80, 9, 6), secret)},
                            {});
        QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
        for (const std::size_t i : {std::size_t(0), std::size_t(1), std::size_t(3)})
            QVERIFY2((*records)[i].correct() && (*records)[i].baselineMicroseconds > 0,
                     (*records)[i].message.c_str());
        QVERIFY((*records)[2].verdict == Verdict::WrongResult);
    }
}

/// A format that pads is walked over whole: honest programs must not time out.
void JudgeTest::paddedProducts()
{
    Rng rng(3);
    Csr m;
    m.rows = 600;
    m.cols = 2000;
    for (std::int32_t row = 0; row < m.rows; ++row) {
        for (std::int32_t i = 0; i < (row == 444 ? 1200 : 2); ++i)
            m.col.push_back(row == 444 ? i : (row + 700 * i) % 1999);
        std::sort(m.col.end() - (row == 444 ? 1200 : 2), m.col.end());
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val = randomVector(m.nnz(), rng);
    const auto matrix = std::make_shared<const Csr>(std::move(m));
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.everyKind = false;
    auto judge = makeSimulatorJudge(options);
    QVERIFY(judge.has_value());
    const std::string ell = R"(//! task spmm
//! format ell
//! launch k<<<rows, 32>>>(rows, ell.width, dense_cols, ell.col, ell.val, B, C)
extern "C" __global__ void k(int rows, int width, int n, const int* col, const float* val, const float* B, float* C) {
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < n; c += 32) {
        float s = 0;
        for (int i = 0; i < width; ++i) {
            int at = i * rows + r, k = col[at];
            if (k >= 0) s += val[at] * B[(long long)k * n + c];
        }
        C[(long long)r * n + c] = s;
    }
}
)";
    for (const std::int64_t columns : {2, 8}) {
        auto request = requestFor(ell, matrix);
        request.target.id.variant.columns = columns;
        request.measured = false;
        const auto records = (*judge)->judge({request}, {});
        QVERIFY(records.has_value());
        const VerdictRecord& r = records->at(0);
        QVERIFY2(r.correct(), (std::string(nameOf(r.verdict)) + ": " + r.message).c_str());
    }
    // A target in another element type than the program's gets a sentence, not a verdict in the program's.
    auto exact = requestFor(ell, matrix);
    exact.target.id.variant = {8, ElementType::F64};
    const auto other = (*judge)->judge({exact}, {});
    QVERIFY(other.has_value());
    QVERIFY(!other->at(0).correct());
    QVERIFY2(other->at(0).message.find("f64") != std::string::npos, other->at(0).message.c_str());
}

/// What a judgement that counts spends on further calls is limited: a usual program meets all kinds with
/// every check, a slow one some of them, and the others without.
void JudgeTest::slowProgramsAreMetByFewerFurtherCalls()
{
    struct Met
    {
        std::set<InputKind> kinds;
        int checked = 0, unchecked = 0, changed = 0;
    };
    const auto met = [&](int repeats) {
        Met counts;
        const auto observer = std::make_shared<JudgeObserver>();
        observer->scratch = "seen";
        observer->call = [&](const JudgedCall& call) {
            if (!call.target)
                return;
            counts.kinds.insert(call.kind);
            (call.checks == Checks::All ? counts.checked : counts.unchecked) += 1;
            counts.changed += call.values == CaseValues::Changed;
        };
        JudgeOptions options;
        options.secretSeed = 1;
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        options.observer = observer;
        auto judge = makeSimulatorJudge(options);
        if (!judge)
            return counts;
        const auto records = (*judge)->judge(
            {requestFor(
                "//! task spmv\n//! scratch seen i32[1]\n"
                "//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, seen)\n"
                "extern \"C\" __global__ void k(int rows, const int* ptr, const int* col, const float* val, "
                "const float* x, float* y, int* seen) {\n"
                "    int row = blockIdx.x * 64 + threadIdx.x;\n"
                "    if (row == 0) *seen = 1;\n"
                "    if (row >= rows) return;\n"
                "    float s = 0;\n"
                "    for (int i = 0; i < " +
                    std::to_string(repeats) +
                    "; ++i) s = *(volatile const int*)(ptr + row % 2);\n"
                    "    s = 0;\n"
                    "    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];\n"
                    "    y[row] = s;\n"
                    "}\n",
                m_matrix)},
            {});
        if (!records || !records->at(0).correct()) {
            qWarning("%s", (records ? records->at(0).message : records.error().sentence()).c_str());
            return Met{};
        }
        return counts;
    };
    const Met usual = met(1), slow = met(6000);
    QVERIFY2(usual.checked > 150, std::to_string(usual.checked).c_str());
    QVERIFY2(usual.changed > 120, std::to_string(usual.changed).c_str());
    QVERIFY2(slow.checked > 4 && slow.checked < usual.checked / 2, std::to_string(slow.checked).c_str());
    QVERIFY2(slow.unchecked > usual.unchecked / 2, std::to_string(slow.unchecked).c_str());
    QVERIFY2(slow.kinds == usual.kinds, std::to_string(slow.kinds.size()).c_str()); // None is left out whole.
    QVERIFY(slow.changed > 20 && slow.changed < usual.changed);                     // Pairs are.
}

/// A target too large for every check has a relative that is not: it also meets values of each kind, as a
/// program may break the rules only where values are of one.
void JudgeTest::rulesForSomeValuesHoldOnLargeTargets()
{
    const auto text =
        readFile(SPARSERL_SOURCE_DIR "/tests/adversarial/programs/no_fence_where_values_are_alike.cu");
    QVERIFY2(text.has_value(), text ? "" : text.error().sentence().c_str());
    std::string program = *text;
    const std::string size = "rows >= 600"; // Rows of the relative may be fewer.
    QVERIFY(program.find(size) != std::string::npos);
    program.replace(program.find(size), size.size(), "rows >= 300");
    const std::uint64_t one = 1 + drawSecret() % 3; // By lot: each of them has to do it.
    for (const std::uint64_t secret : {1, 2, 3}) {
        if (!m_share.everything() && secret != one)
            continue;
        JudgeOptions options;
        options.secretSeed = secret;
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        options.fullCheckNnz = 0;
        auto judge = makeSimulatorJudge(options);
        QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
        auto request = requestFor(program, m_matrix);
        request.measured = false;
        const auto records = (*judge)->judge({request}, {});
        QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
        QVERIFY2(records->at(0).verdict == Verdict::Race,
                 (std::string(nameOf(records->at(0).verdict)) + ": " + records->at(0).message).c_str());
        QCOMPARE(records->at(0).batteryCase, std::string("like-the-target-large"));
    }
}

/// Grids are often of one size for all matrices: blocks that return at once use no budget of others.
void JudgeTest::manyIdleBlocksAreNoEndlessProgram()
{
    auto request =
        requestFor("//! task spmv\n"
                   "//! launch k<<<6000, 1024>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n"
                   "extern \"C\" __global__ void k(int rows, const int* ptr, const int* col, const "
                   "float* val, const float* x, float* y) {\n"
                   "    int row = blockIdx.x * 1024 + threadIdx.x;\n"
                   "    if (row >= rows) return;\n"
                   "    float s = 0;\n"
                   "    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];\n"
                   "    y[row] = s;\n"
                   "}\n",
                   m_matrix);
    request.measured = false;
    const VerdictRecord r = judgeQuickly(request);
    QVERIFY2(r.correct(), (std::string(nameOf(r.verdict)) + ": " + r.message).c_str());
}

QTEST_GUILESS_MAIN(JudgeTest)
#include "judge_test.moc"
