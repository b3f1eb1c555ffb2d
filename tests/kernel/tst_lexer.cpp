// SPDX-License-Identifier: Apache-2.0
#include "kernel/lexer.h"

#include <QTest>
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
