// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/tokenizer/tokenizer.h"

namespace sparserl {

/// Reads the tokenizer of a Hugging Face directory: tokenizer.json, or else vocab.json and merges.txt with
/// the special tokens in special_tokens_map.json, added_tokens.json and tokenizer_config.json (as CodeT5,
/// which uses RoBERTa's files). The end token is "eos_token" in tokenizer_config.json or
/// special_tokens_map.json, otherwise "eos_token_id" in config.json, otherwise "</s>". The begin token is
/// "bos_token" in tokenizer_config.json if "add_bos_token" is set there, otherwise the token that
/// "post_processor" in tokenizer.json places before a text.
Result<Tokenizer> readHuggingFaceTokenizer(const std::filesystem::path& directory);

} // namespace sparserl
