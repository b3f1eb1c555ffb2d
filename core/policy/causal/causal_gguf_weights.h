// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/files/gguf_file.h"
#include "policy/files/weight_files.h"

namespace sparserl {

/// A causal model from a GGUF file, with Hugging Face's tensor names and row order.
struct CausalGguf
{
    CausalConfig config;
    WeightFiles weights;
};

/// Reads the shape and the weights. Floating-point weights keep their precision; quantised weights are
/// converted to fp32.
Result<CausalGguf> readCausalGguf(const GgufFile& file, const CancelToken& cancel);

} // namespace sparserl
