// SPDX-License-Identifier: Apache-2.0
// Data that a program only reads becomes constant memory; whatever else is done with it refuses the program.
#include "compile/program_compiler.h"
#include "ptx/constant_tables.h"

#include <QTest>
#include <memory>

using namespace sparserl;

namespace {

QByteArray program(const QByteArray& before, const QByteArray& body)
{
    return before + "\nextern \"C\" __global__ void k(int n, const float* x, float* y) {\n" + body + "\n}\n";
}

} // namespace

class ConstantTablesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void allowed_data();
    void allowed();
    void refused_data();
    void refused();
    void textOfTheRest();
    void handWritten_data();
    void handWritten();
    void longChainsAreLinear();

private:
    std::unique_ptr<ProgramCompiler> m_compiler;
};

void ConstantTablesTest::initTestCase()
{
    auto compiler = ProgramCompiler::create();
    QVERIFY2(compiler.has_value(), compiler ? "" : compiler.error().sentence().c_str());
    m_compiler = std::make_unique<ProgramCompiler>(std::move(*compiler));
}

void ConstantTablesTest::allowed_data()
{
    QTest::addColumn<QByteArray>("code");
    const auto row = [](const char* name, const QByteArray& before, const QByteArray& body) {
        QTest::newRow(name) << program(before, body);
    };
    const QByteArray table = "static const float T[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n";
    row("constexpr number", "constexpr int WARP = 32;", "y[threadIdx.x] = WARP;");
    row("static const number", "static const float ALPHA = 1.5f;", "y[threadIdx.x] = ALPHA;");
    row("const zero", "const int ZERO = 0;", "y[threadIdx.x] = ZERO;");
    row("never used, large, writable", "__device__ float cache[1 << 20];", "y[threadIdx.x] = 1;");
    row("pointers, never used", "__device__ float a; __device__ float* p = &a;", "y[threadIdx.x] = 1;");
    row("device table", "__device__ const float T[8] = {1, 2, 3, 4, 5, 6, 7, 8};",
        "y[threadIdx.x] = T[n & 7];");
    row("device variable that nothing writes", "__device__ float T[8] = {1, 2};",
        "y[threadIdx.x] = T[n & 7];");
    row("zeros that nothing writes", "__device__ float T[8];", "y[threadIdx.x] = T[n & 7];");
    row("device constexpr", "__device__ constexpr int T[4] = {4, 3, 2, 1};", "y[n] = T[n & 3];");
    row("static in the kernel", "", "static const int T[4] = {4, 3, 2, 1}; y[n] = T[n & 3];");
    row("structures",
        "struct P { int a; float b; char c; double d; };\n__device__ const P T[3] = {{1, 2, 3, 4}, {5, 6, 7, "
        "8}};",
        "y[n] = T[n & 1].b + T[n & 1].c + (float)T[n & 1].d;");
    row("vectors", "__device__ const float4 T[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};",
        "float4 v = T[n & 1]; y[n] = v.x + v.y + v.z + v.w;");
    row("a string", "", "const char* s = \"hello\"; y[n] = s[n & 3];");
    row("table or buffer", "__device__ const float T[8] = {1, 2};",
        "const float* p = n > 5 ? T : x; y[n] = p[n & 7];");
    row("table or constant", "__device__ const float T[8] = {1, 2};\n__constant__ float C[8] = {1, 2};",
        "const float* p = n > 5 ? T : C; y[n] = p[n & 7];");
    row("__ldg", "__device__ const float T[8] = {1, 2};", "y[n] = __ldg(T + (n & 7));");
    row("walked by pointer", "__device__ const float T[8] = {1, 2};",
        "float s = 0; for (const float* p = T + (n & 3); p != T + 8; ++p) s += *p * x[0]; y[n] = s;");
    row("passed to a function",
        "__device__ const float T[8] = {1, 2};\n__device__ __noinline__ float at(const float* p, int i) { "
        "return p[i & 7]; }",
        "y[n] = at(T, n) + at(x, n);");
    row("passed in a structure",
        "__device__ const float T[8] = {1, 2};\nstruct S { const float* p; int i; };\n__device__ "
        "__noinline__ float "
        "at(S s) { return s.p[s.i & 7]; }",
        "y[n] = at({T, n});");
    row("chosen by a function",
        "__device__ const float T[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};\n__device__ __noinline__ const "
        "float* row(int i) "
        "{ return T[i & 1]; }",
        "y[n] = row(n)[n & 3];");
    row("constant memory", "__constant__ float T[8] = {1, 2};",
        "y[n] = T[n & 7]; const float* p = n > 5 ? T : x; y[n + 1] = p[n & 7];");
    row("by inline assembly", "__device__ const float T[8] = {1, 2};",
        "float v; asm(\"{ .reg .u64 a; mov.u64 a, %1; ld.f32 %0, [a+4]; }\" : \"=f\"(v) : \"l\"(T)); y[n] = "
        "v;");
    QTest::newRow("64 KiB") << program("__constant__ float C[8192];\n__device__ float D[8192];",
                                       "y[n] = C[n & 8191] + D[n & 8191];");
}

