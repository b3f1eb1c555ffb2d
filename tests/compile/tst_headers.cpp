// SPDX-License-Identifier: Apache-2.0
// Headers that programs may include: what they declare, and that nothing but their texts in memory is read.
#include "base/files.h"
#include "compile/header_changes.h"
#include "compile/headers/headers.h"
#include "compile/headers/own_headers.h"
#include "compile/program_compiler.h"

#include <QTemporaryDir>
#include <QTest>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

using namespace sparserl;

class HeadersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void compiles_data();
    void compiles();
    void everyOwnHeaderAlone();
    void constantsAreTheHosts();
    void foldersAreOfNames();
    void manyHeaders();
    void missingFiles();
    void tilesOfSeveralWarps();

private:
    std::unique_ptr<ProgramCompiler> m_compiler;
};

void HeadersTest::initTestCase()
{
    auto compiler = ProgramCompiler::create();
    QVERIFY2(compiler.has_value(), compiler ? "" : compiler.error().sentence().c_str());
    m_compiler = std::make_unique<ProgramCompiler>(std::move(*compiler));
}

void HeadersTest::compiles_data()
{
    QTest::addColumn<QByteArray>("headers");
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const QByteArray& headers, const QByteArray& body) {
        QTest::newRow(headers.constData()) << headers << body;
    };
    row("cuda_runtime.h device_launch_parameters.h", "y[threadIdx.x] = x[n];");
    row("stdint.h", "uint32_t a = n; int64_t b = INT64_MAX - a; y[0] = (float)b;");
    row("cstdint", "std::uint8_t a = n; std::uintptr_t b = 5; y[0] = a + b;");
    row("math.h", "y[0] = x[0] < INFINITY ? sqrtf(x[0]) : (float)M_PI;");
    row("cmath", "y[0] = std::sqrt(x[0]) + std::fabs(x[1]) + std::fma(x[0], x[1], x[2]) + std::abs(x[3]);");
    row("float.h limits.h", "y[0] = n == INT_MAX ? FLT_MAX : -FLT_EPSILON;");
    row("cfloat climits cstddef", "std::size_t a = CHAR_BIT; y[0] = a + offsetof(float4, z) + FLT_MIN;");
    row("stdio.h stdlib.h string.h assert.h", "assert(n > 0); y[0] = abs(n);");
    row("limits",
        "y[0] = n > std::numeric_limits<int>::max() - 3 ? std::numeric_limits<float>::infinity() : 0;");
    row("algorithm utility", "int a = std::max(n, 3), b = std::min(a, 7); std::swap(a, b); y[a] = b + "
                             "*std::lower_bound(x, x + n, 3.f);");
    row("type_traits", "static_assert(std::is_same_v<std::conditional_t<(sizeof(int) > 2), int, float>, "
                       "int>); y[0] = std::is_integral<float>::value;");
    row("cuda_fp16.h", "__half h = __float2half(x[0]); half2 g = __halves2half2(h, h); y[0] = "
                       "__half2float(__hadd(h, __low2half(g)));");
    row("cuda_bf16.h", "__nv_bfloat16 h = __float2bfloat16(x[0]); y[0] = __bfloat162float(h);");
    row("cooperative_groups.h",
        "namespace cg = cooperative_groups; auto b = cg::this_thread_block(); auto t = "
        "cg::tiled_partition<16>(b); float s = "
        "x[b.thread_rank()]; for (int o = t.size() / 2; o; o /= 2) s += t.shfl_down(s, o); b.sync(); if "
        "(t.thread_rank() == 0) y[t.meta_group_rank()] = s;");
    row("cooperative_groups.h cooperative_groups/reduce.h",
        "namespace cg = cooperative_groups; auto t = cg::tiled_partition<32>(cg::this_thread_block()); float "
        "s = cg::reduce(t, x[threadIdx.x], "
        "cg::plus<float>()); if (t.thread_rank() == 0) y[t.meta_group_rank()] = s;");
    row("cooperative_groups/scan.h",
        "namespace cg = cooperative_groups; auto t = cg::tiled_partition<32>(cg::this_thread_block()); "
        "y[threadIdx.x] = cg::inclusive_scan(t, x[threadIdx.x]);");
    row("cuda_pipeline.h",
        "__shared__ float s[128]; __pipeline_memcpy_async(s + threadIdx.x, x + threadIdx.x, 4); "
        "__pipeline_commit(); __pipeline_wait_prior(0); y[threadIdx.x] = s[threadIdx.x];");
    row("mma.h", "using namespace nvcuda; wmma::fragment<wmma::accumulator, 16, 16, 16, float> f; "
                 "wmma::fill_fragment(f, 1.f); y[0] = f.x[0];");
    row("math_constants.h cuComplex.h", "y[0] = CUDART_INF_F + cuCrealf(make_cuFloatComplex(x[0], 1));");
}

