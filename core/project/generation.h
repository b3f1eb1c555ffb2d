// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// How often a run has been resumed: file generation.json of the run directory; 0 where there is none. Raised
/// after the journal's tail has been moved away and before anything new is written, so a reader that sees the
/// same generation before and after reading has read one consistent journal.
int readGeneration(const std::filesystem::path& runDirectory);
Status writeGeneration(const std::filesystem::path& runDirectory, int generation);

} // namespace sparserl
