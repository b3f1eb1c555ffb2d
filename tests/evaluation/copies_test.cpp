// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "evaluation/bench/own_programs.h"
#include "evaluation/judge/near_duplicate.h"

#include <QTest>
#include <algorithm>
#include <map>

using namespace sparserl;

/// What counts as a copy of the reference program, and what is told of code by its instructions.
class CopiesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void disguisedCopies_data();
    void disguisedCopies();
    void otherPrograms();
    void otherLoops();
    void atomics_data();
    void atomics();
    void flushes_data();
    void flushes();

private:
    CodeTraits traits(const std::string& text)
    {
        auto compiled = m_programs->get(text);
        if (!compiled)
            qWarning("%s\n%s", compiled.error().sentence().c_str(), text.c_str());
        return compiled ? (*compiled)->compiled.traits : CodeTraits{};
    }
    double likeReference(const std::string& text, Task task = Task::SpMV)
    {
        return similarity(traits(text).shape, traits(referenceProgram(task).text).shape);
    }

    /// The reference program with its loop kept.
    std::vector<std::uint32_t> kept(Task task)
    {
        return traits(withLoopKept(referenceProgram(task).text)).shape;
    }

    std::unique_ptr<OwnPrograms> m_programs;
};

void CopiesTest::initTestCase()
{
    auto programs = OwnPrograms::create("sm_90");
    QVERIFY2(programs.has_value(), programs ? "" : programs.error().sentence().c_str());
    m_programs = std::move(*programs);
    QVERIFY(!traits(referenceProgram(Task::SpMV).text).shape.empty());
    QCOMPARE(contained({}, {1, 2}, 9), 0.0);
    QCOMPARE(contained({1, 3, 9}, {1, 2, 3}, 9), 2.0 / 3);
    QCOMPARE(contained({1, 3, 9}, {1, 2, 3}, 3), 1.0); // what is above 3 is not known
    QCOMPARE(contained({7, 9}, {1, 2, 3}, 3), 0.0);
    QCOMPARE(likeReference(referenceProgram(Task::SpMV).text), 1.0);
    QCOMPARE(similarity({}, {}), 0.0);
}

