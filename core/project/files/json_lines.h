// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace sparserl {

/// The objects in a file to which several processes append lines, in order; none if the file does not exist.
/// Skips incomplete lines of crashed processes.
Result<std::vector<nlohmann::json>> readJsonLines(const std::filesystem::path& file);

} // namespace sparserl