void HeadersTest::compiles()
{
    QFETCH(QByteArray, headers);
    QFETCH(QByteArray, body);
    std::string code;
    for (const QByteArray& name : headers.split(' '))
        code += "#include <" + name.toStdString() + ">\n";
    code +=
        "extern \"C\" __global__ void k(int n, const float* x, float* y) {\n" + body.toStdString() + "\n}\n";
    const auto answer = m_compiler->compile({code, {}, {"k"}});
    QVERIFY(answer.has_value());
    if (!*answer && answer->error().message.find("is not installed") != std::string::npos)
        QSKIP(answer->error().message.c_str());
    QVERIFY2(answer->has_value(),
             *answer ? "" : (answer->error().message + "\n" + answer->error().log).c_str());
    QVERIFY2((**answer).log.find("warning") == std::string::npos, (**answer).log.c_str());
}

void HeadersTest::everyOwnHeaderAlone()
{
    for (const OwnHeader& header : ownHeaders()) {
        QVERIFY(isIncludable(header.name));
        const std::string code = "#include <" + std::string(header.name) + ">\n#include \"" +
                                 std::string(header.name) +
                                 "\"\nextern \"C\" __global__ void k(float* y) { y[0] = 1; }\n";
        const auto answer = m_compiler->compile({code, {}, {"k"}, "sm_90", false});
        QVERIFY(answer.has_value());
        QVERIFY2(answer->has_value(),
                 *answer ? "" : (std::string(header.name) + answer->error().log).c_str());
    }
}

/// The host's own headers say what the numbers are.
void HeadersTest::constantsAreTheHosts()
{
    std::string code = "#include <stdint.h>\n#include <limits.h>\n#include <float.h>\n#include "
                       "<math.h>\n#include <limits>\n";
    const auto same = [&](const char* name, auto value) {
        code += "static_assert(" + std::string(name) + " == " + std::to_string(value) + ", \"\");\n";
    };
#define SAME(name) same(#name, name)
    SAME(INT8_MIN);
    SAME(UINT16_MAX);
    SAME(INT32_MAX);
    SAME(UINT32_MAX);
    SAME(INT64_MAX);
    SAME(CHAR_BIT);
    SAME(SHRT_MIN);
    SAME(INT_MAX);
    SAME(LONG_MAX);
    SAME(LLONG_MAX);
    SAME(FLT_MANT_DIG);
    SAME(DBL_MAX_EXP);
    SAME(FLT_MIN_EXP);
    SAME(FLT_DIG);
    SAME(sizeof(int64_t));
    SAME(sizeof(uint_fast16_t));
#undef SAME
    const auto sameReal = [&](const char* name, double value) {
        char text[64];
        std::snprintf(text, sizeof text, "%a", value);
        code += "static_assert(" + std::string(name) + " == " + text + ", \"\");\n";
    };
#define SAME(name) sameReal(#name, name)
    SAME(FLT_MAX);
    SAME(FLT_MIN);
    SAME(FLT_EPSILON);
    SAME(FLT_TRUE_MIN);
    SAME(DBL_MAX);
    SAME(DBL_MIN);
    SAME(DBL_EPSILON);
    SAME(DBL_TRUE_MIN);
    SAME(M_PI);
    SAME(M_PI_2);
    SAME(M_PI_4);
    SAME(M_1_PI);
    SAME(M_2_PI);
    SAME(M_E);
    SAME(M_SQRT2);
    SAME(M_SQRT1_2);
    SAME(M_LN2);
    SAME(M_LN10);
    SAME(M_LOG2E);
    SAME(M_LOG10E);
    SAME(M_2_SQRTPI);
#undef SAME
    code += "extern \"C\" __global__ void k(float* y) { y[0] = 1; }\n";
    const auto answer = m_compiler->compile({code, {}, {"k"}, "sm_90", false});
    QVERIFY(answer.has_value());
    QVERIFY2(answer->has_value(), *answer ? "" : answer->error().log.c_str());
}

