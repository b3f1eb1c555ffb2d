// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Adds the programs in programs.jsonl as candidates, with `writtenPrograms` as the id of their run. Returns
/// whether anything has changed.
bool indexWritten(sql::Database& db, const std::filesystem::path& project,
                  std::vector<std::string>& problems);

} // namespace sparserl
