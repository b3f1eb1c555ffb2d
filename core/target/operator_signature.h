// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "target/work_tensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a program for an operator must know about the operator's graph at one size, but not what the graph
/// computes.
struct OperatorSignature
{
    std::string digest; ///< Identifies the function, without names: graphDigest() in operator/graph.
    /// The inputs of `forward`, then parameters, buffers and constants, then the outputs, under their names
    /// in plans.
    std::vector<WorkTensor> tensors;
    double flops = 0;                 ///< As in GraphFacts.
    std::int64_t compulsoryBytes = 0; ///< As in GraphFacts.

    const WorkTensor* find(std::string_view name) const; ///< Returns nullptr if there is no such tensor.
    bool operator==(const OperatorSignature&) const = default;
};

/// Returns the name of an output in plans: "out", or "out0", "out1" ... if there are several.
std::string outputName(std::size_t index, std::size_t count);

/// Returns a sentence that says why a tensor cannot have this name in plans, or an empty text if it can. A
/// name consists of words with dots between them ("x", "layers.0.weight").
std::string problemOfTensorName(std::string_view name);

/// Returns the signature as text, for another process.
std::string formatSignature(const OperatorSignature& signature);
/// Reads what formatSignature() wrote. Checks every invariant, because the text comes from another process:
/// names can be written in plans and are distinct, there is an output, and no tensor has more than 2^36
/// elements.
Result<OperatorSignature> parseSignature(std::string_view text);

} // namespace sparserl
