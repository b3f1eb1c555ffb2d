// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// What the files of a policy say about it, read without its weights.
struct PolicyFacts
{
    std::string family; ///< "t5", "llama", "qwen2", "qwen3" or "glm4".
    /// Layers of the encoder and the decoder together; width of the residual stream; numbers of all queries
    /// of a token, and of its keys; width of the feed-forward part.
    std::int64_t layers = 0, width = 0, queries = 0, keys = 0, inner = 0;
    std::int64_t vocabulary = 0; ///< Tokens of the tokenizer.
    std::int64_t weights = 0;    ///< Number of all weights.
    std::int64_t trainable = 0;  ///< Number of the weights that training changes.
    std::int64_t layerWeights = 0;
    std::uint64_t trainableBytes = 0, frozenBytes = 0; ///< As stored.
    /// Bytes of a number of the layers as stored, and of the token embedding.
    int layerNumber = 4, vocabularyNumber = 4;
    int maxTokens = 0;   ///< Length limit of a program.
    int maxEntries = 0;  ///< Entries of a matrix that the policy reads as matrix tokens; 0: none.
    int textEntries = 0; ///< Entries that it reads as text; 0: none.
    std::string chat;    ///< Name of the chat format, or empty.
    int rank = 0;        ///< Of the adapters; 0: there are none.
    std::vector<std::string> targets; ///< Layers that have adapters.
    std::string licenceFile;          ///< Name of a file with the licence, or empty.
    std::string licence;              ///< Its text.
};

/// Reads config.json, the header of model.safetensors and a licence file of a policy's folder. Takes
/// milliseconds. Fails if they are missing or damaged; the Error names the file.
Result<PolicyFacts> readPolicyFacts(const std::filesystem::path& folder);

} // namespace sparserl
