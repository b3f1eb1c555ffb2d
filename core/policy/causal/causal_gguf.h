// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/files/gguf_header.h"

#include <string>

namespace sparserl {

// Causal models in llama.cpp's format: other names of sizes and tensors, and for `llama` another order of
// query and key rows.

/// The shape described by a GGUF file. `ropeFactors`: the contents of the tensor "rope_freqs.weight", which
/// divide the position frequencies, or empty. Refuses unsupported settings.
Result<CausalConfig> causalConfigFromGguf(const GgufHeader& header, const std::vector<float>& ropeFactors);

/// Hugging Face's name of a tensor, or `ggufName` if it is unknown.
std::string huggingFaceName(const std::string& ggufName);
/// GGUF's name of a Hugging Face tensor, or empty if there is none.
std::string ggufName(const std::string& huggingFaceName);
/// Whether a tensor's rows are stored in pairs (2i, 2i + 1) per head in a GGUF file of this family. Hugging
/// Face stores the pairs (i, i + head_dim / 2). `name` is Hugging Face's.
bool hasPairedRows(const std::string& modelType, const std::string& name);

/// The divisors of the frequencies under Llama3 scaling, for the tensor "rope_freqs.weight" with head_dim / 2
/// numbers. Empty for other scalings.
std::vector<float> ropeFactorsOf(const CausalConfig& config);

} // namespace sparserl
