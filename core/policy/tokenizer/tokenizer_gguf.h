// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/files/gguf_header.h"
#include "policy/tokenizer/tokenizer.h"

namespace sparserl {

/// The tokenizer in the metadata of a GGUF file: a byte-level BPE, whose rules the file only names
/// (named_rules.h). Omits trailing tokens that the file marks as unused. The end token is
/// "tokenizer.ggml.eos_token_id". The begin token is "tokenizer.ggml.bos_token_id" if the file or the named
/// rules place one before texts.
Result<Tokenizer> tokenizerFromGguf(const GgufHeader& header, const std::string& file);

class GgufWriter;
/// Adds the metadata of a tokenizer for a vocabulary of `vocabulary` tokens; tokenizerFromGguf reads it back.
/// Refuses a tokenizer whose rules have no GGUF name.
Status addTokenizer(GgufWriter& writer, const Tokenizer& tokenizer, int vocabulary);

/// The tokenizer of a GGUF file, a policy or a Hugging Face directory.
Result<Tokenizer> readTokenizer(const std::filesystem::path& path);

} // namespace sparserl
