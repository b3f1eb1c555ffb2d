// SPDX-License-Identifier: Apache-2.0
// Programs in double precision on a driver of our own: what timed calls leave is compared in twice the
// digits, at every size that doubles have, and inputs, windows and signs are doubles.
#include "base/rng.h"
#include "compile/nvrtc.h"
#include "device/cuda/cuda_device.h"
#include "fake_gpu.h"
#include "harness.h"
#include "kernel/plan.h"

#include <QTest>
#include <algorithm>
#include <cmath>

using namespace sparserl;
using namespace sparserl::harness;

namespace {

/// A thread for each row: `sum` is what it is declared as, `term` what is added for entry i, `end` what is
/// done with sum s of row r.
std::string program(const std::string& sum, const std::string& term, const std::string& end)
{
    return "extern \"C\" __global__ void k(int rows, const int* p, const int* col, const double* val, const "
           "double* "
           "x, double* y) {\n    int r = blockIdx.x * 64 + threadIdx.x;\n    if (r >= rows) return;\n    " +
           sum + " s = 0;\n    for (int i = p[r]; i < p[r + 1]; i++) " + term + "\n    " + end + "\n}\n";
}
const std::string usual = "s = fma(val[i], x[col[i]], s);", store = "y[r] = s;";

/// 150 x 120 with 1 to 9 entries a row, and one of 400. Values and x are random with 53 bits, times 2^n with
/// n in the ranges that are given.
struct Case
{
    std::shared_ptr<const Csr> matrix;
    Bench bench;
    std::string cubin;
    std::vector<std::vector<double>> xs;

    Case(const std::string& ptx, int leastValue, int mostValue, int leastX, int mostX)
        : bench(ptx)
        , cubin(ptx)
    {
        Rng rng(5);
        const auto number = [&](int least, int most) {
            const double plain =
                (1 + static_cast<double>(rng.next() >> 12) * 0x1p-52) * (rng.chance(0.5) ? 1 : -1);
            return std::ldexp(plain, static_cast<int>(rng.between(least, most)));
        };
        Csr made;
        made.type = ElementType::F64;
        made.rows = 150;
        made.cols = 120;
        for (int row = 0; row < made.rows; ++row) {
            for (int column = static_cast<int>(rng.below(9)); column < made.cols;
                 column += row == 70 ? 1 : static_cast<int>(12 + rng.below(90))) {
                made.col.push_back(column);
                made.val64.push_back(number(leastValue, mostValue));
            }
            made.rowPtr.push_back(static_cast<std::int32_t>(made.col.size()));
        }
        bench.launch("k", 3, 64,
                     {harness::number(made.rows), array(bench.matrix("csr.row_ptr", made.rowPtr)),
                      array(bench.matrix("csr.col", made.col)), array(bench.matrix("csr.val", made.val64)),
                      array(bench.buffer("x", BufferRole::Input, ElementType::F64, made.cols)),
                      array(bench.buffer("y", BufferRole::Output, ElementType::F64, made.rows))});
        matrix = std::make_shared<const Csr>(std::move(made));
        for (int k = 0; k < 5; ++k) {
            std::vector<double>& x = xs.emplace_back();
            for (int i = 0; i < matrix->cols; ++i)
                x.push_back(number(leastX, mostX));
        }
    }
    MeasureRequest measurement()
    {
        MeasureRequest request;
        request.plan = &bench.plan;
        request.module = &bench.module;
        request.cubin = cubin;
        request.samples = 4;
        request.sampleMicroseconds = 1e9; // As many calls as fit: every input and window.
        request.cold = false;
        request.seed = 3;
        for (const auto& x : xs)
            request.ring.push_back(denseInput(Task::SpMV, x));
        request.compare = CompareRequest{matrix, 1};
        return request;
    }
};

} // namespace

class TestCudaDouble : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void executes();
    void compares_data();
    void compares();
    void boundIsThatOfDoubles();
    void inputsOfAnotherType();
    void baselines();

