// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"

#include <stdexcept>

namespace sparserl {

/// The version that this program writes (PRAGMA user_version).
int schemaVersion();

/// Beyond it, a version is damage.
inline constexpr int plausibleVersion = 100000;

/// The database was made by a newer program.
struct NewerSchema : std::runtime_error
{
    explicit NewerSchema(int found);
    int version = 0;
};

/// Brings a database (also an empty one) to schemaVersion() by the numbered migrations, in one transaction.
/// Throws sql::Fault, or NewerSchema, and changes nothing then.
void migrate(sql::Database& db);

/// Throws a sql::Fault of a damaged file unless the database has the tables and indexes of schemaVersion(),
/// and nothing else: a view, a trigger or another column may be what somebody else has laid there.
void checkSchema(const sql::Database& db);

} // namespace sparserl
