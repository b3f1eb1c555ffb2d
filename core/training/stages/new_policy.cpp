// SPDX-License-Identifier: Apache-2.0
#include "training/stages/new_policy.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "training/parameters/parameter_keys.h"

#include <algorithm>

namespace sparserl {

Result<NewPolicy> newPolicyShape(const StageContext& context)
{
    const auto& p = context.parameters();
    NewPolicy made;
    auto& [t5, config] = made;
    t5.vocab_size = static_cast<int>(p[param::tokenizer::vocabulary]);
    t5.d_model = static_cast<int>(p[param::policy::dModel]);
    t5.d_kv = static_cast<int>(p[param::policy::dKv]);
    t5.d_ff = static_cast<int>(p[param::policy::dFf]);
    t5.num_layers = static_cast<int>(p[param::policy::encoderLayers]);
    t5.num_decoder_layers = static_cast<int>(p[param::policy::decoderLayers]);
    t5.num_heads = static_cast<int>(p[param::policy::heads]);
    SPARSERL_TRY(auto mode, embeddingModeFromName(p[param::policy::embedding]));
    config.embedding.mode = mode;
    config.embedding.maxEntries = static_cast<int>(p[param::policy::maxEntries]);
    if (mode == EmbeddingMode::MaxMin) {
        for (const auto* matrix : context.matrices(false)) {
            config.embedding.maxRows = std::max(config.embedding.maxRows, matrix->target.matrix->rows);
            config.embedding.maxCols = std::max(config.embedding.maxCols, matrix->target.matrix->cols);
        }
    }
    config.generation.maxTokens = static_cast<int>(p[param::policy::maxTokens]);
    SPARSERL_CHECK(t5.check());
    SPARSERL_CHECK(config.embedding.check());
    return made;
}

Result<Policy> newPolicy(const StageContext& context, std::span<const std::string> texts)
{
    const auto& p = context.parameters();
    SPARSERL_TRY(const auto made, newPolicyShape(context));
    TokenizerOptions options;
    options.vocabSize = static_cast<int>(p[param::tokenizer::vocabulary]);
    options.preTokenizer = p[param::tokenizer::pieces] == "gpt2" ? PreTokenizer::Gpt2 : PreTokenizer::Code;
    auto trained = Tokenizer::train(texts, options, context.cancel());
    if (context.any(!trained && isInterruption(trained.error())))
        return fail(interruption());
    SPARSERL_TRY(auto tokenizer, std::move(trained));
    const auto seed = Rng(static_cast<std::uint64_t>(p[param::seed])).derive("policy").next();
    return Policy::create(made.config, made.t5, std::move(tokenizer), seed);
}

} // namespace sparserl
