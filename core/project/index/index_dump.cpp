// SPDX-License-Identifier: Apache-2.0
#include "base/lock.h"
#include "project/index/index.h"
#include "project/index/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <string>

namespace sparserl {

namespace fs = std::filesystem;

Result<std::string> dumpIndex(const fs::path& project)
{
    const fs::path file = project / "project.sqlite";
    return sql::guarded(file, [&] {
        const FolderLock together(project, FolderLock::Kind::Shared);
        const sql::Database db(file, sql::Database::Mode::Read);
        std::string out;
        for (const char* table : {"matrix", "run", "metric", "metric_latest", "program", "sample", "verdict",
                                  "evaluation", "checkpoint", "control", "annotation", "export", "log"}) {
            std::string key, columns;
            int count = 0;
            auto info =
                db.prepare(fmt::format("SELECT name, pk FROM pragma_table_info('{}') ORDER BY cid", table));
            while (info.step()) {
                const std::string name = info.text(0);
                // Numbers are in the order in which programs were read.
                const std::string value =
                    name == "program_number"
                        ? "(SELECT n.program FROM program_number n WHERE n.number=program_number)"
                        : name;
                columns += (count++ > 0 ? ", quote(" : "quote(") + value + ")";
                if (info.integer(1) > 0)
                    key += (key.empty() ? "" : ", ") + name;
            }
            auto rows = db.prepare(fmt::format("SELECT {} FROM {} ORDER BY {}", columns, table, key));
            while (rows.step()) {
                out += table;
                for (int i = 0; i < count; ++i)
                    out += "|" + rows.text(i);
                out += '\n';
            }
        }
        return out;
    });
}

std::string sqliteVersion()
{
    return sqlite3_libversion();
}

std::string sqliteWarning()
{
    const int version = sqlite3_libversion_number();
    if (version < 3007000 || version > 3051002)
        return {};
    return fmt::format(
        "SQLite {} can damage a database that two programs write at once; this program lets only one "
        "write (index.lock), and the index can always be rebuilt",
        sqlite3_libversion());
}

Capability indexCapability()
{
    Capability c{"sqlite", "SQLite", Capability::Level::Ok, "SQLite " + sqliteVersion() + " keeps the index.",
                 {},       {}};
    if (const std::string warning = sqliteWarning(); !warning.empty()) {
        c.level = Capability::Level::Note;
        c.sentence = warning + ".";
    }
    return c;
}

} // namespace sparserl
