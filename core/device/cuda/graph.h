// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"

#include <functional>
#include <optional>
#include <vector>

namespace sparserl::cuda {

/// A captured and instantiated graph. A moved-from object is empty.
class Graph
{
public:
    /// Captures the work that `enqueue` puts on the stream. In the graph, no node starts before the nodes
    /// that it depends on have ended.
    static Result<Graph> capture(Gpu& gpu, const std::function<Result<std::optional<Fault>>()>& enqueue);
    ~Graph();
    Graph(Graph&& other) noexcept;
    Graph& operator=(Graph&&) = delete;
    Status launch();

private:
    explicit Graph(Gpu& gpu)
        : m_gpu(&gpu)
    {
    }
    Gpu* m_gpu;
    CUgraphExec m_exec = nullptr;
};

/// A series of timing events on the GPU's stream.
class Events
{
public:
    static Result<Events> make(Gpu& gpu, int count);
    ~Events();
    Events(Events&& other) noexcept;
    Events& operator=(Events&&) = delete;
    Status record(int index);
    Result<double> microseconds(int from, int to);

private:
    explicit Events(Gpu& gpu)
        : m_gpu(&gpu)
    {
    }
    Gpu* m_gpu;
    std::vector<CUevent> m_events;
};

} // namespace sparserl::cuda
