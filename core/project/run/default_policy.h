// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The word that stands for the default policy wherever a policy is named, unless a file or run has that
/// name. A run that starts from the default policy keeps this word, because an update of the program moves or
/// removes the folder.
inline constexpr std::string_view defaultPolicyName = "default";

/// The environment variable that names another folder for it.
inline constexpr const char* defaultPolicyVariable = "SPARSERL_DEFAULT_POLICY";

/// The policy directory that comes with the program: the one that SPARSERL_DEFAULT_POLICY names, or
/// share/sparserl/policy beside the folder of the running program. nullopt if there is no policy in it.
std::optional<std::filesystem::path> defaultPolicyFolder();

/// A policy as files of a project keep it: the word "default" for the folder that comes with the program,
/// else `policy` itself.
std::string keptPolicy(const std::string& policy);

/// The reverse: the folder of the default policy for the word, else `kept` itself. The word itself if there
/// is no default policy.
std::filesystem::path policyPlace(const std::string& kept);

/// SHA-256 over the files that decide what a policy writes: its shape, its tokenizer and its weights.
Result<std::string> digestOfPolicy(const std::filesystem::path& folder);

} // namespace sparserl
