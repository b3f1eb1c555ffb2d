// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/matrix/matrix_tokens.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace sparserl {

/// Settings that an imported model does not contain.
struct PolicyImportOptions
{
    EmbeddingConfig embedding;
    int maxTokens =
        1024; ///< Longest program; a vocabulary of many languages writes one in more tokens than ours.
    double temperature = 1.0;
    int textEntries = 0;    ///< PolicyConfig::textEntries
    std::string chat;       ///< Name of the chat format; empty: detected from the model's template.
    std::uint64_t seed = 1; ///< For the matrix embedding's weights.
    CancelToken cancel;
};
struct PolicyImport
{
    int files = 0; ///< Number of weight files read.
    std::int64_t weights = 0;
    std::int64_t newWeights = 0; ///< Weights of the matrix embedding among them.
    int vocabulary = 0;
    std::string chat;           ///< Name of the chat format, or empty.
    std::string chatIsUnknown;  ///< Why an existing template is not supported.
    std::int64_t untokened = 0; ///< Omitted rows of the embedding, which belong to no token.
};

/// Creates a policy directory `to`, which must not exist yet. `from` is a Hugging Face directory with a T5,
/// llama, qwen2 or qwen3 and a byte-level BPE tokenizer, such as CodeT5: config.json, model.safetensors (or
/// model.safetensors.index.json and its shards), and the tokenizer's files. It may also be a GGUF file with a
/// llama, qwen2 or qwen3. The matrix embedding is drawn with the scale of the token embedding. Errors name
/// the file and, if applicable, the tensor with its actual and expected shape.
Result<PolicyImport> importPolicy(const std::filesystem::path& from, const std::filesystem::path& to,
                                  const PolicyImportOptions& options);

} // namespace sparserl
