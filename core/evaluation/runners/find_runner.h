// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// sparserl-runner: `given`, else $SPARSERL_RUNNER, else beside the running program or in ../bin.
Result<std::filesystem::path> findRunner(const std::filesystem::path& given);

} // namespace sparserl
