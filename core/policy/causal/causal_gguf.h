// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/files/gguf_header.h"

#include <string>

namespace sparserl {

// Causal models as llama.cpp's files have them: other names of sizes and tensors, and rows of queries and
// keys of `llama` in another order.

/// The shape that a GGUF file describes. `ropeFactors`: the numbers of its tensor "rope_freqs.weight", by
/// which the frequencies of positions are divided, or empty. Refuses in a sentence what would be computed
/// otherwise.
Result<CausalConfig> causalConfigFromGguf(const GgufHeader& header, const std::vector<float>& ropeFactors);

/// Hugging Face's name of a tensor; its own where that is not known.
std::string huggingFaceName(const std::string& ggufName);
/// GGUF's name of a tensor of Hugging Face's; empty where there is none.
std::string ggufName(const std::string& huggingFaceName);
/// Whether rows of a tensor stand in pairs (2i, 2i + 1) of each head in a GGUF file of this family, where
/// Hugging Face's are (i, i + head_dim / 2). `name` is Hugging Face's.
bool hasPairedRows(const std::string& modelType, const std::string& name);

/// What a Llama3 scaling divides frequencies by, for the tensor "rope_freqs.weight" of head_dim / 2 numbers;
/// empty for others.
std::vector<float> ropeFactorsOf(const CausalConfig& config);

} // namespace sparserl
