// SPDX-License-Identifier: Apache-2.0
#include "compile/gate.h"
#include "compile/program_compiler.h"
#include "machine/cuda_libraries.h"
#include "ptx/module.h"

#include <QTest>
#include <memory>
#include <regex>

using namespace sparserl;

namespace {

constexpr const char* twoKernels = R"(//! the plan's lines are blank here
extern "C" __global__ void one(int n, const float* x, float* y) {
    __shared__ float s[100];
    s[threadIdx.x] = x[threadIdx.x] * SCALE;
    __syncthreads();
    if (threadIdx.x < n) y[threadIdx.x] = s[99 - threadIdx.x];
}
extern "C" __global__ void two(int n, const float* x, float* y) {
    float a[64];
    for (int i = 0; i < 64; ++i) a[i] = x[i + threadIdx.x];
    float t = 0;
    for (int i = 0; i < n; ++i) t += a[(i * 7 + n) & 63];
    y[threadIdx.x] = t;
}
)";

} // namespace

class NvrtcTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void compilesAndAssembles();
    void resourcesAgreeWithPtxas();
    void errorNamesLine();
    void assertCompilesToNothing();
    void gateRefuses_data();
    void gateRefuses();
    void gateAccepts_data();
    void gateAccepts();
    void damagedCubins();
    void sourceIsCheckedFirst();

private:
    std::unique_ptr<ProgramCompiler> m_compiler;
};

void NvrtcTest::initTestCase()
{
    auto compiler = ProgramCompiler::create();
    QVERIFY2(compiler.has_value(), compiler ? "" : compiler.error().sentence().c_str());
    m_compiler = std::make_unique<ProgramCompiler>(std::move(*compiler));
}

void NvrtcTest::compilesAndAssembles()
{
    const auto answer = m_compiler->compile({twoKernels, {"-DSCALE=3"}, {"one", "two"}});
    QVERIFY(answer.has_value());
    QVERIFY2(answer->has_value(), *answer ? "" : (*answer).error().message.c_str());
    const CompiledProgram& program = **answer;
    QVERIFY(program.ptx.find(".visible .entry one(") != std::string::npos);
    QVERIFY(program.ptx.find(".target sm_80") != std::string::npos);
    QCOMPARE(program.ptxHash.size(), std::size_t(64));
    QCOMPARE(program.resources.size(), std::size_t(2));
    QCOMPARE(program.find("one")->staticShared, std::int64_t(400));
    QVERIFY(program.find("two")->localBytes >= 256);
    QVERIFY(program.find("one")->registers >= 8);
    QVERIFY(program.find("one")->localBytes == 0);
    QVERIFY(!program.find("three"));
    // Comments and the layout of the text do not change what runs.
    const auto again =
        m_compiler->compile({"// hello\n\n" + std::string(twoKernels), {"-DSCALE=3"}, {"one"}});
    QCOMPARE((**again).ptxHash, program.ptxHash);
    const auto other = m_compiler->compile({twoKernels, {"-DSCALE=4"}, {"one"}});
    QVERIFY((**other).ptxHash != program.ptxHash);
}

