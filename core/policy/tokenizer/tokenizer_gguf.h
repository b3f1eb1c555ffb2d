// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/files/gguf_header.h"
#include "policy/tokenizer/tokenizer.h"

namespace sparserl {

/// Reads the tokenizer from the metadata of a GGUF file. It must be a byte-level BPE; the file contains only
/// the name of its rules (named_rules.h). Leaves out tokens at the end of the vocabulary that the file marks
/// as unused. The end token is "tokenizer.ggml.eos_token_id". The begin token is
/// "tokenizer.ggml.bos_token_id" if the file or the rules place a token before texts.
Result<Tokenizer> tokenizerFromGguf(const GgufHeader& header, const std::string& file);

class GgufWriter;
/// Adds a tokenizer to the metadata of a GGUF file whose model has a vocabulary of `vocabulary` tokens.
/// tokenizerFromGguf() can read it. Fails for a tokenizer whose rules have no GGUF name.
Status addTokenizer(GgufWriter& writer, const Tokenizer& tokenizer, int vocabulary);

/// Reads the tokenizer of a GGUF file, a policy or a Hugging Face directory.
Result<Tokenizer> readTokenizer(const std::filesystem::path& path);

} // namespace sparserl
