// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Makes candidates of the programs of programs.jsonl, with `writtenPrograms` in the place of their run. True
/// if anything changed.
bool indexWritten(sql::Database& db, const std::filesystem::path& project,
                  std::vector<std::string>& problems);

} // namespace sparserl
