// SPDX-License-Identifier: Apache-2.0
#include "compile/log_text.h"
#include "compile/nvrtc.h"
#include "compile/source_check.h"

#include <QTest>

using namespace sparserl;

class SourceCheckTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refused_data();
    void refused();
    void allowed_data();
    void allowed();
    void sizes();
    void anyBytes();
    void compilerSeesNoMore();
    void logs();
};

void SourceCheckTest::refused_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("names"); // A part of the reason.
    const auto row = [](const char* name, QByteArray code, int line, QByteArray names) {
        QTest::newRow(name) << code << line << names;
    };
    row("plain", "int a;\n#include \"/etc/passwd\"\n", 2, "#include");
    row("blanks", "  #  \t include <x>", 1, "#include");
    row("digraph", "%:include \"/etc/passwd\"", 1, "#include");
    row("digraph after comment", "\n/* a\n b */ %: /* c */ include \"x\"", 3, "#include");
    row("spliced word", "#inc\\\nlude \"x\"", 1, "#include");
    row("spliced with blanks", "#inc\\  \nlude \"x\"", 1, "blanks");
    row("spliced CRLF", "#\\\r\ninclude \"x\"", 1, "#include");
    row("comment between", "#/**/include \"x\"", 1, "#include");
    row("after a comment", "/* */ #include \"x\"", 1, "#include");
    row("macro target", "#define F \"/etc/passwd\"\n#include F\n", 2, "#include");
    row("include_next", "#include_next \"x\"", 1, "#include_next");
    row("import", "#import \"x\"", 1, "#import");
    row("embed", "#embed \"x\"", 1, "#embed");
    row("line", "#line 7 \"other\"", 1, "#line");
    row("line marker", "# 7 \"other\"", 1, "line marker");
    row("has_include", "#if __has_include(\"/etc/passwd\")\n#endif", 1, "__has_include");
    row("has_include as macro", "#define H __has_include\n", 1, "__has_include");
    row("has_embed", "#if __has_embed(\"/etc/passwd\")\n#endif", 1, "__has_embed");
    row("pasted", "#define P(a,b) a##b\n#if P(__has_,include)(\"x\")\n#endif", 1, "##");
    row("pasted digraph", "#define P(a,b) a%:%:b\n", 1, "##");
    row("date", "const char* d = __DATE__;", 1, "__DATE__");
    row("time", "\n\nconst char* d = __TI\\\nME__;", 3, "__TIME__");
    row("timestamp", "x(__TIMESTAMP__)", 1, "__TIMESTAMP__");
    row("universal name", "int x = a\\u0045;", 1, "universal");
    row("after a quote in a number", "int a = 1'000; char c = '\"';\n#include \"x\"\n", 2, "#include");
    row("in what looks like a string", "R\"x(\" )x\" \n#include \"x\"\n", 2, "#include");
    // A splice inside a raw string is not one: the string ends later for the compiler than for the eye.
    row("raw string splice", "const char* a = R\"(b)\\\n\" /* )\"; const char* c = __DATE__; // */", 1,
        "raw string");
    // Every part of a directive in every spelling that compilers know.
    row("tab", "#\tinclude\t\"x\"", 1, "#include");
    row("form feed", "\f#\finclude \"x\"", 1, "#include");
    row("vertical tab", "\v#include \"x\"", 1, "#include");
    row("comment of lines before", "/* \n */ # /* \n */ include /* \n */ \"x\"", 2, "#include");
    row("spliced digraph", "%\\\n:include \"x\"", 1, "#include");
    row("spliced comment end", "/* *\\\n/\n#include \"x\"", 3, "#include");
    row("spliced comment start", "/\\\n* */\n#include \"x\"", 3, "#include");
    row("spliced often", "#\\\n\\\ni\\\nn\\\nclude \"x\"", 1, "#include");
    row("comment ends at a line with blanks behind a backslash", "// x \\ \n#include \"x\"", 1, "blanks");
    row("behind code and a comment of lines", "int a; /* \n */ #include \"x\"", 2, "several lines");
    row("trigraph", "?\?=include \"x\"", 1, "trigraph");
    row("trigraph splice", "// x ?\?/\n#include \"x\"", 1, "trigraph");
    row("carriage return", "int a;\r#include \"x\"", 1, "carriage return");
    row("Ctrl-Z", "int a;\x1a\n#include \"x\"", 1, "Ctrl-Z");
    row("nested comment", "/* /* */\n#include \"x\"", 2, "#include");
    row("comment in a string", "const char* s = \"/*\";\n#include \"x\"\n//*/", 2, "#include");
    row("quote as character", "char c = '\"';\n#include \"x\"\n//\"", 2, "#include");
    row("string that does not end", "const char* s = \"abc\n#include \"x\"\n\";", 2, "#include");
    row("raw string in a comment", "// R\"(\n#include \"x\"\n//)\"", 2, "#include");
    row("raw string in a string", "const char* s = \"R\\\"(\";\n#include \"x\"\n//)\"", 2, "#include");
    row("no raw string", "const char* s = xR\"(\";\n#include \"x\"\n//)\"", 2, "#include");
    row("after a raw string", "const char* s = R\"ab(\n)\" )ab\";\n#include \"x\"", 3, "#include");
    row("end of a raw string that is none", "const char* s = R\"ab()b\" )ab\";\n#include \"x\"", 2,
        "#include");
    row("spliced raw prefix", "const char* s = R\\\n\"(a\n#include \"x\"\n)\";", 1, "raw string");
    row("raw string with a long name", "R\"aaaaaaaaaaaaaaaaaaaaaaa(\n)aaaaaaaaaaaaaaaaaaaaaaa\"", 1,
        "raw string");
    row("raw string with blanks in its name", "R\"a b(\n)a b\"", 1, "raw string");
    row("raw string without end", "R\"(\n#include \"x\"", 1, "raw string");
    row("splice at the end of a raw string", "const char* s = R\"(a)\\\n\";\n#include \"x\"\n)\";", 1,
        "raw string");
    row("behind a number", "int a = 1'0; //'\n#include \"x\"", 2, "#include");
    row("behind a hexadecimal number", "int a = 0xA'B; //'\n#include \"x\"", 2, "#include");
    row("allowed header, spliced", "#inc\\\nlude <stdint.h>", 1, "#include");
    row("allowed header, digraph", "%:include <stdint.h>", 1, "#include");
    row("allowed header by a macro", "#define F <stdint.h>\n#include F", 2, "#include");
    row("allowed header in a folder", "#include <./stdint.h>", 1, "#include");
    row("allowed header from another folder", "#include <../include/stdint.h>", 1, "#include");
    row("allowed header with more behind", "#include <stdint.h> x", 1, "#include");
    row("allowed header behind a comment", "/* */ #include <stdint.h>", 1, "#include");
    row("allowed header, other end", "#include <stdint.h\"", 1, "#include");
    row("allowed header, comment open", "#include <stdint.h> /* \n */", 1, "#include");
    row("allowed header, comment spliced", "#include <stdint.h> // \\\nx", 1, "#include");
    row("include_next of an allowed header", "#include_next <stdint.h>", 1, "#include_next");
    row("a header of the host", "#include <iostream>", 1, "stdint.h");
    row("an absolute path", "#include </etc/passwd>", 1, "#include");
    row("empty name", "#include <>", 1, "#include");
    row("module", "import <vector>;", 1, "import");
    row("global module", "module;", 1, "module");
    // Who reads it.
    row("NVRTC", "#ifndef __CUDACC_RTC__\n#endif", 1, "__CUDACC_RTC__");
    row("NVRTC defined", "#if !defined(__CUDACC_RTC__)\n#endif", 1, "__CUDACC_RTC__");
    row("NVRTC spliced", "#ifndef __CUDACC_\\\nRTC__\n#endif", 1, "__CUDACC_RTC__");
    row("NVRTC by elif", "#if 0\n#elif defined __CUDACC_RTC__\n#endif", 2, "__CUDACC_RTC__");
    row("NVRTC by elifdef", "#if 0\n#elifdef __CUDACC_RTC__\n#endif", 2, "__CUDACC_RTC__");
    row("NVRTC by a macro", "#define A __CUDACC_RTC__\n#if A\n#endif", 1, "__CUDACC_RTC__");
    row("NVRTC by a digraph", "%:ifndef __CUDACC_RTC__\n%:endif", 1, "__CUDACC_RTC__");
    row("a name that it defines itself", "#ifdef __GNUC__\n#define __GNUC__ 4\n#endif", 1, "__GNUC__");
    row("nvcc", "#ifdef __NVCC__\n#endif", 1, "__NVCC__");
    row("CUDA's language", "#ifdef __CUDACC__\n#endif", 1, "__CUDACC__");
    row("gcc in code", "int a = __GNUC__;", 1, "__GNUC__");
    row("clang", "#if defined(__clang__)\n#endif", 1, "__clang__");
    row("Microsoft", "#ifdef _MSC_VER\n#endif", 1, "_MSC_VER");
    row("Linux", "#ifdef linux\n#endif", 1, "linux");
    row("built in", "#if __has_builtin(__builtin_trap)\n#endif", 1, "__has_builtin");
    row("attribute", "#if __has_cpp_attribute(x)\n#endif", 1, "__has_cpp_attribute");
    row("depth of includes", "#if __INCLUDE_LEVEL__\n#endif", 1, "__INCLUDE_LEVEL__");
    row("counter", "int a = __COUNTER__;", 1, "__COUNTER__");
    row("version", "#if __CUDACC_VER_MAJOR__ > 12\n#endif", 1, "__CUDACC_VER_MAJOR__");
    row("language version", "#if __cplusplus > 201402L\n#endif", 1, "__cplusplus");
    row("reserved name through macros", "#define A B\n#define B __wchar_unsigned\n#if A\n#endif", 3,
        "reserved");
    row("host by architecture", "#ifndef __CUDA_ARCH__\n#endif", 1, "__CUDA_ARCH__");
    row("host by architecture, if", "#if !defined(__CUDA_ARCH__)\n#endif", 1, "__CUDA_ARCH__");
    row("host by no architecture", "#if !__CUDA_ARCH__\n#endif", 1, "__CUDA_ARCH__");
    row("host by small architecture", "#if __CUDA_ARCH__ < 100\n#endif", 1, "__CUDA_ARCH__");
    row("host by equal architecture", "#if __CUDA_ARCH__ == 0\n#endif", 1, "__CUDA_ARCH__");
    row("host by else", "#if defined(__CUDA_ARCH__) || 0\n#else\n#endif", 1, "__CUDA_ARCH__");
    row("architecture with other names", "#if __CUDA_ARCH__ > FOO\n#endif", 1, "__CUDA_ARCH__");
    row("architecture in code", "int a = __CUDA_ARCH__;", 1, "__CUDA_ARCH__");
    row("architecture by a macro", "#define A __CUDA_ARCH__\n#if A\n#endif", 1, "__CUDA_ARCH__");
    row("asm in a file", "asm(\".global .u32 x;\");", 1, "asm");
    row("asm in a name space", "namespace a { namespace b::c {\nasm(\"\"); } }", 2, "asm");
    row("asm in extern C", "extern \"C\" {\n__asm__(\"\"); }", 2, "asm");
    row("asm behind a function", "void f() { if (1) { } }\nasm volatile(\"\");", 2, "asm");
    row("asm by a macro", "#define A(x) B(x)\n#define B(x) asm(x)\nA(\"\");", 3, "asm");
    row("asm by a macro with a brace", "#define A void f() {\nA } asm(\"\");", 2, "macro");
    row("asm behind what is left out", "#if 0\nvoid f() {\n#endif\nasm(\"\");\n#if 0\n}\n#endif", 3,
        "braces");
    row("incbin", "asm(\".incbin \\\"/etc/passwd\\\"\");", 1, "asm");
    row("pragma of gcc", "#pragma GCC dependency \"/etc/passwd\"", 1, "#pragma GCC");
    row("pragma of clang", "#pragma clang system_header", 1, "#pragma clang");
    row("pragma as operator", "_Pragma(\"GCC poison x\")", 1, "#pragma GCC");
    row("pragma as operator, raw", "_Pragma(R\"(GCC poison x)\")", 1, "_Pragma");
    row("pragma as operator, by a macro", "#define S(x) _Pragma(#x)\nS(GCC poison x)", 1, "_Pragma");
    row("pragma push_macro", "#pragma push_macro(\"x\")", 1, "push_macro");
    row("paste of parameters", "#define P(a, b) a##b", 1, "##");
    row("paste behind underscores", "#define P(a) __CUDACC##a", 1, "##");
    row("paste of three", "#define P(a, b) a##_##b", 1, "##");
    row("paste to a name without underscore", "#define P(a) CUDA_##a", 1, "##");
    row("paste to asm", "#define P(a) as##a", 1, "##");
    row("unterminated quote", "#if 0\n don't\n#endif\n#include \"x\"", 4, "#include");
    row("NUL", QByteArray("int a;\n\0int b;", 14), 2, "NUL");
}

