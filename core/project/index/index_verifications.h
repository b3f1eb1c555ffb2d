// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Replaces older verdicts on the same program and matrix in every run by those of verifications.jsonl, so
/// lists, facets and pages agree on the newest. Such verdicts have the flag `verified-again`. Journals do not
/// change. Does nothing if neither the file nor, with `newVerdicts`, the runs have changed. Returns whether
/// anything changed.
bool indexVerifications(sql::Database& db, const std::filesystem::path& project, bool newVerdicts,
                        std::vector<std::string>& problems);

} // namespace sparserl