void CopiesTest::disguisedCopies_data()
{
    QTest::addColumn<QByteArray>("program");
    const std::string plan = "//! task spmv\n//! launch go<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, "
                             "csr.col, csr.val, x, y)\n";
    const std::string kernel = R"(
extern "C" __global__ void go(int n, const int* p, const int* c, const float* v, const float* in, float* out) {
    int who = threadIdx.x % 32;
    int mine = blockIdx.x * (256 / 32) + threadIdx.x / 32;
    if (mine >= n) return;
    float total = 0;
    for (int at = p[mine] + who; at < p[mine + 1]; at += 32) total += v[at] * in[c[at]];
    for (int step = 16; step > 0; step /= 2) total += __shfl_down_sync(0xffffffff, total, step);
    if (who == 0) out[mine] = total;
}
)";
    const auto row = [&](const char* name, const std::string& text) {
        QTest::newRow(name) << QByteArray::fromStdString(text);
    };
    row("renamed, reordered, another block", plan + kernel);
    row("an unused function behind",
        plan + kernel +
            "__device__ float unused(float a) { for (int i = 0; i < 99; ++i) a = a * a + i; return a; }\n");
    row("an unused kernel behind",
        plan + kernel +
            "extern \"C\" __global__ void idle(float* a, int n) { for (int i = threadIdx.x; i < n; i += 7) "
            "atomicAdd(a + i, sqrtf(a[n - i]) / 3); }\n");
    row("an unused kernel before",
        plan +
            "extern \"C\" __global__ void idle(float* a) { __shared__ float t[64]; "
            "t[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[0] = t[63 - "
            "threadIdx.x]; }\n" +
            kernel);
    // Ten statements that never run, and four hundred, before the copy and behind a condition that none can
    // tell.
    const auto beside = [&](int statements) {
        std::string code = "if (n == -7) { float q = 0; unsigned h = (unsigned)n;\n";
        const char* const between[] = {
            "q = sqrtf(q);",     "h = __brev(h);", "h = __popc(h) + h;",       "q = fminf(q, 3.f);",
            "h = __clz(h) ^ h;", "q = rintf(q);",  "h = (h << 3) | (h >> 29);"};
        for (int i = 0; i < statements; ++i)
            code += "h = (h " + std::string(1, "+*|&-^"[i % 6]) + " " + std::to_string(i * 2654435761u) +
                    "u) + (h >> " + std::to_string(i % 23 + 1) + "); q = q * " + std::to_string(i) + ".25f " +
                    std::string(1, "+-*/"[i % 4]) + " in[h & 7]; " + between[i % 7] + "\n";
        std::string whole = kernel;
        whole.insert(whole.find("    float total = 0;"), code + "out[0] = q + h; }\n");
        return whole;
    };
    row("ten statements that never run", plan + beside(10));
    row("four hundred statements that never run", plan + beside(400));
    const auto with = [&](const char* what, const char* other) {
        std::string whole = kernel;
        const std::string before = what;
        whole.replace(whole.find(before), before.size(), other);
        return plan + whole;
    };
    const char* const body = "total += v[at] * in[c[at]];";
    row("a loop that is not unrolled", with("    for (int at", "#pragma unroll 1\n    for (int at"));
    row("loads by other paths", with(body, "total += __ldg(v + at) * __ldcg(in + __ldcs(c + at));"));
    row("a move between",
        with(body,
             "{ int to; asm volatile(\"mov.b32 %0, %1;\" : \"=r\"(to) : \"r\"(c[at])); total += v[at] * "
             "in[to]; }"));
    row("a move and other loads", with(body, "{ float a; asm volatile(\"ld.volatile.global.f32 %0, [%1];\" : "
                                             "\"=f\"(a) : \"l\"(v + at)); total "
                                             "+= a * in[c[at]]; }"));
    row("wrapped in functions", plan + R"(
struct Row { const int* p; __device__ int begin(int r) const { return p[r]; } __device__ int end(int r) const { return p[r + 1]; } };
template <typename T> __device__ T sumOfWarp(T s) { for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(~0u, s, o); return s; }
extern "C" __global__ void go(int n, const int* p, const int* c, const float* v, const float* in, float* out) {
    const Row row{p};
    const int lane = threadIdx.x & 31, r = blockIdx.x * 8 + (threadIdx.x >> 5);
    if (r < n) {
        float s = 0.0f;
        int k = row.begin(r) + lane;
        while (k < row.end(r)) { s = fmaf(v[k], in[c[k]], s); k += 32; }
        s = sumOfWarp(s);
        if (!lane) out[r] = s;
    }
}
)");
    row("macros and comments", plan + R"(
#define WARP 32 /* lanes */
#define LOAD(a, i) ((a)[(i)])
extern "C" __global__ void go(int n, const int* p, const int* c, const float* v, const float* in, float* out) {
    // every warp has a row
    int w = (blockIdx.x * 256 + threadIdx.x) / WARP;
    int l = threadIdx.x % WARP;
    if (w >= n) return;
    float s = 0;
    int from = LOAD(p, w), to = LOAD(p, w + 1);
    for (int i = from + l; i < to; i += WARP) s += LOAD(v, i) * LOAD(in, LOAD(c, i));
    for (int o = WARP / 2; o > 0; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
    if (l == 0) LOAD(out, w) = s;
}
)");
    // Of people who wrote it by themselves: what runs is the textbook's kernel, and nothing in it tells who
    // wrote it.
    for (const char* name : {"v02_constexpr_warp_vector", "lambda_with_state"}) {
        const auto text = readFile(SPARSERL_SOURCE_DIR "/tests/honest/programs/" + std::string(name) + ".cu");
        QVERIFY(text.has_value());
        row(name, *text);
    }
}

void CopiesTest::disguisedCopies()
{
    QFETCH(QByteArray, program);
    const CodeTraits found = traits(program.toStdString()),
                     reference = traits(referenceProgram(Task::SpMV).text);
    const auto loopKept = kept(Task::SpMV);
    qInfo("%.3f, %.3f", similarity(found.shape, reference.shape),
          contained(reference.shape, found.shape, CodeTraits::mostChains));
    qInfo("loop kept: %.3f, %.3f", similarity(found.shape, loopKept),
          contained(loopKept, found.shape, CodeTraits::mostChains));
    QVERIFY(isCopy(found.shape, reference.shape) || isCopy(found.shape, loopKept));
}

/// Programs of people that sum a row by a warp in loops of their own.
void CopiesTest::otherLoops()
{
    const auto reference = traits(referenceProgram(Task::SpMV).text).shape;
    for (const char* name : {"v06_cg_reduce", "v12_dynamic_shared_block_reduce", "v25_using_enum_class",
                             "v50_persistent_work_queue", "v44_volatile_shared_warp", "tile_64_shuffle",
                             "half_10_pairs_by_shuffle"}) {
        const auto text = readFile(SPARSERL_SOURCE_DIR "/tests/honest/programs/" + std::string(name) + ".cu");
        QVERIFY(text.has_value());
        const auto shape = traits(*text).shape;
        QVERIFY(!shape.empty());
        QVERIFY2(!isCopy(shape, reference), name);
        QVERIFY2(!isCopy(shape, kept(Task::SpMV)), name);
    }
}

