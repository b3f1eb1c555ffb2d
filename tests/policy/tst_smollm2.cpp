// SPDX-License-Identifier: Apache-2.0
// SmolLM2-135M-Instruct out of its GGUF file against llama.cpp (tests/tools/make_smollm2_fixture.py).
#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "policy/causal/causal_model.h"
#include "policy/causal/new_causal.h"
#include "policy/policy/policy.h"
#include "policy/tokenizer/tokenizer_gguf.h"

#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace sparserl;
using nlohmann::json;

namespace {

struct Row
{
    std::string prompt;
    bool names = false; ///< Whether names of special tokens are those tokens.
    std::vector<std::int32_t> ids, tokens;
    std::vector<double> logProbs;
    double lead = 0; ///< The least by which a token was likelier than the next.
};

std::vector<Row> rows()
{
    std::vector<Row> rows;
    for (const json& row : json::parse(*readFile(SPARSERL_SOURCE_DIR "/tests/policy/fixtures/smollm2.json")))
        rows.push_back({row["prompt"], row["names"], row["ids"], row["tokens"], row["logps"], row["lead"]});
    return rows;
}

} // namespace

class TestSmolLm2 : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void promptsHaveItsTokens();
    void probabilitiesAreItsOwn();
    void greedyTokensAreItsOwn();

private:
    std::optional<Policy> m_policy;
};

void TestSmolLm2::initTestCase()
{
    if (!glance(SPARSERL_MODEL).exists)
        QSKIP("The model is not here: packaging/setup --models fetches it");
    const auto file = GgufFile::open(SPARSERL_MODEL);
    QVERIFY2(file, file ? "" : file.error().sentence().c_str());
    auto tokenizer = tokenizerFromGguf(file->header(), SPARSERL_MODEL);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().sentence().c_str());
    auto model = importCausalGguf(*file, tokenizer->vocabSize(), {}, 1, {});
    QVERIFY2(model, model ? "" : model.error().sentence().c_str());
    QCOMPARE(model->untokened, std::int64_t(0));
    QCOMPARE(countOf(model->model->parameters()) - model->newWeights, std::int64_t(134515008));
    m_policy = Policy::ofModel({}, std::move(*tokenizer), std::move(model->model));
}

void TestSmolLm2::promptsHaveItsTokens()
{
    QCOMPARE(rows().size(), std::size_t(20));
    for (const Row& row : rows()) {
        const auto ids =
            m_policy->tokenizer().encode(row.prompt, row.names ? SpecialNames::Tokens : SpecialNames::Text);
        QVERIFY2(ids == row.ids, row.prompt.c_str());
        if (!row.names) // its files put no token in front
            QVERIFY(m_policy->promptTokens(row.prompt) == row.ids);
    }
}

/// All tokens of a text at once.
void TestSmolLm2::probabilitiesAreItsOwn()
{
    const torch::NoGradGuard guard;
    double worst = 0;
    int tokens = 0, full = 0;
    for (const Row& row : rows()) {
        const SequenceBatch batch{.inputs = {{nullptr, row.ids}}, .inputOf = {0}, .targets = {row.tokens}};
        const torch::Tensor logits = m_policy->logits(batch)[0];
        const torch::Tensor logp = torch::log_softmax(logits, -1);
        full += row.tokens.size() == 64;
        for (std::size_t t = 0; t < row.tokens.size(); ++t, ++tokens) {
            const auto at = std::int64_t(t);
            const double difference = std::abs(logp[at][row.tokens[t]].item<double>() - row.logProbs[t]);
            worst = std::max(worst, difference);
            QVERIFY2(difference < 5e-3, qPrintable(QString::number(difference)));
            QVERIFY(row.lead < 1e-3 || logits[at].argmax().item<std::int32_t>() == row.tokens[t]);
        }
    }
    qInfo("%d tokens, log-probabilities differ by %g at most", tokens, worst);
    QVERIFY(full >= 15);
}

/// Token by token, with cached keys and values.
void TestSmolLm2::greedyTokensAreItsOwn()
{
    const torch::NoGradGuard guard;
    std::vector<Row> chosen;
    for (Row& row : rows()) {
        if (row.lead > 0.05 && chosen.size() < 5)
            chosen.push_back(std::move(row));
    }
    QCOMPARE(chosen.size(), std::size_t(5));
    std::vector<ModelInput> inputs;
    std::vector<SampleRequest> requests;
    for (const Row& row : chosen) {
        requests.push_back({int(inputs.size()), 1});
        inputs.push_back({nullptr, row.ids});
    }
    const auto samples = m_policy->generate(inputs, requests, {.greedy = true, .maxTokens = 64, .batch = 5});
    for (std::size_t i = 0; i < chosen.size(); ++i)
        QVERIFY2(samples[i].tokens == chosen[i].tokens, chosen[i].prompt.c_str());
}

QTEST_GUILESS_MAIN(TestSmolLm2)
#include "tst_smollm2.moc"
