// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/matrix/matrix_tokens.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace sparserl {

/// What an imported model has not got by itself.
struct PolicyImportOptions
{
    EmbeddingConfig embedding;
    int maxTokens =
        1024; ///< Longest program; a vocabulary of many languages writes one in more tokens than ours.
    double temperature = 1.0;
    std::string chat;       ///< Name of the chat format; empty: what the model's template is recognised as.
    std::uint64_t seed = 1; ///< Of the matrix embedding's weights.
    CancelToken cancel;
};
struct PolicyImport
{
    int files = 0; ///< Weight files that were read.
    std::int64_t weights = 0;
    std::int64_t newWeights = 0; ///< Of them those of the matrix embedding.
    int vocabulary = 0;
    std::string chat;           ///< Name of the chat format, or empty.
    std::string chatIsUnknown;  ///< Why a template that is there is none that is known.
    std::int64_t untokened = 0; ///< Rows of the embedding left out, because no token has them.
};

/// Makes a policy directory `to`, which must not be there yet, of a T5, llama, qwen2 or qwen3 with a
/// byte-level BPE tokenizer in the Hugging Face directory `from`, such as CodeT5: config.json,
/// model.safetensors (or model.safetensors.index.json and its shards), and the tokenizer's files. Or of a
/// llama, qwen2 or qwen3 in the GGUF file `from`. The matrix embedding is drawn, its scale that of the token
/// embedding. Errors name the file and, where it is about one, the tensor with its shape and the one
/// expected.
Result<PolicyImport> importPolicy(const std::filesystem::path& from, const std::filesystem::path& to,
                                  const PolicyImportOptions& options);

} // namespace sparserl
