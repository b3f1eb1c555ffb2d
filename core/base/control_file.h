// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

// Files that hold the state of a project, a run or a checkpoint. They are small, but other people may have
// written them. The size limit keeps an endless file from exhausting the reader's memory.
namespace sparserl {

/// The limit in bytes. The largest control file lists all matrices of a project and the faults in their
/// files.
inline constexpr std::uint64_t controlFileLimit = std::uint64_t(16) << 20;

/// readFile() with a limit of controlFileLimit bytes. A larger file is an Error.
Result<std::string> readControlFile(const std::filesystem::path& path);
/// Reads a control file and parses it as JSON.
Result<nlohmann::json> readControlJson(const std::filesystem::path& path);

} // namespace sparserl
