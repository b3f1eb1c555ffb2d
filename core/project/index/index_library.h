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

// The parts of the index that come from small files of the project. Each reads its files only if their sizes
// or times changed, replaces its table in one transaction, and says whether anything changed.

/// Changes when one of the files does.
std::string stampOf(const std::vector<std::filesystem::path>& files);
/// Whether the index was made of what has this stamp, and the note that it now is.
bool unchanged(sql::Database& db, const char* key, const std::string& stamp);
void remember(sql::Database& db, const char* key, const std::string& stamp);

bool indexMatrices(sql::Database& db, const std::filesystem::path& project,
                   std::vector<std::string>& problems);
/// Reads matrices that nobody has read yet (a fresh project), so that lists can show their sizes and
/// features; they go into the cache, and the next indexMatrices sees them. Large files are left until
/// somebody asks for them.
class MatrixScout
{
public:
    /// Goes on for about `seconds`; a matrix that takes more than `longest` by itself is left. True if any
    /// was read or got features that it had not, or was found to be unreadable (its row then says why).
    bool read(sql::Database& db, const std::filesystem::path& project, double seconds,
              const CancelToken& cancel, double longest = 5);

private:
    /// Adds features that older versions did not know to the rows of matrices that are in the cache.
    bool complete(sql::Database& db, const std::filesystem::path& project, double seconds,
                  const CancelToken& cancel);

    std::set<std::string> m_incomplete;          ///< Digests whose features cannot be completed.
    std::map<std::string, std::string> m_failed; ///< Name -> stamp of the file that could not be read.
};

bool indexAnnotations(sql::Database& db, const std::filesystem::path& project,
                      std::vector<std::string>& problems);
bool indexExports(sql::Database& db, const std::filesystem::path& project,
                  std::vector<std::string>& problems);

} // namespace sparserl
