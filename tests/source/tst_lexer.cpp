// SPDX-License-Identifier: Apache-2.0
#include "source/lexer.h"

#include <QTest>
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

using namespace sparserl;

namespace {

/// "i:name p:+ n:1 ...": kind and text of each token.
std::string listed(std::string_view source)
{
    std::string result;
    for (const Token& token : cudaTokens(source)) {
        const char* kinds = "insxpcd?";
        result += fmt::format("{}{}:{}{}", result.empty() ? "" : " ", kinds[static_cast<int>(token.kind)],
                              token.spelling(), token.closed ? "" : "!");
    }
    return result;
}

} // namespace

class TestLexer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kinds()
    {
        QCOMPARE(listed("a1 = _b+++c;"), std::string("i:a1 p:= i:_b p:++ p:+ i:c p:;"));
        QCOMPARE(listed("x<<=1>>2->*y...z"), std::string("i:x p:<<= n:1 p:>> n:2 p:->* i:y p:... i:z"));
        QCOMPARE(listed("1e-3f .5 0x1p-2 1'000u 3.x"), std::string("n:1e-3f n:.5 n:0x1p-2 n:1'000u n:3.x"));
        QCOMPARE(listed("\"a\\\"b\" 'c' '\\'' u8\"d\""), std::string("s:\"a\\\"b\" x:'c' x:'\\'' s:u8\"d\""));
        QCOMPARE(listed("R\"q(a)\" b)q\" + LR\"(x)\""), std::string("s:R\"q(a)\" b)q\" p:+ s:LR\"(x)\""));
        QCOMPARE(listed("a//c\nb/*d*/e"), std::string("i:a c://c i:b c:/*d*/ i:e"));
        QCOMPARE(listed("#define A \\\n 1\nb # c"), std::string("d:#define A  1 i:b p:# i:c"));
        QCOMPARE(listed("\"open\nx"), std::string("s:\"open! i:x"));
        QCOMPARE(listed("/* open"), std::string("c:/* open!"));
        QCOMPARE(listed("a @ b"), std::string("i:a ?:@ i:b"));
        QCOMPARE(listed("fo\\\no(1\\\r\n2)"), std::string("i:foo p:( n:12 p:)"));
        QCOMPARE(listed("a..b %:%:"), std::string("i:a p:. p:. i:b p:%:%:"));
    }

    void positions()
    {
        const auto tokens = cudaTokens("a\n  bc /*\n*/ d\r\n\te");
        QCOMPARE(tokens.size(), std::size_t(5));
        const int lines[] = {1, 2, 2, 3, 4};
        const int columns[] = {1, 3, 6, 4, 2};
        const std::size_t offsets[] = {0, 4, 7, 13, 17};
        for (std::size_t i = 0; i < 5; ++i) {
            QCOMPARE(tokens[i].line, lines[i]);
            QCOMPARE(tokens[i].column, columns[i]);
            QCOMPARE(tokens[i].offset, offsets[i]);
        }
    }

    void growingTextGivesTheSameTokens()
    {
        const std::string source =
            "#pragma unroll 4\nfor (int i_x=0x1F;i_x<<=2;) { s+=R\"a()a\"[0]/2; /*c*/ "
            "y\\\n[i] = '\\n'; } //end\n a<b>c"
            "// long \\ one \\\n goes on \\\r\n\\\n and on\n /*/ * \\\n / *\\\n\\\n/ b "
            "/\\\n\\\n\\\n\\\n\\\n\\\n\\\n\\\n*/ no end yet **/ c /**/ d /* \n \\ */ e";
        const auto whole = cudaTokens(source);
        Lexer lexer;
        std::size_t count = 0;
        for (std::size_t size = 0; size <= source.size(); ++size) {
            while (const auto token =
                       lexer.next(std::string_view(source).substr(0, size), size == source.size())) {
                QVERIFY(count < whole.size());
                QCOMPARE(std::string(token->text), std::string(whole[count].text));
                QCOMPARE(token->line, whole[count].line);
                QCOMPARE(token->column, whole[count].column);
                ++count;
            }
        }
        QCOMPARE(count, whole.size());
    }

    /// The same of texts in which nothing ends as it should, cut into pieces of all sizes.
    void anyTextGivesTheSameTokens()
    {
        const char* const parts[] = {"\\\n", "\\\r\n", "\\", "\n", "\"", "'",  "R\"", "(",  ")",
                                     "\"",   "/",      "*",  "//", "/*", "*/", "#",   "%:", "a1",
                                     "1e",   "+",      "0x", ".",  "u8", "L",  " ",   "@"};
        std::uint32_t state = 7;
        const auto below = [&](std::size_t limit) {
            state = state * 1664525u + 1013904223u;
            return (state >> 8) % limit;
        };
        for (int round = 0; round < 3000; ++round) {
            std::string source;
            for (std::size_t i = below(24); i > 0; --i)
                source += parts[below(std::size(parts))];
            const auto whole = cudaTokens(source);
            Lexer lexer;
            std::size_t count = 0;
            for (std::size_t size = 0;; size = std::min(size + 1 + below(3), source.size())) {
                const bool last = size == source.size();
                while (const auto token = lexer.next(std::string_view(source).substr(0, size), last)) {
                    QVERIFY2(count < whole.size(), source.c_str());
                    QCOMPARE(std::string(token->text), std::string(whole[count].text));
                    QCOMPARE(token->kind, whole[count].kind);
                    QCOMPARE(token->spelling(), whole[count].spelling());
                    QCOMPARE(token->closed, whole[count].closed);
                    QCOMPARE(token->line, whole[count].line);
                    ++count;
                }
                if (last)
                    break;
            }
            QVERIFY2(count == whole.size(), source.c_str());
        }
    }

    /// However long a token stays unfinished, its characters are looked at a few times each.
    void workGrowsWithTheText_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("again");
        const auto row = [](const char* name, const QByteArray& before, const QByteArray& again) {
            QTest::newRow(name) << before << again;
        };
        row("name", "", "a");
        row("number", "1", "e+1'0");
        row("number with open separator", "1", "'1");
        row("string", "\"", "a");
        row("string of escapes", "\"", "\\\"");
        row("string over splices", "\"", "\\\n");
        row("character", "'", "a");
        row("raw string", "R\"x(", ")y\" ");
        row("raw strings without a parenthesis", "", "R\"\n");
        row("comment", "/*", "* /");
        row("comment over splices", "/*", "*\\\n");
        row("line comment", "//", "a\\\r\n");
        row("directive", "#define A", " \\\n1");
        row("string in a directive", "#define A \"", "a");
        row("comment in a directive", "#define A /*", "a\n");
        row("line comment in a directive", "#define A //", "a");
        row("name over splices", "a", "\\\n");
        row("slash before splices", "/", "\\\n");
        row("operator before splices", "+", "\\\n");
    }
    void workGrowsWithTheText()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, again);
        std::string text = before.toStdString();
        Lexer lexer;
        std::size_t calls = 0;
        while (text.size() < 20'000) {
            for (const char c : again) {
                text += c;
                ++calls;
                while (lexer.next(text, false)) {
                }
            }
        }
        QVERIFY(calls > 19'000);
        QVERIFY2(lexer.steps() < 24 * text.size(), std::to_string(lexer.steps()).c_str());
        while (lexer.next(text, true)) {
        }
        QVERIFY2(lexer.steps() < 32 * text.size(), std::to_string(lexer.steps()).c_str());
    }

    void separatorsNeedNoLookAhead()
    {
        Lexer lexer;
        for (const char* text : {"{", "{}", "{};", "{};(", "{};()", "{};()["}) {
            const auto token = lexer.next(text, false);
            QVERIFY(token);
            QCOMPARE(token->text.size(), std::size_t(1));
        }
        QVERIFY(!lexer.next("{};()[a", false));
        QVERIFY(lexer.next("{};()[a]", false));
    }
};

QTEST_GUILESS_MAIN(TestLexer)
#include "tst_lexer.moc"
