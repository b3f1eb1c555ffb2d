// SPDX-License-Identifier: Apache-2.0
// Exported bundles, built by the host's compiler and run on the fake driver, whose kernels the simulator's
// interpreter executes: what the self-test of every bundle does on a GPU.
#include "base/files.h"
#include "base/rng.h"
#include "bundle_maker.h"
#include "compile/nvjitlink.h"
#include "corpus/corpus.h"
#include "corpus/element_words.h"
#include "kernel/plan.h"
#include "matrix/generate.h"

#include <QStandardPaths>
#include <QTest>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace sparserl;

namespace {

const char* const windowsProgram =
    R"(//! task spmv
//! const R = 32
//! format w = windows(rows=32)
//! launch k<<<w.count, R, 4 * R>>>(rows, csr.row_ptr, csr.col, csr.val, w.window_ptr, w.col, x, y)
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const int* window_ptr,
                             const int* columns, const float* x, float* y)
{
    extern __shared__ float held[];
    const int row = blockIdx.x * R + threadIdx.x;
    const int first = window_ptr[blockIdx.x], last = window_ptr[blockIdx.x + 1];
    float sum = 0;
    for (int from = first; from < last; from += R) {
        __syncthreads();
        if (from + threadIdx.x < last)
            held[threadIdx.x] = x[columns[from + threadIdx.x]];
        __syncthreads();
        const int end = min(from + R, last);
        if (row < rows)
            for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
                if (col[i] >= columns[from] && col[i] <= columns[end - 1])
                    for (int c = from; c < end; ++c)
                        sum += columns[c] == col[i] ? val[i] * held[c - from] : 0;
    }
    if (row < rows)
        y[row] = sum;
}
)";

/// Prepared and scratch buffers, a real argument, two parts, several launches that depend on each other, and
/// an unused buffer.
const char* const everythingProgram =
    R"(//! task spmm
//! part low = rows with length in [0, 9)
//! part high = rows with length in [9, inf)
//! format s = sell(slice=8, sigma=64) of low
//! scratch sums f32[high.rows * dense_cols] zero
//! scratch only_wide u8[0 * dense_cols]
//! prepared doubled f32[high.nnz]
//! zero C
//! prepare twice<<<ceil_div(high.nnz, 64), 64>>>(high.nnz, high.val, 2.0f, doubled)
//! launch add<<<high.rows, 32>>>(dense_cols, high.row_ptr, high.col, doubled, B, sums)
//! launch halve<<<ceil_div(high.rows * dense_cols, 64), 64>>>(high.rows * dense_cols, dense_cols, high.row_ids, sums, C)
//! launch rest<<<dim3(s.slices, dense_cols), 8>>>(dense_cols, s.slice_ptr, s.col, s.val, s.row_ids, B, C)
extern "C" __global__ void twice(long long n, const float* val, float factor, float* doubled)
{
    const long long i = blockIdx.x * 64 + threadIdx.x;
    if (i < n)
        doubled[i] = factor * val[i];
}
extern "C" __global__ void add(int n, const int* row_ptr, const int* col, const float* val, const float* B, float* sums)
{
    for (int j = threadIdx.x; j < n; j += 32)
        for (int i = row_ptr[blockIdx.x]; i < row_ptr[blockIdx.x + 1]; ++i)
            sums[blockIdx.x * n + j] += val[i] * B[col[i] * n + j];
}
extern "C" __global__ void halve(int count, int n, const int* rows, const float* sums, float* C)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < count)
        C[rows[i / n] * n + i % n] += sums[i] / 2;
}
extern "C" __global__ void rest(int n, const int* slice_ptr, const int* col, const float* val, const int* rows,
                                const float* B, float* C)
{
    const int row = rows[blockIdx.x * 8 + threadIdx.x];
    if (row < 0)
        return;
    float sum = 0;
    for (int k = slice_ptr[blockIdx.x] + threadIdx.x; k < slice_ptr[blockIdx.x + 1]; k += 8)
        sum += val[k] * B[col[k] * n + blockIdx.y];
    C[row * n + blockIdx.y] += sum;
}
)";

