// SPDX-License-Identifier: Apache-2.0
#include "compile/log_text.h"
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
    row("spliced with blanks", "#inc\\  \nlude \"x\"", 1, "#include");
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
    row("universal name", "int x = __DAT\\u0045__;", 1, "universal");
    row("after a quote in a number", "int a = 1'000; char c = '\"';\n#include \"x\"\n", 2, "#include");
    row("in what looks like a string", "R\"x(\" )x\" \n#include \"x\"\n", 2, "#include");
    // A splice inside a raw string is not one: the string ends later for the compiler than for the eye.
    row("raw string splice", "const char* a = R\"(b)\\\n\" /* )\"; const char* c = __DATE__; // */", 2,
        "__DATE__");
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
    QTest::newRow("string") << QByteArray("asm(\"// #include __DATE__ ##\");");
    QTest::newRow("names") << QByteArray(
        "int include = 1, my__DATE__ = 2, __DATE__x = 3; int line = include;");
    QTest::newRow("directives") << QByteArray(
        "#define A 1\n#if A\n#pragma unroll 4\n#endif\n#undef A\n#error no\n");
    QTest::newRow("stringize") << QByteArray("#define S(x) #x\n");
    QTest::newRow("numbers") << QByteArray("int a = 1'000'000; float b = 1e+5f, c = .5e-3f; char d = '\\'';");
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

void SourceCheckTest::logs()
{
    QCOMPARE(trimLog("a\r\x1b[31mb\tc\n\n"), std::string("a??[31mb\tc"));
    QCOMPARE(trimLog("\xc3\xa4\xff\xed\xa0\x80"), std::string("\xc3\xa4????"));
    const std::string cut = trimLog(std::string(100000, 'x'));
    QVERIFY(cut.size() <= maxLogBytes);
    QVERIFY(cut.find("more bytes)") != std::string::npos);
}

QTEST_GUILESS_MAIN(SourceCheckTest)
#include "source_check_test.moc"
