// SPDX-License-Identifier: Apache-2.0
// PPOCoder's similarities against counts by hand.
#include "base/rng.h"
#include "reward/program_match.h"

#include <QtTest>

#include <cmath>
#include <string>

using namespace sparserl;

namespace {

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

} // namespace

class TestProgramMatch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAndCommentsDoNotMatter()
    {
        const std::string a =
            "//! task spmv\n__global__ void k(float* y, int n) { int i = n; y[i] += 2.0f * i; }";
        const std::string b =
            "// other\n__global__ void  f(float *out, int m)\n{ int r = m; out[r] += 7.5f*r; }";
        QCOMPARE(syntaxMatch(a, a), 1.0);
        QCOMPARE(syntaxMatch(b, a), 1.0);
        QCOMPARE(dataflowMatch(b, a), 1.0);
    }
    void subTreesByHand()
    {
        // Reference `a = f(b); c = 1;`: sub-trees are the program, two statements, the group (b) and the
        // expression b in it: five.
        const std::string reference = "a = f(b); c = 1;";
        // `a = f(b); c = 1 + 2;` has the first statement, its group and its expression: three of five.
        QVERIFY(near(syntaxMatch("a = f(b); c = 1 + 2;", reference), 3.0 / 5));
        // `f(b);` has the group and the expression.
        QVERIFY(near(syntaxMatch("f(b);", reference), 2.0 / 5));
        // Counted with multiplicity: x; x; against x; has the statement once of two, not the program.
        QVERIFY(near(syntaxMatch("x;", "x; x;"), 1.0 / 3));
        QVERIFY(near(syntaxMatch("x; x; x;", "x; x;"), 2.0 / 3));
        // Operators and keywords count as they are.
        QVERIFY(near(syntaxMatch("a = b - c;", "a = b + c;"), 0));
        QVERIFY(near(syntaxMatch("double a;", "float a;"), 0));
        QVERIFY(near(syntaxMatch("x;", ""), 0)); // the reference has no sub-tree
        QVERIFY(near(syntaxMatch("", "x;"), 0));
    }
    void dataFlowByHand()
    {
        // Edges: a from (b), c from (a, b) computed, a from (a, d) computed.
        const std::string reference = "a = b; c = a + b; a += d;";
        QVERIFY(near(dataflowMatch("x = y; z = x + y; x += w;", reference), 1));
        QVERIFY(near(dataflowMatch("x = y; z = x + y;", reference), 2.0 / 3));
        QVERIFY(near(dataflowMatch("x = y;", reference), 1.0 / 3));
        // The order of the sources and what is read matter.
        QVERIFY(near(dataflowMatch("x = y; z = y + x;", reference), 1.0 / 3));
        // Indices, calls and members: y[i] is computed from i and what the call gets, not from the call.
        QVERIFY(near(dataflowMatch("y[i] = f(v.x);", "out[j] = g(w.y);"), 1));
        QVERIFY(near(
            dataflowMatch("for (int i = a; i < n; ++i) s += i;", "for (int k = b; k < m; k++) t += k;"), 1));
        QVERIFY(near(dataflowMatch("f(x);", "g(x);"), 0)); // the reference assigns nothing
    }
    /// Policies write anything: no text may hang it, and a match stays in [0, 1].
    void anyTextIsAProgram()
    {
        const std::string deep(60000, '('), blocks = [] {
            std::string text;
            for (int i = 0; i < 20000; ++i)
                text += "{x=";
            return text;
        }();
        const std::string reference = "__global__ void k(float* y) { y[0] = 1; }";
        for (const auto& text : {deep, blocks, std::string("}}})]>;"), std::string("\"unclosed")}) {
            for (const auto match : {syntaxMatch, dataflowMatch}) {
                QVERIFY(match(text, reference) >= 0 && match(text, reference) <= 1);
                QVERIFY(match(reference, text) >= 0 && match(reference, text) <= 1);
            }
        }
        Rng rng(11);
        const std::string alphabet = "(){}[];,=+-*ab1 .\n\"'<>/#\\";
        for (int i = 0; i < 300; ++i) {
            std::string text;
            for (int k = 0; k < 60; ++k)
                text += alphabet[rng.below(alphabet.size())];
            const double same = syntaxMatch(text, text);
            QVERIFY2(same == 0 || same == 1, text.c_str());
            const double flow = dataflowMatch(text, text);
            QVERIFY2(flow == 0 || flow == 1, text.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestProgramMatch)
#include "tst_program_match.moc"
