// SPDX-License-Identifier: Apache-2.0
// Whole searches on the simulated device: budgets in programs, so that no test depends on a clock.
#include "corpus/family_list.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"
#include "search/ranking.h"
#include "search/search.h"
#include "search/shares.h"

#include <QTest>
#include <map>
#include <set>
#include <string>

using namespace sparserl;

namespace {

Target targetOf(const std::string& generator)
{
    const auto matrix = std::make_shared<const Csr>(generate(generator).value());
    Target target;
    target.id.contents = digest(*matrix);
    target.id.name = generator;
    target.matrix = matrix;
    return target;
}

MatrixFeatures featuresOf(const Target& target)
{
    return computeFeatures(*target.matrix, target.id.variant.columns);
}

JudgeOptions judging(bool full)
{
    JudgeOptions options;
    options.secretSeed = 11;
    options.simRunners = 2;
    options.everyKind = full;
    options.gpuInTurn = full;
    return options;
}

SearchOptions searching(std::size_t candidates)
{
    SearchOptions options;
    options.candidates = candidates;
    options.generation = 10;
    options.benchPrograms = 8;
    options.seed = 5;
    return options;
}

/// What does not depend on the clock.
std::string storyOf(const SearchResult& result)
{
    std::string story;
    for (const SearchedProgram& one : result.archive.all()) {
        story += std::to_string(one.number) + " " + one.source + " " + std::string(nameOf(one.verdict)) +
                 " " + std::to_string(one.microseconds) + " " + one.key + "\n" + one.text + "\n";
        for (const EditStep& step : one.steps)
            story += step.kind + ": " + step.words + "\n";
    }
    return story;
}

} // namespace

