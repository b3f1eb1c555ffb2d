// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace sparserl {

/// A recording of GPU operations. A replay takes only one launch, and always reads and writes the same
/// memory.
class StepGraph
{
public:
    virtual ~StepGraph() = default;
    virtual void replay() = 0;
};

/// The interface of the plug-in (cuda/step_graph.cpp) to CUDA graphs, which need symbols of libtorch_cuda.
class GraphRecorder
{
public:
    virtual ~GraphRecorder() = default;
    /// Records the operations of `work` on the current device without executing them. `work` must have been
    /// called before with tensors of the same shapes, so that all libraries have been loaded.
    virtual std::unique_ptr<StepGraph> record(const std::function<void()>& work) = 0;
};

/// The entry point of the plug-in. Its name contains the version of the interface.
using MakeGraphRecorder = GraphRecorder* (*)();
inline constexpr const char* makeGraphRecorderName = "sparserl_make_graph_recorder_1";

} // namespace sparserl
