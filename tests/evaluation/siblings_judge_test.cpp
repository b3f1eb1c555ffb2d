// SPDX-License-Identifier: Apache-2.0
// What the simulated device's judge makes of programs that take a pattern for granted.
#include "evaluation/cases/case_plan.h"
#include "evaluation/judge/make_judge.h"
#include "judge_one.h"
#include "matrix/generate.h"

#include <QTest>
#include <memory>

using namespace sparserl;
using sparserl::tests::judgeOne;

namespace {

JudgeRequest requestFor(std::string program, const char* generator)
{
    JudgeRequest request;
    request.program = std::move(program);
    request.target.matrix = std::make_shared<const Csr>(generate(generator).value());
    request.target.id.contents = digest(*request.target.matrix);
    request.target.id.name = generator;
    return request;
}

/// A thread for each row; `shortCut` comes first.
std::string program(const std::string& shortCut)
{
    return "//! task spmv\n"
           "//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, "
           "y)\n"
           "extern \"C\" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col,\n"
           "                             const float* val, const float* x, float* y) {\n"
           "    const int row = blockIdx.x * 128 + threadIdx.x;\n"
           "    if (row >= rows) return;\n    " +
           shortCut +
           "\n    float s = 0;\n"
           "    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];\n"
           "    y[row] = s;\n"
           "}\n";
}

std::unique_ptr<Judge> judgeWith(std::uint64_t secret, bool everyKind, std::int64_t fullCheckNnz = 1'000'000)
{
    JudgeOptions options;
    options.secretSeed = secret;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.everyKind = everyKind;
    options.fullCheckNnz = fullCheckNnz;
    auto judge = makeSimulatorJudge(options);
    return judge ? std::move(*judge) : nullptr;
}

std::string told(const VerdictRecord& record)
{
    return std::string(nameOf(record.verdict)) + " on " + record.batteryCase + ": " + record.message;
}

} // namespace

class SiblingsJudgeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sizesAreNoPattern_data();
    void sizesAreNoPattern();
    void trainingMeetsOne();
    void whatDoesNotBindIsPassedOver();
    void diagonalsAreCompared();
    void additionsByCompareAndSwap();
};

void SiblingsJudgeTest::sizesAreNoPattern_data()
{
    QTest::addColumn<QByteArray>("generator");
    QTest::addColumn<QByteArray>("shortCut");
    QTest::newRow("as many entries as rows")
        << QByteArray("diagonals(n=500,count=1)")
        << QByteArray("if (nnz == rows && rows == cols) { y[row] = val[row] * x[row]; return; }");
    QTest::newRow("an even size")
        << QByteArray("diagonals(n=500,count=1)")
        << QByteArray("if (rows % 2 == 0 && cols == rows) { y[row] = val[row] * x[row]; return; }");
    QTest::newRow("a pointer in the middle")
        << QByteArray("diagonals(n=501,count=1)")
        << QByteArray(
               "if (nnz == rows && ptr[rows / 2] == rows / 2) { y[row] = val[row] * x[col[row]]; return; }");
    QTest::newRow("the ends of a row")
        << QByteArray("banded(n=301,band=4,fill=1)")
        << QByteArray(
               "const int b = ptr[row], n = ptr[row + 1] - b;\n"
               "    if (n == 9 && col[b + 8] - col[b] == 8 && row >= 4 && row < 297 && nnz == 2689) {\n"
               "        float t = 0; for (int i = 0; i < 9; ++i) t += val[b + i] * x[row - 4 + i];\n"
               "        y[row] = t; return;\n"
               "    }");
}

void SiblingsJudgeTest::sizesAreNoPattern()
{
    QFETCH(const QByteArray, generator);
    QFETCH(const QByteArray, shortCut);
    for (const std::int64_t fullCheckNnz : {std::int64_t(1'000'000), std::int64_t(0)}) {
        for (const std::uint64_t secret : {1, 2}) {
            const auto judge = judgeWith(secret, true, fullCheckNnz);
            QVERIFY(judge);
            auto request = requestFor(program(shortCut.toStdString()), generator.constData());
            const auto record = judgeOne(*judge, request);
            QVERIFY2(record.verdict == Verdict::WrongResult, told(record).c_str());
            QCOMPARE(record.batteryCase, std::string(siblingCase));
        }
    }
}

void SiblingsJudgeTest::trainingMeetsOne()
{
    const auto judge = judgeWith(4, false);
    QVERIFY(judge);
    auto request =
        requestFor(program("if (nnz == rows && rows == cols) { y[row] = val[row] * x[row]; return; }"),
                   "diagonals(n=500,count=1)");
    int caught = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        request.seed = seed;
        const auto record = judgeOne(*judge, request);
        QVERIFY(record.correct() || record.batteryCase == siblingCase);
        caught += !record.correct();
    }
    QVERIFY(caught >= 6); // Every sibling shows it, but one where values that nobody sees are zero.
}

