// SPDX-License-Identifier: Apache-2.0
// Searches that are kept, as users run them: killed in the middle and gone on with, they end with the record
// of one that nobody disturbed.
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "programs.h"
#include "project/index/index.h"
#include "project/queries/queries.h"
#include "project/queries/search_tree.h"
#include "project/run/control.h"
#include "project/run/journal.h"
#include "project/run/run_directory.h"

#include <QRegularExpression>
#include <QtTest>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

using namespace sparserl;
using namespace sparserl::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* options = "--device sim --candidates 24 --generation 6 --bench-programs 8 --seed 3 "
                                "--judge-seed 5 --quiet";

/// Programs, their origin and verdicts, and what was found in the end: all that no clock decides.
std::vector<std::string> storyOf(const fs::path& run)
{
    std::vector<std::string> story;
    const auto entries = readWholeJournal(run);
    if (!entries)
        qFatal("%s", entries.error().sentence().c_str());
    for (JournalEntry entry : *entries) {
        if (auto* sample = std::get_if<SampleEvent>(&entry.event))
            sample->proposal->seconds = 0;
        if (auto* verdict = std::get_if<VerdictEvent>(&entry.event))
            verdict->record.judgeSeconds = 0;
        const auto kind = kindOf(entry.event);
        if (kind != "program" && kind != "sample" && kind != "verdict" && kind != "evaluation")
            continue;
        entry.seq = 0;
        entry.gen = 0;
        entry.t = 0;
        story.push_back(toJson(entry).dump());
    }
    return story;
}

bool hasSamples(const fs::path& run, std::size_t count)
{
    return comesTrue([&] {
        const auto entries = readWholeJournal(run);
        std::size_t samples = 0;
        for (const auto& entry : entries ? *entries : std::vector<JournalEntry>())
            samples += std::holds_alternative<SampleEvent>(entry.event) ? 1 : 0;
        return samples >= count;
    });
}

} // namespace

class TestCliSearch : public QObject
{
    Q_OBJECT

private:
    fs::path m_folder = fs::absolute("cli-search");

    std::string sparserl(const std::string& words, int status = 0)
    {
        const RunOutput output = shell(m_folder, "$SPARSERL " + words, 300);
        if (output.status.code != status)
            qWarning("%s\n%s%s", words.c_str(), output.output.c_str(), output.error.c_str());
        return output.status.code == status ? output.output + output.error : "wrong status";
    }

private Q_SLOTS:
    void initTestCase()
    {
        fs::remove_all(m_folder);
        fs::create_directories(m_folder);
        QVERIFY(writeFileAtomic(m_folder / "project.toml", tinyProject));
    }

    void killedAndGoneOnWithItEndsTheSame()
    {
        const std::string said = sparserl(std::string("search grid --run runs/whole ") + options);
        QVERIFY2(said.find("Done") != std::string::npos, said.c_str());
        const auto whole = storyOf(m_folder / "runs/whole");
        QVERIFY(whole.size() > 72);

        const fs::path killed = m_folder / "runs/killed";
        const std::string begin = std::string("exec $SPARSERL search grid --run runs/killed ") + options;
        for (const std::size_t samples : {8, 14}) {
            auto process = startShell(m_folder, fs::exists(killed / "run.toml")
                                                    ? "exec $SPARSERL --quiet search --run runs/killed"
                                                    : begin);
            QVERIFY(hasSamples(killed, samples));
            process.killGroup(SIGKILL);
            QVERIFY(process.wait());
        }
        QVERIFY(storyOf(killed).size() < whole.size());
        sparserl("--quiet search --run runs/killed");
        const auto story = storyOf(killed);
        for (std::size_t i = 0; i < std::min(story.size(), whole.size()); ++i)
            QCOMPARE(QString::fromStdString(story[i]), QString::fromStdString(whole[i]));
        QCOMPARE(story.size(), whole.size());

        // Asked to end, it ends and can be gone on with; what is done stays.
        const auto run = RunDirectory::open(killed);
        QVERIFY(run);
        QCOMPARE(run->lastState()->state, RunState::Done);
        sparserl("search --run runs/killed");
        QCOMPARE(storyOf(killed).size(), whole.size());
    }

