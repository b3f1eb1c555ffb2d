// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/lora_config.h"
#include "policy/policy/policy.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

// Low-rank adapters of causal policies. What learns of a policy with adapters are those and the matrix
// embedding; its other weights stay, and copies of it share them. Refused are other families.

/// A policy with new adapters on the weights of `base`. They are drawn as PEFT draws them, A uniformly within
/// 1 / sqrt(inputs), B zero: it computes what `base` does. Refused where `base` has adapters, and a target
/// that no layer has.
Result<Policy> withAdapters(const Policy& base, LoraConfig lora, std::uint64_t seed);
/// The same with the adapters that a directory of PEFT's holds (adapter_config.json,
/// adapter_model.safetensors).
Result<Policy> withPeftAdapters(const Policy& base, const std::filesystem::path& directory);
/// Writes the adapters as PEFT does, into a directory that must not be there yet.
Status writePeftAdapters(const Policy& policy, const std::filesystem::path& directory);
/// A policy without adapters that computes the same: they are added to the weights, which keep their
/// precision.
Result<Policy> mergedPolicy(const Policy& policy);

} // namespace sparserl
