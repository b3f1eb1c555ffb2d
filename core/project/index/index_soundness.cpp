// SPDX-License-Identifier: Apache-2.0
#include "project/index/index_soundness.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/trust.h"
#include "project/index/schema.h"

#include <sqlite3.h>
#include <string>
#include <vector>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

/// Bytes that SQLite checks completely in some ten milliseconds.
constexpr std::uintmax_t smallIndex = 8 << 20;

} // namespace

void keepOnlyOwn(sql::Database& db, const fs::path& project)
{
    const std::string folder = folderIdentity(project);
    if (db.text("SELECT value FROM meta WHERE key='folder'") == folder)
        return;
    std::vector<std::string> tables;
    auto rows = db.prepare("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'");
    while (rows.step())
        tables.push_back(rows.text(0));
    sql::Transaction transaction(db);
    for (const std::string& table : tables) // of checkSchema()
        db.execute("DELETE FROM " + table);
    db.prepare("INSERT INTO meta VALUES ('folder',?)").bindAll(folder).run();
    transaction.commit();
}

void refuseForeign(const fs::path& file)
{
    const auto found = sql::foreignDatabase(file);
    if (!found)
        return;
    if (found->others)
        throw sql::Fault(SQLITE_NOTADB, "it is another program's database");
    if (found->version > schemaVersion() && found->version <= plausibleVersion)
        throw NewerSchema(found->version);
}

void makeSound(sql::Database& db, const fs::path& file, const fs::path& project)
{
    migrate(db);
    checkSchema(db);
    // SQLite sees damage only in pages that it needs. All of a small file is looked at, of a larger one after
    // a crash and where the file has no whole number of pages, as one that was cut or edited.
    const auto page = static_cast<std::uintmax_t>(db.integer("PRAGMA page_size"));
    const std::uint64_t size = sparserl::glance(file).bytes;
    const bool small = size <= smallIndex;
    if (small || size % page != 0 || db.integer("SELECT value FROM meta WHERE key='open'") == 1) {
        const std::string verdict = db.text(small ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)");
        if (verdict != "ok")
            throw sql::Fault(SQLITE_CORRUPT, verdict);
    }
    keepOnlyOwn(db, project);
    db.execute(markOpen);
}

} // namespace sparserl
