// SPDX-License-Identifier: Apache-2.0
// What a program asks for and cannot have is a fault of that program, never an error of the machinery; and
// data that nothing may write can be read.
#include "ptx_text.h"

#include <QTest>
#include <fmt/format.h>

using namespace sparserl;
using namespace sparserl::harness;

class TestLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asksTooMuch_data();
    void asksTooMuch();
    void callsOfAnyDepth();
    void wrongArguments();
    void readOnlyVariables();
    void variablesAreNotWritten_data();
    void variablesAreNotWritten();
    void namesAndCallsAreLinear();
};

namespace {

std::string chain(int depth, const std::string& body = "ret;")
{
    std::string text;
    for (int i = depth; i > 0; --i)
        text += fmt::format(".func f{}()\n{{\n{}\n{}\n}}\n", i,
                            i < depth ? fmt::format("call f{};", i + 1) : "", body);
    return text;
}

std::string repeated(const std::string& text, int count)
{
    std::string result;
    for (int i = 0; i < count; ++i)
        result += fmt::format(fmt::runtime(text), i);
    return result;
}

} // namespace

void TestLimits::asksTooMuch_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QByteArray>("message");
    auto row = [](const char* name, const std::string& before, const std::string& body, const char* message) {
        QTest::newRow(name) << QString::fromStdString(before) << QString::fromStdString(body)
                            << QByteArray(message);
    };
    row("local memory", "", ".local .b8 big[1048576];", "1048576 bytes of local memory a thread");
    row("local memory of calls", ".func f()\n{\n.local .b8 part[300000];\nret;\n}\n", "call f; call f;",
        "bytes of local memory a thread");
    row("constants", ".const .b8 table[65537];\n", "", "more than 64 KiB");
    row("variables", ".global .b8 table[40000000] = {1};\n.global .b8 other[40000000] = {1};\n", "",
        "more than 65536 KiB");
    row("shared memory", ".shared .b8 table[300000];\n", "", "of shared memory: at most");
    row("registers", "", ".reg .b32 %q<140000>;\n" + repeated("mov.u32 %q{}, 0;\n", 140000), "registers");
    row("calls too deep", chain(600), "call f1;", "nested more than 512 deep");
    // Calls of calls of calls, with nothing inside: two to the power of 40 of them.
    std::string doubling;
    for (int i = 40; i > 0; --i)
        doubling += i == 40 ? ".func f40()\n{\n}\n"
                            : fmt::format(".func f{0}()\n{{\ncall f{1}; call f{1};\n}}\n", i, i + 1);
    row("calls too many", doubling, "call f1;", "more than 65536 calls");
    std::string longer;
    for (int i = 30; i > 0; --i)
        longer += i == 30 ? ".func f30()\n{\nret;\n}\n"
                          : fmt::format(".func f{0}()\n{{\ncall f{1}; call f{1};\nret;\n}}\n", i, i + 1);
    row("code too long", longer, "call f1;", "more than");
    row("parameter beyond the end", "", "ld.param.u64 %a3, [n+4];", "beyond the parameters");
    row("parameter before the start", "", "ld.param.u32 %r4, [x+-4];", "beyond the parameters");
    row("parameter of a call beyond the end",
        ".func f(.param .b32 p)\n{\n.reg .b64 %q<2>;\nld.param.b64 %q0, [p];\nret;\n}\n",
        "{ .param .b32 a; st.param.b32 [a], 1; call f, (a); }", "goes beyond the parameter");
    row("argument of a call beyond the end", ".func f(.param .b32 p)\n{\nret;\n}\n",
        "{ .param .b32 a; st.param.b32 [a+4], 1; call f, (a); }", "goes beyond the parameter");
    row("write to a parameter", "", "st.param.u32 [n], 1;", "can only be read");
}

void TestLimits::asksTooMuch()
{
    QFETCH(QString, before);
    QFETCH(QString, body);
    QFETCH(QByteArray, message);
    Bench bench = kernelBench(kernelText(body.toStdString(), before.toStdString()), 1, 32);
    QVERIFY(!ptx::firstUnsupported(bench.module));
    for (const Checks checks : {Checks::None, Checks::All}) {
        const ExecutionResult result = bench.run(std::vector<float>(1024, 1.0f), 1, checks);
        QVERIFY(result.fault);
        QCOMPARE(int(result.fault->kind), int(FaultKind::LaunchError));
        QVERIFY2(result.fault->message.find(message.toStdString()) != std::string::npos,
                 result.fault->message.c_str());
    }
}

void TestLimits::callsOfAnyDepth()
{
    // Each of 200 functions adds one to what it is given.
    std::string functions;
    for (int i = 200; i > 0; --i)
        functions += fmt::format(
            ".func (.param .b32 out) f{0}(.param .b32 in)\n{{\n.reg .b32 %q<3>;\nld.param.b32 %q0, "
            "[in];\nadd.u32 "
            "%q0, %q0, 1;\n{1}st.param.b32 [out], %q0;\nret;\n}}\n",
            i,
            i < 200
                ? fmt::format("{{ .param .b32 a; .param .b32 b; st.param.b32 [a], %q0; call (b), f{}, (a); "
                              "ld.param.b32 %q0, [b]; }}\n",
                              i + 1)
                : "");
    Bench bench = kernelBench(kernelText("{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), "
                                         "f1, (a); ld.param.b32 %r5, [b]; "
                                         "}\n" +
                                             toOutput("%r5"),
                                         functions),
                              2, 32, 64);
    QVERIFY(!ptx::firstUnsupported(bench.module));
    const ExecutionResult result = bench.run(std::vector<float>(64, 1.0f));
    QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
    const auto bits = bitsOf(floats(result.outputs.at(0)));
    for (std::uint32_t i = 0; i < 64; ++i)
        QCOMPARE(bits[i], i + 200);
}

