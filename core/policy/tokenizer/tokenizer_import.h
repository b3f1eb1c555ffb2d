// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/tokenizer/tokenizer.h"

namespace sparserl {

/// The tokenizer of a Hugging Face directory: tokenizer.json, or vocab.json and merges.txt with what
/// special_tokens_map.json, added_tokens.json and tokenizer_config.json say of special tokens (CodeT5's are
/// RoBERTa's files). Names of special tokens in a text stay text.
Result<Tokenizer> readHuggingFaceTokenizer(const std::filesystem::path& directory);

} // namespace sparserl