void SourceCheckTest::refused()
{
    QFETCH(QByteArray, code);
    QFETCH(int, line);
    QFETCH(QByteArray, names);
    const auto refusal =
        checkSource(std::string_view(code.constData(), static_cast<std::size_t>(code.size())));
    QVERIFY(refusal.has_value());
    QCOMPARE(refusal->line, line);
    QVERIFY2(refusal->reason.find(names.toStdString()) != std::string::npos, refusal->reason.c_str());
}

void SourceCheckTest::allowed_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("comment") << QByteArray("// #include <cuda.h> is not needed\n/* #include */ int a;");
    QTest::newRow("string") << QByteArray("void f() { asm(\"// #include __DATE__ ##\"); }");
    QTest::newRow("names") << QByteArray(
        "int include = 1, my__DATE__ = 2, __DATE__x = 3; int line = include;");
    QTest::newRow("directives") << QByteArray(
        "#define A 1\n#if A\n#pragma unroll 4\n#endif\n#undef A\n#error no\n");
    QTest::newRow("stringize") << QByteArray("#define S(x) #x\n");
    QTest::newRow("numbers") << QByteArray("int a = 1'000'000; float b = 1e+5f, c = .5e-3f; char d = '\\'';");
    QTest::newRow("headers") << QByteArray("#include <stdint.h>\n  #  include \"cuda_fp16.h\" // "
                                           "halves\r\n#include<cooperative_groups.h> /* a */ // b\n");
    QTest::newRow("raw string") << QByteArray("const char* s = R\"x(\n#include \"x\"\n __DATE__ )x\";");
    QTest::newRow("raw assembly") << QByteArray("void f() { asm volatile(R\"({ .reg .u32 a; })\" ::); }");
    QTest::newRow("double atomics") << QByteArray(
        "#if __CUDA_ARCH__ < 600\n#endif\n#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#endif");
    QTest::newRow("newer architectures") << QByteArray(
        "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800)\n#elif __CUDA_ARCH__ >= 700\n#endif");
    QTest::newRow("C++") << QByteArray("#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid f() { asm(\"\"); "
                                       "}\n#if defined(__cplusplus)\n}\n#endif");
    QTest::newRow("defaults") << QByteArray(
        "#ifndef WARP_SIZE\n#define WARP_SIZE 32\n#endif\n#if defined(DEBUG) && WARP_SIZE > 16\n#endif");
    QTest::newRow("pragmas") << QByteArray(
        "#pragma once\n#pragma unroll\n#pragma nounroll\n#pragma nv_diag_suppress 177\nvoid f() { "
        "_Pragma(\"unroll 4\") for (;;); }");
    QTest::newRow("asm in functions") << QByteArray(
        "namespace a { struct S { void g() { asm(\"\"); } }; template <int N> void f() { for (;;) { asm "
        "volatile(\"\"); } } }\n"
        "#define LANE(x) asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x))\nvoid h() { int x; LANE(x); }");
    QTest::newRow("paste with a clear start")
        << QByteArray("#define KERNEL(T) spmv_##T\n#define ROW(n) row_kernel_##n##_x\n");
    QTest::newRow("line and file") << QByteArray(
        "#define HERE __FILE__, __LINE__\n#define V(...) f(__VA_ARGS__)");
    QTest::newRow("empty") << QByteArray();
}

