// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/files/gguf_file.h"
#include "policy/files/weight_files.h"

namespace sparserl {

/// A causal model of a GGUF file, its weights under Hugging Face's names and in the order of its rows.
struct CausalGguf
{
    CausalConfig config;
    WeightFiles weights;
};

/// Reads the shape and the weights. What is stored as numbers keeps its precision; quantised weights become
/// the fp32 that they stand for.
Result<CausalGguf> readCausalGguf(const GgufFile& file, const CancelToken& cancel);

} // namespace sparserl
