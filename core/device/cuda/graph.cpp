// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/graph.h"

#include <utility>

namespace sparserl::cuda {

Result<Graph> Graph::capture(Gpu& gpu, const std::function<Result<std::optional<Fault>>()>& enqueue)
{
    const Driver& api = gpu.api();
    // Relaxed: libraries may look things up while they enqueue; nothing else uses this context.
    SPARSERL_CHECK(gpu.check(api.streamBeginCapture(gpu.stream(), CU_STREAM_CAPTURE_MODE_RELAXED),
                             "starting a capture"));
    auto refused = enqueue();
    CUgraph graph = nullptr;
    auto ended = gpu.check(api.streamEndCapture(gpu.stream(), &graph), "ending a capture");
    Graph result(gpu);
    std::optional<Error> problem;
    if (!refused)
        problem = refused.error();
    else if (*refused)
        problem = Error{(*refused)->message, {}, 0, {}};
    else if (!ended)
        problem = ended.error();
    else if (auto ok = gpu.check(api.graphInstantiate(&result.m_exec, graph, 0), "building a graph"); !ok)
        problem = ok.error();
    if (graph)
        api.graphDestroy(graph);
    if (problem)
        return fail(std::move(*problem));
    return result;
}

Graph::Graph(Graph&& other) noexcept
    : m_gpu(other.m_gpu)
    , m_exec(std::exchange(other.m_exec, nullptr))
{
}

Graph::~Graph()
{
    if (m_exec && !m_gpu->poisoned())
        m_gpu->api().graphExecDestroy(m_exec);
}

Status Graph::launch()
{
    return m_gpu->check(m_gpu->api().graphLaunch(m_exec, m_gpu->stream()), "launching a graph");
}

Result<Events> Events::make(Gpu& gpu, int count)
{
    Events events(gpu);
    for (int i = 0; i < count; ++i) {
        CUevent event = nullptr;
        SPARSERL_CHECK(gpu.check(gpu.api().eventCreate(&event, CU_EVENT_DEFAULT), "making an event"));
        events.m_events.push_back(event);
    }
    return events;
}

Events::Events(Events&& other) noexcept
    : m_gpu(other.m_gpu)
    , m_events(std::move(other.m_events))
{
    other.m_events.clear();
}

Events::~Events()
{
    for (CUevent event : m_events) {
        if (!m_gpu->poisoned())
            m_gpu->api().eventDestroy(event);
    }
}

Status Events::record(int index)
{
    return m_gpu->check(m_gpu->api().eventRecord(m_events[static_cast<std::size_t>(index)], m_gpu->stream()),
                        "recording an event");
}

Result<double> Events::microseconds(int from, int to)
{
    float milliseconds = 0;
    SPARSERL_CHECK(
        m_gpu->check(m_gpu->api().eventElapsedTime(&milliseconds, m_events[static_cast<std::size_t>(from)],
                                                   m_events[static_cast<std::size_t>(to)]),
                     "reading an event"));
    return 1e3 * static_cast<double>(milliseconds);
}

} // namespace sparserl::cuda