void SourceCheckTest::allowed()
{
    QFETCH(QByteArray, code);
    const auto refusal = checkSource(code.toStdString());
    QVERIFY2(!refusal, refusal ? refusal->reason.c_str() : "");
}

void SourceCheckTest::sizes()
{
    QVERIFY(!checkSource(std::string(maxSourceBytes, ' ')));
    QVERIFY(checkSource(std::string(maxSourceBytes + 1, ' ')));
}

void SourceCheckTest::anyBytes()
{
    unsigned state = 1;
    const std::string_view pieces[] = {"#",    "%:",  "\\\n",    "/*", "*/", "//",   "\"",  "'",
                                       "R\"(", ")\"", "include", "\n", "1'", "\xff", "\\u", "__"};
    for (int i = 0; i < 2000; ++i) {
        std::string code;
        for (int k = 0; k < 40; ++k) {
            state = state * 1664525u + 1013904223u;
            code += pieces[(state >> 16) % std::size(pieces)];
        }
        const auto refusal = checkSource(code);
        const int lines = 1 + static_cast<int>(std::count(code.begin(), code.end(), '\n'));
        if (refusal)
            QVERIFY(refusal->line >= 1 && refusal->line <= lines);
        // Whatever came before it, an include on a line of its own behind closed comments and strings is
        // seen.
        QVERIFY(checkSource(code + "\n*/\"\n'\n)\"\n#include \"x\"\n") ||
                code.find("//") != std::string::npos || code.find("/*") != std::string::npos ||
                code.find('"') != std::string::npos);
    }
}

