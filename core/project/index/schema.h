// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <stdexcept>

namespace sparserl {

/// Returns the version of the tables that this program writes (PRAGMA user_version).
int schemaVersion();

/// A database with a larger version must be damaged.
inline constexpr int plausibleVersion = 100000;

/// Thrown if a newer version of the program has created the database.
struct NewerSchema : std::runtime_error
{
    explicit NewerSchema(int found);
    int version = 0;
};

/// Migrates a database, which may be empty, to schemaVersion() in one transaction. On failure, throws
/// sql::Fault or NewerSchema and changes nothing.
void migrate(sql::Database& db);

/// Throws a sql::Fault, as for a damaged file, unless the database has exactly the tables and indexes of
/// schemaVersion(). Another person may have added a view, a trigger or a column.
void checkSchema(const sql::Database& db);

} // namespace sparserl
