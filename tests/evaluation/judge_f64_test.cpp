// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/inputs.h"
#include "evaluation/judge/make_judge.h"
#include "judge_one.h"
#include "matrix/generate.h"

#include <QTest>
#include <memory>
#include <set>
#include <string>

using namespace sparserl;

namespace {

const std::string head =
    "extern \"C\" __global__ void k(int rows, const int* p, const int* col, const double* val, "
    "const double* x, double* y";
const std::string csr = "(rows, csr.row_ptr, csr.col, csr.val, x, y";

/// One thread a row: plan lines before the launch, what the sum is declared as, what is added for entry i,
/// and what is done with sum s of row r.
std::string threadPerRow(const std::string& sum, const std::string& term,
                         const std::string& end = "y[r] = s;")
{
    return "//! task spmv f64\n//! launch k<<<ceil_div(rows, 64), 64>>>" + csr + ")\n" + head +
           ") {\n    int r = blockIdx.x * 64 + threadIdx.x;\n    if (r >= rows) return;\n    " + sum +
           " s = 0;\n    for (int i = p[r]; i < p[r + 1]; i++) " + term + "\n    " + end + "\n}\n";
}

std::string warpPerRow(const std::string& reduce, const std::string& before = {})
{
    return "//! task spmv f64\n//! launch k<<<ceil_div(rows, 4), 128>>>" + csr + ")\n" + before + head +
           ") {\n    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;\n    if (r >= rows) "
           "return;\n"
           "    double s = 0;\n    for (int i = p[r] + lane; i < p[r + 1]; i += 32) s += val[i] * "
           "x[col[i]];\n    " +
           reduce + "\n    if (lane == 0) y[r] = s;\n}\n";
}

const std::string usual = "s += val[i] * x[col[i]];";
const std::string shuffles = "for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);";

std::string blockPerRow(const std::string& partials)
{
    return "//! task spmv f64\n//! launch k<<<rows, 64>>>" + csr + ")\n" + head + ") {\n    __shared__ " +
           partials +
           " part[64];\n    int r = blockIdx.x, t = threadIdx.x;\n    double s = 0;\n"
           "    for (int i = p[r] + t; i < p[r + 1]; i += 64) s += val[i] * x[col[i]];\n    part[t] = s;\n"
           "    for (int o = 32; o > 0; o /= 2) {\n        __syncthreads();\n        if (t < o) part[t] += "
           "part[t + o];\n"
           "    }\n    if (t == 0) y[r] = part[0];\n}\n";
}

const std::string sell = R"(//! task spmv f64
//! format sell(slice=32, sigma=64)
//! launch k<<<ceil_div(sell.slices * 32, 128), 128>>>(sell.slices, sell.slice_ptr, sell.col, sell.val, sell.row_ids, x, y)
extern "C" __global__ void k(int slices, const int* ptr, const int* col, const double* val, const int* ids,
                             const double* x, double* y) {
    int i = blockIdx.x * 128 + threadIdx.x, s = i / 32;
    if (s >= slices || ids[i] < 0) return;
    double sum = 0;
    for (int at = ptr[s] + i % 32; at < ptr[s + 1]; at += 32) sum = fma(val[at], x[col[at]], sum);
    y[ids[i]] = sum;
}
)";

const std::string hyb = R"(//! task spmv f64
//! format hyb(width=4)
//! zero y
//! launch ell<<<ceil_div(rows, 64), 64>>>(rows, hyb.width, hyb.ell_col, hyb.ell_val, x, y)
//! launch coo<<<ceil_div(hyb.coo_nnz, 64), 64>>>(hyb.coo_nnz, hyb.coo_row, hyb.coo_col, hyb.coo_val, x, y)
extern "C" __global__ void ell(int rows, int width, const int* col, const double* val, const double* x, double* y) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    double s = 0;
    for (int j = 0; j < width; j++) s += val[j * rows + r] * x[col[j * rows + r]];
    y[r] = s;
}
extern "C" __global__ void coo(int n, const int* row, const int* col, const double* val, const double* x, double* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) atomicAdd(&y[row[i]], val[i] * x[col[i]]);
}
)";

