// SPDX-License-Identifier: Apache-2.0
#include "operator/import/operator_task.h"

#include "base/beneath.h"
#include "base/files.h"
#include "operator/graph/graph_file.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t mostStored = std::uint64_t(1) << 30;
constexpr std::size_t mostSizes = 8;
constexpr std::string_view ownSize = "base", fullSize = "full";

Result<OperatorSize> readSize(const fs::path& file)
{
    OperatorSize size;
    SPARSERL_TRY(size.graph, readGraph(file));
    fs::path tensors = file;
    tensors.replace_extension(".safetensors");
    if (!glance(tensors).exists)
        return size;
    SPARSERL_TRY(const auto bytes, readFile(tensors, mostStored));
    SPARSERL_TRY(size.stored, parseTensors(bytes, tensors.string(), mostStored));
    return size;
}

/// The graphs of a task's folder, in the order of their names.
Result<std::vector<fs::path>> graphsIn(const fs::path& folder)
{
    SPARSERL_TRY(auto files, listDirectory(folder));
    std::erase_if(files, [](const fs::path& file) {
        return file.extension() != ".json" || file.filename() == "task.json";
    });
    std::sort(files.begin(), files.end());
    if (files.size() > mostSizes)
        return failAt(folder.string(), 0, "this folder has more graphs than a task has sizes",
                      "Name one of the graphs");
    return files;
}

/// Names and numbers of dimensions of everything that a plan can name.
std::vector<std::pair<std::string, std::size_t>> namesOf(const OperatorGraph& graph)
{
    std::vector<std::pair<std::string, std::size_t>> names;
    const auto add = [&](const auto& tensors) {
        for (const auto& one : tensors)
            names.emplace_back(one.name, graph.values[static_cast<std::size_t>(one.value)].shape.size());
    };
    add(graph.inputs);
    add(graph.weights);
    add(graph.outputs);
    return names;
}

/// The graph of a folder on which programs are judged.
Result<fs::path> ownGraph(const fs::path& folder, const std::vector<fs::path>& files)
{
    for (const fs::path& file : files)
        if (file.stem() == ownSize)
            return file;
    if (files.size() == 1)
        return files.front();
    return failAt(folder.string(), 0,
                  files.empty() ? "this folder has no graph of an operator task"
                                : "this folder has several graphs, and none is base.json",
                  files.empty() ? "Import a task with `sparserl operator import`" : "Name one of the graphs");
}

} // namespace

Result<OperatorTask> readOperatorTask(const fs::path& path)
{
    SPARSERL_TRY(const auto entry, lookAt(path));
    fs::path own = path;
    std::vector<fs::path> files;
    if (entry.folder) {
        SPARSERL_TRY(files, graphsIn(path));
        SPARSERL_TRY(own, ownGraph(path, files));
    } else if (glance(path.parent_path() / "task.json").exists) {
        SPARSERL_TRY(files, graphsIn(path.parent_path()));
    }
    OperatorTask task;
    SPARSERL_TRY(task.own, readSize(own));
    const auto names = namesOf(task.own.graph);
    for (const fs::path& file : files) {
        if (file.filename() == own.filename() || file.stem() == fullSize)
            continue;
        SPARSERL_TRY(auto size, readSize(file));
        if (namesOf(size.graph) == names)
            task.others.push_back(std::move(size));
    }
    return task;
}

} // namespace sparserl