/// nvJitLink's own verbose log is the independent witness for what we read out of the ELF image.
void NvrtcTest::resourcesAgreeWithPtxas()
{
    const auto output = m_compiler->nvrtc().compile(twoKernels, {"-DSCALE=3"});
    QVERIFY(output && output->ok);
    const auto library = openCudaLibrary("libnvJitLink.so.13");
    QVERIFY(library.has_value());
    using Handle = void*;
    const auto create =
        reinterpret_cast<int (*)(Handle*, unsigned, const char**)>(library->symbol("nvJitLinkCreate"));
    const auto add = reinterpret_cast<int (*)(Handle, int, const void*, std::size_t, const char*)>(
        library->symbol("nvJitLinkAddData"));
    const auto complete = reinterpret_cast<int (*)(Handle)>(library->symbol("nvJitLinkComplete"));
    const auto logSize =
        reinterpret_cast<int (*)(Handle, std::size_t*)>(library->symbol("nvJitLinkGetInfoLogSize"));
    const auto getLog = reinterpret_cast<int (*)(Handle, char*)>(library->symbol("nvJitLinkGetInfoLog"));
    const auto destroy = reinterpret_cast<int (*)(Handle*)>(library->symbol("nvJitLinkDestroy"));
    for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
        const std::string option = std::string("-arch=") + arch;
        const char* options[] = {option.c_str(), "-lineinfo", "-verbose"};
        Handle handle = nullptr;
        QCOMPARE(create(&handle, 3, options), 0);
        QCOMPARE(add(handle, 2, output->ptx.c_str(), output->ptx.size() + 1, "p"), 0);
        QCOMPARE(complete(handle), 0);
        std::size_t size = 0;
        QCOMPARE(logSize(handle, &size), 0);
        std::string log(size, '\0');
        QCOMPARE(getLog(handle, log.data()), 0);
        QCOMPARE(destroy(&handle), 0);
        const auto ours = m_compiler->nvJitLink().assemble(output->ptx, arch);
        QVERIFY(ours && ours->ok);
        QCOMPARE(ours->kernels.size(), std::size_t(2));
        // The assembler's own lines: the linker's add what the driver reserves.
        const std::regex line("entry function '(\\w+)'[\\s\\S]*?(\\d+) bytes stack frame[\\s\\S]*?Used "
                              "(\\d+) registers([^\\n]*)");
        const std::regex shared("(\\d+) bytes smem");
        int seen = 0;
        for (std::sregex_iterator it(log.begin(), log.end(), line), end; it != end; ++it)
            for (const auto& k : ours->kernels)
                if (k.kernel == (*it)[1]) {
                    const std::string rest = (*it)[4];
                    std::smatch bytes;
                    QCOMPARE(k.localBytes, std::stol((*it)[2]));
                    QCOMPARE(k.registers, std::stoi((*it)[3]));
                    QCOMPARE(k.staticShared,
                             std::regex_search(rest, bytes, shared) ? std::stol(bytes[1]) : 0L);
                    ++seen;
                }
        QVERIFY2(seen == 2, log.c_str());
    }
}

void NvrtcTest::errorNamesLine()
{
    const auto answer = m_compiler->compile(
        {"\n\nextern \"C\" __global__ void k(float* y) {\n  y[0] = missing;\n}\n", {}, {"k"}});
    QVERIFY(answer && !*answer);
    QCOMPARE(answer->error().kind, CompileFailure::Kind::CompileError);
    QCOMPARE(answer->error().line, 4);
    QVERIFY2(answer->error().message.find("missing") != std::string::npos, answer->error().message.c_str());
    QVERIFY(answer->error().log.find("program.cu(4)") != std::string::npos);
}

void NvrtcTest::assertCompilesToNothing()
{
    // NDEBUG alone does not declare assert; without headers it is an unknown name, which is a compile error.
    const auto answer = m_compiler->compile(
        {"extern \"C\" __global__ void k(float* y) { if (threadIdx.x > 4) __trap(); y[0] = 1; }", {}, {"k"}});
    QVERIFY(answer && *answer);
}

void NvrtcTest::gateRefuses_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("names");
    const auto kernel = [](const char* name, QByteArray body, QByteArray names, QByteArray before = {}) {
        QTest::newRow(name) << before +
                                   "\nextern \"C\" __global__ void k(int n, const float* x, float* y) {\n" +
                                   body + "\n}\n"
                            << names;
    };
    kernel("device variable", "y[0] = cache; cache = x[0];", "cache", "__device__ float cache;");
    kernel("managed variable", "y[0] = cache; cache = x[0];", "attribute", "__managed__ float cache;");
    kernel("static variable", "static float cache; y[0] = cache; cache = x[0];", "cache");
    kernel("global in asm",
           "asm volatile(\"{ .global .u32 hidden; st.global.u32 [hidden], 1; }\"); y[0] = 1;", "hidden");
    kernel("parameter of no call", // nvJitLink crashes on it
           "asm volatile(\"{ .param .b32 q; st.param.b32 [q], %0; }\" :: \"r\"(n)); y[0] = 1;", "of no call");
    kernel("clock", "y[0] = (float)clock64();", "clock");
    kernel("clock in asm", "unsigned c; asm volatile(\"mov.u32 %0, %%clock;\" : \"=r\"(c)); y[0] = c;",
           "clock");
    kernel("globaltimer",
           "unsigned long long c; asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(c)); y[0] = c;",
           "globaltimer");
    kernel("smid", "unsigned c; asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(c)); y[0] = c;", "smid");
    kernel("nanosleep", "asm volatile(\"nanosleep.u32 100;\"); y[0] = 1;", "nanosleep");
    kernel("evict last",
           "unsigned long long p; float v; asm volatile(\"createpolicy.fractional.L2::evict_last.b64 %0, "
           "1.0;\" : \"=l\"(p)); y[0] = p;",
           "createpolicy");
    kernel("prefetch", "asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"(x)); y[0] = 1;", "prefetch");
    kernel("printf", "printf(\"%f\", x[0]); y[0] = 1;", "vprintf",
           "extern \"C\" __device__ int printf(const char*, ...);");
    kernel("malloc", "float* p = (float*)malloc(4); p[0] = 1; y[0] = p[n];", "malloc");
    kernel(
        "function pointers", "y[0] = table[n & 1](x[0]);", "",
        "typedef float (*F)(float);\n__device__ __noinline__ float a(float v) { return v + 1; }\n__device__ "
        "__noinline__ float b(float v) { return v * 2; }\n__constant__ F table[2] = {a, b};");
    kernel("missing kernel", "y[0] = 1;", "other");
}

