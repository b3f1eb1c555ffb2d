// SPDX-License-Identifier: Apache-2.0
// What the window asks: compared with counting in the journal's entries, not with the tables.
#include "fixture.h"

#include "base/files.h"
#include "base/interruption.h"

#include "base/lock.h"
#include "base/time.h"
#include "project/queries/policy_sight.h"
#include "project/run/generation.h"
#include "project/run/launch.h"
#include "project/run/worker_start.h"
#include "target/family_names.h"
#include "target/target_text.h"
#include "tests/patience.h"

#include <QTest>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

/// A sample with its last verdict, gathered from a journal.
struct Expected
{
    std::int64_t seq = 0, step = 0;
    SampleEvent sample;
    std::optional<VerdictRecord> record;
    bool repeated = false;

    std::string verdict() const { return record ? std::string(nameOf(record->verdict)) : "unjudged"; }
    double speedup() const { return record && record->correct() ? record->speedup() : 0; }
};

std::vector<Expected> expectedOf(const fs::path& run, std::map<std::string, std::string>& texts)
{
    std::map<std::pair<std::string, std::string>, VerdictRecord> verdicts;
    std::set<std::pair<std::string, std::string>> seen;
    std::vector<Expected> list;
    for (const auto& entry : must(readWholeJournal(run))) {
        if (const auto* verdict = std::get_if<VerdictEvent>(&entry.event))
            verdicts[{verdict->record.programHash, verdict->record.target.contents}] = verdict->record;
        if (const auto* program = std::get_if<ProgramEvent>(&entry.event))
            texts[program->hash] = program->text;
        if (const auto* sample = std::get_if<SampleEvent>(&entry.event)) {
            const bool fresh = seen.insert({sample->programHash, sample->target.contents}).second;
            list.push_back({entry.seq, entry.step, *sample, {}, !fresh});
        }
    }
    for (Expected& item : list) {
        const auto it = verdicts.find({item.sample.programHash, item.sample.target.contents});
        if (it != verdicts.end())
            item.record = it->second;
    }
    return list;
}

std::vector<CandidateRow> allRows(ProjectReader& reader, const CandidateFilter& filter, CandidateSort sort,
                                  bool descending)
{
    const auto ids = must(reader.candidateOrder(filter, sort, descending));
    auto rows = must(reader.candidateRows(ids));
    if (rows.size() != ids.size())
        qFatal("rows are missing");
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (!(rows[i].id == ids[i]))
            qFatal("rows are not in the order in which they were asked for");
    return rows;
}

std::int64_t countOf(ProjectReader& reader, const CandidateFilter& filter)
{
    return static_cast<std::int64_t>(must(reader.candidateOrder(filter, CandidateSort::Time, true)).size());
}

std::set<std::pair<RunId, std::int64_t>> idsOf(const std::vector<CandidateRow>& rows)
{
    std::set<std::pair<RunId, std::int64_t>> ids;
    for (const auto& row : rows)
        ids.insert({row.id.run, row.id.seq});
    return ids;
}

} // namespace

