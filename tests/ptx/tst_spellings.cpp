// SPDX-License-Identifier: Apache-2.0
// Spellings of PTX: what we read as PTX, nvJitLink must read, too, and what only one of us reads is refused.
#include "compile/gate.h"
#include "compile/nvjitlink.h"
#include "ptx/module.h"

#include <QTest>
#include <memory>

using namespace sparserl;

class PtxSpellingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void spelled_data();
    void spelled();

private:
    std::unique_ptr<NvJitLink> m_nvJitLink;
};

void PtxSpellingsTest::initTestCase()
{
    auto library = NvJitLink::load();
    QVERIFY2(library.has_value(), library ? "" : library.error().sentence().c_str());
    m_nvJitLink = std::make_unique<NvJitLink>(std::move(*library));
}

void PtxSpellingsTest::spelled_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("good");   ///< For us.
    QTest::addColumn<bool>("strict"); ///< nvJitLink reads it, we refuse it.
    const auto good = [](const char* name, QByteArray body, QByteArray before = {}) {
        QTest::newRow(name) << before << body << true << false;
    };
    const auto both = [](const char* name, QByteArray body, QByteArray before = {}) {
        QTest::newRow(name) << before << body << false << false;
    };
    const auto strict = [](const char* name, QByteArray body, QByteArray before = {}) {
        QTest::newRow(name) << before << body << false << true;
    };
    const QByteArray table = ".const .align 4 .b8 T[16] = {1, 2};";
    good("code behind .loc", ".loc 1 1 1 mov.u32 %r1, 1;");
    good(".loc over lines", ".loc 1\n 1\n 1 mov.u32 %r1, 1;");
    good("directives glued together", "{.reg.b32 t;.reg.pred p; mov.u32 t, 1; setp.eq.u32 p, t, 1;}");
    both("semicolon behind .loc", ".loc 1 1 1;");
    both("empty statement", ";");
    both(".file in a body", ".file 2 \"b.cu\" mov.u32 %r1, 1;");
    both(".section in a body", ".section .debug_x { .b8 1 }");
    both("section with an instruction", "", ".section .debug_x { mov.u32 %r1, 1; }");
    both("section of another name", "", ".section foo { .b8 1 }");
    good("debug section", "", ".section .debug_x { .b8 1, 2\n.b32 3 }");
    good("brace in a string", ".pragma \"}\";");
    both("quote in a string", ".pragma \"a\\\"b\";");
    good("block shadows a register", "{ .reg .b32 %r<3>; mov.u32 %r1, 5; }");
    good("block shadows a part of the registers",
         "{ .reg .f32 %r<3>; mov.u32 %r5, 1; mov.f32 %r1, 0f3F800000; }");
    both("type of the inner register", "{ .reg .pred %r<3>; mov.u32 %r1, 1; }");
    both("register twice", ".reg .b32 a; .reg .b32 a;");
    both("register of a range again", ".reg .f32 %r5;");
    both("range over a register", ".reg .f32 %q5; .reg .b32 %q<7>;");
    good("register behind a range", ".reg .f32 %r50; mov.f32 %r50, 0f00000000;");
    both("range again", ".reg .b32 %r<4>;");
    strict("range that ends in a digit", ".reg .b32 %q1<4>;");
    both("variable twice", ".shared .u32 s; .shared .u32 s;");
    both("variable and register", ".shared .u32 s; .reg .u32 s;");
    good("register in a block hides a variable", ".shared .u32 s; { .reg .u32 s; mov.u32 s, 1; }");
    both("variable of a parameter's name", ".shared .u32 a;");
    both("register of a parameter's name", ".reg .u32 a;");
    good("module variable of a parameter's name", "", ".const .u32 a = 1;");
    both("module variable twice", "", ".const .u32 A = 1; .const .u32 A = 1;");
    both("variable of a kernel's name", "", ".const .u32 k = 1;");
    both("function twice", "", ".visible .entry k() { ret; }");
    both("parameter twice", "", ".visible .entry q(.param .u32 a, .param .u32 a) { ret; }");
    both("label twice", "L: L: mov.u32 %r1, 1;");
    both("label of a register's name", ".reg .b32 L; L: mov.u32 L, 1;");
    good("labels of blocks beside each other", "{ A: bra A; } { A: bra A; }");
    strict("label in a block and around it", "A: mov.u32 %r1, 1; { bra A; A: mov.u32 %r2, 2; }");
    both("label inside from outside", "bra L; { L: mov.u32 %r2, 1; }");
    good("label outside from inside", "{ bra L; } L: mov.u32 %r2, 1;");
    good("label at the end", "bra E; E:");
    good("label with a dollar", "$L: bra $L;");
    both("label with a dot", ".L1: bra .L1;");
    both("branch to a function", "bra k;");
    strict("register of a special name", ".reg .b32 %laneid; mov.u32 %laneid, 7;");
    strict("register of half a special name", ".reg .b32 %tid; mov.u32 %tid, 1;");
    both("underscore", ".reg .b32 _; mov.u32 _, 1;");
    both("warp size", ".reg .b32 WARP_SZ;");
    both("dot in a name", ".reg .b32 a.b; mov.u32 a.b, 1;");
    both("per cent in a name", ".reg .b32 a%b;");
    good("register named as an opcode", ".reg .b32 add; mov.u32 add, 1;");
    strict("number with leading zero", "mov.u32 %r01, 1;");
    both("capitals", "MOV.u32 %r1, 1;");
    both("capital register", "mov.u32 %R1, 1;");
    good("octal", "mov.u32 %r1, 017;");
    both("no octal", "mov.u32 %r1, 089;");
    good("binary", "mov.u32 %r1, 0b101;");
    good("hexadecimal unsigned", "mov.u32 %r1, 0x1FU;");
    both("too large", "mov.u32 %r1, 99999999999999999999999;");
    good("float", "mov.f32 %f1, 1.5;");
    good("float with exponent", "mov.f32 %f1, 1.5e5;");
    both("float with a suffix", "mov.f32 %f1, 1.5f;");
    both("short bits", "mov.f32 %f1, 0f3F8;");
    both("signed bits", "mov.f32 %f1, -0f3F800000;");
    good("bits of a float", "mov.b32 %r1, 0f3F800000;");
    both("float as an integer", "mov.u32 %r1, 0f3F800000;");
    both("decimal float as an integer", "mov.u32 %r1, 1.0;");
    both("float in a sum of integers", "add.u32 %r1, %r1, 0f3F800000;");
    both("integer as a float", "mov.f32 %f1, 1;");
    both("double bits in 32", "mov.b32 %r1, 0d3FF0000000000000;");
    both("float bits in 64", "mov.b64 %rd2, 0f3F800000;");
    strict("expression", "mov.u32 %r1, 1+2*3;");
    strict("complement", "mov.u32 %r1, ~0;");
    strict("two signs", "mov.u32 %r1, --1;");
    good("braces around one",
         "ld.global.u32 {%r1}, [%rd1]; st.global.u32 [%rd1], {%r1}; mov.b32 {%r2}, %r1;");
    good("offset", "ld.global.u32 %r1, [%rd1+-4];");
    good("offset of two parts", "ld.global.u32 %r1, [%rd1+4+4];");
    both("offset by minus", "ld.global.u32 %r1, [%rd1-4];");
    strict("offset over 32 bits", "ld.global.u32 %r1, [%rd1+0x100000000];");
    both("offset in a register", "ld.global.u32 %r1, [%rd1+%rd2];");
    both("number as address", "ld.global.u32 %r1, [16];");
    good("name as address", "ld.const.u32 %r1, [T+4];", table);
    strict("name with an index", "ld.const.u32 %r1, T[4];", table);
    good("register with a plain name as address", ".reg .b64 p; mov.b64 p, %rd1; ld.global.u32 %r1, [p];");
    good("register hides a table", ".reg .b64 T; mov.b64 T, %rd1; ld.global.u32 %r1, [T+4];", table);
    strict("inner initial values", "", ".const .s32 A[2][2] = {{1}, {3}};");
    good("initial values", "", ".const .s32 A[4] = {1, -2, 3};");
    strict("initial values of two dimensions", "", ".const .s32 A[2][2] = {{1, 2}, {3, 4}};");
    both("flat values of two dimensions", "", ".const .s32 A[2][2] = {1, -2, 3};");
    both("too many initial values", "", ".const .s32 A[2] = {1, 2, 3};");
    good("guards", "@!%p1 mov.u32 %r1, 1; @ ! %p1 mov.u32 %r1, 1; @/* x */%p1 mov.u32 %r1, 1;");
    strict("opcode in parts", "mov .u32 %r1, 1;");
    good("comments", "/* /* */ mov.u32 %r1, 1; //* mov.u32 %r1, zz;\n // \" \n // x \\\n mov.u32 %r1, 2; /* "
                     "red.global.add.f32 */");
    good("carriage return in a comment", "// x\r mov.u32 %r1, zz;\n");
    both("letters that are not ASCII in a comment", "// \xc3\xa4\n");
    both("vertical tab", "mov.u32\v%r1, 1;");
    strict("form feed", "mov.u32\f%r1, 1;");
    strict("line directive", "\n# 1 \"x\"\n");
    strict("line spliced", "bar.sync 0; // x\\\n\n# 2 \"x\"\n");
}

void PtxSpellingsTest::spelled()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, body);
    QFETCH(bool, good);
    QFETCH(bool, strict);
    const std::string text =
        ".version 9.0\n.target sm_80\n.address_size 64\n" + before.toStdString() +
        "\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<9>; "
        ".reg .b64 %rd<9>; .reg .f32 %f<9>;\nld.param.u64 %rd1, [a];\n" +
        body.toStdString() + "\nret;\n}\n.file 1 \"program.cu\"\n";
    const auto admitted = admit(text, std::vector<std::string>{"k"});
    QVERIFY2(admitted.has_value() == good, admitted ? "" : admitted.error().reason.c_str());
    const auto assembled = m_nvJitLink->assemble(text, "sm_90");
    QVERIFY(assembled.has_value());
    QVERIFY2(assembled->ok == (good || strict), assembled->log.c_str());
}

QTEST_GUILESS_MAIN(PtxSpellingsTest)
#include "tst_spellings.moc"
