// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace sparserl {

/// The objects of a file that several processes append lines to, in order; none where there is no file. What
/// a crashed process left is no object and is passed over: what follows still counts.
Result<std::vector<nlohmann::json>> readJsonLines(const std::filesystem::path& file);

} // namespace sparserl
