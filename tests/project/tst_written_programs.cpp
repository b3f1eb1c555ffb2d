// SPDX-License-Identifier: Apache-2.0
// Programs that no run wrote: kept in a file of the project, and candidates like all others.
#include "base/hash.h"
#include "project/files/verifications.h"
#include "project/run/written_programs.h"
#include "tests/project/fixture.h"
#include "verdict/names.h"

#include <QTest>
#include <fstream>

using namespace sparserl;
using namespace fixture;
namespace fs = std::filesystem;

class TestWrittenPrograms : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        auto project = must(Project::create(path(), "p"));
        AddMatrixOptions options;
        options.split = split::heldOut;
        m_digest = must(project.addGenerated("stencil2d(n=5,points=5)", options)).digest;
        auto run = must(RunDirectory::create(path() / "runs" / "0001-rl", config("rl")));
        auto session = must(run.beginWork());
        writeStep(session.journal(), 1, 3, 5);
    }

    void linesAreReadBack()
    {
        WrittenProgram one = written("int a;", Verdict::Correct);
        one.settings = {
            {"judge.model", std::string("h200")}, {"rl.lr", 1e-5}, {"device", std::string("cpu")}};
        one.tokens = 12;
        one.logProb = -3.5;
        const std::string id = must(addWrittenProgram(path(), one));
        std::ofstream(path() / writtenFile, std::ios::app) << "{torn";
        must(addWrittenProgram(path(), written("int b;", std::nullopt)));
        const auto list = must(readWrittenPrograms(path()));
        QCOMPARE(list.size(), std::size_t{2});
        QCOMPARE(list[0].id, id);
        QVERIFY(list[0].t > 0);
        QCOMPARE(list[0].text, std::string("int a;"));
        QCOMPARE(list[0].origin, std::string(sample_origin::hand));
        QCOMPARE(list[0].source, std::string("original"));
        QCOMPARE(list[0].target.key(), one.target.key());
        QCOMPARE(list[0].target.name, std::string("grid"));
        QCOMPARE(list[0].split, std::string(split::heldOut)); // as the project has its matrix
        QCOMPARE(list[0].family, std::string("S2"));
        QCOMPARE(list[0].tokens, std::int64_t{12});
        QCOMPARE(list[0].logProb, -3.5);
        QCOMPARE(list[0].settings.size(), std::size_t{1}); // how it is judged, and no more
        QVERIFY(list[0].record && list[0].record->correct() && !list[1].record);
        QCOMPARE(must(readWrittenProgram(path(), list[1].line)).text, std::string("int b;"));
        QVERIFY(!readWrittenProgram(path(), 99));
        QVERIFY(must(readWrittenPrograms(path() / "elsewhere")).empty());
    }

    /// A verdict on something else is none of this text.
    void aVerdictIsOfItsText()
    {
        WrittenProgram one = written("int a;", Verdict::Correct);
        one.text = "int other;";
        must(addWrittenProgram(path(), one));
        one = written("int a;", Verdict::Correct);
        one.target.variant.columns = 8;
        must(addWrittenProgram(path(), one));
        const auto list = must(readWrittenPrograms(path()));
        QVERIFY(list.size() == 2 && !list[0].record && !list[1].record);
    }

    void theyAreCandidatesLikeAllOthers()
    {
        must(must(Indexer::open(path())).update());
        const auto before = rows({}).size();
        must(addWrittenProgram(path(), written("int a;", Verdict::Correct)));
        WrittenProgram generated = written("int b;", std::nullopt);
        generated.origin = sample_origin::generated;
        must(addWrittenProgram(path(), generated));
        const auto update = must(must(Indexer::open(path())).update());
        QVERIFY(update.written && update.anything() && update.changedRuns == 0);
        QVERIFY(!must(must(Indexer::open(path())).update()).anything());
        QCOMPARE(rows({}).size(), before + 2);
        auto reader = must(ProjectReader::open(path()));
        QCOMPARE(must(reader.runs()).size(), std::size_t{1}); // they are no run

        CandidateFilter filter;
        filter.origins = {sample_origin::hand};
        const auto hand = rows(filter);
        QCOMPARE(hand.size(), std::size_t{1});
        const CandidateRow& row = hand.front();
        QVERIFY(row.runName.empty() && row.id.run == writtenPrograms);
        QCOMPARE(row.split, std::string(split::heldOut));
        QCOMPARE(row.speedup, 2.0);
        QCOMPARE(must(reader.programText(row.programHash)), std::string("int a;"));
        QCOMPARE(must(reader.verdict(row.id))->verdict, Verdict::Correct);
        QCOMPARE(must(reader.candidate(row.id)).programHash, sha256Hex("int a;"));
        const CandidateFacets facets = must(reader.facets({}));
        const auto has = [](const std::vector<FacetCount>& list, const std::string& value) {
            return std::any_of(list.begin(), list.end(),
                               [&](const FacetCount& f) { return f.value == value; });
        };
        QVERIFY(has(facets.origins, sample_origin::hand) && has(facets.origins, sample_origin::generated));
        QVERIFY(has(facets.runs, std::to_string(writtenPrograms)));
        filter = {};
        filter.runs = {writtenPrograms};
        filter.verdicts = {"unjudged"};
        QCOMPARE(rows(filter).size(), std::size_t{1});

        // Starred, and judged once more.
        Annotation star;
        star.target = Annotation::Target::Program;
        star.key = row.programHash;
        star.field = Annotation::Field::Star;
        star.value = "1";
        must(addAnnotation(path(), star));
        Verification again;
        again.record = written("int a;", Verdict::Race).record.value();
        must(addVerification(path(), again));
        must(must(Indexer::open(path())).update());
        filter = {};
        filter.starredOnly = true;
        const auto starred = rows(filter);
        QCOMPARE(starred.size(), std::size_t{1});
        QVERIFY(starred[0].verdict == Verdict::Race && starred[0].flags.has(VerdictFlag::VerifiedAgain));
    }

    /// A copy that was kept unjudged and is judged later has that verdict, in lists, facets and filters, and
    /// after a rebuild. So has a program of a run that ended before it was judged.
    void theFirstVerdictMayComeLater()
    {
        must(must(Indexer::open(path())).update());
        CandidateFilter unjudged;
        unjudged.verdicts = {"unjudged"};
        const auto others = rows(unjudged).size();
        must(addWrittenProgram(path(), written("int a;", std::nullopt)));
        must(addWrittenProgram(path(), written("int b;", std::nullopt)));
        {
            auto run = must(RunDirectory::create(path() / "runs" / "0002-rl", config("rl")));
            auto session = must(run.beginWork());
            SampleEvent sample;
            sample.programHash = sha256Hex("int c;");
            sample.target.contents = m_digest;
            mustDo(session.journal().append(1, sample));
        }
        must(must(Indexer::open(path())).update());
        QCOMPARE(rows(unjudged).size(), others + 3);
        for (const char* text : {"int a;", "int c;"}) {
            Verification first;
            first.record = record(sha256Hex(text), m_digest, Verdict::WrongResult, 0);
            first.record.wrong = WrongElement{};
            must(addVerification(path(), first));
        }
        QVERIFY(must(must(Indexer::open(path())).update()).verifications);
        const auto check = [&] {
            const auto left = rows(unjudged);
            QCOMPARE(left.size(), others + 1);
            QVERIFY(std::any_of(left.begin(), left.end(), [](const CandidateRow& row) {
                return row.programHash == sha256Hex("int b;");
            }));
            auto reader = must(ProjectReader::open(path()));
            const CandidateFacets facets = must(reader.facets({}));
            for (const FacetCount& facet : facets.verdicts)
                if (facet.value == "unjudged")
                    QCOMPARE(facet.count, std::int64_t(others) + 1);
            CandidateFilter filter;
            filter.runs = {writtenPrograms};
            filter.verdicts = {"wrong-result"};
            const auto judged = rows(filter);
            QCOMPARE(judged.size(), std::size_t{1});
            QCOMPARE(judged[0].programHash, sha256Hex("int a;"));
            const auto verdict = must(reader.verdict(judged[0].id));
            QVERIFY(verdict && verdict->wrong);
        };
        check();
        must(addWrittenProgram(path(), written("int d;", Verdict::Correct))); // the file is read again
        must(must(Indexer::open(path())).update());
        check();
        const std::string dump = must(dumpIndex(path()));
        must(must(Indexer::open(path())).rebuild());
        QCOMPARE(must(dumpIndex(path())), dump);
        check();
    }

    void aRebuildFindsThemAgain()
    {
        must(addWrittenProgram(path(), written("int a;", Verdict::Correct)));
        must(must(Indexer::open(path())).update());
        must(addWrittenProgram(path(), written("int b;", Verdict::WrongResult)));
        must(addWrittenProgram(path(), written("int a;", Verdict::Correct))); // once more the same
        must(must(Indexer::open(path())).update());
        const std::string dump = must(dumpIndex(path()));
        must(must(Indexer::open(path())).rebuild());
        QCOMPARE(must(dumpIndex(path())), dump);
        CandidateFilter filter;
        filter.runs = {writtenPrograms};
        QCOMPARE(rows(filter).size(), std::size_t{3});
        filter.distinctPrograms = true;
        QCOMPARE(rows(filter).size(), std::size_t{2});
    }

private:
    fs::path path() const { return m_dir->path() / "p"; }
    WrittenProgram written(const std::string& text, std::optional<Verdict> verdict) const
    {
        WrittenProgram program;
        program.origin = sample_origin::hand;
        program.source = "original";
        program.text = text;
        program.target.contents = m_digest;
        program.target.name = "grid";
        program.family = "S2";
        if (verdict)
            program.record = record(sha256Hex(text), m_digest, *verdict, 5);
        return program;
    }
    std::vector<CandidateRow> rows(const CandidateFilter& filter)
    {
        auto reader = must(ProjectReader::open(path()));
        return must(reader.candidateRows(must(reader.candidateOrder(filter, CandidateSort::Time, true))));
    }
    std::unique_ptr<TempDir> m_dir;
    std::string m_digest;
};

QTEST_APPLESS_MAIN(TestWrittenPrograms)
#include "tst_written_programs.moc"
