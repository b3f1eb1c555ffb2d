// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/lora_config.h"
#include "policy/policy/policy.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

// Low-rank adapters of causal policies. In a policy with adapters, only the adapters and the matrix embedding
// are trained; copies share its other weights. The functions fail for policies of other families.

/// Returns a policy that shares the weights of `base` and has new adapters. They are initialised as in PEFT:
/// A is uniform within +-1 / sqrt(inputs) and B is zero, so the policy computes the same as `base`. Without
/// targets, all linear layers of the blocks are adapted. Fails if `base` has adapters, or if a target matches
/// no layer.
Result<Policy> withAdapters(const Policy& base, LoraConfig lora, std::uint64_t seed);
/// Returns a policy that shares the weights of `base` and has the adapters of a PEFT directory
/// (adapter_config.json, adapter_model.safetensors).
Result<Policy> withPeftAdapters(const Policy& base, const std::filesystem::path& directory);
/// The adapter of a layer.
struct AdapterWeights
{
    std::string layer;      ///< "model.layers.3.mlp.up_proj"
    torch::Tensor down, up; ///< A [rank, inputs] and B [outputs, rank]
};
/// Returns the adapters in the order of the layers. Fails if the policy has none.
Result<std::vector<AdapterWeights>> adaptersOf(const Policy& policy);
/// Writes the adapters in PEFT's format to a new directory.
Status writePeftAdapters(const Policy& policy, const std::filesystem::path& directory);
/// Returns an equivalent policy without adapters. The adapters are added to the weights, which keep their
/// precision.
Result<Policy> mergedPolicy(const Policy& policy);

} // namespace sparserl
