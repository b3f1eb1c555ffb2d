// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <filesystem>

namespace sparserl {

/// The identity of the file at a path. Changes when the file is replaced; zeros after deletion.
struct FileIdentity
{
    std::uint64_t device = 0, inode = 0;
    bool operator==(const FileIdentity&) const = default;
};
FileIdentity identityOf(const std::filesystem::path& file);

/// SQLite's companion files of a database: the write-ahead log and the shared memory.
struct IndexCompanions
{
    FileIdentity log, shared;
    bool operator==(const IndexCompanions&) const = default;
};
IndexCompanions companionsOf(const std::filesystem::path& file);
/// Removes the companions of `file` if they are still `these`. A new database must not meet the companions of
/// another one: pages of the two would mix, and processes with the old database open would share memory that
/// SQLite clears.
void removeCompanions(const std::filesystem::path& file, const IndexCompanions& these);

/// Asks the index's keeper to rebuild it, which happens at its next look. Best effort.
void requestRebuild(const std::filesystem::path& project);
/// Returns whether a rebuild was requested, and clears the request.
bool takeRebuildRequest(const std::filesystem::path& project);
bool hasRebuildRequest(const std::filesystem::path& project);

/// Moves a damaged database and its companions aside (FILE.broken-N). It can be rebuilt, but is kept for
/// inspection.
Status quarantineIndex(const std::filesystem::path& file);

/// The path where a new index is built and, complete and closed, waits for the swap.
std::filesystem::path newIndexPath(const std::filesystem::path& file);
/// Replaces `file`, which has no writer, by the closed database at newIndexPath(). Readers with the old one
/// open keep it until their next look. finishIndexSwap() completes the swap after a crash.
Status swapIndex(const std::filesystem::path& file);
/// Completes or discards a swap that was interrupted by a crash.
Status finishIndexSwap(const std::filesystem::path& file);

} // namespace sparserl