void TestLimits::wrongArguments()
{
    for (const int given : {3, 5}) {
        Bench bench = kernelBench(kernelText(""), 1, 32);
        bench.plan.launches[0].arguments.resize(given, number(1));
        const ExecutionResult result = bench.run(std::vector<float>(1024, 1.0f));
        QVERIFY(result.fault && result.fault->kind == FaultKind::LaunchError);
    }
}

void TestLimits::readOnlyVariables()
{
    const std::string before =
        ".global .align 4 .u32 WARP = 32;\n.global .align 4 .f32 ALPHA = 0f3FC00000;\n"
        ".visible .global .align 4 .b8 T[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};\n"
        ".global .align 8 .u64 ZERO = 0;\n.const .align 4 .u32 C = 7;\n";
    // Directly, by a generic address, by one for global memory, and as vectors.
    const std::string body =
        "ld.global.u32 %r4, [WARP]; ld.global.nc.f32 %f0, [ALPHA]; cvt.rzi.u32.f32 %r5, %f0; ld.global.u32 "
        "%r6, "
        "[T+8]; mov.u64 %a3, T; cvta.global.u64 %a4, %a3; and.b32 %r7, %r1, 3; mul.wide.u32 %a5, %r7, 4; "
        "add.u64 %a6, "
        "%a4, %a5; ld.u32 %r8, [%a6]; cvta.to.global.u64 %a7, %a6; ld.global.nc.u32 %r9, [%a7]; "
        "ld.global.u64 %a8, "
        "[ZERO]; cvt.u32.u64 %r10, %a8; ld.const.u32 %r11, [C]; mov.u64 %a9, WARP; ld.u32 %r12, [%a9];\n"
        "add.u32 %r13, %r4, %r5; add.u32 %r13, %r13, %r6; add.u32 %r13, %r13, %r8; add.u32 %r13, %r13, %r9; "
        "add.u32 "
        "%r13, %r13, %r10; add.u32 %r13, %r13, %r11; add.u32 %r13, %r13, %r12;\n" +
        toOutput("%r13");
    for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
        Bench bench = kernelBench(kernelText(body, before), 2, 32, 64);
        QVERIFY(!ptx::firstUnsupported(bench.module));
        const ExecutionResult result = bench.run(std::vector<float>(64, 1.0f), 1, checks);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        const auto bits = bitsOf(floats(result.outputs.at(0)));
        for (std::uint32_t i = 0; i < 64; ++i)
            QCOMPARE(bits[i], 32 + 1 + 3 + 2 * (i % 4 + 1) + 0 + 7 + 32);
    }
}

void TestLimits::variablesAreNotWritten_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("store") << QByteArray("mov.u64 %a3, T; st.global.u32 [%a3], 1;");
    QTest::newRow("store by name") << QByteArray("st.global.u32 [T+4], 1;");
    QTest::newRow("generic store") << QByteArray(
        "mov.u64 %a3, T; cvta.global.u64 %a4, %a3; st.u32 [%a4], 1;");
    QTest::newRow("atomic") << QByteArray("mov.u64 %a3, T; atom.global.add.u32 %r5, [%a3], 1;");
    QTest::newRow("reduction") << QByteArray("mov.u64 %a3, T; red.global.add.u32 [%a3], 1;");
    QTest::newRow("beyond") << QByteArray("ld.global.u32 %r5, [T+16];");
    QTest::newRow("as constant memory") << QByteArray("mov.u64 %a3, T; ld.const.u32 %r5, [%a3];");
}

void TestLimits::variablesAreNotWritten()
{
    QFETCH(QByteArray, body);
    for (const Checks checks : {Checks::None, Checks::All}) {
        Bench bench = kernelBench(
            kernelText(body.toStdString(), ".global .align 4 .u32 T[4] = {1, 2, 3, 4};\n"), 1, 32);
        const ExecutionResult result = bench.run(std::vector<float>(1024, 1.0f), 1, checks);
        QVERIFY(result.fault);
        QCOMPARE(int(result.fault->kind), int(FaultKind::OutOfBounds));
    }
}

void TestLimits::namesAndCallsAreLinear()
{
    // Tens of thousands of variables, each used, and of functions that each call the next: looking names up
    // one by one, or a stack as deep as the calls, would not survive this.
    std::string before = repeated(".const .b8 v{};\n", 20000),
                body = repeated("ld.const.u8 %r4, [v{}];\n", 20000);
    auto module = ptx::parse(kernelText(body, before + chain(20000)));
    QVERIFY(module.has_value());
    QVERIFY(!ptx::firstUnsupported(*module));
    auto endless = ptx::parse(
        kernelText("call f1;", chain(20000) + ".func g()\n{\ncall h;\n}\n.func h()\n{\ncall g;\n}\n"));
    QVERIFY(endless.has_value());
    QVERIFY(ptx::firstUnsupported(*endless));
    // Tables of branch targets multiply what is executed.
    std::string table = "T: .branchtargets ";
    for (int i = 0; i < 1000; ++i)
        table += i ? ", L" : "L";
    QVERIFY(
        !ptx::parse(kernelText(table + ";\n" + repeated("@%p0 brx.idx %r1, T; // {}\n", 10000) + "L:\n")));
}

QTEST_GUILESS_MAIN(TestLimits)
#include "tst_limits.moc"
