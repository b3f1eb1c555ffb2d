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
    mutable FileIdentity identity;  ///< Identity of the file that is open in `db`.
    mutable std::int64_t swaps = 0; ///< How often the file was replaced since the reader was opened.
    std::filesystem::path place;    ///< The folder of the index, usually the project.

    std::filesystem::path file() const { return place / "project.sqlite"; }
    std::filesystem::path runPath(const std::string& name) const { return project / "runs" / name; }

    /// Runs a query and converts a Fault to an Error. Opens the new index if the index was replaced. Requests
    /// a rebuild if it is damaged.
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
    /// Opens the index file if it was replaced. If there is no file at the moment, the old one stays open.
    void follow() const;

    std::map<std::string, AnnotationState> annotations(const char* target) const;
    std::string runName(RunId id) const;
    std::string runLabel(RunId id) const; ///< runLabelOf() its name and title.
};

/// Returns the annotations in a row, whose columns from `column` on are note, tags, star, pin and archive.
AnnotationState annotationFrom(const sql::Statement& row, int column);

} // namespace sparserl
