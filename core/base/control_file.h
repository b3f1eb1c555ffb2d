// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

// Files that say how a project, a run or a checkpoint stands. They are small, but others may have written
// them: one that never ends must not take the memory of who looks at it.
namespace sparserl {

/// Bytes. The longest of them names all matrices of a project, with what was wrong in their files.
inline constexpr std::uint64_t controlFileLimit = std::uint64_t(16) << 20;

/// readFile() up to controlFileLimit; beyond, an Error.
Result<std::string> readControlFile(const std::filesystem::path& path);
/// The same as JSON.
Result<nlohmann::json> readControlJson(const std::filesystem::path& path);

} // namespace sparserl
