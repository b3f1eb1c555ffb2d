// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/tokenizer/tokenizer.h"

namespace sparserl {

/// The tokenizer of a Hugging Face directory: tokenizer.json, or vocab.json and merges.txt with what
/// special_tokens_map.json, added_tokens.json and tokenizer_config.json say of special tokens (CodeT5's are
/// RoBERTa's files). Its end is the "eos_token" of tokenizer_config.json or special_tokens_map.json, else the
/// "eos_token_id" of config.json, else "</s>". Its begin is the "bos_token" of tokenizer_config.json where
/// that sets "add_bos_token", else what "post_processor" of tokenizer.json puts in front of a text.
Result<Tokenizer> readHuggingFaceTokenizer(const std::filesystem::path& directory);

} // namespace sparserl
