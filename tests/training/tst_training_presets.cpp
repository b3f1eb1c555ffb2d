// SPDX-License-Identifier: Apache-2.0
// One update of each preset on one fixed experience: no preset trains as another does, and each has the
// advantages that its source prints, recomputed here with plain loops.
#include "matrix/generate.h"
#include "policy/tokenizer/token_bytes.h"
#include "policy/tokenizer/utf8.h"
#include "project/run/metrics.h"
#include "reward/program_match.h"
#include "reward/reward.h"
#include "tests/training/tiny_policy.h"
#include "training/learning/forward_passes.h"
#include "training/learning/learner.h"
#include "training/learning/token_classes.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "training/sampling/rl_experience.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <map>

using namespace sparserl;
using namespace sparserl::test;

namespace {

constexpr int groupCount = 3, groupSize = 4, longest = 90;

/// A program with a verdict and a time on one of three matrices.
struct Judged
{
    std::string text;
    VerdictRecord record;
    bool finished = true;
};

Judged judged(int group, int index)
{
    Judged j;
    j.text = "//! task spmv\n//! launch k\nk() { y[" + std::to_string(index) + "] = x + " +
             std::string(static_cast<std::size_t>(3 * index + group), 'a') + "; }";
    j.record.baselineMicroseconds = 10;
    // Group 0 has every outcome, group 1 correct ones of several speeds, group 2 four alike: no signal.
    constexpr Verdict outcomes[] = {Verdict::Correct, Verdict::WrongResult, Verdict::CompileError,
                                    Verdict::Race};
    j.record.verdict = group == 0 ? outcomes[index] : group == 1 ? Verdict::Correct : Verdict::WrongResult;
    if (j.record.correct()) {
        const double t = group == 0 ? 8 : 4 + 3 * index;
        j.record.warm = Timing{t, t, t, 1};
    }
    return j;
}

struct Case
{
    ParameterSet parameters;
    RlSettings settings;
    Experience experience;
};

/// What the rl stage makes of the fixed programs with a preset's parameters.
Case caseOf(const ParameterSet& parameters, const Policy& policy)
{
    Case c;
    c.parameters = parameters;
    c.settings = *RlSettings::from(parameters, 0, parameters[param::rl::iterations], longest);
    c.settings.filterGroups = c.settings.filterGroups || parameters[param::rl::resampleRounds] > 0;
    const auto model = *rewardModel(parameters);
    const MatrixRewardStats stats{0.1, 0.3, 6, 1.5};
    const std::string reference = judged(0, 2).text;
    const bool mixed = parameters[param::rl::topK] > 0 || parameters[param::rl::broadShare] > 0;
    auto& e = c.experience;
    const auto csr = generate("stencil2d(n=6,points=5)");
    for (int g = 0; g < groupCount; ++g) {
        e.batch.inputs.push_back(
            {std::make_shared<const MatrixTokens>(policy.matrixTokens(*csr, std::uint64_t(g))), {}});
        for (int i = 0; i < groupSize; ++i) {
            const auto j = judged(g, i);
            auto tokens = policy.tokenizer().encode(j.text);
            tokens.push_back(Tokenizer::eosId);
            RewardExtras extras;
            if (model.usesReference())
                extras = {syntaxMatch(j.text, reference), dataflowMatch(j.text, reference), 0, false};
            const auto reward = model.reward(j.record, &stats, extras);
            const double length = overlongPenalty(std::int64_t(tokens.size()), longest,
                                                  parameters[param::reward::overlongBuffer],
                                                  parameters[param::reward::overlongPenalty]);
            e.scores.push_back(reward.total + length);
            e.planScores.push_back(reward.plan + length);
            e.codeScores.push_back(reward.code + length);
            e.batch.classes.push_back(classesOf(policy.tokenizer(), tokens));
            if (parameters[param::rl::algorithm] == "self-critical")
                e.greedyScores.push_back(0.25 * g);
            e.groups.push_back(g);
            e.batch.inputOf.push_back(g);
            e.batch.targets.push_back(std::move(tokens));
        }
    }
    ProcessGroup alone;
    const auto statistics = statisticsOf(policy, e.batch, c.settings.temperature, 64, false, {}, alone);
    for (std::int64_t i = 0; i < std::int64_t(e.scores.size()); ++i) {
        std::vector<float> own, behaviour;
        for (std::size_t t = 0; t < e.batch.targets[std::size_t(i)].size(); ++t) {
            own.push_back(statistics->logProbs[i][std::int64_t(t)].item<float>());
            behaviour.push_back(own.back() + 0.2f * float(int((t + std::size_t(i)) % 3) - 1));
        }
        e.samplerLogProbs.push_back(own);
        if (mixed)
            e.behaviourLogProbs.push_back(behaviour);
    }
    return c;
}

Learner learnerOf(const Case& c)
{
    auto policy = tinyPolicy(1, longest);
    std::optional<Critic> critic;
    if (c.settings.critic)
        critic.emplace(Critic::fromPolicy(policy, 5));
    const auto& p = c.parameters;
    return Learner(std::move(policy), tinyPolicy(2, longest).clone(false), std::move(critic), c.settings,
                   p[param::rl::klCoef], p[param::rl::klTarget], p[param::rl::klHorizon]);
}

std::vector<double> flat(const NamedTensors& parameters)
{
    std::vector<double> values;
    for (const auto& [name, tensor] : parameters) {
        const auto x = tensor.detach().to(torch::kFloat64).contiguous();
        values.insert(values.end(), x.const_data_ptr<double>(), x.const_data_ptr<double>() + x.numel());
    }
    return values;
}

/// Weights of the policy after one update; of the critic, where it alone is to learn.
std::vector<double> updated(const Case& c)
{
    auto learner = learnerOf(c);
    Metrics metrics;
    const auto targets = learner.prepare(c.experience, c.settings, metrics);
    const bool frozen = c.parameters[param::rl::valueOnly];
    const auto before = flat(learner.policy().parameters());
    learner.update(c.experience, *targets, c.settings, frozen, Rng(3), {});
    const auto after = flat(learner.policy().parameters());
    if ((before == after) != frozen)
        qFatal("the policy learns where it should not, or the other way round");
    return frozen ? flat(learner.critic()->parameters()) : after;
}

/// The same experience where each response is given tokens before, between and after its own. What a sampler
/// would report of those, and the tokens behind the last own one, are `junk`'s.
Experience withObservations(const Experience& of, bool junk)
{
    Experience e = of;
    const float number = junk ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
    for (std::size_t i = 0; i < e.batch.targets.size(); ++i) {
        const auto give = [&](std::size_t at, std::vector<std::int32_t> tokens) {
            const auto insert = [&](auto& row, const auto& value) {
                row.insert(row.begin() + std::ptrdiff_t(at), tokens.size(), value);
            };
            insert(e.batch.classes[i], TokenClass::Observation);
            insert(e.samplerLogProbs[i], number);
            if (!e.behaviourLogProbs.empty())
                insert(e.behaviourLogProbs[i], number);
            auto& row = e.batch.targets[i];
            row.insert(row.begin() + std::ptrdiff_t(at), tokens.begin(), tokens.end());
        };
        const std::size_t own = e.batch.targets[i].size();
        give(own, junk ? std::vector<std::int32_t>{9, 250} : std::vector<std::int32_t>{70, 71});
        give(own / 2, {80, 81, 82});
        give(0, {90, 91});
    }
    return e;
}

using Rows = std::vector<std::vector<double>>;

double meanOver(const std::vector<double>& values)
{
    double sum = 0;
    for (const double v : values)
        sum += v;
    return sum / double(values.size());
}

double deviation(const std::vector<double>& values)
{
    double squares = 0;
    for (const double v : values)
        squares += (v - meanOver(values)) * (v - meanOver(values));
    return std::sqrt(squares / double(values.size() - 1));
}

void whitenRows(Rows& rows)
{
    std::vector<double> all;
    for (const auto& r : rows)
        all.insert(all.end(), r.begin(), r.end());
    const double mean = meanOver(all), scale = std::sqrt(std::pow(deviation(all), 2) + 1e-8);
    for (auto& r : rows)
        for (double& v : r)
            v = (v - mean) / scale;
}

/// Responses' values minus what the baseline of their group says.
std::vector<double> overBaseline(const std::string& algorithm, const std::vector<double>& r,
                                 const std::vector<double>& greedy)
{
    std::vector<double> a(r.size());
    for (int g = 0; g < groupCount; ++g) {
        const std::vector<double> group(r.begin() + g * groupSize, r.begin() + (g + 1) * groupSize);
        for (int i = 0; i < groupSize; ++i) {
            const auto at = std::size_t(g * groupSize + i);
            double others = 0, best = -1e9;
            for (int k = 0; k < groupSize; ++k) {
                others += k == i ? 0 : group[std::size_t(k)];
                best = k == i ? best : std::max(best, group[std::size_t(k)]);
            }
            if (algorithm == "rloo")
                a[at] = r[at] - others / (groupSize - 1);
            else if (algorithm == "max-at-k") // of four: there is one choice of the three others
                a[at] = groupSize * std::max(0.0, r[at] - best);
            else if (algorithm == "self-critical")
                a[at] = r[at] - greedy[at];
            else
                a[at] = r[at] - meanOver(group);
            if (algorithm == "grpo")
                a[at] /= deviation(group) + 1e-6;
        }
    }
    return a;
}

/// Advantages of every token by the formulas, from log-probabilities, values and scores alone.
Rows expectedAdvantages(const Case& c, const LearningTargets& targets)
{
    const auto& p = c.parameters;
    const auto& e = c.experience;
    const std::string algorithm = p[param::rl::algorithm];
    Rows rewards, values, advantages;
    std::vector<double> penalties;
    for (std::size_t i = 0; i < e.scores.size(); ++i) {
        std::vector<double> r;
        double penalty = 0;
        for (std::size_t t = 0; t < e.batch.targets[i].size(); ++t) {
            const auto row = std::int64_t(i), column = std::int64_t(t);
            const double d = targets.old.tensor[row][column].item<double>() -
                             targets.ref.tensor[row][column].item<double>();
            if (p[param::rl::klEstimator] != "k1")
                qFatal("the presets use k1");
            r.push_back(-p[param::rl::klCoef] * d);
            penalty += r.back();
        }
        r.back() += e.scores[i];
        rewards.push_back(r);
        penalties.push_back(penalty);
    }
    if (algorithm == "ppo") {
        for (std::size_t i = 0; i < rewards.size(); ++i) {
            std::vector<double> a(rewards[i].size());
            double nextValue = 0, next = 0;
            for (std::size_t t = a.size(); t-- > 0;) {
                const double v = targets.values.tensor[std::int64_t(i)][std::int64_t(t)].item<double>();
                next = rewards[i][t] + p[param::rl::gamma] * nextValue - v +
                       p[param::rl::gamma] * p[param::rl::lambda] * next;
                nextValue = v;
                a[t] = next;
            }
            advantages.push_back(a);
        }
        whitenRows(advantages);
        return advantages;
    }
    if (algorithm == "reinforce++") {
        for (const auto& r : rewards) {
            std::vector<double> a(r.size());
            double sum = 0;
            for (std::size_t t = a.size(); t-- > 0;)
                a[t] = sum = r[t] + p[param::rl::gamma] * sum;
            advantages.push_back(a);
        }
        whitenRows(advantages);
        return advantages;
    }
    const auto withPenalty = [&](std::vector<double> scores) {
        for (std::size_t i = 0; i < scores.size(); ++i)
            scores[i] += penalties[i];
        return scores;
    };
    const auto whole = overBaseline(algorithm, withPenalty(e.scores), e.greedyScores);
    const auto plan = overBaseline(algorithm, withPenalty(e.planScores), e.greedyScores);
    const auto code = overBaseline(algorithm, withPenalty(e.codeScores), e.greedyScores);
    for (std::size_t i = 0; i < e.scores.size(); ++i) {
        // By hand: the plan is the first two lines, 27 bytes of one token each.
        const std::size_t planLength = std::string("//! task spmv\n//! launch k\n").size();
        std::vector<double> a(e.batch.targets[i].size(), whole[i]);
        for (std::size_t t = 0; p[param::rl::tokenClasses] && t < a.size(); ++t)
            a[t] = t < planLength ? plan[i] : code[i];
        advantages.push_back(a);
    }
    return advantages;
}

std::vector<Preset> reinforcement()
{
    auto presets = builtInPresets();
    if (!presets)
        qFatal("%s", presets.error().sentence().c_str());
    std::erase_if(*presets, [](const Preset& preset) { return preset.stage != StageKind::Rl; });
    return *presets;
}

} // namespace

