// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The word that stands for the default policy wherever a policy is named, unless a file or a run has that
/// name. A run that starts from the default policy stores this word, because an update of the program may
/// move or remove the policy's folder.
inline constexpr std::string_view defaultPolicyName = "default";

/// The environment variable that names another folder for the default policy.
inline constexpr const char* defaultPolicyVariable = "SPARSERL_DEFAULT_POLICY";

/// Returns the folder of the default policy: the folder that SPARSERL_DEFAULT_POLICY names, or else
/// share/sparserl/policy beside the folder of the running program. Returns nullopt if that folder contains no
/// policy.
std::optional<std::filesystem::path> defaultPolicyFolder();

/// Converts the name of a policy to the form in which the files of a project store it: the word "default" for
/// the folder of the default policy, otherwise `policy` itself.
std::string keptPolicy(const std::string& policy);

/// Converts the stored form back: returns the folder of the default policy for the word "default", otherwise
/// `kept` itself. If there is no default policy, returns `kept` even for the word.
std::filesystem::path policyPlace(const std::string& kept);

/// Returns the SHA-256 over the files that determine what a policy writes: its shape, its tokenizer and its
/// weights.
Result<std::string> digestOfPolicy(const std::filesystem::path& folder);

} // namespace sparserl
