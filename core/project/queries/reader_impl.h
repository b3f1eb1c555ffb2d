// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "project/files/index_file.h"
#include "project/index/sqlite.h"
#include "project/queries/queries.h"

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

struct ProjectReader::Impl
{
    std::filesystem::path project;
    mutable sql::Database db;
    mutable FileIdentity identity;  ///< Identity of the file opened in `db`.
    mutable std::int64_t swaps = 0; ///< Number of replacements since.
    std::filesystem::path place;    ///< The folder of the index, usually the project.

    std::filesystem::path file() const { return place / "project.sqlite"; }
    std::filesystem::path runPath(const std::string& name) const { return project / "runs" / name; }

    /// Runs a query and converts SQLite's faults to an Error. Reopens an index that was replaced; requests a
    /// rebuild of a damaged one.
    template <typename F>
    auto read(F&& work) const
    {
        return sql::guarded(file(), [&] {
            try {
                follow();
                auto found = work();
                db.requireFresh();
                return found;
            } catch (const sql::Fault& fault) {
                if (fault.damaged())
                    requestRebuild(place); // only the index's keeper may repair it
                throw;
            }
        });
    }
    /// Opens the current index file. While there is none, keeps reading the old one.
    void follow() const;

    std::map<std::string, AnnotationState> annotations(const char* target) const;
    std::string runName(RunId id) const;
};

/// The annotations in one row; columns note, tags, star, pin, archive from `column` on.
AnnotationState annotationFrom(const sql::Statement& row, int column);

} // namespace sparserl
