// SPDX-License-Identifier: Apache-2.0
// PTX text to a module, what is supported, and the hash that ignores debug lines.
#include "ptx/module.h"
#include "ptx/tokens.h"

#include <QTest>
#include <fstream>
#include <sstream>

using namespace sparserl;

namespace {

const std::string head = ".version 9.0\n.target sm_80\n.address_size 64\n";

std::string kernel(const std::string& body, const std::string& before = {})
{
    return head + before + ".visible .entry k(.param .u64 a, .param .align 8 .b8 s[16], .param .u32 n)\n{\n" +
           ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b16 %h<4>;\n" + body +
           "\nret;\n}\n";
}

std::string fixture(const std::string& name)
{
    std::ifstream file(std::string(SPARSERL_SOURCE_DIR) + "/tests/device/data/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

class PtxTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commentsSplitTokens();
    void parametersAndDirectives();
    void linesOfInlinedCode();
    void scopes();
    void numbers();
    void rejects_data();
    void rejects();
    void allows_data();
    void allows();
    void fragments();
    void malformedNeverCrashes();
    void hashIgnoresLines();
};

void PtxTest::commentsSplitTokens()
{
    const auto tokens = ptx::tokenize("mov.u32 %r1, %cl/**/ock; // x\n%a::b 0f3F800000 -1");
    QVERIFY(tokens.has_value());
    std::vector<std::string> texts;
    for (const ptx::Token& token : *tokens)
        texts.emplace_back(token.text);
    const std::vector<std::string> expected{"mov.u32", "%r1",        ",", "%cl", "ock", ";",
                                            "%a::b",   "0f3F800000", "-", "1",   ""};
    QCOMPARE(texts, expected);
    QCOMPARE((*tokens)[6].line, 2);
    QVERIFY(!ptx::tokenize("/* no end"));
    QVERIFY(!ptx::tokenize("# 1 \"other\""));
    QVERIFY(!ptx::tokenize("\"no end\n"));
}

void PtxTest::parametersAndDirectives()
{
    const auto module = ptx::parse(
        head + ".const .align 4 .b8 t[8] = {1, 0, 0, 0, 2};\n.extern .shared .align 16 .b8 d[];\n"
               ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 s[16])\n"
               ".maxntid 128, 2\n.minnctapersm 3\n{ .shared .align 8 .f64 q[4][2]; ret; }\n");
    QVERIFY2(module, module ? "" : module.error().what.c_str());
    const ptx::Function* k = module->find("k");
    QVERIFY(k && k->entry);
    QCOMPARE(k->params.size(), std::size_t(2));
    QCOMPARE(k->params[0].bytes, std::int64_t(8));
    QVERIFY(!k->params[0].array && k->params[1].array);
    QCOMPARE(k->params[1].bytes, std::int64_t(16));
    QCOMPARE(k->params[1].alignment, std::int64_t(8));
    QCOMPARE(k->maxntid[1], std::int64_t(2));
    QCOMPARE(k->maxntid[2], std::int64_t(1));
    QCOMPARE(k->minnctapersm, std::int64_t(3));
    QCOMPARE(k->variables.at(0).bytes, std::int64_t(64));
    QCOMPARE(module->variables.at(0).initial.size(), std::size_t(8));
    QCOMPARE(int(module->variables.at(0).initial.at(4)), 2);
    QCOMPARE(module->variables.at(1).bytes, std::int64_t(0));
}

void PtxTest::linesOfInlinedCode()
{
    const auto module = ptx::parse(
        kernel(".loc 1 7 3\nmov.u32 %r1, 1;\n.loc 2 440 9, function_name $L, inlined_at 1 9 5\n"
               "mov.u32 %r2, 2;\n.loc 1 3 1, function_name $L+4, inlined_at 1 11 2\nmov.u32 %r3, 3;\n"
               ".loc 2 9 9, function_name $L, inlined_at 2 440 9\nmov.u32 %r4, 4;\n") +
        ".file 1 \"/build/program.cu\"\n.file 2 \"/cuda/include/x.hpp\"\n");
    QVERIFY2(module, module ? "" : module.error().what.c_str());
    const auto& code = module->find("k")->instructions;
    QCOMPARE(code[0].line, 7);
    QCOMPARE(code[1].line, 9); // a header's line is charged to the call in the program
    QCOMPARE(code[2].line, 3); // a function of the program keeps its own line
    QCOMPARE(code[3].line, 9); // through two levels of headers
}

void PtxTest::scopes()
{
    const auto module = ptx::parse(kernel("mov.u32 %r1, 1;\n{ .reg .b32 %r1; .reg .pred q; setp.eq.s32 q, "
                                          "%r1, 0; @q bra L; mov.u32 %r1, 2;\nL: }\n"
                                          "mov.u32 %r1, 3;\nbra END;\nEND:"));
    QVERIFY2(module, module ? "" : module.error().what.c_str());
    const auto& code = module->find("k")->instructions;
    QVERIFY(code[0].operands[0].index != code[3].operands[0].index);
    QCOMPARE(code[0].operands[0].index, code[4].operands[0].index);
    QCOMPARE(code[2].operands[0].index, 4);
    QVERIFY(!ptx::parse(kernel("{ .reg .b32 inner; }\nmov.u32 inner, 1;")).has_value() ||
            ptx::firstUnsupported(*ptx::parse(kernel("{ .reg .b32 inner; }\nmov.u32 inner, 1;"))));
    QVERIFY(!ptx::parse(kernel("mov.u32 %r9, 1;"))); // %r<9> ends at %r8
    QVERIFY(!ptx::parse(kernel("mov.u32 %r08, 1;")));
    QVERIFY(!ptx::parse(kernel("bra NOWHERE;")));
}

void PtxTest::numbers()
{
    const auto module = ptx::parse(kernel(
        "mov.u32 %r1, 0x1F; mov.u32 %r2, 010; mov.u32 %r3, 0b101; mov.u32 %r4, -1; mov.f32 %f1, 0f3F800000;"
        "mov.f32 %f2, 1.5; mov.u32 %r5, 4294967295U; ld.global.u32 %r6, [%rd1+-8];"));
    QVERIFY2(module, module ? "" : module.error().what.c_str());
    const auto& code = module->find("k")->instructions;
    const std::vector<std::uint64_t> expected{
        31, 8, 5, ~std::uint64_t(0), 0x3f800000, 0x3ff8000000000000, 4294967295};
    for (std::size_t i = 0; i < expected.size(); ++i)
        QCOMPARE(code[i].operands[1].bits, expected[i]);
    QCOMPARE(code[7].operands[1].offset, std::int64_t(-8));
}

void PtxTest::rejects_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("reason");
    auto row = [](const char* body, const char* reason) {
        QTest::newRow(body) << QByteArray(body) << QByteArray(reason);
    };
    row("mov.u32 %r1, %clock;", "'%clock' is not allowed");
    row("mov.u64 %rd1, %globaltimer;", "'%globaltimer' is not allowed");
    row("mov.u32 %r1, %smid;", "'%smid' is not allowed");
    row("mov.u32 %r1, %warpid;", "'%warpid' is not allowed");
    row("nanosleep.u32 100;", "'nanosleep.u32' is not allowed");
    row("ld.global.L2::no_such_hint.f32 %f1, [%rd1];", "is not allowed");
    row("add.L2::128B.s32 %r1, %r2, %r3;", "is not allowed");
    row("cp.async.ca.shared.global [%r1], [%rd1], 12;", "does not copy 12 bytes");
    row("cp.async.cg.shared.global [%r1], [%rd1], 8;", "does not copy 8 bytes");
    row("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, "
        "{%f1, "
        "%f2, %f3, %f4};",
        "operand 1");
    // wmma: other types, registers and strides than there are.
    row("wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r1, %r2}, [%rd1], 16;", "is not allowed");
    row("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd1], 16;",
        "is not allowed");
    row("wmma.load.d.sync.aligned.row.m16n16k8.global.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1], "
        "16;",
        "is not allowed");
    row("wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1], "
        "16;",
        "is not allowed");
    row("wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%f1, %f2, %f3, %f4}, [%rd1], 16;",
        "is not allowed");
    row("wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd1], %rd2;", "operand");
    row("wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%r1], 16;", "operand 2");
    row("wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd1], %tid.x;",
        "is not allowed");
    row("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%rd1, %rd2}, {%rd1}, {%rd1}, {%rd1, %rd2};",
        "is not allowed");
    row("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f64 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1}, "
        "{%r1}, {%r1};",
        "is not allowed");
    row("griddepcontrol.wait;", "'griddepcontrol.wait' is not allowed");
    row("elect.sync %r1|%p1, -1;", "'elect.sync' is not allowed");
    row("red.global.add.v2.f32 [%rd1], {%f1, %f2};", "'red.global.add.v2.f32' is not allowed");
    row(".global .u32 cache;", "'cache' is not allowed");
    row("call (%r1), %rd1, (%r2), proto;", "indirect call");
    row("call.uni malloc, ();", "'malloc' is not allowed");
    row("add.s32 %r1, %rd1, %r2;", "operand 2");
    row("add.s32 %r1, %r2;", "takes 3 operands");
    row("ld.global.u32 %h1, [%rd1];", "operand 1");
    row("ld.global.u32 %r1, [%r2];", "operand 2");
    row("brkpt;", "'brkpt' is not allowed");
    row("barrier.cta.sync 0;", "'barrier.cta.sync' is not allowed");
    row("mov.u64 %rd1, k;", "operand 2");
    row("ts: .branchtargets L_a, L_b; brx.idx !r1, ts; L_a: L_b: ret;", "operand 2");
    row("ts: .branchtargets L_a, L_b; brx.idx L_a, ts; L_a: L_b: ret;", "operand 2");
}

