// SPDX-License-Identifier: Apache-2.0
// A program judged once more outside its run: written down beside the runs, and the newest verdict
// everywhere.
#include "project/files/verifications.h"
#include "tests/project/fixture.h"

#include <QTest>
#include <fstream>

using namespace sparserl;
using namespace fixture;
namespace fs = std::filesystem;

class TestVerifications : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        must(Project::create(path(), "p"));
        for (const char* name : {"0001-rl", "0002-rl"}) {
            auto run = must(RunDirectory::create(path() / "runs" / name, config("rl")));
            auto session = must(run.beginWork());
            for (const char* program : {"a", "b"}) {
                SampleEvent sample;
                sample.programHash = program;
                sample.target.contents = "m";
                mustDo(session.journal().append(1, sample));
                mustDo(session.journal().append(1, VerdictEvent{record(program, "m", Verdict::Correct, 5)}));
            }
        }
        must(must(Indexer::open(path())).update());
    }

    void linesAreReadBack()
    {
        Verification one;
        one.before = "correct";
        one.record = record("a", "m", Verdict::Race, 0);
        one.record.seed = 77;
        const std::string id = must(addVerification(path(), one));
        std::ofstream(path() / "verifications.jsonl", std::ios::app) << "{torn";
        must(addVerification(path(), one)); // Begins on a line of its own.
        const auto list = must(readVerifications(path()));
        QCOMPARE(list.size(), std::size_t{2});
        QCOMPARE(list[0].id, id);
        QVERIFY(list[0].t > 0 && list[1].id != id);
        QCOMPARE(list[0].before, std::string("correct"));
        QCOMPARE(list[0].record.verdict, Verdict::Race);
        QCOMPARE(list[0].record.seed, std::uint64_t{77});
        QVERIFY(must(readVerifications(path() / "elsewhere")).empty());
    }

    void newestVerdictIsTheOneEverywhere()
    {
        QCOMPARE(count("correct"), 4);
        Verification one;
        one.record = record("a", "m", Verdict::Race, 0);
        must(addVerification(path(), one));
        const auto update = must(must(Indexer::open(path())).update());
        QVERIFY(update.verifications && update.anything() && update.changedRuns == 0);
        QCOMPARE(count("correct"), 2);
        QCOMPARE(count("race"), 2); // In both runs.
        auto reader = must(ProjectReader::open(path()));
        CandidateFilter filter;
        filter.flags = {"verified-again"};
        const auto ids = must(reader.candidateOrder(filter, CandidateSort::Time, true));
        QCOMPARE(ids.size(), std::size_t{2});
        for (const CandidateRow& row : must(reader.candidateRows(ids))) {
            QCOMPARE(row.programHash, std::string("a"));
            QCOMPARE(row.speedup, 0.0);
            QCOMPARE(must(reader.verdict(row.id))->verdict, Verdict::Race);
        }
        QVERIFY(!must(must(Indexer::open(path())).update()).anything());
    }

    void rebuildAndTheOrderOfReadingMakeNoDifference()
    {
        Verification one;
        one.record = record("a", "m", Verdict::Race, 0);
        must(addVerification(path(), one));
        one.record = record("b", "m", Verdict::WrongResult, 0);
        one.t = 5; // Long before the runs: their verdict is the newer one.
        must(addVerification(path(), one));
        must(must(Indexer::open(path())).update());
        QCOMPARE(count("race"), 2);
        QCOMPARE(count("wrong-result"), 0);
        const std::string dump = must(dumpIndex(path()));
        must(must(Indexer::open(path())).rebuild());
        QCOMPARE(must(dumpIndex(path())), dump);
    }

    // The same program on the same matrix with another number of dense columns is another target.
    void aVerdictIsOfTheTargetThatItNames()
    {
        {
            auto run = must(RunDirectory::create(path() / "runs" / "0003-rl", config("rl")));
            auto session = must(run.beginWork());
            VerdictRecord columns = record("a", "m", Verdict::Correct, 5);
            columns.target.variant.columns = 8;
            SampleEvent sample;
            sample.programHash = "a";
            sample.target = columns.target;
            mustDo(session.journal().append(1, sample));
            mustDo(session.journal().append(1, VerdictEvent{columns}));
        }
        Verification one;
        one.record = record("a", "m", Verdict::Race, 0);
        one.record.target.variant.columns = 8;
        must(addVerification(path(), one));
        must(must(Indexer::open(path())).update());
        QCOMPARE(count("race"), 1);
        QCOMPARE(count("correct"), 4);
    }

    // A run that goes on and judges the same program later has the last word.
    void laterJudgementOfARunCounts()
    {
        Verification one;
        one.record = record("a", "m", Verdict::Race, 0);
        must(addVerification(path(), one));
        must(must(Indexer::open(path())).update());
        {
            auto run = must(RunDirectory::open(path() / "runs" / "0002-rl"));
            auto journal = must(JournalWriter::open(run.path() / "journal.jsonl", 0));
            mustDo(journal.append(2, VerdictEvent{record("a", "m", Verdict::Correct, 4)}));
            mustDo(journal.flush());
        }
        must(must(Indexer::open(path())).update());
        QCOMPARE(count("race"), 1);
        QCOMPARE(count("correct"), 3);
    }

private:
    fs::path path() const { return m_dir->path() / "p"; }
    int count(const std::string& verdict)
    {
        auto reader = must(ProjectReader::open(path()));
        CandidateFilter filter;
        filter.verdicts = {verdict};
        return static_cast<int>(must(reader.candidateOrder(filter, CandidateSort::Time, true)).size());
    }
    std::unique_ptr<TempDir> m_dir;
};

QTEST_APPLESS_MAIN(TestVerifications)
#include "tst_verifications.moc"
