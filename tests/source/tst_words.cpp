// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "corpus/corpus.h"
#include "source/lexer.h"
#include "source/words.h"

#include <QTest>
#include <cctype>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace sparserl;

namespace {

using PlanLines = SourceWords::PlanLines;

/// "n:name s:+ l:'c' p://! ...": kind and text of each word.
std::string listed(std::string_view source, PlanLines plan = PlanLines::Read)
{
    std::string result;
    SourceWords words(source, plan);
    while (const auto word = words.next()) {
        const char* kinds = "npls";
        result += fmt::format("{}{}:{}", result.empty() ? "" : " ", kinds[static_cast<int>(word->kind)],
                              word->text);
    }
    return result;
}

} // namespace

class TestWords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kinds()
    {
        QCOMPARE(listed("a1 += _b-0x1f;"), std::string("n:a1 s:+ s:= n:_b s:- n:0x1f s:;"));
        QCOMPARE(listed("1.5f 1'000u '1'"), std::string("n:1 s:. n:5f n:1'000u l:'1'"));
        QCOMPARE(listed("x >> 1 >>> (y) > z"), std::string("n:x s:>> n:1 s:>>> s:( n:y s:) s:> n:z"));
        QCOMPARE(listed("\"a \\\" // b\" c"), std::string("l:\"a \\\" // b\" n:c"));
        QCOMPARE(listed("a'b' c"), std::string("n:a l:'b' n:c")); // separators are in numbers only
    }

    void commentsAndPlanLines()
    {
        QCOMPARE(listed("a// b\nc/*d\n*/e"), std::string("n:a n:c n:e"));
        QCOMPARE(listed("//! task spmv\n// no"), std::string("p://! n:task n:spmv"));
        QCOMPARE(listed("//! task spmv\nx", PlanLines::Comment), std::string("n:x"));
    }

    void whatIsNotClosed()
    {
        QCOMPARE(listed("a /* open"), std::string("n:a"));
        QCOMPARE(listed("a // open"), std::string("n:a"));
        QCOMPARE(listed("\"open\nb"), std::string("l:\"open n:b"));
        QCOMPARE(listed("\"open \\"), std::string("l:\"open \\"));
        QCOMPARE(listed("\"open \\\nb\" c"), std::string("l:\"open \\\nb\" n:c"));
        QCOMPARE(listed(""), std::string());
        QCOMPARE(listed("1'"), std::string("n:1 l:'"));
    }

    /// Any bytes: every word lies in the text, after the one before it, and blanks, comments and words are
    /// all that there is.
    void anyBytes()
    {
        Rng rng(17);
        constexpr std::string_view bytes = "a1_'\"/*!\\\n \t>+\x80\xff";
        for (int round = 0; round < 20000; ++round) {
            std::string text(static_cast<std::size_t>(rng.below(24)), ' ');
            for (char& c : text)
                c = bytes[static_cast<std::size_t>(rng.below(bytes.size()))];
            SourceWords words(text);
            const char* end = text.data();
            while (const auto word = words.next()) {
                QVERIFY(!word->text.empty());
                QVERIFY(word->text.data() >= end);
                end = word->text.data() + word->text.size();
                QVERIFY(end <= text.data() + text.size());
            }
        }
    }

    /// The names of programs are those that the lexer of C++ sees, in directives, too.
    void namesAreThoseOfTheLexer()
    {
        const auto nameStart = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
        for (int i = 0; i < 60; ++i) {
            Rng rng(static_cast<std::uint64_t>(i) + 1);
            const auto program = sampleProgram(Task::SpMV, {.variety = 0.9}, rng);
            QVERIFY(program.has_value());
            const std::string& text = program->text;
            std::vector<std::string_view> expected, found;
            for (const Token& token : cudaTokens(text)) {
                QVERIFY(!token.spliced);
                if (token.kind == Token::Kind::Identifier)
                    expected.push_back(token.text);
                if (token.kind != Token::Kind::Directive)
                    continue;
                for (const Token& inner : cudaTokens(token.text.substr(1))) // after the '#'
                    if (inner.kind == Token::Kind::Identifier)
                        expected.push_back(inner.text);
            }
            SourceWords words(text, PlanLines::Comment);
            while (const auto word = words.next()) {
                if (word->kind == SourceWord::Kind::Name && nameStart(word->text.front()))
                    found.push_back(word->text);
            }
            QVERIFY(!found.empty());
            QCOMPARE(found, expected);
        }
    }
};

QTEST_GUILESS_MAIN(TestWords)
#include "tst_words.moc"