private:
    std::string ptxOf(const std::string& text)
    {
        const auto made = m_nvrtc->compile(text, {});
        return made && made->ok ? made->ptx : std::string();
    }
    std::unique_ptr<Nvrtc> m_nvrtc;
    std::unique_ptr<CudaDevice> m_device;
};

void TestCudaDouble::initTestCase()
{
    auto nvrtc = Nvrtc::load();
    QVERIFY2(nvrtc.has_value(), nvrtc ? "" : nvrtc.error().sentence().c_str());
    m_nvrtc = std::make_unique<Nvrtc>(std::move(*nvrtc));
    auto device = harness::fakeGpu();
    QVERIFY2(device.has_value(), device ? "" : device.error().sentence().c_str());
    m_device = std::move(*device);
}

/// Whole numbers of more than 24 bits, so that every sum is exact.
void TestCudaDouble::executes()
{
    Case one(ptxOf(program("double", usual, store)), 20, 20, 20, 20);
    ExecutionRequest request;
    request.plan = &one.bench.plan;
    request.module = &one.bench.module;
    request.cubin = one.cubin;
    for (auto& x : one.xs) {
        for (double& value : x)
            value = std::copysign(1.0, value);
        request.inputs.push_back(denseInput(Task::SpMV, x));
    }
    const auto result = m_device->execute(request);
    QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
    QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
    for (std::size_t k = 0; k < one.xs.size(); ++k) {
        const NumberView y = denseOutput(Task::SpMV, ElementType::F64, result->outputs[k]);
        QCOMPARE(y.size(), std::size_t(one.matrix->rows));
        for (int row = 0; row < one.matrix->rows; ++row) {
            double sum = 0;
            for (int i = one.matrix->rowPtr[row]; i < one.matrix->rowPtr[row + 1]; ++i)
                sum = std::fma(one.matrix->val64[i], one.xs[k][one.matrix->col[i]], sum);
            QCOMPARE(y[row], sum);
        }
    }
}

void TestCudaDouble::compares_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("right");
    const auto row = [](const char* name, const std::string& text, bool right) {
        QTest::addRow("%s", name) << QString::fromStdString(text) << right;
    };
    row("fused", program("double", usual, store), true);
    row("not fused", program("double", "s = __dadd_rn(s, __dmul_rn(val[i], x[col[i]]));", store), true);
    row("from the last entry",
        program("double", "{ int j = p[r] + p[r + 1] - 1 - i; s = fma(val[j], x[col[j]], s); }", store),
        true);
    row("sums of floats", program("float", "s += val[i] * x[col[i]];", store), false);
    row("values of floats", program("double", "s += (double)(float)val[i] * x[col[i]];", store), false);
    row("50 bits of x",
        program("double", "s += val[i] * __longlong_as_double(__double_as_longlong(x[col[i]]) & ~7LL);",
                store),
        false);
    row("an entry dropped", program("double", "if (i != p[r] + 2) " + usual, store), false);
    row("a sign lost", program("double", usual, "y[r] = r == 33 ? fabs(s) : s;"), false);
    row("one row not written", program("double", usual, "if (r != 149) y[r] = s;"), false);
    row("the upper words only", program("double", usual, "((int*)y)[2 * r + 1] = __double2hiint(s);"), false);
}

