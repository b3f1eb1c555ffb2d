// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/matrix/matrix_tokens.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace sparserl {

/// Settings of a new policy that an imported model does not contain.
struct PolicyImportOptions
{
    EmbeddingConfig embedding;
    /// Maximum length of a program. With a vocabulary for many languages, programs need more tokens than with
    /// ours.
    int maxTokens = 1024;
    double temperature = 1.0;
    int textEntries = 0;    ///< PolicyConfig::textEntries
    std::string chat;       ///< Name of the chat format; empty: it is detected from the model's template.
    std::uint64_t seed = 1; ///< Seed for the weights of the matrix embedding.
    CancelToken cancel;
};
struct PolicyImport
{
    int files = 0; ///< Number of weight files that were read.
    std::int64_t weights = 0;
    std::int64_t newWeights = 0; ///< How many of the weights belong to the matrix embedding.
    int vocabulary = 0;
    std::string chat;          ///< Name of the chat format, or empty.
    std::string chatIsUnknown; ///< Why the chat template of the model is not supported; empty if it is, or if
                               ///< there is none.
    /// Number of rows of the token embedding that belong to no token and were left out.
    std::int64_t untokened = 0;
};

/// Converts a model to a policy directory `to`, which must not exist yet. `from` is a GGUF file with a llama,
/// qwen2, qwen3 or glm4 model, or a Hugging Face directory with a T5 or such a model, such as CodeT5.
/// The directory must contain config.json, model.safetensors (or model.safetensors.index.json and its
/// shards), and the files of a tokenizer (readHuggingFaceTokenizer()). The matrix embedding is drawn with the
/// scale of the token embedding. Errors name the file and, if a tensor is wrong, the tensor with its actual
/// and its expected shape.
Result<PolicyImport> importPolicy(const std::filesystem::path& from, const std::filesystem::path& to,
                                  const PolicyImportOptions& options);

} // namespace sparserl