/// An include with a folder is found from its own folder, else from the root; own texts come first.
void HeadersTest::foldersAreOfNames()
{
    QTemporaryDir folder;
    const std::filesystem::path root(folder.path().toStdString());
    const auto put = [&](const char* name, const std::string& text) {
        std::filesystem::create_directories((root / name).parent_path());
        QVERIFY(writeFileAtomic(root / name, text).has_value());
    };
    put("cooperative_groups.h", "#include \"cooperative_groups/details/info.h\"\n");
    put("cooperative_groups/details/info.h",
        " # include \"more.h\" // beside\n#include <stdint.h>\n#include \"none.h\"\n");
    put("cooperative_groups/details/more.h", "more");
    put("stdint.h", "not this");
    put("secret.h", "secret");
    const auto headers = Headers::read(root);
    const auto chosen = headers.select({"cooperative_groups.h"});
    QVERIFY(chosen.has_value());
    std::string names, texts;
    for (std::size_t i = 0; i < chosen->names.size(); ++i) {
        names += std::string(chosen->names[i]) + " ";
        texts += chosen->texts[i];
    }
    QVERIFY2(names.find("cooperative_groups/details/more.h") != std::string::npos, names.c_str());
    QVERIFY(texts.find("# include <cooperative_groups/details/more.h> // beside") != std::string::npos);
    QVERIFY(texts.find("not this") == std::string::npos && texts.find("secret") == std::string::npos);
    QVERIFY(!headers.select({"secret.h"}));
}

/// As a whole toolkit has them: what one header reaches leaves no other out.
void HeadersTest::manyHeaders()
{
    QTemporaryDir folder;
    const std::filesystem::path root(folder.path().toStdString());
    const auto put = [&](const std::string& name, const std::string& text) {
        std::filesystem::create_directories((root / name).parent_path());
        QVERIFY(writeFileAtomic(root / name, text).has_value());
    };
    std::string all;
    for (int i = 0; i < 700; ++i) {
        const std::string name = "cuda/std/part" + std::to_string(i) + ".h";
        put(name, i > 0 ? "#include <cuda/std/part" + std::to_string(i - 1) + ".h>\n" : "");
        all += "#include <" + name + ">\n";
    }
    put("cooperative_groups.h", all);
    put("mma.h", "#include \"crt/mma.h\"\n");
    put("crt/mma.h", "tensor cores\n");
    const auto headers = Headers::read(root);
    const auto tensor = headers.select({"mma.h"});
    QVERIFY2(tensor.has_value(), tensor ? "" : tensor.error().what.c_str());
    QCOMPARE(tensor->names.size(), std::size_t(2));
    const auto groups = headers.select({"cooperative_groups.h"});
    QVERIFY(groups.has_value());
    QCOMPARE(groups->names.size(), std::size_t(701));
}

void HeadersTest::missingFiles()
{
    QTemporaryDir folder;
    const auto headers = Headers::read(folder.path().toStdString());
    QVERIFY(headers.select({"stdint.h", "cmath"}).has_value());
    const auto chosen = headers.select({"cuda_fp16.h"});
    QVERIFY(!chosen);
    QVERIFY2(chosen.error().sentence().find("<cuda_fp16.h> is not installed on this machine") !=
                 std::string::npos,
             chosen.error().sentence().c_str());
    QVERIFY(!isIncludable("iostream") && !isIncludable("../stdint.h") && !isIncludable(""));
}

/// Tiles of several warps get shared memory of the program, cleared where kernels begin, in each kernel that
/// needs it.
void HeadersTest::tilesOfSeveralWarps()
{
    const std::string head = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";
    const auto kernel = [](const std::string& name, int size) {
        return "extern \"C\" __global__ void " + name + "(float* y) { auto t = cg::tiled_partition<" +
               std::to_string(size) +
               ">(cg::this_thread_block()); t.sync(); y[threadIdx.x] = t.thread_rank(); }\n";
    };
    const auto cleared = [&](const std::string& code, const std::vector<std::string>& kernels) {
        const auto answer = m_compiler->compile({head + code, {}, kernels});
        if (!answer || !*answer)
            return answer ? QByteArray((*answer).error().message.c_str()) : QByteArray("no answer");
        return QByteArray::number(QByteArray((**answer).ptx.c_str()).count("[barriers+16], 0;"));
    };
    QCOMPARE(cleared(kernel("a", 64), {"a"}), QByteArray("1"));
    QCOMPARE(cleared(kernel("a", 128) + kernel("b", 512), {"a", "b"}), QByteArray("2"));
    QCOMPARE(cleared(kernel("a", 32), {"a"}), QByteArray("0"));
    std::string other = "nothing of the kind {";
    changeHeader("cooperative_groups/details/memory.h", other);
    QCOMPARE(other, std::string("nothing of the kind {"));
    QCOMPARE(clearTileBarriers("reserved_shared_ptrEvE3own["), std::string("reserved_shared_ptrEvE3own["));
}

QTEST_GUILESS_MAIN(HeadersTest)
#include "tst_headers.moc"
