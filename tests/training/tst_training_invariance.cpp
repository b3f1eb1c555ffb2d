// SPDX-License-Identifier: Apache-2.0
// What a step of training comes to must not depend on how it is divided, nor on what is not the policy's:
// tokens that it was given, and what fills up rows.
#include "tests/training/tiny_learning.h"

#include <QtTest>

#include <functional>
#include <limits>

using namespace sparserl;
using namespace sparserl::test;

namespace {

constexpr auto given = TokenClass::Observation;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Gives the policy some tokens of a batch: beginnings, middles, ends, and all of one text.
void giveTokens(SequenceBatch& batch)
{
    for (std::size_t b = 0; b < batch.targets.size(); ++b) {
        const std::size_t length = batch.targets[b].size();
        std::vector<TokenClass> classes(length, TokenClass::Policy);
        const auto give = [&](std::size_t from, std::size_t to) {
            std::fill(classes.begin() + std::ptrdiff_t(from), classes.begin() + std::ptrdiff_t(to), given);
        };
        if (b % 4 == 0)
            give(0, 3);
        if (b % 4 == 1)
            give(4, 6);
        if (b % 2 == 1)
            give(length - 3, length);
        if (b == 5)
            give(0, length);
        batch.classes.push_back(std::move(classes));
    }
}

/// An experience with tokens that were given, and samples that another distribution drew.
Experience mixedExperience(const Policy& policy)
{
    Experience experience = someExperience(policy);
    giveTokens(experience.batch);
    experience.behaviourLogProbs = experience.samplerLogProbs;
    for (auto& row : experience.behaviourLogProbs) {
        for (std::size_t t = 0; t < row.size(); ++t)
            row[t] += 0.1f * float(int(t % 3) - 1);
    }
    return experience;
}

/// Other tokens behind the last one of the policy's own, and `longer` ones more; no numbers where it was
/// given.
int addJunk(SequenceBatch& batch, const Policy& policy, int longer)
{
    int changed = 0;
    for (std::size_t b = 0; b < batch.targets.size(); ++b) {
        auto& tokens = batch.targets[b];
        for (std::size_t t = tokens.size(); t-- > 0 && batch.classOf(b, t) == given; ++changed)
            tokens[t] = (tokens[t] + 101) % policy.vocabSize();
        for (int i = 0; i < longer; ++i) {
            tokens.push_back(70 + i);
            batch.classes[b].push_back(given);
        }
    }
    return changed;
}

void addJunk(Experience& experience, const Policy& policy, int longer)
{
    QVERIFY(addJunk(experience.batch, policy, longer) > 20);
    for (std::size_t b = 0; b < experience.batch.targets.size(); ++b) {
        for (auto* rows : {&experience.samplerLogProbs, &experience.behaviourLogProbs}) {
            auto& row = (*rows)[b];
            row.resize(experience.batch.targets[b].size());
            for (std::size_t t = 0; t < row.size(); ++t)
                row[t] = experience.batch.classOf(b, t) == given ? kNaN : row[t];
        }
    }
}

/// Kinds of policies with an algorithm each for all that an update can do.
void addUpdates()
{
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("algorithm");
    for (const char* policy : policyKinds) {
        for (const char* algorithm : {"ppo", "grpo", "reinforce++"})
            QTest::addRow("%s, %s", policy, algorithm)
                << QString::fromLatin1(policy) << QString::fromLatin1(algorithm);
    }
}

} // namespace

class TrainingInvarianceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { torch::set_num_threads(1); }

    void textGradientsDoNotDependOnMicroBatches_data() { addPolicyKinds(); }
    void textGradientsDoNotDependOnMicroBatches()
    {
        QFETCH(QString, policy);
        for (const bool mixed : {false, true}) {
            std::vector<double> whole;
            for (const std::int64_t size : {100, 4, 3, 1}) {
                ProcessGroup alone;
                const Policy own = tinyPolicyOf(policy.toStdString(), 1);
                SequenceBatch batch = someTexts(own, 9);
                if (mixed)
                    giveTokens(batch);
                const auto gradient = textGradient(own, batch, alone, size);
                if (whole.empty())
                    whole = gradient;
                QVERIFY2(distance(whole, gradient) < 1e-6,
                         qPrintable(QString::number(distance(whole, gradient))));
            }
        }
    }

    void updatesDoNotDependOnMicroBatches_data() { addUpdates(); }
    void updatesDoNotDependOnMicroBatches()
    {
        QFETCH(QString, policy);
        QFETCH(QString, algorithm);
        std::optional<Learned> whole;
        for (const std::int64_t size : {100, 3, 1}) {
            const Policy own = tinyPolicyOf(policy.toStdString(), 1);
            RlSettings settings = settingsOf(algorithm.toStdString());
            settings.microBatch = size;
            const auto learned = learn(own, mixedExperience(own), std::make_shared<ProcessGroup>(), settings);
            if (!whole)
                whole = learned;
            compareLearned(*whole, learned);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void textsLearnNothingFromJunk_data() { addPolicyKinds(); }
    /// To the bit, and close to it where the junk makes rows longer, which groups sums differently.
    void textsLearnNothingFromJunk()
    {
        QFETCH(QString, policy);
        const auto gradient = [&](int longer, bool junk) {
            ProcessGroup alone;
            const Policy own = tinyPolicyOf(policy.toStdString(), 1);
            SequenceBatch batch = someTexts(own, 9);
            giveTokens(batch);
            if (junk)
                addJunk(batch, own, longer);
            return textGradient(own, batch, alone);
        };
        const auto clean = gradient(0, false);
        QVERIFY(gradient(0, true) == clean);
        QVERIFY2(distance(gradient(7, true), clean) < 1e-6,
                 qPrintable(QString::number(distance(gradient(7, true), clean))));
    }

    void updatesLearnNothingFromJunk_data() { addUpdates(); }
    /// Nor do metrics know of it.
    void updatesLearnNothingFromJunk()
    {
        QFETCH(QString, policy);
        QFETCH(QString, algorithm);
        const auto run = [&](const std::function<void(Experience&, const Policy&)>& spoil) {
            const Policy own = tinyPolicyOf(policy.toStdString(), 1);
            Experience experience = mixedExperience(own);
            spoil(experience, own);
            return learn(own, experience, std::make_shared<ProcessGroup>(),
                         settingsOf(algorithm.toStdString()));
        };
        const Learned clean = run([](Experience&, const Policy&) {});
        for (const auto& [name, value] : clean.metrics)
            QVERIFY2(std::isfinite(value), name.c_str());
        const Learned junk = run([](Experience& x, const Policy& own) { addJunk(x, own, 0); });
        QVERIFY(junk.weights == clean.weights);
        QVERIFY(junk.metrics == clean.metrics);
        const Learned longer = run([](Experience& x, const Policy& own) { addJunk(x, own, 7); });
        compareLearned(clean, longer);
        // What was given before the policy's own tokens is read.
        const Learned other = run([](Experience& x, const Policy&) { x.batch.targets[0][1] += 1; });
        QVERIFY(distance(clean.weights, other.weights) > 1e-6);
    }
};

QTEST_GUILESS_MAIN(TrainingInvarianceTest)
#include "tst_training_invariance.moc"
