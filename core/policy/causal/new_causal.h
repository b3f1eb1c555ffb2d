// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/files/gguf_file.h"
#include "policy/model/imported_model.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace sparserl {

/// Creates a causal model with the weights in a policy's file. Fails if the file does not match the shape.
Result<std::shared_ptr<LanguageModel>> readCausal(const CausalConfig& config,
                                                  const EmbeddingConfig& embedding, ModelHead head,
                                                  const std::filesystem::path& weights);

/// Creates a causal model with the weights in a Hugging Face directory, in the precision in which they are
/// stored, for a vocabulary of `tokens`. Draws the matrix embedding from `seed`, with the scale of the token
/// embedding.
Result<ImportedModel> importCausal(const std::filesystem::path& from, CausalConfig config, int tokens,
                                   const EmbeddingConfig& embedding, std::uint64_t seed,
                                   const CancelToken& cancel);

/// Creates a causal model with the weights in a GGUF file in the same way. Quantised weights become fp32;
/// other weights keep their precision.
Result<ImportedModel> importCausalGguf(const GgufFile& from, int tokens, const EmbeddingConfig& embedding,
                                       std::uint64_t seed, const CancelToken& cancel);

} // namespace sparserl
