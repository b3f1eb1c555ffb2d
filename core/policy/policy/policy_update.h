// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/policy/policy.h"

#include <filesystem>
#include <string>

namespace sparserl {

// Training changes the trainable weights of a policy and leaves everything else. An update file holds those
// weights, for another process that has the same policy.

/// The name of an update in its folder.
inline constexpr const char* updateFile = "update.safetensors";

/// SHA-256 over what an update leaves as it is: shape, tokenizer and frozen weights. Compute it before
/// moveTo(), which may round weights.
std::string frozenDigest(const Policy& policy);
/// SHA-256 over the trainable weights by name.
std::string trainableDigest(const Policy& policy);
/// Writes the trainable weights with both digests.
Status writeUpdate(const Policy& policy, const std::string& frozen, const std::filesystem::path& file);
/// Replaces the trainable weights, and returns their digest. Copies that share the weights change, too.
/// Fails, with the policy unchanged, for an update of another policy, for damage and for weights that are not
/// finite.
Result<std::string> readUpdate(const Policy& policy, const std::string& frozen,
                               const std::filesystem::path& file);

} // namespace sparserl
