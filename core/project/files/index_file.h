// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <filesystem>

namespace sparserl {

/// Which file a path names now: another after it was replaced, none (zeros) after it was deleted.
struct FileIdentity
{
    std::uint64_t device = 0, inode = 0;
    bool operator==(const FileIdentity&) const = default;
};
FileIdentity identityOf(const std::filesystem::path& file);

/// What SQLite keeps beside a database: the write-ahead log, and the memory that its users share.
struct IndexCompanions
{
    FileIdentity log, shared;
    bool operator==(const IndexCompanions&) const = default;
};
IndexCompanions companionsOf(const std::filesystem::path& file);
/// Removes those of `file` that are still these. A database that is made or put there must not meet the
/// companions of another: its pages would be mixed with those of the log, and who still has the other one
/// open would share memory with it that SQLite clears.
void removeCompanions(const std::filesystem::path& file, const IndexCompanions& these);

/// Asks the one who keeps the index to build it anew: it does so at its next look. Best effort.
void requestRebuild(const std::filesystem::path& project);
/// Has somebody asked? Forgets it.
bool takeRebuildRequest(const std::filesystem::path& project);
bool hasRebuildRequest(const std::filesystem::path& project);

/// Moves a damaged database with its companions aside (FILE.broken-N); it can be rebuilt, but somebody may
/// want to look at it.
Status quarantineIndex(const std::filesystem::path& file);

/// Where a new index is built, and where it waits, whole and closed, for its place.
std::filesystem::path newIndexPath(const std::filesystem::path& file);
/// Puts a database that was built at newIndexPath() and closed in the place of `file`, which nobody writes.
/// Readers that have the old one open keep it until they look again. A crash in between is completed by
/// finishIndexSwap().
Status swapIndex(const std::filesystem::path& file);
/// Completes or forgets what a crash interrupted.
Status finishIndexSwap(const std::filesystem::path& file);

} // namespace sparserl
