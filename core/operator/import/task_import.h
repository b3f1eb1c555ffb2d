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
    int cpuSeconds = 180;         ///< Limit of the locked process, for all sizes together.
    double wallSeconds = 900;
    std::uint64_t memoryBytes = std::uint64_t(8) << 30; ///< Limit of its address space.
    std::uint64_t storedBytes = std::uint64_t(64)
                                << 20; ///< If there are more, only tensors without a fill are stored.
    int larger = 0; ///< 1 to mostLarger: larger sizes, where the smallest are too noisy. No full size then.
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
    std::string torch;               ///< The version that recorded it.
    /// The task at its own size: its tensors are fills but for few that are stored, and nobody has run it.
    std::optional<ImportedSize> full;
    std::string noFull;  ///< Why there is none, though the other sizes are smaller than the task's own.
    bool scaled = false; ///< The other sizes are smaller than the task's own.
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
    std::string text; ///< KernelBench's form (Model, get_inputs, get_init_inputs), or that of its reference.
    /// GPU MODE's form (task.yml): its modules by name, "reference" among them; empty: the other form.
    std::map<std::string, std::string> modules = {};
    std::vector<nlohmann::json> cases = {};  ///< Arguments of generate_input for the small sizes.
    std::optional<nlohmann::json> full = {}; ///< The same for the full size.
};

/// Runs the text of a task in a locked process, whose output is untrusted. The Error says why the task cannot
/// be imported.
Result<ImportedTask> importTask(const ImportPython& python, const TaskSource& source,
                                const ImportOptions& options);

/// Returns the text of record_task.py.
std::string_view recordTaskScript();

/// Parses the output of the locked process. `cut` is not empty if the process was ended: its output for the
/// small sizes is then used if it was complete, and `cut` says why there is no full size.
Result<ImportedTask> readImported(std::string_view said, const std::string& cut = {});

} // namespace sparserl