void PtxTest::rejects()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, reason);
    const auto module = ptx::parse(kernel(body.toStdString()));
    if (!module)
        return; // refused even earlier
    const auto unsupported = ptx::firstUnsupported(*module);
    QVERIFY(unsupported);
    QVERIFY2(unsupported->reason.find(reason.toStdString()) != std::string::npos,
             unsupported->reason.c_str());
}

void PtxTest::allows_data()
{
    QTest::addColumn<QByteArray>("body");
    for (const char* body :
         {"mov.pred %p1, -1;",
          "mov.b64 {%r1, %r2}, %rd1;",
          "mov.b32 %r1, {%h1, %h2};",
          "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;",
          "@!%p1 ret;",
          "ld.param.u32 %r1, [s+4];",
          "setp.lt.and.s32 %p1|%p2, %r1, 0, !%p0;",
          "atom.global.add.f32 %f1, [%rd1], %f2;",
          "red.global.add.u32 [%rd1+8], 1;",
          "bar.sync 0;",
          "bar.red.popc.u32 %r1, 0, %p1;",
          "ld.global.nc.v4.f32 {%f1, %f2, %f3, _}, [%rd1];",
          "ld.global.u8 %h1, [%rd1];",
          "membar.gl;",
          "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
          "prefetch.global.L2 [%rd1];",
          "ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, %f2, %f3, _}, [%rd1];",
          "ld.shared::cta.u32 %r1, [%r2];",
          "fma.rn.f16x2 %r1, %r2, %r3, %r4;",
          "cvt.rna.tf32.f32 %r1, %f1;",
          "{.reg.b32 t;.reg.pred q; set.eq.u32.f16 t, %h1, %h2; setp.ne.u32 q, t, 0;}",
          "wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd1+32];",
          "wmma.load.c.sync.aligned.col.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%r5], %r6;",
          "wmma.store.d.sync.aligned.row.m8n32k16.f16 [%rd1], {%r1, %r2, %r3, %r4}, 40;",
          "ts: .branchtargets L_a, L_b; brx.idx %r1, ts; L_a: L_b: ret;",
          "cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16, %r2;"})
        QTest::newRow(body) << QByteArray(body);
}

