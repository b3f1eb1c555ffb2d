// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "operator/graph/oracle_report.h"
#include "operator/import/task_import.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Facts about one size of a task.
struct SizeRecord
{
    std::string size, digest, structure;
    std::uint64_t nodes = 0, computing = 0;
    int level = 1;
    double flops = 0, compulsoryBytes = 0, movedBytes = 0;
    std::optional<OracleReport> report = {}; ///< nullopt if the graph was not run.

    bool operator==(const SizeRecord&) const = default;
};

/// The contents of task.json, in the folder of a task.
struct TaskRecord
{
    int format = 1;
    std::string name, mode, torch;
    int layers = 0; ///< Number of stacked operator classes, for a synthesised task; 0 for an imported one.
    std::vector<SizeRecord> sizes;         ///< The size "base" comes first, the full size last.
    std::string noFull;                    ///< Why there is no full size.
    std::vector<std::string> rejected;     ///< Sizes that were given up, and why.
    std::vector<std::string> unreproduced; ///< Tensors whose fill did not describe them.
    std::vector<std::string> flags;        ///< Sentences about wrong programs that would pass.

    bool operator==(const TaskRecord&) const = default;
};

template <>
struct Fields<SizeRecord>
{
    static void of(auto& r, auto& field)
    {
        field("size", r.size, requiredField());
        field("digest", r.digest);
        field("structure", r.structure);
        field("nodes", r.nodes);
        field("computing", r.computing);
        field("level", r.level);
        field("flops", r.flops);
        field("compulsory_bytes", r.compulsoryBytes);
        field("moved_bytes", r.movedBytes);
        field("report", r.report);
    }
};

template <>
struct Fields<TaskRecord>
{
    static void of(auto& r, auto& field)
    {
        field("format", r.format, requiredField());
        field("name", r.name);
        field("mode", r.mode);
        field("torch", r.torch);
        field("layers", r.layers, writtenIf(r.layers > 0));
        field("sizes", r.sizes);
        field("no_full", r.noFull);
        field("rejected", r.rejected);
        field("unreproduced", r.unreproduced);
        field("flags", r.flags);
    }
};

/// Returns the facts that follow from the graph, without a report.
SizeRecord sizeRecord(const OperatorGraph& graph);

/// Writes a task: the source, unless it is empty, each size, and the record. Removes the files of an earlier
/// import. Fails if the folder holds anything else, or is reached through a link. Does not store tensors that
/// a fill describes.
Status writeTaskFolder(const std::filesystem::path& folder, const ImportedTask& task,
                       const TaskRecord& record, const std::string& source);

} // namespace sparserl
