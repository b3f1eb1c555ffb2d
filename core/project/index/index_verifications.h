// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Puts the verdicts of verifications.jsonl in the place of older ones on the same program and matrix, in
/// every run: lists, facets and pages then agree on the newest. Such verdicts carry the flag
/// `verified-again`. Journals stay as they are. Does nothing where neither the file nor, with `newVerdicts`,
/// the runs have changed; says whether anything did.
bool indexVerifications(sql::Database& db, const std::filesystem::path& project, bool newVerdicts,
                        std::vector<std::string>& problems);

} // namespace sparserl
