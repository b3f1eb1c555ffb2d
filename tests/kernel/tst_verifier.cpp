// SPDX-License-Identifier: Apache-2.0
// data/valid holds programs in unusual styles; all of them compile (checked with NVRTC 13.0).
#include "base/files.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "kernel/verifier.h"
#include "statements.h"

#include <QTest>
#include <fmt/format.h>

using namespace sparserl;

namespace {

const std::string plan =
    "//! task spmv\n//! const T = 8\n//! launch k<<<ceil_div(rows, 128), 128>>>(rows, x, y)\n";
const std::string head = "extern \"C\" __global__ void k(int n, const float* x, float* y) {\n";

/// Feeds `text` in pieces and returns how many bytes it took to stop, or nothing.
struct Outcome
{
    std::optional<Stop> stop;
    std::size_t fed = 0;
    bool atEnd = false;
};

Outcome feedBytes(std::string_view text)
{
    IncrementalVerifier verifier;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (auto stop = verifier.feed(text.substr(i, 1)))
            return {stop, i + 1};
    }
    auto stop = verifier.finish();
    return {stop, text.size(), stop.has_value()};
}

Outcome feedPieces(std::string_view text, Rng& rng)
{
    IncrementalVerifier verifier;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = 1 + rng.below(9);
        if (auto stop = verifier.feed(text.substr(i, size)))
            return {stop, std::min(i + size, text.size())};
        i += size;
    }
    auto stop = verifier.finish();
    return {stop, text.size(), stop.has_value()};
}

std::string shown(const Outcome& outcome, const std::string& text)
{
    return outcome.stop ? fmt::format("line {}: {}\n{}", outcome.stop->line, outcome.stop->reason, text)
                        : text;
}

struct Bad
{
    const char* body; ///< After `head`, or a whole text if it starts with '/'.
    int line;         ///< In the whole text; the body starts on line 5.
    const char* reason;
};

// clang-format off
const Bad stoppedAtOnce[] = {
    {"    y[0] = zz;", 5, "'zz' is not declared"},
    {"    int r = q + 1;", 5, "'q' is not declared"},
    {"    if (row >= n) return;", 5, "'row' is not declared"},
    {"    for (int i = 0; i < n; ++i) { y[j] = 0;", 5, "'j' is not declared"},
    {"    { int r = 0; }\n    y[r] = 1;", 6, "'r' is not declared"},
    {"    int r = 0;\n    float r = 1;", 6, "'r' is declared again as float; it is int since line 5"},
    {"    int r = 0, *r;", 5, "again as int*"},
    {"    int r = 0; int r = 1;", 5, "'r' is declared again"},
    {"    y[0) = 1;", 5, "')' cannot close the '[' of line 5"},
    {"    y[threadIdx.x = 1;", 5, "the '[' of line 5 is not closed"},
    {"    y[0] = (1 + 2;", 5, "the '(' of line 5 is not closed"},
    {"    y[0] = 1 + 2);", 5, "')' cannot close the '{' of line 4"},
    {"    if (n { y[0] = 1;", 5, "the '(' of line 5 is not closed before '{'"},
    {"    y[0] = 1 }", 5, "';' is missing before '}'"},
    {"    y[0] = 1;\n}\n}", 7, "'}' closes nothing"},
    {"    const char* s = \"abc;\n", 5, "not closed on its line"},
    {"    y[0] = 1;\n}\nextern \"C\" __global__ void b(float* z) { y[0] = 1;", 7, "'y' is not declared"},
    {"    y[0] = 1;\n}\n//! launch k<<<1, 1>>>(rows)\n", 7, "after the first line of code"},
    {"    y[0] = 1; /*\n   //!", 6, "after the first line of code"},
    {"//! tusk spmv\n", 1, "no plan line"},
    {"//! task spmv\n//! launch k<<<1>>>(x)\n", 2, "expected ','"},
    {"//! task spmv\n//! launch k<<1, 1>>(x)\n", 2, "expected '<<<'"},
    {"//! task spmv\n//! format bell\n", 2, "unknown format"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(foo)\n", 2, "'foo' is not defined"},
    {"//! task spmv\nextern", 2, "no launch line"},
};
const Bad stoppedAtEnd[] = {
    {"    y[0] = 1;\n", 5, "'{' of line 4 is not closed"},
    {"    y[0] = 1;\n}\nextern \"C\" __global__ void b(float* z)", 7, "middle of a declaration"},
    {"//! task spmv\n", 1, "no launch"},
};
// clang-format on

std::string textOf(const Bad& bad)
{
    return bad.body[0] == '/' ? bad.body : plan + head + bad.body;
}

} // namespace

