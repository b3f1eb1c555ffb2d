// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/sqlite.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

// The parts of the index that come from small files of the project. Each reads its files only if their sizes
// or times changed, replaces its table in one transaction, and says whether anything changed.

bool indexMatrices(sql::Database& db, const std::filesystem::path& project,
                   std::vector<std::string>& problems);
bool indexAnnotations(sql::Database& db, const std::filesystem::path& project,
                      std::vector<std::string>& problems);
bool indexExports(sql::Database& db, const std::filesystem::path& project,
                  std::vector<std::string>& problems);

} // namespace sparserl