class TestQueries : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        m_project = m_dir->path() / "p";
        must(Project::create(m_project));
        for (int i = 0; i < 3; ++i) {
            auto run =
                must(RunDirectory::create(m_project / fmt::format("runs/{:04}-rl", i + 1), config("rl")));
            auto session = must(run.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 40}));
            for (int step = 0; step < 40; ++step)
                writeStep(session.journal(), step, static_cast<std::uint64_t>(i), 5);
            mustDo(session.journal().append(40, StateEvent{RunState::Done, {}, 40}));
        }
        must(must(Indexer::open(m_project)).update());
        m_reader = std::make_unique<ProjectReader>(must(ProjectReader::open(m_project)));
        for (const auto& run : must(m_reader->runs())) {
            m_ids[run.name] = run.id;
            m_expected[run.id] = expectedOf(run.path, m_texts);
        }
    }

    void cleanupTestCase()
    {
        m_reader.reset();
        m_dir.reset();
    }

    void orderHasEveryCandidateOnce_data()
    {
        QTest::addColumn<int>("sort");
        QTest::addColumn<bool>("descending");
        for (int sort = 0; sort <= int(CandidateSort::Run); ++sort)
            for (const bool descending : {false, true})
                QTest::addRow("sort %d %s", sort, descending ? "down" : "up") << sort << descending;
    }

    void orderHasEveryCandidateOnce()
    {
        QFETCH(int, sort);
        QFETCH(bool, descending);
        const auto by = static_cast<CandidateSort>(sort);
        const auto rows = allRows(*m_reader, {}, by, descending);
        QCOMPARE(rows.size(), std::size_t{600});
        QCOMPARE(idsOf(rows).size(), std::size_t{600});
        const double worst = descending ? -1e300 : 1e300;
        const auto key = [&](const CandidateRow& row) -> std::pair<double, std::string> {
            switch (by) {
            case CandidateSort::Time:
                return {row.t, ""};
            case CandidateSort::Speedup:
                return {row.speedup > 0 ? row.speedup : worst, ""};
            case CandidateSort::Microseconds:
                return {row.microseconds > 0 ? row.microseconds : worst, ""};
            case CandidateSort::Step:
                return {double(row.step), ""};
            case CandidateSort::Reward:
                return {std::isnan(row.reward) ? worst : row.reward, ""};
            case CandidateSort::Tokens:
                return {double(row.tokens), ""};
            case CandidateSort::Matrix:
                return {0, row.target.name};
            case CandidateSort::Verdict:
                return {0, row.verdict ? std::string(nameOf(*row.verdict)) : ""};
            case CandidateSort::Family:
                return {0, row.family};
            case CandidateSort::Run:
                return {0, row.runName};
            }
            return {0, ""};
        };
        for (std::size_t i = 1; i < rows.size(); ++i)
            QVERIFY(descending ? key(rows[i - 1]) >= key(rows[i]) : key(rows[i - 1]) <= key(rows[i]));
    }

    /// In every order, of each program the row that the whole list has first.
    void programsOnceAreTheFirstOfTheList_data() { orderHasEveryCandidateOnce_data(); }
    void programsOnceAreTheFirstOfTheList()
    {
        QFETCH(int, sort);
        QFETCH(bool, descending);
        const auto by = static_cast<CandidateSort>(sort);
        CandidateFilter filter;
        filter.firstSamples = true; // once for each target
        std::vector<CandidateId> first, once;
        std::set<std::string> programs;
        for (const CandidateRow& row : allRows(*m_reader, filter, by, descending))
            if (programs.insert(row.programHash).second)
                first.push_back(row.id);
        filter.distinctPrograms = true;
        for (const CandidateRow& row : allRows(*m_reader, filter, by, descending))
            once.push_back(row.id);
        QVERIFY(first == once);
        QVERIFY(once.size() < 600); // else this says nothing
    }

    void rowsSayWhatTheJournalSays()
    {
        for (const auto& [run, list] : m_expected) {
            for (const Expected& item : list) {
                const auto row = must(m_reader->candidate({run, item.seq}));
                QCOMPARE(row.programHash, item.sample.programHash);
                QCOMPARE(row.family, item.sample.family);
                QCOMPARE(row.step, item.step);
                QCOMPARE(row.tokens, item.sample.tokens);
                QVERIFY(row.reward == item.sample.reward || std::isnan(item.sample.reward));
                QCOMPARE(std::isnan(row.reward), std::isnan(item.sample.reward));
                QCOMPARE(row.verdict ? std::string(nameOf(*row.verdict)) : "unjudged", item.verdict());
                QCOMPARE(row.speedup, item.speedup());
                const auto record = must(m_reader->verdict({run, item.seq}));
                QCOMPARE(record.has_value(), item.record.has_value());
                if (record) {
                    QCOMPARE(record->lines.size(), std::size_t{1});
                    QCOMPARE(record->lines[0].globalSectors, 40);
                    QCOMPARE(record->message, item.record->message);
                }
                QCOMPARE(must(m_reader->programText(row.programHash)), m_texts.at(row.programHash));
            }
        }
        QVERIFY(!m_reader->candidate({1, 2}));
        QVERIFY(!m_reader->programText("nonsense"));
    }

    // The advantages of a sample's tokens, by the bytes of its program.
    void advantagesAreKept()
    {
        const double nan = std::nan("");
        const std::vector<std::vector<AdvantageRun>> all{
            {{3, 0.25}, {4, -1.5}, {2, nan}, {0, 0.5}}, {{9, 2}}, {}};
        const TempDir folder = must(TempDir::create());
        const fs::path project = folder.path() / "project";
        must(Project::create(project, "Advantages"));
        auto run = must(RunDirectory::create(project / "runs/advantages", config("rl")));
        {
            auto session = must(run.beginWork());
            for (std::size_t i = 0; i < all.size(); ++i) {
                SampleEvent sample;
                sample.programHash = "learned" + std::to_string(i);
                sample.target = record("p", "m1", Verdict::Correct, 5).target;
                sample.advantages = all[i];
                mustDo(session.journal().append(1, sample));
            }
            mustDo(session.journal().flush());
        }
        must(must(Indexer::open(project)).update());
        auto reader = must(ProjectReader::open(project));
        const auto rows = allRows(reader, {}, CandidateSort::Time, false);
        QCOMPARE(rows.size(), all.size());
        for (const CandidateRow& row : rows) {
            const auto found = must(reader.advantages(row.id));
            const auto& kept = all[row.programHash == "learned0" ? 0 : row.programHash == "learned1" ? 1 : 2];
            QCOMPARE(found.size(), kept.size());
            for (std::size_t i = 0; i < kept.size(); ++i)
                QVERIFY(found[i] == kept[i] || (found[i].bytes == 2 && std::isnan(found[i].advantage)));
        }
        const auto& runs = all[0];
        const std::vector<double> expected{0.25, 0.25, 0.25, -1.5, -1.5, -1.5, -1.5, nan, nan, 0.5, nan};
        for (std::size_t at = 0; at < expected.size(); ++at) {
            const double found = advantageAt(runs, static_cast<std::int64_t>(at));
            QVERIFY(found == expected[at] || (std::isnan(found) && std::isnan(expected[at])));
        }
        QVERIFY(std::isnan(advantageAt(runs, -1)) && std::isnan(advantageAt({}, 0)));
        QCOMPARE(advantageAt(all[1], 9), 2.0); // the end token
        QVERIFY(std::isnan(advantageAt({{-5, 1}, {9, 2}}, 1)));
        QVERIFY(!advantagesFromJson(nlohmann::json::parse("[[1]]")));
        QVERIFY(!advantagesFromJson(nlohmann::json::parse("{\"a\":1}")));
    }

    // Samples of SpMM are told from those of SpMV, also in early runs whose samples do not say it.
    void tasksAreToldApart()
    {
        RunConfig early = config("rl");
        early.parameters["task"] = std::string("spmm");
        early.parameters["dense_columns"] = std::int64_t{8};
        auto run = must(RunDirectory::create(m_project / "runs/columns", early));
        {
            auto session = must(run.beginWork());
            for (const auto& [program, says, judged] :
                 {std::tuple{"new", 8, false}, {"judged", 8, true}, {"old", 1, true}, {"older", 1, false}}) {
                VerdictRecord verdict = record(program, "m1", Verdict::Correct, 5);
                verdict.target.variant.columns = 8;
                if (judged && says == 8)
                    mustDo(session.journal().append(1, VerdictEvent{verdict})); // before its sample
                SampleEvent sample;
                sample.programHash = program;
                sample.target = verdict.target;
                sample.target.variant.columns = says;
                mustDo(session.journal().append(1, sample));
                if (judged && says == 1)
                    mustDo(session.journal().append(1, VerdictEvent{verdict}));
                mustDo(session.journal().flush());
                must(must(Indexer::open(m_project)).update()); // the run's columns are remembered
            }
        }
        must(must(Indexer::open(m_project)).update());
        CandidateFilter filter;
        filter.runs = {must(m_reader->runByName("columns")).id};
        const auto facets = must(m_reader->facets(filter));
        QCOMPARE(facets.tasks.size(), std::size_t{1});
        QVERIFY(facets.tasks[0].value == "spmm" && facets.tasks[0].count == 4);
        const auto rows = allRows(*m_reader, filter, CandidateSort::Time, true);
        QCOMPARE(rows.size(), std::size_t{4});
        for (const CandidateRow& row : rows) {
            QVERIFY(row.target.variant.columns == 8 && row.target.task() == Task::SpMM);
            QCOMPARE(row.verdict.has_value(), row.programHash == "judged" || row.programHash == "old");
        }
        std::filesystem::remove_all(run.path()); // the other tests count without it
        must(must(Indexer::open(m_project)).update());
    }

    // One text, judged on the targets of one matrix: each keeps its verdict, its samples and its baseline.
    void targetsOfOneMatrix()
    {
        RunConfig both = config("rl");
        both.parameters["task"] = std::string("both");
        both.parameters["dense_columns"] = std::int64_t{8};
        auto run = must(RunDirectory::create(m_project / "runs/twins", both));
        const std::vector<TargetVariant> variants{{1}, {8}, {32}, {8, ElementType::F64}};
        const auto verdictOf = [](const TargetVariant& variant) {
            const bool wrong = variant == TargetVariant{8};
            VerdictRecord verdict = record("twin", "m1", wrong ? Verdict::PlanError : Verdict::Correct,
                                           2 * static_cast<double>(variant.columns));
            verdict.target.variant = variant;
            verdict.baselineName = "baseline of " + verdict.target.key();
            return verdict;
        };
        {
            auto session = must(run.beginWork());
            // Twice each: samples come before and after their verdict, and the second is a repetition.
            for (const bool second : {false, true})
                for (const TargetVariant& variant : variants) {
                    SampleEvent sample;
                    sample.programHash = "twin";
                    sample.target = verdictOf(variant).target;
                    mustDo(session.journal().append(second ? 2 : 1, sample));
                    if (!second)
                        mustDo(session.journal().append(1, VerdictEvent{verdictOf(variant)}));
                }
            EvaluationEvent evaluation;
            evaluation.target = verdictOf({32}).target;
            evaluation.bestProgram = "twin";
            evaluation.baselineMicroseconds = 10;
            mustDo(session.journal().append(2, evaluation));
        }
        must(must(Indexer::open(m_project)).update());
        CandidateFilter filter;
        filter.runs = {must(m_reader->runByName("twins")).id};
        const auto rows = allRows(*m_reader, filter, CandidateSort::Step, false);
        QCOMPARE(rows.size(), 2 * variants.size());
        for (const CandidateRow& row : rows) {
            const VerdictRecord expected = verdictOf(row.target.variant);
            QVERIFY(row.verdict == expected.verdict);
            QCOMPARE(row.microseconds, expected.correct() ? expected.warm->median : 0.0);
            const auto kept = must(m_reader->verdict(row.id));
            QVERIFY(kept && kept->target.key() == expected.target.key());
            QCOMPARE(kept->baselineName, expected.baselineName);
        }
        for (const TargetVariant& variant : variants)
            QCOMPARE(std::count_if(rows.begin(), rows.end(),
                                   [&](const CandidateRow& row) { return row.target.variant == variant; }),
                     std::ptrdiff_t{2});
        std::set<std::string> tasks;
        for (const FacetCount& facet : must(m_reader->facets(filter)).tasks)
            tasks.insert(facet.value);
        QCOMPARE(tasks, (std::set<std::string>{"spmv", "spmm", "spmm f64"}));
        filter.tasks = {"spmm f64"};
        QCOMPARE(allRows(*m_reader, filter, CandidateSort::Step, false).size(), std::size_t{2});
        filter.tasks = {};
        filter.firstSamples = true; // one a program and target
        QCOMPARE(allRows(*m_reader, filter, CandidateSort::Step, false).size(), variants.size());
        filter.distinctPrograms = true; // one a program: the one that the order has first
        const auto best = allRows(*m_reader, filter, CandidateSort::Microseconds, false);
        QCOMPARE(best.size(), std::size_t{1});
        QCOMPARE(best[0].target.variant, TargetVariant{1});
        QCOMPARE(allRows(*m_reader, filter, CandidateSort::Microseconds, true)[0].target.variant,
                 TargetVariant{32});
        filter.programHash = "twin"; // asked for by name: on all of its targets
        QCOMPARE(allRows(*m_reader, filter, CandidateSort::Step, false).size(), variants.size());
        filter = {};
        filter.runs = {must(m_reader->runByName("twins")).id};
        const auto evaluations = must(m_reader->evaluations(filter.runs.front()));
        QCOMPARE(evaluations.size(), std::size_t{1});
        QCOMPARE(evaluations[0].baseline, "baseline of " + verdictOf({32}).target.key());
        std::filesystem::remove_all(run.path()); // the other tests count without it
        must(must(Indexer::open(m_project)).update());
    }

    /// A program whose rows have different flags, of which some are the same.
    void flagsOfAProgramCountOnce()
    {
        auto run = must(RunDirectory::create(m_project / "runs/flags", config("rl")));
        {
            auto session = must(run.beginWork());
            const std::vector<VerdictFlags> flags{{VerdictFlag::Copied, VerdictFlag::SlowerThanBaseline},
                                                  {VerdictFlag::SlowerThanBaseline},
                                                  {VerdictFlag::Nondeterministic, VerdictFlag::Copied},
                                                  {}};
            for (std::size_t i = 0; i < 2 * flags.size(); ++i) { // of two programs
                SampleEvent sample;
                sample.programHash = i % 2 == 0 ? "even" : "odd";
                sample.target.contents = fmt::format("target {}", i);
                VerdictRecord verdict =
                    record(sample.programHash, sample.target.contents, Verdict::Correct, 1);
                verdict.flags = flags[i / 2];
                mustDo(session.journal().append(0, sample));
                mustDo(session.journal().append(0, VerdictEvent{verdict}));
            }
        }
        must(must(Indexer::open(m_project)).update());
        CandidateFilter filter;
        filter.runs = {must(m_reader->runByName("flags")).id};
        for (const bool once : {false, true}) {
            filter.distinctPrograms = once;
            const CandidateFacets facets = must(m_reader->facets(filter));
            QCOMPARE(facets.total, once ? 2 : 8);
            QCOMPARE(facets.matrices.size(), std::size_t{8});
            std::map<std::string, std::int64_t> counts;
            for (const FacetCount& facet : facets.flags)
                counts[facet.value] = facet.count;
            QCOMPARE(counts.size(), std::size_t{3});
            QCOMPARE(counts[std::string(nameOf(VerdictFlag::Copied))], once ? 2 : 4);
            QCOMPARE(counts[std::string(nameOf(VerdictFlag::SlowerThanBaseline))], once ? 2 : 4);
            QCOMPARE(counts[std::string(nameOf(VerdictFlag::Nondeterministic))], 2);
        }
        std::filesystem::remove_all(run.path()); // the other tests count without it
        must(must(Indexer::open(m_project)).update());
    }

    /// The group of every sample, gathered from the journal alone.
    void groupsAreThoseOfTheJournal()
    {
        std::size_t largest = 0;
        for (const auto& [run, list] : m_expected)
            for (const Expected& one : list) {
                std::vector<std::int64_t> wanted;
                for (const Expected& other : list)
                    if (other.step == one.step && other.sample.target == one.sample.target &&
                        other.sample.origin == one.sample.origin)
                        wanted.push_back(other.seq);
                const bool sampled = one.sample.origin == sample_origin::policy ||
                                     one.sample.origin == sample_origin::evaluation;
                if (!sampled)
                    wanted = {one.seq};
                std::vector<std::int64_t> got;
                for (const CandidateRow& row : must(m_reader->sampleGroup({run, one.seq})))
                    got.push_back(row.id.seq);
                QCOMPARE(got, wanted);
                largest = std::max(largest, got.size());
            }
        QVERIFY(largest > 1);
        QVERIFY(must(m_reader->sampleGroup({m_expected.begin()->first, 1'000'000})).empty());
    }

    // Runs write the same programs again: each is listed and counted once, by every value that it has.
    void programsAreListedOnce()
    {
        std::set<std::string> programs;
        std::map<std::string, std::set<std::string>> byValue[8]; // verdict, matrix, run, family, flag, ...
        for (const auto& [run, list] : m_expected)
            for (const Expected& one : list) {
                const std::string& program = one.sample.programHash;
                if (one.repeated)
                    continue;
                programs.insert(program);
                byValue[0][one.verdict()].insert(program);
                byValue[1][one.sample.target.contents].insert(program);
                byValue[2][std::to_string(run)].insert(program);
                if (!one.sample.family.empty())
                    byValue[3][one.sample.family].insert(program);
                if (one.record)
                    for (const std::string& flag : listedFlags(*one.record))
                        byValue[4][flag].insert(program);
                byValue[5][one.sample.origin].insert(program);
                byValue[6][one.sample.split].insert(program);
                byValue[7][taskWords(one.sample.target.variant)].insert(program);
            }
        CandidateFilter filter;
        filter.distinctPrograms = true;
        for (const CandidateSort sort : {CandidateSort::Time, CandidateSort::Matrix, CandidateSort::Run}) {
            std::set<std::string> listed;
            for (const CandidateRow& row : allRows(*m_reader, filter, sort, true))
                QVERIFY2(listed.insert(row.programHash).second, row.programHash.c_str());
            QVERIFY(listed == programs);
        }
        QVERIFY(programs.size() < 600); // else this says nothing
        const CandidateFacets facets = must(m_reader->facets(filter));
        QCOMPARE(facets.total, static_cast<std::int64_t>(programs.size()));
        const std::vector<FacetCount>* const lists[] = {&facets.verdicts, &facets.matrices, &facets.runs,
                                                        &facets.families, &facets.flags,    &facets.origins,
                                                        &facets.splits,   &facets.tasks};
        for (std::size_t i = 0; i < std::size(lists); ++i) {
            std::map<std::string, std::int64_t> counted, expected;
            for (const FacetCount& facet : *lists[i])
                counted[facet.value] = facet.count;
            for (const auto& [value, its] : byValue[i])
                expected[value] = static_cast<std::int64_t>(its.size());
            QVERIFY2(counted == expected, std::to_string(i).c_str());
        }
        QVERIFY(!facets.flags.empty() && facets.splits.size() > 1); // else they say little
        const double first = allRows(*m_reader, filter, CandidateSort::Speedup, true).front().speedup;
        QCOMPARE(first, allRows(*m_reader, {}, CandidateSort::Speedup, true).front().speedup);
    }

    // What lists call a family finds it.
    void familiesAreFoundByName()
    {
        QCOMPARE(familyTitle("S10"), std::string("S10 \u00b7 ELL"));
        QCOMPARE(familyTitle("mine"), std::string("mine"));
        std::map<std::string, std::int64_t> counts;
        for (const auto& [run, list] : m_expected)
            for (const Expected& one : list)
                ++counts[one.sample.family];
        for (const auto& [family, count] : counts) {
            if (familyName(family).empty())
                continue;
            CandidateFilter filter;
            filter.text = familyName(family);
            std::transform(filter.text.begin(), filter.text.end(), filter.text.begin(), ::tolower);
            std::int64_t found = 0;
            for (const CandidateRow& row : allRows(*m_reader, filter, CandidateSort::Time, true))
                found += row.family == family;
            QCOMPARE(found, count);
        }
        QVERIFY(counts.size() > 1);
    }

    void failuresHaveFacetsInAFixedOrder()
    {
        auto run = must(RunDirectory::create(m_project / "runs/failures", config("rl")));
        {
            auto session = must(run.beginWork());
            const auto add = [&](const char* program, const VerdictRecord& verdict) {
                SampleEvent sample;
                sample.programHash = program;
                sample.target = verdict.target;
                mustDo(session.journal().append(1, sample));
                mustDo(session.journal().append(1, VerdictEvent{verdict}));
            };
            add("slow", record("slow", "m1", Verdict::Correct, 20));
            add("slower", record("slower", "m1", Verdict::Correct, 30));
            VerdictRecord memory = record("memory", "m1", Verdict::LaunchError, 0);
            memory.flags.add(VerdictFlag::OutOfMemory);
            add("memory", memory);
            VerdictRecord wrong = record("nan", "m1", Verdict::WrongResult, 0);
            wrong.wrong = WrongElement{3, 0, 1, std::nan(""), 1e-6};
            add("nan", wrong);
            wrong.programHash = "finite";
            wrong.wrong->got = 2;
            add("finite", wrong);
        }
        must(must(Indexer::open(m_project)).update());
        CandidateFilter filter;
        filter.runs = {must(m_reader->runByName("failures")).id};
        const auto flags = must(m_reader->facets(filter)).flags;
        QCOMPARE(flags.size(), std::size_t{3}); // not the most frequent first
        QVERIFY(flags[0].value == "out-of-memory" && flags[0].count == 1);
        QVERIFY(flags[1].value == "not-finite" && flags[1].count == 1);
        QVERIFY(flags[2].value == "slower-than-baseline" && flags[2].count == 2);
        const auto programs = [&](std::vector<std::string> wanted) {
            filter.flags = std::move(wanted);
            std::set<std::string> found;
            for (const CandidateRow& row : allRows(*m_reader, filter, CandidateSort::Time, true))
                found.insert(row.programHash);
            return found;
        };
        QVERIFY(programs({"out-of-memory"}) == std::set<std::string>{"memory"});
        QVERIFY(programs({"not-finite"}) == std::set<std::string>{"nan"});
        QVERIFY(programs({"not-finite", "out-of-memory"}) == (std::set<std::string>{"memory", "nan"}));
        std::filesystem::remove_all(run.path()); // the other tests count without it
        must(must(Indexer::open(m_project)).update());
    }

    void filtersAndFacetsAgreeWithCounting()
    {
        const RunId first = m_ids.at("0001-rl");
        const std::string wanted = m_expected.at(first)[0].sample.programHash;
        std::vector<std::pair<CandidateFilter, std::function<bool(RunId, const Expected&)>>> cases;
        cases.push_back({{}, [](RunId, const Expected&) { return true; }});
        CandidateFilter f;
        f.runs = {first};
        f.verdicts = {"correct", "unjudged"};
        cases.push_back({f, [&](RunId run, const Expected& e) {
                             return run == first && (e.verdict() == "correct" || e.verdict() == "unjudged");
                         }});
        f = {};
        f.matrices = {"m1"};
        f.families = {"S3", "S4"};
        f.splits = {"held-out"};
        cases.push_back({f, [](RunId, const Expected& e) {
                             return e.sample.target.contents == "m1" && !e.sample.family.empty() &&
                                    e.sample.split == "held-out";
                         }});
        f = {};
        f.flags = {"slower-than-baseline"};
        cases.push_back({f, [](RunId, const Expected& e) { return e.record && !e.record->flags.empty(); }});
        f = {};
        f.flags = {"slower"}; // a part of a flag is no flag
        cases.push_back({f, [](RunId, const Expected&) { return false; }});
        f = {};
        f.text = "PROGRAM 7 100%";
        cases.push_back({f, [&](RunId, const Expected& e) {
                             return m_texts.at(e.sample.programHash).find("program 7 100%") !=
                                    std::string::npos;
                         }});
        f = {};
        f.text = "of%it"; // '%' and '_' are meant literally
        cases.push_back({f, [](RunId, const Expected&) { return false; }});
        f = {};
        f.speedups = {"0.5 to 1", "1.2 to 2"};
        cases.push_back({f, [](RunId, const Expected& e) {
                             const double s = e.speedup();
                             return (s >= 0.5 && s < 1) || (s >= 1.2 && s < 2);
                         }});
        f = {};
        f.speedups = {"no such range"};
        cases.push_back({f, [](RunId, const Expected&) { return false; }});
        f = {};
        f.firstSamples = true;
        cases.push_back({f, [](RunId, const Expected& e) { return !e.repeated; }});
        f = {};
        f.programHash = wanted;
        cases.push_back({f, [&](RunId, const Expected& e) { return e.sample.programHash == wanted; }});
        for (const auto& [filter, matches] : cases) {
            std::set<std::pair<RunId, std::int64_t>> expected;
            for (const auto& [run, list] : m_expected)
                for (const Expected& e : list)
                    if (matches(run, e))
                        expected.insert({run, e.seq});
            const auto rows = allRows(*m_reader, filter, CandidateSort::Reward, true);
            QVERIFY(idsOf(rows) == expected);
            QCOMPARE(countOf(*m_reader, filter), std::int64_t(expected.size()));
            QCOMPARE(must(m_reader->facets(filter)).total, std::int64_t(expected.size()));
        }
        // A facet is counted without its own restriction.
        f = {};
        f.runs = {first};
        f.verdicts = {"correct"};
        const auto facets = must(m_reader->facets(f));
        std::map<std::string, std::int64_t> verdicts, matrices;
        for (const Expected& e : m_expected.at(first)) {
            ++verdicts[e.verdict()];
            if (e.verdict() == "correct")
                ++matrices[e.sample.target.contents];
        }
        QCOMPARE(facets.verdicts.size(), verdicts.size());
        for (const FacetCount& count : facets.verdicts)
            QCOMPARE(count.count, verdicts.at(count.value));
        QCOMPARE(facets.matrices.size(), matrices.size());
        for (const FacetCount& count : facets.matrices) {
            QCOMPARE(count.count, matrices.at(count.value));
            QCOMPARE(count.label, "name of " + count.value);
        }
        QCOMPARE(facets.runs.size(), std::size_t{3});
        // Ranges of speed-ups: each candidate with a time is in one of them, lowest first.
        std::int64_t timed = 0, counted = 0;
        for (const auto& [run, list] : m_expected)
            timed +=
                std::count_if(list.begin(), list.end(), [](const Expected& e) { return e.speedup() > 0; });
        const auto ranges = must(m_reader->facets({})).speedups;
        QVERIFY(ranges.size() > 1);
        for (const FacetCount& range : ranges)
            counted += range.count;
        QCOMPARE(counted, timed);
        const std::vector<std::string> order{"below 0.5", "0.5 to 1", "1 to 1.2", "1.2 to 2", "2 and more"};
        auto place = order.begin();
        for (const FacetCount& range : ranges) {
            place = std::find(place, order.end(), range.value);
            QVERIFY(place != order.end());
        }
    }

    // What takes long can be given up, and says so as such.
    void orderEndsWhenCancelled()
    {
        CancelToken cancel;
        cancel.cancel();
        CandidateFilter filter;
        filter.text = "program"; // looks into every text
        const auto order = m_reader->candidateOrder(filter, CandidateSort::Speedup, true, cancel);
        QVERIFY(!order);
        QVERIFY(isInterruption(order.error()));
        QVERIFY(!m_reader->facets(filter, cancel));
        QCOMPARE(countOf(*m_reader, filter), 600); // the next question is not cancelled
    }

    void pointsAreReadOnce()
    {
        const RunId run = m_ids.at("0002-rl");
        const auto rewards = must(m_reader->points(run, "critic/rewards/mean", "train"));
        QCOMPARE(rewards.steps.size(), std::size_t{40});
        QCOMPARE(rewards.times.size(), std::size_t{40});
        const auto entropy = must(m_reader->points(run, "actor/entropy", "train"));
        QCOMPARE(entropy.values.size(), std::size_t{40});
        for (std::size_t i = 0; i < entropy.steps.size(); ++i) {
            QCOMPARE(entropy.steps[i], static_cast<double>(i));
            QCOMPARE(std::isnan(entropy.values[i]), i % 7 == 3);
        }
        // Who has the first ten asks for what is behind them, some at a time.
        const auto more = must(m_reader->points(run, "actor/entropy", "train", 9, 10));
        QCOMPARE(more.steps.size(), std::size_t{10});
        QCOMPARE(more.steps.front(), 10.0);
        QCOMPARE(more.steps.back(), 19.0);
        QVERIFY(must(m_reader->points(run, "actor/entropy", "train", 39)).steps.empty());
        QVERIFY(must(m_reader->points(run, "nothing", "train")).steps.empty());
        const auto names = must(m_reader->metricNames(run));
        QCOMPARE(names.size(), std::size_t{4});
        for (const auto& name : names)
            QCOMPARE(name.points, name.split == "train" ? 40 : 8);
        for (const auto& latest : must(m_reader->latestMetrics(run)))
            QCOMPARE(latest.step, latest.split == "train" ? 39 : 35);
    }

    void runsHaveHeadlineAndSpark()
    {
        for (const auto& run : must(m_reader->runs())) {
            QCOMPARE(run.headline, std::string("critic/rewards/mean"));
            QCOMPARE(run.headlineSplit, std::string("train"));
            QVERIFY(run.spark.size() >= 30 && run.spark.size() <= 64);
            QCOMPARE(run.spark.back(), static_cast<float>(run.lastValue));
            QVERIFY(run.status == RunStatus::Done && !run.hasWorker && run.step == 40 &&
                    run.totalSteps == 40);
            QCOMPARE(run.samples, 200);
            QCOMPARE(run.algorithm, std::string("ppo"));
            QCOMPARE(must(m_reader->runConfig(run.id)).parameters.at("lr"), ParameterValue(1e-5));
            QCOMPARE(must(m_reader->runByName(run.name)).id, run.id);
        }
        QVERIFY(!m_reader->runByName("none"));
    }

    void statusComesFromLockHeartbeatAndJournal()
    {
        const fs::path project = m_dir->path() / "status";
        auto opened = must(Project::create(project));
        auto run = must(RunDirectory::create(project / "runs/r", config("rl")));
        auto indexer = must(Indexer::open(project));
        const auto status = [&] {
            must(indexer.update());
            return must(must(ProjectReader::open(project)).runs()).at(0).status;
        };
        QCOMPARE(status(), RunStatus::Queued);
        {
            auto session = must(run.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 9}));
            mustDo(writeHeartbeat(run.path(), {0, 0, "", "sampling 3/8", 0.4, 5, 9, 100}));
            QCOMPARE(status(), RunStatus::Running);
            const auto summary = must(must(ProjectReader::open(project)).runs()).at(0);
            QVERIFY(summary.heartbeat && summary.heartbeat->phase == "sampling 3/8" && summary.step == 5);
            const auto workers = liveWorkers(opened);
            QCOMPARE(workers.size(), std::size_t{1});
            QCOMPARE(workers[0].pid, std::int64_t{getpid()});
            mustDo(writeHeartbeat(run.path(), {unixSeconds() - 60, 0, "", "", 0, 0, 0, 0}));
            QCOMPARE(status(), RunStatus::Silent);
            mustDo(writeHeartbeat(run.path(), {}));
            mustDo(session.journal().append(0, StateEvent{RunState::Paused, "asked by the user", 9}));
            QCOMPARE(status(), RunStatus::Paused);
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 9}));
        }
        // The lock went without a last word: what the worker has written last stands for it.
        QCOMPARE(status(), RunStatus::Failed);
        const auto reason = [&] { return must(must(ProjectReader::open(project)).runs()).at(0).reason; };
        QCOMPARE(reason(), std::string("the worker was killed, or the machine went down"));
        mustDo(appendFile(run.path() / "worker.log", "---- worker started ----\nstep 5\nloss is 3\n"));
        QCOMPARE(reason(),
                 std::string("the worker was killed, or the machine went down; its last line: loss is 3"));
        // A worker of a terminal writes there: the log is that of a worker before it.
        fs::last_write_time(run.path() / "worker.log",
                            fs::file_time_type::clock::now() - std::chrono::hours(1));
        mustDo(writeGeneration(run.path(), 1));
        QCOMPARE(reason(), std::string("the worker was killed, or the machine went down"));
        {
            auto session = must(run.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Paused, "Stopped on request", 9}));
            QCOMPARE(status(), RunStatus::Paused);
        }
        QCOMPARE(status(), RunStatus::Stopped); // nobody waits any more
        {
            auto session = must(run.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Failed, "the disk is full", 9}));
        }
        QCOMPARE(status(), RunStatus::Failed);
        QCOMPARE(must(must(ProjectReader::open(project)).runs()).at(0).reason,
                 std::string("the disk is full"));
        QVERIFY(liveWorkers(opened).empty());
    }

    /// `sparserl train` that is killed before it begins its work: the run waits for nobody.
    void whoMadeARunHasEnded()
    {
        const fs::path project = m_dir->path() / "killed";
        const auto opened = must(Project::create(project));
        const pid_t child = ::fork();
        if (child == 0) {
            const auto made = RunDirectory::create(project / "runs/r", config("sft"));
            if (made)
                ::kill(::getpid(), SIGKILL);
            ::_exit(1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        auto indexer = must(Indexer::open(project));
        must(indexer.update());
        const auto killed = must(must(ProjectReader::open(project)).runs()).at(0);
        QCOMPARE(killed.status, RunStatus::Failed);
        QCOMPARE(killed.reason, std::string("the worker ended before it began its work, and said nothing"));
        {
            auto run = must(RunDirectory::open(project / "runs/r")); // it can be resumed
            auto session = must(run.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 9}));
            must(indexer.update());
            QCOMPARE(must(must(ProjectReader::open(project)).runs()).at(0).status, RunStatus::Running);
        }
    }

    void annotationsApplyAndCanBeUndone()
    {
        const std::string run = "0003-rl";
        const std::string program = m_expected.at(m_ids.at(run))[0].sample.programHash;
        using A = Annotation;
        const auto note =
            must(addAnnotation(m_project, {"", 0, A::Target::Run, run, A::Field::Note, "first"}));
        const auto second =
            must(addAnnotation(m_project, {"", 0, A::Target::Run, run, A::Field::Note, "second"}));
        must(addAnnotation(m_project, {"", 0, A::Target::Run, run, A::Field::Tag, "a"}));
        must(addAnnotation(m_project, {"", 0, A::Target::Run, run, A::Field::Tag, "b"}));
        must(addAnnotation(m_project, {"", 0, A::Target::Run, run, A::Field::Tag, "-a"}));
        const auto star =
            must(addAnnotation(m_project, {"", 0, A::Target::Program, program, A::Field::Star, "1"}));
        const auto archive =
            must(addAnnotation(m_project, {"", 0, A::Target::Run, run, A::Field::Archive, "1"}));
        auto indexer = must(Indexer::open(m_project));
        QVERIFY(must(indexer.update()).annotations);
        auto state = must(m_reader->runByName(run)).notes;
        QVERIFY(state.note == "second" && state.tags == std::vector<std::string>{"b"} && state.archived);
        // Archived runs' candidates hide unless asked for.
        QCOMPARE(countOf(*m_reader, {}), 400);
        CandidateFilter filter;
        filter.includeArchived = true;
        QCOMPARE(countOf(*m_reader, filter), 600);
        filter.starredOnly = true;
        std::int64_t starred = 0;
        for (const auto& [id, list] : m_expected)
            starred += std::count_if(list.begin(), list.end(),
                                     [&](const Expected& e) { return e.sample.programHash == program; });
        QCOMPARE(countOf(*m_reader, filter), starred);
        for (const auto& id : {second, star, archive})
            mustDo(undoAnnotation(m_project, id));
        must(indexer.update());
        state = must(m_reader->runByName(run)).notes;
        QVERIFY(state.note == "first" && !state.archived);
        filter.includeArchived = false;
        QCOMPARE(countOf(*m_reader, filter), 0);
        mustDo(undoAnnotation(m_project, note));
        QVERIFY(!addAnnotation(m_project, {"", 0, A::Target::Run, "", A::Field::Note, "x"}));
    }

    // The name of what an evaluation measured against stands in the verdict of the program it found best.
    void evaluationsNameTheirBaseline()
    {
        const fs::path project = m_dir->path() / "baselines";
        must(Project::create(project));
        const auto evaluate = [&](const std::string& name, const std::string& best) {
            auto run = must(RunDirectory::create(project / "runs" / name, config("evaluate")));
            auto session = must(run.beginWork());
            mustDo(session.journal().append(1, VerdictEvent{record("p", "m", Verdict::Correct, 4)}));
            EvaluationEvent event;
            event.policy = "sft";
            event.target.contents = "m";
            event.bestProgram = best;
            event.bestMicroseconds = best.empty() ? 0 : 4;
            event.baselineMicroseconds = 10;
            mustDo(session.journal().append(1, event));
            event.target.contents = "solved by none";
            event.bestProgram.clear();
            mustDo(session.journal().append(2, event));
        };
        evaluate("known", "p");
        evaluate("unknown", "");
        must(must(Indexer::open(project)).update());
        auto reader = must(ProjectReader::open(project));
        const auto version = must(reader.evaluationsVersion());
        QCOMPARE(must(reader.evaluationsVersion()), version);
        for (const auto& row : must(reader.evaluations()))
            QCOMPARE(row.baseline, row.runName == "known" ? std::string("reference CSR") : std::string());
        evaluate("another", "p");
        must(must(Indexer::open(project)).update());
        QVERIFY(must(reader.evaluationsVersion()) != version);
    }

    void controlsLogsEvaluationsCheckpoints()
    {
        const fs::path project = m_dir->path() / "lists";
        must(Project::create(project));
        auto run = must(RunDirectory::create(project / "runs/r", config("rl")));
        {
            auto session = must(run.beginWork());
            mustDo(session.journal().append(3, ControlEvent{"c1", "set", "lr", "0.1", "applied", "", 4}));
            for (int i = 0; i < 30; ++i)
                mustDo(session.journal().append(i, LogEvent{"info", std::to_string(i)}));
            mustDo(session.journal().append(5, EvaluationEvent{"sft",
                                                               {.contents = "m0", .name = "eye"},
                                                               "held-out",
                                                               5,
                                                               16,
                                                               10,
                                                               8,
                                                               2,
                                                               1.5,
                                                               2,
                                                               "h",
                                                               {"S1", "S4"},
                                                               {{"S1", 3}, {"S4", 5}},
                                                               "S4",
                                                               0.5}));
            writeCheckpoint(run, session.journal(), 5);
            writeCheckpoint(run, session.journal(), 6);
            mustDo(run.pruneCheckpoints(1));
        }
        mustDo(writeFileAtomic(project / "exports/best/manifest.json",
                               "{\"program\":{\"hash\":\"h\"},\"matrix\":{\"digest\":\"d\"},\"run\":\"r\","
                               "\"created\":\"2026-01-31T12:00:00.000Z\"}"));
        must(must(Indexer::open(project)).update());
        auto reader = must(ProjectReader::open(project));
        const auto id = must(reader.runs()).at(0).id;
        const auto marks = must(reader.controlMarks(id));
        QVERIFY(marks.size() == 1 && marks[0].step == 3 && marks[0].event.key == "lr" &&
                marks[0].event.effectiveStep == 4);
        const auto tail = must(reader.logTail(id, 5));
        QCOMPARE(tail.size(), std::size_t{5});
        QCOMPARE(tail.front().event.text, std::string("25"));
        QCOMPARE(tail.back().event.text, std::string("29"));
        const auto evaluations = must(reader.evaluations());
        QCOMPARE(evaluations.size(), std::size_t{1});
        QVERIFY(evaluations[0].event.correct == 8 && evaluations[0].event.families.size() == 2 &&
                evaluations[0].runName == "r");
        QCOMPARE(must(reader.evaluations(id)).size(), std::size_t{1});
        QCOMPARE(must(reader.evaluations(id + 1)).size(), std::size_t{0});
        const auto checkpoints = must(reader.checkpoints(id));
        QCOMPARE(checkpoints.size(), std::size_t{2});
        QVERIFY(!checkpoints[0].present && checkpoints[1].present && checkpoints[1].step == 6);
        // How the newest policy reads a matrix; one that does not tell is as if it were not there.
        QVERIFY(must(newestPolicySight(reader)).policy.empty());
        QCOMPARE(must(newestPolicySight(reader)).entries, 96);
        mustDo(
            writeFileAtomic(checkpoints[1].path / "config.json",
                            "{\"sparserl\":{\"embedding\":{\"mode\":\"sinusoidal\",\"max_entries\":40}}}"));
        const auto sight = must(newestPolicySight(reader));
        QCOMPARE(sight.policy, "r/" + checkpoints[1].name);
        QVERIFY(sight.entries == 40 && !sight.windows);
        const auto exports = must(reader.exports());
        QVERIFY(exports.size() == 1 && exports[0].programHash == "h" && exports[0].matrixDigest == "d" &&
                exports[0].run == "r" && exports[0].created == 1769860800.0);
    }

    // A run that has ended a moment ago: the index is behind, the checkpoints are there.
    void checkpointsThatTheIndexHasNotRead()
    {
        const fs::path project = m_dir->path() / "unread";
        must(Project::create(project));
        auto run = must(RunDirectory::create(project / "runs/0001-sft", config("sft")));
        auto indexer = must(Indexer::open(project));
        {
            auto session = must(run.beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Running, {}, 9}));
            writeCheckpoint(run, session.journal(), 4);
            must(indexer.update());
            writeCheckpoint(run, session.journal(), 9);
            mustDo(session.journal().append(9, StateEvent{RunState::Done, {}, 9}));
        }
        auto reader = must(ProjectReader::open(project));
        const auto unread = must(reader.runs()).at(0);
        QCOMPARE(unread.status, RunStatus::Done);
        QCOMPARE(unread.checkpoints, std::int64_t{2});
        const auto listed = [&] {
            std::vector<std::string> names;
            for (const auto& row : must(reader.checkpoints()))
                names.push_back(row.runName + "/" + row.name + (row.present ? "" : " (gone)"));
            return names;
        };
        const std::vector<std::string> both{"0001-sft/step-000004", "0001-sft/step-000009"};
        QVERIFY(listed() == both);
        must(indexer.update());
        QVERIFY(listed() == both); // each once
        QCOMPARE(must(reader.runs()).at(0).checkpoints, std::int64_t{2});
        QCOMPARE(must(reader.checkpoints(unread.id)).size(), std::size_t{2});
        // One with a model and its weights is a policy; whether it is read from the index or from its folder.
        const auto policies = [&] {
            std::vector<bool> has;
            for (const auto& row : must(reader.checkpoints()))
                has.push_back(row.hasPolicy);
            return has;
        };
        QVERIFY((policies() == std::vector<bool>{false, false}));
        mustDo(writeFileAtomic(run.path() / "checkpoints/step-000009/model.safetensors", "weights"));
        QVERIFY((policies() == std::vector<bool>{false, false}));
        mustDo(writeFileAtomic(run.path() / "checkpoints/step-000009/config.json", "{}"));
        QVERIFY((policies() == std::vector<bool>{false, true}));
    }

    // A run is launched from a checkpoint: its own run keeps it, and one that is gone starts nothing.
    void parentCheckpointIsKeptOrRefused()
    {
        const fs::path project = m_dir->path() / "parents";
        auto opened = must(Project::create(project));
        auto run = must(RunDirectory::create(project / "runs/0001-sft", config("sft")));
        auto session = must(run.beginWork());
        for (const int step : {1, 2, 3})
            writeCheckpoint(run, session.journal(), step);
        const fs::path fake = m_dir->path() / "fake-worker";
        mustDo(writeFileAtomic(fake, "#!/bin/sh\nexit 0\n"));
        fs::permissions(fake, fs::perms::owner_all);
        auto child = config("rl");
        child.parentRun = "0001-sft";
        child.parentCheckpoint = (run.path() / "checkpoints/step-000001").string();
        must(launchWorker(opened, child, fake));
        mustDo(run.pruneCheckpoints(1));
        std::vector<std::string> names;
        for (const auto& info : run.checkpoints())
            names.push_back(info.name);
        QVERIFY((names == std::vector<std::string>{"step-000001", "step-000003"}));
        child.parentCheckpoint = (run.path() / "checkpoints/step-000002").string();
        const auto refused = launchWorker(opened, child, fake);
        QVERIFY(!refused && refused.error().what.find("is gone") != std::string::npos);
        QCOMPARE(opened.runDirectories().size(), std::size_t{2}); // none was made for it
        mustDo(keepCheckpoint(run.path()));                       // a run's folder is no checkpoint
        QVERIFY(!fs::exists(run.path() / "PIN"));
    }

    void launchedWorkerSurvivesAndLogs()
    {
        const fs::path project = m_dir->path() / "launch";
        auto opened = must(Project::create(project));
        const auto missing = launchWorker(opened, config("rl"), m_dir->path() / "nothing");
        QVERIFY(!missing);
        QVERIFY(opened.runDirectories().empty());
        // Stands in for the training program: says what it was asked and stays for a moment.
        const fs::path fake = m_dir->path() / "fake-sparserl";
        mustDo(
            writeFileAtomic(fake, "#!/bin/sh\necho \"asked: $1 $2\"\necho trouble >&2\nexec sleep 1000\n"));
        fs::permissions(fake, fs::perms::owner_all);
        const auto worker = must(launchWorker(opened, config("rl"), fake));
        QCOMPARE(worker.run.filename().string(), std::string("0001-rl"));
        QTRY_VERIFY_WITH_TIMEOUT(workerLogTail(worker.run, 10).size() >= 3, test::patience());
        const auto lines = workerLogTail(worker.run, 2);
        QCOMPARE(lines.size(), std::size_t{2});
        QVERIFY((std::set<std::string>(lines.begin(), lines.end()) ==
                 std::set<std::string>{"asked: worker " + worker.run.string(), "trouble"}));
        QCOMPARE(kill(static_cast<pid_t>(worker.pid), 0), 0);
        QVERIFY(getpgid(static_cast<pid_t>(worker.pid)) != getpgid(0));
        // It holds no lock yet: that it was started is enough for everybody.
        const auto run = must(RunDirectory::open(worker.run));
        QVERIFY(run.hasWorker());
        const auto live = liveWorkers(opened);
        QVERIFY(live.size() == 1 && live[0].pid == worker.pid);
        const auto again = resumeWorker(worker.run, fake);
        QVERIFY(!again && again.error().what.find("already") != std::string::npos);
        must(must(Indexer::open(project)).update());
        const auto summary = [&] { return must(must(ProjectReader::open(project)).runs()).at(0); };
        QVERIFY(summary().hasWorker && summary().status == RunStatus::Running);
        kill(static_cast<pid_t>(worker.pid), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(!run.hasWorker(), test::patience());
        QVERIFY(liveWorkers(opened).empty());
        // It has never begun its work: nobody waits for it, and the reason is its last line.
        QVERIFY(!summary().hasWorker && summary().status == RunStatus::Failed);
        QCOMPARE(summary().reason, std::string("trouble"));
        {
            auto session = must(must(RunDirectory::open(worker.run)).beginWork());
            mustDo(session.journal().append(0, StateEvent{RunState::Paused, "Stopped on request", 9}));
        }
        must(must(Indexer::open(project)).update());
        QCOMPARE(summary().status, RunStatus::Stopped);
        // One that dies when the run is resumed, too, whatever the journal says of the worker before.
        const fs::path silent = project / "silent";
        mustDo(writeFileAtomic(silent, "#!/bin/sh\nexit 3\n"));
        fs::permissions(silent, fs::perms::owner_all);
        must(resumeWorker(worker.run, silent));
        QTRY_COMPARE_WITH_TIMEOUT(summary().status, RunStatus::Failed, test::patience());
        QVERIFY2(summary().reason.find("said nothing") != std::string::npos, summary().reason.c_str());
        // Another process of that number is not it, nor is this one.
        mustDo(writeFileAtomic(worker.run / "worker.started", "1 1\n"));
        QCOMPARE(startedWorker(worker.run), std::int64_t{0});
        mustDo(markWorkerStart(worker.run, worker.pid)); // which was killed above
        QCOMPARE(startedWorker(worker.run), std::int64_t{0});
        mustDo(markWorkerStart(worker.run, getpid()));
        QCOMPARE(startedWorker(worker.run), std::int64_t{0});
        mustDo(markWorkerStart(worker.run, getppid()));
        QCOMPARE(startedWorker(worker.run), std::int64_t{getppid()});
        { // Who has had the lock and gave it back is no worker, however long its process takes to end.
            auto working = must(RunDirectory::open(worker.run));
            const auto held = must(working.beginWork());
            QVERIFY(hasWorker(worker.run));
            mustDo(markWorkerStart(worker.run, getppid())); // the start is told late
        }
        QVERIFY(!hasWorker(worker.run));
        mustDo(markWorkerStart(worker.run, getppid()));
        // A clock that is set, or one of a file server, says nothing of it.
        const fs::path mark = worker.run / "worker.started";
        for (const int days : {-3, 3}) {
            fs::last_write_time(mark, fs::file_time_type::clock::now() + std::chrono::hours(24 * days));
            QCOMPARE(startedWorker(worker.run), std::int64_t{getppid()});
        }
        const std::string text = must(readFile(mark));
        const std::string fresh = text.substr(0, text.rfind(' '));
        mustDo(writeFileAtomic(mark, fmt::format("{} {:.0f}\n", fresh, monotonicSeconds() - 180)));
        QCOMPARE(startedWorker(worker.run), std::int64_t{0});
        // Nor is one of before the machine was restarted.
        std::string other = text;
        other[other.find('-')] = '_';
        mustDo(writeFileAtomic(mark, other));
        QCOMPARE(startedWorker(worker.run), std::int64_t{0});
        QCOMPARE(must(launchWorker(opened, config("sft"), fake)).run.filename().string(),
                 std::string("0002-sft"));
        QCOMPARE(must(RunDirectory::open(worker.run)).config().project, project.string());
    }

private:
    std::unique_ptr<TempDir> m_dir;
    fs::path m_project;
    std::unique_ptr<ProjectReader> m_reader;
    std::map<std::string, RunId> m_ids;
    std::map<RunId, std::vector<Expected>> m_expected;
    std::map<std::string, std::string> m_texts;
};

QTEST_GUILESS_MAIN(TestQueries)
#include "tst_queries.moc"
