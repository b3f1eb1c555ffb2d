// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// The path of sparserl-runner: `given`, otherwise $SPARSERL_RUNNER, otherwise beside the running program or
/// in ../bin.
Result<std::filesystem::path> findRunner(const std::filesystem::path& given);

} // namespace sparserl
