// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <filesystem>

namespace sparserl {

/// The values of the key "open" of an index: 1 while a writer has it open, or after one died.
inline constexpr const char* markOpen = "INSERT OR REPLACE INTO meta VALUES ('open','1')";
inline constexpr const char* markClosed = "INSERT OR REPLACE INTO meta VALUES ('open','0')";

/// Deletes all rows of an index that was made for another folder, because an archive or a backup may have
/// been unpacked over this one. Also those of an index from an older version, which does not name its folder.
void keepOnlyOwn(sql::Database& db, const std::filesystem::path& project);

/// Throws for a file that belongs to another program or to a newer version of this one. To be called before
/// SQLite opens the file for writing, which changes it.
void refuseForeign(const std::filesystem::path& file);

/// Migrates an index to this version and checks whether it is whole. Deletes all rows of an index that was
/// made for another folder. For a large index this can take minutes, while others read it. Throws
/// `sql::Fault`.
void makeSound(sql::Database& db, const std::filesystem::path& file, const std::filesystem::path& project);

} // namespace sparserl
