// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace sparserl {

/// The word that stands for the default policy wherever a policy is named, unless a file or run has that
/// name.
inline constexpr std::string_view defaultPolicyName = "default";

/// The environment variable that names another folder for it.
inline constexpr const char* defaultPolicyVariable = "SPARSERL_DEFAULT_POLICY";

/// The policy directory that comes with the program: the one that SPARSERL_DEFAULT_POLICY names, or
/// share/sparserl/policy beside the folder of the running program. nullopt if there is no policy in it.
std::optional<std::filesystem::path> defaultPolicyFolder();

} // namespace sparserl
