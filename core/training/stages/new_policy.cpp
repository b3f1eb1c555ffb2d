// SPDX-License-Identifier: Apache-2.0
#include "training/stages/new_policy.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "training/parameters/parameter_keys.h"

#include <algorithm>

namespace sparserl {

Result<PolicyConfig> newPolicyConfig(const StageContext& context)
{
    const auto& p = context.parameters();
    PolicyConfig config;
    config.t5.vocab_size = static_cast<int>(p[param::tokenizer::vocabulary]);
    config.t5.d_model = static_cast<int>(p[param::policy::dModel]);
    config.t5.d_kv = static_cast<int>(p[param::policy::dKv]);
    config.t5.d_ff = static_cast<int>(p[param::policy::dFf]);
    config.t5.num_layers = static_cast<int>(p[param::policy::encoderLayers]);
    config.t5.num_decoder_layers = static_cast<int>(p[param::policy::decoderLayers]);
    config.t5.num_heads = static_cast<int>(p[param::policy::heads]);
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
    SPARSERL_CHECK(config.t5.check());
    SPARSERL_CHECK(config.embedding.check());
    return config;
}

Result<Policy> newPolicy(const StageContext& context, std::span<const std::string> texts)
{
    const auto& p = context.parameters();
    SPARSERL_TRY(auto config, newPolicyConfig(context));
    TokenizerOptions options;
    options.vocabSize = static_cast<int>(p[param::tokenizer::vocabulary]);
    options.preTokenizer = p[param::tokenizer::pieces] == "gpt2" ? PreTokenizer::Gpt2 : PreTokenizer::Code;
    auto trained = Tokenizer::train(texts, options, context.cancel());
    if (context.any(!trained && isInterruption(trained.error())))
        return fail(interruption());
    SPARSERL_TRY(auto tokenizer, std::move(trained));
    const auto seed = Rng(static_cast<std::uint64_t>(p[param::seed])).derive("policy").next();
    return Policy::create(config, std::move(tokenizer), seed);
}

} // namespace sparserl
