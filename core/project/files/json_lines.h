// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace sparserl {

/// Reads the JSON objects in a file to which several processes append lines. Returns them in the order of the
/// lines, or none if the file does not exist. Skips incomplete lines of crashed processes.
Result<std::vector<nlohmann::json>> readJsonLines(const std::filesystem::path& file);

} // namespace sparserl
