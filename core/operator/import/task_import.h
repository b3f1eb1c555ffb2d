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
    std::filesystem::path runner; ///< sparserl-runner.
    std::string mode = "train";   ///< "train" or "eval": of the module while it is recorded.
    int cpuSeconds = 180;         ///< Of the locked process, in all.
    double wallSeconds = 900;
    std::uint64_t memoryBytes = std::uint64_t(8) << 30; ///< Of its address space.
    std::uint64_t storedBytes = std::uint64_t(64)
                                << 20; ///< If there are more, only tensors without a fill are stored.
    CancelToken cancel;
};

/// A task at one of its sizes.
struct ImportedSize
{
    OperatorGraph graph;
    HostTensors tensors;  ///< Inputs and weights, so far as they are stored.
    HostTensors expected; ///< What the task's own Python returned, in its types.
};

struct ImportedTask
{
    std::vector<ImportedSize> sizes; ///< "base" first.
    std::string torch;               ///< The version that recorded it.
};

/// The Python that imports tasks: $SPARSERL_PYTHON, else /usr/bin/python3. `folders` are those that it reads
/// modules from.
struct ImportPython
{
    std::filesystem::path program;
    std::vector<std::filesystem::path> folders;
};
Result<ImportPython> findImportPython();

/// Runs the text of a task (KernelBench's form: Model, get_inputs, get_init_inputs) in a locked process
/// and reads what it says as text of a stranger. An Error says why it cannot be imported.
Result<ImportedTask> importTask(const ImportPython& python, std::string_view text, const std::string& name,
                                const ImportOptions& options);

/// The text of record_task.py.
std::string_view recordTaskScript();

/// Reads what a locked process said; for tests.
Result<ImportedTask> readImported(std::string_view said);

} // namespace sparserl