/// No family but the reference's own comes near it.
void CopiesTest::otherPrograms()
{
    for (const Task task : {Task::SpMV, Task::SpMM}) {
        const std::string own = task == Task::SpMV ? "S3" : "M1";
        Rng rng(11);
        for (const auto& family : families(task)) {
            double most = 0;
            for (int i = 0; i < 2; ++i) {
                SampleOptions options;
                options.families = {family.id};
                const auto program = sampleProgram(task, options, rng);
                QVERIFY(program.has_value());
                const auto shape = traits(program->text).shape;
                const auto reference = traits(referenceProgram(task).text).shape;
                most = std::max({most, similarity(shape, reference),
                                 contained(reference, shape, CodeTraits::mostChains)});
                if (family.id != own) {
                    QVERIFY2(!isCopy(shape, reference), family.id.c_str());
                    QVERIFY2(!isCopy(shape, kept(task)), family.id.c_str());
                }
            }
            qInfo("%s: %.3f", family.id.c_str(), most);
        }
    }
}

void CopiesTest::atomics_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<bool>("atomics");
    const auto row = [](const char* name, const char* code, bool atomics) {
        QTest::newRow(name) << QByteArray(code) << atomics;
    };
    row("none", "extern \"C\" __global__ void k(float* y) { y[0] = 1; }", false);
    row("in a comment",
        "extern \"C\" __global__ void k(float* y) { asm volatile(\"/*\\nred.global.add.f32 nothing\\n*/\" "
        "::: "
        "\"memory\"); y[0] = 1; }",
        false);
    row("behind two slashes",
        "extern \"C\" __global__ void k(float* y) { asm volatile(\"// \\n//\\tatom.global.add.f32 "
        "%f1;\\n\"); y[0] "
        "= 1; }",
        false);
    row("in a kernel that is not launched",
        "extern \"C\" __global__ void idle(float* y) { atomicAdd(y, 1.0f); }\n"
        "extern \"C\" __global__ void k(float* y) { y[0] = 1; }",
        false);
    row("in a function that is not called",
        "__device__ __noinline__ void idle(float* y) { atomicAdd(y, 1.0f); }\n"
        "extern \"C\" __global__ void other(float* y) { idle(y); }\n"
        "extern \"C\" __global__ void k(float* y) { y[0] = 1; }",
        false);
    row("one", "extern \"C\" __global__ void k(float* y) { atomicAdd(y, 1.0f); }", true);
    row("with a result", "extern \"C\" __global__ void k(int* y) { y[1] = atomicMax(y, 7); }", true);
    row("in a called function",
        "__device__ __noinline__ void add(float* y) { atomicAdd(y, 1.0f); }\n"
        "__device__ __noinline__ void more(float* y) { add(y + 1); }\n"
        "extern \"C\" __global__ void k(float* y) { more(y); }",
        true);
    row("under a predicate",
        "extern \"C\" __global__ void k(float* y) { asm volatile(\"{.reg .pred p; setp.ne.s32 p, %1, 0;\\n@p "
        "red.global.add.f32 [%0], 0f3F800000;}\" :: \"l\"(y), \"r\"(threadIdx.x) : \"memory\"); }",
        true);
}

void CopiesTest::atomics()
{
    QFETCH(QByteArray, code);
    QFETCH(bool, atomics);
    const auto program = traits("//! task spmv\n//! launch k<<<1, 32>>>(y)\n" + code.toStdString() + "\n");
    QCOMPARE(program.atomics, atomics);
}

void CopiesTest::flushes_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<bool>("flushes");
    const auto row = [](const char* name, const char* body, bool flushes) {
        QTest::newRow(name) << QByteArray("extern \"C\" __global__ void k(float* y) { ") + body + " }"
                            << flushes;
    };
    row("a sum of floats", "atomicAdd(y, 1.0f);", true);
    row("a count", "y[1] = atomicAdd((int*)y, 1);", false);
    row("a larger one", "atomicMax((unsigned*)y, 7u);", false);
    row("in double precision", "atomicAdd((double*)y, 1.0);", false);
    row("in shared memory", "__shared__ float s; s = 0; atomicAdd(&s, 1.0f); y[0] = s;", false);
}

/// Only float atomics in global memory lose what is below the normal range.
void CopiesTest::flushes()
{
    QFETCH(QByteArray, code);
    QFETCH(bool, flushes);
    const auto program = traits("//! task spmv\n//! launch k<<<1, 32>>>(y)\n" + code.toStdString() + "\n");
    QVERIFY(program.atomics);
    QCOMPARE(program.flushes, flushes);
}

QTEST_GUILESS_MAIN(CopiesTest)
#include "copies_test.moc"
