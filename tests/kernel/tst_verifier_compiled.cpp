// SPDX-License-Identifier: Apache-2.0
// The verifier against NVRTC: no program that compiles is stopped, nearly all with a mistake in them are.
#include "ask_compiler.h"
#include "base/files.h"
#include "corpus/corpus.h"
#include "kernel/plan.h"
#include "kernel/verifier.h"
#include "mutants.h"
#include "statements.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace sparserl;

namespace {

std::optional<Stop> stopOf(const std::string& text)
{
    IncrementalVerifier verifier;
    for (std::size_t at = 0; at < text.size(); at += 3) {
        if (auto stop = verifier.feed(std::string_view(text).substr(at, 3)))
            return stop;
    }
    return std::nullopt;
}

} // namespace

class TestVerifierCompiled : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void mutants();
    void statements();
    void programs();

private:
    bool m_installed = true;
    /// Where NVRTC is not installed there is nothing to compare with.
    std::vector<CompilerSays> ask(const std::vector<std::string>& programs)
    {
        auto answers = askCompiler(programs);
        if (answers)
            return *answers;
        m_installed = answers.error().sentence().find("is not installed") == std::string::npos;
        if (m_installed)
            qFatal("%s", answers.error().sentence().c_str());
        return {};
    }
};

void TestVerifierCompiled::mutants()
{
    Rng rng(7);
    std::vector<std::string> texts, programs;
    std::vector<std::string_view> kinds;
    for (int i = 0; i < 60; ++i) {
        SampleOptions options;
        options.variety = (i % 5) / 4.0;
        texts.push_back(sampleProgram(i % 2 ? Task::SpMM : Task::SpMV, options, rng)->text);
    }
    for (const auto kind : mutantKinds()) {
        for (int made = 0; made < 16;) {
            auto text = mutantOf(texts[rng.below(texts.size())], kind, rng);
            if (!text || !parseProgram(*text))
                continue;
            programs.push_back(std::move(*text));
            kinds.push_back(kind);
            ++made;
        }
    }
    const auto answers = ask(programs);
    if (!m_installed)
        QSKIP("NVRTC is not installed");
    std::size_t early = 0, stopped = 0, accepted = 0;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto stop = stopOf(programs[i]);
        accepted += !answers[i].rejected;
        QVERIFY2(answers[i].rejected || !stop,
                 fmt::format("{}: line {}: {}\n{}", kinds[i], stop ? stop->line : 0, stop ? stop->reason : "",
                             programs[i])
                     .c_str());
        if (answers[i].rejected && answers[i].line > 0 &&
            answers[i].line < lineOfLastStatement(programs[i])) {
            ++early;
            stopped += stop.has_value();
        }
    }
    QVERIFY(accepted >= 15 && early >= 200);
    QVERIFY2(stopped * 100 >= early * 95, fmt::format("{} of {}", stopped, early).c_str());
}

/// The lists that the tests without a compiler hold the verifier against.
void TestVerifierCompiled::statements()
{
    const auto accepted = statementLines("statements_accepted.txt");
    const auto refused = statementLines("statements_refused.txt");
    std::vector<std::string> programs{programOf(accepted)};
    for (const std::string& line : refused)
        programs.push_back(programOf({&line, 1}));
    const auto answers = ask(programs);
    if (!m_installed)
        QSKIP("NVRTC is not installed");
    for (std::size_t i = 0; i < programs.size(); ++i)
        QVERIFY2(answers[i].rejected == (i > 0), (programs[i] + answers[i].message).c_str());
}

void TestVerifierCompiled::programs()
{
    std::vector<std::string> programs = styledPrograms();
    const auto files = listDirectory(SPARSERL_SOURCE_DIR "/tests/kernel/data/valid");
    QVERIFY(files);
    for (const auto& path : *files) {
        auto text = readFile(path);
        QVERIFY(text);
        programs.push_back(std::move(*text));
    }
    const auto answers = ask(programs);
    if (!m_installed)
        QSKIP("NVRTC is not installed");
    for (std::size_t i = 0; i < programs.size(); ++i)
        QVERIFY2(!answers[i].rejected, (programs[i] + answers[i].message).c_str());
}

QTEST_GUILESS_MAIN(TestVerifierCompiled)
#include "tst_verifier_compiled.moc"