class TestSearch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // What is tried first and enumerated is of the chosen families; edits begin with these.
    void keepsToItsFamilies()
    {
        const Target target = targetOf("lp(rows=300,long=2)");
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY2(judge, judge ? "" : judge.error().sentence().c_str());
        const std::vector<std::string> families{"S1", "S10"};
        SearchOptions options = searching(24);
        options.families = families;
        const auto found = searchTarget(
            **judge, target, featuresOf(target),
            makeProposers(featuresOf(target), target.id.variant, defaultDeviceModel(), families), options);
        QVERIFY2(found, found ? "" : found.error().sentence().c_str());
        std::set<std::string> seen;
        for (const SearchedProgram& one : found->archive.all())
            if (one.source != "edits")
                seen.insert(one.origin.substr(0, one.origin.find(' ')));
        QCOMPARE(seen, std::set<std::string>(families.begin(), families.end()));

        QVERIFY(parseFamilies("", {Task::SpMV})->empty());
        QCOMPARE(*parseFamilies("S10,S1", {Task::SpMV}), (std::vector<std::string>{"S10", "S1"}));
        QCOMPARE(parseFamilies("S1,M4", {Task::SpMV}).error().what, std::string("M4 is a family for spmm"));
        QCOMPARE(parseFamilies("S1", {Task::SpMV, Task::SpMM}).error().what,
                 std::string("none of these families is for spmm"));
        QVERIFY(parseFamilies("S1,M4", {Task::SpMV, Task::SpMM}));
        QVERIFY(!parseFamilies("none", {Task::SpMV}));
    }

    // Where bench's programs use up the budget, the user hears that before they are judged.
    void saysWhichSourcesAreLeftOut()
    {
        const Target target = targetOf("banded(n=40,band=1)");
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY2(judge, judge ? "" : judge.error().sentence().c_str());
        const auto told = [&](std::size_t candidates) {
            std::vector<std::string> sentences;
            std::size_t judged = 0;
            SearchOptions options = searching(candidates);
            options.benchPrograms = 2;
            options.judged = [&](const SearchedProgram&, const VerdictRecord&) { ++judged; };
            options.warned = [&](const std::string& sentence) {
                sentences.push_back(judged == 0 ? sentence : "too late");
            };
            const auto found = searchTarget(
                **judge, target, featuresOf(target),
                makeProposers(featuresOf(target), target.id.variant, defaultDeviceModel()), options);
            if (!found)
                qFatal("%s", found.error().sentence().c_str());
            return sentences;
        };
        const std::string left = "banded(n=40,band=1): bench's programs come first and use up ";
        QCOMPARE(told(1), std::vector{left + "all 1 candidate; grid and edits will propose nothing"});
        QCOMPARE(told(2), std::vector{left + "all 2 candidates; grid and edits will propose nothing"});
        QVERIFY(told(3).empty());
    }

    void findsAtLeastWhatBenchFinds()
    {
        const Target target = targetOf("lp(rows=300,long=2)");
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY2(judge, judge ? "" : judge.error().sentence().c_str());
        const auto first = searchTarget(
            **judge, target, featuresOf(target),
            makeProposers(featuresOf(target), target.id.variant, defaultDeviceModel()), searching(38));
        QVERIFY2(first, first ? "" : first.error().sentence().c_str());
        QCOMPARE(first->archive.all().size(), std::size_t(38));
        QCOMPARE(first->funnel.judged, 38);
        QCOMPARE(first->sources.size(), std::size_t(3));
        QCOMPARE(first->sources[0].name, std::string("bench"));
        QCOMPARE(first->sources[0].tried, 8);
        QVERIFY(first->sources[1].tried > 0 && first->sources[2].tried > 0);
        QVERIFY(first->archive.best());
        for (const SearchedProgram& one : first->archive.all()) {
            QVERIFY(one.source != "edits" || (!one.parents.empty() && !one.steps.empty()));
            QVERIFY(one.source != "bench" || !one.correct() ||
                    one.microseconds >= first->archive.best()->microseconds);
        }

        // What the sources made faster is what the search did, and edits share what edits did.
        double whole = 0, product = 1, edits = 1;
        for (const SearchedProgram& one : first->archive.all())
            if (whole == 0 && one.improved)
                whole = one.microseconds / first->archive.best()->microseconds;
        for (const ProposalCounts& one : first->sources)
            product *= one.gain;
        for (const ProposalCounts& one : first->edits)
            edits *= one.gain;
        QVERIFY(whole > 1 && std::abs(product / whole - 1) < 1e-9);
        QVERIFY(std::abs(edits / first->sources[2].gain - 1) < 1e-9);
        QCOMPARE(gainsText(*first).empty(), first->sources[1].gain * first->sources[2].gain < 1.0005);

        RankingOptions options;
        options.finalists = 3;
        options.benchFinalists = 2;
        options.rankingRounds = 1;
        options.confirmingRounds = 2;
        const auto ranking = rankSearch(
            first->archive, target, [] { return makeSimulatorJudge(judging(true)); }, options);
        QVERIFY2(ranking, ranking ? "" : ranking.error().sentence().c_str());
        QVERIFY(ranking->has_value());
        QVERIFY((*ranking)->gain >= 1);
        QVERIFY((*ranking)->leastGain <= (*ranking)->gain && (*ranking)->gain <= (*ranking)->mostGain);
        QCOMPARE(first->archive.find((*ranking)->bench)->source, std::string("bench"));
        QVERIFY((*ranking)->recordSpeedup > 0);
        QVERIFY(!(*ranking)->baseline.empty());
    }

    /// The same search again is the same, also where it is left after each generation and gone on with in
    /// other processes.
    void goesOnWhereItWasLeft()
    {
        const Target target = targetOf("banded(n=60,band=2)");
        const MatrixFeatures features = featuresOf(target);
        const auto proposers = [&] {
            return makeProposers(features, target.id.variant, defaultDeviceModel());
        };
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY(judge);
        const auto whole = searchTarget(**judge, target, features, proposers(), searching(28));
        QVERIFY(whole);

        std::vector<KeptProgram> kept;
        SearchOptions options = searching(28);
        options.judged = [&](const SearchedProgram& one, const VerdictRecord& record) {
            kept.push_back({one.number,
                            one.source,
                            {one.text, one.origin, one.parents, one.steps},
                            one.seconds,
                            record});
        };
        SearchState state;
        for (bool over = false; !over;) { // each generation in a search of its own
            auto next = makeSimulatorJudge(judging(false));
            QVERIFY(next);
            TargetSearch search(**next, target, features, proposers(), options);
            if (state.generations > 0)
                QVERIFY(search.goOn(state, kept));
            QVERIFY(search.advance());
            over = search.isOver();
            state = search.state();
            if (!over)
                continue;
            QCOMPARE(state.generations, 3);
            const SearchResult result = search.result();
            QCOMPARE(QString::fromStdString(storyOf(result)), QString::fromStdString(storyOf(*whole)));
            QCOMPARE(result.funnel.proposed, whole->funnel.proposed);
            QCOMPARE(result.funnel.fresh, whole->funnel.fresh);
            for (std::size_t i = 0; i < result.sources.size(); ++i)
                QCOMPARE(result.sources[i].share, whole->sources[i].share);
            for (std::size_t i = 0; i < result.edits.size(); ++i)
                QCOMPARE(result.edits[i].share, whole->edits[i].share);
        }

        // A program that was lost is missed, and no more: its children have no parent to be shown.
        kept.erase(kept.begin() + 2);
        state.generations = 2;
        TargetSearch damaged(**judge, target, features, proposers(), searching(38));
        QVERIFY(damaged.goOn(state, kept));
        QCOMPARE(damaged.archive().all().size(), std::size_t(27));
        QVERIFY(damaged.advance());
        QCOMPARE(damaged.archive().all().back().number, std::size_t(37));
        for (const auto& [rewards, tries] : {std::pair(-1.0, 5.0), {3.0, 2.0}}) {
            SearchState wrong = state;
            wrong.tries["edits"] = {rewards, tries};
            QVERIFY(!TargetSearch(**judge, target, features, proposers(), searching(38)).goOn(wrong, kept));
        }
        state.rng = "noise";
        QVERIFY(!TargetSearch(**judge, target, features, proposers(), searching(38)).goOn(state, kept));
    }

    /// A source of programs that is none of ours comes in by the same door, and shares go to who has some.
    void takesOtherSources()
    {
        class Copies : public Proposer
        {
        public:
            std::string_view name() const override { return "copies"; }
            bool exhausted() const override { return m_asked > 3; }
            std::optional<Proposal> propose(const Archive& archive, Rng&) override
            {
                ++m_asked;
                const SearchedProgram* best = archive.best();
                return best ? std::optional(Proposal{best->text, {}, {best->number}, {}}) : std::nullopt;
            }

        private:
            int m_asked = 0;
        };
        const Target target = targetOf("banded(n=60,band=2)");
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY(judge);
        Proposers proposers;
        proposers.push_back(std::make_unique<Copies>());
        const auto result =
            searchTarget(**judge, target, featuresOf(target), std::move(proposers), searching(20));
        QVERIFY(result);
        // Copies are no news, so that only bench's were judged, and it ended.
        QCOMPARE(result->archive.all().size(), std::size_t(8));
        QCOMPARE(result->funnel.repeated, 4);
        QCOMPARE(result->sources[1].share, 0.0);
    }

    /// A source that only repeats what is known loses its share, although nothing of it is judged.
    void repetitionCostsItsShare()
    {
        class Copies : public Proposer
        {
        public:
            std::string_view name() const override { return "copies"; }
            std::optional<Proposal> propose(const Archive& archive, Rng&) override
            {
                return Proposal{archive.best()->text, {}, {}, {}};
            }
        };
        const Target target = targetOf("banded(n=60,band=2)");
        const MatrixFeatures features = featuresOf(target);
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY(judge);
        auto proposers = makeProposers(features, target.id.variant, defaultDeviceModel());
        proposers.push_back(std::make_unique<Copies>());
        SearchOptions options = searching(68);
        options.firstShares = {{"grid", 0.1}, {"edits", 0.1}, {"copies", 0.8}};
        TargetSearch search(**judge, target, features, std::move(proposers), options);
        const double first = search.shares()["copies"];
        while (!search.isOver())
            QVERIFY(search.advance());
        const auto state = search.state();
        QVERIFY(state.tries.at("copies").tries > 60);
        QCOMPARE(state.tries.at("copies").rewards, 0.0);
        QVERIFY2(search.shares()["copies"] < 0.85 * first, std::to_string(search.shares()["copies"]).c_str());
    }

    /// A source that is not named begins with what the others leave, and with a share where they leave
    /// nothing.
    void sharesOfSourcesThatAreNotNamed()
    {
        class Nothing : public Proposer
        {
        public:
            std::string_view name() const override { return "policy"; }
            std::optional<Proposal> propose(const Archive&, Rng&) override { return std::nullopt; }
        };
        const Target target = targetOf("banded(n=60,band=2)");
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY(judge);
        const auto first = [&](std::map<std::string, double> shares) {
            auto options = searching(20);
            options.firstShares = std::move(shares);
            auto proposers = makeProposers(featuresOf(target), target.id.variant, defaultDeviceModel());
            proposers.push_back(std::make_unique<Nothing>());
            return TargetSearch(**judge, target, featuresOf(target), std::move(proposers), options).shares();
        };
        const auto near = [](double share, double expected) {
            constexpr double floor = 0.05; // each has it at least
            return std::abs(share - (floor + (1 - 3 * floor) * expected)) < 1e-9;
        };
        auto shares = first({{"grid", 0.3}, {"edits", 0.7}});
        QVERIFY(near(shares["grid"], 0.21) && near(shares["edits"], 0.49) && near(shares["policy"], 0.3));
        shares = first({{"grid", 0.9}});
        QVERIFY(near(shares["grid"], 0.9) && near(shares["edits"], 0.05) && near(shares["policy"], 0.05));
        shares = first({{"grid", 0.2}, {"edits", 0.3}, {"policy", 0.5}});
        QVERIFY(near(shares["grid"], 0.2) && near(shares["edits"], 0.3) && near(shares["policy"], 0.5));

        QVERIFY(parseShares("grid=0.2,policy=0.5", true)->at("policy") == 0.5);
        QVERIFY(!parseShares("grid=0.2,policy=0.5") && !parseShares("grid=0,edits=0"));
        QVERIFY(parseShares("grid=0,edits=0", true) && !parseShares("grid=0,edits=0,policy=0", true));
    }

    /// The user's wish to end keeps what was found.
    void keepsWhatWasFound()
    {
        const Target target = targetOf("banded(n=60,band=2)");
        auto judge = makeSimulatorJudge(judging(false));
        QVERIFY(judge);
        SearchOptions options = searching(1000);
        options.judged = [&](const SearchedProgram& one, const VerdictRecord&) {
            if (one.number == 8)
                options.cancel.cancel();
        };
        const auto result =
            searchTarget(**judge, target, featuresOf(target),
                         makeProposers(featuresOf(target), target.id.variant, defaultDeviceModel()), options);
        QVERIFY(result);
        QVERIFY(result->interrupted);
        QVERIFY(result->archive.all().size() >= 9 && result->archive.all().size() < 1000);
        QVERIFY(result->archive.best());
    }
};

QTEST_GUILESS_MAIN(TestSearch)
#include "tst_search.moc"
