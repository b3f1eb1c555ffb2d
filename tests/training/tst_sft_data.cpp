// SPDX-License-Identifier: Apache-2.0
// Which programs a matrix gets, how often each is shown, and what is remembered of them.
#include "base/files.h"
#include "base/hash.h"
#include "base/rng.h"
#include "fake_judge.h"
#include "matrix/generate.h"
#include "scratch_folder.h"
#include "training/data/contrast.h"
#include "training/data/sft_data.h"
#include "training/parameters/stage_parameters.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

SftExample example(const char* matrix, const char* family, double microseconds)
{
    SftExample e;
    e.target.contents = matrix;
    e.family = family;
    e.record.target.contents = matrix;
    e.record.baselineMicroseconds = 10;
    if (microseconds > 0) {
        e.record.verdict = Verdict::Correct;
        e.record.warm = Timing{microseconds, microseconds, microseconds, 1};
    }
    return e;
}

TargetId targetOf(const char* digest, std::int64_t columns = 1)
{
    return {.contents = digest, .variant = {.columns = columns}};
}

std::set<std::string> familiesOf(const std::vector<DerivedProgram>& programs, std::size_t count)
{
    std::set<std::string> families;
    for (std::size_t i = 0; i < std::min(count, programs.size()); ++i)
        families.insert(programs[i].family);
    return families;
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

} // namespace

class TestSftData : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;

