// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/files/gguf_header.h"
#include "policy/tokenizer/tokenizer.h"

namespace sparserl {

/// The tokenizer that the metadata of a GGUF file describes: a byte-level BPE, whose rules it only names
/// (named_rules.h). Tokens that the file calls unused, behind all others, are left out. Its end is
/// "tokenizer.ggml.eos_token_id", its begin "tokenizer.ggml.bos_token_id" where the file or the
/// rules of that name have one in front of texts.
Result<Tokenizer> tokenizerFromGguf(const GgufHeader& header, const std::string& file);

class GgufWriter;
/// Adds the values that describe a tokenizer for a vocabulary of so many tokens: tokenizerFromGguf reads the
/// same one. Refuses one whose rules have no name there.
Status addTokenizer(GgufWriter& writer, const Tokenizer& tokenizer, int vocabulary);

/// The tokenizer of a GGUF file, of a policy or of a Hugging Face directory.
Result<Tokenizer> readTokenizer(const std::filesystem::path& path);

} // namespace sparserl