const std::string parts = R"(//! task spmv f64
//! part few = rows with length in [0, 8)
//! part many = rows with length in [8, inf)
//! format b = csr16 of few
//! scratch sums f64[nnz + 1]
//! launch k<<<ceil_div(few.rows, 64), 64>>>(few.rows, few.row_ids, b.row_ptr, b.base, b.off, b.val, x, y)
//! launch m<<<ceil_div(many.nnz, 64), 64>>>(many.nnz, many.col, many.val, x, sums)
//! launch e<<<ceil_div(many.rows, 64), 64>>>(many.rows, many.row_ids, many.row_ptr, sums, y)
extern "C" __global__ void k(int n, const int* ids, const int* p, const int* base, const unsigned short* off,
                             const double* val, const double* x, double* y) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= n) return;
    double s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[base[r] + off[i]];
    y[ids[r]] = s;
}
extern "C" __global__ void m(int n, const int* col, const double* val, const double* x, double* sums) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) sums[i] = val[i] * x[col[i]];
}
extern "C" __global__ void e(int n, const int* ids, const int* p, const double* sums, double* y) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= n) return;
    double s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += sums[i];
    y[ids[r]] = s;
}
)";

/// Values or x go through `type` on their way.
std::string throughScratch(const std::string& type, const std::string& name, const std::string& array)
{
    return "//! task spmv f64\n//! scratch keep " + name + "[" + (array == "x" ? "cols" : "nnz") + " + 1]\n" +
           "//! launch c<<<ceil_div(" + (array == "x" ? "cols" : "nnz") + ", 64), 64>>>(" +
           (array == "x" ? "cols" : "nnz") + ", " + (array == "x" ? "x" : "csr.val") + ", keep)\n" +
           "//! launch k<<<ceil_div(rows, 64), 64>>>" + csr + ", keep)\n" +
           "extern \"C\" __global__ void c(int n, const double* from, " + type +
           "* keep) {\n    int i = blockIdx.x * 64 + threadIdx.x;\n    if (i < n) keep[i] = from[i];\n}\n" +
           head + ", const " + type +
           "* keep) {\n    int r = blockIdx.x * 64 + threadIdx.x;\n    if (r >= rows) return;\n    double s "
           "= 0;\n" +
           "    for (int i = p[r]; i < p[r + 1]; i++) s += " +
           (array == "x" ? "val[i] * (double)keep[col[i]]" : "(double)keep[i] * x[col[i]]") +
           ";\n    y[r] = s;\n}\n";
}

} // namespace