void ConstantTablesTest::allowed()
{
    QFETCH(QByteArray, code);
    // nvJitLink assembles what came out: an independent witness that it is PTX.
    const auto answer = m_compiler->compile({code.toStdString(), {}, {"k"}});
    QVERIFY(answer.has_value());
    QVERIFY2(answer->has_value(),
             *answer ? "" : (answer->error().message + "\n" + answer->error().log).c_str());
    QVERIFY2((**answer).ptx.find(".global .align") == std::string::npos, (**answer).ptx.c_str());
    // What passed once passes again, unchanged.
    QVERIFY(m_compiler->assemble({(**answer).ptx, {"k"}, "sm_80"})->has_value());
}

void ConstantTablesTest::refused_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QByteArray& before, const QByteArray& body,
                        const QByteArray& says = "'T'") {
        QTest::newRow(name) << program(before, body) << says;
    };
    const QByteArray t = "__device__ float T[8] = {1, 2};\n";
    const QByteArray c = "__constant__ float T[8] = {1, 2};\n";
    row("stored to", t, "T[n & 7] = x[n];");
    row("stored to at a fixed place", t, "T[3] = x[n]; y[n] = T[2];");
    row("added to", t, "atomicAdd(&T[n & 7], 1.f);");
    row("exchanged", t, "y[n] = atomicExch(&T[n & 7], 1.f);");
    row("stored to as a constant", c,
        "asm volatile(\"{ .reg .u64 a; cvta.const.u64 a, T; st.f32 [a], 0f00000000; }\"); y[n] = T[1];");
    row("stored to through a choice", t, "float* p = n > 5 ? T : y; p[n & 7] = 1;");
    row("stored to by a function", t + "__device__ __noinline__ void put(float* p, float v) { p[2] = v; }",
        "put(T, x[n]); put(y, T[3]);");
    row("stored to by a function of a function",
        t + "__device__ __noinline__ void put(float* p, float v) { p[2] = v; }\n__device__ __noinline__ void "
            "both(float* "
            "p, float v) { put(p, v); put(p + 1, v); }",
        "both(T, x[n]); both(y, T[3]);");
    row("stored to where a function points",
        t + "__device__ __noinline__ float* where(int i) { return T + i; }", "*where(n & 7) = x[n];");
    row("the address is stored", t, "((float**)y)[n] = T;");
    row("the address is stored in shared memory", t,
        "__shared__ float* s[4]; s[n & 3] = T; __syncthreads(); y[n] = *s[threadIdx.x & 3];");
    row("the address is stored in local memory", t,
        "float* volatile s[4]; s[n & 3] = T; y[n] = *s[threadIdx.x & 3];");
    row("the address is a number", t, "y[n] = (float)(unsigned long long)T;");
    row("the address is compared", t, "y[n] = (unsigned long long)T > 0x700000000000ull ? 1 : 0;");
    row("the address is compared with a buffer", t, "y[n] = T < y ? 1 : 0;");
    row("the address is shuffled", t,
        "unsigned long long a = __shfl_sync(~0u, (unsigned long long)T, 3); y[n] = *(float*)a;");
    row("the address is multiplied", t, "*(float*)((unsigned long long)T * n) = 1;");
    row("the distance to a buffer", t, "y[n] = y[n] + ((long long)y - (long long)T);");
    row("the sum with a buffer", t, "*(float*)((unsigned long long)T + (unsigned long long)y) = 1;");
    row("the half of an address", t, "y[n] = (float)(unsigned)(unsigned long long)T;");
    row("the address as a float", t, "y[n] = __longlong_as_double((long long)T);");
    row("the distance of two places", t,
        "const float* p = T; while (*p < x[0] && p < T + 7) ++p; y[n] = p - T;");
    row("volatile", "__device__ volatile float T[8] = {1, 2};", "y[n] = T[n & 7];");
    row("stored to by assembly", t, "asm volatile(\"st.global.f32 [T], 0f00000000;\"); y[n] = T[1];");
    row("stored to by assembly through a register", t,
        "asm volatile(\"{ .reg .u64 a; mov.u64 a, T; st.global.f32 [a], 0f00000000; }\"); y[n] = T[1];");
    row("stored to by assembly through a half", t,
        "asm volatile(\"{ .reg .u64 a; .reg .b32 l, h; mov.u64 a, T; mov.b64 {l, h}, a; mov.b64 a, {l, h}; "
        "st.global.f32 [a], 0f00000000; }\"); y[n] = T[1];");
    row("stored to by assembly through a parameter", t,
        "asm volatile(\"{ .reg .u64 a; .param .b64 q; mov.u64 a, T; st.param.b64 [q], a; ld.param.u64 a, "
        "[q]; st.global.f32 [a], 0f00000000; }\"); y[n] = T[1];");
    row("read as shared", t,
        "float v; asm volatile(\"{ .reg .u64 a; mov.u64 a, T; ld.shared.f32 %0, [a]; }\" : \"=f\"(v)); y[n] "
        "= v + T[1];");
    row("inside a function", "",
        "asm volatile(\"{ .global .u32 hidden = 1; ld.global.u32 %0, [hidden]; }\" : \"=r\"(n)); y[0] = n;",
        "hidden");
    row("constant inside a function", "",
        "asm volatile(\"{ .const .u32 hidden = 1; ld.const.u32 %0, [hidden]; }\" : \"=r\"(n)); y[0] = n;",
        "hidden");
    row("a table of addresses", "__device__ float a = 1, b = 2; __device__ float* const T[2] = {&a, &b};",
        "y[n] = *T[n & 1];");
    row("too much", "__constant__ float C[8192];\n__device__ float T[8193];",
        "y[n] = C[n & 8191] + T[n & 8191];", "65540");
    row("managed", "__managed__ float T;", "y[n] = T; T = 1;", "attribute");
}

