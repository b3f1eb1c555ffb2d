// SPDX-License-Identifier: Apache-2.0
#include "training/work/stage_memory.h"

#include "policy/model/head_rows.h"
#include "training/parameters/parameter_keys.h"

#include <algorithm>

namespace sparserl {

namespace {

constexpr double single = 4, half = 2; ///< Bytes of a number.
constexpr double momentsOfAdam = 2;
constexpr double programsAtOnce = 64;
/// Rows that read a matrix, besides those of its entries; words of a prompt; tokens of an entry in words.
constexpr double featureRows = 32, promptTokens = 128, tokensOfEntry = 12;

/// What a stage does with a policy.
struct Work
{
    double learning = 0;  ///< Programs in memory at once while it learns; 0: it does not.
    double writing = 0;   ///< Programs that are written at once.
    double maxTokens = 0; ///< Of a program.
    bool reference = false, critic = false;
};

Work workOf(StageKind kind, const ParameterSet& p, const PolicyFacts& policy)
{
    Work work;
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    const auto longest = [&](std::int64_t own) { return real(own > 0 ? own : policy.maxTokens); };
    switch (kind) {
    case StageKind::Pretrain:
        return {real(p[param::pretrain::microBatch]), 0, longest(0)};
    case StageKind::Sft:
        work = {real(p[param::sft::microBatch]), real(p[param::eval::samples]), longest(0)};
        if (p[param::sft::contrast] > 0) // each text under two matrices, all at once
            work.learning = std::max(work.learning, 2 * real(p[param::sft::batch]));
        return work;
    case StageKind::Rft:
        return {real(p[param::rft::microBatch]), real(p[param::rft::samples]),
                longest(p[param::rft::maxTokens])};
    case StageKind::Rl:
        work = {real(p[param::rl::microBatch]), real(p[param::rl::matrices] * p[param::rl::samples]),
                longest(p[param::rl::maxTokens]), true, p[param::rl::algorithm] == "ppo"};
        if (p[param::rl::sampler] == "endpoint")
            work.writing = 0;
        return work;
    case StageKind::Evaluate:
        return {0, real(p[param::evaluate::samples]), longest(p[param::evaluate::maxTokens])};
    case StageKind::Search:
        return {0, real(p[param::search::samples]), longest(0)};
    }
    return work;
}

/// Numbers that the backward pass of a layer needs for each token (Korthikanti et al. 2022, without dropout).
double keptByLayer(const PolicyFacts& policy, double number)
{
    const auto width = static_cast<double>(policy.width), queries = static_cast<double>(policy.queries);
    const auto keys = static_cast<double>(policy.keys), inner = static_cast<double>(policy.inner);
    // The residual stream is in fp32: before each of the two norms. Then what the products read: normed rows,
    // queries, keys and values, what attention gives, and four rows of a gated feed-forward part.
    return 2 * single * width + number * (2 * width + 3 * queries + 2 * keys + 4 * inner);
}

} // namespace

double StageMemory::total() const
{
    return weights + optimizer + std::max(gradients + undo + activations, cache);
}

StageMemory stageMemory(StageKind kind, const ParameterSet& parameters, const PolicyFacts& policy)
{
    const Work work = workOf(kind, parameters, policy);
    const bool isHalf =
        parameters.has(param::precision.key) && parameters[param::precision] == std::string_view("bf16");
    const double number = isHalf ? half : single;
    const bool recompute = parameters.has(param::recompute.key) && parameters[param::recompute];
    const auto layers = static_cast<double>(std::max<std::int64_t>(policy.layers, 1));
    const auto trainable = static_cast<double>(policy.trainable);
    const auto vocabulary = static_cast<double>(policy.vocabulary), width = static_cast<double>(policy.width);
    const bool learns = work.learning > 0;
    const double learningModels = learns ? (work.critic ? 2 : 1) : 0;

    StageMemory memory;
    memory.weights = static_cast<double>(policy.frozenBytes);
    memory.weights +=
        learns ? learningModels * single * trainable : static_cast<double>(policy.trainableBytes);
    if (work.reference) // and the policy before an update that is evaluated
        memory.weights += static_cast<double>(policy.trainableBytes) + single * trainable;
    memory.gradients = learningModels * single * trainable;
    memory.optimizer = momentsOfAdam * learningModels * single * trainable;
    if (kind == StageKind::Rl)
        memory.undo = (1 + momentsOfAdam) * learningModels * single * trainable;

    const double prompt = policy.textEntries > 0 ? promptTokens + tokensOfEntry * policy.textEntries
                                                 : featureRows + policy.maxEntries;
    const double tokens = prompt + work.maxTokens;
    if (learns) {
        const double rows = work.learning * tokens, kept = rows * keptByLayer(policy, number);
        // Log-probabilities of the vocabulary, the logits that they come from, and the gradient of these.
        const double predicted = work.learning * work.maxTokens;
        const auto piece = static_cast<double>(headRows(policy.vocabulary, recompute));
        const double head = 3 * single * std::min(predicted, piece) * vocabulary;
        memory.activations =
            recompute ? rows * layers * single * width + std::max(kept, head) : layers * kept + head;
        if (recompute || predicted > piece)
            memory.activations += single * width * rows;
        // Weights in another precision than that of the products are converted, and kept for the way back.
        const bool fromFp32 = policy.rank == 0 || policy.layerNumber > half;
        const double stored = fromFp32 ? single : half;
        if (stored != number)
            memory.activations +=
                number * static_cast<double>(policy.layerWeights) / (recompute ? layers : 1);
        if (policy.rank > 0 && policy.vocabularyNumber < single)
            memory.activations += single * vocabulary * width;
    }
    memory.cache = std::min(work.writing, programsAtOnce) * tokens * layers * 2 * number *
                   static_cast<double>(policy.keys);
    return memory;
}

} // namespace sparserl
