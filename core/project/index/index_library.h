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

// The functions index...() fill the tables that are built from small files of a project. Each reads its files
// only if their sizes or times have changed, replaces its table in one transaction, and returns whether
// anything has changed.

/// Returns a text that changes whenever one of the files changes.
std::string stampOf(const std::vector<std::filesystem::path>& files);
/// unchanged() returns whether the index was built from files with this stamp; remember() records the stamp.
bool unchanged(sql::Database& db, const char* key, const std::string& stamp);
void remember(sql::Database& db, const char* key, const std::string& stamp);

bool indexMatrices(sql::Database& db, const std::filesystem::path& project,
                   std::vector<std::string>& problems);
/// Reads matrices that have never been read, as in a new project, and caches them. After the next
/// indexMatrices(), lists can show their sizes and features. Large files are left until the user asks for
/// them.
class MatrixScout
{
public:
    /// Works for about `seconds`. Skips matrices that would take more than `longest` seconds each. Returns
    /// true if a matrix was read, got new features, or was found to be unreadable; its row then gives the
    /// reason.
    bool read(sql::Database& db, const std::filesystem::path& project, double seconds,
              const CancelToken& cancel, double longest = 5);

private:
    /// Completes the rows of cached matrices with features that older versions did not compute.
    bool complete(sql::Database& db, const std::filesystem::path& project, double seconds,
                  const CancelToken& cancel);

    std::set<std::string> m_incomplete;          ///< Digests whose features cannot be completed.
    std::map<std::string, std::string> m_failed; ///< Stamps of unreadable files, by name of the matrix.
};

bool indexAnnotations(sql::Database& db, const std::filesystem::path& project,
                      std::vector<std::string>& problems);
bool indexExports(sql::Database& db, const std::filesystem::path& project,
                  std::vector<std::string>& problems);

} // namespace sparserl
