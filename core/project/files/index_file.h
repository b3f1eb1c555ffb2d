// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <filesystem>

namespace sparserl {

/// The identity of the file at a path. It changes when the file is replaced, and is all zeros if there is no
/// file.
struct FileIdentity
{
    std::uint64_t device = 0, inode = 0;
    bool operator==(const FileIdentity&) const = default;
};
FileIdentity identityOf(const std::filesystem::path& file);

/// The identities of the two files that SQLite keeps beside a database: the write-ahead log and the shared
/// memory.
struct IndexCompanions
{
    FileIdentity log, shared;
    bool operator==(const IndexCompanions&) const = default;
};
IndexCompanions companionsOf(const std::filesystem::path& file);
/// Removes the companions of `file` if they still have the identities `these`. A new database must not be
/// opened with the companions of an old one. Pages of the two databases would mix, and processes that still
/// have the old database open would share memory that SQLite clears.
void removeCompanions(const std::filesystem::path& file, const IndexCompanions& these);

/// Asks the process that keeps the index to rebuild it. The process does so when it next updates the index.
/// Errors are ignored.
void requestRebuild(const std::filesystem::path& project);
/// Returns whether a rebuild was requested, and clears the request.
bool takeRebuildRequest(const std::filesystem::path& project);
bool hasRebuildRequest(const std::filesystem::path& project);

/// Renames a damaged database and its companions to FILE.broken-N. The index can be rebuilt, but the damaged
/// files are kept for inspection.
Status quarantineIndex(const std::filesystem::path& file);

/// Returns the path at which a new index is built. The complete and closed file stays there until
/// swapIndex().
std::filesystem::path newIndexPath(const std::filesystem::path& file);
/// Replaces `file`, which must have no writer, with the closed database at newIndexPath(). Readers that have
/// the old database open keep it until their next query. After a crash, finishIndexSwap() completes the swap.
Status swapIndex(const std::filesystem::path& file);
/// Completes or discards a swap that a crash has interrupted.
Status finishIndexSwap(const std::filesystem::path& file);

} // namespace sparserl
