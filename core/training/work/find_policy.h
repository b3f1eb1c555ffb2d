// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// The policy directory of `path`: `path` itself, or the one in a checkpoint or in the latest checkpoint of a
/// run directory. Fails if there is none.
Result<std::filesystem::path> findPolicy(const std::filesystem::path& path);

} // namespace sparserl