/// As many diagonals as the format can store: an entry elsewhere is on one too many.
void SiblingsJudgeTest::whatDoesNotBindIsPassedOver()
{
    const auto judge = judgeWith(5, true);
    QVERIFY(judge);
    const std::string text =
        "//! task spmv\n"
        "//! format dia\n"
        "//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, dia.diagonals, dia.offset, dia.val, x, y)\n"
        "extern \"C\" __global__ void k(int rows, int cols, int n, const int* offsets, const float* val,\n"
        "                             const float* x, float* y) {\n"
        "    const int row = blockIdx.x * 128 + threadIdx.x;\n"
        "    if (row >= rows) return;\n"
        "    float s = 0;\n"
        "    for (int d = 0; d < n; ++d) {\n"
        "        const int column = row + offsets[d];\n"
        "        if (column >= 0 && column < cols) s += val[(long long)d * rows + row] * x[column];\n"
        "    }\n"
        "    y[row] = s;\n"
        "}\n";
    auto request = requestFor(text, "diagonals(n=900,count=512,spread=800,fill=0.02)");
    const auto record = judgeOne(*judge, request);
    QVERIFY2(record.correct(), (told(record) + record.log).c_str());
}

/// How often a lane tries again depends on the values: small ones leave the sum as it is.
/// A program may have its own code for some diagonals if it compares their offsets, not only their number.
void SiblingsJudgeTest::diagonalsAreCompared()
{
    const auto text = [](const std::string& question) {
        return "//! task spmv\n"
               "//! format dia\n"
               "//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, dia.diagonals, dia.offset, dia.val, "
               "x, y)\n"
               "extern \"C\" __global__ void k(int rows, int cols, int n, const int* o, const float* v,\n"
               "                             const float* x, float* y) {\n"
               "    const int r = blockIdx.x * 128 + threadIdx.x;\n"
               "    if (r >= rows) return;\n"
               "    float s = 0;\n"
               "    if (n == 5 && rows == cols && " +
               question +
               ") {\n"
               "        if (r >= 20) s += v[r] * x[r - 20];\n"
               "        if (r >= 1) s += v[rows + r] * x[r - 1];\n"
               "        s += v[2 * rows + r] * x[r];\n"
               "        if (r < rows - 1) s += v[3 * rows + r] * x[r + 1];\n"
               "        if (r < rows - 20) s += v[4 * rows + r] * x[r + 20];\n"
               "    } else\n"
               "        for (int d = 0; d < n; ++d) {\n"
               "            const int c = r + o[d];\n"
               "            if (c >= 0 && c < cols) s += v[(long long)d * rows + r] * x[c];\n"
               "        }\n"
               "    y[r] = s;\n"
               "}\n";
    };
    for (const std::uint64_t secret : {4, 8}) {
        const auto judge = judgeWith(secret, true);
        QVERIFY(judge);
        const char* const target = "stencil2d(n=20)";
        const auto compared = judgeOne(
            *judge,
            requestFor(text("o[0] == -20 && o[1] == -1 && o[2] == 0 && o[3] == 1 && o[4] == 20"), target));
        QVERIFY2(compared.correct(), told(compared).c_str());
        const auto counted = judgeOne(*judge, requestFor(text("rows == 400"), target));
        QVERIFY2(!counted.correct(), told(counted).c_str());
    }
}

void SiblingsJudgeTest::additionsByCompareAndSwap()
{
    const std::string text =
        "//! task spmv\n"
        "//! launch zero<<<ceil_div(rows, 128), 128>>>(rows, y)\n"
        "//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n"
        "extern \"C\" __global__ void zero(int rows, float* y) {\n"
        "    const int row = blockIdx.x * 128 + threadIdx.x;\n"
        "    if (row < rows) y[row] = 0;\n"
        "}\n"
        "extern \"C\" __global__ void k(int rows, const int* ptr, const int* col, const float* val,\n"
        "                             const float* x, float* y) {\n"
        "    for (int row = blockIdx.x * 4 + threadIdx.x / 32; row < rows; row += gridDim.x * 4)\n"
        "        for (int i = ptr[row] + threadIdx.x % 32; i < ptr[row + 1]; i += 32) {\n"
        "            unsigned* at = (unsigned*)(y + row);\n"
        "            unsigned old = *(volatile unsigned*)at, seen;\n"
        "            do {\n"
        "                seen = old;\n"
        "                old = atomicCAS(at, seen, __float_as_uint(__uint_as_float(seen) + val[i] * "
        "x[col[i]]));\n"
        "            } while (old != seen);\n"
        "        }\n"
        "}\n";
    for (const std::uint64_t secret : {3, 7}) {
        const auto judge = judgeWith(secret, true);
        QVERIFY(judge);
        const auto record = judgeOne(*judge, requestFor(text, "lp(rows=300,cols=400)"));
        QVERIFY2(record.correct(), (told(record) + record.log).c_str());
    }
}

QTEST_APPLESS_MAIN(SiblingsJudgeTest)
#include "siblings_judge_test.moc"
