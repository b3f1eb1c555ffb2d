// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/policy/policy.h"

#include <filesystem>
#include <string>

namespace sparserl {

// Training changes only the trainable weights of a policy. An update file contains these weights, for another
// process that has the same policy.

/// The name of an update file.
inline constexpr const char* updateFile = "update.safetensors";

/// Returns the SHA-256 over the parts of a policy that an update does not change: shape, tokenizer and frozen
/// weights. Call it before moveTo(), which may round weights.
std::string frozenDigest(const Policy& policy);
/// Returns the SHA-256 over the names and values of the trainable weights.
std::string trainableDigest(const Policy& policy);
/// Writes an update file with the trainable weights and both digests. `frozen` is the result of
/// frozenDigest().
Status writeUpdate(const Policy& policy, const std::string& frozen, const std::filesystem::path& file);
/// Replaces the trainable weights of a policy by those in an update file, and returns their digest. Copies
/// that share the weights change, too. If the update belongs to another policy, is damaged or contains
/// numbers that are not finite, fails and leaves the policy unchanged.
Result<std::string> readUpdate(const Policy& policy, const std::string& frozen,
                               const std::filesystem::path& file);

} // namespace sparserl