/// y = alpha A x + beta y, whose last line the tests change.
const char* const scaledProgram =
    R"(//! task spmv
//! launch k<<<ceil_div(rows, 64), 64>>>(alpha, rows, csr.row_ptr, csr.col, csr.val, x, beta, y)
extern "C" __global__ void k(float alpha, int rows, const int* row_ptr, const int* col, const float* val, const float* x,
                             float beta, float* y)
{
    const int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
        sum += val[i] * x[col[i]];
    y[row] = alpha * sum + (beta != 0 ? beta * y[row] : 0);
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// A program of this file in a type; a real argument stays a float.
std::string inType(std::string text, ElementType type)
{
    if (type == ElementType::F32)
        return text;
    text = inElementType(text, type);
    for (const auto& [what, by] : {std::pair("//! task spmv", "//! task spmv f64"),
                                   {"//! task spmm", "//! task spmm f64"},
                                   {"R, 4 * R>>>", "R, 8 * R>>>"},
                                   {"2.0, doubled", "2.0f, doubled"},
                                   {"double factor", "float factor"}})
        text = replaced(std::move(text), what, by);
    return text;
}

} // namespace

class TestBundleRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_compiler = QStandardPaths::findExecutable(QStringLiteral("c++"));
        if (m_compiler.isEmpty())
            QSKIP("there is no compiler 'c++' here");
        m_maker.emplace();
        m_scratch.emplace(std::move(*TempDir::create()));
        // Narrow enough for every format: few diagonals, no span of 16 bits.
        m_matrix = *generate("stencil2d(n=24,points=5)");
        for (const float value : m_matrix.val) // What floats cannot hold.
            m_matrix.val64.push_back(value * (1 + 0x1p-40));
    }

    void everyStorageFormat_data()
    {
        QTest::addColumn<ElementType>("type");
        QTest::newRow("f32") << ElementType::F32;
        QTest::newRow("f64") << ElementType::F64;
    }

    void everyStorageFormat()
    {
        QFETCH(ElementType, type);
        // A program for every storage format and task that the corpus has, and what it lacks.
        std::map<std::string, std::string> programs{{"spmv windows", inType(windowsProgram, type)},
                                                    {"spmm everything", inType(everythingProgram, type)}};
        Rng rng(5);
        for (const Task task : {Task::SpMV, Task::SpMM}) {
            for (const Family& family : families(task)) {
                for (int round = 0; round < 6; ++round) {
                    SampleOptions options;
                    options.families = {family.id};
                    options.type = type;
                    const auto sample = sampleProgram(task, options, rng);
                    QVERIFY(sample);
                    const auto program = parseProgram(sample->text);
                    std::string kinds;
                    for (const PlanFormat& format : program->plan.formats)
                        kinds += " " + format.spec.kind + (format.part.empty() ? "" : "-of-part");
                    for (const PlanBuffer& buffer : program->plan.buffers)
                        kinds += buffer.prepared ? " prepared" : " scratch";
                    programs.try_emplace(fmt::format("{}{}", nameOf(task), kinds), sample->text);
                }
            }
        }
        std::string all;
        for (const auto& [what, text] : programs) {
            all += what + ";";
            const auto folder = m_scratch->path() / std::to_string(m_count++);
            const auto made = bundle(text, folder, what, type);
            QVERIFY2(made.empty(), made.c_str());
            const Finished done = selfTest(folder);
            QVERIFY2(done.exit == 0, (what + ": " + done.output).c_str());
            QVERIFY2(done.output.find("ok      the matrix") != std::string::npos,
                     (what + ": " + done.output).c_str());
        }
        for (const char* kind : {"bsr", "blocks", "coo", "csc", "csr16", "csr5", "dense", "dia", "ell", "hyb",
                                 "order", "panels", "sell", "sell16", "tiles", "windows"})
            QVERIFY2(all.find(kind) != std::string::npos, kind);
        qInfo("%zu bundles", programs.size());
    }

    void ownKernelsAssemble()
    {
        // The bundle's own PTX, by the assembler of a GPU's driver: the fake driver reads less strictly.
        auto assembler = NvJitLink::load();
        if (!assembler)
            QSKIP("there is no nvJitLink here");
        int found = 0;
        for (const ElementType type : {ElementType::F32, ElementType::F64}) {
            const auto folder = m_scratch->path() / ("own-" + std::string(nameOf(type)));
            QCOMPARE(m_maker->write(derive("S1", {}, {}, true, type)->text, m_matrix, folder), std::string());
            for (const char* file : {"src/updates.cpp", "examples/vector_kernels.h"}) {
                const std::string text = *readFile(folder / file);
                const std::string_view begin = "R\"ptx(", end = ")ptx\"";
                const auto from = text.find(begin);
                QVERIFY(from != std::string::npos);
                const std::string ptx =
                    text.substr(from + begin.size(), text.find(end, from) - from - begin.size());
                for (const char* architecture : {"sm_80", "sm_90"}) {
                    const auto assembled = assembler->assemble(ptx, architecture);
                    QVERIFY2(assembled, assembled ? "" : assembled.error().sentence().c_str());
                    QVERIFY2(assembled->ok, assembled->log.c_str());
                }
                ++found;
            }
        }
        QCOMPARE(found, 4);
    }

    /// Right in float32 is not right in float64: sums in `float` of doubles.
    void floatsInDoublesAreFound()
    {
        std::string text = derive("S1", {}, {}, true, ElementType::F64)->text;
        const std::string sum = "double sum";
        const auto at = text.find(sum);
        QVERIFY2(at != std::string::npos, text.c_str());
        text.replace(at, sum.size(), "float sum");
        const auto folder = m_scratch->path() / "floats";
        QCOMPARE(bundle(text, folder, "floats", ElementType::F64), std::string());
        const Finished done = selfTest(folder);
        QCOMPARE(done.exit, 1);
        QVERIFY2(done.output.find("FAILED") != std::string::npos, done.output.c_str());
    }

    void otherAlphaAndBeta_data() { everyStorageFormat_data(); }

    /// The self-test of a bundle computes with other factors, in either type, and finds a kernel that does
    /// not, or that reads y where beta is 0. One that takes a single factor refuses the other one.
    void otherAlphaAndBeta()
    {
        QFETCH(ElementType, type);
        const std::string text = inType(scaledProgram, type);
        const std::string last = "alpha * sum + (beta != 0 ? beta * y[row] : 0)";
        const std::pair<const char*, std::string> programs[] = {
            {"both", text},
            {"alpha alone",
             replaced(replaced(replaced(text, last, "alpha * sum"), ", beta, y)", ", y)"),
                      type == ElementType::F32 ? "float beta, float* y" : "double beta, double* y",
                      type == ElementType::F32 ? "float* y" : "double* y")},
            {"ignores beta", replaced(text, last, "alpha * sum")},
            {"ignores alpha", replaced(text, last, "sum + (beta != 0 ? beta * y[row] : 0)")},
            {"reads y", replaced(text, last, "alpha * sum + beta * y[row]")}};
        for (const auto& [what, program] : programs) {
            const bool right = program == text || std::string(what) == "alpha alone";
            const auto folder = m_scratch->path() / std::to_string(m_count++);
            const auto made = bundle(program, folder, what, type);
            QVERIFY2(made.empty(), made.c_str());
            const Finished done = selfTest(folder);
            QVERIFY2(done.exit == (right ? 0 : 1), (std::string(what) + ": " + done.output).c_str());
            QVERIFY2((done.output.find("FAILED") == std::string::npos) == right, done.output.c_str());
        }
    }

    void wrongCodeIsFound()
    {
        // The self-test can fail: a program that leaves out the last entry of a row.
        std::string text = derive("S1", {}, {})->text;
        const std::string loop = "row_ptr[row + 1]";
        const auto at = text.find(loop);
        QVERIFY2(at != std::string::npos, text.c_str());
        text.replace(at, loop.size(), "row_ptr[row + 1] - 1");
        const auto folder = m_scratch->path() / "wrong";
        QCOMPARE(bundle(text, folder, "wrong"), std::string());
        const Finished done = selfTest(folder);
        QCOMPARE(done.exit, 1);
        QVERIFY2(done.output.find("FAILED") != std::string::npos, done.output.c_str());
    }

    void withoutAGpu()
    {
        const auto folder = m_scratch->path() / "none";
        QCOMPARE(bundle(derive("S3", {}, {})->text, folder, "none"), std::string());
        const Finished done = selfTest(folder, "devices=0");
        QCOMPARE(done.exit, 77);
        QVERIFY2(done.output.find("offers no GPU") != std::string::npos, done.output.c_str());
        const Finished old = selfTest(folder, "major=7");
        QCOMPARE(old.exit, 77);
        QVERIFY2(old.output.find("needs compute capability 8.0") != std::string::npos, old.output.c_str());
        if (!std::filesystem::exists("/usr/lib/x86_64-linux-gnu/libcuda.so.1")) {
            const Finished bare = runProgram(QString::fromStdString((folder / "self_test").string()), {},
                                             folder, {{"LD_LIBRARY_PATH", ""}});
            QCOMPARE(bare.exit, 77);
            QVERIFY2(bare.output.find("no NVIDIA driver was found") != std::string::npos,
                     bare.output.c_str());
        }
    }

