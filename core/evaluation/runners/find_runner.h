// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// Returns the path of sparserl-runner: `given` or, if it is empty, $SPARSERL_RUNNER, or else beside the
/// running program or in ../bin. Fails if there is no such file.
Result<std::filesystem::path> findRunner(const std::filesystem::path& given);

} // namespace sparserl
