// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>
#include <cstdint>
#include <filesystem>
#include <sqlite3.h>
#include <string>

/// An index as SQLite sees it.
namespace fixture {

inline void executeSql(const std::filesystem::path& file, const std::string& text)
{
    sqlite3* db = nullptr;
    if (sqlite3_open(file.c_str(), &db) != SQLITE_OK)
        qFatal("cannot open");
    char* message = nullptr;
    if (sqlite3_exec(db, text.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
        qFatal("%s", message);
    sqlite3_close(db);
}

inline std::int64_t askSql(const std::filesystem::path& file, const std::string& query)
{
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_open(file.c_str(), &db) != SQLITE_OK ||
        sqlite3_prepare_v2(db, query.c_str(), -1, &statement, nullptr) != SQLITE_OK)
        qFatal("%s", sqlite3_errmsg(db));
    const std::int64_t value =
        sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

} // namespace fixture
