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
    mutable FileIdentity identity;  ///< Of the file that `db` is.
    mutable std::int64_t swaps = 0; ///< How often it was another since.
    std::filesystem::path place;    ///< The folder of the index: the project as a rule.

    std::filesystem::path file() const { return place / "project.sqlite"; }
    std::filesystem::path runPath(const std::string& name) const { return project / "runs" / name; }

    /// Runs a query and turns SQLite's faults into an Error. An index that was replaced since is opened anew;
    /// of one that is damaged, a new one is asked for.
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
                    requestRebuild(place); // only who keeps the index may mend it
                throw;
            }
        });
    }
    /// Opens the file that has the index's name now; while there is none, the old one is read on.
    void follow() const;

    std::map<std::string, AnnotationState> annotations(const char* target) const;
    std::string runName(RunId id) const;
};

/// What one row of annotation says; columns note, tags, star, pin, archive from `column` on.
AnnotationState annotationFrom(const sql::Statement& row, int column);

} // namespace sparserl
