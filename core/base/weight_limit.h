// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sparserl {

/// The most bytes that the weights of a policy can take by its config.json, generously; nothing where there
/// is none that says so. A file of weights that is larger is not one of this policy, and hashing it may take
/// minutes: a file of holes costs its sender nothing. An Error is this machine's.
Result<std::optional<std::uint64_t>> mostWeightBytes(const std::filesystem::path& folder);

} // namespace sparserl
