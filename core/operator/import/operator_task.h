// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// A graph and the tensors that are stored next to it.
struct OperatorSize
{
    OperatorGraph graph;
    HostTensors stored;
};

/// An operator task on which programs are judged.
struct OperatorTask
{
    OperatorSize own;                 ///< The size that is judged.
    std::vector<OperatorSize> others; ///< Sizes at which a program must be right, too.
};

/// Reads a task from the folder that an import wrote, or from one graph. In a folder, the size "base" is the
/// one that is judged; if there is no such size, the only graph in the folder. Next to a graph that is named
/// by itself, the other sizes are read only if the folder has a task.json. The full size is never one of
/// `others`, and neither are graphs whose tensors have other names or other numbers of dimensions.
Result<OperatorTask> readOperatorTask(const std::filesystem::path& path);

} // namespace sparserl