void NvrtcTest::gateRefuses()
{
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, names);
    std::vector<std::string> kernels{"k"};
    if (QByteArray(QTest::currentDataTag()) == "missing kernel")
        kernels = {"other"};
    const auto answer = m_compiler->compile({code.toStdString(), {}, kernels});
    QVERIFY(answer.has_value());
    QVERIFY(!*answer);
    QVERIFY2(answer->error().kind == CompileFailure::Kind::Rejected, answer->error().log.c_str());
    QVERIFY2(answer->error().message.find(names.toStdString()) != std::string::npos,
             answer->error().message.c_str());
    qInfo("%s (line %d)", answer->error().message.c_str(), answer->error().line);
}

void NvrtcTest::gateAccepts_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("constant table") << QByteArray(
        "__constant__ float t[4] = {1, 2, 3, 4};\nextern \"C\" __global__ void k(int n, float* y) { "
        "y[threadIdx.x] = t[n & 3]; }");
    QTest::newRow("device function") << QByteArray(
        "__device__ __noinline__ float f(float a) { return a * 2 + 1; }\nextern \"C\" __global__ void k(int "
        "n, float* y) { y[threadIdx.x] = f(y[n]) + f(y[n + 1]); }");
    QTest::newRow("bounds and pragma")
        << QByteArray("extern \"C\" __global__ void __launch_bounds__(128, 4) k(int n, float* y) {\n#pragma "
                      "unroll 1\n for (int i = 0; i < n; ++i) y[i] += 1; }");
    QTest::newRow("warp things") << QByteArray(
        "extern \"C\" __global__ void k(int n, float* y) { extern __shared__ float s[]; float v = __ldg(y + "
        "threadIdx.x); s[threadIdx.x] = v; __syncwarp(); for (int o = 16; o; o >>= 1) v += "
        "__shfl_xor_sync(~0u, v, o); if (__any_sync(~0u, v > n)) atomicAdd(y, v); __threadfence(); }");
    QTest::newRow("template") << QByteArray(
        "template<int N> __device__ float g(const float* a) { float t = 0; for (int i = 0; i < N; ++i) t += "
        "a[i]; return t; }\nextern \"C\" __global__ void k(int n, float* y) { y[n] = g<4>(y); }");
}

void NvrtcTest::gateAccepts()
{
    QFETCH(QByteArray, code);
    const auto answer = m_compiler->compile({code.toStdString(), {}, {"k"}});
    QVERIFY(answer.has_value());
    QVERIFY2(answer->has_value(),
             *answer ? "" : (answer->error().message + "\n" + answer->error().log).c_str());
}

void NvrtcTest::damagedCubins()
{
    const auto answer = m_compiler->compile({twoKernels, {"-DSCALE=3"}, {"one"}});
    const std::string& cubin = (**answer).cubin;
    QVERIFY(!readCubinResources("").has_value());
    QVERIFY(!readCubinResources("\x7f"
                                "ELF")
                 .has_value());
    unsigned state = 7;
    for (int i = 0; i < 500; ++i) {
        std::string bad = cubin.substr(0, i % 3 ? cubin.size() : (state >> 8) % cubin.size());
        for (int k = 0; k < 8 && !bad.empty(); ++k) {
            state = state * 1664525u + 1013904223u;
            bad[(state >> 8) % bad.size()] = static_cast<char>(state >> 24);
        }
        (void)readCubinResources(bad); // Under the sanitizers this shows any read outside.
    }
}

void NvrtcTest::sourceIsCheckedFirst()
{
    const auto answer = m_compiler->compile({"#include \"/etc/hostname\"\n", {}, {}});
    QVERIFY(answer && !*answer);
    QCOMPARE(answer->error().kind, CompileFailure::Kind::Rejected);
    QVERIFY(answer->error().log.empty());
}

QTEST_GUILESS_MAIN(NvrtcTest)
#include "tst_nvrtc.moc"