class JudgeF64Test : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        JudgeOptions options;
        options.secretSeed = 1;
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        auto judge = makeSimulatorJudge(options);
        QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
        m_judge = std::move(*judge);
        m_matrix = std::make_shared<const Csr>(*generate("random(rows=180,cols=200,mean=9)"));
    }
    void cleanupTestCase() { m_judge.reset(); }

    void honest_data()
    {
        QTest::addColumn<QString>("program");
        const auto row = [](const char* name, const std::string& program) {
            QTest::addRow("%s", name) << QString::fromStdString(program);
        };
        row("thread per row", threadPerRow("double", usual));
        row("fused", threadPerRow("double", "s = fma(val[i], x[col[i]], s);"));
        row("warp and shuffles", warpPerRow(shuffles));
        row("shuffles of two halves",
            warpPerRow(
                "for (int o = 16; o > 0; o /= 2) { int hi = __shfl_xor_sync(0xffffffffu, __double2hiint(s), "
                "o), "
                "lo = __shfl_xor_sync(0xffffffffu, __double2loint(s), o); s += __hiloint2double(hi, lo); }"));
        row("block and shared memory", blockPerRow("double"));
        row("sell", sell);
        row("hyb and atomics", hyb);
        row("parts, 16-bit columns, scratch", parts);
        row("x through scratch", throughScratch("double", "f64", "x"));
    }
    void honest()
    {
        QFETCH(QString, program);
        const VerdictRecord record = judgeOne(program.toStdString());
        QVERIFY2(record.correct(), record.message.c_str());
        QVERIFY(record.warm && record.warm->median > 0 && record.baselineMicroseconds > 0);
        QVERIFY(record.boundShare > 0 && record.boundShare < 1);
        QCOMPARE(record.target.key(), digest(*m_matrix) + "/f64");
    }

    /// One matrix in two types is two targets: neither gets the other's verdict, time or baseline.
    void twoTypesOfOneMatrix()
    {
        const std::string program = threadPerRow("double", usual);
        std::string single = program;
        for (std::size_t at = 0; (at = single.find("double", at)) != std::string::npos;)
            single.replace(at, 6, "float");
        single.replace(single.find(" f64"), 4, "");
        const auto records =
            m_judge->judge({requestFor(program, ElementType::F64), requestFor(single, ElementType::F32),
                            requestFor(program, ElementType::F32), requestFor(single, ElementType::F64)},
                           {});
        QVERIFY(records);
        QVERIFY2(records->at(0).correct() && records->at(1).correct(), records->at(0).message.c_str());
        QVERIFY(records->at(0).target.key() != records->at(1).target.key());
        QVERIFY(records->at(0).compulsoryBytes == 2 * records->at(1).compulsoryBytes);
        QVERIFY(records->at(0).baselineMicroseconds != records->at(1).baselineMicroseconds);
        QVERIFY(records->at(2).verdict == Verdict::PlanError && records->at(3).verdict == Verdict::PlanError);
        QCOMPARE(records->at(2).message, std::string("the program is for f64, but f32 was asked for"));
        QCOMPARE(records->at(3).message, std::string("the program is for f32, but f64 was asked for"));
    }

    /// Values that were imported are judged with all their bits: two matrices that round to the same floats
    /// are two targets in double precision, and one in single precision.
    void importedDoublesAreJudged()
    {
        const std::string program = threadPerRow("double", usual);
        std::vector<JudgeRequest> requests;
        std::set<std::string> keys;
        for (const double factor : {0.0, 0x1p-40, 0x1p-41}) {
            auto matrix = std::make_shared<Csr>(*m_matrix);
            for (const float value : matrix->val)
                matrix->val64.push_back(static_cast<double>(value) * (1 + factor));
            JudgeRequest request = requestFor(program, ElementType::F64);
            request.target.matrix = matrix;
            request.target.id.values = doublesDigest(*matrix);
            QCOMPARE(digest(*matrix), digest(*m_matrix));
            keys.insert(request.target.id.key());
            requests.push_back(std::move(request));
        }
        QCOMPARE(keys.size(), std::size_t(3));
        // On no value of its own is this one wrong by more than a float is; on those of the third it is
        // right.
        const std::string only = threadPerRow(
            "double", "s += (val[i] == (double)(float)val[i] ? val[i] : (double)(float)val[i]) * x[col[i]];");
        requests.push_back(requests[1]);
        requests.back().program = only;
        const auto records = m_judge->judge(requests, {});
        QVERIFY2(records, records ? "" : records.error().sentence().c_str());
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY2(records->at(i).correct(), records->at(i).message.c_str());
            QCOMPARE(records->at(i).target.key(), requests[i].target.id.key());
        }
        QCOMPARE(records->at(3).verdict, Verdict::WrongResult);
    }

    /// The reference program in f64 is a program as others: it is right, and a copy of it is flagged.
    void copiesAreFlagged()
    {
        const VerdictRecord record = judgeOne(warpPerRow(shuffles));
        QVERIFY(record.flags.has(VerdictFlag::Copied));
    }

private:
    JudgeRequest requestFor(const std::string& program, ElementType type) const
    {
        JudgeRequest request;
        request.program = program;
        request.target = {{.contents = digest(*m_matrix), .name = "test", .variant = {.type = type}},
                          m_matrix};
        request.seed = 1;
        return request;
    }
    VerdictRecord judgeOne(const std::string& program)
    {
        return sparserl::tests::judgeOne(*m_judge, requestFor(program, ElementType::F64));
    }

    std::unique_ptr<Judge> m_judge;
    std::shared_ptr<const Csr> m_matrix;
};

QTEST_GUILESS_MAIN(JudgeF64Test)
#include "judge_f64_test.moc"