    /// The index has its programs, with the way to each.
    void theIndexHasTheWayToTheRecord()
    {
        auto indexer = Indexer::open(m_folder);
        QVERIFY(indexer && indexer->update());
        auto reader = ProjectReader::open(m_folder);
        QVERIFY(reader);
        const auto run = reader->runByName("killed");
        QVERIFY(run);
        QCOMPARE(run->samples, 24);
        QCOMPARE(run->headline, std::string("search/gain"));
        CandidateFilter filter;
        filter.runs = {run->id};
        const auto ids = reader->candidateOrder(filter, CandidateSort::Step, false);
        QVERIFY(ids);
        QCOMPARE(ids->size(), std::size_t(24));
        std::size_t longest = 0;
        for (const CandidateId& id : *ids) {
            const auto way = reader->lineage(id);
            QVERIFY(way && !way->empty());
            QCOMPARE(way->back().candidate.id, id);
            QVERIFY(way->front().proposal.parents.empty() && !way->front().proposal.corpus.empty());
            for (std::size_t i = 1; i < way->size(); ++i) {
                QCOMPARE((*way)[i].proposal.parents.front(), (*way)[i - 1].candidate.programHash);
                QVERIFY(!(*way)[i].proposal.edits.empty());
            }
            longest = std::max(longest, way->size());
        }
        QVERIFY(longest > 1);

        // The whole tree, with the record that the final ranking found.
        const auto evaluations = reader->evaluations(run->id);
        QVERIFY(evaluations && evaluations->size() == 1);
        const auto shown = reader->candidate(ids->front());
        QVERIFY(shown);
        const auto tree = searchTree(*reader, *shown);
        QVERIFY(tree && tree->record >= 0);
        const LineageRow& record = tree->nodes[static_cast<std::size_t>(tree->record)].program;
        QCOMPARE(record.candidate.programHash, evaluations->front().event.bestProgram);
        const auto way = reader->lineage(record.candidate.id);
        std::vector<std::string> expected, onWay;
        for (const LineageRow& row : *way)
            expected.push_back(row.candidate.programHash);
        for (const SearchTree::Node& node : tree->nodes) {
            if (node.onWay)
                onWay.push_back(node.program.candidate.programHash);
        }
        QCOMPARE(onWay, expected);
        QVERIFY(!tree->curve.empty());
        // Programs of other runs have none.
        CandidateRow other = *shown;
        other.id.seq = 1;
        QVERIFY(searchTree(*reader, other) && searchTree(*reader, other)->nodes.empty());
    }

    void isStoppedByACommand()
    {
        const fs::path stopped = m_folder / "runs/stopped";
        auto process = startShell(m_folder, "exec $SPARSERL search grid rows --run runs/stopped --device sim "
                                            "--seconds 600 --generation 4 --bench-programs 4 --quiet");
        QVERIFY(hasSamples(stopped, 4));
        ControlCommand stop;
        stop.kind = ControlCommand::Kind::Stop;
        QVERIFY(appendControl(stopped, stop));
        QVERIFY(process.wait());
        const auto run = RunDirectory::open(stopped);
        QVERIFY(run);
        QCOMPARE(run->lastState()->state, RunState::Paused);
    }