void ConstantTablesTest::refused()
{
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    const auto answer = m_compiler->compile({code.toStdString(), {}, {"k"}});
    QVERIFY(answer.has_value());
    QVERIFY2(!*answer, *answer ? (**answer).ptx.c_str() : "");
    QVERIFY2(answer->error().kind == CompileFailure::Kind::Rejected, answer->error().log.c_str());
    QVERIFY2(answer->error().message.find(says.toStdString()) != std::string::npos,
             answer->error().message.c_str());
}

/// Nothing but the words that must change does; a program without such data keeps its text.
void ConstantTablesTest::textOfTheRest()
{
    const std::string head = ".version 9.0\n.target sm_80\n.address_size 64\n";
    const std::string plain = head + ".visible .entry k(.param .u64 a)\n{\nret;\n}\n";
    auto module = ptx::parse(plain);
    auto tables = ptx::constantTables(plain, *module);
    QVERIFY(!tables.changed && !tables.refused);
    QCOMPARE(tables.text, plain);
    const std::string text =
        head +
        ".visible .global .align 4 .b8 T[8] = {1, 2}; // T\n.global .u32 U = 5;\n"
        ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<5>; .reg .f32 %f<3>; .reg .pred %p;\n"
        "/* mov.u64 %rd1, T; */ mov.u64 %rd1, T+4; @%p ld.global.nc.v2.f32 {%f1, %f2}, [%rd1+-4];\n"
        "cvta.global.u64 %rd2, %rd1; cvta.to.global.u64 %rd3, %rd2; ld.global.f32 %f1, [T+4];\nret;\n}\n";
    const std::string expected =
        head + ".visible .const .align 4 .b8 T[8] = {1, 2}; // T\n\n"
               ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<5>; .reg .f32 %f<3>; .reg .pred %p;\n"
               "/* mov.u64 %rd1, T; */ cvta.const.u64 %rd1, T+4; @%p ld.v2.f32 {%f1, %f2}, [%rd1+-4];\n"
               "mov.b64 %rd2, %rd1; mov.b64 %rd3, %rd2; ld.const.f32 %f1, [T+4];\nret;\n}\n";
    module = ptx::parse(text);
    QVERIFY(module.has_value());
    tables = ptx::constantTables(text, *module);
    QVERIFY2(!tables.refused, tables.refused ? tables.refused->reason.c_str() : "");
    QVERIFY(tables.changed);
    QCOMPARE(tables.text, expected);
}

