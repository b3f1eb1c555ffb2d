// SPDX-License-Identifier: Apache-2.0
// Programs that the user chose for fine-tuning: kept with their texts, indexed, taken back; and the relatives
// of a program.
#include "base/similarity.h"
#include "fixture.h"
#include "project/files/sft_set.h"
#include "project/queries/relatives.h"
#include "project/queries/sft_choice.h"

#include <QtTest>

#include <filesystem>
#include <map>
#include <memory>
#include <set>

using namespace sparserl;
using namespace fixture;
namespace fs = std::filesystem;

namespace {

/// A program of a family of look-alikes: one line of it is its own.
std::string programText(int number)
{
    std::string text =
        "//! task spmv\nextern \"C\" __global__ void k(int rows, const float* x, float* y)\n{\n";
    for (int line = 0; line < 20; ++line)
        text += fmt::format("    y[{}] = x[{}] * {}.0f;\n", line, line * 3, line == number ? 77 : 2);
    return text + "}\n";
}

Annotation sftAnnotation(const std::string& program, const std::string& value)
{
    return {"", 0, Annotation::Target::Program, program, Annotation::Field::Sft, value};
}

} // namespace

class TestSftSet : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        m_project = m_dir->path() / "p";
        must(Project::create(m_project));
        auto run = must(RunDirectory::create(m_project / "runs/0001-rl", config("rl")));
        auto session = must(run.beginWork());
        const auto add = [&](std::int64_t step, const std::string& text, const char* matrix, int columns,
                             const char* family, double micros) {
            const std::string hash = sha256Hex(text);
            mustDo(session.journal().appendProgram(step, hash, text));
            SampleEvent sample;
            sample.programHash = hash;
            sample.target.contents = matrix;
            sample.target.variant.columns = columns;
            sample.family = family;
            sample.split = "train";
            sample.tokens = static_cast<std::int64_t>(text.size() / 4);
            mustDo(session.journal().append(step, sample));
            VerdictRecord judged = record(hash, matrix, Verdict::Correct, micros);
            judged.target.variant.columns = columns;
            mustDo(session.journal().append(step, VerdictEvent{judged}));
        };
        for (int i = 0; i < 5; ++i)
            add(i, programText(i), "m0", 1, "S3", 8.0 - i);
        add(5, programText(2), "m1", 1, "S3", 2);
        add(6, programText(2), "m2", 8, "S3", 2);
        add(7, "//! task spmv\n// nothing like it\nint other;\n", "m0", 1, "S3", 2);
        add(8, programText(9), "m0", 1, "S4", 2);
        mustDo(session.journal().append(9, StateEvent{RunState::Done, {}, 9}));
        must(must(Indexer::open(m_project)).update());
        m_reader = std::make_unique<ProjectReader>(must(ProjectReader::open(m_project)));
    }

    void chosenProgramsAreKeptAndTakenBack()
    {
        const std::string text = programText(2), hash = sha256Hex(text);
        QVERIFY(must(readSftSet(m_project)).empty());
        must(keepForSft(m_project, hash, text));
        QVERIFY(must(readSftSet(m_project)).empty()); // the text alone chooses nothing
        must(addAnnotation(m_project, sftAnnotation(hash, "m0")));
        const auto second = must(addAnnotation(m_project, sftAnnotation(hash, "m2/8")));
        const auto set = must(readSftSet(m_project));
        QCOMPARE(set.size(), std::size_t(1));
        QCOMPARE(set[0].text, text);
        QVERIFY((set[0].targets == std::vector<std::string>{"m0", "m2/8"}));

        const auto listed = [&] {
            must(must(Indexer::open(m_project)).update());
            CandidateFilter filter;
            filter.sftOnly = true;
            std::set<std::string> targets;
            for (const auto& row : must(m_reader->candidateRows(
                     must(m_reader->candidateOrder(filter, CandidateSort::Time, false))))) {
                if (row.programHash != hash || !row.inSftSet)
                    qFatal("a row that is not in the set passed its filter");
                targets.insert(row.target.key());
            }
            return targets;
        };
        QVERIFY((listed() == std::set<std::string>{"m0", "m2/8"})); // not m1, which it was tried on as well
        CandidateFilter filter;
        filter.sftOnly = true;
        QCOMPARE(must(m_reader->facets(filter)).total, std::int64_t(2));
        mustDo(undoAnnotation(m_project, second));
        QVERIFY((listed() == std::set<std::string>{"m0"}));
        must(addAnnotation(m_project, sftAnnotation(hash, "-m0")));
        QVERIFY(listed().empty());
        QVERIFY(must(readSftSet(m_project)).empty());
    }

    void whatIsNotTheProgramIsNotKept()
    {
        const std::string text = programText(3), hash = sha256Hex(text);
        QVERIFY(!keepForSft(m_project, hash, text + " "));
        must(keepForSft(m_project, hash, text));
        must(addAnnotation(m_project, sftAnnotation(hash, "m0")));
        mustDo(writeFileAtomic(m_project / "sft_set" / (hash + ".cu"), "another program"));
        const auto set = must(readSftSet(m_project));
        QCOMPARE(set.size(), std::size_t(1));
        QVERIFY(set[0].text.empty()); // lost, and said so
        must(addAnnotation(m_project, sftAnnotation(hash, "-m0")));
    }

    /// The fastest of each target, each program once, none far behind the first; and what is added twice is
    /// there once.
    void theFastestOfRunsJoin()
    {
        const auto timesOf = [&](std::size_t best, double within, const std::vector<std::string>& matrices) {
            CandidateFilter filter;
            filter.matrices = matrices;
            std::map<std::string, std::vector<double>> times;
            for (const auto& row : must(fastestForSft(*m_reader, filter, best, within)))
                times[row.target.key()].push_back(row.microseconds);
            return times;
        };
        using Times = std::map<std::string, std::vector<double>>;
        QVERIFY((timesOf(4, 100, {}) == Times{{"m0", {2, 2, 4, 5}}, {"m1", {2}}, {"m2/8", {2}}}));
        QVERIFY((timesOf(1, 100, {}) == Times{{"m0", {2}}, {"m1", {2}}, {"m2/8", {2}}}));
        QVERIFY((timesOf(9, 2.5, {"m0"}) == Times{{"m0", {2, 2, 4, 5}}}));
        QVERIFY((timesOf(9, 1, {"m0"}) == Times{{"m0", {2, 2}}}));

        const auto rows = must(fastestForSft(*m_reader, {}, 4, 100));
        QCOMPARE(must(addToSftSet(m_project, *m_reader, rows)), std::size_t(6));
        QCOMPARE(must(addToSftSet(m_project, *m_reader, rows)), std::size_t(0));
        std::set<std::string> pairs;
        for (const auto& program : must(readSftSet(m_project))) {
            QCOMPARE(sha256Hex(program.text), program.hash);
            for (const auto& target : program.targets)
                QVERIFY(pairs.insert(program.hash + target).second);
        }
        QCOMPARE(pairs.size(), std::size_t(6));
        for (const auto& row : rows)
            must(addAnnotation(m_project, sftAnnotation(row.programHash, "-" + row.target.key())));
        QVERIFY(must(readSftSet(m_project)).empty());

        // What is held out, or wrong, is never trained on.
        auto row = rows.front();
        row.split = split::heldOut;
        QVERIFY(!mayJoinSftSet(row));
        QCOMPARE(must(addToSftSet(m_project, *m_reader, {row})), std::size_t(0));
        row = rows.front();
        row.verdict = Verdict::WrongResult;
        QVERIFY(!mayJoinSftSet(row));
        row.verdict.reset();
        QVERIFY(!mayJoinSftSet(row));
        CancelToken cancelled;
        cancelled.cancel();
        QVERIFY(!fastestForSft(*m_reader, {}, 4, 100, cancelled));
    }

    /// By the beginning of its hash, as a person names it.
    void programsAreFoundByTheirBeginning()
    {
        const std::string whole = sha256Hex(programText(2));
        const auto count = [&](const std::string& begin) {
            CandidateFilter filter;
            filter.programHash = begin;
            const auto rows =
                must(m_reader->candidateRows(must(m_reader->candidateOrder(filter, {}, false))));
            for (const CandidateRow& row : rows)
                if (!row.programHash.starts_with(begin))
                    return std::size_t(0);
            return rows.size();
        };
        const std::size_t all = count(whole);
        QVERIFY(all > 0);
        QCOMPARE(count(whole.substr(0, 8)), all);
        QCOMPARE(count(whole + "0"), std::size_t(0));
        std::string other = whole.substr(0, 8);
        other.back() = other.back() == 'f' ? '0' : 'f';
        QCOMPARE(count(other), std::size_t(0));
        QVERIFY(count({}) > all);
    }

    void tokensMakeTheShape()
    {
        const auto plain = tokenShape("int a = b + 12; return a;");
        QVERIFY(plain == tokenShape("int a=b // a remark\n   + 12;\n\n/* another */ return a ;"));
        QVERIFY(similarity(plain, tokenShape("int a = b + 13; return a;")) < 1);
        QVERIFY(tokenShape("").empty() && tokenShape("/* open").empty());
    }

    void relativesComeInTheOrderOfTheirLikeness()
    {
        CandidateFilter filter;
        filter.programHash = sha256Hex(programText(2));
        filter.matrices = {"m0"};
        const auto rows =
            must(m_reader->candidateRows(must(m_reader->candidateOrder(filter, CandidateSort::Time, false))));
        QCOMPARE(rows.size(), std::size_t(1));
        const auto found = must(relativesOf(*m_reader, rows[0], {}, {}));
        QCOMPARE(found.chain.size(), std::size_t(5));       // not the stranger, not the other family
        QCOMPARE(found.chain[0].row.step, std::int64_t(2)); // itself
        QCOMPARE(found.chain[0].similarity, 1.0);
        std::set<std::int64_t> steps{2};
        for (std::size_t i = 1; i < found.chain.size(); ++i) {
            const Relative &one = found.chain[i], &before = found.chain[i - 1];
            QCOMPARE(one.row.target.contents, std::string("m0"));
            QVERIFY(one.similarity > 0.5 && one.similarity < 1);
            QVERIFY(one.similarity < before.similarity ||
                    (one.similarity == before.similarity && one.row.step > before.row.step));
            QVERIFY(steps.insert(one.row.step).second);
        }
        CancelToken cancelled;
        cancelled.cancel();
        QVERIFY(!relativesOf(*m_reader, rows[0], cancelled, {}));
    }

private:
    std::unique_ptr<TempDir> m_dir;
    fs::path m_project;
    std::unique_ptr<ProjectReader> m_reader;
};

QTEST_GUILESS_MAIN(TestSftSet)
#include "tst_sft_set.moc"
