// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/lora_config.h"
#include "policy/policy/policy.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

// Low-rank adapters of causal policies. In a policy with adapters, only the adapters and the matrix embedding
// are trained; copies share its other weights. Other families are refused.

/// A policy with new adapters on the weights of `base`. They are initialised as in PEFT, A uniformly within 1
/// / sqrt(inputs) and B with zeros, so the policy computes the same as `base`. Refuses a `base` with adapters
/// and a target that matches no layer.
Result<Policy> withAdapters(const Policy& base, LoraConfig lora, std::uint64_t seed);
/// The same with the adapters of a PEFT directory (adapter_config.json, adapter_model.safetensors).
Result<Policy> withPeftAdapters(const Policy& base, const std::filesystem::path& directory);
/// Writes the adapters in PEFT's format to a new directory.
Status writePeftAdapters(const Policy& policy, const std::filesystem::path& directory);
/// An equivalent policy without adapters: they are added to the weights, which keep their precision.
Result<Policy> mergedPolicy(const Policy& policy);

} // namespace sparserl