/// What no compiler writes: names that hide each other, addresses of two spaces in one register.
void ConstantTablesTest::handWritten_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("good");
    QTest::newRow("a register hides the table")
        << QByteArray(".reg .u64 T; mov.u64 T, %rd4; st.global.u32 [T], 1;") << true;
    QTest::newRow("a register of an inner block hides it")
        << QByteArray("{ .reg .u64 T; mov.u64 T, %rd4; } st.global.u32 [T], 1;") << false;
    QTest::newRow("shared memory hides it") << QByteArray(".shared .u32 T; st.shared.u32 [T], 1;") << true;
    QTest::newRow("two spaces") << QByteArray("mov.u64 %rd1, C; @%p mov.u64 %rd1, T; ld.u32 %r1, [%rd1];")
                                << false;
    QTest::newRow("constant address as generic")
        << QByteArray("mov.u64 %rd1, C; ld.u32 %r1, [%rd1];") << false;
    QTest::newRow("constant address as global")
        << QByteArray("mov.u64 %rd1, C; st.global.u32 [%rd1], 1;") << false;
    QTest::newRow("constant address read as constant")
        << QByteArray("mov.u64 %rd1, C; ld.const.u32 %r1, [%rd1];") << true;
    QTest::newRow("converted twice")
        << QByteArray("cvta.const.u64 %rd1, C; cvta.const.u64 %rd2, %rd1; ld.u32 %r1, [%rd2];") << false;
    QTest::newRow("there and back")
        << QByteArray("cvta.const.u64 %rd1, C; cvta.to.const.u64 %rd2, %rd1; ld.const.u32 %r1, [%rd2];")
        << true;
    QTest::newRow("to shared")
        << QByteArray("cvta.global.u64 %rd1, T; cvta.to.shared.u64 %rd2, %rd1; ld.shared.u32 %r1, [%rd2];")
        << false;
    QTest::newRow("backwards")
        << QByteArray(
               "bra M; A: st.global.u32 [%rd2], 1; ret; M: mov.b64 %rd2, %rd1; mov.u64 %rd1, T; bra A;")
        << false;
    QTest::newRow("round a loop")
        << QByteArray(
               "A: mov.b64 %rd3, %rd2; mov.b64 %rd2, %rd1; mov.u64 %rd1, T; st.global.u32 [%rd3], 1; bra A;")
        << false;
    QTest::newRow("red") << QByteArray("red.global.add.u32 [T], 1;") << false;
    QTest::newRow("selected") << QByteArray(
                                     "mov.u64 %rd1, T; selp.b64 %rd2, %rd1, %rd4, %p; st.u32 [%rd2], 1;")
                              << false;
    QTest::newRow("mad as addend")
        << QByteArray("mov.u64 %rd1, T; mad.wide.u32 %rd2, %r1, 4, %rd1; ld.global.u32 %r2, [%rd2];") << true;
    QTest::newRow("mad as factor")
        << QByteArray("mov.u64 %rd1, T; mad.lo.s64 %rd2, %rd1, 4, %rd4; ld.global.u32 %r2, [%rd2];") << false;
    QTest::newRow("xor") << QByteArray(
                                "mov.u64 %rd1, T; xor.b64 %rd2, %rd1, %rd4; ld.global.u32 %r2, [%rd2];")
                         << false;
    QTest::newRow("isspacep") << QByteArray("mov.u64 %rd1, T; isspacep.const %p, %rd1;") << false;
    QTest::newRow("relaxed") << QByteArray("ld.relaxed.gpu.global.u32 %r1, [T];") << false;
    QTest::newRow("32 bits") << QByteArray("mov.u32 %r1, C;") << false;
    QTest::newRow("asynchronous copy")
        << QByteArray("mov.u64 %rd1, T; cp.async.ca.shared.global [S], [%rd1], 4;") << false;
}

void ConstantTablesTest::handWritten()
{
    QFETCH(QByteArray, body);
    QFETCH(bool, good);
    const std::string text = ".version 9.0\n.target sm_80\n.address_size 64\n.global .u32 T[4] = {1, "
                             "2};\n.const .u32 C[4] = {3};\n"
                             ".shared .align 16 .b8 S[64];\n.visible .entry k(.param .u64 a)\n{\n.reg .b64 "
                             "%rd<5>; .reg .b32 %r<5>; "
                             ".reg .pred %p;\nld.param.u64 %rd4, [a];\n" +
                             body.toStdString() + "\nret;\n}\n";
    const auto module = ptx::parse(text);
    QVERIFY2(module.has_value(), module ? "" : module.error().sentence().c_str());
    const auto tables = ptx::constantTables(text, *module);
    QCOMPARE(!tables.refused, good);
}

/// A register is looked at once for each value it passes on, in whichever order the text has them.
void ConstantTablesTest::longChainsAreLinear()
{
    std::string body;
    const int count = 20000;
    for (int i = count - 1; i > 0; --i)
        body += "mov.b64 %rd" + std::to_string(i) + ", %rd" + std::to_string(i - 1) + ";\n";
    const std::string text = ".version 9.0\n.target sm_80\n.address_size 64\n.global .u32 T[4] = {1, 2};\n"
                             ".visible .entry k()\n{\n.reg .b64 %rd<" +
                             std::to_string(count) + ">;\n" + body + "mov.u64 %rd0, T;\nst.global.u32 [%rd" +
                             std::to_string(count - 1) + "], 1;\nret;\n}\n";
    const auto module = ptx::parse(text);
    QVERIFY(module.has_value());
    QVERIFY(ptx::constantTables(text, *module).refused.has_value());
}

QTEST_GUILESS_MAIN(ConstantTablesTest)
#include "tst_constant_tables.moc"