/// NVRTC is the witness: wherever it tries to open a file, the check has refused the text before.
void SourceCheckTest::compilerSeesNoMore()
{
    const auto nvrtc = Nvrtc::load();
    QVERIFY2(nvrtc.has_value(), nvrtc ? "" : nvrtc.error().sentence().c_str());
    const std::string_view pieces[] = {"#",       "%:", "\\\n", "/*",     "*/",   "//",
                                       "\"",      "'",  "R\"(", ")\"",    "inc",  "lude",
                                       "include", "\n", "1'",   "\\ \n",  "\r\n", "u8R\"a(",
                                       ")a\"",    " ",  "\n#",  "\\\r\n", "\f",   "/\\\n*",
                                       "*\\\n/",  "x",  "\\\"", "L'",     "0x1p", "\n#include \"nofile\"\n"};
    unsigned state = 12345;
    int seen = 0, passed = 0;
    for (int i = 0; i < 500; ++i) {
        std::string code;
        for (int k = 0; k < 12; ++k) {
            state = state * 1664525u + 1013904223u;
            code += pieces[(state >> 16) % std::size(pieces)];
        }
        code += i % 3 ? "\n#include \"nofile\"\n" : "include \"nofile\"\n";
        const auto output = nvrtc->compile(code, {});
        QVERIFY(output.has_value());
        const bool opens = output->log.find("open source file") != std::string::npos;
        const bool refused = checkSource(code).has_value();
        seen += opens;
        passed += !refused;
        QVERIFY2(!opens || refused, code.c_str());
    }
    // Else the texts above would say nothing.
    QVERIFY2(seen > 50, std::to_string(seen).c_str());
    QVERIFY2(passed > 50, std::to_string(passed).c_str());
}

void SourceCheckTest::logs()
{
    QCOMPARE(trimLog("a\r\x1b[31mb\tc\n\n"), std::string("a??[31mb\tc"));
    QCOMPARE(trimLog("\xc3\xa4\xff\xed\xa0\x80"), std::string("\xc3\xa4????"));
    const std::string cut = trimLog(std::string(100000, 'x'));
    QVERIFY(cut.size() <= maxLogBytes);
    QVERIFY(cut.find("more bytes)") != std::string::npos);
}

QTEST_GUILESS_MAIN(SourceCheckTest)
#include "tst_source_check.moc"
