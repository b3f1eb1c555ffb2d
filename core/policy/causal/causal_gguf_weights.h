// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/files/gguf_file.h"
#include "policy/files/weight_files.h"

namespace sparserl {

/// A causal model from a GGUF file, with tensors that have Hugging Face's names and order of rows.
struct CausalGguf
{
    CausalConfig config;
    WeightFiles weights;
};

/// Reads the shape and the weights of a causal model. Floating-point weights keep their precision; quantised
/// weights are converted to fp32.
Result<CausalGguf> readCausalGguf(const GgufFile& file, const CancelToken& cancel);

} // namespace sparserl
