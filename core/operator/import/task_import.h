// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

struct ImportOptions
{
    std::filesystem::path runner; ///< Path of sparserl-runner.
    std::string mode = "train";   ///< Mode in which the module is recorded: "train" or "eval".
    int cpuSeconds = 180;         ///< Processor time of the locked process, for all sizes together.
    double wallSeconds = 900;
    std::uint64_t memoryBytes = std::uint64_t(8) << 30; ///< Limit of the address space of the process.
    std::uint64_t storedBytes = std::uint64_t(64)
                                << 20; ///< If the tensors have more, only those without a fill are stored.
    /// 0, or 1 to mostLarger for larger sizes, if the smallest are too noisy. Larger sizes have no full size
    /// beside them.
    int larger = 0;
    CancelToken cancel;
};

/// A task at one of its sizes.
struct ImportedSize
{
    OperatorGraph graph;
    HostTensors tensors;  ///< The inputs and weights that are stored.
    HostTensors expected; ///< The outputs that the task itself returned, in its own types.
};

constexpr int mostLarger = 3; ///< How often a task can be recorded at larger sizes.

struct ImportedTask
{
    std::vector<ImportedSize> sizes; ///< The size "base" comes first.
    std::string torch;               ///< The version of PyTorch that recorded the task.
    /// The task at its own size. Most of its tensors are fills, and few are stored. It has not been run.
    std::optional<ImportedSize> full;
    std::string noFull;  ///< Why there is no full size, although the others are smaller than the task's own.
    bool scaled = false; ///< Whether the other sizes are smaller than the task's own.
};

/// The Python that imports tasks: $SPARSERL_PYTHON if it is set, otherwise /usr/bin/python3. `folders` are
/// the folders from which this Python reads modules.
struct ImportPython
{
    std::filesystem::path program;
    std::vector<std::filesystem::path> folders;
};
Result<ImportPython> findImportPython();

/// The text of a task, in one of two forms.
struct TaskSource
{
    std::string name;
    /// In KernelBench's form, the task (Model, get_inputs, get_init_inputs). In GPU MODE's form, the
    /// reference.
    std::string text;
    /// In GPU MODE's form (task.yml), the texts of its modules by name, including "reference". Empty in
    /// KernelBench's form.
    std::map<std::string, std::string> modules = {};
    std::vector<nlohmann::json> cases = {};  ///< Arguments of generate_input for the small sizes.
    std::optional<nlohmann::json> full = {}; ///< The arguments for the full size.
};

/// Runs the text of a task in a locked process, whose output is untrusted. The Error says why the task cannot
/// be imported.
Result<ImportedTask> importTask(const ImportPython& python, const TaskSource& source,
                                const ImportOptions& options);

/// Returns the text of record_task.py.
std::string_view recordTaskScript();

/// Parses the output of the locked process. If the process was ended, `cut` says why. In this case, the small
/// sizes are used if they are complete, and `cut` becomes the reason why there is no full size, unless the
/// output about the full size is complete, too.
Result<ImportedTask> readImported(std::string_view said, const std::string& cut = {});

} // namespace sparserl
