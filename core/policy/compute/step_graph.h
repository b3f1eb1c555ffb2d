// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace sparserl {

/// Recorded GPU operations that can be replayed at the cost of one launch. Every replay reads and writes the
/// same memory.
class StepGraph
{
public:
    virtual ~StepGraph() = default;
    virtual void replay() = 0;
};

/// The plug-in's interface (cuda/step_graph.cpp): CUDA graphs need symbols of libtorch_cuda.
class GraphRecorder
{
public:
    virtual ~GraphRecorder() = default;
    /// Records the operations of `work` on the current device without executing them. `work` must have run
    /// before with the same shapes, which loads all libraries.
    virtual std::unique_ptr<StepGraph> record(const std::function<void()>& work) = 0;
};

/// The plug-in's only entry point, of this type. Its name identifies the version.
using MakeGraphRecorder = GraphRecorder* (*)();
inline constexpr const char* makeGraphRecorderName = "sparserl_make_graph_recorder_1";

} // namespace sparserl
