// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// The policy directory inside a checkpoint of a run, or `path` itself where it is one already. Also takes a
/// run directory (its latest checkpoint). Fails with a sentence where there is none.
Result<std::filesystem::path> findPolicy(const std::filesystem::path& path);

} // namespace sparserl
