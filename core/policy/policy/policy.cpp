// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy.h"

#include "policy/model/head_rows.h"

#include "policy/compute/recompute.h"
#include "policy/compute/transfer.h"
#include "policy/kernels/head_product.h"
#include "policy/kernels/token_statistics.h"
#include "policy/sampling/generate.h"
#include "policy/t5/new_t5.h"
#include "policy/tokenizer/chat_format.h"

#include "base/hash.h"

#include <algorithm>

namespace sparserl {

using torch::Tensor;

namespace {

/// Tokens of a packed batch: all of them, or those that the policy wrote.
struct PackedTokens
{
    Tensor rows;    ///< int64 [n]: in the packed batch; undefined where they are all of it
    Tensor places;  ///< int64 [n]: in [B * T]
    Tensor targets; ///< int64 [n]
};

PackedTokens tokensOf(const SequenceBatch& batch, bool observations)
{
    const std::int64_t length = batch.longest();
    std::vector<std::int64_t> rows, places, targets;
    std::int64_t row = 0;
    for (std::size_t b = 0; b < batch.targets.size(); ++b) {
        for (std::size_t t = 0; t < batch.targets[b].size(); ++t, ++row) {
            if (!observations && batch.classOf(b, t) == TokenClass::Observation)
                continue;
            rows.push_back(row);
            places.push_back(std::int64_t(b) * length + std::int64_t(t));
            targets.push_back(batch.targets[b][t]);
        }
    }
    PackedTokens tokens{{}, torch::tensor(places, torch::kInt64), torch::tensor(targets, torch::kInt64)};
    if (std::int64_t(rows.size()) != row)
        tokens.rows = torch::tensor(rows, torch::kInt64);
    return tokens;
}

/// Hidden states of those tokens.
Tensor hiddenOf(const LanguageModel& model, const SequenceBatch& batch, const PackedTokens& tokens)
{
    const Tensor hidden = model.hiddenStates(batch);
    return tokens.rows.defined() ? hidden.index_select(0, onDevice(tokens.rows, hidden.device())) : hidden;
}

/// [B, T, ...] with zeros where nothing is packed, on the CPU: what is there per token is small, and losses
/// and metrics read it number by number.
Tensor unpack(const Tensor& there, const Tensor& index, const SequenceBatch& batch)
{
    const Tensor packed = there.to(torch::kCPU);
    std::vector<std::int64_t> shape = packed.sizes().vec();
    const std::int64_t rows = std::int64_t(batch.targets.size()), length = batch.longest();
    shape[0] = rows * length;
    const Tensor flat = torch::zeros(shape, packed.options()).index_copy(0, index, packed);
    shape[0] = length;
    shape.insert(shape.begin(), rows);
    return flat.view(shape);
}

} // namespace

Policy::Policy(PolicyConfig config, Tokenizer tokenizer, std::shared_ptr<LanguageModel> model)
    : m_config(std::move(config))
    , m_tokenizer(std::move(tokenizer))
    , m_model(std::move(model))
{
}

Result<Policy> Policy::create(PolicyConfig config, T5Config shape, Tokenizer tokenizer, std::uint64_t seed)
{
    shape.vocab_size = tokenizer.vocabSize();
    SPARSERL_TRY(auto model, newT5(shape, config.embedding, seed));
    return Policy(std::move(config), std::move(tokenizer), std::move(model));
}

Policy Policy::ofModel(PolicyConfig config, Tokenizer tokenizer, std::shared_ptr<LanguageModel> model)
{
    config.embedding = model->embedding();
    return Policy(std::move(config), std::move(tokenizer), std::move(model));
}

Policy Policy::clone(bool requiresGrad) const
{
    return Policy(m_config, m_tokenizer, m_model->clone(requiresGrad));
}

void Policy::moveTo(const Compute& compute)
{
    m_model->moveTo(compute);
}

NamedTensors Policy::parameters() const
{
    return m_model->parameters();
}

std::int64_t Policy::parameterCount() const
{
    return countOf(m_model->weights());
}

std::string Policy::digest() const
{
    const torch::NoGradGuard guard;
    Hasher hasher;
    for (const auto& [name, tensor] : m_model->weights()) {
        const Tensor data = tensor.detach().to(torch::kCPU).contiguous();
        hasher.update(name);
        hasher.update(data.const_data_ptr(), data.nbytes());
    }
    return hasher.hex();
}

MatrixTokens Policy::matrixTokens(const Csr& matrix, std::uint64_t seed) const
{
    return sparserl::matrixTokens(matrix, m_config.embedding, seed);
}

ModelInput Policy::inputOf(std::shared_ptr<const MatrixTokens> matrix) const
{
    return {std::move(matrix), promptTokens(m_config.prompt)};
}

std::vector<std::int32_t> Policy::promptTokens(std::string_view prompt) const
{
    if (!m_config.chat.empty() && !prompt.empty() && m_model->beginsPrompts()) {
        while (prompt.ends_with('\n')) // lines end in a prompt, not in a message
            prompt.remove_suffix(1);
        const std::vector<ChatMessage> messages{{ChatRole::User, std::string(prompt)}};
        const auto format = ChatFormat::named(m_config.chat);
        auto rendered = format ? format->tokens(m_tokenizer, messages, true) : fail(format.error());
        TORCH_CHECK(rendered,
                    "checkChat() was not called"); // a policy's files are checked when they are read
        return std::move(*rendered);
    }
    auto tokens = m_tokenizer.encode(prompt);
    if (m_model->beginsPrompts() && m_tokenizer.begin() >= 0)
        tokens.insert(tokens.begin(), m_tokenizer.begin());
    return tokens;
}

ModelInput Policy::inputWithoutMatrix() const
{
    MatrixTokens none;
    none.count = 1;
    none.entries.resize(static_cast<std::size_t>(m_config.embedding.entryWidth()));
    none.features.resize(static_cast<std::size_t>(m_config.embedding.featureWidth()));
    return {std::make_shared<const MatrixTokens>(std::move(none)), promptTokens({})};
}

Tensor Policy::logits(const SequenceBatch& batch) const
{
    const PackedTokens tokens = tokensOf(batch, true);
    return unpack(m_model->applyHead(hiddenOf(*m_model, batch, tokens)), tokens.places, batch);
}

namespace {

/// Log-probability and entropy of each row, `piece` rows at a time. No piece's logits are kept: the way back
/// computes them again.
std::pair<Tensor, Tensor> statisticsByPieces(const LanguageModel& model, const Tensor& hidden,
                                             const Tensor& targets, double temperature, bool withEntropy,
                                             std::int64_t piece)
{
    const bool kernels = model.compute().kernels();
    const HeadWeights head = model.head();
    const Tensor weight = headOperand(head.weight);
    std::vector<Tensor> logp, entropy;
    for (std::int64_t at = 0; at < hidden.size(0); at += piece) {
        const std::int64_t rows = std::min(piece, hidden.size(0) - at);
        const auto both = [kernels, temperature, withEntropy, scale = head.scale,
                           wanted = targets.narrow(0, at, rows)](const std::vector<Tensor>& given) {
            const Tensor logits = headProduct(given[0] * scale, given[1]);
            const auto [p, h] = kernels ? fusedTokenStatistics(logits, wanted, temperature, withEntropy)
                                        : plainTokenStatistics(logits, wanted, temperature, withEntropy);
            return torch::stack({p, withEntropy ? h : torch::zeros_like(p)});
        };
        const Tensor found = recomputed(both, {hidden.narrow(0, at, rows), weight});
        logp.push_back(found[0]);
        entropy.push_back(found[1]);
    }
    return {torch::cat(logp), withEntropy ? torch::cat(entropy) : Tensor()};
}

} // namespace

std::vector<Sample> Policy::generate(const std::vector<ModelInput>& inputs,
                                     const std::vector<SampleRequest>& requests,
                                     const SamplingOptions& options, const TokenHook& hook,
                                     const CancelToken& cancel, const std::function<void()>& reading) const
{
    SamplingOptions ending = options;
    ending.end = m_tokenizer.end();
    return sparserl::generate(*m_model, inputs, requests, ending, hook, cancel, reading);
}

TokenStatistics Policy::tokenStatistics(const SequenceBatch& batch, double temperature,
                                        bool withEntropy) const
{
    const PackedTokens tokens = tokensOf(batch, false);
    const Tensor hidden = hiddenOf(*m_model, batch, tokens);
    const Tensor targets = onDevice(tokens.targets, hidden.device());
    const auto statistics = [&] {
        const bool recompute = m_model->compute().recompute;
        const std::int64_t piece = headRows(vocabSize(), recompute);
        if (hidden.size(0) > piece || (recompute && hidden.size(0) > 0))
            return statisticsByPieces(*m_model, hidden, targets, temperature, withEntropy, piece);
        const Tensor logits = m_model->applyHead(hidden);
        return m_model->compute().kernels() ? fusedTokenStatistics(logits, targets, temperature, withEntropy)
                                            : plainTokenStatistics(logits, targets, temperature, withEntropy);
    };
    const auto [logp, entropy] = statistics();
    TokenStatistics result;
    result.logProbs = unpack(logp, tokens.places, batch);
    if (withEntropy)
        result.entropy = unpack(entropy, tokens.places, batch);
    result.mask = learnedMask(batch);
    return result;
}

Critic::Critic(std::shared_ptr<LanguageModel> model)
    : m_model(std::move(model))
{
}

Critic Critic::fromPolicy(const Policy& policy, std::uint64_t seed)
{
    return Critic(policy.model().withValueHead(seed));
}

Critic Critic::clone(bool requiresGrad) const
{
    return Critic(m_model->clone(requiresGrad));
}

void Critic::moveTo(const Compute& compute)
{
    m_model->moveTo(compute);
}

Tensor Critic::values(const SequenceBatch& batch) const
{
    const PackedTokens tokens = tokensOf(batch, false);
    const Tensor values = m_model->applyHead(hiddenOf(*m_model, batch, tokens)).squeeze(-1);
    return unpack(values, tokens.places, batch);
}

NamedTensors Critic::parameters() const
{
    return m_model->parameters();
}

std::int64_t Critic::parameterCount() const
{
    return countOf(parameters());
}

Tensor tokenLogProbs(const Tensor& logits, const Tensor& targets, double temperature)
{
    const Tensor scaled = logits.to(torch::kFloat32) / temperature;
    return torch::log_softmax(scaled, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1);
}

Tensor tokenEntropy(const Tensor& logits, double temperature)
{
    const Tensor scaled = logits.to(torch::kFloat32) / temperature;
    return torch::logsumexp(scaled, -1) - (torch::softmax(scaled, -1) * scaled).sum(-1);
}

} // namespace sparserl