private Q_SLOTS:
    void powerOfTheSpeedup()
    {
        // Speed-ups 2, 1 and 4/3 of m; n has one program; what is wrong is never shown.
        const std::vector<SftExample> examples{example("m", "A", 5), example("m", "B", 10),
                                               example("m", "C", 7.5), example("n", "A", 40),
                                               example("m", "D", 0)};
        const auto weights = sftWeights(examples, SpeedWeighting::Power, 2);
        const double sum = 4 + 1 + 16.0 / 9;
        QVERIFY(near(weights[0], 4 / sum) && near(weights[1], 1 / sum) && near(weights[2], 16.0 / 9 / sum));
        QVERIFY(near(weights[3], 1) && weights[4] == 0);
        const auto alike = sftWeights(examples, SpeedWeighting::Power, 0);
        QVERIFY(near(alike[0], 1.0 / 3) && near(alike[1], 1.0 / 3));
        // Scaling all times of a matrix changes nothing, whatever the power.
        auto scaled = examples;
        for (auto& e : scaled) {
            if (e.record.warm)
                e.record.warm->median *= 1e6;
        }
        const auto same = sftWeights(scaled, SpeedWeighting::Power, 100);
        QVERIFY(same[0] > 0.999 && near(same[0] + same[1] + same[2], 1));
    }

    void zScoreOfTheSpeedup()
    {
        // ln 2 and 0: z = 1 and -1.
        const std::vector<SftExample> examples{example("m", "A", 5), example("m", "B", 10)};
        const auto weights = sftWeights(examples, SpeedWeighting::ZScore, 0.5);
        QVERIFY(near(weights[0], std::exp(0.5) / (std::exp(0.5) + std::exp(-0.5))));
        QVERIFY(!speedWeightingFromName("logarithm"));
        QVERIFY(*speedWeightingFromName("power") == SpeedWeighting::Power);
    }

    void slowFamilies()
    {
        FamilySpeeds speeds;
        speeds.add(targetOf("m"), "A", 1.0);
        speeds.add(targetOf("m"), "A", 2.0);
        speeds.add(targetOf("m"), "B", 1.9);
        speeds.add(targetOf("m"), "C", 1.0);
        QVERIFY(!speeds.isSlow(targetOf("m"), "A", 0.1));
        QVERIFY(!speeds.isSlow(targetOf("m"), "B", 0.1)); // within a tenth
        QVERIFY(speeds.isSlow(targetOf("m"), "B", 0.01));
        QVERIFY(speeds.isSlow(targetOf("m"), "C", 0.1));
        QVERIFY(speeds.isSlow(targetOf("m"), "D", 0.1));      // nothing correct
        QVERIFY(!speeds.isSlow(targetOf("other"), "A", 0.1)); // nothing known
    }

    void contrastPairsAreMismatches()
    {
        FamilySpeeds speeds;
        speeds.add(targetOf("m"), "A", 2.0);
        speeds.add(targetOf("m"), "B", 1.0);
        speeds.add(targetOf("n"), "A", 1.0);
        speeds.add(targetOf("n"), "B", 2.0);
        speeds.add(targetOf("o"), "A", 2.0); // as m
        std::vector<ContrastText> batch;
        for (std::size_t i = 0; i < 8; ++i)
            batch.push_back({i, targetOf(i % 2 == 0 ? "m" : "o"), "A"});
        QVERIFY(contrastPairs(batch, speeds, 0.1, Rng(1)).empty());
        batch.push_back({8, targetOf("n"), "B"});
        std::set<std::size_t> paired;
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto pairs = contrastPairs(batch, speeds, 0.1, Rng(seed));
            QCOMPARE(pairs.size(), std::size_t(3)); // a quarter of nine, rounded up
            for (const auto& pair : pairs) {
                paired.insert(pair.index);
                QVERIFY((pair.index == 8) == (pair.other.contents != "n"));
            }
        }
        QCOMPARE(paired.size(), std::size_t(9)); // each gets its turn
    }

    /// Of another task or width nothing is said, and a matrix is not contrasted with itself.
    void contrastKeepsToATask()
    {
        FamilySpeeds speeds;
        for (const std::int64_t columns : {1, 8, 32}) {
            speeds.add(targetOf("m", columns), "A", 2.0);
            speeds.add(targetOf("n", columns), "A", 1.0);
            speeds.add(targetOf("n", columns), "B", 2.0);
        }
        QVERIFY(speeds.isSlow(targetOf("n", 8), "A", 0.1) && !speeds.isSlow(targetOf("n", 16), "A", 0.1));
        const std::vector<ContrastText> apart{
            {0, targetOf("m", 8), "A"}, {1, targetOf("n", 32), "B"}, {2, targetOf("n"), "B"}};
        QVERIFY(contrastPairs(apart, speeds, 0.1, Rng(1)).empty());
        const std::vector<ContrastText> together{{0, targetOf("m", 8), "A"}, {1, targetOf("n", 8), "A"}};
        const auto pairs = contrastPairs(together, speeds, 0.1, Rng(1));
        QCOMPARE(pairs.size(), std::size_t(1));
        QVERIFY(pairs[0].index == 0 && pairs[0].other.contents == "n" && pairs[0].other.variant.columns == 8);
    }

    /// Every family that suits a matrix and is short enough comes before any comes twice.
    void familiesComeInTurn()
    {
        const auto matrix = generate("rmat(scale=11,degree=12)");
        QVERIFY(matrix);
        SftDataOptions options;
        options.recommended = 1;
        options.maxBytes = 1000;
        const auto programs = drawPrograms(*matrix, 24, options, Rng(3));
        QVERIFY(programs);
        const auto all = familiesOf(*programs, programs->size());
        QVERIFY(all.size() >= 3);
        QCOMPARE(familiesOf(*programs, all.size()), all);
        std::set<std::string> texts;
        for (const auto& program : *programs) {
            QVERIFY(program.text.size() <= 1000);
            QVERIFY(texts.insert(program.text).second);
        }
        // Drawn by score, what is too long gives way to programs of any family: fewer that suit.
        options.inTurn = false;
        const auto byScore = drawPrograms(*matrix, 24, options, Rng(3));
        QVERIFY(byScore);
        QVERIFY(familiesOf(*byScore, byScore->size()) != all);
    }

    void drawsFollowTheSeedOnly()
    {
        const auto matrix = generate("banded(n=300,band=4,fill=0.9)");
        SftDataOptions options;
        const auto texts = [&](std::uint64_t seed, std::int64_t count) {
            const auto programs = drawPrograms(*matrix, count, options, Rng(seed));
            std::vector<std::string> list;
            for (const auto& program : *programs)
                list.push_back(program.text);
            return list;
        };
        const auto many = texts(1, 12), few = texts(1, 5);
        QCOMPARE(many.size(), std::size_t(12));
        QVERIFY(std::equal(few.begin(), few.end(), many.begin())); // more programs are more, not others
        QVERIFY(texts(2, 12) != many);
        options.families = {"S1"};
        const auto programs = drawPrograms(*matrix, 6, options, Rng(1));
        QCOMPARE(familiesOf(*programs, 6), std::set<std::string>{"S1"});
    }

    void whatIsKnownTravels()
    {
        RewardTimes times;
        auto a = example("m", "A", 5).record, b = example("m", "B", 4).record;
        a.programHash = std::string(64, 'a');
        b.programHash = std::string(64, 'b');
        times.add(a, "A", true);
        times.add(b, "B", false);
        times.add(example("m", "C", 0).record, "C", true); // wrong: not shown
        QCOMPARE(times.bestFamily("m"), std::string("B"));
        QVERIFY(times.bestFamily("unknown").empty());
        QCOMPARE(times.bestSpeedup("m"), b.speedup());
        QCOMPARE(times.bestSpeedup("unknown"), 0.0);
        const fs::path file = fs::absolute("reward_times.json");
        QVERIFY(times.save(file));
        const auto back = RewardTimes::load(file);
        QVERIFY(back);
        QCOMPARE(back->bestFamily("m"), std::string("B"));
        QVERIFY(back->wasShown(a.programHash));
        QVERIFY(!back->wasShown(b.programHash));
        // A file of an earlier version knows times only.
        QVERIFY(
            writeFileAtomic(file, "{\"m\": {\"baseline\": 10.0, \"us\": [5.0, 4.0], \"shared\": [0, 0]}}"));
        const auto old = RewardTimes::load(file);
        QVERIFY(old && old->has("m") && old->bestFamily("m").empty() && !old->wasShown(a.programHash));
    }

    /// Programs of the SFT set join those of the corpus for the training matrices they are for, and the run
    /// keeps to what the set was when it began.
    void chosenProgramsJoin()
    {
        const auto made = generate("banded(n=60,band=3,fill=0.9)");
        const auto matrix = std::make_shared<const Csr>(*made);
        const auto target = [&](const char* name, bool heldOut) {
            StageTarget one{{{.contents = name, .name = name}, matrix}, heldOut};
            return one;
        };
        const std::vector<StageTarget> targets{target("trained", false), target("other", false),
                                               target("unseen", true)};
        SftDataOptions options;
        options.programsPerMatrix = options.heldOutPrograms = 2;
        options.families = {"S1"};
        const auto drawn = drawPrograms(*matrix, 1, options, Rng(77));
        QVERIFY(drawn && drawn->size() == 1);
        const std::string text = drawn->front().text + "// chosen\n";
        const std::vector<ChosenProgram> now{{sha256Hex(text), text, {"trained", "unseen"}},
                                             {std::string(64, 'f'), "", {"trained"}}};
        const fs::path file = fs::absolute("sft_chosen.jsonl");
        ProcessGroup alone;
        options.chosen = *chosenForRun(file, now, alone);
        QCOMPARE(options.chosen.size(), std::size_t(2));
        // The set may change meanwhile: the run goes on with what it began with.
        const auto later = chosenForRun(file, {}, alone);
        QVERIFY(later && later->size() == 2 && later->front().text == text &&
                later->front().targets == now.front().targets);

        test::FakeJudge fake;
        CachedJudge judge(fake, 1);
        const auto examples =
            buildSftData(fs::absolute("sft_data.jsonl"), targets, options, judge, CancelToken(), {});
        QVERIFY(examples);
        std::vector<std::string> chosen;
        for (const SftExample& example : *examples)
            if (example.chosen) {
                QCOMPARE(example.text, text);
                QVERIFY(example.record.correct() && !example.heldOut);
                chosen.push_back(example.target.key());
            }
        QVERIFY((chosen == std::vector<std::string>{"trained"})); // not held out, not where nobody asked
        const auto weights = sftWeights(*examples, SpeedWeighting::Power, 0);
        for (std::size_t i = 0; i < examples->size(); ++i)
            QVERIFY(!(*examples)[i].chosen || near(weights[i], 1.0 / 3)); // as the others of its matrix
        QVERIFY(writeFileAtomic(file, "{torn"));
        QVERIFY(!chosenForRun(file, {}, alone));
    }

    /// Programs that searches found join like those of the set, once each, and are told apart from them.
    void foundProgramsJoin()
    {
        const auto matrix = std::make_shared<const Csr>(*generate("banded(n=60,band=3,fill=0.9)"));
        const std::vector<StageTarget> targets{{{{.contents = "trained", .name = "trained"}, matrix}, false}};
        SftDataOptions options;
        options.programsPerMatrix = 2;
        options.families = {"S1"};
        const std::string text = drawPrograms(*matrix, 1, options, Rng(77))->front().text;
        const auto program = [&](const std::string& ending, bool found) {
            return ChosenProgram{sha256Hex(text + ending), text + ending, {"trained"}, found};
        };
        const fs::path file = fs::absolute("sft_found.jsonl");
        ProcessGroup alone;
        options.chosen = *chosenForRun(
            file, {program("// a\n", false), program("// a\n", true), program("// b\n", true)}, alone);
        options.chosen = *chosenForRun(file, {}, alone);
        test::FakeJudge fake;
        CachedJudge judge(fake, 1);
        const fs::path data = fs::absolute("sft_found_data.jsonl");
        const auto examples = buildSftData(data, targets, options, judge, CancelToken(), {});
        QVERIFY(examples);
        const auto count = [&](bool SftExample::*kind) {
            return std::count_if(examples->begin(), examples->end(),
                                 [&](const auto& one) { return one.*kind; });
        };
        QCOMPARE(count(&SftExample::chosen), 1);
        QCOMPARE(count(&SftExample::found), 1);
    }

    void slowerOnes()
    {
        std::vector<SftExample> examples;
        const auto add = [&](const char* target, double microseconds, Verdict verdict = Verdict::Correct) {
            SftExample& one = examples.emplace_back();
            one.target.contents = target;
            one.record.verdict = verdict;
            one.record.baselineMicroseconds = 10;
            one.record.warm = Timing{microseconds, microseconds, microseconds, 3};
        };
        add("a", 5);
        add("a", 5.1); // within the noise of the first
        add("a", 8);
        add("b", 9);
        add("a", 20, Verdict::WrongResult);
        const std::vector<std::vector<std::size_t>> expected{{2}, {2}, {}, {}, {}};
        QVERIFY(slowerExamples(examples) == expected);
    }

    /// run.toml of an earlier version does not name what has come since: its run goes on as it began.
    void oldRunsKeepTheirDraws()
    {
        auto values = runValues(ParameterSet(stageParameters(StageKind::Sft)));
        QCOMPARE(std::get<std::string>(values.at("sft.draw")), std::string("in-turn"));
        for (const char* key :
             {"sft.draw", "sft.weighting", "sft.contrast", "sft.contrast_margin", "sft.use_chosen"})
            QCOMPARE(values.erase(key), std::size_t(1));
        values["sft.speed_weight"] = 0.5;
        const auto old = parametersFromRun(StageKind::Sft, values);
        QVERIFY(old);
        QCOMPARE(old->text("sft.draw"), std::string("by-score"));
        QCOMPARE(old->text("sft.weighting"), std::string("z-score"));
        QCOMPARE(old->real("sft.contrast"), 0.0);
        QVERIFY(!old->boolean("sft.use_chosen"));
    }
};

QTEST_GUILESS_MAIN(TestSftData)
#include "tst_sft_data.moc"
