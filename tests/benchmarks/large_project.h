// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// A project of 1,000 runs, 10,000,000 metric points and 1,000,000 programs at `path`: run directories with
/// the least that a run needs, indexed as any other; the rest is put into the index by SQL. Does nothing
/// where it is there already. Takes minutes and about two gigabytes.
Status makeLargeProject(const std::filesystem::path& path);

} // namespace sparserl