private:
    /// Writes a bundle and builds its self-test from what differs between bundles and the common library.
    std::string bundle(const std::string& text, const std::filesystem::path& folder, const std::string& what,
                       ElementType type = ElementType::F32)
    {
        const QString suffix = type == ElementType::F64 ? QStringLiteral("_f64.a") : QStringLiteral(".a");
        if (auto problem = m_maker->write(text, m_matrix, folder); !problem.empty())
            return what + ": " + problem;
        QStringList arguments{QStringLiteral("-std=c++17"),
                              QStringLiteral("-Isrc"),
                              QStringLiteral("src/data.cpp"),
                              QStringLiteral("tests/expected.cpp"),
                              QStringLiteral(SPARSERL_BUNDLE_DIR "/libbundle_self_test") + suffix,
                              QStringLiteral(SPARSERL_BUNDLE_DIR "/libbundle_library") + suffix,
                              QStringLiteral("-ldl"),
                              QStringLiteral("-pthread"),
                              QStringLiteral("-o"),
                              QStringLiteral("self_test")};
        if (*SPARSERL_SANITIZE)
            arguments.prepend(QStringLiteral("-fsanitize=" SPARSERL_SANITIZE));
        const Finished built = runProgram(m_compiler, arguments, folder);
        return built.exit == 0 ? std::string() : what + ": " + built.output;
    }

    Finished selfTest(const std::filesystem::path& folder, const std::string& gpu = {})
    {
        return runProgram(QString::fromStdString((folder / "self_test").string()),
                          {QStringLiteral("--no-timing"), QStringLiteral("matrix.csr")}, folder,
                          {{"LD_LIBRARY_PATH", SPARSERL_FAKE_DRIVER_DIR}, {"SPARSERL_FAKE_GPU", gpu}});
    }

    QString m_compiler;
    std::optional<BundleMaker> m_maker;
    std::optional<TempDir> m_scratch;
    Csr m_matrix;
    int m_count = 0;
};

QTEST_GUILESS_MAIN(TestBundleRuns)
#include "tst_bundle_runs.moc"