void PtxTest::allows()
{
    QFETCH(QByteArray, body);
    const auto module = ptx::parse(kernel(body.toStdString()));
    QVERIFY2(module, module ? "" : module.error().what.c_str());
    const auto unsupported = ptx::firstUnsupported(*module);
    QVERIFY2(!unsupported, unsupported ? unsupported->reason.c_str() : "");
}

/// What an instruction for fragments stands for keeps its guard and place in the text, and cannot read
/// constants.
void PtxTest::fragments()
{
    const std::string load =
        "@!%p1 wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd1], 16;";
    const std::string text = kernel("mov.u32 %r1, 5;\n" + load);
    const auto module = ptx::parse(text);
    QVERIFY2(module, module ? "" : module.error().what.c_str());
    const auto& code = module->find("k")->instructions;
    QVERIFY(code.size() > 10 && code.size() < 20);
    int loads = 0;
    for (std::size_t i = 1; i + 1 < code.size(); ++i) {
        QVERIFY(code[i].derived && code[i].guard >= 0 && code[i].guardNegated);
        QCOMPARE(code[i].opcodeAt, text.find("wmma"));
        QCOMPARE(code[i].ptxLine, code[1].ptxLine);
        loads += code[i].opcode == "ld.global.b32" ? 1 : 0;
    }
    QCOMPARE(loads, 4);
    std::string many;
    for (int i = 0; i < 20'000; ++i)
        many += load + "\n";
    const auto tooMany = ptx::parse(kernel(many));
    QVERIFY(!tooMany);
    QVERIFY2(tooMany.error().what.find("too many instructions") != std::string::npos,
             tooMany.error().what.c_str());
}

void PtxTest::malformedNeverCrashes()
{
    const std::string whole = fixture("control.ptx");
    QVERIFY(ptx::parse(whole));
    std::uint64_t state = 5;
    auto next = [&state]() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state >> 33);
    };
    const std::string alphabet = "%.,;:{}[]()@!|+-_$0f9aA\n \"/*\x01\xff";
    for (int i = 0; i < 300; ++i) {
        std::string text = whole;
        if (i % 3 == 0)
            text.resize(next() % text.size());
        for (int k = 0; k < 1 + i % 5; ++k)
            text[next() % text.size()] = alphabet[next() % alphabet.size()];
        if (const auto module = ptx::parse(text))
            static_cast<void>(ptx::firstUnsupported(*module));
        QVERIFY(ptx::canonicalHash(text).size() == 64);
    }
    QVERIFY(!ptx::parse(head + std::string(100000, '{')));
    QVERIFY(!ptx::parse(kernel(std::string(100000, '{'))));
    QVERIFY(!ptx::parse(kernel("add.s32 %r1, " + std::string(1000, '(') + ";")));
    // A function that calls itself cannot be inlined.
    const auto recursive = ptx::parse(
        head + ".func f() { call.uni f, (); ret; }\n.visible .entry k() { call.uni f, (); ret; }\n");
    QVERIFY2(recursive, recursive ? "" : recursive.error().what.c_str());
    QVERIFY(ptx::firstUnsupported(*recursive));
}

void PtxTest::hashIgnoresLines()
{
    const std::string plain = kernel("add.s32 %r1, %r2, %r3;");
    const std::string lines =
        kernel(".loc 1 5 3, function_name $L, inlined_at 1 2 3\nadd.s32   %r1, %r2,\t%r3; // comment\n") +
        ".file 1 \"program.cu\"\n.section .debug_str\n{\n$L:\n.b8 95,0\n}\n";
    QCOMPARE(ptx::canonicalHash(lines), ptx::canonicalHash(plain));
    QVERIFY(ptx::canonicalHash(kernel("add.s32 %r1, %r2, %r4;")) != ptx::canonicalHash(plain));
    QVERIFY(ptx::canonicalHash(kernel("add.s32 %r1, %r 2, %r3;")) != ptx::canonicalHash(plain));
}

QTEST_GUILESS_MAIN(PtxTest)
#include "tst_module.moc"