class TestTrainingPresets : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { torch::set_num_threads(1); }

    void groupsAndFamiliesOfARollout()
    {
        Rollout rollout;
        const auto add = [&](int group, double reward, const char* family, Verdict verdict) {
            RolloutItem item;
            item.input = group;
            item.reward.total = reward;
            item.family = family;
            item.record.verdict = verdict;
            rollout.items.push_back(item);
        };
        QCOMPARE(familyEntropy(rollout), 0.0);
        add(0, 1, "S1", Verdict::Correct);
        add(0, 1, "S1", Verdict::WrongResult);
        QCOMPARE(familyEntropy(rollout), 0.0);
        QVERIFY(learnedGroups(rollout, 1) == (std::set<std::int64_t>{0})); // none has a signal
        add(1, 1, "S2", Verdict::Correct);
        add(1, 2, "S9", Verdict::CompileError); // what does not compile has no family
        add(2, 1, "", Verdict::CompileError);
        add(2, 2, "S1", Verdict::Correct);
        // S1 three times, S2 once.
        QVERIFY(std::abs(familyEntropy(rollout) + 0.75 * std::log(0.75) + 0.25 * std::log(0.25)) < 1e-12);
        QVERIFY(learnedGroups(rollout, 1) == (std::set<std::int64_t>{1}));
        QVERIFY(learnedGroups(rollout, 2) == (std::set<std::int64_t>{1, 2}));
        QVERIFY(learnedGroups(rollout, 5) == (std::set<std::int64_t>{1, 2}));
    }

    /// Advantages belong to the bytes that tokens write. Characters belong to the token that ends them.
    void advantagesOfBytes()
    {
        const Policy policy = tinyPolicy(3);
        const auto idOf = [&](std::string_view bytes) { return policy.tokenizer().encode(bytes); };
        Rollout rollout;
        rollout.inputs.resize(2);
        const auto add = [&](int group, const std::string& text, bool ends) {
            RolloutItem item;
            item.input = group;
            item.sample.tokens = idOf(text);
            if (ends)
                item.sample.tokens.push_back(policy.tokenizer().end());
            item.text = validUtf8(text);
            rollout.items.push_back(std::move(item));
        };
        add(0, "//! t\nab", true);
        add(0, "a\xC3\xA9z", true);
        add(1, "a\xFFz", false);
        add(1, "other", true);
        rollout.items[3].text = "replaced";
        const Experience experience = experienceOf(rollout, policy);
        LearningTargets targets;
        targets.kept = {0, 1, 2, 3};
        torch::Tensor advantages = torch::zeros({4, 10});
        for (int row = 0; row < 4; ++row)
            for (int t = 0; t < 10; ++t)
                advantages[row][t] = row == 0 ? (t < 6 ? 0.25 : -1.23456) : t;
        targets.advantages = Advantage(advantages);
        auto found = advantagesOf(rollout, experience, targets, policy.tokenizer());
        QCOMPARE(found.size(), std::size_t(4));
        // One token for each byte: the plan's six, two of code, and the end.
        QVERIFY((found[0] == std::vector<AdvantageRun>{{6, 0.25}, {2, -1.235}}));
        QVERIFY((found[1] == std::vector<AdvantageRun>{{1, 0}, {2, 2}, {1, 3}, {0, 4}}));
        QVERIFY((found[2] == std::vector<AdvantageRun>{{1, 0}, {3, 1}, {1, 2}}));
        QVERIFY(found[3].empty()); // another program than the tokens say
        for (std::size_t i = 0; i < 2; ++i) {
            const auto& tokens = rollout.items[i].sample.tokens;
            const auto bytes = bytesOfTokens(policy.tokenizer(), tokens);
            std::int64_t at = 0;
            for (std::size_t t = 0; t < tokens.size(); at += std::int64_t(bytes[t++])) {
                const double expected = advantages[std::int64_t(i)][std::int64_t(t)].item<double>();
                if (bytes[t] > 0 || t + 1 == tokens.size())
                    QVERIFY(std::abs(advantageAt(found[i], at) - expected) < 1e-3);
            }
        }
        // What was not learned from has none, and the rows of what was are counted without it.
        targets.kept = {1};
        const std::set<std::int64_t> groups{1};
        const Experience part = experienceOf(rollout, policy, &groups);
        found = advantagesOf(rollout, part, targets, policy.tokenizer(), &groups);
        QVERIFY(found[0].empty() && found[1].empty() && found[2].empty() && found[3].empty());
        targets.kept = {0};
        found = advantagesOf(rollout, part, targets, policy.tokenizer(), &groups);
        QVERIFY(found[0].empty() && !found[2].empty());
    }

    /// Numbers at given tokens are in no loss, divergence, entropy, return or metric: nothing changes, to the
    /// bit, whatever stands there.
    void observationsAreInNoUpdate()
    {
        for (const auto& preset : reinforcement()) {
            const auto c = caseOf(preset.parameters, tinyPolicy(1, longest));
            const auto run = [&](bool junk) {
                Case mixed = c;
                mixed.experience = withObservations(c.experience, junk);
                auto learner = learnerOf(mixed);
                Metrics metrics;
                const auto targets = learner.prepare(mixed.experience, mixed.settings, metrics);
                const bool frozen = mixed.parameters[param::rl::valueOnly];
                const auto update =
                    learner.update(mixed.experience, *targets, mixed.settings, frozen, Rng(3), {});
                for (const auto& [name, value] : *update)
                    metrics[name] = value;
                double own = 0;
                for (const auto& target : c.experience.batch.targets)
                    own += double(target.size());
                if (metrics[metric::totalTokens] != own)
                    qFatal("given tokens are counted");
                for (const auto& [name, value] : metrics) {
                    if (!std::isfinite(value))
                        qFatal("%s: %s is not finite", preset.name.c_str(), name.c_str());
                }
                auto weights = flat(learner.policy().parameters());
                if (learner.critic()) {
                    const auto more = flat(learner.critic()->parameters());
                    weights.insert(weights.end(), more.begin(), more.end());
                }
                return std::pair(metrics, weights);
            };
            const auto [cleanMetrics, cleanWeights] = run(false);
            const auto [junkMetrics, junkWeights] = run(true);
            QVERIFY2(cleanMetrics == junkMetrics, preset.name.c_str());
            QVERIFY2(cleanWeights == junkWeights, preset.name.c_str());
        }
    }

    void planTokensFollowTheLines()
    {
        const Tokenizer bytes;
        const auto tokens = bytes.encode("//! a\n// b\n//!\n\nx //! y\n");
        std::string classes;
        for (const TokenClass is : classesOf(bytes, tokens))
            classes += is == TokenClass::Plan ? 'p' : '.';
        // A newline belongs to the line that it ends.
        QCOMPARE(classes, std::string("pppppp"
                                      "....."
                                      "pppp"
                                      "."
                                      "........"));
        QVERIFY(classesOf(bytes, {}).empty());
        const auto trained = Tokenizer::train(
            std::vector<std::string>(8, "//! task spmv\n//! launch k\nint x;\n"), {.vocabSize = 320});
        QVERIFY(trained);
        const std::string text = "//! task spmv\n//! launch k\nint x;\nint x;\n";
        const auto merged = trained->encode(text);
        QVERIFY(merged.size() < text.size() / 2);
        const auto found = classesOf(*trained, merged);
        std::string inPlan;
        for (std::size_t i = 0; i < merged.size(); ++i)
            if (found[i] == TokenClass::Plan)
                inPlan += trained->bytes(merged[i]);
        // A token is of one class: at the border a newline may go with either line.
        QVERIFY2(inPlan.starts_with("//! task spmv\n//! launch k") && inPlan.size() <= 27, inPlan.c_str());
    }

    void advantagesAreThoseOfTheSource_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto& preset : reinforcement())
            QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
    }
    void advantagesAreThoseOfTheSource()
    {
        QFETCH(QString, name);
        const auto c = caseOf(findPreset(name.toStdString())->parameters, tinyPolicy(1, longest));
        auto learner = learnerOf(c);
        Metrics metrics;
        const auto targets = learner.prepare(c.experience, c.settings, metrics);
        QVERIFY(targets);
        const auto expected = expectedAdvantages(c, *targets);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            for (std::size_t t = 0; t < expected[i].size(); ++t) {
                const double got =
                    targets->advantages.tensor[std::int64_t(i)][std::int64_t(t)].item<double>();
                QVERIFY2(std::abs(got - expected[i][t]) < 1e-4 * (1 + std::abs(expected[i][t])),
                         qPrintable(QString::fromLatin1("response %1 token %2: %3, expected %4")
                                        .arg(i)
                                        .arg(t)
                                        .arg(got)
                                        .arg(expected[i][t])));
            }
        }
        // Groups without signal are left out where the preset says so.
        QCOMPARE(
            targets->kept.size() < expected.size(), c.settings.filterGroups && [&] {
                const auto& s = c.experience.scores;
                return std::abs(s[8] - s[11]) < 1e-9;
            }());
        QCOMPARE(targets->correction.defined(), !c.experience.behaviourLogProbs.empty());
        QCOMPARE(targets->classWeights.defined(), c.settings.tokenClasses);
        QVERIFY(metrics.at("behaviour/weight/max") <= c.settings.behaviourCap + 1e-6);
    }

    void noPresetTrainsAsAnother()
    {
        const auto policy = tinyPolicy(1, longest);
        const auto start = flat(policy.parameters());
        std::map<std::string, std::vector<double>> asTheyAre, alike;
        for (const auto& preset : reinforcement()) {
            const auto c = caseOf(preset.parameters, policy);
            // Steps so large that ratios leave the clip: what happens there differs, too.
            auto far = c;
            far.settings.epochs = std::max<std::int64_t>(c.settings.epochs, 3);
            far.settings.learningRate = std::max(c.settings.learningRate, 1e-2);
            asTheyAre[preset.name] = updated(far);
            if (preset.name.starts_with("quickstart")) // another size of a recipe
                continue;
            // The same optimizer for all: what differs then is what is optimised.
            auto same = c;
            same.settings.epochs = 3;
            same.settings.minibatch = 1024;
            same.settings.learningRate = same.settings.criticLearningRate = 1e-2;
            same.settings.adam = {};
            same.settings.gradClip = 0;
            alike[preset.name] = updated(same);
        }
        QVERIFY(asTheyAre.size() >= 11);
        for (const auto* results : {&asTheyAre, &alike}) {
            for (auto a = results->begin(); a != results->end(); ++a) {
                double moved = 0;
                for (std::size_t i = 0; i < start.size(); ++i)
                    moved = std::max(moved, std::abs(a->second[i] - start[i]));
                QVERIFY2(moved > 1e-8, (a->first + " does not train").c_str());
                for (auto b = std::next(a); b != results->end(); ++b) {
                    double apart = 0;
                    for (std::size_t i = 0; i < start.size(); ++i)
                        apart = std::max(apart, std::abs(a->second[i] - b->second[i]));
                    QVERIFY2(apart > 0.01 * moved, (a->first + " trains as " + b->first + " does").c_str());
                }
            }
        }
    }

    /// How a minibatch is cut into pieces that fit into memory changes nothing, junk behind the ends
    /// included.
    void microBatchesChangeNothing_data() { advantagesAreThoseOfTheSource_data(); }
    void microBatchesChangeNothing()
    {
        QFETCH(QString, name);
        auto c = caseOf(findPreset(name.toStdString())->parameters, tinyPolicy(1, longest));
        c.settings.learningRate = c.settings.criticLearningRate = 1;
        c.settings.epochs = 1;
        c.settings.minibatch = 1024;
        // Adam divides by the gradient's size: with a large epsilon the step is nearly the gradient itself.
        c.settings.adam.epsilon = 1;
        c.settings.adam.weightDecay = 0;
        c.settings.microBatch = 64;
        const auto whole = updated(c);
        for (const std::int64_t size : {1, 5}) {
            c.settings.microBatch = size;
            const auto pieces = updated(c);
            for (std::size_t i = 0; i < whole.size(); ++i)
                QVERIFY2(std::abs(pieces[i] - whole[i]) < 1e-6,
                         qPrintable(QString::number(pieces[i] - whole[i])));
        }
    }

    /// The class of each token is what TritonRL's two rewards reach: changing the plan's reward alone changes
    /// no advantage of the code, and the other way round.
    void classesLearnApart()
    {
        const auto parameters = findPreset("tritonrl")->parameters;
        const auto policy = tinyPolicy(1, longest);
        const auto plain = caseOf(parameters, policy);
        auto otherPlan = plain;
        for (std::size_t i = 0; i < otherPlan.experience.planScores.size(); ++i)
            otherPlan.experience.planScores[i] += 0.3 * double(i % 4);
        Metrics metrics;
        auto learner = learnerOf(plain);
        const auto a = learner.prepare(plain.experience, plain.settings, metrics);
        const auto b = learner.prepare(otherPlan.experience, otherPlan.settings, metrics);
        for (std::size_t i = 0; i < plain.experience.scores.size(); ++i) {
            for (std::size_t t = 0; t < plain.experience.batch.targets[i].size(); ++t) {
                const auto row = std::int64_t(i), column = std::int64_t(t);
                const double x = a->advantages.tensor[row][column].item<double>();
                const double y = b->advantages.tensor[row][column].item<double>();
                const double expected = t < 27 ? 0.3 * (double(i % 4) - 1.5) : 0;
                QVERIFY(std::abs(y - x - expected) < 1e-5);
            }
        }
        QVERIFY(updated(plain) != updated(otherPlan));
    }

    /// PPOCoder is not CodeRL: the matches reach the reward.
    void matchesReachTheReward()
    {
        const auto parameters = findPreset("ppocoder")->parameters;
        const auto policy = tinyPolicy(1, longest);
        const auto c = caseOf(parameters, policy);
        auto coderl = parameters;
        QVERIFY(coderl.setText("reward.preset", "coderl"));
        const auto without = caseOf(coderl, policy);
        for (std::size_t i = 0; i < c.experience.scores.size(); ++i)
            QVERIFY(c.experience.scores[i] > without.experience.scores[i]);
        QVERIFY(updated(c) != updated(without));
    }
};

QTEST_GUILESS_MAIN(TestTrainingPresets)
#include "tst_training_presets.moc"
