// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/files/gguf_header.h"

#include <string>

namespace sparserl {

// Conversion of causal models to and from llama.cpp's format, which uses other names for sizes and tensors
// and, for `llama`, another order of the rows of queries and keys.

/// Reads the shape from a GGUF file. `ropeFactors` is the contents of the tensor "rope_freqs.weight", the
/// divisors of the rotary frequencies; empty if the file does not have this tensor. Fails for settings that
/// are not supported.
Result<CausalConfig> causalConfigFromGguf(const GgufHeader& header, const std::vector<float>& ropeFactors);

/// Returns Hugging Face's name for the tensor `ggufName` of a family of models, or `ggufName` itself if it is
/// unknown.
std::string huggingFaceName(const std::string& modelType, const std::string& ggufName);
/// Returns the GGUF name for a Hugging Face tensor, or an empty string if there is none.
std::string ggufName(const std::string& huggingFaceName);
/// Returns whether the rows of a tensor are in GGUF's order for a family of models: the rows of a head that
/// are rotated together are 2i and 2i + 1, while they are i and i + head_dim / 2 for Hugging Face. `name` is
/// Hugging Face's name.
bool hasPairedRows(const std::string& modelType, const std::string& name);

/// Returns the contents of the tensor "rope_freqs.weight": the head_dim / 2 divisors of the frequencies for
/// Llama3 scaling. Returns none for other scalings.
std::vector<float> ropeFactorsOf(const CausalConfig& config);

} // namespace sparserl
