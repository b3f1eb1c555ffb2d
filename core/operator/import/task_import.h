// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <filesystem>
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
                                << 20; ///< With more bytes, tensors that have a fill are not stored.
    CancelToken cancel;
};

/// A task at one of its sizes.
struct ImportedSize
{
    OperatorGraph graph;
    HostTensors tensors;  ///< The inputs and weights that are stored.
    HostTensors expected; ///< The outputs that the task itself returned, in its own types.
};

struct ImportedTask
{
    std::vector<ImportedSize> sizes; ///< The size "base" comes first.
    std::string torch;               ///< The version of PyTorch that recorded the task.
};

/// The Python that imports tasks: $SPARSERL_PYTHON if it is set, otherwise /usr/bin/python3. `folders` are
/// the folders from which this Python reads modules.
struct ImportPython
{
    std::filesystem::path program;
    std::vector<std::filesystem::path> folders;
};
Result<ImportPython> findImportPython();

/// Runs the text of a task (KernelBench's form: Model, get_inputs, get_init_inputs) in a locked process. The
/// output of this process is untrusted. The Error says why the task cannot be imported.
Result<ImportedTask> importTask(const ImportPython& python, std::string_view text, const std::string& name,
                                const ImportOptions& options);

/// Returns the text of record_task.py.
std::string_view recordTaskScript();

/// Parses the output of the locked process; public for tests.
Result<ImportedTask> readImported(std::string_view said);

} // namespace sparserl