    /// A matrix and a policy are enough: without a project it is the search that a run of one would be.
    void aPolicyNeedsNoProject()
    {
        // One family of short programs: a small policy soon writes some that are new.
        QVERIFY(sparserl("train quickstart-sft --project . --run runs/sft --quiet --set judge.device=sim "
                         "--set threads=1 --set judge.seed=5 --set seed=2 --set sft.programs_per_matrix=24 "
                         "--set sft.families=S1 --set sft.max_bytes=700 --set sft.recommended=0 --set "
                         "sft.steps=200 --set sft.batch=8 --set eval.every=0 --set policy.d_model=64 --set "
                         "policy.d_ff=128 --set policy.d_kv=16 --set policy.encoder_layers=1 --set "
                         "policy.decoder_layers=2 --set policy.views=2 --set tokenizer.vocabulary=600 --set "
                         "checkpoint.every=200") != "wrong status");
        const std::string asked = std::string("--policy runs/sft --temperatures 0.5,0.8 --share "
                                              "policy=0.8,grid=0.1,edits=0.1 ") +
                                  options;
        QVERIFY(sparserl("search grid --run runs/with-policy " + asked) != "wrong status");
        const std::string said =
            sparserl("--json search 'stencil2d(n=8)' --csv bare.csv --out records " + asked);
        const auto line = parseJson(std::string_view(said).substr(0, said.find('\n')));
        QVERIFY2(line, said.c_str());

        std::vector<std::string> kept, bare; // number, source and words of each program
        std::string record;
        int written = 0;
        const auto entries = readWholeJournal(m_folder / "runs/with-policy");
        for (const JournalEntry& entry : *entries) {
            if (const auto* evaluation = std::get_if<EvaluationEvent>(&entry.event))
                record = evaluation->bestProgram;
            const auto* sample = std::get_if<SampleEvent>(&entry.event);
            if (!sample)
                continue;
            std::string words = sample->proposal->corpus;
            for (const ProposalEdit& edit : sample->proposal->edits)
                words += (words.empty() ? "" : "; ") + edit.words;
            written += sample->proposal->source == "policy" ? 1 : 0;
            kept.push_back(std::to_string(sample->proposal->number) + " " + sample->proposal->source + " " +
                           words);
        }
        const auto csv = readFile(m_folder / "bare.csv", 1 << 20);
        QVERIFY(csv);
        const QStringList rows = QString::fromStdString(*csv).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        // matrix,number,seconds,source,"niche",edits,"words",...
        static const QRegularExpression row(QStringLiteral(
            "^[^,]*\\([^)]*\\)\"?,(\\d+),[^,]*,(\\w+),\"[^\"]*\",[^,]*,\"((?:[^\"]|\"\")*)\","));
        for (const QString& one : rows.mid(1)) {
            const auto match = row.match(one);
            QVERIFY2(match.hasMatch(), qPrintable(one));
            const QString words = match.captured(3).replace(QStringLiteral("\"\""), QStringLiteral("\""));
            bare.push_back(match.captured(1).toStdString() + " " + match.captured(2).toStdString() + " " +
                           words.toStdString());
        }
        QVERIFY(written > 0);
        QCOMPARE(bare, kept);
        QCOMPARE(sha256Hex((*line)["record"]["text"].get<std::string>()), record);
        QVERIFY(fs::exists((*line)["file"].get<std::string>().front() == '/'
                               ? fs::path((*line)["file"].get<std::string>())
                               : m_folder / (*line)["file"].get<std::string>()));

        QVERIFY(sparserl("search 'stencil2d(n=8)' --policy nowhere --quiet", 1).find("nowhere") !=
                std::string::npos);
        QVERIFY(sparserl("search 'stencil2d(n=8)' --policy runs/sft --temperatures hot --quiet", 2)
                    .find("--temperatures") != std::string::npos);
    }

    void mistakesLeaveNothingBehind()
    {
        QVERIFY(sparserl("search --run runs/none", 2).find("nothing to search") != std::string::npos);
        QVERIFY(sparserl("search nowhere --run runs/none", 1) != "wrong status");
        QVERIFY(!fs::exists(m_folder / "runs/none"));
        QVERIFY(sparserl("search grid --run runs/whole", 1).find("this run exists already") !=
                std::string::npos);
        QVERIFY(sparserl("search grid --project . --csv a.csv", 2) != "wrong status");
        QVERIFY(sparserl("search grid --project . --share policy=1", 2) != "wrong status");
        // Another matrix comes into the project, and a run gets its next number.
        QVERIFY(sparserl("search 'banded(n=40,band=1)' --project . --device sim --candidates 4 "
                         "--bench-programs 4 --quiet") != "wrong status");
        const auto config = readRunConfig(m_folder / "runs/0001-search/run.toml");
        QVERIFY(config);
        QCOMPARE(config->title, std::string("banded"));
    }
};

QTEST_GUILESS_MAIN(TestCliSearch)
#include "tst_cli_search.moc"
