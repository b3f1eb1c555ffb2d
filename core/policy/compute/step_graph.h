// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace sparserl {

/// Operations on a GPU that were recorded once and run again at the cost of one launch. They read and write
/// the same memory each time.
class StepGraph
{
public:
    virtual ~StepGraph() = default;
    virtual void replay() = 0;
};

/// What the plug-in offers (cuda/step_graph.cpp): CUDA graphs need symbols of libtorch_cuda.
class GraphRecorder
{
public:
    virtual ~GraphRecorder() = default;
    /// Records what `work` does to the current device. Nothing of it is run. `work` must have run before with
    /// the same shapes, so that libraries are loaded.
    virtual std::unique_ptr<StepGraph> record(const std::function<void()>& work) = 0;
};

/// The plug-in's one entry, of this type; its name tells another version apart.
using MakeGraphRecorder = GraphRecorder* (*)();
inline constexpr const char* makeGraphRecorderName = "sparserl_make_graph_recorder_1";

} // namespace sparserl
