// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "project/queries.h"
#include "project/sqlite.h"

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

struct ProjectReader::Impl
{
    std::filesystem::path project;
    sql::Database db;

    std::filesystem::path file() const { return project / "project.sqlite"; }
    std::filesystem::path runPath(const std::string& name) const { return project / "runs" / name; }

    /// Runs a query and turns SQLite's faults into an Error.
    template <typename F>
    auto read(F&& work) const
    {
        return sql::guarded(file(), std::forward<F>(work));
    }

    std::map<std::string, AnnotationState> annotations(const char* target) const;
    std::string runName(RunId id) const;
};

/// What one row of annotation says; columns note, tags, star, pin, archive from `column` on.
AnnotationState annotationFrom(const sql::Statement& row, int column);

} // namespace sparserl
