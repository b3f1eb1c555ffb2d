// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/policy/policy.h"

#include <filesystem>

namespace sparserl {

/// Writes the language model of a causal policy, without its matrix embedding, and its tokenizer to a new
/// directory that Hugging Face's transformers reads: config.json, model.safetensors, tokenizer.json,
/// tokenizer_config.json with the chat template, and generation_config.json if the model came with one.
/// Adapters are merged into the weights. Weights keep their values and their precision. Fails for policies of
/// other families.
Status writeHuggingFace(const Policy& policy, const std::filesystem::path& directory);

} // namespace sparserl
