// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Replaces older verdicts in every run with newer ones on the same program and matrix from
/// verifications.jsonl, so that lists, facets and pages show the same verdict. The new verdicts have the flag
/// `verified-again`. Journals do not change. Does nothing if the file has not changed, unless `newVerdicts`
/// says that runs have new verdicts. Returns whether anything has changed.
bool indexVerifications(sql::Database& db, const std::filesystem::path& project, bool newVerdicts,
                        std::vector<std::string>& problems);

} // namespace sparserl
