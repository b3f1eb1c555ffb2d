// SPDX-License-Identifier: Apache-2.0
#include "operator/import/task_folder.h"

#include "base/beneath.h"
#include "base/file_error.h"
#include "base/file_kind.h"
#include "base/files.h"
#include "base/json.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/task_tensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// Removes the files of an earlier import. Fails if the folder holds anything else.
Status clearFolder(const fs::path& folder)
{
    if (behindLink(folder) != folder || behindLink(folder.parent_path()) != folder.parent_path())
        return failAt(folder.string(), 0, "graphs are not written through a link", "Choose another --out");
    if (!glance(folder).exists)
        return {};
    SPARSERL_TRY(const auto files, listDirectory(folder));
    const auto isOurs = [](const fs::path& file) {
        return file.filename() == "task.py" || file.extension() == ".json" ||
               file.extension() == ".safetensors";
    };
    if (!files.empty() && ((!glance(folder / "task.py").exists && !glance(folder / "task.json").exists) ||
                           !std::all_of(files.begin(), files.end(), isOurs)))
        return failAt(folder.string(), 0, "this folder is no earlier import", "Choose another --out");
    for (const fs::path& file : files)
        if (std::error_code code; !removeEntry(file, code) && code)
            return fail(fileError("cannot remove an earlier graph", file, code.value()));
    return {};
}

Status writeSize(const fs::path& folder, const ImportedSize& size)
{
    const std::string name = fileNameFor(size.graph.size);
    const HostTensors stored = withoutFills(size.graph, size.tensors);
    if (!stored.empty())
        SPARSERL_CHECK(writeFileAtomic(folder / (name + ".safetensors"), formatTensors(stored)));
    return writeFileAtomic(folder / (name + ".json"), dumpJson(toJson(size.graph)) + "\n");
}

} // namespace

SizeRecord sizeRecord(const OperatorGraph& graph)
{
    const GraphFacts facts = graphFacts(graph);
    return {graph.size,  graphDigest(graph), graphStructure(graph), graph.nodes.size(), facts.computing,
            facts.level, facts.flops,        facts.compulsoryBytes, facts.movedBytes,   {}};
}

Status writeTaskFolder(const fs::path& folder, const ImportedTask& task, const TaskRecord& record,
                       const std::string& source)
{
    SPARSERL_CHECK(clearFolder(folder));
    if (!source.empty())
        SPARSERL_CHECK(writeFileAtomic(folder / "task.py", source));
    for (const ImportedSize& size : task.sizes)
        SPARSERL_CHECK(writeSize(folder, size));
    if (task.full)
        SPARSERL_CHECK(writeSize(folder, *task.full));
    // The record is written last, so that a folder with a record is complete.
    return writeFileAtomic(folder / "task.json", dumpJson(fieldToJson(record)) + "\n");
}

} // namespace sparserl