/// The same at sizes whose squares leave the range of doubles, above and below, and where products are
/// subnormal.
void TestCudaDouble::compares()
{
    QFETCH(QString, text);
    QFETCH(bool, right);
    const std::string ptx = ptxOf(text.toStdString());
    QVERIFY(!ptx.empty());
    struct Sizes
    {
        int leastValue, mostValue, leastX, mostX;
    };
    for (const Sizes& sizes : {Sizes{-3, 3, -3, 3}, Sizes{440, 450, 440, 450}, Sizes{-450, -440, -450, -440},
                               Sizes{-240, 240, -240, 240}, Sizes{-255, -230, -265, -235}}) {
        Case one(ptx, sizes.leastValue, sizes.mostValue, sizes.leastX, sizes.mostX);
        const auto result = m_device->measure(one.measurement());
        QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
        QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
        QVERIFY(result->compared.calls > 0 && result->compared.elements >= one.matrix->rows);
        const auto& wrong = result->compared.wrong;
        QVERIFY2(wrong.has_value() != right,
                 wrong ? std::to_string(wrong->row).c_str() : std::to_string(sizes.leastValue).c_str());
        if (right)
            QVERIFY(result->compared.boundShare > 0.001 && result->compared.boundShare < 1);
    }
    // Where products are subnormal, the last bits are lost to everybody.
    Case tiny(ptx, -530, -520, -530, -520);
    const auto result = m_device->measure(tiny.measurement());
    QVERIFY(result && !result->fault);
    if (right)
        QVERIFY2(!result->compared.wrong, "products below the normal range");
}

/// An error of 6 units in the last place of long rows is none, one of 600 is.
void TestCudaDouble::boundIsThatOfDoubles()
{
    for (const auto& [factor, right] : {std::pair<const char*, bool>{"0x1p-53", true}, {"0x1p-43", false}}) {
        const std::string ptx =
            ptxOf(program("double", usual, std::string("y[r] = s + s * ") + factor + ";"));
        Case one(ptx, -1, 1, -1, 1);
        const auto result = m_device->measure(one.measurement());
        QVERIFY(result && !result->fault);
        QCOMPARE(!result->compared.wrong, right);
        if (!right)
            QVERIFY(std::abs(result->compared.wrong->got - result->compared.wrong->expected) <
                    0x1p-42 * std::abs(result->compared.wrong->expected));
    }
}

void TestCudaDouble::inputsOfAnotherType()
{
    Case one(ptxOf(program("double", usual, store)), -1, 1, -1, 1);
    MeasureRequest request = one.measurement();
    request.compare->matrix = std::make_shared<const Csr>(inType(*one.matrix, ElementType::F32));
    const auto refused = m_device->measure(request);
    QVERIFY(!refused && refused.error().what.find("f32") != std::string::npos);
}

/// Every routine in doubles, timed in turn with a program.
void TestCudaDouble::baselines()
{
    Case one(ptxOf(program("double", usual, store)), -3, 3, -3, 3);
    BaselineOptions options;
    options.set = BaselineSet::AllFormats;
    options.samples = 4;
    options.sampleMicroseconds = 20;
    std::vector<std::string> sentences;
    options.log = [&](std::string_view sentence) { sentences.emplace_back(sentence); };
    const auto timings = m_device->measureBaselines(*one.matrix, 1, options);
    QVERIFY2(timings.has_value(), timings ? "" : timings.error().sentence().c_str());
    QVERIFY2(sentences.empty(), sentences.empty() ? "" : sentences.front().c_str());
    QCOMPARE(timings->size(), std::size_t(8)); // Without SELL, BSR and SpMVOp ALG2, which it lacks.
    options.set = BaselineSet::Csr;
    const auto spmm = m_device->measureBaselines(*one.matrix, 8, options);
    QVERIFY2(spmm.has_value(), spmm ? "" : spmm.error().sentence().c_str());
    QCOMPARE(spmm->size(), std::size_t(6));
    BaselineTiming against;
    against.algorithm = "CSR_ALG2, preprocessed";
    const auto both = m_device->headToHead(one.measurement(), *one.matrix, 1, against);
    QVERIFY2(both.has_value(), both ? "" : both.error().sentence().c_str());
    QVERIFY(!both->fault && both->speedup.median > 0 && !both->compared.wrong && both->compared.calls > 0);
}

QTEST_GUILESS_MAIN(TestCudaDouble)
#include "tst_cuda_double.moc"
