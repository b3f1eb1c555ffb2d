// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "project/index/sqlite.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

// The parts of the index built from small project files. Each reads its files only if their sizes or times
// changed, replaces its table in one transaction, and returns whether anything changed.

/// Changes whenever one of the files changes.
std::string stampOf(const std::vector<std::filesystem::path>& files);
/// Whether the index was built from files with this stamp, and the function that records the stamp.
bool unchanged(sql::Database& db, const char* key, const std::string& stamp);
void remember(sql::Database& db, const char* key, const std::string& stamp);

bool indexMatrices(sql::Database& db, const std::filesystem::path& project,
                   std::vector<std::string>& problems);
/// Reads matrices that were never read before (in a new project) and caches them, so lists can show sizes and
/// features from the next indexMatrices on. Large files are read only on request.
class MatrixScout
{
public:
    /// Works for about `seconds` and skips matrices that need more than `longest` alone. Returns true if a
    /// matrix was read, got new features, or was found unreadable (its row then gives the reason).
    bool read(sql::Database& db, const std::filesystem::path& project, double seconds,
              const CancelToken& cancel, double longest = 5);

private:
    /// Adds features unknown to older versions to the rows of cached matrices.
    bool complete(sql::Database& db, const std::filesystem::path& project, double seconds,
                  const CancelToken& cancel);

    std::set<std::string> m_incomplete;          ///< Digests whose features cannot be completed.
    std::map<std::string, std::string> m_failed; ///< Name -> stamp of the unreadable file.
};

bool indexAnnotations(sql::Database& db, const std::filesystem::path& project,
                      std::vector<std::string>& problems);
bool indexExports(sql::Database& db, const std::filesystem::path& project,
                  std::vector<std::string>& problems);

} // namespace sparserl