class TestVerifier : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void unusualProgramsPass()
    {
        const auto files = listDirectory(SPARSERL_SOURCE_DIR "/tests/kernel/data/valid");
        QVERIFY(files && files->size() >= 50);
        Rng rng(1);
        for (const auto& file : *files) {
            const auto text = readFile(file);
            QVERIFY(text);
            for (int round = 0; round < 20; ++round) {
                const Outcome outcome = round ? feedPieces(*text, rng) : feedBytes(*text);
                QVERIFY2(!outcome.stop, (file.filename().string() + ": " + shown(outcome, *text)).c_str());
            }
        }
    }

    void programsInOtherStylesPass()
    {
        const auto programs = styledPrograms();
        QVERIFY(programs.size() >= 100);
        for (const std::string& text : programs) {
            const Outcome outcome = feedBytes(text);
            QVERIFY2(!outcome.stop, shown(outcome, text).c_str());
        }
    }

    /// tst_verifier_compiled asks NVRTC for the same lines.
    void statementsAreReadAsTheCompilerDoes()
    {
        const auto accepted = statementLines("statements_accepted.txt");
        const auto refused = statementLines("statements_refused.txt");
        QVERIFY(accepted.size() >= 250 && refused.size() >= 180);
        for (const std::string& line : accepted) {
            const Outcome outcome = feedBytes(programOf({&line, 1}));
            QVERIFY2(!outcome.stop, shown(outcome, line).c_str());
        }
        for (const std::string& line : refused) {
            const Outcome outcome = feedBytes(programOf({&line, 1}));
            QVERIFY2(outcome.stop && !outcome.atEnd, line.c_str());
        }
    }

    void corpusProgramsPassAtEverySplit()
    {
        Rng rng(2);
        for (int i = 0; i < 150; ++i) {
            SampleOptions options;
            options.variety = (i % 5) / 4.0;
            const auto program = sampleProgram(Task::SpMV, options, rng);
            QVERIFY(program);
            const Outcome outcome = feedBytes(program->text);
            QVERIFY2(!outcome.stop, shown(outcome, program->text).c_str());
            // Two pieces, split everywhere: what the first sees is a prefix, what the second adds is the
            // rest.
            for (std::size_t at = 0; at < program->text.size(); at += 1 + rng.below(19)) {
                IncrementalVerifier verifier;
                const std::string_view text = program->text;
                QVERIFY(!verifier.feed(text.substr(0, at)) && !verifier.feed(text.substr(at)) &&
                        !verifier.finish());
            }
        }
    }

    void stopsAsSoonAsItIsCertain()
    {
        Rng rng(3);
        for (const Bad& bad : stoppedAtOnce) {
            const std::string text = textOf(bad);
            const Outcome outcome = feedBytes(text);
            QVERIFY2(outcome.stop && !outcome.atEnd, text.c_str());
            QVERIFY2(outcome.stop->line == bad.line, shown(outcome, text).c_str());
            QVERIFY2(outcome.stop->reason.find(bad.reason) != std::string::npos,
                     shown(outcome, text).c_str());
            // The pieces in which text arrives change nothing.
            for (int round = 0; round < 10; ++round) {
                const Outcome other = feedPieces(text + "  \n", rng);
                QVERIFY(other.stop && other.stop->reason == outcome.stop->reason &&
                        other.stop->line == outcome.stop->line);
            }
        }
        for (const Bad& bad : stoppedAtEnd) {
            const std::string text = textOf(bad);
            const Outcome outcome = feedBytes(text);
            QVERIFY2(outcome.stop && outcome.atEnd, text.c_str());
            QVERIFY2(outcome.stop->line == bad.line, shown(outcome, text).c_str());
            QVERIFY2(outcome.stop->reason.find(bad.reason) != std::string::npos,
                     shown(outcome, text).c_str());
        }
    }

    void looksAtLessWhereItUnderstandsLess()
    {
        const auto modeAfter = [](const std::string& body) {
            IncrementalVerifier verifier;
            verifier.feed(plan + body);
            return verifier.mode();
        };
        using Mode = IncrementalVerifier::Mode;
        QVERIFY(modeAfter("") == Mode::Plan);
        QVERIFY(modeAfter(head + "y[0] = 1;\n") == Mode::Full);
        QVERIFY(modeAfter("template<typename Q> __device__ Q f(Q q);\n") == Mode::BracketsOnly);
        QVERIFY(modeAfter("#define A 1\n" + head) == Mode::BracketsOnly);
        QVERIFY(modeAfter("#define A(x) x\n" + head) == Mode::Off);
        QVERIFY(modeAfter("#ifdef A\n") == Mode::Off);
        // Brackets still count in brackets-only.
        QVERIFY(feedBytes(plan + "struct Q { int a; };\n" + head + "y[0) = 1;").stop);
    }

    void stopRepeats()
    {
        IncrementalVerifier verifier;
        const auto first = verifier.feed("//! tusk\n");
        QVERIFY(first && first->plan);
        QCOMPARE(verifier.feed("more")->reason, first->reason);
        QCOMPARE(verifier.finish()->reason, first->reason);
    }

    void anyBytesAreSafe()
    {
        Rng rng(4);
        for (int round = 0; round < 3000; ++round) {
            SampleOptions options;
            options.variety = 0.5;
            std::string text = sampleProgram(Task::SpMV, options, rng)->text;
            for (std::uint64_t i = rng.below(6); i > 0; --i) {
                const std::size_t at = rng.below(text.size());
                if (rng.chance(0.3))
                    text[at] = static_cast<char>(rng.below(256));
                else if (rng.chance(0.5))
                    text.insert(at, 1, "(){}[];\"'\\#/*\n<>%:?"[rng.below(19)]);
                else
                    text.erase(at, rng.below(5) + 1);
            }
            const Outcome whole = feedPieces(text, rng);
            QVERIFY(!whole.stop || (whole.stop->line >= 1 && !whole.stop->reason.empty()));
        }
        IncrementalVerifier verifier;
        QVERIFY(verifier.feed(std::string(70000, ' ')));
    }
};

QTEST_GUILESS_MAIN(TestVerifier)
#include "tst_verifier.moc"
